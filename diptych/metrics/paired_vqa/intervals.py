"""Intervals of scores: Wilson's, and those of the bootstrap over images."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isnan, nan, sqrt
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Name = TypeVar("Name")

Z95 = 1.959963984540054
"""The normal quantile of a two-sided interval of 95 %."""

_CHUNK = 64
_DRAWS_PER_BINOMIAL = 24
# A binomial draw of a multinomial costs about as much as this many single draws.


def wilson(rate: float, n: float, z: float = Z95) -> tuple[float, float]:
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


@dataclass(frozen=True, slots=True)
class Profiles:
    """Clusters with equal sums, counted: resampling clusters is drawing from these counts."""

    sums: Floats
    counts: NDArray[np.int64]

    @classmethod
    def count(cls, columns: Floats, clusters: NDArray[np.int64]) -> "Profiles":
        """Sum the columns of every cluster, and count the clusters whose sums agree."""
        _, codes = np.unique(clusters, return_inverse=True)
        size = int(codes.max()) + 1 if len(codes) else 0
        sums = [np.bincount(codes, weights=column, minlength=size) for column in columns.T]
        return cls(*_distinct_rows(np.column_stack(sums).astype(np.float64)))


def resample(profiles: Profiles, rounds: int, rng: np.random.Generator) -> Floats:
    """The sums of every column in each of many samples of clusters, drawn with replacement."""
    total = int(profiles.counts.sum())
    draw = _draw_clusters if len(profiles.counts) * _DRAWS_PER_BINOMIAL > total else _draw_profiles
    chunks = [min(_CHUNK, rounds - start) for start in range(0, rounds, _CHUNK)]
    return np.concatenate([draw(profiles.counts, total, size, rng) @ profiles.sums for size in chunks])


def percentile_interval(values: Floats, level: float = 0.95) -> tuple[float, float]:
    """The middle part of the resampled values; samples in which the score is undefined are left out."""
    defined_values = values[~np.isnan(values)]
    if not len(defined_values):
        return nan, nan
    low, high = np.quantile(defined_values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bootstrap_intervals(
    columns: Mapping[Name, Floats],
    clusters: NDArray[np.int64],
    scores: Mapping[str, Callable[[Mapping[Name, Floats]], Floats]],
    rounds: int,
    seed: int = 0,
) -> dict[str, tuple[float, float]]:
    """The bootstrap interval of every score, each a function of the columns' sums, with images as clusters.

    >>> columns = {"right": np.array([1.0, 0.0, 1.0, 1.0]), "asked": np.ones(4)}
    >>> share = {"accuracy": lambda sums: sums["right"] / sums["asked"]}
    >>> bootstrap_intervals(columns, np.array([0, 1, 2, 3]), share, rounds=1000)
    {'accuracy': (0.25, 1.0)}
    """
    sums = bootstrap_sums(columns, clusters, rounds, seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {name: percentile_interval(score(sums)) for name, score in scores.items()}


def bootstrap_sums(
    columns: Mapping[Name, Floats], clusters: NDArray[np.int64], rounds: int, seed: int
) -> dict[Name, Floats]:
    """The columns' sums in each resampled set of clusters."""
    profiles = Profiles.count(np.column_stack(list(columns.values())).astype(np.float64), clusters)
    sums = resample(profiles, rounds, np.random.default_rng(seed % 2**64))
    return {name: sums[:, index] for index, name in enumerate(columns)}


def _draw_profiles(counts: NDArray[np.int64], total: int, rounds: int, rng: np.random.Generator) -> Floats:
    return rng.multinomial(total, counts / total, size=rounds).astype(np.float64)


def _draw_clusters(counts: NDArray[np.int64], total: int, rounds: int, rng: np.random.Generator) -> Floats:
    profile_of_cluster = np.repeat(np.arange(len(counts)), counts)
    weights = np.empty((rounds, len(counts)))
    for row in weights:
        sample = rng.integers(0, total, size=total, dtype=np.int64)
        row[:] = np.bincount(profile_of_cluster[sample], minlength=len(counts))
    return weights


def _distinct_rows(sums: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The distinct rows in an order that only their content decides, and how often each occurs."""
    fingerprints = _fingerprints(sums)
    _, first, inverse, counts = np.unique(fingerprints, return_index=True, return_inverse=True, return_counts=True)
    if np.array_equal(sums, sums[first][inverse]):
        return sums[first], counts
    rows, counts = np.unique(sums, axis=0, return_counts=True)
    return rows, counts


def _fingerprints(sums: Floats) -> NDArray[np.uint64]:
    """A hash of every row; sorting by it is faster than sorting rows."""
    factors = np.random.default_rng(0).integers(0, 2**63, size=sums.shape[1], dtype=np.uint64) | np.uint64(1)
    products = np.ascontiguousarray(sums + 0.0).view(np.uint64) * factors
    fingerprints: NDArray[np.uint64] = np.bitwise_xor.reduce(products ^ (products >> np.uint64(29)), axis=1)
    return fingerprints
