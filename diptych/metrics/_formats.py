"""Files of predictions in every format that is read, told by their content: our own, and the logs of other tools.

Rows are JSON lines, with or without a header, a JSON array, CSV, TSV, Parquet, the first sheet of an Excel workbook or
the samples of an Inspect log. A row is a prediction of ours, a VQA server result, a sample of lm-eval, lmms-eval or
Inspect, or a row of a VLMEvalKit table. What is not ours becomes an answer by `question_id`, which is `PAIR_ID-SIDE`
where a row names both.
"""

import csv
import json
import re
import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree
from zipfile import ZipFile, ZipInfo
from zlib import crc32

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from diptych.errors import BadInputError
from diptych.files import (
    LARGEST_EXPANSION,
    LARGEST_JSON,
    LARGEST_TEXT,
    LONGEST_LINE,
    SMALL_CONTENT,
    format_bytes,
    read_bounded,
    read_json_lines,
    reading,
)
from diptych.metrics.paired_vqa.columns import SIDES, answer_text, as_texts, first_few, natural_order

BY_PAIR = ("pair_id", *SIDES)
BY_SIDE = ("pair_id", "side", "answer")
BY_QUESTION = ("question_id", "answer")

Row = Mapping[str, Any]
PlacedRows = Iterator[tuple[str, Row]]  # rows with their places, for errors

LARGEST_HEADER = 1_000_000  # bytes of the header of a file of predictions
_HEAD = 4096  # bytes by which the kind of a file is told
_ZSTANDARD = 93  # the number of this compression in an archive, which Python's own reader lacks
_LOCAL_HEADER = struct.Struct("<26xHH")  # what precedes a member of an archive: the lengths of its name and extra field


class RowFormat(NamedTuple):
    """One kind of rows: the columns by which it is told, and how a row becomes an answer by question."""

    name: str
    columns: tuple[str, ...]
    convert: Callable[[Row], Row | None] | None = None  # None where the columns are ours; no row where it says nothing


def read_table(path: Path) -> pa.Table:
    """The predictions in a file as columns of text: by pair, by side or by question; a missing answer is null."""
    with reading(path):
        with path.open("rb") as file:
            head = file.read(_HEAD)
        if head.startswith(b"PAR1"):
            return _read_parquet(path)
        rows = _rows(path, head)
        first = next(rows, None)
        if first is None:
            raise BadInputError(f"{path}: contains no predictions")
        return _as_table(_choose_format(path, first[1]), chain([first], rows))


def read_header(path: Path) -> Row | None:
    """The header of a file of predictions: model, arm, prompt and the like; None where it has none."""
    with reading(path), path.open("rb") as file:
        line = file.readline(LARGEST_HEADER)
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return row if isinstance(row, dict) and is_header(row) else None


def is_header(row: Row) -> bool:
    """Whether a row is the header of a file of predictions, which `diptych predict` writes first."""
    return row.get("diptych") == "predictions"


def _choose_format(path: Path, names: Collection[str]) -> RowFormat:
    """The first format whose columns a row has."""
    for row_format in _FORMATS:
        if set(row_format.columns) <= set(names):
            return row_format
    shape = BY_SIDE if {"side", "answer"} & set(names) else BY_PAIR
    missing = ", ".join(name for name in shape if name not in names)
    formats = "; ".join(f"{', '.join(row_format.columns)} ({row_format.name})" for row_format in _FORMATS)
    own_names = first_few(sorted(str(name) for name in names)) or "none"
    problem = f"{path}: lacks the column {missing}; it has {own_names}"
    raise BadInputError(f"{problem}; predictions are JSON, CSV, TSV, Parquet or Excel rows with {formats}")


def _as_table(row_format: RowFormat, rows: PlacedRows) -> pa.Table:
    names = BY_QUESTION if row_format.convert else row_format.columns
    columns: dict[str, list[str | None]] = {name: [] for name in names}
    for place, row in rows:
        own_row = row_format.convert(row) if row_format.convert else row
        for name, column in columns.items() if own_row is not None else ():
            column.append(_text(place, name, own_row))
    return pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})


