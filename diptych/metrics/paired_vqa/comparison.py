"""Two or more models on the same pairs: exact McNemar, paired bootstrap, Holm's correction and coverage."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan

import numpy as np
from numpy.typing import ArrayLike

from .columns import Codes, ranks
from .errors import ScoringError
from .families import RATES, get_family
from .intervals import Floats, bootstrap_sums, percentile_interval
from .outcomes import PARTS, Options
from .scoring import ModelScores, Sums, score_values


def mcnemar(first_right: ArrayLike, second_right: ArrayLike) -> float:
    """The p-value of the exact two-sided McNemar test that two models are equally good.

    >>> round(mcnemar([True] * 6 + [False], [False] * 6 + [False]), 5)
    0.03125
    """
    first, second = np.asarray(first_right, dtype=np.bool_), np.asarray(second_right, dtype=np.bool_)
    if first.shape != second.shape:
        raise ScoringError(f"the models answered different numbers of pairs: {first.size} and {second.size}")
    only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
    n = only_first + only_second
    if n == 0:
        return 1.0
    steps = np.arange(1, min(only_first, only_second) + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log((n - steps + 1) / steps))]) - n * np.log(2.0)
    return float(min(1.0, 2.0 * np.exp(logs).sum()))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction for many tests; NaN stays NaN and counts as no test.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    return _correct(p_values, lambda ranks, count: count - ranks, np.maximum.accumulate)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's correction: the share of false discoveries among those up to each p-value.

    >>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """
    return _correct(
        p_values, lambda ranks, count: count / (ranks + 1), lambda values: np.minimum.accumulate(values[::-1])[::-1]
    )


def _correct(
    p_values: Sequence[float], factors: Callable[[Codes, int], Floats | Codes], monotone: Callable[[Floats], Floats]
) -> list[float]:
    """Multiply each p-value by a factor of its rank, make the results monotone and cut them at one."""
    p = np.asarray(p_values, dtype=np.float64)
    positions = np.flatnonzero(~np.isnan(p))
    order = positions[np.argsort(p[positions], kind="stable")]
    results = np.full(len(p), nan)
    results[order] = np.minimum(monotone(p[order] * factors(np.arange(len(order)), len(order))), 1.0)
    return results.tolist()


def coverage_matrix(right: Mapping[str, ArrayLike]) -> dict[str, dict[str, float]]:
    """CARETS' model coverage: entry (i, j) is the share of model j's right pairs that model i has right too.

    >>> coverage_matrix({"a": [True, True], "b": [True, False]})["b"]
    {'a': 0.5, 'b': 1.0}
    """
    flags = {model: np.asarray(values, dtype=np.bool_) for model, values in right.items()}
    return {
        row_model: {
            column_model: float((row_flags & column_flags).sum() / column_flags.sum()) if column_flags.any() else nan
            for column_model, column_flags in flags.items()
        }
        for row_model, row_flags in flags.items()
    }


@dataclass(frozen=True, slots=True)
class Difference:
    """One score of two models, and whether they differ."""

    first: float
    second: float
    difference: float
    """The first minus the second."""
    low: float
    high: float
    p_bootstrap: float
    p_mcnemar: float
    """NaN where the score is not right or wrong for every pair."""
    p_holm: float = nan
    """McNemar's p (the bootstrap's where there is none), corrected over all tests."""


Differences = dict[str, dict[str, Difference]]
"""By test and score."""


def compare(first: ModelScores, second: ModelScores, options: Options) -> Differences:
    """Two models on the same pairs: every score by test, Holm-corrected over the tests."""
    references = first.references
    if not references.ids.equals(second.references.ids):
        raise ScoringError("the two models were not scored on the same pairs")
    codes, tests = ranks(references.tests())
    differences = {
        test: _compare_rows(first, second, np.flatnonzero(codes == code), options) for code, test in enumerate(tests)
    }
    for name in get_family(options.family).scores:
        of_score = [differences[test][name] for test in tests]
        p_values = [entry.p_bootstrap if isnan(entry.p_mcnemar) else entry.p_mcnemar for entry in of_score]
        for test, entry, p in zip(tests, of_score, holm(p_values), strict=True):
            differences[test][name] = replace(entry, p_holm=p)
    return differences


def _compare_rows(first: ModelScores, second: ModelScores, rows: Codes, options: Options) -> dict[str, Difference]:
    tallies = [{name: tally[:, rows] for name, tally in model.tallies.items()} for model in (first, second)]
    sums = [{name: tally.sum(axis=1) for name, tally in of_model.items()} for of_model in tallies]
    resamples: list[Sums] = []
    if options.bootstrap:
        columns = np.concatenate([tally for of_model in tallies for tally in of_model.values()])
        samples = bootstrap_sums(columns, first.references.clusters[rows], options.bootstrap, options.seed)
        # Both models in the same resampled images.
        resamples = [dict(zip(RATES, part, strict=True)) for part in samples.reshape(2, len(RATES), 2, -1)]
    differences = {}
    for name in get_family(options.family).scores:
        first_value, second_value = (float(score_values(name, of_model, options)) for of_model in sums)
        low, high, p = _bootstrap_test(name, resamples, options)
        p_mcnemar = _mcnemar_test(tallies[0][name], tallies[1][name]) if name in RATES else nan
        differences[name] = Difference(first_value, second_value, first_value - second_value, low, high, p, p_mcnemar)
    return differences


def _bootstrap_test(name: str, resamples: Sequence[Sums], options: Options) -> tuple[float, float, float]:
    """The interval of the difference of two models, and the p-value that there is none."""
    if not resamples:
        return nan, nan, nan
    first, second = (score_values(name, sums, options) for sums in resamples)
    gaps = (first - second)[~np.isnan(first - second)]
    if not len(gaps):
        return nan, nan, nan
    beyond_zero = min(int((gaps <= 0).sum()), int((gaps >= 0).sum()))
    return *percentile_interval(gaps), min(1.0, 2 * (beyond_zero + 1) / (len(gaps) + 1))


def _mcnemar_test(first: Codes, second: Codes) -> float:
    """The test of one rate of two models; NaN where the rate is not right or wrong for the same pairs."""
    base = first[1]
    if base.max() != 1 or not np.array_equal(base, second[1]):
        return nan
    # A graded accuracy is cut where a side begins to count as right.
    return mcnemar(*(tally[0][base == 1] >= PARTS // 2 for tally in (first, second)))
