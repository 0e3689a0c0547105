"""Whether the answers give anything away: their balance, and what models that look at nothing score."""

from collections.abc import Iterator
from math import isnan

import pyarrow as pa
import pyarrow.compute as pc

from diptych.audit._findings import finding, percent
from diptych.audit._tables import AuditedFolder
from diptych.errors import BadInputError
from diptych.folder import FindingEntry, Level
from diptych.metrics import SCORED_COLUMNS, score_baselines, wilson

TOLERANCE = 0.03
"""How far the share of yes may lie from one half."""

_BLIND = 0.55
# A model that looks at nothing and is surely right more often than this makes a score hard to read.

MOST_SCORED = 50_000
"""More pairs of a config than this are not scored, for memory; which ones is decided by their ids."""

_COLUMNS = ("perturbed_answer", "template_id", "expectation")


def is_yes_no(table: pa.Table) -> bool:
    """Whether every perturbed answer is yes or no."""
    answers = set(pc.unique(table["perturbed_answer"]).to_pylist())
    return bool(answers) and answers <= {"yes", "no"}


def is_imported(table: pa.Table) -> bool:
    """Whether the pairs were taken over as they are, and not made with templates of ours."""
    return set(pc.unique(table["template_id"]).to_pylist()) <= {""}


def _chose_answers(table: pa.Table) -> bool:
    """Whether the builder chose the answers; where both sides share or swap one, its balance is the source's."""
    return not is_imported(table) and "given" in pc.unique(table["expectation"]).to_pylist()


def check_balance(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """The share of yes among the perturbed answers of every test."""
    for config, test, table in audited.tests(_COLUMNS):
        counts = {entry["values"]: entry["counts"] for entry in pc.value_counts(table["perturbed_answer"]).to_pylist()}
        if set(counts) != {""}:  # open pairs have no right answer to balance
            yield _balance(f"{config}: {test}", table, counts)


def _balance(place: str, table: pa.Table, counts: dict[str, int]) -> FindingEntry:
    n = table.num_rows
    if not is_yes_no(table):
        answer, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
        message = f"{len(counts):,} different answers; the most frequent is {answer!r}, {percent(count / n)} of {n:,}"
        return finding("answer balance", "ok", message, place, {"n": n, "most_frequent": round(count / n, 6)})
    share = counts.get("yes", 0) / n
    low, high = wilson(share, n)
    is_far = low > 0.5 + TOLERANCE or high < 0.5 - TOLERANCE
    message = f"yes {percent(share)} ({100 * low:.1f} to {100 * high:.1f}) of {n:,}"
    numbers = {"n": n, "yes": round(share, 6), "low": round(low, 6), "high": round(high, 6)}
    level: Level = "ok" if not is_far else "error" if _chose_answers(table) else "warning"
    return finding("answer balance", level, message, place, numbers)


def check_baselines(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """What models that look at nothing score in every config."""
    for config in audited.pair_configs():
        table = _scored_pairs(audited, config)
        try:
            scores = score_baselines(table, audited.manifest.score_family)
        except BadInputError as error:
            yield finding("degenerate baselines", "error", f"cannot be scored: {error}", config)
            continue
        numbers = {
            model: {name: None if isnan(value) else round(value, 6) for name, value in values.items()}
            for model, values in scores.items()
        }
        accuracies = {model: values["accuracy_perturbed"] or 0.0 for model, values in numbers.items()}
        blind = {model: value for model, value in accuracies.items() if model != "copy-original"}
        best = max(sorted(blind), key=blind.__getitem__)
        message = f"{best} is right on {percent(blind[best])} of {table.num_rows:,} perturbed questions"
        level: Level = "warning" if wilson(blind[best], table.num_rows)[0] > _BLIND else "ok"
        yield finding("degenerate baselines", level, message, config, numbers)


def _scored_pairs(audited: AuditedFolder, config: str) -> pa.Table:
    """What the scores of degenerate models rest on, of the first pairs by their ids."""
    columns = (*SCORED_COLUMNS, "bindings") if _has_choices(audited, config) else SCORED_COLUMNS
    ids = audited.pairs(config, ["pair_id"])["pair_id"]
    if len(ids) <= MOST_SCORED:
        return audited.pairs(config, columns)
    last = ids.take(pc.sort_indices(ids)[MOST_SCORED - 1 : MOST_SCORED])[0]
    tables = (table.filter(pc.less_equal(table["pair_id"], last)) for table in audited.batches(config, columns))
    return pa.concat_tables(tables)


def _has_choices(audited: AuditedFolder, config: str) -> bool:
    """Whether bindings name choices; other bindings are large, and no score rests on them."""
    columns = (table["bindings"] for table in audited.batches(config, ["bindings"]))
    return any(pc.any(pc.match_substring(column, '"choices"')).as_py() for column in columns)
