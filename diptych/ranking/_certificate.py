"""The proof of an answer, from outside: what the coefficients are worth, in float64, over all columns.

Nothing here knows how an answer was computed. For coefficients x and any vector θ whose inner product with no column
exceeds λ, the objective of x lies above the least objective by at most its distance from bᵀθ − ½‖θ‖², the duality gap.
A solver's θ is its residual, which for small λ is more exact than b − Ax as float64 can give it; here it is only a
claim, which is measured and scaled until no column exceeds λ.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diptych.errors import BadInputError
from diptych.ranking._panels import Panels
from diptych.ranking._problem import Convention, Exclusions, Floats, Integers, Problem, Solution, center, pose_problem

GAP_LIMIT, SCORE_LIMIT = 1e-8, 1e-6  # what a certificate allows: a share of the objective, a share of λ
_TILE, _TOGETHER = 8192, 256
_ROUNDING = 2.0**-50  # what float64 may lose in a score, as a share of the length of the dual point
# Where integer scores may be wrong by more, as a share of λ, or more columns come near, all are read in float64.
_UNDECIDABLE, _MOST_CANDIDATES = 0.25, 1024


@dataclass(frozen=True, slots=True)
class Certificate:
    """The proof of every row, recomputed from the coefficients and the dual points."""

    gaps: Floats  # duality gap, as a share of the objective; infinite where the coefficients break a rule
    excess: Floats  # how far the largest score over all columns lies above λ, as a share of λ
    misfit: (
        Floats  # how far the scores of the chosen columns lie from ±λ, or the dual point from b − Ax, as a share of λ
    )
    residual_norms: Floats  # the length of b − Ax

    @property
    def certified(self) -> npt.NDArray[np.bool_]:
        """Whether each row is proved optimal."""
        return is_certified(self.gaps, self.excess, self.misfit)


def is_certified(gaps: Floats, excess: Floats, misfit: Floats) -> npt.NDArray[np.bool_]:
    """The rule: gap, excess and misfit all within rounding; what is not a number is not."""
    proofs: npt.NDArray[np.bool_] = (gaps <= GAP_LIMIT) & (excess <= SCORE_LIMIT) & (misfit <= SCORE_LIMIT)
    return proofs


@dataclass(frozen=True, slots=True)
class Answers:
    """All coefficients of every target that are not zero, and the dual points."""

    starts: Integers  # the coefficients of target i are those from `starts[i]` to `starts[i + 1]`
    columns: Integers
    coefs: Floats
    duals: Floats  # one point per target

    @classmethod
    def of(cls, solutions: Sequence[Solution]) -> "Answers":
        """The answers that some solutions are, one after the other; there is at least one."""
        starts = np.cumsum([0, *(len(solution.columns) for solution in solutions)])
        columns = np.concatenate([solution.columns for solution in solutions])
        coefs = np.concatenate([solution.coefs for solution in solutions])
        return Answers(starts, columns, coefs, np.array([solution.dual for solution in solutions]))

    def __getitem__(self, number: int) -> tuple[Integers, Floats]:
        span = slice(self.starts[number], self.starts[number + 1])
        return self.columns[span], self.coefs[span]


@dataclass(frozen=True, slots=True)
class Ranking(Answers):
    """The best basic vectors of every main vector, all coefficients behind them, and the proof: one row per target.

    `ranking[i]` are the columns and the signed coefficients of row i. `verify` computes the proof anew.
    """

    indices: Integers  # rows of `basic`, the largest coefficient first; -1 where fewer than k coefficients are positive
    scores: Floats  # their coefficients; 0 where the index is -1
    gaps: Floats  # duality gap, as a share of the objective
    excess: Floats  # how far the largest score over all columns lies above λ, as a share of λ
    misfit: (
        Floats  # how far the scores of the chosen columns lie from ±λ, or the dual point from b − Ax, as a share of λ
    )
    residual_norms: Floats  # the length of b − Ax
    supports: Integers  # the number of coefficients that are not zero
    first: Integers  # for every row of `basic`, the first row with the same direction, but for the rounding of float32

    @property
    def certified(self) -> npt.NDArray[np.bool_]:
        """Whether each row is proved optimal; if not, `gaps` bounds the distance from the optimum."""
        return is_certified(self.gaps, self.excess, self.misfit)


def verify(
    basic: npt.ArrayLike,
    main: npt.ArrayLike,
    ranking: Ranking,
    lam: float,
    exclude: Exclusions | None = None,
    nonneg: bool = False,
    convention: Convention = "paper",
) -> Certificate:
    """Compute the proof of a ranking anew, over all columns in float64, from its coefficients and dual points alone.

    The other arguments are those of `rank`. A row whose `indices` and `scores` are not its largest coefficients, or
    whose coefficients break a rule (an excluded or repeated column, a wrong sign), has an infinite gap.

    >>> from diptych.ranking import rank
    >>> basic, main = [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], [[0.8, 0.6]]
    >>> bool(verify(basic, main, rank(basic, main, lam=1e-3), lam=1e-3).certified[0])
    True
    """
    problem = pose_problem(basic, main, lam, exclude, nonneg, convention)
    if ranking.duals.shape != problem.targets.shape or len(ranking.starts) != len(problem.targets) + 1:
        raise BadInputError(f"the ranking has {len(ranking.duals)} rows for {len(problem.targets)} main vectors")
    certificate = prove(problem, ranking)
    for number in range(len(problem.targets)):
        columns, coefs = ranking[number]
        indices, scores = ranking.indices[number], ranking.scores[number]
        expected = top_coefficients(columns, coefs, len(indices))
        if not all(map(np.array_equal, (indices, scores), expected)):
            certificate.gaps[number] = np.inf
    return certificate


def top_coefficients(columns: Integers, coefs: Floats, k: int) -> tuple[Integers, Floats]:
    """The columns with the k largest positive coefficients, and these; -1 and 0 where there are fewer."""
    # Equal to ten digits is equal: then the earlier question comes first, on every machine.
    order = np.lexsort((columns, -coefs.round(10)))
    order = order[coefs[order] > 0][:k]
    indices, scores = np.full(k, -1, np.int64), np.zeros(k)
    indices[: len(order)], scores[: len(order)] = columns[order], coefs[order]
    return indices, scores


def prove(problem: Problem, answers: Answers, panels: Panels | None = None) -> Certificate:
    """What the coefficients and dual points of all targets prove.

    With the columns in integers, a column whose product shows that it lies below the bound, rounding included, is not
    read in float64. The proof is the same.
    """
    targets = problem.targets
    duals = center(answers.duals) if problem.centered else answers.duals
    duals = np.where(np.isfinite(duals).all(axis=1, keepdims=True), duals, 0.0)
    points = duals / problem.penalty
    objectives, misfit, norms, highest = (np.zeros(len(targets)) for _ in range(4))
    for number, target in enumerate(targets):
        measures = _measure_support(problem, number, *answers[number], target, points[number])
        objectives[number], misfit[number], norms[number], highest[number] = measures
    for start in range(0, len(targets), _TOGETHER):
        batch = range(start, min(start + _TOGETHER, len(targets)))
        # The scores of the support are known by now, exactly.
        ignored = [
            columns if panels is None else np.union1d(columns, answers[number][0])
            for number, columns in zip(batch, problem.excluded[start:], strict=False)
        ]
        span = slice(start, batch.stop)
        highest[span] = np.maximum(highest[span], _highest_scores(problem, points[span], ignored, panels))
    highest += _rounding_errors(problem, points)
    feasible = duals / np.maximum(1.0, highest)[:, None]
    bounds = np.einsum("ij,ij->i", targets, feasible) - 0.5 * np.einsum("ij,ij->i", feasible, feasible)
    differences = np.where(np.isfinite(objectives), objectives, 0.0) - bounds
    gaps = np.divide(differences, objectives, out=np.zeros(len(targets)), where=objectives > 0)
    gaps = np.where(np.isfinite(objectives), np.maximum(gaps, 0.0), np.inf)
    return Certificate(gaps, np.maximum(0.0, highest - 1.0), misfit, norms)


def _measure_support(
    problem: Problem, number: int, numbers: Integers, coefs: Floats, target: Floats, point: Floats
) -> tuple[float, float, float, float]:
    """Objective, misfit, length of the residual, and largest score of the support."""
    if not _is_valid(problem, number, numbers, coefs):
        return np.inf, np.inf, np.inf, 0.0
    columns = problem.columns(numbers)
    residual = target - coefs @ columns
    square, scores, total = residual @ residual, columns @ point, np.abs(coefs).sum()
    objective = 0.5 * square + problem.penalty * total
    misfit = np.abs(scores - np.sign(coefs)).max(initial=0.0)
    # A dual point that proves a gap need not be the residual; only if it is, the scores are those of the coefficients.
    misfit = max(misfit, np.linalg.norm(residual - problem.penalty * point) / problem.penalty)
    return float(objective), float(misfit), float(np.sqrt(square)), float(np.abs(scores).max(initial=0.0))


def _rounding_errors(problem: Problem, points: Floats) -> Floats:
    """What the largest scores may be wrong by, in float64."""
    errors: Floats = _ROUNDING * np.linalg.norm(points, axis=1)
    if (errors > SCORE_LIMIT).any() and not problem.centered:
        # Numbers of a point with which no column multiplies do no harm.
        errors = _ROUNDING * np.linalg.norm(points * problem.rows.any(axis=0), axis=1)
    return errors


def _is_valid(problem: Problem, number: int, columns: Integers, coefs: Floats) -> bool:
    """Whether coefficients are finite, not zero, of the right sign, of columns that may be chosen, each once."""
    if len(columns) != len(coefs) or not np.isfinite(coefs).all() or not np.all(coefs > 0 if problem.nonneg else coefs):
        return False
    if len(columns) and not (columns.min() >= 0 and columns.max() < len(problem.rows)):
        return False
    return len(np.unique(columns)) == len(columns) and not np.isin(columns, problem.excluded[number]).any()


def _highest_scores(problem: Problem, points: Floats, ignored: Sequence[Integers], panels: Panels | None) -> Floats:
    """For every point, its largest score over all columns but the ignored ones; 0 where it does not exceed 1."""
    highest, open_numbers = np.zeros(len(points)), np.arange(len(points))
    if panels is not None:
        rounded = panels.points(points)
        cuts = 1.0 - rounded.errors
        candidates = panels.collect(rounded, cuts, _MOST_CANDIDATES, problem.scale, ignored, problem.nonneg)
        for number, columns in enumerate(candidates.columns):
            repeated = np.broadcast_to(points[number], (len(columns), points.shape[1]))
            highest[number] = _exact_scores(problem, repeated, columns).max(initial=0.0)
        open_numbers = np.flatnonzero((rounded.errors > _UNDECIDABLE) | (candidates.cuts > cuts))
    for which, columns in _scores_above(problem, points[open_numbers], [ignored[i] for i in open_numbers.tolist()]):
        np.maximum.at(highest, open_numbers[which], _exact_scores(problem, points[open_numbers[which]], columns))
    return highest


def _scores_above(problem: Problem, points: Floats, ignored: Sequence[Integers]) -> Iterator[tuple[Integers, Integers]]:
    """Pairs of point and column whose score, in float64, lies above 1."""
    if not len(points):
        return
    owners = np.repeat(np.arange(len(points)), [len(columns) for columns in ignored])
    columns = np.concatenate(ignored)
    order = np.argsort(columns, kind="stable")
    owners, columns = owners[order], columns[order]
    for first in range(0, len(problem.rows), _TILE):
        span = slice(first, first + _TILE)
        scores = (points @ problem.rows[span].astype(np.float64).T) * problem.scale[span]
        if not problem.nonneg:
            np.abs(scores, out=scores)
        barred = slice(*np.searchsorted(columns, (first, first + _TILE)))
        scores[owners[barred], columns[barred] - first] = 0.0
        which, positions = np.nonzero(scores > 1.0)
        yield which, positions + first


def _exact_scores(problem: Problem, points: Floats, columns: Integers) -> Floats:
    """The score of each point with its column, in float64."""
    scores = np.empty(len(columns))
    for start in range(0, len(columns), _TILE):
        span = slice(start, start + _TILE)
        rows = problem.rows[columns[span]].astype(np.float64)
        np.einsum("ij,ij->i", rows, points[span], out=scores[span])
    scores *= problem.scale[columns]
    return scores if problem.nonneg else np.abs(scores)
