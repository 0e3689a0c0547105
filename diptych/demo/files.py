"""JSON files written entry by entry, so that a world of any size needs little memory."""

from pathlib import Path
from types import TracebackType
from typing import Any

import orjson

_BUFFER = 1 << 18


class JsonFile:
    """A JSON list or object, open for adding entries; `head` and `tail` are what stands around them."""

    def __init__(self, path: Path, head: bytes = b"[", tail: bytes = b"]\n") -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("wb", buffering=_BUFFER)
        self._file.write(head)
        self._between = b"\n"
        self.tail = tail
        self.entries = 0

    @classmethod
    def around(cls, path: Path, record: dict[str, Any], slot: str) -> "JsonFile":
        """A file that is one record with a list of entries in its last field, `slot`."""
        return cls(path, orjson.dumps(record)[:-1] + b',"' + slot.encode() + b'":[', b"]}\n")

    @classmethod
    def keyed(cls, path: Path) -> "JsonFile":
        """A file that is one JSON object."""
        return cls(path, b"{", b"}\n")

    def add(self, entry: bytes) -> None:
        """Add an entry that is JSON already."""
        self._file.write(self._between + entry)
        self._between = b",\n"
        self.entries += 1

    def add_all(self, entries: list[bytes]) -> None:
        """Add several entries at once."""
        if entries:
            self._file.write(self._between + b",\n".join(entries))
            self._between = b",\n"
            self.entries += len(entries)

    def add_keyed(self, key: str, value: object) -> None:
        """Add an entry of a JSON object."""
        self.add(b'"' + key.encode() + b'":' + orjson.dumps(value))

    def __enter__(self) -> "JsonFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.write(b"\n" + self.tail)
        self._file.close()
