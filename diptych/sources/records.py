"""Read the records of a JSON file a few at a time, and say precisely which of them is wrong.

The official files are one list of up to a million records inside a small frame. Parsed whole, VQA's annotations take
three quarters of a gigabyte and VisDial's dialogs several; here the list is cut at record borders and parsed in
blocks of a few records, so memory does not grow with the file.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import IO, Any

import orjson

from diptych.errors import BadInputError
from diptych.sources.files import AGAIN, SourceFile

# Small enough that the objects of one block are still in the processor's cache when they are used and freed.
_BLOCK = 1 << 16
_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_FIRST_KEY = re.compile(rb'\s*(\{\s*"[^"\\]*")')


class JsonRecords:
    """The records of one list of a JSON file, in order; `frame` is the rest of the file once they are read.

    `path` leads to the list: `JsonRecords(file, "data", "dialogs")`. A file that is a bare list needs no path, and
    is accepted for a path of one step, since VQA-CP publishes VQA's records so.
    """

    def __init__(self, file: SourceFile, *path: str) -> None:
        self.file = file
        self.path = path
        self.frame: Any = None
        self._before = b""
        self._read = 0
        self._why: json.JSONDecodeError | None = None

    def __iter__(self) -> Iterator[Any]:
        with self.file.open() as stream:
            buffer = self._enter(stream)
            while True:
                found, buffer, closed = self._take(buffer)
                yield from found
                if closed:
                    self._leave(buffer + stream.read())
                    return
                # Doubling keeps a record of many blocks from being looked at once a block.
                block = stream.read(_BLOCK if found else max(_BLOCK, len(buffer)))
                if not block:
                    yield from self._last(buffer)
                    return
                buffer += block

    def _enter(self, stream: IO[bytes]) -> bytes:
        """Read up to the list and return what was read behind its opening bracket."""
        buffer = stream.read(_BLOCK)
        start = buffer.lstrip()[:1]
        if start == b"[" and len(self.path) <= 1:
            return self._split(buffer, buffer.index(b"[") + 1)
        if start != b"{" or not self.path:
            raise self._not_json(buffer)
        opening = re.compile(rb'"%b"\s*:\s*\[' % re.escape(self.path[-1].encode()))
        while not (match := opening.search(buffer)):
            block = stream.read(len(buffer))
            if not block:
                raise self._no_list(buffer)
            buffer += block
        return self._split(buffer, match.end())

    def _split(self, buffer: bytes, start: int) -> bytes:
        self._before = buffer[: start - 1]
        self._read = start
        return buffer[start:]

    def _take(self, buffer: bytes) -> tuple[list[Any], bytes, bool]:
        """The whole records at the start of the buffer, what is left, and whether the list ended."""
        first = _FIRST_KEY.match(buffer)
        if first and (cut := buffer.rfind(first[1], first.end())) > 0:
            records = _parsed(buffer[:cut])
            if records is not None:
                self._read += cut
                return records, buffer[cut:], False
        return self._walk(buffer)

    def _walk(self, buffer: bytes) -> tuple[list[Any], bytes, bool]:
        """Take records one by one: slower, but needs no border and finds the end of the list."""
        text = buffer.decode("utf-8", "surrogateescape")
        records: list[Any] = []
        at = _skip(text, 0)
        closed = text.startswith("]", at) and self._read == len(self._before) + 1
        at += closed
        while not closed:
            try:
                record, end = _DECODER.raw_decode(text, at)
            except json.JSONDecodeError as error:
                self._why = error
                break
            end = _skip(text, end)
            if text[end : end + 1] not in {",", "]"}:
                self._why = json.JSONDecodeError("Expecting ',' delimiter", text, end)
                break
            records.append(record)
            closed = text[end] == "]"
            at = _skip(text, end + 1)
        used = self._bytes_of(text[:at])
        self._read += used
        return records, buffer[used:], closed

    def _bytes_of(self, text: str) -> int:
        try:
            return len(text.encode())
        except UnicodeEncodeError as error:
            raise BadInputError(f"{self.file.where}: not UTF-8 near byte {self._read + error.start:,}") from None

    def _last(self, buffer: bytes) -> Iterator[Any]:
        found, buffer, closed = self._walk(buffer)
        yield from found
        if not closed:
            raise self._broken(buffer)
        self._leave(buffer)

    def _leave(self, after: bytes) -> None:
        """Parse what stood around the list, which also shows that the file is whole."""
        frame = self._before + b"[]" + after
        try:
            self.frame = orjson.loads(frame)
        except orjson.JSONDecodeError as error:
            raise self._at(self._read + error.pos - len(self._before) - 2, error.pos >= len(frame.rstrip())) from None
        inner = self.frame
        for step in self.path if isinstance(inner, dict) else ():
            inner = inner.get(step) if isinstance(inner, dict) else None
        if inner != []:
            raise BadInputError(f"{self.file.where}: no list {'.'.join(self.path)!r} where one belongs")

    def _broken(self, buffer: bytes) -> BadInputError:
        assert self._why is not None
        short = self._why.pos >= len(self._why.doc.rstrip()) or self._why.msg.startswith("Unterminated")
        inside = len(self._why.doc[: self._why.pos].encode("utf-8", "surrogateescape"))
        # `_read` has moved to the start of the broken record, so count from the end of the text instead.
        after = len(self._why.doc.encode("utf-8", "surrogateescape")) - inside
        return self._at(self._read + len(buffer) - after, short)

    def _at(self, position: int, short: bool) -> BadInputError:
        what = "the file is cut short" if short else "the file is not valid JSON"
        return BadInputError(f"{self.file.where}: {what} at byte {position:,}; {AGAIN}")

    def _no_list(self, buffer: bytes) -> BadInputError:
        try:
            found = orjson.loads(buffer)
        except orjson.JSONDecodeError as error:
            return self._at(error.pos, error.pos >= len(buffer.rstrip()))
        keys = ", ".join(map(repr, found)) or "nothing"
        return BadInputError(f"{self.file.where}: no list {'.'.join(self.path)!r}; the file has {keys}")

    def _not_json(self, buffer: bytes) -> BadInputError:
        if not buffer.strip():
            return BadInputError(f"{self.file.where}: the file is empty; {AGAIN}")
        start = buffer.lstrip()[:20].decode("utf-8", "replace")
        return BadInputError(f"{self.file.where}: not the official JSON file (it starts with {start!r}); {AGAIN}")


def _parsed(records: bytes) -> list[Any] | None:
    # A run of whole records parses and nothing else does: a cut inside a record or a string leaves it open.
    records = records.rstrip()
    if not records.endswith(b","):
        return None
    try:
        parsed: list[Any] = orjson.loads(b"[%b]" % records[:-1])
    except orjson.JSONDecodeError:
        return None
    return parsed


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


Complain = Callable[[object, str], BadInputError]
"""Makes the error for a record from what is wrong with it."""


def complainer(file: SourceFile, kind: str, id_name: str) -> Complain:
    """Errors that name the file and the record: by its id, or by how it begins where it has none."""

    def complain(record: object, what: str) -> BadInputError:
        known = record.get(id_name) if isinstance(record, dict) else None
        label = known if isinstance(known, int | str) and known != "" else _excerpt(record)
        return BadInputError(f"{file.where}: {kind} {label}: {what}")

    return complain


def _excerpt(record: object) -> str:
    text = orjson.dumps(record).decode("utf-8", "replace")
    return text if len(text) <= 60 else f"{text[:57]}..."


def get_id(record: Any, name: str, complain: Complain) -> str:
    """An id of a record as text; the files hold numbers, and text is accepted too."""
    try:
        value = record[name]
    except (LookupError, TypeError):
        value = get(record, name, complain)
    if type(value) is int:
        return str(value)
    if isinstance(value, str) and value.strip():
        return value
    raise complain(record, f"{name} is {described(value)}, not a number")


def get_text(record: Any, name: str, complain: Complain) -> str:
    """A text of a record, which may not be blank."""
    try:
        value = record[name]
    except (LookupError, TypeError):
        value = get(record, name, complain)
    if not isinstance(value, str):
        raise complain(record, f"{name} is {described(value)}, not text")
    if not value or value.isspace():
        raise complain(record, f"{name} is empty")
    return value


def get_list(record: Any, name: str, complain: Complain) -> list[Any]:
    """A list of a record, which may be empty."""
    value = get(record, name, complain)
    if not isinstance(value, list):
        raise complain(record, f"{name} is {described(value)}, not a list")
    return value


def get(record: Any, name: str, complain: Complain) -> Any:
    """A field of a record that must be there."""
    try:
        return record[name]
    except KeyError:
        raise complain(record, f"{name} is missing") from None
    except (TypeError, IndexError):
        raise complain(record, f"it is {described(record)}, not an object") from None


_KINDS = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}


def described(value: object) -> str:
    """What a JSON value is, in words.

    >>> described(3.5), described(None), described([])
    ('a number', 'null', 'a list')
    """
    if value == "":
        return "empty"
    return _KINDS.get(type(value), "null")


def by_number(record_id: str) -> tuple[int, str]:
    """A sort key that puts ids in the order of their numbers, though they are text.

    >>> sorted(["10", "9", "100"], key=by_number)
    ['9', '10', '100']
    """
    return len(record_id), record_id
