"""Rank basic questions by the LASSO of the paper, solved exactly over all of them and certified row by row.

For a main question b and the basic questions as the columns of A, all of unit length, the scores are the solution x of

    min ½ ‖A x − b‖² + λ ‖x‖₁

(Huang et al. 2019, equation 1). A row is returned only with the proof that it is optimal: no column of A, over all of
them, has a score above λ, every chosen column's score is λ times its sign, and the duality gap is what rounding leaves.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from diptych.errors import BadInputError, MissingExtraError
from diptych.ranking.blocks import Problem, Ranker, Solved, Tuning

try:
    from threadpoolctl import threadpool_limits
except ImportError:
    raise MissingExtraError.for_extra("threadpoolctl", "ranking") from None

Convention = Literal["paper", "sklearn"]
Exclude = Sequence[Sequence[int]] | Literal["equal"] | None

_PART = 512
_DIGITS = 10


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best basic questions of every main question, one row each."""

    indices: npt.NDArray[np.int64]
    """Rows of `basic`, the largest coefficient first; -1 where fewer than k coefficients are positive."""
    scores: npt.NDArray[np.float64]
    """Their coefficients; 0 where the index is -1."""
    gaps: npt.NDArray[np.float64]
    """Duality gap, as a share of the objective."""
    excess: npt.NDArray[np.float64]
    """How far the largest score over all columns lies above λ, as a share of λ."""
    misfit: npt.NDArray[np.float64]
    """How far the scores of the chosen columns lie from ±λ, as a share of λ."""
    supports: npt.NDArray[np.int64]
    """How many coefficients are not zero."""
    first: npt.NDArray[np.int64]
    """For every row of `basic`, the first row with the same direction: equal columns are solved as one."""

    @property
    def certified(self) -> npt.NDArray[np.bool_]:
        """Whether each row is proved optimal."""
        sound: npt.NDArray[np.bool_] = (self.gaps <= 1e-8) & (self.excess <= 1e-6) & (self.misfit <= 1e-6)
        return sound


def rank(
    basic: npt.ArrayLike,
    main: npt.ArrayLike,
    lam: float = 1e-6,
    k: int = 21,
    exclude: Exclude = None,
    nonneg: bool = False,
    convention: Convention = "paper",
    threads: int = 1,
    tuning: Tuning | None = None,
    advance: Callable[[int], None] | None = None,
) -> Ranking:
    """The k basic vectors with the largest LASSO coefficients for every main vector.

    `basic` (n × d) and `main` (m × d) hold one vector a row. They are read as float32 and made unit length; a zero
    vector stays zero and is never chosen. `lam` is the λ of ½‖Ax−b‖² + λ‖x‖₁; with `convention="sklearn"` it is the
    `alpha` of `sklearn.linear_model.Lasso` on the same unit vectors, which means λ = d·alpha and a fitted intercept.
    `exclude` names, for every main vector, rows of `basic` that may not be chosen, or is "equal" for those with the
    main vector's own direction. `nonneg` asks for x ≥ 0. `advance` is told of every finished row.

    >>> import numpy as np
    >>> basic = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    >>> found = rank(basic, [[0.8, 0.6]], lam=1e-3, k=2)
    >>> found.indices[0].tolist(), found.scores[0].round(3).tolist(), bool(found.certified[0])
    ([2, 0], [0.749, 0.349], True)
    """
    _check_settings(lam, k, convention)
    rows, targets = _vectors(basic, "basic"), _vectors(main, "main")
    if rows.shape[1] != targets.shape[1]:
        raise BadInputError(f"basic vectors have {rows.shape[1]} numbers, main vectors {targets.shape[1]}")
    problem, wanted, penalty_rows = _posed(rows, targets, lam, nonneg, convention)
    first = equal_rows(penalty_rows, problem.scale)
    solver = _Solver(problem, first, tuning or Tuning())
    barred = _barred(exclude, solver, penalty_rows, wanted, len(rows))
    solved = solver.solve(wanted, barred, threads, advance or (lambda _: None))
    return _table(solved, solver, len(targets), k, first)


