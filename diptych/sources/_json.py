"""Read a large JSON file a few records at a time, and say precisely where it is broken.

The official files are one list of up to a million records inside a small frame, or one object with a member per image.
Parsed whole, VQA's annotations take three quarters of a gigabyte and VisDial's dialogs several; here a file is cut at
record borders and parsed in blocks of a few records, so that memory does not grow with it.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

import orjson

from diptych.errors import BadInputError
from diptych.sources._files import DOWNLOAD_AGAIN, HashedContent, SourceFile

# Small enough that the objects of one block are still in the processor's cache when they are used and freed.
_BLOCK = 1 << 16
_DECODER = json.JSONDecoder()
_SPACES = " \t\r\n"
_SPACE = re.compile(rf"[{_SPACES}]*")
_PARTIAL_TOKEN = re.compile(r"(?:-|\.\d*|[eE][-+]?|tr?u?|fa?l?s?|nu?l?|u[\da-fA-F]{0,4})?")
_FIRST_KEY = re.compile(rf'[{_SPACES}]*(\{{[{_SPACES}]*"[^"\\]*")')


class JsonRecords:
    """The records of one list of a JSON file, in order; `frame` is the rest of the file, as far as it is read.

    `path` leads to the list: `JsonRecords(file, "data", "dialogs")`. A file that is a bare list needs no path, and
    is accepted for a path of one step, since VQA-CP publishes VQA's records in that form.
    """

    def __init__(self, file: SourceFile, *path: str) -> None:
        self.file = file
        self.path = path
        self.frame: dict[str, Any] = {}

    def __iter__(self) -> Iterator[Any]:
        self.frame = {}
        with self.file.open() as stream:
            text = _Text(self.file, stream)
            if self.path and text.peek() == "{":
                yield from self._find(text, self.frame, self.path)
                self._check_frame()
            elif text.peek() == "[" and len(self.path) <= 1:
                yield from text.records()
            else:
                raise text.not_official()
            text.check_end()

    def _find(self, text: "_Text", frame: dict[str, Any], path: tuple[str, ...]) -> Iterator[Any]:
        """The records that a path leads to from an object; its other members become the frame."""
        for key in text.iter_keys():
            opening = text.peek() if key == path[0] and key not in frame else ""
            if opening == "[" and len(path) == 1:
                frame[key] = []
                yield from text.records()
                text.take(",}")
            elif opening == "{" and len(path) > 1:
                frame[key] = {}
                yield from self._find(text, frame[key], path[1:])
                text.take(",}")
            else:
                frame[key] = text.value(",}")

    def _check_frame(self) -> None:
        value: Any = self.frame
        for step in self.path:
            value = value.get(step) if isinstance(value, dict) else None
        if value != []:
            keys = ", ".join(map(repr, self.frame)) or "nothing"
            raise BadInputError(f"{self.file.where}: no list {'.'.join(self.path)!r}; the file has {keys}")


def members(file: SourceFile) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of a file that is one JSON object, in order, without ever holding all of them."""
    with file.open() as stream:
        text = _Text(file, stream)
        if text.peek() != "{":
            raise text.not_official()
        for key in text.iter_keys():
            yield key, text.value(",}")
        text.check_end()


