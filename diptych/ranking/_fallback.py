"""A question that the homotopy did not solve: the safe route, which always ends.

The active set runs on a pool, all columns are priced in float64, and what breaks the bound joins the pool, which never
shrinks. Rounding may keep an active set from its end; then tiny penalties of their own for every column break ties.
The work is bounded by counts, not by a clock, so that the result is the same on every machine.
"""

from dataclasses import replace

import numpy as np

from diptych.ranking._active_set import make_state, solve_pool
from diptych.ranking._certificate import Answers, Certificate, prove
from diptych.ranking._problem import Floats, Integers, Problem, Solution, center

_GROWTH, _DESCENT, _ROUNDS, _TIES = 600, 0.2, 60, 3
_WORK, _LEAST_STEPS = 4e9, 400  # operations for one question, but never fewer steps than that in a round
_FAR = 1e-6  # a gap that tells a point that is not optimal from one that rounding keeps from its proof
_TILE = 8192


def solve_safely(problem: Problem, start: Solution) -> Solution:
    """The best point that can be reached from a point of the path, for a problem with one target."""
    best, proof = _improve(problem, start)
    if proof.gaps[0] > _FAR:
        # The point was no good start: from none at all, then.
        target = problem.targets[0]
        cold, cold_proof = _improve(
            problem, replace(start, columns=best.columns[:0], coefs=best.coefs[:0], dual=target)
        )
        best = cold if _is_better(cold_proof, proof) else best
    return best


def _improve(problem: Problem, start: Solution) -> tuple[Solution, Certificate]:
    scores = _scores(problem, start.dual)
    highest = float(scores.max(initial=0.0))
    level = max(problem.penalty, min(start.level, highest) if len(start.columns) else _DESCENT * highest)
    pool, point, work, ties = _highest(scores, 0.0), start, 0.0, 0
    best, best_proof = start, prove(problem, Answers.of([start]))
    for _ in range(_ROUNDS):
        pool = np.union1d(pool, point.columns)
        point, effort = _solve_on_pool(problem, pool, point, level, ties)
        work += effort
        scores = _scores(problem, point.dual) / level
        scores[pool] = 0.0
        if level > problem.penalty:
            # Nothing is to be proved here, but what comes near the bound is needed soon.
            level, fresh = max(problem.penalty, _DESCENT * level), _highest(scores, 0.5)
        else:
            proof = prove(problem, Answers.of([point]))
            if _is_better(proof, best_proof):
                best, best_proof = point, proof
            fresh = _highest(scores, 1.0 + 1e-9 + 1e-15 * float(np.linalg.norm(point.dual)) / level)
            if not len(fresh):
                if proof.certified[0] or ties == 2 * _TIES:
                    break
                ties += 1
        if work > _WORK:
            break
        pool = np.union1d(pool, fresh)
    return best, best_proof


def _is_better(proof: Certificate, other: Certificate) -> bool:
    keys = ((not certificate.certified[0], certificate.gaps[0]) for certificate in (proof, other))
    return bool(next(keys) <= next(keys))


def _solve_on_pool(
    problem: Problem, pool: Integers, start: Solution, level: float, ties: int
) -> tuple[Solution, float]:
    """The solution over some columns, from any point; returns it and the operations that it took."""
    rows = problem.columns(pool)
    factors, active, buffers = make_state(rows)
    size = len(start.columns)
    weight = np.ones(len(pool))
    if ties % 2:  # once with ties broken, then from there to the problem as it is posed
        weight += 3.0 ** (ties // 2) * 3e-9 * np.random.default_rng(ties).random(len(pool))
    active.row[:size], active.size[:size] = np.searchsorted(pool, start.columns), np.abs(start.coefs)
    active.sign[:size], active.count[0] = np.sign(start.coefs), size
    active.due[:size] = active.sign[:size] * weight[active.row[:size]]
    width = rows.shape[1]
    cost = 4.0 * width**2 + 2.0 * len(pool) * width
    limit = int(min(60 * width + 2000, max(_LEAST_STEPS, _WORK / cost)))
    steps = solve_pool(factors, active, buffers, rows, problem.targets[0], weight, level, problem.nonneg, limit)
    places = np.flatnonzero(active.size[: active.count[0]] > 0.0)
    places = places[np.argsort(active.row[places])]
    coefs = active.sign[places] * active.size[places]
    return Solution(start.number, pool[active.row[places]], coefs, buffers.residual.copy(), level), steps * cost


def _scores(problem: Problem, residual: Floats) -> Floats:
    """Every column's score in float64, without its sign unless that counts; 0 for what may not be chosen."""
    vector = center(residual[None])[0] if problem.centered else residual
    parts = [
        problem.rows[start : start + _TILE].astype(np.float64) @ vector for start in range(0, len(problem.rows), _TILE)
    ]
    scores: Floats = np.concatenate(parts) * problem.scale
    scores[problem.excluded[0]] = 0.0
    return scores if problem.nonneg else np.abs(scores)


def _highest(scores: Floats, bound: float) -> Integers:
    """The columns with the largest scores above a bound."""
    columns = np.flatnonzero(scores > bound)
    if len(columns) > _GROWTH:
        columns = columns[np.argpartition(-scores[columns], _GROWTH)[:_GROWTH]]
    return columns
