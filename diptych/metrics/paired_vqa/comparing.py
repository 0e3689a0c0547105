"""Several models beside each other: exact McNemar, paired bootstrap, Holm and coverage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .coding import constant, ranks
from .errors import ScoringError
from .intervals import Floats, bootstrap_sums, percentile_interval
from .rightness import PARTS
from .scores import DERIVED, RATES, SCORES_OF, Tally
from .scoring import Options, Scored, group_sums, resampled, value_of


def mcnemar(first_right: ArrayLike, second_right: ArrayLike) -> float:
    """The exact two-sided McNemar test: how likely so lopsided a disagreement is between equally good models.

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
    n, least = only_first + only_second, min(only_first, only_second)
    if n == 0:
        return 1.0
    steps = np.arange(1, least + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log((n - steps + 1) / steps))]) - n * np.log(2.0)
    return float(min(1.0, 2.0 * np.exp(logs).sum()))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction for many tests; NaN stays NaN and counts as no test.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    return _step_down(p_values, lambda rank, count: count - rank, np.maximum.accumulate)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's correction: the share of false finds among those up to each p-value.

    >>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """
    backwards = lambda values: np.minimum.accumulate(values[::-1])[::-1]  # noqa: E731
    return _step_down(p_values, lambda rank, count: count / (rank + 1), backwards)


def coverage_matrix(right: Mapping[str, ArrayLike]) -> dict[str, dict[str, float]]:
    """CARETS' model coverage: entry (i, j) is the share of model j's right pairs that model i has right too.

    >>> coverage_matrix({"a": [True, True], "b": [True, False]})["b"]
    {'a': 0.5, 'b': 1.0}
    """
    flags = {name: np.asarray(values, dtype=np.bool_) for name, values in right.items()}
    return {
        one: {
            other: float((mine & theirs).sum() / theirs.sum()) if theirs.any() else nan
            for other, theirs in flags.items()
        }
        for one, mine in flags.items()
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
    """NaN where the score is not a right-or-wrong of every pair."""
    p_holm: float = nan
    """McNemar's p (the bootstrap's where there is none), corrected over all tests."""


def compare(first: Scored, second: Scored, options: Options) -> dict[str, dict[str, Difference]]:
    """Two models on the same pairs: every score by test, Holm-corrected over the tests."""
    known = first.references
    if not known.ids.equals(second.references.ids):
        raise ScoringError("the two models were not scored on the same pairs")
    has_tests = "test" in known.table.column_names
    codes, tests = ranks(known.column("test") if has_tests else constant("all", len(known)))
    found = {test: _compare_rows(first, second, np.flatnonzero(codes == at), options) for at, test in enumerate(tests)}
    return _corrected(found)


def _compare_rows(first: Scored, second: Scored, rows: NDArray[np.int64], options: Options) -> dict[str, Difference]:
    drawn = _paired_draws(first, second, rows, options)
    sums = [_sums(scored, rows) for scored in (first, second)]
    found = {}
    for name in SCORES_OF[options.config]:
        one, other = (value_of(name, each, options)[0] for each in sums)
        low, high, p = _bootstrap_test(name, drawn, options)
        found[name] = Difference(one, other, one - other, low, high, p, _mcnemar_of(name, first, second, rows))
    return found


def _bootstrap_test(name: str, drawn: tuple[Any, Any] | None, options: Options) -> tuple[float, float, float]:
    if drawn is None:
        return nan, nan, nan
    gaps = resampled(name, drawn[0], options) - resampled(name, drawn[1], options)
    gaps = gaps[~np.isnan(gaps)]
    if not len(gaps):
        return nan, nan, nan
    beyond = min(int((gaps <= 0).sum()), int((gaps >= 0).sum()))
    return *percentile_interval(gaps), min(1.0, 2 * (beyond + 1) / (len(gaps) + 1))


def _paired_draws(first: Scored, second: Scored, rows: NDArray[np.int64], options: Options) -> tuple[Any, Any] | None:
    """The sums of both models in the same resampled images."""
    if not options.bootstrap:
        return None
    columns: dict[tuple[int, str, int], Floats] = {}
    for model, scored in enumerate((first, second)):
        for name, tally in scored.tallies.items():
            columns[model, name, 0] = tally.above[rows].astype(np.float64)
            columns[model, name, 1] = tally.below[rows].astype(np.float64)
    drawn = bootstrap_sums(columns, first.references.clusters[rows], options.bootstrap, options.seed)
    return tuple({key[1:]: sums for key, sums in drawn.items() if key[0] == model} for model in (0, 1))  # type: ignore[return-value]


def _sums(scored: Scored, rows: NDArray[np.int64]) -> dict[tuple[str, int], float]:
    chosen = {name: Tally(tally.above[rows], tally.below[rows]) for name, tally in scored.tallies.items()}
    sums = group_sums(chosen, np.zeros(len(rows), dtype=np.int64), 1)
    return {key: float(value[0]) for key, value in sums.items()}


def _mcnemar_of(name: str, first: Scored, second: Scored, rows: NDArray[np.int64]) -> float:
    if name in DERIVED or name not in RATES:
        return nan
    one, other = first.tallies[name], second.tallies[name]
    asked = one.below[rows]
    if not len(rows) or asked.max() != 1 or not np.array_equal(asked, other.below[rows]):
        return nan
    hits = [tally.above[rows][asked == 1] for tally in (one, other)]
    # A graded accuracy is cut where a side begins to count as right.
    return mcnemar(*(hit >= PARTS // 2 for hit in hits))


def _corrected(found: Mapping[str, Mapping[str, Difference]]) -> dict[str, dict[str, Difference]]:
    tests = list(found)
    corrected: dict[str, dict[str, Difference]] = {test: {} for test in tests}
    for name in found[tests[0]] if tests else ():
        column = [found[test][name] for test in tests]
        raw = [each.p_bootstrap if np.isnan(each.p_mcnemar) else each.p_mcnemar for each in column]
        for test, each, p in zip(tests, column, holm(raw), strict=True):
            corrected[test][name] = replace(each, p_holm=p)
    return corrected


def _step_down(p_values: Sequence[float], factor: Any, monotone: Any) -> list[float]:
    p = np.asarray(p_values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    scaled = p[order] * np.array([factor(rank, len(order)) for rank in range(len(order))])
    corrected = np.full(len(p), nan)
    corrected[order] = np.minimum(monotone(scaled), 1.0) if len(order) else scaled
    return [float(value) for value in corrected]
