"""Rank basic questions by the LASSO of the paper, solved exactly over all of them and certified row by row.

For a main question b and the basic questions as the columns of A, all of unit length, the scores are the solution x of

    min ½ ‖A x − b‖² + λ ‖x‖₁

(Huang et al. 2019, equation 1). A row is returned only with the proof that it is optimal: no column of A, over all of
them, has a score above λ, the score of every chosen column is λ times its sign, and the duality gap is within rounding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

import numpy as np
import numpy.typing as npt

from diptych.errors import BadInputError, MissingExtraError
from diptych.ranking._batch import BatchSolver, Solution, Tuning
from diptych.ranking._kernels import square_lengths
from diptych.ranking._scan import Columns, Floats, Integers, Singles

try:
    from threadpoolctl import threadpool_limits
except ImportError:
    raise MissingExtraError.for_extra("threadpoolctl", "ranking") from None

Convention = Literal["paper", "sklearn"]

_BATCH, _TILE = 512, 8192
_LARGE_EXPONENT, _DIGITS = 20, 10


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best basic questions of every main question, one row per main question."""

    indices: Integers  # rows of `basic`, the largest coefficient first; -1 where fewer than k coefficients are positive
    scores: Floats  # their coefficients; 0 where the index is -1
    gaps: Floats  # duality gap, as a share of the objective
    excess: Floats  # how far the largest score over all columns lies above λ, as a share of λ
    misfit: Floats  # how far the scores of the chosen columns lie from ±λ, as a share of λ
    supports: Integers  # the number of coefficients that are not zero
    first: Integers  # for every row of `basic`, the first row with the same direction: equal columns are solved as one

    @property
    def certified(self) -> npt.NDArray[np.bool_]:
        """Whether each row is proved optimal."""
        proofs: npt.NDArray[np.bool_] = (self.gaps <= 1e-8) & (self.excess <= 1e-6) & (self.misfit <= 1e-6)
        return proofs


def rank(
    basic: npt.ArrayLike,
    main: npt.ArrayLike,
    lam: float = 1e-6,
    k: int = 21,
    exclude: Sequence[Sequence[int]] | None = None,
    nonneg: bool = False,
    convention: Convention = "paper",
    tuning: Tuning | None = None,
) -> Ranking:
    """The k basic vectors with the largest LASSO coefficients for every main vector.

    `basic` (n × d) and `main` (m × d) hold one vector per row. They are read as float32 and scaled to unit length; a
    zero vector stays zero and is never chosen. `lam` is the λ of ½‖Ax−b‖² + λ‖x‖₁; with `convention="sklearn"` it is
    the `alpha` of `sklearn.linear_model.Lasso` on the same unit vectors, which means λ = d·alpha and a fitted
    intercept. `exclude` lists, for every main vector, rows of `basic` that may not be chosen. `nonneg` requires x ≥ 0.

    >>> import numpy as np
    >>> basic = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    >>> ranking = rank(basic, [[0.8, 0.6]], lam=1e-3, k=2)
    >>> ranking.indices[0].tolist(), ranking.scores[0].round(3).tolist(), bool(ranking.certified[0])
    ([2, 0], [0.749, 0.349], True)
    """
    if not 0 < lam < np.inf:
        raise BadInputError(f"the penalty must be a positive number, not {lam}")
    if k < 1:
        raise BadInputError(f"k must be at least 1, not {k}")
    if convention not in ("paper", "sklearn"):
        raise BadInputError(f"convention must be 'paper' or 'sklearn', not {convention!r}")
    basic_rows, main_rows = _to_rows(basic, "basic"), _to_rows(main, "main")
    if basic_rows.shape[1] != main_rows.shape[1]:
        raise BadInputError(f"basic vectors have {basic_rows.shape[1]} numbers, main vectors {main_rows.shape[1]}")
    columns, targets, penalty = _pose_problem(basic_rows, main_rows, lam, nonneg, convention)
    first = first_equal_rows(columns.rows, columns.scale)
    # A column with the factor 0 has no score and never joins; leaving repeated rows where they are saves a copy.
    distinct = Columns(columns.rows, np.where(first == np.arange(len(first)), columns.scale, 0.0), nonneg)
    excluded_columns = _excluded_columns(exclude, first, len(targets))
    return _to_ranking(_solve(distinct, penalty, tuning or Tuning(), targets, excluded_columns), k, first)


def _to_rows(vectors: npt.ArrayLike, name: str) -> Singles:
    array = np.asarray(vectors)
    if array.ndim != 2 or not array.shape[1] or not np.issubdtype(array.dtype, np.number):
        raise BadInputError(f"{name}: a table of numbers with one vector per row is needed, not shape {array.shape}")
    with np.errstate(over="ignore"):
        rows: Singles = np.ascontiguousarray(array, dtype=np.float32)
    bad_rows = np.flatnonzero(~np.isfinite(_squares(rows)))
    if len(bad_rows):
        raise BadInputError(f"{name}: row {bad_rows[0]} holds a number that is not finite")
    return rows


