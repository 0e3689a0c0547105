"""Two or more models on the same pairs: exact McNemar, paired bootstrap, Holm's correction and coverage."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .accuracy import PARTS
from .columns import constant_column, ranks
from .errors import ScoringError
from .families import get_family
from .intervals import Floats, bootstrap_sums, percentile_interval
from .rates import RATES, Sums
from .scoring import ModelScores, Options, rate_columns, resampled_values, score_value


def mcnemar(first_right: ArrayLike, second_right: ArrayLike) -> float:
    """The p-value of the exact two-sided McNemar test that two models are equally good.

    >>> round(mcnemar([True] * 6 + [False], [False] * 6 + [False]), 5)
    0.03125
    """
    first, second = np.asarray(first_right, dtype=np.bool_), np.asarray(second_right, dtype=np.bool_)
    if first.shape != second.shape:
        raise ScoringError(f"the models answered different numbers of pairs: {first.size} and {second.size}")
    return exact_mcnemar(int((first & ~second).sum()), int((second & ~first).sum()))


def exact_mcnemar(only_first: int, only_second: int) -> float:
    """The same from the two counts of disagreement.

    >>> exact_mcnemar(0, 0)
    1.0
    """
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
    return _correct(p_values, lambda rank, count: count - rank, np.maximum.accumulate)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's correction: the share of false discoveries among those up to each p-value.

    >>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """
    return _correct(
        p_values, lambda rank, count: count / (rank + 1), lambda values: np.minimum.accumulate(values[::-1])[::-1]
    )


def _correct(
    p_values: Sequence[float], factor: Callable[[int, int], float], monotone: Callable[[Floats], Floats]
) -> list[float]:
    """Multiply each p-value by a factor of its rank, make the results monotone and cut them at one."""
    p = np.asarray(p_values, dtype=np.float64)
    positions = np.flatnonzero(~np.isnan(p))
    order = positions[np.argsort(p[positions], kind="stable")]
    products = p[order] * np.array([factor(rank, len(order)) for rank in range(len(order))])
    results = np.full(len(p), nan)
    results[order] = np.minimum(monotone(products), 1.0) if len(order) else products
    return [float(value) for value in results]


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
    is_tested = references.has_column("test")
    column = references.column("test") if is_tested else constant_column("all", len(references))
    codes, tests = ranks(column)
    return _correct_over_tests(
        {test: _compare_rows(first, second, np.flatnonzero(codes == code), options) for code, test in enumerate(tests)}
    )


def _compare_rows(
    first: ModelScores, second: ModelScores, rows: NDArray[np.int64], options: Options
) -> dict[str, Difference]:
    resamples = _paired_resamples(first, second, rows, options) if options.bootstrap else None
    first_sums, second_sums = (_sums(model, rows) for model in (first, second))
    differences = {}
    for name in get_family(options.family).scores:
        first_value, _ = score_value(name, first_sums, options)
        second_value, _ = score_value(name, second_sums, options)
        low, high, p = _bootstrap_test(name, resamples, options)
        p_mcnemar = _mcnemar_test(name, first, second, rows)
        differences[name] = Difference(first_value, second_value, first_value - second_value, low, high, p, p_mcnemar)
    return differences


def _bootstrap_test(name: str, resamples: tuple[Sums, Sums] | None, options: Options) -> tuple[float, float, float]:
    """The interval of the difference of two models, and the p-value that there is none."""
    if resamples is None:
        return nan, nan, nan
    gaps = resampled_values(name, resamples[0], options) - resampled_values(name, resamples[1], options)
    gaps = gaps[~np.isnan(gaps)]
    if not len(gaps):
        return nan, nan, nan
    beyond_zero = min(int((gaps <= 0).sum()), int((gaps >= 0).sum()))
    return *percentile_interval(gaps), min(1.0, 2 * (beyond_zero + 1) / (len(gaps) + 1))


def _paired_resamples(
    first: ModelScores, second: ModelScores, rows: NDArray[np.int64], options: Options
) -> tuple[Sums, Sums]:
    """The sums of both models in the same resampled images."""
    columns: dict[tuple[int, tuple[str, int]], Floats] = {}
    for number, model in enumerate((first, second)):
        columns |= {(number, key): column for key, column in rate_columns(model.tallies, rows).items()}
    sums = bootstrap_sums(columns, first.references.clusters[rows], options.bootstrap, options.seed)
    first_sums, second_sums = (
        {key: values for (model, key), values in sums.items() if model == number} for number in (0, 1)
    )
    return first_sums, second_sums


def _sums(model: ModelScores, rows: NDArray[np.int64]) -> dict[tuple[str, int], float]:
    return {key: float(column.sum()) for key, column in rate_columns(model.tallies, rows).items()}


def _mcnemar_test(name: str, first: ModelScores, second: ModelScores, rows: NDArray[np.int64]) -> float:
    if name not in RATES:
        return nan
    first_tally, second_tally = first.tallies[name], second.tallies[name]
    base = first_tally.denominator[rows]
    if not len(rows) or base.max() != 1 or not np.array_equal(base, second_tally.denominator[rows]):
        return nan
    hits = [tally.numerator[rows][base == 1] for tally in (first_tally, second_tally)]
    # A graded accuracy is cut where a side begins to count as right.
    return mcnemar(hits[0] >= PARTS // 2, hits[1] >= PARTS // 2)


def _correct_over_tests(differences: Differences) -> Differences:
    tests = list(differences)
    results: Differences = {test: {} for test in tests}
    for name in differences[tests[0]] if tests else ():
        of_score = [differences[test][name] for test in tests]
        p_values = [entry.p_bootstrap if isnan(entry.p_mcnemar) else entry.p_mcnemar for entry in of_score]
        for test, entry, p in zip(tests, of_score, holm(p_values), strict=True):
            results[test][name] = replace(entry, p_holm=p)
    return results
