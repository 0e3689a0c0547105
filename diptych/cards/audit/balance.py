"""Whether the answers give anything away: their balance, and what models that look at nothing score."""

from collections import Counter
from collections.abc import Iterator
from math import isnan

import pyarrow as pa
import pyarrow.compute as pc

from diptych.cards.audit.built import Built
from diptych.cards.audit.finding import Finding, Level, percent
from diptych.metrics.paired_vqa.baselines import baseline_scores
from diptych.metrics.paired_vqa.errors import ScoringError
from diptych.metrics.paired_vqa.intervals import wilson
from diptych.metrics.paired_vqa.references import encode_references
from diptych.metrics.paired_vqa.scores import SCORES_OF
from diptych.metrics.paired_vqa.scoring import Options

TOLERANCE = 0.03
"""How far the share of yes may lie from one half."""

_BLIND = 0.55
# A model that looks at nothing and is surely right more often than this makes a score hard to read.


def is_yes_no(table: pa.Table) -> bool:
    """Whether every perturbed answer of known rightness is yes or no."""
    known = set(pc.unique(table["perturbed_answer"]).to_pylist())
    return bool(known) and known <= {"yes", "no"}


def is_imported(table: pa.Table) -> bool:
    """Whether the pairs were taken over as they are, and not made with templates of ours."""
    return set(pc.unique(table["template_id"]).to_pylist()) <= {""}


def _answers_are_ours(table: pa.Table) -> bool:
    """Whether the builder chose the answers; where both sides share or swap one, its balance is the source's."""
    return not is_imported(table) and "given" in pc.unique(table["expectation"]).to_pylist()


def balance(built: Built) -> Iterator[Finding]:
    """The share of yes among the perturbed answers of every test."""
    for config, test, table in built.by_test():
        where = f"{config}: {test}"
        answers = Counter(table["perturbed_answer"].to_pylist())
        n = table.num_rows
        if set(answers) == {""}:
            continue  # open pairs have no right answer to balance
        if not is_yes_no(table):
            (top, count), *_ = sorted(answers.items(), key=lambda item: (-item[1], item[0]))
            what = f"{len(answers):,} different answers; the most frequent is {top!r}, {percent(count / n)} of {n:,}"
            yield Finding("answer balance", "ok", what, where, {"n": n, "most_frequent": round(count / n, 6)})
            continue
        share = answers["yes"] / n
        low, high = wilson(share, n)
        far = low > 0.5 + TOLERANCE or high < 0.5 - TOLERANCE
        what = f"yes {percent(share)} ({100 * low:.1f} to {100 * high:.1f}) of {n:,}"
        numbers = {"n": n, "yes": round(share, 6), "low": round(low, 6), "high": round(high, 6)}
        level: Level = "ok" if not far else "wanting" if _answers_are_ours(table) else "note"
        yield Finding("answer balance", level, what, where, numbers)


def degenerate(built: Built) -> Iterator[Finding]:
    """What models that look at nothing score in every config."""
    for config, table in built.by_config().items():
        families = {test.partition(".")[0] for test in pc.unique(table["test"]).to_pylist()}
        family = families.pop() if len(families) == 1 else "all"
        try:
            known = encode_references(table)
            scores = baseline_scores(known, Options(family if family in SCORES_OF else "all", bootstrap=0))
        except ScoringError as error:
            yield Finding("degenerate baselines", "wanting", f"cannot be scored: {error}", config)
            continue
        numbers = {
            model: {name: None if isnan(value) else round(value, 6) for name, value in values.items()}
            for model, values in scores.items()
        }
        right = {model: values["accuracy_perturbed"] or 0.0 for model, values in numbers.items()}
        blind = {model: value for model, value in right.items() if model != "copy-original"}
        best = max(sorted(blind), key=blind.__getitem__)
        what = f"{best} is right on {percent(blind[best])} of the perturbed questions"
        level: Level = "note" if wilson(blind[best], table.num_rows)[0] > _BLIND else "ok"
        yield Finding("degenerate baselines", level, what, config, numbers)
