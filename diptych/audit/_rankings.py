"""Whether every ranked question is what it says: sorted, certified, without itself."""

from collections.abc import Iterator, Mapping
from typing import Any

from diptych.audit._findings import first_few, result
from diptych.audit._integrity import pair_rows
from diptych.audit._tables import AuditedFolder
from diptych.folder import FindingEntry

LARGEST_GAP, LARGEST_EXCESS = 1e-8, 1e-6
"""What a certificate may say at most."""

_COLUMNS = ("question_id", "question", "basic_questions", "scores", "gap", "excess")


def check_rankings(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Ranked rows, where a dataset has any: scores fall, certificates hold, no question is its own basic question."""
    faults, rows = [], 0
    for config, split in audited.readable:
        entry = audited.manifest.configs[config]
        if entry.tests or not set(_COLUMNS) <= {feature["name"] for feature in entry.features}:
            continue
        table = audited.folder.table(config, split, _COLUMNS)
        rows += table.num_rows
        faults += [f"{config} {row['question_id']}: {fault}" for row in pair_rows(table) if (fault := _fault(row))]
    if rows:
        message = f"{rows:,} rankings fall, keep their certificates and leave their own question out"
        yield result("rankings", faults and [first_few(faults)], message, rows=rows)


def _fault(row: Mapping[str, Any]) -> str:
    basic, scores = row["basic_questions"], row["scores"]
    if len(scores) != len(basic) or scores != sorted(scores, reverse=True):
        return "its scores do not fall"
    if row["question"] in basic or len(set(basic)) < len(basic):
        return "its basic questions repeat it or each other"
    if row["gap"] is not None and not (row["gap"] <= LARGEST_GAP and row["excess"] <= LARGEST_EXCESS):
        return "its certificate does not hold"
    return ""