def _text(place: str, name: str, row: Row | None) -> str | None:
    value = row.get(name) if row else None
    if isinstance(value, list | dict):
        raise BadInputError(f"{place}: {name} must be text, not {orjson.dumps(value).decode()[:60]}")
    if value is None and name.endswith(("_id", "side")):
        raise BadInputError(f"{place}: no {name}, which identifies the question; the tasks of `diptych export` log it")
    return answer_text(value)


# Rows, by the content of the file.


def _rows(path: Path, head: bytes) -> PlacedRows:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text:
        return iter(())
    if head.startswith(b"PK\x03\x04"):
        return _archive_rows(path)
    if text.startswith(b"["):
        return _list_rows(path, _parse_json(read_bounded(path, LARGEST_JSON)), "row")
    if re.match(rb"\{\s*[\r\n]", text):  # one object over many lines
        return _unfold(path, [(str(path), _parse_json(read_bounded(path, LARGEST_JSON)))])
    if text.startswith(b"{"):
        lines = read_json_lines(path, _parse_json)
        return _unfold(path, ((f"{path}:{number}", row) for number, row in lines if not is_header(row)))
    return _delimited_rows(path, "\t" if b"\t" in text.partition(b"\n")[0] else ",")


def _parse_json(content: bytes) -> Any:
    """JSON, and the NaN that Python's own writer puts into it."""
    try:
        return orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        if not re.search(rb"NaN|Infinity", content):
            raise
        return json.loads(content)


def _unfold(path: Path, rows: Iterable[tuple[str, Row]]) -> PlacedRows:
    """Rows, and the samples of a row that is a whole log of Inspect."""
    for place, row in rows:
        if {"eval", "samples"} <= row.keys():
            yield from _list_rows(path, row["samples"], "sample")
        else:
            yield place, row


def _list_rows(path: Path, rows: Any, kind: str) -> PlacedRows:
    if not isinstance(rows, list):
        raise BadInputError(f"{path}: its {kind}s are not a list")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise BadInputError(f"{path}, {kind} {number}: not a JSON object")
        yield f"{path}, {kind} {number}", row


def _delimited_rows(path: Path, delimiter: str) -> PlacedRows:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, delimiter=delimiter)
        _choose_format(path, reader.fieldnames or [])
        for row in reader:
            yield f"{path}:{reader.line_num}", row


def _read_parquet(path: Path) -> pa.Table:
    row_format = _choose_format(path, pq.read_schema(path).names)
    table = pq.read_table(path, columns=None if row_format.convert else list(row_format.columns))
    table.validate(full=True)
    if row_format.convert:
        return _as_table(row_format, _list_rows(path, table.to_pylist(), "row"))
    return pa.table({name: as_texts(table.column(name)) for name in row_format.columns})


# Archives: logs of Inspect and workbooks.


def _archive_rows(path: Path) -> PlacedRows:
    with ZipFile(path) as archive:
        members = {info.filename: info for info in archive.infolist()}
        unpacked, packed = sum(info.file_size for info in members.values()), path.stat().st_size
        if unpacked > max(SMALL_CONTENT, LARGEST_EXPANSION * packed):
            sizes = f"{format_bytes(packed)} unpack to {format_bytes(unpacked)}"
            raise BadInputError(f"{path}: {sizes}; this is neither a log nor a workbook")
        samples = [info for name, info in members.items() if re.fullmatch(r"samples/.*\.json", name)]
        if "xl/workbook.xml" in members:
            yield from _sheet_rows(path, archive, members)
        elif samples:
            for info in samples:
                content = _parse_json(_read_member(path, archive, info, LONGEST_LINE))
                yield from _list_rows(path, [content], info.filename)
        else:
            raise BadInputError(f"{path}: neither a log of Inspect, with samples/, nor an Excel workbook")


def _read_member(path: Path, archive: ZipFile, info: ZipInfo, limit: int) -> bytes:
    """A member of an archive that is not larger than it should be."""
    place = f"{path}, {info.filename}"
    if max(info.file_size, info.compress_size) > limit:
        raise BadInputError(f"{place}: larger than {format_bytes(limit)}, more than a file of this kind can have")
    if info.compress_type != _ZSTANDARD:
        with archive.open(info) as member:
            return member.read(info.file_size)  # never more than it claims to hold
    with path.open("rb") as file:
        file.seek(info.header_offset)
        file.seek(sum(_LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))), 1)
        packed = file.read(info.compress_size)
    content: bytes = pa.Codec("zstd").decompress(packed, info.file_size, asbytes=True)
    if crc32(content) != info.CRC:
        raise BadInputError(f"{place}: damaged: the checksum does not match")
    return content


