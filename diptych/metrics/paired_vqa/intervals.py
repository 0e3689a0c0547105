"""Intervals and tests of scores: Wilson's interval, the bootstrap over images, exact tests and their corrections."""

from collections.abc import Callable, Sequence
from math import isnan, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .columns import Codes, ScoringError

Floats = NDArray[np.float64]

_Z95 = 1.959963984540054  # the normal quantile of a two-sided interval of 95 %
_CHUNK = 64
_DRAWS_PER_BINOMIAL = 24  # a binomial draw of a multinomial costs about as much as this many single draws


def wilson(rate: float, n: float, z: float = _Z95) -> tuple[float, float]:
    """Wilson's interval of a rate observed in n trials; for a graded score it is wider than necessary.

    >>> [round(bound, 4) for bound in wilson(0.5, 10)]
    [0.2366, 0.7634]
    """
    if n <= 0 or isnan(rate):
        return nan, nan
    share = z * z / n
    center = (rate + share / 2) / (1 + share)
    half = z * sqrt(rate * (1 - rate) / n + share / (4 * n)) / (1 + share)
    return max(0.0, center - half), min(1.0, center + half)


def count_profiles(columns: NDArray[Any], clusters: Codes) -> tuple[Floats, Codes]:
    """The distinct sums of the columns over a cluster, and how many clusters have each: resampling draws from these."""
    _, codes = np.unique(clusters, return_inverse=True)
    return _distinct_rows(np.column_stack([np.bincount(codes, weights=column) for column in columns]))


def resample(sums: Floats, counts: Codes, rounds: int, rng: np.random.Generator) -> Floats:
    """The sums of every column in each of many samples of clusters, drawn with replacement."""
    total = int(counts.sum())
    draw = _draw_clusters if len(counts) * _DRAWS_PER_BINOMIAL > total else _draw_profiles
    chunks = [min(_CHUNK, rounds - start) for start in range(0, rounds, _CHUNK)]
    return np.concatenate([draw(counts, total, size, rng) @ sums for size in chunks])


def percentile_interval(values: Floats) -> tuple[float, float]:
    """The middle 95 % of the resampled values; samples in which the score is undefined are left out."""
    defined_values = values[~np.isnan(values)]
    if not len(defined_values):
        return nan, nan
    low, high = np.quantile(defined_values, [(1 - 0.95) / 2, (1 + 0.95) / 2])
    return float(low), float(high)


def bootstrap_sums(columns: NDArray[Any], clusters: Codes, rounds: int, seed: int) -> Floats:
    """The sum of each column in each resampled set of clusters."""
    return resample(*count_profiles(columns, clusters), rounds, np.random.default_rng(seed % 2**64)).T


def _draw_profiles(counts: Codes, total: int, rounds: int, rng: np.random.Generator) -> Floats:
    return rng.multinomial(total, counts / total, size=rounds).astype(np.float64)


def _draw_clusters(counts: Codes, total: int, rounds: int, rng: np.random.Generator) -> Floats:
    profile_of_cluster = np.repeat(np.arange(len(counts)), counts)
    weights = np.empty((rounds, len(counts)))
    for row in weights:
        sample = rng.integers(0, total, size=total, dtype=np.int64)
        row[:] = np.bincount(profile_of_cluster[sample], minlength=len(counts))
    return weights


def _distinct_rows(sums: Floats) -> tuple[Floats, Codes]:
    """The distinct rows in an order that only their content decides, and how often each occurs."""
    # A hash of every row: sorting by it is faster than sorting rows.
    factors = np.random.default_rng(0).integers(0, 2**63, size=sums.shape[1], dtype=np.uint64) | np.uint64(1)
    products = np.ascontiguousarray(sums + 0.0).view(np.uint64) * factors
    hashes = np.bitwise_xor.reduce(products ^ (products >> np.uint64(29)), axis=1)
    _, first, inverse, counts = np.unique(hashes, return_index=True, return_inverse=True, return_counts=True)
    if np.array_equal(sums, sums[first][inverse]):
        return sums[first], counts
    return np.unique(sums, axis=0, return_counts=True)


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


def fisher(hits: int, support: int, total: int, n: int) -> float:
    """Fisher's exact two-sided test of the two rates."""
    least = max(0, support + total - n)
    k = np.arange(least, min(support, total))
    # The hypergeometric law by the ratios of its neighbors.
    steps = np.log((support - k) / (k + 1)) + np.log((total - k) / (n - support - total + k + 1))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    weights = np.exp(logs - logs.max())
    shares = weights / weights.sum()
    return float(min(1.0, shares[shares <= shares[hits - least] * (1 + 1e-7)].sum()))
