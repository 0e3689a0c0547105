"""Whether every ranked question is what it says: sorted, certified, without itself."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from diptych.cards.audit.built import Built
from diptych.cards.audit.finding import Finding, some, verdict

LARGEST_GAP, LARGEST_EXCESS = 1e-8, 1e-6
"""What a certificate may tell at most."""

_COLUMNS = ("question_id", "question", "basic_questions", "scores", "gap", "excess")


def rankings(built: Built) -> Iterator[Finding]:
    """Ranked rows, where a dataset has any: scores fall, certificates hold, no question is its own basic question."""
    faults, rows = [], 0
    for (config, _), table in built.tables.items():
        if built.manifest["configs"][config]["tests"] or not set(_COLUMNS) <= set(table.column_names):
            continue
        rows += table.num_rows
        faults += [f"{config} {row['question_id']}: {fault}" for row in _rows(table) if (fault := _fault(row))]
    if rows:
        fine = f"{rows:,} rankings fall, keep their certificates and leave their own question out"
        yield verdict("rankings", [some(faults)] if faults else [], fine, rows=rows)


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.select(_COLUMNS).to_batches(max_chunksize=4096):
        yield from batch.to_pylist()


def _fault(row: Mapping[str, Any]) -> str:
    basic, scores = row["basic_questions"], row["scores"]
    if len(scores) != len(basic) or scores != sorted(scores, reverse=True):
        return "its scores do not fall"
    if row["question"] in basic or len(set(basic)) < len(basic):
        return "its basic questions repeat it or each other"
    if row["gap"] is not None and not (row["gap"] <= LARGEST_GAP and row["excess"] <= LARGEST_EXCESS):
        return "its certificate does not hold"
    return ""
