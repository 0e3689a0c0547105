"""Whether the answers give anything away: their balance, and what models that look at nothing score."""

from collections.abc import Iterator
from math import isnan

import pyarrow.compute as pc

from diptych.audit._tables import AuditedFolder, AuditedTest, finding, percent
from diptych.errors import BadInputError
from diptych.folder import FindingEntry, Level
from diptych.metrics import SCORED_COLUMNS, score_baselines, scoring, wilson
from diptych.models import predict_blind

TOLERANCE = 0.03  # how far the share of yes may lie from one half

BLIND = 0.55  # a model that looks at nothing and is surely right more often than this makes a score hard to read

MOST_SCORED = 20_000  # more pairs of a config than this are not scored, for memory; which ones is decided by their ids

_ASKED = ("original_question", "perturbed_question")
_SCORED = tuple(dict.fromkeys((*SCORED_COLUMNS, "original_image_id", "group_id", *_ASKED)))


def check_balance(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """The share of yes among the perturbed answers of every test."""
    # Open pairs have no right answer to balance.
    yield from (_balance(test) for test in audited.tests if test.answers.keys() != {""})


def _balance(test: AuditedTest) -> FindingEntry:
    n = test.answers.total()
    if not test.is_yes_no:
        answer, count = min(test.answers.items(), key=lambda item: (-item[1], item[0]))
        most = f"the most frequent is {answer!r}, {percent(count / n)} of {n:,}"
        message = f"{len(test.answers):,} different answers; {most}"
        return finding("answer balance", "ok", message, test.place, {"n": n, "most_frequent": round(count / n, 6)})
    share = test.answers["yes"] / n
    low, high = wilson(share, n)
    message = f"yes {percent(share)} ({100 * low:.1f} to {100 * high:.1f}) of {n:,}"
    numbers = {"n": n, "yes": round(share, 6), "low": round(low, 6), "high": round(high, 6)}
    is_far = low > 0.5 + TOLERANCE or high < 0.5 - TOLERANCE
    # Where both sides share or swap an answer, its balance is the source's.
    is_ours = not test.is_imported and "given" in test.expectations
    level: Level = "ok" if not is_far else "error" if is_ours else "warning"
    return finding("answer balance", level, message, test.place, numbers)


def check_baselines(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """What models that look at nothing score in every config."""
    for config in audited.pair_configs:
        columns = (*_SCORED, "bindings") if _has_choices(audited, config) else _SCORED
        table = audited.first_pairs(config, columns, MOST_SCORED)
        try:
            with scoring():
                blind = {"blind": predict_blind(table)} if set(_ASKED) <= set(table.column_names) else {}
            scores = score_baselines(table, audited.folder.manifest.score_family, blind)
        except BadInputError as error:
            yield finding("degenerate baselines", "error", f"cannot be scored: {error}", config)
            continue
        numbers = {
            model: {name: None if isnan(value) else round(value, 6) for name, value in values.items()}
            for model, values in scores.items()
        }
        accuracies = {model: values["accuracy_perturbed"] or 0.0 for model, values in numbers.items()}
        # The one looks at the right answers; what the other learns is told by the check of telling words.
        accuracies = {model: value for model, value in accuracies.items() if model not in ("copy-original", "blind")}
        best = max(sorted(accuracies), key=accuracies.__getitem__)
        message = f"{best} is right on {percent(accuracies[best])} of {table.num_rows:,} perturbed questions"
        level: Level = "warning" if wilson(accuracies[best], table.num_rows)[0] > BLIND else "ok"
        yield finding("degenerate baselines", level, message, config, numbers)


def _has_choices(audited: AuditedFolder, config: str) -> bool:
    """Whether bindings name choices; other bindings are large, and no score rests on them."""
    columns = (table["bindings"] for table in audited.batches(config, ["bindings"]))
    return any(pc.any(pc.match_substring(column, '"choices"')).as_py() for column in columns)
