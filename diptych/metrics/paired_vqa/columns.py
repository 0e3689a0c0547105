"""Rows of any shape as columns, matched by `pair_id`, with strings as codes so that each distinct one is read once.

Rows may be a list of dictionaries, a dictionary of columns, an Arrow table or a `datasets.Dataset`, in any order.
Predictions have one row per pair (`pair_id, original, perturbed`) or one row per side (`pair_id, side, answer`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Codes = NDArray[np.int64]

SIDES: tuple[str, str] = ("original", "perturbed")  # the two sides of a pair

ABSENT = "\0absent"  # the answer of a side that a row does not have; `evaluate` takes no nulls


class ScoringError(ValueError):
    """Predictions, references or options that cannot be scored as they are: one line that says what is wrong."""


def unknown_name(kind: str, name: str, names: Iterable[str]) -> ScoringError:
    """The error about a name that does not exist, with those that do."""
    return ScoringError(f"unknown {kind} {name!r}; known: {', '.join(names)}")


def first_few(names: Iterable[str], limit: int = 3) -> str:
    """The first few of many names, and how many there are: "'a', 'b', 'c', … (4 in all)"."""
    texts = [repr(name) for name in names]
    text = ", ".join(texts[:limit])
    return text if len(texts) <= limit else f"{text}, … ({len(texts)} in all)"


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """A column as codes into its distinct values."""

    codes: Codes
    values: list[str]

    @classmethod
    def encode(cls, column: Any) -> "CodedColumn":
        """The distinct values of a column and the code of each row; a null counts as the empty string."""
        array = as_array(column)
        if pa.types.is_nested(array.type):
            raise ScoringError(f"a column of {array.type} holds no values to group by")
        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
        values = ["" if value is None else str(value) for value in array.dictionary.to_pylist()]
        codes = array.indices
        if codes.null_count:
            codes, values = codes.fill_null(len(values)), [*values, ""]
        return cls(codes.to_numpy(zero_copy_only=False).astype(np.int64), values)

    @classmethod
    def constant(cls, value: str, size: int) -> "CodedColumn":
        """A column with the same value in every row."""
        return cls(np.zeros(size, dtype=np.int64), [value])

    def groups(self, rows: Codes | None = None) -> dict[str, Codes]:
        """The rows (or those of `rows`) of each value that occurs there, values in alphabetical order."""
        if rows is not None and len(rows) < len(self.codes):
            groups = CodedColumn(self.codes[rows], self.values).groups()
            return {value: rows[places] for value, places in groups.items()}
        codes, values = self.ranks()
        parts = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes)))
        return dict(zip(values, parts, strict=False))  # after the last value comes an empty part

    @classmethod
    def cross(cls, columns: Sequence["CodedColumn"]) -> "CodedColumn":
        """A column with every combination of the values of some columns that occurs."""
        codes = np.zeros(len(columns[0].codes), dtype=np.int64)
        for column in columns:
            codes = codes * len(column.values) + column.codes
        _, first_rows, places = np.unique(codes, return_index=True, return_inverse=True)
        texts = [" × ".join(column.values[column.codes[row]] or "(empty)" for column in columns) for row in first_rows]
        return cls(places.astype(np.int64), texts)

    def ranks(self) -> tuple[Codes, list[str]]:
        """Codes in alphabetical order and the values that occur, whichever row comes first."""
        values = sorted({self.values[code] for code in np.flatnonzero(np.bincount(self.codes))})
        rank_of = {value: rank for rank, value in enumerate(values)}
        return self.map(lambda value: rank_of.get(value, -1)), values

    def map(self, function: Callable[[str], int]) -> Codes:
        """The result of a function for each row, called once per distinct value."""
        return np.fromiter(map(function, self.values), dtype=np.int64, count=len(self.values))[self.codes]

    def to_list(self) -> list[str]:
        """The value of each row."""
        return [self.values[code] for code in self.codes]


def as_array(column: Any) -> Any:
    """A column as one Arrow array."""
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks()
    if isinstance(column, pa.Array):
        return column
    return pa.array(column) if len(column) else pa.array([], pa.string())


def as_table(rows: Any, kind: str, required_columns: Sequence[str] = ()) -> Any:
    """Rows of any of the accepted shapes as an Arrow table; `kind` names them in errors."""
    if isinstance(rows, pa.Table):
        table = rows
    elif hasattr(rows, "with_format") and hasattr(rows, "features"):
        table = rows.with_format("arrow")[:]
    else:
        table = _table(rows if isinstance(rows, Mapping) else _columns(list(rows), kind), kind)
    if missing_columns := [name for name in required_columns if name not in table.column_names]:
        names = ", ".join(table.column_names)
        raise ScoringError(f"the {kind} lack the column {first_few(missing_columns)}; they have: {names}")
    return table


def _columns(rows: list[Mapping[str, Any]], kind: str) -> dict[str, list[Any]]:
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise ScoringError(f"row {number} of the {kind} is not a dictionary: {row!r}")
    return {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}


def _table(columns: Mapping[str, Iterable[Any]], kind: str) -> Any:
    arrays = {}
    for name, values in ((str(name), list(column)) for name, column in columns.items()):
        try:
            arrays[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            # Answers such as 2 beside "two" are compared as text.
            arrays[name] = pa.array([None if value is None else str(value) for value in values])
    try:
        return pa.table(arrays)
    except (pa.ArrowInvalid, ValueError) as error:
        raise ScoringError(f"the {kind} have columns of different lengths: {error}") from None


def unique_ids(pair_ids: Any) -> Any:
    """The ids of the pairs as an Arrow array; the same id twice is an error."""
    ids = _strings(pair_ids)
    if ids.null_count:
        raise ScoringError(f"{ids.null_count} of the references have no pair_id")
    _refuse_duplicates(ids, "references")
    return ids


def align(predictions: Any, ids: Any) -> tuple[CodedColumn, CodedColumn]:
    """The answers of a model on both sides, in the order of the pairs, whose ids are a result of `unique_ids`."""
    table = as_table(predictions, "predictions", ["pair_id"])
    original, perturbed = (
        _align_side(*_side_answers(table, side), ids, f"predictions ({side} side)") for side in SIDES
    )
    return original, perturbed


def _align_side(answer_ids: Any, answers: Any, ids: Any, kind: str) -> CodedColumn:
    positions = _positions(answer_ids, ids, kind)
    if answers.null_count:
        empty_ids = answer_ids.filter(pc.is_null(answers))
        raise ScoringError(f"the {kind} have an empty answer (null) for pair {_first_ids(empty_ids)}")
    column = CodedColumn.encode(answers)
    return CodedColumn(column.codes[positions], column.values)


def _side_answers(table: Any, side: str) -> tuple[Any, Any]:
    """The ids and the answers that a table holds for one side."""
    names = set(table.column_names)
    if {"side", "answer"} <= names:
        if unknown_sides := sorted(set(map(str, pc.unique(table.column("side")).to_pylist())) - set(SIDES)):
            raise ScoringError(f"unknown side {first_few(unknown_sides)}; a side is 'original' or 'perturbed'")
        table = table.filter(pc.equal(_strings(table.column("side")), side))
        answers = _strings(table.column("answer"))
    elif set(SIDES) <= names:
        answers = _strings(table.column(side))
        is_present = pc.fill_null(pc.not_equal(answers, ABSENT), True)
        table, answers = table.select(["pair_id"]).filter(is_present), answers.filter(is_present)
    else:
        shapes = "pair_id, original, perturbed or pair_id, side, answer"
        raise ScoringError(f"the predictions need the columns {shapes}; they have: {', '.join(table.column_names)}")
    return _strings(table.column("pair_id")), answers


def _positions(answer_ids: Any, ids: Any, kind: str) -> Codes:
    """The row of the answer to each pair."""
    positions = pc.index_in(ids, value_set=answer_ids)
    # As many answers as pairs, and one for each: then no answer is left that is unknown or given twice.
    if not positions.null_count and len(answer_ids) == len(ids):
        return positions.to_numpy(zero_copy_only=False).astype(np.int64)  # type: ignore[no-any-return]
    if answer_ids.null_count:
        raise ScoringError(f"{answer_ids.null_count} rows of the {kind} have no pair_id")
    _refuse_duplicates(answer_ids, kind)
    unknown_ids = answer_ids.filter(pc.invert(pc.is_in(answer_ids, value_set=ids)))
    if len(unknown_ids):
        raise ScoringError(f"the {kind} answer pairs that the references do not have: {_first_ids(unknown_ids)}")
    raise ScoringError(f"the {kind} have no answer for pair {_first_ids(ids.filter(pc.is_null(positions)))}")


def _refuse_duplicates(ids: Any, kind: str) -> None:
    if len(pc.unique(ids)) < len(ids):
        counts = pc.value_counts(ids)
        duplicates = counts.filter(pc.greater(counts.field("counts"), 1)).field("values")
        raise ScoringError(f"the {kind} have pair_id {_first_ids(duplicates)} more than once")


def _first_ids(ids: Any) -> str:
    return first_few(sorted(ids.to_pylist()))


def _strings(column: Any) -> Any:
    array = as_array(column)
    return array if pa.types.is_string(array.type) else array.cast(pa.string())