def _check_settings(lam: float, k: int, convention: str) -> None:
    if not (np.isfinite(lam) and lam > 0):
        raise BadInputError(f"the penalty must be a positive number, not {lam}")
    if k < 1:
        raise BadInputError(f"k must be at least 1, not {k}")
    if convention not in ("paper", "sklearn"):
        raise BadInputError(f"convention must be 'paper' or 'sklearn', not {convention!r}")


def _vectors(given: npt.ArrayLike, name: str) -> npt.NDArray[np.float32]:
    array = np.asarray(given)
    if array.ndim != 2 or not array.shape[1] or not np.issubdtype(array.dtype, np.number):
        raise BadInputError(f"{name}: a table of numbers with one vector a row is needed, not shape {array.shape}")
    rows: npt.NDArray[np.float32] = np.ascontiguousarray(array, dtype=np.float32)
    for start in range(0, len(rows), 8192):
        good = np.isfinite(rows[start : start + 8192]).all(axis=1)
        if not good.all():
            raise BadInputError(f"{name}: row {start + int(np.argmin(good))} holds a number that is not finite")
    return rows


def _posed(
    rows: npt.NDArray[np.float32], targets: npt.NDArray[np.float32], lam: float, nonneg: bool, convention: str
) -> tuple[Problem, npt.NDArray[np.float64], npt.NDArray[np.float32]]:
    """The problem as the solver takes it: rows with the factors that make them unit length, and unit targets."""
    wide = targets.astype(np.float64)
    wanted = wide * _factors(targets)[:, None]
    scale = _factors(rows)
    if convention == "paper":
        return Problem(rows, scale, lam, nonneg), wanted, rows
    # scikit-learn divides the squares by the number of samples, here d, and fits an intercept: centred columns.
    unit = rows * scale[:, None]
    rows = (unit - unit.mean(axis=1, keepdims=True)).astype(np.float32)
    wanted -= wanted.mean(axis=1, keepdims=True)
    return Problem(rows, np.where(scale > 0, 1.0, 0.0), lam * rows.shape[1], nonneg), wanted, rows


