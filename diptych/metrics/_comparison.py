"""Models on the same pairs: how two differ, and letters that those of many which do not differ have in common."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import erfc, isnan, nan, sqrt
from string import ascii_letters

import numpy as np

from diptych.metrics.paired_vqa.columns import Codes, ScoringError
from diptych.metrics.paired_vqa.families import COMMON_SCORES, DESCRIPTIVE_RATES, RATES
from diptych.metrics.paired_vqa.intervals import holm, mcnemar, percentile_interval
from diptych.metrics.paired_vqa.outcomes import PARTS, Options
from diptych.metrics.paired_vqa.scoring import (
    ModelScores,
    Score,
    Sums,
    Tallies,
    make_score,
    reported_scores,
    resample_models,
    score_values,
    select_tallies,
)

ALL_TESTS = "all"  # what stands for the name of a test where all are taken together

LEVEL = 0.05  # the share of wrong differences among models that do not differ


@dataclass(frozen=True, slots=True)
class Difference:
    """One score of two models, and whether they differ."""

    first: float
    second: float
    difference: float  # the first minus the second
    low: float
    high: float
    p_bootstrap: float
    p_mcnemar: float  # naN where the score is not right or wrong for every pair
    p_holm: float = nan  # mcNemar's p (the bootstrap's where there is none), corrected over all tests

    @property
    def p(self) -> float:
        """The p-value that there is no difference: McNemar's where there is one."""
        return self.p_bootstrap if isnan(self.p_mcnemar) else self.p_mcnemar


Differences = dict[str, dict[str, Difference]]  # by test and score


def compare(first: ModelScores, second: ModelScores, options: Options) -> Differences:
    """Two models on the same pairs: every score by test, Holm-corrected over the tests, and first over all tests."""
    models = (first, second)
    names = [name for name in reported_scores(options) if name not in COMMON_SCORES]
    check_same_pairs(models)
    differences = {}
    for test, rows in first.references.tests().groups(first.scope.rows).items():
        samples = _Samples.draw(models, rows, names, options)
        differences[test] = {name: samples.difference(name, 0, 1) for name in names}
    for name in names:
        of_score = [scores[name] for scores in differences.values()]
        p_values = holm([entry.p for entry in of_score])
        for scores, entry, p in zip(differences.values(), of_score, p_values, strict=True):
            scores[name] = replace(entry, p_holm=p)
    if len(differences) < 2:
        return differences
    samples = _Samples.draw(models, first.scope.headline, names, options)
    return {ALL_TESTS: {name: samples.difference(name, 0, 1) for name in names}} | differences


def check_same_pairs(models: Sequence[ModelScores]) -> None:
    """Refuse models that were scored on different pairs."""
    if not all(model.references.ids.equals(models[0].references.ids) for model in models):
        raise ScoringError("the models were not scored on the same pairs")


@dataclass(frozen=True, slots=True)
class Tied:
    """A score of one of several models, and the letters of the groups that do not differ in it."""

    score: Score
    letters: str


def score_together(
    models: Sequence[ModelScores], rows: Codes, names: Collection[str], options: Options
) -> dict[str, list[Tied]]:
    """Some scores of many models on some pairs: models that have a letter in common do not differ.

    Every two models are tested on the same pairs (McNemar, or the bootstrap over images where a score is not right or
    wrong for every pair), and the p-values of a score are Holm-corrected over all of them. The highest have an `a`.
    Rates that only describe what a model says, and are neither good nor bad, have no letters.
    """
    samples = _Samples.draw(models, rows, names, options)
    results = {}
    for name in names:
        scores = samples.scores(name)
        order = sorted(
            (i for i, score in enumerate(scores) if not isnan(score.value)), key=lambda i: (-scores[i].value, i)
        )
        pairs = list(combinations(range(len(order)), 2)) if name not in DESCRIPTIVE_RATES else []
        p_values = holm([samples.p_value(name, order[i], order[j]) for i, j in pairs])
        letters = letter_display(len(order), [pair for pair, p in zip(pairs, p_values, strict=True) if p < LEVEL])
        is_tested = bool(pairs) and not any(map(isnan, p_values))  # without a bootstrap some scores have no test
        of_model = dict(zip(order, letters, strict=True)) if is_tested else {}
        results[name] = [Tied(score, of_model.get(i, "")) for i, score in enumerate(scores)]
    return results