def _sheet_rows(path: Path, archive: ZipFile, members: Mapping[str, ZipInfo]) -> PlacedRows:
    """The rows of the first sheet of a workbook under the names in its first row; an empty cell is an empty text."""
    shared_strings = _parse_xml(path, archive, members.get("xl/sharedStrings.xml"), "si")
    strings = ["".join(part.text or "" for part in entry.iterfind(".//{*}t")) for entry in shared_strings]
    sheet = min((name for name in members if name.startswith("xl/worksheets/")), key=natural_order, default="")
    names: dict[str, str] = {}
    for number, row in enumerate(_parse_xml(path, archive, members.get(sheet), "row"), start=1):
        cells = {re.sub("[0-9]", "", cell.get("r", "")): _cell_text(cell, strings) for cell in row.iterfind("{*}c")}
        if names:
            yield f"{path}, row {number}", {name: cells.get(column, "") for column, name in names.items()}
        else:
            names = cells
            _choose_format(path, names.values())


def _cell_text(cell: ElementTree.Element, strings: Sequence[str]) -> str:
    value = cell.findtext("{*}v") or ""
    match cell.get("t"):
        case "s":
            return strings[int(value)]
        case "inlineStr":
            return "".join(part.text or "" for part in cell.iterfind(".//{*}t"))
        case "b":
            return "yes" if value == "1" else "no"
    return value


def _parse_xml(path: Path, archive: ZipFile, info: ZipInfo | None, tag: str) -> Iterator[ElementTree.Element]:
    """The elements of one kind, each dropped from memory after its use."""
    content = _read_member(path, archive, info, LARGEST_TEXT) if info else b"<none/>"
    if b"<!DOCTYPE" in content:
        raise BadInputError(f"{path}: its XML declares a document type, which no workbook does")
    for _, element in ElementTree.iterparse(BytesIO(content)):
        if element.tag.rpartition("}")[2] == tag:
            yield element
            element.clear()


# Rows of others as answers by question.


def _answer(row: Row, question_id: object, answer: object) -> Row:
    """An answer by question; a row that names pair and side is about that question."""
    if row.get("pair_id") is not None and row.get("side") in SIDES:
        question_id = f"{row['pair_id']}-{row['side']}"
    return {"question_id": question_id, "answer": answer}


def _harness_answer(row: Row) -> Row:
    """The first reply, before any filter; the row, its document or a result of our tasks names the pair."""
    reply = row.get("resps") or row.get("filtered_resps")
    while isinstance(reply, list) and reply:
        reply = reply[0]
    documents = (row, *(value for value in row.values() if isinstance(value, dict)))
    document = next((document for document in documents if "pair_id" in document and "side" in document), {})
    return _answer(document, None, reply if reply != [] else None)


def _inspect_answer(row: Row) -> Row | None:
    """The completion of the first epoch; a sample that failed has none."""
    if row.get("epoch") != 1:
        return None
    output, metadata = (row[name] if isinstance(row.get(name), dict) else {} for name in ("output", "metadata"))
    completion = output.get("completion")
    return _answer(metadata, row.get("id"), None if row.get("error") and not completion else completion)


_FORMATS: tuple[RowFormat, ...] = (
    RowFormat(  # before our own: it carries the right answers of its questions in `answer`
        "a table of VLMEvalKit",
        ("index", "prediction"),
        lambda row: _answer(row, row.get("index"), row.get("prediction")),
    ),
    RowFormat("ours, by pair", BY_PAIR),
    RowFormat("ours, by side", BY_SIDE),
    RowFormat("results of the VQA server", BY_QUESTION),
    RowFormat("samples of lm-eval or lmms-eval", ("doc_id", "filtered_resps"), _harness_answer),
    RowFormat("samples of Inspect", ("id", "epoch", "output"), _inspect_answer),
)
"""What a row may be; the first that fits is taken."""
