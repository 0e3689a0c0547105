"""Columns for a browser: what goes in is what comes out."""

import base64
import json
import struct
import zlib
from typing import Any

import numpy as np
import pytest

from diptych.report._columns import ColumnFile, visible


def unpack(text: str) -> tuple[dict[str, Any], bytes]:
    """The header and the columns, as the page reads them."""
    content = zlib.decompress(base64.b64decode(text))
    (size,) = struct.unpack("<I", content[:4])
    return json.loads(content[4 : 4 + size]), content[4 + size :]


def column(file: ColumnFile, name: str) -> tuple[dict[str, Any], bytes]:
    header, content = unpack(file.pack())
    entry = header["columns"][name]
    start, size = entry["at"]
    assert start % 4 == 0
    return entry, content[start : start + size]


@pytest.mark.parametrize(("largest", "kind"), [(0, "u1"), (255, "u1"), (256, "u2"), (65535, "u2"), (65536, "u4")])
def test_codes_are_as_narrow_as_they_can_be(largest: int, kind: str) -> None:
    file = ColumnFile()
    file.add_codes("codes", [0, largest])
    entry, content = column(file, "codes")
    assert entry["kind"] == kind
    assert np.frombuffer(content, f"<{kind}").tolist() == [0, largest]


def test_repeated_words_are_stored_once() -> None:
    file = ColumnFile()
    file.add_words("test", ["b", "a", "b", "b", "é"] * 3, start=7)
    entry, content = column(file, "test")
    words = column(file, "test#")[1].decode().split("\0")
    assert [words[code] for code in content] == ["b", "a", "b", "b", "é"] * 3
    assert (entry["start"], words[0]) == (7, "b")


def test_texts_that_do_not_repeat_are_stored_as_they_are() -> None:
    file = ColumnFile()
    file.add_words("text", ["a", "b", "c"])
    entry, content = column(file, "text")
    assert (entry["kind"], content) == ("text", b"a\0b\0c")


def test_a_text_cannot_end_itself() -> None:
    file = ColumnFile()
    file.add_texts("text", ["a\0b", "c"])
    assert column(file, "text")[1].decode().split("\0") == ["a⟨U+0000⟩b", "c"]


def test_hexadecimal_ids_are_bytes() -> None:
    file = ColumnFile()
    file.add_ids("pair_id", ["00ff", "abcd"])
    assert column(file, "pair_id") == ({"at": [0, 4], "kind": "hex", "width": 2}, b"\x00\xff\xab\xcd")


def test_other_ids_are_texts() -> None:
    file = ColumnFile()
    file.add_ids("pair_id", ["a-1", "b"])
    assert column(file, "pair_id")[0]["kind"] == "text"


def test_facts_are_beside_the_columns() -> None:
    header, _ = unpack(ColumnFile(rows=3, models=[{"name": "a\u202eb"}]).pack())
    assert (header["rows"], header["models"]) == (3, [{"name": "a⟨U+202E⟩b"}])


def test_what_can_be_seen_stays() -> None:
    assert visible("é 😀 שלום\t\n") == "é 😀 שלום\t\n"
