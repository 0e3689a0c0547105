"""Back-translations of questions, given as a table of (question_id, text) in CSV, TSV, JSON lines or Parquet."""

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from diptych.errors import BadInputError
from diptych.sources.files import SourceFile, find_matching
from diptych.sources.records import described

COLUMNS = ("question_id", "text")


@dataclass(frozen=True, slots=True)
class BackTranslation:
    """A question translated to another language and back; a question may have several."""

    question_id: str
    text: str


def backtranslation_files(data_dir: Path) -> tuple[SourceFile, ...]:
    """Every table in the folder `backtranslations/`."""
    found = find_matching(data_dir, "backtranslations", "*")
    return tuple(file for file in found if Path(file.name).suffix.lower() in _READERS)


def read_backtranslations(file: SourceFile) -> list[BackTranslation]:
    """The rows of a table in file order; its suffix says what it is."""
    reader = _READERS.get(Path(file.name).suffix.lower())
    if reader is None:
        raise BadInputError(f"{file.where}: not a table; known: {', '.join(sorted(_READERS))}")
    return [_row(file, place, question_id, text) for place, question_id, text in reader(file)]


def _row(file: SourceFile, place: str, question_id: object, text: object) -> BackTranslation:
    is_id = type(question_id) is int or (isinstance(question_id, str) and question_id.strip())
    if not is_id:
        raise BadInputError(f"{file.where}: {place}: question_id is {described(question_id)}, not a number")
    if not isinstance(text, str) or not text.strip():
        raise BadInputError(f"{file.where}: {place}: the text of question {question_id} is {described(text)}")
    return BackTranslation(str(question_id).strip(), text.strip())


_Cells = Iterator[tuple[str, object, object]]


def _delimited(delimiter: str) -> Callable[[SourceFile], _Cells]:
    def read(file: SourceFile) -> _Cells:
        table = csv.DictReader(io.StringIO(_text(file), newline=""), delimiter=delimiter)
        _check_columns(file, list(table.fieldnames or ()))
        try:
            for row in table:
                yield f"line {table.line_num}", row["question_id"], row["text"]
        except csv.Error as error:
            raise BadInputError(f"{file.where}: line {table.line_num}: {error}") from None

    return read


def _text(file: SourceFile) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{file.where}: not UTF-8 at byte {error.start:,}") from None


def _json_lines(file: SourceFile) -> _Cells:
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise BadInputError(f"{file.where}: line {number} is not valid JSON: {error}") from None
        if not isinstance(row, dict):
            raise BadInputError(f"{file.where}: line {number} is {described(row)}, not an object")
        _check_columns(file, list(row), f" in line {number}")
        yield f"line {number}", row["question_id"], row["text"]


def _parquet(file: SourceFile) -> _Cells:
    try:
        table = pq.read_table(pa.BufferReader(file.read_bytes()))
    except pa.ArrowException as error:
        raise BadInputError(f"{file.where}: not a Parquet file: {str(error).splitlines()[0]}") from None
    _check_columns(file, table.column_names)
    columns = (table.column(name).to_pylist() for name in COLUMNS)
    for number, (question_id, text) in enumerate(zip(*columns, strict=True), start=1):
        yield f"row {number}", question_id, text


def _check_columns(file: SourceFile, found: list[str], where: str = "") -> None:
    missing = [name for name in COLUMNS if name not in found]
    if missing:
        has = ", ".join(found) or "none"
        raise BadInputError(f"{file.where}: no column {' and '.join(missing)}{where}; the columns are: {has}")


_READERS: dict[str, Callable[[SourceFile], _Cells]] = {
    ".csv": _delimited(","),
    ".tsv": _delimited("\t"),
    ".jsonl": _json_lines,
    ".parquet": _parquet,
}
