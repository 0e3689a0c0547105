"""Predictions and references brought together by `pair_id`, whatever their order and shape.

Rows may be a list of dictionaries, a dictionary of columns, an Arrow table or a `datasets.Dataset`. Predictions have
one row a pair (`pair_id, original, perturbed`) or one row a side (`pair_id, side, answer`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .coding import Coded, factorise
from .errors import ScoringError, some

SIDES: tuple[str, str] = ("original", "perturbed")
"""The two sides of a pair."""

SILENT = "\0silent"
"""What a row of one side says of the other; `evaluate` takes no absent strings."""


def as_table(rows: Any, what: str, needed: Sequence[str] = ()) -> Any:
    """Rows of any of the accepted shapes as an Arrow table.

    >>> as_table([{"pair_id": "a", "original": "yes", "perturbed": 2}], "predictions").column_names
    ['pair_id', 'original', 'perturbed']
    """
    table = _table(rows, what)
    missing = [name for name in needed if name not in table.column_names]
    if missing:
        raise ScoringError(f"the {what} lack the column {some(missing)}; they have: {', '.join(table.column_names)}")
    return table


def align(predictions: Any, pair_ids: Any, what: str = "predictions", *, checked: bool = False) -> tuple[Coded, Coded]:
    """What a model said on the original and on the perturbed side, in the order of the pairs.

    `checked` says that `pair_ids` went through `unique_ids` before.

    >>> rows = [{"pair_id": "b", "original": "no", "perturbed": "no"},
    ...         {"pair_id": "a", "original": "yes", "perturbed": "no"}]
    >>> original, perturbed = align(rows, ["a", "b"])
    >>> [original.values[code] for code in original.codes]
    ['yes', 'no']
    """
    table = as_table(predictions, what, ["pair_id"])
    ids = pair_ids if checked else unique_ids(pair_ids)
    (said_ids, original), (other_ids, perturbed) = (_said(table, side, what) for side in SIDES)
    place = _place(said_ids, ids, f"{what} (original side)")
    other_place = place if other_ids.equals(said_ids) else _place(other_ids, ids, f"{what} (perturbed side)")
    return (
        _placed(original, said_ids, place, f"{what} (original side)"),
        _placed(perturbed, other_ids, other_place, f"{what} (perturbed side)"),
    )


def unique_ids(pair_ids: Any) -> Any:
    """The pairs' ids as an Arrow array; the same id twice is an error."""
    ids = _strings(pair_ids if isinstance(pair_ids, pa.Array | pa.ChunkedArray) else pa.array(pair_ids))
    if ids.null_count:
        raise ScoringError(f"{ids.null_count} of the references have no pair_id")
    _refuse_duplicates(ids, "the references")
    return ids


def _said(table: Any, side: str, what: str) -> tuple[Any, Any]:
    """The ids and the answers that a table holds for one side."""
    names = set(table.column_names)
    if {"side", "answer"} <= names:
        _refuse_other_sides(table.column("side"))
        table = table.filter(pc.equal(_strings(table.column("side")), side))
        answers = _strings(table.column("answer"))
    elif set(SIDES) <= names:
        answers = _strings(table.column(side))
        spoken = pc.not_equal(answers, SILENT)
        if not pc.all(pc.fill_null(spoken, True)).as_py():
            table, answers = table.filter(pc.fill_null(spoken, True)), answers.filter(pc.fill_null(spoken, True))
    else:
        raise ScoringError(
            f"the {what} need the columns pair_id, original, perturbed or pair_id, side, answer; "
            f"they have: {', '.join(table.column_names)}"
        )
    return _strings(table.column("pair_id")), answers


def _refuse_other_sides(column: Any) -> None:
    others = sorted(set(map(str, pc.unique(column).to_pylist())) - set(SIDES))
    if others:
        raise ScoringError(f"unknown side {some(others)}; a side is 'original' or 'perturbed'")


def _place(said_ids: Any, ids: Any, what: str) -> NDArray[np.int64]:
    """Where the answer to each pair is found."""
    place = pc.index_in(ids, value_set=said_ids)
    # As many answers as pairs, and one for each: then none is left that is unknown or said twice.
    if place.null_count or len(said_ids) != len(ids):
        _refuse(said_ids, ids, place, what)
    return place.to_numpy(zero_copy_only=False).astype(np.int64)  # type: ignore[no-any-return]


def _refuse(said_ids: Any, ids: Any, place: Any, what: str) -> None:
    if said_ids.null_count:
        raise ScoringError(f"{said_ids.null_count} rows of the {what} have no pair_id")
    _refuse_duplicates(said_ids, f"the {what}")
    unknown = said_ids.filter(pc.invert(pc.is_in(said_ids, value_set=ids)))
    if len(unknown):
        raise ScoringError(f"the {what} answer pairs that the references do not have: {some(_listed(unknown))}")
    missing = ids.filter(pc.is_null(place))
    raise ScoringError(f"the {what} have no answer for pair {some(_listed(missing))}")


def _placed(answers: Any, said_ids: Any, place: NDArray[np.int64], what: str) -> Coded:
    if answers.null_count:
        empty = said_ids.filter(pc.is_null(answers))
        raise ScoringError(f"the {what} have an empty answer (null) for pair {some(_listed(empty))}")
    coded = factorise(answers)
    return Coded(coded.codes[place], coded.values)


def _refuse_duplicates(ids: Any, what: str) -> None:
    if len(pc.unique(ids)) == len(ids):
        return
    counted = pc.value_counts(ids)
    twice = counted.filter(pc.greater(counted.field("counts"), 1)).field("values")
    raise ScoringError(f"{what} have pair_id {some(_listed(twice))} more than once")


def _listed(ids: Any) -> list[str]:
    return sorted(ids.to_pylist())


def _strings(column: Any) -> Any:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks)
    if pa.types.is_null(column.type) or not pa.types.is_string(column.type):
        column = column.cast(pa.string())
    return column


def _table(rows: Any, what: str) -> Any:
    if isinstance(rows, pa.Table):
        return rows
    if hasattr(rows, "with_format") and hasattr(rows, "features"):
        return rows.with_format("arrow")[:]
    if isinstance(rows, Mapping):
        return _from_columns({str(name): list(column) for name, column in rows.items()}, what)
    return _from_columns(_columns(rows, what), what)


def _columns(rows: Iterable[Mapping[str, Any]], what: str) -> dict[str, list[Any]]:
    listed = list(rows)
    for at, row in enumerate(listed):
        if not isinstance(row, Mapping):
            raise ScoringError(f"row {at + 1} of the {what} is not a dictionary: {row!r}")
    names = dict.fromkeys(name for row in listed for name in row)
    return {name: [row.get(name) for row in listed] for name in names}


def _from_columns(columns: Mapping[str, list[Any]], what: str) -> Any:
    arrays = {}
    for name, values in columns.items():
        try:
            arrays[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            # Answers such as 2 beside "two": compared as text.
            arrays[name] = pa.array([None if value is None else str(value) for value in values])
    try:
        return pa.table(arrays)
    except (pa.ArrowInvalid, ValueError) as error:
        raise ScoringError(f"the {what} have columns of different lengths: {error}") from None
