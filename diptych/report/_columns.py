"""Columns for a browser: packed, compressed and written as text that a page can hold.

What `columns.js` unpacks is a deflated stream: the length of a JSON header (four bytes, little-endian), the header, and
the columns one after the other, each padded to four bytes. The header says of each column where it is and what:

- `text`: texts that are joined by NUL;
- `u1`, `u2`, `u4`: codes, which lead into the texts of another column where `words` names it;
- `hex`: the bytes of hexadecimal ids of equal length.

A column that only some successive rows have begins at the row `start`.
"""

import base64
import re
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_HEX_ID = re.compile(r"(?:[0-9a-f]{2})+")


def visible(text: str) -> str:
    r"""A text in which characters that cannot be seen, or that turn its direction, are shown by their number.

    >>> visible("a\u202eb")
    'a⟨U+202E⟩b'
    """
    return _HIDDEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


class ColumnFile:
    """Columns as they are added, and facts about all of them, for `pack`."""

    def __init__(self, **facts: Any) -> None:
        self._header: dict[str, Any] = {**facts, "columns": {}}
        self._parts: list[bytes] = []
        self._size = 0

    def add_codes(self, name: str, codes: Any, words: str = "", start: int = 0) -> None:
        """Add whole numbers from zero on, which may be places in a column of texts."""
        numbers = np.asarray(codes)
        largest = int(numbers.max()) if len(numbers) else 0
        kind = "u1" if largest < 1 << 8 else "u2" if largest < 1 << 16 else "u4"
        self._add(name, numbers.astype(f"<{kind}").tobytes(), kind=kind, words=words, start=start)

    def add_texts(self, name: str, texts: Iterable[str], start: int = 0) -> None:
        """Add texts as they are."""
        self._add(name, "\0".join(map(visible, texts)).encode(), kind="text", start=start)

    def add_words(self, name: str, texts: Sequence[str], start: int = 0) -> None:
        """Add texts of which many are equal: each once, the most frequent first, and a code for every row."""
        codes, words = rank_words(texts)
        if 2 * len(words) > len(texts):  # hardly anything is repeated
            self.add_texts(name, texts, start)
        else:
            self.add_texts(f"{name}#", words)
            self.add_codes(name, codes, f"{name}#", start)

    def add_ids(self, name: str, ids: Sequence[str]) -> None:
        """Add ids, as bytes where they are hexadecimal numbers of one length."""
        if ids and len({len(text) for text in ids}) == 1 and all(map(_HEX_ID.fullmatch, ids)):
            self._add(name, bytes.fromhex("".join(ids)), kind="hex", width=len(ids[0]) // 2)
        else:
            self.add_texts(name, ids)

    def _add(self, name: str, content: bytes, **facts: Any) -> None:
        self._header["columns"][name] = {"at": [self._size, len(content)], **facts}
        padded = content + b"\0" * (-len(content) % 4)
        self._parts.append(padded)
        self._size += len(padded)

    def pack(self) -> str:
        """Everything as text."""
        header = orjson.dumps(_visible_facts(self._header))
        header += b" " * (-len(header) % 4)
        return base64.b64encode(
            zlib.compress(b"".join([struct.pack("<I", len(header)), header, *self._parts]), 9)
        ).decode()


def _visible_facts(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {visible(str(key)): _visible_facts(part) for key, part in value.items()}
    return [_visible_facts(part) for part in value] if isinstance(value, list | tuple) else value


def rank_words(texts: Sequence[str]) -> tuple[Any, list[str]]:
    """A code for every text, and the distinct texts, the most frequent first.

    >>> codes, words = rank_words(["b", "a", "b"])
    >>> codes.tolist(), words
    ([0, 1, 0], ['b', 'a'])
    """
    encoded = pa.array(texts, pa.string()).dictionary_encode()
    codes, words = encoded.indices.to_numpy(zero_copy_only=False), encoded.dictionary.to_pylist()
    order = np.argsort(-np.bincount(codes, minlength=len(words)), kind="stable")
    ranks = np.empty(len(words), dtype=np.int64)
    ranks[order] = np.arange(len(words))
    return ranks[codes], [words[place] for place in order]