def letter_display(count: int, differing: Collection[tuple[int, int]]) -> list[str]:
    """Letters for models in order, such that two share one if and only if they do not differ (Piepho, 2004).

    >>> letter_display(3, [(0, 2)])
    ['a', 'ab', 'b']
    """
    groups = [frozenset(range(count))]
    for pair in differing:
        parts = [group - {model} if group.issuperset(pair) else group for group in groups for model in pair]
        groups = [group for group in dict.fromkeys(parts) if not any(group < part for part in parts)]
    letters = [""] * count
    for number, group in enumerate(sorted(groups, key=sorted)):
        for model in group:
            letters[model] += ascii_letters[number] if number < len(ascii_letters) else f"({number})"
    return letters


@dataclass(frozen=True, slots=True)
class _Samples:
    """What some scores of many models rest on, and the same in resampled images."""

    options: Options
    tallies: list[Tallies]
    sums: list[Sums]
    resamples: list[Sums]

    @classmethod
    def draw(cls, models: Sequence[ModelScores], rows: Codes, names: Collection[str], options: Options) -> "_Samples":
        tallies = [select_tallies(model, rows, names) for model in models]
        sums = [{name: tally.sum(axis=1) for name, tally in of_model.items()} for of_model in tallies]
        resamples = resample_models(tallies, models[0].references.clusters[rows], options) if len(rows) else []
        return cls(options, tallies, list(sums), resamples)

    def scores(self, name: str) -> list[Score]:
        resamples: Sequence[Sums | None] = self.resamples or [None] * len(self.sums)
        return [make_score(name, *pair, self.options) for pair in zip(self.sums, resamples, strict=True)]

    def difference(self, name: str, i: int, j: int) -> Difference:
        first, second = (float(score_values(name, self.sums[model], self.options)) for model in (i, j))
        low, high, p = self._bootstrap_test(name, i, j)
        p_mcnemar = _mcnemar_test(self.tallies[i][name], self.tallies[j][name]) if name in RATES else nan
        return Difference(first, second, first - second, low, high, p, p_mcnemar)

    def p_value(self, name: str, i: int, j: int) -> float:
        """McNemar's p-value where a score is right or wrong, the bootstrap's where it is graded or has another base."""
        entry = self.difference(name, i, j)
        is_graded = name in RATES and any((of_model[name][0] % PARTS).any() for of_model in self.tallies)
        return entry.p_bootstrap if is_graded and self.resamples else entry.p

    def _bootstrap_test(self, name: str, i: int, j: int) -> tuple[float, float, float]:
        """The interval of the difference of two models, and the p-value that there is none."""
        if not self.resamples:
            return nan, nan, nan
        first, second = (score_values(name, self.resamples[model], self.options) for model in (i, j))
        gaps = (first - second)[~np.isnan(first - second)]
        if not len(gaps):
            return nan, nan, nan
        beyond_zero = min(int((gaps <= 0).sum()), int((gaps >= 0).sum()))
        p = min(1.0, 2 * (beyond_zero + 1) / (len(gaps) + 1))
        if not beyond_zero and gaps.std() > 0:
            # Rounds end where p-values begin to matter once they are corrected; the normal law goes on.
            p = min(p, erfc(abs(float(gaps.mean())) / float(gaps.std()) / sqrt(2)))
        return *percentile_interval(gaps), p


def _mcnemar_test(first: Codes, second: Codes) -> float:
    """The test of one rate of two models; NaN where the rate is not right or wrong for the same pairs."""
    base = first[1]
    if not len(base) or base.max() != 1 or not np.array_equal(base, second[1]):
        return nan
    # A graded accuracy is cut where a side begins to count as right.
    return mcnemar(*(tally[0][base == 1] >= PARTS // 2 for tally in (first, second)))