def _factors(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    lengths = np.concatenate(
        [np.linalg.norm(rows[at : at + 8192].astype(np.float64), axis=1) for at in range(0, len(rows), 8192)] or [[]]
    )
    factors: npt.NDArray[np.float64] = np.divide(1.0, lengths, out=np.zeros(len(rows)), where=lengths > 0)
    return factors


def equal_rows(rows: npt.NDArray[np.float32], scale: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """For every row the first one of the same direction, itself where there is none before it."""
    seen: dict[bytes, int] = {}
    first = np.empty(len(rows), np.int64)
    for start in range(0, len(rows), 8192):
        part = slice(start, start + 8192)
        unit = (rows[part] * scale[part, None]).astype(np.float32) + np.float32(0.0)  # -0.0 becomes 0.0
        for at, row in enumerate(unit, start):
            first[at] = seen.setdefault(row.tobytes(), at)
    return first


def same_vectors(basic: npt.ArrayLike, main: npt.ArrayLike) -> list[list[int]]:
    """For every main vector the rows of `basic` that point the same way, to six decimals.

    >>> same_vectors([[1.0, 2.0], [2.0, 1.0], [2.0, 4.0]], [[3.0, 6.0]])
    [[0, 2]]
    """
    found: dict[bytes, list[int]] = {}
    for row, key in enumerate(_directions(np.asarray(basic))):
        found.setdefault(key, []).append(row)
    return [found.get(key, []) for key in _directions(np.asarray(main))]


def _directions(rows: npt.NDArray[Any]) -> Iterator[bytes]:
    for start in range(0, len(rows), 8192):
        part = rows[start : start + 8192].astype(np.float64)
        lengths = np.linalg.norm(part, axis=1, keepdims=True)
        unit = np.divide(part, lengths, out=np.zeros_like(part), where=lengths > 0).round(6) + 0.0
        yield from (row.tobytes() for row in unit.astype(np.float32))


def _barred(
    exclude: Exclude, solver: "_Solver", rows: npt.NDArray[np.float32], wanted: npt.NDArray[np.float64], count: int
) -> list[npt.NDArray[np.int64]]:
    if exclude is None:
        return [np.zeros(0, np.int64)] * len(wanted)
    if isinstance(exclude, str):
        exclude = same_vectors(rows, wanted)
    if len(exclude) != len(wanted):
        raise BadInputError(f"exclude: {len(exclude)} lists for {len(wanted)} main vectors")
    for number, chosen in enumerate(exclude):
        if len(chosen) and not (min(chosen) >= 0 and max(chosen) < count):
            raise BadInputError(f"exclude: list {number} names a row that basic, with {count} rows, does not have")
    return [solver.columns_of(np.asarray(chosen, np.int64)) for chosen in exclude]


class _Solver:
    """The merged columns, and the questions shared out among threads."""

    def __init__(self, problem: Problem, first: npt.NDArray[np.int64], tuning: Tuning) -> None:
        self.first, self.tuning = first, tuning
        self.kept = np.flatnonzero((first == np.arange(len(first))) & (problem.scale > 0))
        self.column = np.full(len(first), -1, np.int64)
        self.column[self.kept] = np.arange(len(self.kept))
        whole = len(self.kept) == len(first)
        rows, scale = (problem.rows, problem.scale) if whole else (problem.rows[self.kept], problem.scale[self.kept])
        self.problem = Problem(rows, scale, problem.penalty, problem.nonneg)

    def columns_of(self, chosen: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The merged columns of some rows."""
        columns = np.unique(self.column[self.first[chosen]])
        return columns[columns >= 0]

    def solve(
        self,
        wanted: npt.NDArray[np.float64],
        barred: Sequence[npt.NDArray[np.int64]],
        threads: int,
        advance: Callable[[int], None],
    ) -> list[Solved]:
        """Every target's solution, in order."""
        if not len(self.kept):
            return [_nothing(number) for number in range(len(wanted))]
        starts = range(0, len(wanted), _PART)
        with threadpool_limits(1), ThreadPoolExecutor(max(1, threads)) as pool:
            parts = pool.map(lambda at: self._part(wanted[at : at + _PART], barred[at : at + _PART], advance), starts)
            return [solved for part in parts for solved in part]

    def _part(self, wanted: Any, barred: Any, advance: Callable[[int], None]) -> list[Solved]:
        solved: list[Solved | None] = [None] * len(wanted)
        for one in Ranker(self.problem, self.tuning).solve(wanted, barred):
            solved[one.number] = one
            advance(1)
        return [one for one in solved if one is not None]


def _nothing(number: int) -> Solved:
    return Solved(number, np.zeros(0, np.int64), np.zeros(0), 0.0, 0.0, 0.0, 0, 0)


def _table(solved: Sequence[Solved], solver: _Solver, count: int, k: int, first: npt.NDArray[np.int64]) -> Ranking:
    indices, scores = np.full((count, k), -1, np.int64), np.zeros((count, k))
    for row, one in enumerate(solved):
        rows = solver.kept[one.columns]
        # Equal to ten digits is equal: then the earlier question comes first, on every machine.
        order = np.lexsort((rows, -one.coefs.round(_DIGITS)))
        order = order[one.coefs[order] > 0][:k]
        indices[row, : len(order)], scores[row, : len(order)] = rows[order], one.coefs[order]
    numbers = {name: np.array([getattr(one, name) for one in solved]) for name in ("gap", "excess", "misfit")}
    supports = np.array([len(one.columns) for one in solved], np.int64)
    return Ranking(indices, scores, numbers["gap"], numbers["excess"], numbers["misfit"], supports, first)
