"""ConceptNet's assertions dump as lines cut into cells, thousands at a time: the wanted ones, and the malformed."""

import zlib
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import IO

import numpy as np

from diptych.errors import BadInputError
from diptych.kg.byte_columns import PADDING, Bools, Ints, Page, contents
from diptych.progress import Advance
from diptych.sources import DOWNLOAD_AGAIN, SourceFile

CELLS = 5
BLOCK = 1 << 21
"""Bytes of the dump that are looked at together."""
_SIP = 1 << 16  # read at a time: more would leave the processor's cache
_GZIP = 16 + zlib.MAX_WBITS
_LONGEST_LINE = 1 << 26
_NAMED = 5
_SMALL_PART = 4
_TAB, _NEWLINE = b"\t\n"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of the dump is kept."""

    languages: tuple[str, ...] = ("en",)
    relations: tuple[str, ...] = ()
    """Relation names without `/r/`; none means all."""
    least_weight: float = 0.0


ENGLISH = Wanted()
"""All English edges."""


@dataclass(slots=True)
class Seen:
    """How many lines were read, kept and found malformed; the first few malformed ones are named."""

    lines: int = 0
    kept: int = 0
    malformed: int = 0
    named: list[str] = field(default_factory=list)

    def complain(self, where: str, line: int, what: str) -> None:
        """Count a malformed line and remember the first few."""
        self.malformed += 1
        if len(self.named) < _NAMED:
            self.named.append(f"{where}: line {line:,}: {what}")


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of the dump on one page: where their cells end, and their numbers in the file."""

    page: Page
    ends: Ints
    """A row a line: the place after each of its cells."""
    numbers: Ints
    clean: bool = True
    """Whether the page has no control characters but those between cells and lines."""

    def __len__(self) -> int:
        return len(self.numbers)

    def cell(self, column: int) -> tuple[Ints, Ints]:
        """Where the cells of a column start and end, for every column but the first."""
        return self.ends[:, column - 1] + 1, self.ends[:, column]

    def select(self, chosen: Bools) -> "Lines":
        """Some of the lines; the page stays as it is."""
        return self if chosen.all() else replace(self, ends=self.ends[chosen], numbers=self.numbers[chosen])

    def by_themselves(self) -> "Lines":
        """The lines on a page of their own, without their first cells, where they are but a small part of theirs."""
        starts, ends = self.ends[:, 0], self.ends[:, -1] + 1
        sizes = ends - starts
        if sizes.sum() > len(self.page.buffer) // _SMALL_PART:
            return self
        moved = np.cumsum(sizes) - sizes - starts
        return replace(
            self, page=Page(contents(self.page.texts(starts, ends)) + PADDING), ends=self.ends + moved[:, None]
        )


def read_lines(file: SourceFile, wanted: Wanted, seen: Seen, advance: Advance, block: int = BLOCK) -> Iterator[Lines]:
    """The wanted lines; progress counts the bytes on disk as far as that can be told."""
    sound = 0
    with closing(_whole_lines(file, advance, block)) as pages:
        for text in pages:
            lines = _cut(file, text, seen)
            lines = lines.select(_is_sound(file, lines, seen))
            sound += len(lines)
            lines = lines.select(_is_wanted(lines, wanted))
            if len(lines):
                lines = lines.by_themselves()
                yield lines.select(_is_text(file, lines, seen))
    if not sound:
        why = f"no line is one; {seen.named[0].removeprefix(f'{file.where}: ')}" if seen.named else "it is empty"
        raise BadInputError(f"{file.where}: not ConceptNet's dump: {why}")


def _whole_lines(file: SourceFile, advance: Advance, size: int) -> Generator[bytes, None, None]:
    """The dump in pieces that end with a line, and their padding."""
    told = 0
    rest: list[bytes] = []
    for sips, at in _read_ahead(file, size):
        for last in range(len(sips) - 1, -1, -1):
            if cut := sips[last].rfind(b"\n") + 1:
                yield b"".join((*rest, *sips[:last], memoryview(sips[last])[:cut], PADDING))
                rest = [sips[last][cut:], *sips[last + 1 :]]
                break
        else:
            rest += sips
        if sum(map(len, rest)) > _LONGEST_LINE:
            raise BadInputError(f"{file.where}: not ConceptNet's dump: a line of more than {_LONGEST_LINE:,} bytes")
        advance(at - told)
        told = at
    if any(rest):
        yield b"".join((*rest, b"\n", PADDING))
    advance(file.size - told)


def _read_ahead(file: SourceFile, size: int) -> Iterator[tuple[list[bytes], int]]:
    """So much of the dump, in sips, and how far into the file that leads; the next is read while one is looked at."""
    with closing(_inflated(file) if file.format == "gz" else _opened(file)) as sips, ThreadPoolExecutor(1) as aside:

        def read() -> tuple[list[bytes], int]:
            found: list[bytes] = []
            held = at = 0
            while held < size and (sip := next(sips, None)):
                found.append(sip[0])
                held, at = held + len(sip[0]), sip[1]
            return found, at

        ahead = aside.submit(read)
        while (piece := ahead.result())[0]:
            ahead = aside.submit(read)
            yield piece


