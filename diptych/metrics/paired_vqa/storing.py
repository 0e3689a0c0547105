"""Rows as `evaluate` keeps them between `add_batch` and `compute`: fixed columns, equally many of both kinds.

`evaluate` wants predictions and references of equal number and takes no absent strings. So a row of one side is kept
as a row of a pair that says nothing of the other side, and the fewer rows are filled up with rows that say nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .alignment import SIDES, SILENT, as_table
from .errors import ScoringError

LISTS: frozenset[str] = frozenset({"original_answers", "perturbed_answers"})
"""The columns of the references that hold lists."""

_PREDICTION = ("pair_id", *SIDES)


def stored(predictions: Any, references: Any, columns: Sequence[str]) -> tuple[list[Any], list[Any]]:
    """Predictions and references as rows of the columns that `evaluate` was told of.

    >>> said, asked = stored([{"pair_id": "a", "side": "original", "answer": "yes"}], [], ["pair_id"])
    >>> said[0]["original"], said[0]["perturbed"] == SILENT, asked == [{"pair_id": SILENT}]
    ('yes', True, True)
    """
    said = [_prediction(row) for row in _rows(predictions, "predictions")]
    blanks = [(name, name in LISTS) for name in columns]
    asked = [_reference(row, blanks) for row in _rows(references, "references", columns)]
    said += [dict.fromkeys(_PREDICTION, SILENT)] * (len(asked) - len(said))
    silent = {name: [] if is_list else SILENT for name, is_list in blanks}
    asked += [silent] * (len(said) - len(asked))
    return said, asked


def restored(rows: Sequence[Mapping[str, Any]], needed: Sequence[str]) -> dict[str, list[Any]]:
    """The columns of stored rows, without filling; a column in which every string is empty was absent."""
    kept = [row for row in rows if row["pair_id"] != SILENT]
    names = list(rows[0]) if rows else list(needed)
    columns = {name: [row[name] for row in kept] for name in names}
    return {name: column for name, column in columns.items() if name in needed or any(column)}


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


def _reference(row: Mapping[str, Any], blanks: Iterable[tuple[str, bool]]) -> dict[str, Any]:
    get = row.get
    return {name: list(get(name) or ()) if is_list else _text(get(name)) for name, is_list in blanks}


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
