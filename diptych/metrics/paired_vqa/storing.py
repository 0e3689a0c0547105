"""Rows as `evaluate` keeps them between `add_batch` and `compute`: fixed columns, equally many of both kinds.

`evaluate` wants predictions and references of equal number and takes no absent strings. So a row of one side is kept
as a row of a pair that says nothing of the other side, and the fewer rows are filled up with rows that say nothing.
"""

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import Any

from .alignment import SIDES, SILENT, as_table
from .errors import ScoringError

LISTS: frozenset[str] = frozenset({"original_answers", "perturbed_answers"})
"""The columns of the references that hold lists."""

_PREDICTION = ("pair_id", *SIDES)


@contextmanager
def uncollected() -> Iterator[None]:
    """Spare the garbage collector: millions of small rows, none of them in a cycle, are else walked again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def stored(predictions: Any, references: Any, columns: Sequence[str]) -> tuple[list[Any], list[Any]]:
    """Predictions and references as rows of the columns that `evaluate` was told of.

    >>> said, asked = stored([{"pair_id": "a", "side": "original", "answer": "yes"}], [], ["pair_id"])
    >>> said[0]["original"], said[0]["perturbed"] == SILENT, asked == [{"pair_id": SILENT}]
    ('yes', True, True)
    """
    said = _predictions(_rows(predictions, "predictions"))
    silent = {name: [] if name in LISTS else SILENT for name in columns}
    asked = _references(_rows(references, "references", columns), columns)
    said += [dict.fromkeys(_PREDICTION, SILENT)] * (len(asked) - len(said))
    asked += [silent] * (len(said) - len(asked))
    return said, asked


def restored(rows: Sequence[Mapping[str, Any]], needed: Sequence[str]) -> dict[str, list[Any]]:
    """The columns of stored rows, without filling; a column in which every string is empty was absent."""
    kept = [row for row in rows if row["pair_id"] != SILENT]
    names = list(rows[0]) if rows else list(needed)
    columns = {name: [row[name] for row in kept] for name in names}
    return {name: column for name, column in columns.items() if name in needed or any(column)}


def _predictions(rows: list[Mapping[str, Any]]) -> list[Any]:
    by_pair = all(len(row) == len(_PREDICTION) and isinstance(row.get("original"), str) for row in rows)
    if by_pair and all(isinstance(row.get("perturbed"), str) for row in rows):
        return list(rows)
    return [_prediction(row) for row in rows]


def _prediction(row: Mapping[str, Any]) -> dict[str, str]:
    if "original" in row and "perturbed" in row:
        original, perturbed = row["original"], row["perturbed"]
        if original is None or perturbed is None:
            raise ScoringError(f"pair {row['pair_id']!r}: the prediction has an empty answer (null)")
        return {"pair_id": str(row["pair_id"]), "original": str(original), "perturbed": str(perturbed)}
    if "side" in row and "answer" in row:
        if row["side"] not in SIDES or row["answer"] is None:
            raise ScoringError(f"pair {row['pair_id']!r}: a side is 'original' or 'perturbed' and has an answer")
        return {"pair_id": str(row["pair_id"]), **dict.fromkeys(SIDES, SILENT), row["side"]: str(row["answer"])}
    raise ScoringError(f"a prediction has pair_id, original, perturbed or pair_id, side, answer; not {', '.join(row)}")


def _references(rows: list[Mapping[str, Any]], columns: Sequence[str]) -> list[Any]:
    """The named columns alone; only the first row must be free of absent values, which is all `evaluate` looks at."""
    if not rows:
        return []
    present = [name for name in columns if name in rows[0]]
    absent = [name for name in columns if name not in rows[0]]
    names, blank = (*present, *absent), tuple([] if name in LISTS else "" for name in absent)
    first = {name: list(rows[0].get(name) or ()) if name in LISTS else _text(rows[0].get(name)) for name in columns}
    try:
        get = itemgetter(*present)
        return [first, *(dict(zip(names, (*get(row), *blank), strict=True)) for row in rows[1:])]
    except KeyError:
        return [first, *({name: row.get(name) for name in columns} for row in rows[1:])]


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _rows(rows: Any, what: str, columns: Sequence[str] = ()) -> list[Mapping[str, Any]]:
    if rows is None:
        return []
    if hasattr(rows, "select_columns") and columns:
        rows = rows.select_columns([name for name in columns if name in rows.column_names])
    if not isinstance(rows, list | tuple) or (rows and not isinstance(rows[0], Mapping)):
        rows = as_table(rows, what).to_pylist()
    for at, row in enumerate(rows):
        if "pair_id" not in row or row["pair_id"] is None:
            raise ScoringError(f"row {at + 1} of the {what} has no pair_id")
    return list(rows)