def _opened(file: SourceFile) -> Generator[tuple[bytes, int], None, None]:
    with file.open() as stream:
        while sip := stream.read(_SIP):
            yield sip, min(stream.tell(), file.size)


def _inflated(file: SourceFile) -> Generator[tuple[bytes, int], None, None]:
    """A .gz file; without the layers of the standard reader a fifth of its time is saved."""
    done = 0
    try:
        with file.path.open("rb") as raw:
            for sip in _members(raw):
                done += len(sip)
                yield sip, raw.tell()
    except EOFError:
        raise BadInputError(f"{file.where}: the file is cut short (after {done:,} bytes); {DOWNLOAD_AGAIN}") from None
    except zlib.error as error:
        why = f"the file is damaged, or no .gz file: {error}"
        raise BadInputError(f"{file.where}: {why} (after {done:,} bytes); {DOWNLOAD_AGAIN}") from None
    except OSError as error:
        raise BadInputError(f"{file.where}: cannot be read: {error.strerror}") from None


def _members(raw: IO[bytes]) -> Iterator[bytes]:
    """The content of a .gz file, which may be several behind one another."""
    inflate = None
    while data := raw.read(_SIP):
        while data:
            inflate = inflate or zlib.decompressobj(_GZIP)
            if sip := inflate.decompress(data):
                yield sip
            data = inflate.unused_data.lstrip(b"\0")
            inflate = None if inflate.eof else inflate
    if inflate:
        raise EOFError


def _cut(file: SourceFile, text: bytes, seen: Seen) -> Lines:
    """All lines of a text that have five cells; the others are counted and named, empty ones passed over."""
    page = Page(text)
    first = seen.lines + 1
    places = page.controls()
    ends = places.reshape(-1, CELLS) if len(places) % CELLS == 0 else places[:0].reshape(0, CELLS)
    if len(ends) and (page.octets.take(ends) == (_TAB,) * (CELLS - 1) + (_NEWLINE,)).all():
        seen.lines += len(ends)
        return Lines(page, ends, np.arange(first, first + len(ends)))
    return _cut_one_by_one(file, text[: -len(PADDING)], seen)


def _cut_one_by_one(file: SourceFile, text: bytes, seen: Seen) -> Lines:
    good: list[bytes] = []
    numbers: list[int] = []
    for number, line in enumerate(text[:-1].split(b"\n"), start=seen.lines + 1):
        if (cells := line.count(b"\t") + 1) == CELLS:
            good.append(line + b"\n")
            numbers.append(number)
        elif line.strip():
            seen.complain(file.where, number, f"{cells} cells, not {CELLS}")
    seen.lines += text.count(b"\n")
    page = Page(b"".join((*good, PADDING)))
    octets = page.octets[: -len(PADDING)]
    ends = np.flatnonzero((octets == _TAB) | (octets == _NEWLINE)).reshape(-1, CELLS)
    return Lines(page, ends, np.array(numbers, np.int64), clean=False)


def _is_sound(file: SourceFile, lines: Lines, seen: Seen) -> Bools:
    """Which lines have a relation and a concept where they should; the others are counted and named."""
    sound = np.ones(len(lines), np.bool_)
    for column, prefix, kind in ((1, b"/r/", "relation"), (2, b"/c/", "concept")):
        starts, ends = lines.cell(column)
        for row in np.flatnonzero(sound & ~lines.page.starts_with(starts, prefix)).tolist():
            sound[row] = False
            cell = lines.page.buffer[starts[row] : ends[row]][:60].decode("utf-8", "replace")
            seen.complain(file.where, int(lines.numbers[row]), f"cell {column + 1}, {cell!r}, is no {kind}")
    return sound


def _is_text(file: SourceFile, lines: Lines, seen: Seen) -> Bools:
    """Which lines are UTF-8; the others are counted and named."""
    sound = np.ones(len(lines), np.bool_)
    if _decodes(lines.page.buffer):
        return sound
    spans = zip(lines.ends[:, 0].tolist(), lines.ends[:, -1].tolist(), strict=True)
    for row, (start, end) in enumerate(spans):
        if not _decodes(lines.page.buffer[start:end]):
            sound[row] = False
            seen.complain(file.where, int(lines.numbers[row]), "not UTF-8")
    return sound


def _decodes(text: bytes) -> bool:
    try:
        return text.isascii() or bool(text.decode("utf-8"))
    except UnicodeDecodeError:
        return False


def _is_wanted(lines: Lines, wanted: Wanted) -> Bools:
    kept = _in_languages(lines, 2, wanted.languages) & _in_languages(lines, 3, wanted.languages)
    if wanted.relations:
        starts, _ = lines.cell(1)
        named = [f"/r/{name.removeprefix('/r/')}\t".encode() for name in wanted.relations]
        kept &= np.logical_or.reduce([lines.page.starts_with(starts, name) for name in named])
    return kept


def _in_languages(lines: Lines, column: int, languages: tuple[str, ...]) -> Bools:
    starts, _ = lines.cell(column)
    found: Bools = np.logical_or.reduce([lines.page.starts_with(starts, f"/c/{name}/".encode()) for name in languages])
    return found