def _pose_problem(
    basic_rows: Singles, main_rows: Singles, lam: float, nonneg: bool, convention: str
) -> tuple[Columns, Floats, float]:
    """The problem as the solver takes it: rows with the factors that make them unit length, unit targets, penalty."""
    rows, scale = _scale_rows(basic_rows)
    main_rows, main_scale = _scale_rows(main_rows)
    targets = main_rows.astype(np.float64) * main_scale[:, None]
    if convention == "paper":
        return Columns(rows, scale, nonneg), targets, lam
    # scikit-learn divides the squares by the number of samples, here d, and fits an intercept: centered columns.
    centered = np.empty_like(rows)
    for start in range(0, len(rows), _TILE):
        unit = rows[start : start + _TILE] * scale[start : start + _TILE, None]
        centered[start : start + _TILE] = unit - unit.mean(axis=1, keepdims=True)
    targets -= targets.mean(axis=1, keepdims=True)
    return Columns(centered, np.where(scale > 0, 1.0, 0.0), nonneg), targets, lam * rows.shape[1]


def _scale_rows(rows: Singles) -> tuple[Singles, Floats]:
    """Rows and the factors that make them unit length; rows of extreme lengths are first scaled by powers of 2."""
    # That is exact, and keeps float32 products within their range.
    lengths = np.sqrt(_squares(rows))
    exponents = np.abs(np.log2(lengths, where=lengths > 0, out=lengths * 0))
    extremes = np.flatnonzero((lengths > 0) & (exponents > _LARGE_EXPONENT))
    if len(extremes):
        rows = rows.copy()
        rows[extremes] = np.ldexp(rows[extremes], -np.frexp(lengths[extremes])[1][:, None])
        lengths[extremes] = np.sqrt(_squares(rows[extremes]))
    return rows, np.divide(1.0, lengths, out=np.zeros(len(rows)), where=lengths > 0)


def _squares(rows: Singles) -> Floats:
    squares = np.empty(len(rows))
    square_lengths(rows, squares)
    return squares


def first_equal_rows(rows: Singles, scale: Floats) -> Integers:
    """For every row, the first row with the same direction: itself where there is none before it."""
    first: list[int] = []
    first_by_digest: dict[bytes, int] = {}
    for start in range(0, len(rows), _TILE):
        units = (rows[start : start + _TILE] * scale[start : start + _TILE, None]).astype(np.float32)
        units += np.float32(0.0)  # -0.0 becomes 0.0
        digests = (blake2b(unit, digest_size=16).digest() for unit in units)
        first += [first_by_digest.setdefault(digest, row) for row, digest in enumerate(digests, start)]
    return np.array(first, np.int64)


def _excluded_columns(exclude: Sequence[Sequence[int]] | None, first: Integers, count: int) -> list[Integers]:
    if exclude is None:
        return [np.zeros(0, np.int64)] * count
    if len(exclude) != count:
        raise BadInputError(f"exclude: {len(exclude)} lists for {count} main vectors")
    for number, indices in enumerate(exclude):
        if len(indices) and not (min(indices) >= 0 and max(indices) < len(first)):
            raise BadInputError(f"exclude: list {number} names a row that basic, with {len(first)} rows, does not have")
    return [np.unique(first[np.asarray(indices, np.int64)]) for indices in exclude]


def _solve(
    columns: Columns, penalty: float, tuning: Tuning, targets: Floats, excluded_columns: Sequence[Integers]
) -> list[Solution]:
    """The solution of every target, in order."""
    if not columns.scale.any():
        return [Solution(number, np.zeros(0, np.int64), np.zeros(0), 0.0, 0.0, 0.0) for number in range(len(targets))]
    solutions: list[Solution] = []
    with threadpool_limits(1):
        for start in range(0, len(targets), _BATCH):
            batch = slice(start, start + _BATCH)
            batch_solutions = BatchSolver(columns, penalty, tuning).solve(targets[batch], excluded_columns[batch])
            solutions += sorted(batch_solutions, key=lambda solution: solution.number)
    return solutions


def _to_ranking(solutions: Sequence[Solution], k: int, first: Integers) -> Ranking:
    indices, scores = np.full((len(solutions), k), -1, np.int64), np.zeros((len(solutions), k))
    for row, solution in enumerate(solutions):
        # Equal to ten digits is equal: then the earlier question comes first, on every machine.
        order = np.lexsort((solution.columns, -solution.coefs.round(_DIGITS)))
        order = order[solution.coefs[order] > 0][:k]
        indices[row, : len(order)], scores[row, : len(order)] = solution.columns[order], solution.coefs[order]
    proofs = ([solution.gap, solution.excess, solution.misfit] for solution in solutions)
    gaps, excess, misfit = np.array([*proofs]).reshape(-1, 3).T.copy()
    supports = np.array([len(solution.columns) for solution in solutions], np.int64)
    return Ranking(indices, scores, gaps, excess, misfit, supports, first)
