"""Predictions and references matched by `pair_id`, whatever their order and shape.

Rows may be a list of dictionaries, a dictionary of columns, an Arrow table or a `datasets.Dataset`. Predictions have
one row per pair (`pair_id, original, perturbed`) or one row per side (`pair_id, side, answer`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .columns import CodedColumn, as_array, factorize
from .errors import ScoringError, first_few

SIDES: tuple[str, str] = ("original", "perturbed")
"""The two sides of a pair."""

ABSENT = "\0absent"
"""The answer of a side that a row does not have; `evaluate` takes no nulls."""


def as_table(rows: Any, kind: str, required_columns: Sequence[str] = ()) -> Any:
    """Rows of any of the accepted shapes as an Arrow table; `kind` names them in errors.

    >>> as_table([{"pair_id": "a", "original": "yes", "perturbed": 2}], "predictions").column_names
    ['pair_id', 'original', 'perturbed']
    """
    table = _table(rows, kind)
    missing_columns = [name for name in required_columns if name not in table.column_names]
    if missing_columns:
        raise ScoringError(
            f"the {kind} lack the column {first_few(missing_columns)}; they have: {', '.join(table.column_names)}"
        )
    return table


def align(
    predictions: Any, pair_ids: Any, kind: str = "predictions", *, is_checked: bool = False
) -> tuple[CodedColumn, CodedColumn]:
    """The answers of a model on the original and on the perturbed side, in the order of the pairs.

    `is_checked` means that `pair_ids` is a result of `unique_ids`.

    >>> rows = [{"pair_id": "b", "original": "no", "perturbed": "no"},
    ...         {"pair_id": "a", "original": "yes", "perturbed": "no"}]
    >>> original, perturbed = align(rows, ["a", "b"])
    >>> original.to_list()
    ['yes', 'no']
    """
    table = as_table(predictions, kind, ["pair_id"])
    ids = pair_ids if is_checked else unique_ids(pair_ids)
    (original_ids, original), (perturbed_ids, perturbed) = (_side_answers(table, side, kind) for side in SIDES)
    positions = _positions(original_ids, ids, f"{kind} (original side)")
    if perturbed_ids.equals(original_ids):
        perturbed_positions = positions
    else:
        perturbed_positions = _positions(perturbed_ids, ids, f"{kind} (perturbed side)")
    return (
        _reorder(original, original_ids, positions, f"{kind} (original side)"),
        _reorder(perturbed, perturbed_ids, perturbed_positions, f"{kind} (perturbed side)"),
    )


def unique_ids(pair_ids: Any) -> Any:
    """The ids of the pairs as an Arrow array; the same id twice is an error."""
    ids = _strings(pair_ids)
    if ids.null_count:
        raise ScoringError(f"{ids.null_count} of the references have no pair_id")
    _refuse_duplicates(ids, "the references")
    return ids


def _side_answers(table: Any, side: str, kind: str) -> tuple[Any, Any]:
    """The ids and the answers that a table holds for one side."""
    names = set(table.column_names)
    if {"side", "answer"} <= names:
        _refuse_unknown_sides(table.column("side"))
        table = table.filter(pc.equal(_strings(table.column("side")), side))
        answers = _strings(table.column("answer"))
    elif set(SIDES) <= names:
        answers = _strings(table.column(side))
        is_present = pc.fill_null(pc.not_equal(answers, ABSENT), True)
        if not pc.all(is_present).as_py():
            table, answers = table.filter(is_present), answers.filter(is_present)
    else:
        raise ScoringError(
            f"the {kind} need the columns pair_id, original, perturbed or pair_id, side, answer; "
            f"they have: {', '.join(table.column_names)}"
        )
    return _strings(table.column("pair_id")), answers


def _refuse_unknown_sides(column: Any) -> None:
    unknown_sides = sorted(set(map(str, pc.unique(column).to_pylist())) - set(SIDES))
    if unknown_sides:
        raise ScoringError(f"unknown side {first_few(unknown_sides)}; a side is 'original' or 'perturbed'")


def _positions(answer_ids: Any, ids: Any, kind: str) -> NDArray[np.int64]:
    """The row of the answer to each pair."""
    positions = pc.index_in(ids, value_set=answer_ids)
    # As many answers as pairs, and one for each: then no answer is left that is unknown or given twice.
    if positions.null_count or len(answer_ids) != len(ids):
        _refuse(answer_ids, ids, positions, kind)
    return positions.to_numpy(zero_copy_only=False).astype(np.int64)  # type: ignore[no-any-return]


def _refuse(answer_ids: Any, ids: Any, positions: Any, kind: str) -> None:
    if answer_ids.null_count:
        raise ScoringError(f"{answer_ids.null_count} rows of the {kind} have no pair_id")
    _refuse_duplicates(answer_ids, f"the {kind}")
    unknown_ids = answer_ids.filter(pc.invert(pc.is_in(answer_ids, value_set=ids)))
    if len(unknown_ids):
        raise ScoringError(f"the {kind} answer pairs that the references do not have: {_first_ids(unknown_ids)}")
    raise ScoringError(f"the {kind} have no answer for pair {_first_ids(ids.filter(pc.is_null(positions)))}")


def _reorder(answers: Any, answer_ids: Any, positions: NDArray[np.int64], kind: str) -> CodedColumn:
    if answers.null_count:
        empty_ids = answer_ids.filter(pc.is_null(answers))
        raise ScoringError(f"the {kind} have an empty answer (null) for pair {_first_ids(empty_ids)}")
    column = factorize(answers)
    return CodedColumn(column.codes[positions], column.values)


def _refuse_duplicates(ids: Any, kind: str) -> None:
    if len(pc.unique(ids)) == len(ids):
        return
    counts = pc.value_counts(ids)
    duplicates = counts.filter(pc.greater(counts.field("counts"), 1)).field("values")
    raise ScoringError(f"{kind} have pair_id {_first_ids(duplicates)} more than once")


def _first_ids(ids: Any) -> str:
    return first_few(sorted(ids.to_pylist()))


def _strings(column: Any) -> Any:
    array = as_array(column)
    return array if pa.types.is_string(array.type) else array.cast(pa.string())


def _table(rows: Any, kind: str) -> Any:
    if isinstance(rows, pa.Table):
        return rows
    if hasattr(rows, "with_format") and hasattr(rows, "features"):
        return rows.with_format("arrow")[:]
    if isinstance(rows, Mapping):
        return _from_columns({str(name): list(column) for name, column in rows.items()}, kind)
    return _from_columns(_columns(rows, kind), kind)


def _columns(rows: Iterable[Mapping[str, Any]], kind: str) -> dict[str, list[Any]]:
    mappings = list(rows)
    for number, row in enumerate(mappings, start=1):
        if not isinstance(row, Mapping):
            raise ScoringError(f"row {number} of the {kind} is not a dictionary: {row!r}")
    names = dict.fromkeys(name for row in mappings for name in row)
    return {name: [row.get(name) for row in mappings] for name in names}


def _from_columns(columns: Mapping[str, list[Any]], kind: str) -> Any:
    arrays = {}
    for name, values in columns.items():
        try:
            arrays[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            # Answers such as 2 beside "two" are compared as text.
            arrays[name] = pa.array([None if value is None else str(value) for value in values])
    try:
        return pa.table(arrays)
    except (pa.ArrowInvalid, ValueError) as error:
        raise ScoringError(f"the {kind} have columns of different lengths: {error}") from None
