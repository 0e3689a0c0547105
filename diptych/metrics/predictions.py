"""Files of predictions: JSON lines, CSV or Parquet, one row a pair or one row a side.

Where others released the questions under ids of their own, one row a question (`question_id, answer`) will do.
"""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from diptych.errors import BadInputError, MissingFileError

_SHAPES = (("pair_id", "original", "perturbed"), ("pair_id", "side", "answer"), ("question_id", "answer"))


def read_predictions(path: Path, references: Any = None) -> Any:
    """The rows of a file of predictions as an Arrow table of strings; the file's ending says what it is.

    One row a question (`question_id, answer`) is turned into one row a pair of the references, if they are given.
    """
    if not path.is_file():
        raise MissingFileError(f"{path}: not found")
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise BadInputError(f"{path}: predictions are .jsonl, .csv or .parquet files")
    rows = reader(path)
    if "question_id" not in rows.column_names:
        return rows
    if references is None:
        raise BadInputError(f"{path}: answers by question_id; answers by pair_id are needed here")
    return _by_pair(path, rows, references)


def write_predictions(path: Path, rows: dict[str, list[str]]) -> None:
    """Write one row a pair, in the format that the file's ending names."""
    names = list(rows)
    suffix = path.suffix.lower()
    if suffix not in _READERS:
        raise BadInputError(f"{path}: predictions are .jsonl, .csv or .parquet files")
    try:
        if suffix == ".parquet":
            pq.write_table(pa.table(rows), path)
        elif suffix == ".csv":
            with path.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([names, *zip(*rows.values(), strict=True)])
        else:
            lines = (orjson.dumps(dict(zip(names, row, strict=True))) for row in zip(*rows.values(), strict=True))
            path.write_bytes(b"".join(line + b"\n" for line in lines))
    except OSError as error:
        raise BadInputError(f"{path}: cannot be written: {error.strerror}") from None


def _by_pair(path: Path, rows: Any, references: Any) -> Any:
    """One row a pair; the ids of its questions are what its bindings name `original_questions` and so on."""
    said: dict[str, str] = {}
    for question, answer in zip(*(rows.column(name).to_pylist() for name in _SHAPES[2]), strict=True):
        if said.setdefault(question, answer) != answer:
            raise BadInputError(f"{path}: question {question} is answered twice and differently")
    pairs = references.column("pair_id").to_pylist()
    bindings = [orjson.loads(text) for text in references.column("bindings").to_pylist()]
    columns = {"pair_id": pairs}
    for side in ("original", "perturbed"):
        known_as = [of.get(f"{side}_questions", []) for of in bindings]
        columns[side] = [_answer_to(path, said, *of) for of in zip(pairs, known_as, strict=True)]
    return pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})


def _answer_to(path: Path, said: dict[str, str], pair_id: str, known_as: list[str]) -> str:
    if not known_as:
        raise BadInputError(f"{path}: pair {pair_id} names no question_id; answers by pair_id are needed here")
    found = next((said[key] for key in known_as if key in said), None)
    if found is None:
        raise BadInputError(f"{path}: no answer to question {' or '.join(known_as)}, of pair {pair_id}")
    return found


def _from_json_lines(path: Path) -> Any:
    rows = list(_json_rows(path))
    if not rows:
        raise BadInputError(f"{path}: holds no predictions")
    names = _shape(path, rows[0][1])
    columns: dict[str, list[str]] = {name: [] for name in names}
    for number, row in rows:
        for name in names:
            columns[name].append(_text(path, number, name, row))
    return pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})


def _json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise BadInputError(f"{path}:{number}: broken JSON: {error}") from None
            if not isinstance(row, dict):
                raise BadInputError(f"{path}:{number}: not a JSON object")
            yield number, row


def _from_csv(path: Path) -> Any:
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            reader = csv.DictReader(file)
            names = _shape(path, reader.fieldnames or [])
            rows = [[_text(path, reader.line_num, name, row) for name in names] for row in reader]
        except (csv.Error, UnicodeDecodeError) as error:
            raise BadInputError(f"{path}: not a readable CSV file: {error}") from None
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    return pa.table({name: pa.array(column, pa.string()) for name, column in zip(names, columns, strict=True)})


def _from_parquet(path: Path) -> Any:
    try:
        table = pq.read_table(path)
        names = _shape(path, table.column_names)
        return table.select(names).cast(pa.schema([(name, pa.string()) for name in names]))
    except pa.ArrowException as error:
        raise BadInputError(f"{path}: not a readable Parquet file: {str(error).splitlines()[0]}") from None


def _shape(path: Path, names: Any) -> tuple[str, ...]:
    for shape in _SHAPES:
        if set(shape) <= set(names):
            return shape
    nearest = _SHAPES[1] if {"side", "answer"} & set(names) else _SHAPES[0]
    lacking = ", ".join(name for name in nearest if name not in names)
    raise BadInputError(f"{path}: lacks the column {lacking}; predictions have {' or '.join(map(', '.join, _SHAPES))}")


def _text(path: Path, number: int, name: str, row: dict[str, Any]) -> str:
    value = row.get(name)
    if value is None:
        raise BadInputError(f"{path}:{number}: no {name}")
    if isinstance(value, bool | list | dict):
        raise BadInputError(f"{path}:{number}: {name} must be text, not {orjson.dumps(value).decode()}")
    return str(value)


_READERS: dict[str, Callable[[Path], Any]] = {
    ".jsonl": _from_json_lines,
    ".json": _from_json_lines,
    ".csv": _from_csv,
    ".parquet": _from_parquet,
}
