"""Records and members are read a few at a time and come out as if the file had been parsed whole."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diptych.errors import BadInputError
from diptych.sources import _json
from diptych.sources._files import SourceFile
from diptych.sources._json import JsonRecords, members
from tests.sources.official import write_plain


def read(path: Path, *steps: str) -> list[Any]:
    return list(JsonRecords(SourceFile(path, path.name), *steps))


def written(tmp_path: Path, text: str) -> Path:
    return write_plain(tmp_path, "f.json", text.encode())


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_json, "_BLOCK", 64)


TEXTS = st.text(alphabet=st.sampled_from('a{}[],:"\\é中\n {"id"'), max_size=30)
INNER = st.lists(st.fixed_dictionaries({"id": TEXTS}))
RECORDS = st.lists(st.fixed_dictionaries({"id": st.integers(0, 10**9), "x": TEXTS, "in": INNER}))


@pytest.mark.usefixtures("small_blocks")
@given(expected=RECORDS, indent=st.sampled_from([None, 1]), ascii_only=st.booleans(), shuffled=st.booleans())
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_whatever_the_records_hold_they_are_those_of_a_whole_parse(
    tmp_path: Path, expected: list[dict[str, Any]], indent: int | None, ascii_only: bool, shuffled: bool
) -> None:
    # Records nest their own first key and hold every bracket in strings: the worst for a reader that cuts.
    if shuffled:
        expected = [dict(reversed(record.items())) if number % 2 else record for number, record in enumerate(expected)]
    frame = {"info": {"id": "}]"}, "list": expected, "after": [{"id": 1}, {"id": 2}]}
    path = written(tmp_path, json.dumps(frame, indent=indent, ensure_ascii=ascii_only))
    assert read(path, "list") == expected


@pytest.mark.usefixtures("small_blocks")
def test_the_frame_is_there_once_the_records_are_read(tmp_path: Path) -> None:
    records = [{"id": number} for number in range(99)]
    path = written(tmp_path, json.dumps({"a": 1, "data": {"list": records, "z": ["y"]}}))
    stream = JsonRecords(SourceFile(path, path.name), "data", "list")
    assert len(list(stream)) == 99
    assert stream.frame == {"a": 1, "data": {"list": [], "z": ["y"]}}


def test_a_bare_list_is_read(tmp_path: Path) -> None:
    assert read(written(tmp_path, ' [{"id": 1}, {"id": 2}]\n'), "questions") == [{"id": 1}, {"id": 2}]


def test_an_empty_list_is_no_error(tmp_path: Path) -> None:
    assert read(written(tmp_path, '{"list": [ ]}'), "list") == []


@pytest.mark.usefixtures("small_blocks")
def test_wherever_a_file_is_cut_the_error_says_so(tmp_path: Path) -> None:
    records = [{"id": number, "x": 'a "q" ]', "n": [-1.5, 2e-9, None, "é"]} for number in range(8)]
    whole = json.dumps({"info": {"year": 1}, "list": records, "end": "x"})
    for length in range(1, len(whole)):
        path = written(tmp_path, whole[:length])
        with pytest.raises(BadInputError, match=r"f\.json: the file is cut short at byte [\d,]+; download it again"):
            read(path, "list")


def test_the_place_of_a_cut_is_the_end_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cut short at byte 27"):
        read(written(tmp_path, '{"list": [{"id": 1}, {"id":'), "list")


def test_the_place_of_a_fault_is_its_byte(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="not valid JSON at byte 28"):
        read(written(tmp_path, '{"list": [{"id": 1}, {"id": oops}]}'), "list")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("<!DOCTYPE html>", "not the official JSON file \\(it starts with '<!DOCTYPE html>'"),
        ('{"other": []}', "no list 'list'; the file has 'other'"),
        ('{"list": [], "list": [1]}', "no list 'list'; the file has 'list'"),
        ('{"list": []} {}', "not valid JSON at byte 13"),
        ('{"info": {"list": []}}', "no list 'list'; the file has 'info'"),
        ('{"list": [{"id": 1} {"id": 2}]}', "not valid JSON at byte 20"),
        ('{"list": [{"id": 1},]}', "not valid JSON at byte 20"),
    ],
)
def test_a_file_of_another_shape_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        read(written(tmp_path, text), "list")


def test_bytes_that_are_no_utf_8_are_refused(tmp_path: Path) -> None:
    path = write_plain(tmp_path, "f.json", b'{"list": [{"id": "\xff"}]}')
    with pytest.raises(BadInputError, match="not UTF-8"):
        read(path, "list")


def read_members(path: Path) -> dict[str, Any]:
    return dict(members(SourceFile(path, path.name)))


VALUES = st.recursive(
    st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda values: st.lists(values) | st.dictionaries(TEXTS, values),
    max_leaves=12,
)


@pytest.mark.usefixtures("small_blocks")
@given(expected=st.dictionaries(TEXTS, VALUES, max_size=8), indent=st.sampled_from([None, 1]), ascii_only=st.booleans())
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_the_members_of_an_object_are_those_of_a_whole_parse(
    tmp_path: Path, expected: dict[str, Any], indent: int | None, ascii_only: bool
) -> None:
    path = written(tmp_path, json.dumps(expected, indent=indent, ensure_ascii=ascii_only))
    assert read_members(path) == expected


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("ascii_only", [True, False])
def test_wherever_an_object_is_cut_the_error_says_so(tmp_path: Path, ascii_only: bool) -> None:
    content = {str(number): {"x": 'é "q" }', "n": [-1.5, 2e-9, None, True]} for number in range(6)}
    whole = json.dumps(content, ensure_ascii=ascii_only)
    for length in range(1, len(whole)):
        path = written(tmp_path, whole[:length])
        with pytest.raises(BadInputError, match=r"f\.json: the file is cut short at byte [\d,]+; download it again"):
            read_members(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"[1]", r"not the official JSON file \(it starts with '\[1\]'\)"),
        (b'{"a": 1 "b": 2}', "not valid JSON at byte 8"),
        (b'{"a": oops}', "not valid JSON at byte 6"),
        ('{"é": oops}'.encode(), "not valid JSON at byte 7"),
        (b'{"a": 1} {"b": 2}', "not valid JSON at byte 9"),
        (b'{"a": "\xff"}', "not UTF-8 after byte 0"),
    ],
)
def test_what_is_no_object_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        read_members(write_plain(tmp_path, "f.json", content))
