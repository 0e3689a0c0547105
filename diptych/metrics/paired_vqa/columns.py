"""Rows of any shape as columns, matched by `pair_id`, with strings as codes so that each distinct one is read once.

Rows may be a list of dictionaries, a dictionary of columns, an Arrow table or a `datasets.Dataset`, in any order.
Predictions have one row per pair (`pair_id, original, perturbed`) or one row per side (`pair_id, side, answer`). An
answer may be a truth value, which is yes or no; one that is null or NaN is missing, and an empty text was given.
"""

import re
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


def answer_text(value: Any) -> str | None:
    """An answer as text: a truth value is yes or no, a whole number has no point, and None or NaN is no answer.

    >>> [answer_text(value) for value in (True, 2.0, "", None, float("nan"))]
    ['yes', '2', '', None, None]
    """
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return None if np.isnan(value) else f"{value:.15g}"
    return None if value is None else str(value)


def natural_order(text: str) -> tuple[list[Any], str]:
    """A key by which numbers inside texts are in their order.

    >>> sorted(["10-49", "3-9", "50+", "0", "", "1-2"], key=natural_order)
    ['', '0', '1-2', '3-9', '10-49', '50+']
    """
    parts = re.split(r"([0-9]+)", text)
    digits = [part.lstrip("0") for part in parts[1::2]]  # compared by length first: a number may be too long for int
    return [*zip(parts[::2], [*((len(number), number) for number in digits), (0, "")], strict=True)], text


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
            raise ScoringError(f"a column of {array.type} has no values to group by")
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
        """The rows (or those of `rows`) of each value that occurs there, in alphabetical order, numbers in theirs."""
        if rows is not None and len(rows) < len(self.codes):
            groups = CodedColumn(self.codes[rows], self.values).groups()
            return {value: rows[places] for value, places in groups.items()}
        codes, values = self.ranks(natural_order)
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

    def ranks(self, order: Callable[[str], Any] = str) -> tuple[Codes, list[str]]:
        """Codes in alphabetical or another order and the values that occur, whichever row comes first."""
        values = sorted({self.values[code] for code in np.flatnonzero(np.bincount(self.codes))}, key=order)
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


def as_texts(column: Any) -> Any:
    """A column as text, by the rule of `answer_text`."""
    array = as_array(column)
    if pa.types.is_string(array.type):
        return array
    if pa.types.is_boolean(array.type):
        return pc.if_else(array, "yes", "no")
    if pa.types.is_floating(array.type):
        array = pc.if_else(pc.is_nan(array), None, array)
    if pa.types.is_nested(array.type):
        raise ScoringError(f"an answer or a pair_id must be a string, not {array.type}")
    return array.cast(pa.string())


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
            arrays[name] = pa.array([answer_text(value) for value in values], pa.string())
    try:
        return pa.table(arrays)
    except (pa.ArrowInvalid, ValueError) as error:
        raise ScoringError(f"the {kind} have columns of different lengths: {error}") from None


def unique_ids(pair_ids: Any) -> Any:
    """The ids of the pairs as an Arrow array; the same id twice is an error."""
    ids = as_texts(pair_ids)
    if ids.null_count:
        raise ScoringError(f"{ids.null_count} of the references have no pair_id")
    _refuse_duplicates(ids, "references")
    return ids


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many pairs there are, and how many of them were scored because they are answered on both sides."""

    pairs: int
    scored: int

    def as_dict(self) -> dict[str, float]:
        """The numbers and the share as plain data."""
        return {"pairs": self.pairs, "scored": self.scored, "share": self.scored / self.pairs}

    def __str__(self) -> str:
        """The number of pairs, and the share where some are missing.

        >>> print(Coverage(2000, 2000), "and", Coverage(2000, 1500))
        2,000 pairs and 1,500 of 2,000 pairs (75.0 %; the others lack an answer)
        """
        if self.scored == self.pairs:
            return f"{self.pairs:,} pairs"
        share = f"{100 * self.scored / self.pairs:.1f} %"
        return f"{self.scored:,} of {self.pairs:,} pairs ({share}; the others lack an answer)"


def has_answers(predictions: Any, ids: Any) -> Any:
    """Which of the pairs have an answer on both sides, as an Arrow array."""
    original, perturbed = (pc.is_in(ids, value_set=_side_answers(predictions, side)[0]) for side in SIDES)
    return pc.and_(original, perturbed)


def keep_answered(references: Any, *predictions: Any) -> tuple[Any, ...]:
    """The references that every table of predictions answers on both sides, and the tables without the other pairs."""
    ids = unique_ids(references.column("pair_id"))
    is_complete = pa.array(np.ones(len(ids), dtype=np.bool_))
    for table in predictions:
        is_complete = pc.and_(is_complete, has_answers(table, ids))
    if not pc.any(is_complete).as_py():
        raise ScoringError("no pair is answered on both sides")
    incomplete_ids = ids.filter(pc.invert(is_complete))
    answers = (
        table.filter(pc.invert(pc.is_in(as_texts(table.column("pair_id")), value_set=incomplete_ids)))
        for table in predictions
    )
    return references.filter(is_complete), *answers


def align(predictions: Any, ids: Any) -> tuple[CodedColumn, CodedColumn]:
    """The answers of a model on both sides, in the order of the pairs, whose ids are a result of `unique_ids`."""
    table = as_table(predictions, "predictions", ["pair_id"])
    (first_ids, originals), (second_ids, perturbed) = (_side_answers(table, side) for side in SIDES)
    first_positions = _positions(first_ids, ids, "predictions (original side)")
    second_positions = (  # mostly both sides stand in the same rows
        first_positions if second_ids.equals(first_ids) else _positions(second_ids, ids, "predictions (perturbed side)")
    )
    return _take_coded(originals, first_positions), _take_coded(perturbed, second_positions)


def _take_coded(answers: Any, positions: Codes) -> CodedColumn:
    column = CodedColumn.encode(answers)
    return CodedColumn(column.codes[positions], column.values)


def _side_answers(table: Any, side: str) -> tuple[Any, Any]:
    """The ids and the answers that a table holds for one side; rows without an answer are left out."""
    names = set(table.column_names)
    if {"side", "answer"} <= names:
        if unknown_sides := sorted(set(map(str, pc.unique(table.column("side")).to_pylist())) - set(SIDES)):
            raise ScoringError(f"unknown side {first_few(unknown_sides)}; a side is 'original' or 'perturbed'")
        table = table.filter(pc.equal(as_texts(table.column("side")), side))
        answers = as_texts(table.column("answer"))
    elif set(SIDES) <= names:
        answers = as_texts(table.column(side))
    else:
        shapes = "pair_id, original, perturbed or pair_id, side, answer"
        raise ScoringError(f"the predictions need the columns {shapes}; they have: {', '.join(table.column_names)}")
    ids = as_texts(table.column("pair_id"))
    is_present = pc.fill_null(pc.not_equal(answers, ABSENT), False)
    return (ids, answers) if pc.all(is_present).as_py() else (ids.filter(is_present), answers.filter(is_present))


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
