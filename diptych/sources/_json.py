"""Read a large JSON file a few records at a time, and say precisely where it is broken.

The official files are one list of up to a million records inside a small frame, or one object with a member per image.
Parsed whole, VQA's annotations take three quarters of a gigabyte and VisDial's dialogs several; here a file is cut at
record borders and parsed in blocks of a few records, so that memory does not grow with it.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import IO, Any

import orjson

from diptych.errors import BadInputError
from diptych.sources._files import DOWNLOAD_AGAIN, SourceFile

# Small enough that the objects of one block are still in the processor's cache when they are used and freed.
_BLOCK = 1 << 16
# A member is parsed anew with every block that it needs, so these are larger.
_MEMBER_BLOCK = 1 << 22
_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_PARTIAL_TOKEN = re.compile(r"(?:-|\.\d*|[eE][-+]?|tr?u?|fa?l?s?|nu?l?|u[\da-fA-F]{0,4})?")
_FIRST_KEY = re.compile(rb'\s*(\{\s*"[^"\\]*")')


class JsonRecords:
    """The records of one list of a JSON file, in order; `frame` is the rest of the file once they are read.

    `path` leads to the list: `JsonRecords(file, "data", "dialogs")`. A file that is a bare list needs no path, and
    is accepted for a path of one step, since VQA-CP publishes VQA's records in that form.
    """

    def __init__(self, file: SourceFile, *path: str) -> None:
        self.file = file
        self.path = path
        self.frame: Any = None
        self._head = b""
        self._position = 0
        self._error: json.JSONDecodeError | None = None

    def __iter__(self) -> Iterator[Any]:
        with self.file.open() as stream:
            buffer = self._find_list(stream)
            while True:
                records, buffer, is_end = self._parse(buffer)
                yield from records
                if is_end:
                    self._parse_frame(buffer + stream.read())
                    return
                # Doubling keeps a record of many blocks from being parsed once per block.
                block = stream.read(_BLOCK if records else max(_BLOCK, len(buffer)))
                if not block:
                    yield from self._parse_last(buffer)
                    return
                buffer += block

    def head(self) -> Any:
        """Return the frame without what follows the list; it is known as soon as the first record is read."""
        try:
            return orjson.loads(self._head + b"[]" + b"}" * len(self.path))
        except orjson.JSONDecodeError:
            return None

    def _find_list(self, stream: IO[bytes]) -> bytes:
        """Read up to the list and return the bytes behind its opening bracket."""
        buffer = stream.read(_BLOCK)
        first = buffer.lstrip()[:1]
        is_bare_list = first == b"[" and len(self.path) <= 1
        if not is_bare_list and (first != b"{" or not self.path):
            raise _not_official(self.file, buffer)
        key = b"" if is_bare_list else rb'"%b"\s*:\s*' % re.escape(self.path[-1].encode())
        bracket = re.compile(key + rb"\[")
        while not (match := bracket.search(buffer)):
            block = stream.read(len(buffer))
            if not block:
                raise self._no_list(buffer)
            buffer += block
        self._head = buffer[: match.end() - 1]
        self._position = match.end()
        return buffer[match.end() :]

    def _parse(self, buffer: bytes) -> tuple[list[Any], bytes, bool]:
        """The complete records at the start of the buffer, the remaining bytes, and whether the list ended."""
        match = _FIRST_KEY.match(buffer)
        if match and (border := buffer.rfind(match[1], match.end())) > 0:
            records = _parse_run(buffer[:border])
            if records is not None:
                self._position += border
                return records, buffer[border:], False
        return self._parse_singly(buffer)

    def _parse_singly(self, buffer: bytes) -> tuple[list[Any], bytes, bool]:
        """Parse record by record: slower, but needs no border and finds the end of the list."""
        text = buffer.decode("utf-8", "surrogateescape")
        records: list[Any] = []
        start = _skip_space(text, 0)
        is_end = text.startswith("]", start) and self._position == len(self._head) + 1
        start += is_end
        while not is_end:
            try:
                record, end = _decode_value(text, start)
                end = _expect(text, end, ",]")
            except json.JSONDecodeError as error:
                self._error = error
                break
            except _RefusedValueError as error:
                raise _refused(self.file, self._position + self._count_bytes(text[:start]), error) from None
            records.append(record)
            is_end = text[end] == "]"
            start = _skip_space(text, end + 1)
        size = self._count_bytes(text[:start])
        self._position += size
        return records, buffer[size:], is_end

    def _count_bytes(self, text: str) -> int:
        try:
            return len(text.encode())
        except UnicodeEncodeError as error:
            raise BadInputError(f"{self.file.where}: not UTF-8 near byte {self._position + error.start:,}") from None

    def _parse_last(self, buffer: bytes) -> Iterator[Any]:
        records, buffer, is_end = self._parse_singly(buffer)
        yield from records
        if not is_end:
            assert self._error is not None
            # `_position` is the start of the broken record, so count from the end of the text.
            size = len(self._error.doc[self._error.pos :].encode("utf-8", "surrogateescape"))
            raise _broken(self.file, self._position + len(buffer) - size, _is_short(self._error))
        self._parse_frame(buffer)

    def _parse_frame(self, tail: bytes) -> None:
        """Parse what surrounds the list, which also shows that the file is complete."""
        frame = self._head + b"[]" + tail
        try:
            self.frame = orjson.loads(frame)
        except orjson.JSONDecodeError as error:
            position = self._position + error.pos - len(self._head) - 2
            raise _broken(self.file, position, error.pos >= len(frame.rstrip())) from None
        value = self.frame
        for step in self.path if isinstance(value, dict) else ():
            value = value.get(step) if isinstance(value, dict) else None
        if value != []:
            raise BadInputError(f"{self.file.where}: no list {'.'.join(self.path)!r} where one belongs")

    def _no_list(self, buffer: bytes) -> BadInputError:
        try:
            content = orjson.loads(buffer)
        except orjson.JSONDecodeError as error:
            return _broken(self.file, error.pos, error.pos >= len(buffer.rstrip()))
        keys = ", ".join(map(repr, content)) or "nothing"
        return BadInputError(f"{self.file.where}: no list {'.'.join(self.path)!r}; the file has {keys}")


def members(file: SourceFile) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of a file that is one JSON object, in order, without ever holding all of them."""
    with file.open() as stream:
        decoder = codecs.getincrementaldecoder("utf-8")()
        block = stream.read(_MEMBER_BLOCK)
        if block.lstrip()[:1] != b"{":
            raise _not_official(file, block)
        position = 0
        text = _decode(decoder, block, file, position)
        start = _skip_space(text, text.index("{") + 1)
        is_end = text[start : start + 1] == "}"
        end = start
        while not is_end:
            try:
                key, value, end = _parse_member(text, start)
            except _RefusedValueError as error:
                raise _refused(file, position + len(text[:start].encode()), error) from None
            except json.JSONDecodeError as error:
                position += len(text[:start].encode())
                block = stream.read(max(_MEMBER_BLOCK, len(text) - start))
                if not block:
                    size = len(text[start : error.pos].encode())
                    raise _broken(file, position + size, _is_short(error)) from None
                text = text[start:] + _decode(decoder, block, file, position)
                start = _skip_space(text, 0)
                continue
            yield key, value
            is_end = text[end] == "}"
            start = _skip_space(text, end + 1)
        if text[end + 1 :].strip() or stream.read().strip():
            raise _broken(file, position + len(text[: end + 1].encode()), False)


