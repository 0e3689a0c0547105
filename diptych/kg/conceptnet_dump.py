"""ConceptNet's assertions dump, read in blocks of Arrow columns: what is wanted of it, and what is malformed in it."""

import io
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import IO

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json

from diptych.errors import BadInputError
from diptych.progress import Advance
from diptych.sources import SourceFile

_BLOCK = 1 << 23
_NAMED = 5
_COLUMNS = ["uri", "relation", "head", "tail", "about"]
_ABOUT = pa.schema([("weight", pa.float64()), ("surfaceStart", pa.string()), ("surfaceEnd", pa.string())])


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

    def complain(self, what: str) -> None:
        """Count a malformed line and remember the first few."""
        self.malformed += 1
        if len(self.named) < _NAMED:
            self.named.append(what)


class _ReadAhead(io.RawIOBase):
    """A stream whose next block is decompressed while the last one is looked at."""

    def __init__(self, stream: IO[bytes], aside: Executor) -> None:
        self._stream, self._aside = stream, aside
        self._next = aside.submit(stream.read, _BLOCK)
        self._left = b""

    def readable(self) -> bool:
        """It can be read."""
        return True

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes: at most so many, none at the end."""
        if not self._left:
            self._left = self._next.result()
            self._next = self._aside.submit(self._stream.read, _BLOCK)
        taken, self._left = (self._left, b"") if size < 0 else (self._left[:size], self._left[size:])
        return taken


def read_blocks(file: SourceFile, seen: Seen, advance: Advance) -> Iterator[pa.RecordBatch]:
    """The rows, some thousands at a time; progress counts the bytes on disk as far as that can be told."""

    def bad(row: pa.csv.InvalidRow) -> str:
        if row.text.strip():
            seen.complain(f"{file.where}: line {row.number:,}: {row.actual_columns} cells, not {row.expected_columns}")
        return "skip"

    told = 0
    with file.open() as stream, ThreadPoolExecutor(1) as aside:
        raw = getattr(getattr(stream, "fileobj", None), "tell", None) or stream.tell
        try:
            reader = pa.csv.open_csv(
                _ReadAhead(stream, aside),
                pa.csv.ReadOptions(column_names=_COLUMNS, block_size=_BLOCK, use_threads=False),
                pa.csv.ParseOptions(delimiter="\t", quote_char=False, invalid_row_handler=bad),
                pa.csv.ConvertOptions(column_types=dict.fromkeys(_COLUMNS, pa.binary()), include_columns=_COLUMNS[1:]),
            )
        except pa.ArrowInvalid as error:
            raise BadInputError(f"{file.where}: not ConceptNet's dump: {str(error).splitlines()[0]}") from None
        for block in reader:
            yield block
            seen.lines += len(block)
            now = min(raw(), file.size)
            advance(now - told)
            told = now
    seen.lines += seen.malformed
    advance(file.size - told)


def is_wanted(block: pa.RecordBatch, wanted: Wanted) -> pa.Array:
    """Which rows of a block are kept by their languages and relation."""
    kept = pc.and_(*(_in_languages(block[end], wanted.languages) for end in ("head", "tail")))
    if wanted.relations:
        names = pa.array([f"/r/{name.removeprefix('/r/')}".encode() for name in wanted.relations], pa.binary())
        kept = pc.and_(kept, pc.is_in(block["relation"], names))
    return kept


def _in_languages(column: pa.Array, languages: tuple[str, ...]) -> pa.Array:
    kept = pc.starts_with(column, f"/c/{languages[0]}/")
    for language in languages[1:]:
        kept = pc.or_(kept, pc.starts_with(column, f"/c/{language}/"))
    return kept


def read_about(file: SourceFile, block: pa.RecordBatch, seen: Seen) -> tuple[pa.RecordBatch, pa.Table]:
    """Weight and surfaces from the last column; a row whose JSON is broken is counted and left out."""
    if not len(block):
        return block, _ABOUT.empty_table()
    try:
        return block, _weighed(_parsed(_lines(block["about"]), len(block)))
    except pa.ArrowInvalid:
        pass
    texts = block["about"].to_pylist()
    good = [_is_sound(text) for text in texts]
    for uri, fine in zip(block["head"].to_pylist(), good, strict=True):
        if not fine:
            seen.complain(f"{file.where}: an edge of {uri.decode('utf-8', 'replace')}: its last cell is not its JSON")
    kept = [text for text, fine in zip(texts, good, strict=True) if fine]
    about = _weighed(_parsed(pa.py_buffer(b"\n".join(kept)), len(kept))) if kept else _ABOUT.empty_table()
    return block.filter(pa.array(good)), about


def _lines(column: pa.Array) -> pa.Buffer:
    """The texts of a column, one a line, without a Python object for each."""
    return contents(pc.binary_join_element_wise(column, b"\n", b""))


def contents(texts: pa.Array) -> pa.Buffer:
    """The bytes of all texts of a column, one after the other."""
    joined = texts.cast(pa.large_binary())
    offsets = np.frombuffer(joined.buffers()[1], "<i8")[joined.offset : joined.offset + len(joined) + 1]
    return joined.buffers()[2].slice(int(offsets[0]), int(offsets[-1] - offsets[0]))


def _parsed(lines: pa.Buffer, count: int) -> pa.Table:
    options = pa.json.ParseOptions(explicit_schema=_ABOUT, unexpected_field_behavior="ignore")
    table = pa.json.read_json(
        pa.BufferReader(lines), pa.json.ReadOptions(use_threads=False, block_size=lines.size + 1), options
    )
    if len(table) != count:
        raise pa.ArrowInvalid("an empty cell")
    return table


def _weighed(about: pa.Table) -> pa.Table:
    return about.set_column(0, "weight", pc.fill_null(about["weight"], 1.0))


def _is_sound(text: bytes) -> bool:
    try:
        facts = orjson.loads(text)
        return (
            isinstance(facts, dict)
            and isinstance(facts.get("weight", 1.0), int | float)
            and all(isinstance(facts.get(key) or "", str) for key in ("surfaceStart", "surfaceEnd"))
            and b"\n" not in text
        )
    except orjson.JSONDecodeError:
        return False
