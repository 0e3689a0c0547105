"""Rank basic questions by the LASSO of the paper, solved exactly over all of them and certified row by row.

For a main question b and the basic questions as the columns of A, all of unit length, the scores are the solution x of

    min ½ ‖A x − b‖² + λ ‖x‖₁

(Huang et al. 2019, equation 1). Every row comes with a proof, measured after the solver is done: no column of A, over
all of them, has a score above λ, the score of every chosen column is λ times its sign, and the duality gap is within
rounding. A row for which float64 cannot prove that is marked as uncertified, with the gap that is proved.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from diptych.errors import BadInputError
from diptych.ranking._batch import BatchSolver, Tuning
from diptych.ranking._certificate import Answers, Ranking, prove, top_coefficients
from diptych.ranking._certificate import verify as verify_ranking
from diptych.ranking._compile import compile_once
from diptych.ranking._fallback import solve_safely
from diptych.ranking._kernels import hash_directions
from diptych.ranking._panels import Panels
from diptych.ranking._problem import Convention, Exclusions, Floats, Integers, Problem, Singles, Solution, pose_problem
from diptych.ranking._scan import Columns

_BATCH, _TILE = 512, 8192


def rank(
    basic: npt.ArrayLike,
    main: npt.ArrayLike,
    lam: float = 1e-6,
    k: int = 21,
    exclude: Exclusions | None = None,
    nonneg: bool = False,
    convention: Convention = "paper",
    tuning: Tuning | None = None,
    verify: bool = False,
) -> Ranking:
    """The k basic vectors with the largest LASSO coefficients for every main vector.

    `basic` (n × d) and `main` (m × d) hold one vector per row. They are read as float32 and scaled to unit length; a
    zero vector stays zero and is never chosen. `lam` is the λ of ½‖Ax−b‖² + λ‖x‖₁; with `convention="sklearn"` it is
    the `alpha` of `sklearn.linear_model.Lasso` on the same unit vectors, which means λ = d·alpha and a fitted
    intercept. `exclude` lists, for every main vector, rows of `basic` that may not be chosen, or is "equal": then the
    rows with the direction of the main vector may not, as `find_equal_vectors` finds them. `nonneg` requires x ≥ 0.

    Every row's proof is measured, and `Ranking.certified` says whether it holds; for very small penalties float64 may
    not be able to prove a row, which is then returned with the gap that it can prove. `verify` measures all proofs a
    second time, by `diptych.ranking.verify`.

    >>> import numpy as np
    >>> basic = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    >>> ranking = rank(basic, [[0.8, 0.6]], lam=1e-3, k=2)
    >>> ranking.indices[0].tolist(), ranking.scores[0].round(3).tolist(), bool(ranking.certified[0])
    ([2, 0], [0.749, 0.349], True)
    """
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise BadInputError(f"k must be a whole number, at least 1, not {k!r}")
    problem = pose_problem(basic, main, lam, exclude, nonneg, convention)
    compile_once(_run_everything)
    first = first_equal_rows(problem.rows, problem.scale)
    with threadpool_limits(1):
        panels = Panels(problem.rows, problem.scale)
        solutions = _solve(problem, panels, first, tuning or Tuning())
        ranking = _to_ranking(problem, panels, solutions, int(k), first)
        if verify:
            proof = verify_ranking(basic, main, ranking, lam, exclude, nonneg, convention)
            ranking = replace(ranking, gaps=proof.gaps, excess=proof.excess, misfit=proof.misfit)
    return ranking


def _run_everything() -> None:
    """Solve a small problem on both routes."""
    problem = pose_problem(np.eye(3), np.ones((1, 3)), 1e-3, None, False, "paper")
    panels = Panels(problem.rows, problem.scale)
    (solution,) = _solve(problem, panels, first_equal_rows(problem.rows, problem.scale), Tuning())
    solve_safely(problem, solution)


def first_equal_rows(rows: Singles, scale: Floats) -> Integers:
    """For every row, the first row with the same direction: itself where there is none before it."""
    hashes = np.empty(len(rows), np.uint64)
    factors = np.random.default_rng(0).integers(2**63, size=rows.shape[1], dtype=np.uint64) * 2 + 1
    hash_directions(rows, scale, factors, hashes)
    _, earliest, groups = np.unique(hashes, return_index=True, return_inverse=True)
    first: Integers = earliest[groups]
    repeated = np.flatnonzero(first != np.arange(len(first)))
    for start in range(0, len(repeated), _TILE):
        tile = repeated[start : start + _TILE]
        units, first_units = ((rows[part] * scale[part, None]).astype(np.float32) for part in (tile, first[tile]))
        different = tile[(units != first_units).any(axis=1)]
        first[different] = different
    return first


def _solve(problem: Problem, panels: Panels, first: Integers, tuning: Tuning) -> list[Solution]:
    """The solution of every target, in order."""
    columns = _solver_columns(problem, first)
    if not columns.scale.any():
        empty = np.zeros(0, np.int64), np.zeros(0)
        return [Solution(number, *empty, target, problem.penalty) for number, target in enumerate(problem.targets)]
    twins = _Twins(first)
    excluded = [twins.excluded(numbers) for numbers in problem.excluded]
    solutions: list[Solution] = []
    for start in range(0, len(problem.targets), _BATCH):
        batch = slice(start, start + _BATCH)
        solver = BatchSolver(columns, panels, problem.penalty, tuning)
        batch_solutions = solver.solve(problem.targets[batch], excluded[batch])
        solutions += sorted(batch_solutions, key=lambda solution: solution.number)
    return [
        replace(solution, columns=twins.chosen(solution.columns, numbers))
        for solution, numbers in zip(solutions, problem.excluded, strict=True)
    ]


def _solver_columns(problem: Problem, first: Integers) -> Columns:
    """The columns as the solver reads them: float32, equal ones once."""
    # A column with the factor 0 has no score and never joins; leaving repeated rows where they are saves a copy.
    scale = np.where(first == np.arange(len(first)), problem.scale, 0.0)
    if not problem.centered:
        return Columns(problem.rows, scale, problem.nonneg)
    centered = np.empty_like(problem.rows)
    for start in range(0, len(centered), _TILE):
        numbers = np.arange(start, min(start + _TILE, len(centered)))
        centered[numbers] = problem.columns(numbers)
    return Columns(centered, np.where(scale > 0, 1.0, 0.0), problem.nonneg)


class _Twins:
    """Rows with the same direction, of which the solver sees the first; where that is excluded, the next stands in."""

    def __init__(self, first: Integers) -> None:
        self.first = first
        self.rows: dict[int, list[int]] = {}
        for row in np.flatnonzero(first != np.arange(len(first))).tolist():
            self.rows.setdefault(int(first[row]), [int(first[row])]).append(row)

    def excluded(self, numbers: Integers) -> Integers:
        """The columns of the solver that may not be chosen: those none of whose rows may."""
        barred = set(numbers.tolist())
        groups = sorted({int(row) for row in self.first[numbers]})
        return np.array([row for row in groups if barred.issuperset(self.rows.get(row, [row]))], np.int64)

    def chosen(self, columns: Integers, numbers: Integers) -> Integers:
        """The rows that stand for the solver's columns: the first of each direction that is not excluded."""
        barred = set(numbers.tolist())
        rows = (
            next(row for row in self.rows.get(column, [column]) if row not in barred) for column in columns.tolist()
        )
        return np.fromiter(rows, np.int64, len(columns))


def _to_ranking(problem: Problem, panels: Panels, solutions: Sequence[Solution], k: int, first: Integers) -> Ranking:
    empty = Answers(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros((0, problem.rows.shape[1])))
    answers = Answers.of(solutions) if solutions else empty
    proof = prove(problem, answers, panels)
    doubtful = np.flatnonzero(~proof.certified).tolist()
    if doubtful:
        solutions = list(solutions)
        for number in doubtful:
            solutions[number] = solve_safely(problem.only(number), solutions[number])
        answers = Answers.of(solutions)
        proof = prove(problem, answers, panels)
    indices, scores = np.full((len(solutions), k), -1, np.int64), np.zeros((len(solutions), k))
    for row in range(len(solutions)):
        indices[row], scores[row] = top_coefficients(*answers[row], k)
    parts = (answers.starts, answers.columns, answers.coefs, answers.duals)
    measures = (proof.gaps, proof.excess, proof.misfit, proof.residual_norms)
    return Ranking(*parts, indices, scores, *measures, np.diff(answers.starts), first)
