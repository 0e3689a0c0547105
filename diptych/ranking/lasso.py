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
from diptych.ranking.blocks import Ranker, Solved, Tuning
from diptych.ranking.kernels import prints, square
from diptych.ranking.scan import Columns, Floats, Integers, Singles

try:
    from threadpoolctl import threadpool_limits
except ImportError:
    raise MissingExtraError.for_extra("threadpoolctl", "ranking") from None

Convention = Literal["paper", "sklearn"]
Exclude = Sequence[Sequence[int]] | Literal["equal"] | None

_PART = 512
_ROWS = 8192
_FAR = 20
_DIGITS = 10


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best basic questions of every main question, one row each."""

    indices: Integers
    """Rows of `basic`, the largest coefficient first; -1 where fewer than k coefficients are positive."""
    scores: Floats
    """Their coefficients; 0 where the index is -1."""
    gaps: Floats
    """Duality gap, as a share of the objective."""
    excess: Floats
    """How far the largest score over all columns lies above λ, as a share of λ."""
    misfit: Floats
    """How far the scores of the chosen columns lie from ±λ, as a share of λ."""
    supports: Integers
    """How many coefficients are not zero."""
    first: Integers
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
    columns, wanted, penalty = _posed(rows, targets, lam, nonneg, convention)
    first = equal_rows(columns.rows, columns.scale)
    solver = _Solver(columns, penalty, first, tuning or Tuning())
    barred = _barred(exclude, first, columns.rows, wanted)
    solved = solver.solve(wanted, barred, threads, advance or (lambda _: None))
    return _table(solved, k, first)


def _check_settings(lam: float, k: int, convention: str) -> None:
    if not (np.isfinite(lam) and lam > 0):
        raise BadInputError(f"the penalty must be a positive number, not {lam}")
    if k < 1:
        raise BadInputError(f"k must be at least 1, not {k}")
    if convention not in ("paper", "sklearn"):
        raise BadInputError(f"convention must be 'paper' or 'sklearn', not {convention!r}")


def _vectors(given: npt.ArrayLike, name: str) -> Singles:
    array = np.asarray(given)
    if array.ndim != 2 or not array.shape[1] or not np.issubdtype(array.dtype, np.number):
        raise BadInputError(f"{name}: a table of numbers with one vector a row is needed, not shape {array.shape}")
    with np.errstate(over="ignore"):
        rows: Singles = np.ascontiguousarray(array, dtype=np.float32)
    bad = np.flatnonzero(~np.isfinite(_squares(rows)))
    if len(bad):
        raise BadInputError(f"{name}: row {bad[0]} holds a number that is not finite")
    return rows


def _posed(rows: Singles, targets: Singles, lam: float, nonneg: bool, convention: str) -> tuple[Columns, Floats, float]:
    """The problem as the solver takes it: rows with the factors that make them unit length, unit targets, penalty."""
    rows, scale = _scaled(rows)
    targets, factors = _scaled(targets)
    wanted = targets.astype(np.float64) * factors[:, None]
    if convention == "paper":
        return Columns(rows, scale, nonneg), wanted, lam
    # scikit-learn divides the squares by the number of samples, here d, and fits an intercept: centred columns.
    centred = np.empty_like(rows)
    for at in range(0, len(rows), _ROWS):
        unit = rows[at : at + _ROWS] * scale[at : at + _ROWS, None]
        centred[at : at + _ROWS] = unit - unit.mean(axis=1, keepdims=True)
    wanted -= wanted.mean(axis=1, keepdims=True)
    return Columns(centred, np.where(scale > 0, 1.0, 0.0), nonneg), wanted, lam * rows.shape[1]


def _scaled(rows: Singles) -> tuple[Singles, Floats]:
    """Rows and the factors that make them unit length; very short and very long rows are first scaled by powers of 2.

    That is exact, and keeps float32 products within their range.
    """
    lengths = np.sqrt(_squares(rows))
    odd = np.flatnonzero((lengths > 0) & (np.abs(np.log2(lengths, where=lengths > 0, out=lengths * 0)) > _FAR))
    if len(odd):
        rows = rows.copy()
        rows[odd] = np.ldexp(rows[odd], -np.frexp(lengths[odd])[1][:, None])
        lengths[odd] = np.sqrt(_squares(rows[odd]))
    return rows, np.divide(1.0, lengths, out=np.zeros(len(rows)), where=lengths > 0)


def _squares(rows: Singles) -> Floats:
    squares = np.empty(len(rows))
    square(rows, squares)
    return squares


def equal_rows(rows: Singles, scale: Floats) -> Integers:
    """For every row the first one of the same direction, itself where there is none before it."""
    first, marks = np.arange(len(rows)), np.empty(len(rows), np.uint64)
    prints(rows, scale, marks)
    order = np.argsort(marks, kind="stable")
    again = np.flatnonzero(marks[order[1:]] == marks[order[:-1]])
    # Only rows with a fingerprint in common are compared.
    seen: dict[bytes, int] = {}
    for at in np.unique(np.concatenate([order[again], order[again + 1]])):
        unit = (rows[at] * scale[at]).astype(np.float32) + np.float32(0.0)  # -0.0 becomes 0.0
        first[at] = seen.setdefault(unit.tobytes(), at)
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


def _barred(exclude: Exclude, first: Integers, rows: Singles, wanted: Floats) -> list[Integers]:
    if exclude is None:
        return [np.zeros(0, np.int64)] * len(wanted)
    if isinstance(exclude, str):
        exclude = same_vectors(rows, wanted)
    if len(exclude) != len(wanted):
        raise BadInputError(f"exclude: {len(exclude)} lists for {len(wanted)} main vectors")
    for number, chosen in enumerate(exclude):
        if len(chosen) and not (min(chosen) >= 0 and max(chosen) < len(rows)):
            raise BadInputError(f"exclude: list {number} names a row that basic, with {len(rows)} rows, does not have")
    return [np.unique(first[np.asarray(chosen, np.int64)]) for chosen in exclude]


class _Solver:
    """The columns, each direction once, and the questions shared out among threads."""

    def __init__(self, columns: Columns, penalty: float, first: Integers, tuning: Tuning) -> None:
        self.first, self.penalty, self.tuning = first, penalty, tuning
        # A column with the factor 0 has no score and never joins; leaving repeated rows where they are saves a copy.
        alone = np.where(first == np.arange(len(first)), columns.scale, 0.0)
        self.columns = Columns(columns.rows, alone, columns.nonneg)

    def solve(
        self, wanted: Floats, barred: Sequence[Integers], threads: int, advance: Callable[[int], None]
    ) -> list[Solved]:
        """Every target's solution, in order."""
        if not self.columns.scale.any():
            return [_nothing(number) for number in range(len(wanted))]
        starts = range(0, len(wanted), _PART)
        with threadpool_limits(1), ThreadPoolExecutor(max(1, threads)) as pool:
            parts = pool.map(lambda at: self._part(wanted[at : at + _PART], barred[at : at + _PART], advance), starts)
            return [solved for part in parts for solved in part]

    def _part(self, wanted: Floats, barred: Sequence[Integers], advance: Callable[[int], None]) -> list[Solved]:
        solved: list[Solved] = []
        for one in Ranker(self.columns, self.penalty, self.tuning).solve(wanted, barred):
            solved.append(one)
            advance(1)
        return sorted(solved, key=lambda one: one.number)


def _nothing(number: int) -> Solved:
    return Solved(number, np.zeros(0, np.int64), np.zeros(0), 0.0, 0.0, 0.0, 0, 0)


def _table(solved: Sequence[Solved], k: int, first: Integers) -> Ranking:
    indices, scores = np.full((len(solved), k), -1, np.int64), np.zeros((len(solved), k))
    for row, one in enumerate(solved):
        # Equal to ten digits is equal: then the earlier question comes first, on every machine.
        order = np.lexsort((one.columns, -one.coefs.round(_DIGITS)))
        order = order[one.coefs[order] > 0][:k]
        indices[row, : len(order)], scores[row, : len(order)] = one.columns[order], one.coefs[order]
    numbers = {name: np.array([getattr(one, name) for one in solved]) for name in ("gap", "excess", "misfit")}
    supports = np.array([len(one.columns) for one in solved], np.int64)
    return Ranking(indices, scores, numbers["gap"], numbers["excess"], numbers["misfit"], supports, first)