def _decode(decoder: codecs.IncrementalDecoder, block: bytes, file: SourceFile, position: int) -> str:
    try:
        return decoder.decode(block)
    except UnicodeDecodeError:
        raise BadInputError(f"{file.where}: not UTF-8 after byte {position:,}") from None


def _parse_member(text: str, start: int) -> tuple[str, Any, int]:
    """The next key and value, and the position of the comma or brace behind them."""
    key, end = _decode_value(text, start)
    value, end = _decode_value(text, _skip_space(text, _expect(text, end, ":") + 1))
    return str(key), value, _expect(text, end, ",}")


class _RefusedValueError(Exception):
    """A value that is complete and cannot be used."""


def _decode_value(text: str, start: int) -> tuple[Any, int]:
    """The value at a position, and the position behind it.

    The standard library finds where a value ends, and orjson, which decodes all others, says what it is: no value may
    depend on how a file falls into blocks. It refuses lone surrogates, NaN, and what is nested too deeply.
    """
    try:
        _, end = _DECODER.raw_decode(text, start)
        return orjson.loads(text[start:end].encode()), end
    except orjson.JSONDecodeError as error:
        raise _RefusedValueError(error.msg) from None
    except json.JSONDecodeError:
        raise  # the value may go on in the next block
    except UnicodeEncodeError:
        raise _RefusedValueError("it is not UTF-8") from None
    except RecursionError:
        raise _RefusedValueError("nested too deeply") from None
    except ValueError:
        raise _RefusedValueError("a number of too many digits") from None


def _parse_run(content: bytes) -> list[Any] | None:
    # A run of complete records parses and nothing else does: a cut inside a record or a string leaves it open.
    content = content.rstrip()
    if not content.endswith(b","):
        return None
    try:
        records: list[Any] = orjson.loads(b"[%b]" % content[:-1])
    except orjson.JSONDecodeError:
        return None
    return records


def _expect(text: str, start: int, characters: str) -> int:
    """The position of the next character that is no space, which must be one of these."""
    position = _skip_space(text, start)
    if position >= len(text) or text[position] not in characters:
        raise json.JSONDecodeError(f"Expecting {characters!r}", text, position)
    return position


def _skip_space(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    return match.end() if match else start


def _is_short(error: json.JSONDecodeError) -> bool:
    is_partial = _PARTIAL_TOKEN.fullmatch(error.doc[error.pos :].rstrip())
    return is_partial is not None or error.msg.startswith("Unterminated")


def _broken(file: SourceFile, position: int, is_short: bool) -> BadInputError:
    fault = "is cut short" if is_short else "is not valid JSON"
    return BadInputError(f"{file.where}: the file {fault} at byte {position:,}; {DOWNLOAD_AGAIN}")


def _refused(file: SourceFile, position: int, error: _RefusedValueError) -> BadInputError:
    return BadInputError(f"{file.where}: the record at byte {position:,} cannot be read: {error}; {DOWNLOAD_AGAIN}")


def _not_official(file: SourceFile, content: bytes) -> BadInputError:
    if not content.strip():
        return BadInputError(f"{file.where}: the file is empty; {DOWNLOAD_AGAIN}")
    start = content.lstrip()[:20].decode("utf-8", "replace")
    return BadInputError(f"{file.where}: not the official JSON file (it starts with {start!r}); {DOWNLOAD_AGAIN}")
