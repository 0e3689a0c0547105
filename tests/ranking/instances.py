"""LASSO problems of thirty kinds, most of them awkward, and a check of answers that shares no code with the solver."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from diptych.ranking import Ranking

Array = npt.NDArray[np.float64]
LAMBDAS = (0.3, 1e-2, 1e-3, 1e-4, 1e-6, 1e-6, 1e-8, 1e-12)


@dataclass(frozen=True)
class Instance:
    kind: str
    basic: npt.NDArray[np.float32]
    main: npt.NDArray[np.float32]
    lam: float
    settings: dict[str, Any]  # exclude, nonneg, convention


Make = Callable[[np.random.Generator, int, int, int], tuple[Array, Array]]
KINDS: dict[str, Make] = {}


def kind(make: Make) -> Make:
    KINDS[make.__name__.replace("_", " ")] = make
    return make


@kind
def gaussian(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    return rng.normal(size=(n, d)), rng.normal(size=(m, d))


@kind
def clustered(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    centers = rng.normal(size=(max(2, n // 9), d))
    rows = centers[rng.integers(len(centers), size=n + m)] + 0.4 * rng.normal(size=(n + m, d))
    return rows[:n], rows[n:]


@kind
def duplicated(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    rows = rng.normal(size=(max(1, n // 3), d))
    return rows[rng.integers(len(rows), size=n)], rng.normal(size=(m, d))


@kind
def duplicated_up_to_sign_and_scale(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    rows, main = duplicated(rng, n, d, m)
    return rows * rng.choice([-2.0, -1.0, -0.3, 0.7, 1.0, 3.0], size=(n, 1)), main


@kind
def rank_deficient(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    basis = rng.normal(size=(max(1, d // 3), d))
    return rng.normal(size=(n, len(basis))) @ basis, rng.normal(size=(m, d))


@kind
def rank_deficient_queries_in_the_span(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    basis = rng.normal(size=(max(1, d // 3), d))
    return rng.normal(size=(n, len(basis))) @ basis, rng.normal(size=(m, len(basis))) @ basis


@kind
def fewer_columns_than_dimensions(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    return rng.normal(size=(max(1, d // 2), d)), rng.normal(size=(m, d))


@kind
def square(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    return rng.normal(size=(d, d)), rng.normal(size=(m, d))


@kind
def one_column(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    return rng.normal(size=(1, d)), rng.normal(size=(m, d))


@kind
def one_dimension(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    return rng.normal(size=(n, 1)), rng.normal(size=(m, 1))


@kind
def two_dimensions(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    return rng.normal(size=(n, 2)), rng.normal(size=(m, 2))


@kind
def one_hot(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    return np.eye(d)[rng.integers(d, size=n)], rng.normal(size=(m, d))


@kind
def integer_grid(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    rows = rng.integers(-2, 3, size=(n + m, d)).astype(float)
    return rows[:n], rows[n:]


@kind
def corners(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    return rng.choice([-1.0, 1.0], size=(n, min(d, 12))), np.eye(min(d, 12))[rng.integers(min(d, 12), size=m)]


def bumps(width: float) -> Make:
    def make(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
        line = np.linspace(0, 1, d)
        rows = np.exp(-(((line - rng.random((n + m, 1))) / width) ** 2))
        return rows[:n], rows[n:] + rng.choice([0.0, 0.05]) * rng.normal(size=(m, d))

    return make


def near_collinear(distance: float) -> Make:
    def make(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
        rows, main = duplicated(rng, n, d, m)
        return rows + distance * rng.normal(size=rows.shape), main

    return make


KINDS |= {f"bumps of width {width}": bumps(width) for width in (0.3, 0.05, 0.01)}
KINDS |= {f"near collinear {distance:g}": near_collinear(distance) for distance in (1e-3, 1e-4, 1e-5, 1e-6, 1e-7)}


@kind
def bag_of_words(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    words = rng.normal(size=(max(3, n // 6), d))
    rows = np.array([words[rng.integers(len(words), size=rng.integers(1, 7))].mean(axis=0) for _ in range(n + m)])
    return rows[:n], rows[n:]


@kind
def queries_among_the_columns(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    rows = rng.normal(size=(n, d))
    return rows, rows[rng.integers(n, size=m)]


@kind
def sums_of_columns(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    rows = rng.normal(size=(n, d))
    return rows, rows[rng.integers(n, size=(m, 3))].sum(axis=1)


@kind
def zero_queries_and_columns(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    rows, main = gaussian(rng, n, d, m)
    rows[rng.random(n) < 0.3], main[:1] = 0.0, 0.0
    return rows, main


@kind
def orthogonal_queries(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    rows, main = rng.normal(size=(n, d + 2)), np.zeros((m, d + 2))
    rows[:, d:], main[:, d:] = 0.0, rng.normal(size=(m, 2))
    main[:, :d] = rng.choice([0.0, 1e-9, 1e-5]) * rng.normal(size=(m, d))
    return rows, main


@kind
def falling_spectrum(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    rows = (
        rng.normal(size=(n + m, d)) * np.logspace(0, -rng.integers(2, 7), d) @ np.linalg.qr(rng.normal(size=(d, d)))[0]
    )
    return rows[:n], rows[n:]


@kind
def common_direction(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    rows = rng.choice([0.1, 0.01]) * rng.normal(size=(n + m, d)) + rng.normal(size=d)
    return rows[:n], rows[n:]


@kind
def sparse_and_long_tailed(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    rows = rng.standard_cauchy(size=(n + m, d)) * (rng.random((n + m, d)) < 0.2)
    return rows[:n], rows[n:]


@kind
def extreme_lengths(rng: np.random.Generator, n: int, d: int, m: int) -> tuple[Array, Array]:
    rows, main = gaussian(rng, n, d, m)
    return rows * 10.0 ** rng.uniform(-30, 30, size=(n, 1)), main * 10.0 ** rng.uniform(-30, 30, size=(m, 1))


def make_instance(name: str, seed: int, largest: int = 400) -> Instance:
    """An instance of one kind; size, penalty and settings depend on the seed too."""
    rng = np.random.default_rng([seed, sorted(KINDS).index(name)])
    n, d, m = int(rng.integers(2, largest)), int(rng.choice([2, 3, 8, 20, 31, 32, 48, 64])), int(rng.integers(1, 4))
    basic, main = (np.asarray(rows, np.float32) for rows in KINDS[name](rng, n, d, m))
    settings: dict[str, Any] = {"nonneg": bool(rng.random() < 0.25)}
    if rng.random() < 0.15:
        settings["convention"] = "sklearn"
    if rng.random() < 0.3:
        settings["exclude"] = [list(rng.permutation(len(basic))[: rng.integers(len(basic) + 1)]) for _ in range(m)]
    elif rng.random() < 0.3:
        # The best columns, so many that no pool is left of those that were priced first.
        order = np.argsort(-np.abs(unit(basic) @ unit(main).T), axis=0)
        settings["exclude"] = order[: rng.integers(len(basic) + 1)].T.tolist()
    return Instance(name, basic, main, float(rng.choice(LAMBDAS)), settings)


def unit(rows: npt.NDArray[Any]) -> Array:
    array = np.asarray(rows, np.float32).astype(np.float64)
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    return np.divide(array, lengths, out=np.zeros_like(array), where=lengths > 0)


def false_certificates(instance: Instance, ranking: Ranking) -> list[str]:
    """What is wrong with the rows that are certified: plain NumPy, float64, every column."""
    columns, targets, lam = unit(instance.basic), unit(instance.main), instance.lam
    if instance.settings.get("convention") == "sklearn":
        columns, targets = (array - array.mean(axis=1, keepdims=True) for array in (columns, targets))
        lam *= columns.shape[1]
    nonneg = instance.settings.get("nonneg", False)
    problems = []
    for row in np.flatnonzero(ranking.certified):
        coefs = np.zeros(len(columns))
        numbers, values = ranking[int(row)]
        coefs[numbers] = values
        allowed = np.ones(len(columns), bool)
        allowed[list(instance.settings.get("exclude", [[]] * len(targets))[row])] = False
        residual = targets[row] - coefs @ columns
        # What float64 cannot tell: the rounding of the residual, as a share of the penalty.
        slack = 2e-6 + 1e-14 * (1.0 + np.abs(coefs).sum()) / lam
        scores = columns @ residual / lam
        heights = scores if nonneg else np.abs(scores)
        objective = 0.5 * residual @ residual + lam * np.abs(coefs).sum()
        gaps = [
            objective - dual_value(columns[allowed], targets[row], theta, lam, nonneg)
            for theta in (residual, ranking.duals[row])
        ]
        largest = np.sort(coefs[coefs > 0])[::-1][: ranking.scores.shape[1]]
        checks = {
            "a column above the penalty": heights[allowed].max(initial=0.0) <= 1.0 + slack,
            "a chosen column off the penalty": np.abs(scores - np.sign(coefs))[coefs != 0].max(initial=0.0) <= slack,
            "a gap": min(gaps) <= 1.1e-8 * objective,
            "an excluded column": not coefs[~allowed].any(),
            "a negative coefficient": not nonneg or coefs.min(initial=0.0) >= 0.0,
            "not the largest coefficients": np.allclose(
                ranking.scores[row][: len(largest)], largest, rtol=0, atol=1e-9
            ),
            "indices and scores differ": np.array_equal(
                coefs[ranking.indices[row][: len(largest)]], ranking.scores[row][: len(largest)]
            ),
        }
        problems += [f"{instance.kind}, row {row}: {name}" for name, holds in checks.items() if not holds]
    return problems


def dual_value(columns: Array, target: Array, theta: Array, lam: float, nonneg: bool) -> float:
    scores = columns @ theta / lam
    theta = theta / max(1.0, (scores if nonneg else np.abs(scores)).max(initial=0.0))
    return float(target @ theta - 0.5 * theta @ theta)