class _Text:
    """The text of a JSON file from some place on; more of it is read where a value is not complete."""

    def __init__(self, file: SourceFile, stream: HashedContent) -> None:
        self._file, self._stream = file, stream
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        # What is read and not forgotten, the place in it, and the bytes of the file that precede it.
        self._text, self._start, self._position = "", 0, 0
        self._may_have_run = False
        self._last = ""  # the last character outside of values: a bracket, a comma or a colon

    def peek(self) -> str:
        """The next character that is no space; empty at the end of the file."""
        while True:
            self._start = _skip_space(self._text, self._start)
            if self._start < len(self._text) or not self._read_on():
                return self._text[self._start : self._start + 1]

    def take(self, characters: str) -> None:
        """Go past the next character that is no space, which must be one of these."""
        self._last = self.peek()
        if not self._last or self._last not in characters:
            raise self._broken(self._start, is_short=not self._last)
        self._start += 1

    def value(self, followers: str) -> Any:
        """The next value; go past it and what follows it, which must be one of these characters.

        The standard library finds where a value ends, and orjson, which decodes all others, says what it is: no value
        may depend on how a file falls into blocks. It refuses lone surrogates, NaN, and what is nested too deeply.
        """
        while True:
            start = _skip_space(self._text, self._start)
            try:
                _, end = _DECODER.raw_decode(self._text, start)
                value = orjson.loads(self._text[start:end])
                end = _skip_space(self._text, end)
                if end == len(self._text) or self._text[end] not in followers:
                    raise json.JSONDecodeError(f"Expecting {followers!r}", self._text, end)
            except orjson.JSONDecodeError as error:
                raise self._refused(start, error.msg) from None
            except json.JSONDecodeError as error:
                if not self._read_on():  # otherwise the value may go on in the next block
                    raise self._broken(error.pos, _is_short(error)) from None
            except RecursionError:
                raise self._refused(start, "nested too deeply") from None
            except ValueError:
                raise self._refused(start, "a number of too many digits") from None
            else:
                self._start, self._last = end + 1, self._text[end]
                return value

    def iter_keys(self) -> Iterator[str]:
        """The keys of the object that begins here; whoever gets one takes its value and what follows that."""
        self.take("{")
        if self.peek() == "}":
            self.take("}")
        while self._last != "}":
            yield str(self.value(":"))

    def records(self) -> Iterator[Any]:
        """The values of the list that begins here."""
        self.take("[")
        if self.peek() == "]":
            self.take("]")
        while self._last != "]":
            if run := self._parse_run():
                yield from run
                self._read_on()
            else:
                yield self.value(",]")

    def _parse_run(self) -> list[Any]:
        """The records up to the last one that begins in the text, or none: tried once per block, and much faster."""
        match = _FIRST_KEY.match(self._text, self._start) if self._may_have_run else None
        border = self._text.rfind(match[1], match.end()) if match else -1
        content = self._text[self._start : max(self._start, border)].rstrip(_SPACES)
        try:
            # A run of complete records parses and nothing else does: a cut inside a record or a string leaves it open.
            records: list[Any] = orjson.loads(f"[{content[:-1]}]") if content.endswith(",") else []
        except orjson.JSONDecodeError:
            records = []
        self._may_have_run = False
        self._start = border if records else self._start
        return records

    def _read_on(self) -> bool:
        """Read another block and forget what is behind; False at the end of the file."""
        # Doubling keeps a record of many blocks from being parsed once per block.
        block = self._stream.read(max(_BLOCK, len(self._text) - self._start))
        if not block:
            return False
        position = self._count_bytes(self._start)
        try:
            self._text = self._text[self._start :] + self._decoder.decode(block)
        except UnicodeDecodeError:
            raise BadInputError(f"{self._file.where}: not UTF-8 after byte {position:,}") from None
        self._start, self._position, self._may_have_run = 0, position, True
        return True

    def check_end(self) -> None:
        """Check that nothing follows."""
        if self.peek() or self._decoder.getstate()[0]:
            raise self._broken(self._start, is_short=False)

    def _count_bytes(self, end: int) -> int:
        return self._position + len(self._text[:end].encode())

    def _broken(self, place: int, is_short: bool) -> BadInputError:
        fault = "is cut short" if is_short else "is not valid JSON"
        return self._error(f"the file {fault} at byte {self._count_bytes(place):,}")

    def _refused(self, place: int, reason: str) -> BadInputError:
        return self._error(f"the record at byte {self._count_bytes(place):,} cannot be read: {reason}")

    def not_official(self) -> BadInputError:
        """The error for a file that begins with something else."""
        start = self._text[self._start : self._start + 20]
        return self._error(f"not the official JSON file (it starts with {start!r})" if start else "the file is empty")

    def _error(self, fault: str) -> BadInputError:
        return BadInputError(f"{self._file.where}: {fault}; {DOWNLOAD_AGAIN}")


def _skip_space(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    return match.end() if match else start


def _is_short(error: json.JSONDecodeError) -> bool:
    is_partial = _PARTIAL_TOKEN.fullmatch(error.doc[error.pos :].rstrip())
    return is_partial is not None or error.msg.startswith("Unterminated")
