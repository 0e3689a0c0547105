"""Rows as `evaluate` stores them between `add_batch` and `compute`: fixed columns, equal numbers of both kinds.

`evaluate` requires as many predictions as references and takes no nulls. So a row about one side is stored as a row
about a pair whose other side is absent, and the shorter of the two lists is filled up with absent rows.
"""

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import Any

from .alignment import ABSENT, SIDES, as_table
from .errors import ScoringError

LIST_COLUMNS: frozenset[str] = frozenset({"original_answers", "perturbed_answers"})
"""The columns of the references that hold lists."""

PREDICTION_COLUMNS: tuple[str, ...] = ("pair_id", *SIDES)
"""The columns of stored predictions."""


@contextmanager
def paused_garbage_collection() -> Iterator[None]:
    """Pause the garbage collector, which would visit millions of small rows again and again without a cycle to find."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def pack_rows(predictions: Any, references: Any, columns: Sequence[str]) -> tuple[list[Any], list[Any]]:
    """Predictions and references as rows that `evaluate` can store; `columns` are those of the references.

    >>> answers, pairs = pack_rows([{"pair_id": "a", "side": "original", "answer": "yes"}], [], ["pair_id"])
    >>> answers[0]["original"], answers[0]["perturbed"] == ABSENT, pairs == [{"pair_id": ABSENT}]
    ('yes', True, True)
    """
    answers = _pack_predictions(_rows(predictions, "predictions"))
    pairs = _pack_references(_rows(references, "references", columns), columns)
    absent_pair = {name: [] if name in LIST_COLUMNS else ABSENT for name in columns}
    answers += [dict.fromkeys(PREDICTION_COLUMNS, ABSENT)] * (len(pairs) - len(answers))
    pairs += [absent_pair] * (len(answers) - len(pairs))
    return answers, pairs


def unpack_columns(rows: Sequence[Mapping[str, Any]], required_columns: Sequence[str]) -> dict[str, list[Any]]:
    """The columns of stored rows without absent rows; an optional column whose values are all empty was not given."""
    stored_rows = [row for row in rows if row["pair_id"] != ABSENT]
    names = list(rows[0]) if rows else list(required_columns)
    columns = {name: [row[name] for row in stored_rows] for name in names}
    return {name: column for name, column in columns.items() if name in required_columns or any(column)}


def _pack_predictions(rows: list[Mapping[str, Any]]) -> list[Any]:
    if all(len(row) == len(PREDICTION_COLUMNS) and _has_both_sides(row) for row in rows):
        return list(rows)
    return [_pack_prediction(row) for row in rows]


def _has_both_sides(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("original"), str) and isinstance(row.get("perturbed"), str)


def _pack_prediction(row: Mapping[str, Any]) -> dict[str, str]:
    if "original" in row and "perturbed" in row:
        original, perturbed = row["original"], row["perturbed"]
        if original is None or perturbed is None:
            raise ScoringError(f"pair {row['pair_id']!r}: the prediction has an empty answer (null)")
        return {"pair_id": str(row["pair_id"]), "original": str(original), "perturbed": str(perturbed)}
    if "side" in row and "answer" in row:
        if row["side"] not in SIDES or row["answer"] is None:
            raise ScoringError(f"pair {row['pair_id']!r}: a side is 'original' or 'perturbed' and has an answer")
        return {"pair_id": str(row["pair_id"]), **dict.fromkeys(SIDES, ABSENT), row["side"]: str(row["answer"])}
    raise ScoringError(f"a prediction has pair_id, original, perturbed or pair_id, side, answer; not {', '.join(row)}")


def _pack_references(rows: list[Mapping[str, Any]], columns: Sequence[str]) -> list[Any]:
    """The named columns alone; only the first row must be free of nulls, which is all that `evaluate` looks at."""
    if not rows:
        return []
    present_names = [name for name in columns if name in rows[0]]
    missing_names = [name for name in columns if name not in rows[0]]
    blanks = tuple([] if name in LIST_COLUMNS else "" for name in missing_names)
    first = {
        name: list(rows[0].get(name) or ()) if name in LIST_COLUMNS else _text(rows[0].get(name)) for name in columns
    }
    names = (*present_names, *missing_names)
    try:
        get = itemgetter(*present_names)
        return [first, *(dict(zip(names, (*get(row), *blanks), strict=True)) for row in rows[1:])]
    except KeyError:
        return [first, *({name: row.get(name) for name in columns} for row in rows[1:])]


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _rows(rows: Any, kind: str, columns: Sequence[str] = ()) -> list[Mapping[str, Any]]:
    if rows is None:
        return []
    if hasattr(rows, "select_columns") and columns:
        rows = rows.select_columns([name for name in columns if name in rows.column_names])
    if not isinstance(rows, list | tuple) or (rows and not isinstance(rows[0], Mapping)):
        rows = as_table(rows, kind).to_pylist()
    for number, row in enumerate(rows, start=1):
        if "pair_id" not in row or row["pair_id"] is None:
            raise ScoringError(f"row {number} of the {kind} has no pair_id")
    return list(rows)
