"""Back-translations of questions: tables of question_id and text in CSV, TSV, JSON lines or Parquet."""

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from diptych.errors import BadInputError
from diptych.files import parse_json_object, reading
from diptych.sources._files import SourceFile, find_matching
from diptych.sources._records import check_text, describe

COLUMNS = ("question_id", "text")
_Cells = Iterator[tuple[str, object, object]]  # the place of each row in its file, its question_id and its text


@dataclass(frozen=True, slots=True)
class BackTranslation:
    """A question translated to another language and back; a question may have several."""

    question_id: str
    text: str


def backtranslation_files(data_dir: Path) -> tuple[SourceFile, ...]:
    """Every table in the folder `backtranslations/`."""
    files = find_matching(data_dir, "backtranslations", "*")
    return tuple(file for file in files if Path(file.name).suffix.lower() in _READERS)


def read_backtranslations(file: SourceFile) -> list[BackTranslation]:
    """The rows of a table in file order; its suffix gives the format."""
    read_cells = _READERS.get(Path(file.name).suffix.lower())
    if read_cells is None:
        raise BadInputError(f"{file.where}: not a table; known: {', '.join(sorted(_READERS))}")
    return [_parse_row(file, *cells) for cells in read_cells(file)]


def _parse_row(file: SourceFile, place: str, question_id: object, text: object) -> BackTranslation:
    if type(question_id) is not int and not (isinstance(question_id, str) and question_id.strip()):
        raise BadInputError(f"{file.where}: {place}: question_id is {describe(question_id)}, not a number")
    text = check_text(text, f"{file.where}: {place}: the text of question {question_id}")
    return BackTranslation(str(question_id).strip(), text.strip())


def _read_delimited(file: SourceFile, delimiter: str) -> _Cells:
    with reading(file.where):
        text = file.read_bytes().decode("utf-8-sig")
        table = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
        _check_columns(file, list(table.fieldnames or ()))
        for row in table:
            yield f"line {table.line_num}", row["question_id"], row["text"]


def _read_json_lines(file: SourceFile) -> _Cells:
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        if line.strip():
            row = parse_json_object(line, f"{file.where}: line {number}")
            _check_columns(file, list(row), f" in line {number}")
            yield f"line {number}", row["question_id"], row["text"]


def _read_parquet(file: SourceFile) -> _Cells:
    import pyarrow as pa  # slow to import, and no other table needs it
    import pyarrow.parquet as pq

    with reading(file.where):
        content = pa.BufferReader(file.read_bytes())
        _check_columns(file, pq.read_schema(content).names)
        rows = pq.read_table(content, columns=list(COLUMNS)).to_pylist()
    yield from ((f"row {number}", row["question_id"], row["text"]) for number, row in enumerate(rows, start=1))


def _check_columns(file: SourceFile, columns: list[str], place: str = "") -> None:
    absent = " and ".join(name for name in COLUMNS if name not in columns)
    if absent:
        raise BadInputError(f"{file.where}: no column {absent}{place}; the columns are: {', '.join(columns) or 'none'}")


_READERS: dict[str, Callable[[SourceFile], _Cells]] = {
    ".csv": partial(_read_delimited, delimiter=","),
    ".tsv": partial(_read_delimited, delimiter="\t"),
    ".jsonl": _read_json_lines,
    ".parquet": _read_parquet,
}
