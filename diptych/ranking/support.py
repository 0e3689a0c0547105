"""The state of one question's path: its support, the pool of columns in view, and how exact they are kept."""

from typing import Any, NamedTuple

import numpy as np

from diptych.ranking.kernels import Inverse, combine, dot, exact, invert, prices, products, solve

FREE, ACTIVE, BANNED = 0, 1, 2
_NEAR = 1e-2
_MISFIT = 1e-7


class Support(NamedTuple):
    """The columns with a coefficient, by place; a free place has sign 0."""

    column: Any
    sign: Any
    coef: Any
    penalty: Any
    slope: Any
    """How fast penalty · sign falls: the right-hand side of the direction."""
    move: Any
    """How fast the coefficients move."""
    row: Any
    """Where the columns lie in the pool."""
    inverse: Inverse
    residual: Any
    target: Any
    """The main question's vector."""


class Pool(NamedTuple):
    """The columns a stage looks at, those of the support included."""

    rows: Any
    scale: Any
    column: Any
    score: Any
    penalty: Any
    slope: Any
    move: Any
    state: Any
    everyone: Any
    """0, 1, 2, …: all rows."""
    near: Any
    """The rows near their bound, in any order: those whose scores are followed from event to event."""
    at: Any
    """Where a row stands in `near`."""
    count: Any
    """int64: how many rows are near, how many there are."""


class Scratch(NamedTuple):
    """Vectors to compute in: three as long as the support, two as long as a column, one as long as the pool."""

    g: Any
    u: Any
    e: Any
    a: Any
    q: Any
    v: Any


@exact
def clear_free(s: Support, vector: Any) -> None:
    """Zero a vector at the free places."""
    for i in range(s.inverse.count[0]):
        if s.sign[i] == 0.0:
            vector[i] = 0.0


@exact
def rebuild(s: Support, p: Pool) -> None:
    """The inverse afresh, from the Gram matrix of the support; free places stay zero."""
    size, matrix = s.inverse.count[0], s.inverse.matrix
    row, line = np.zeros(p.rows.shape[1]), np.zeros(size)
    for i in range(size):
        if s.sign[i] != 0.0:
            for t in range(row.shape[0]):
                row[t] = p.rows[s.row[i], t] * p.scale[s.row[i]]
            products(p.rows, s.row, p.scale, i + 1, row, line)
        for j in range(i + 1):
            matrix[i, j] = line[j] if s.sign[i] != 0.0 and s.sign[j] != 0.0 else 0.0
        if s.sign[i] == 0.0:
            matrix[i, i] = 1.0
    invert(matrix, size)
    for i in range(size):
        if s.sign[i] == 0.0:
            matrix[i, i] = 0.0
    s.inverse.count[1] = 0


@exact
def renew(s: Support, p: Pool, w: Scratch) -> None:
    """The residual afresh, from the coefficients."""
    combine(p.rows, s.row, p.scale, s.inverse.count[0], s.coef, w.q)
    for t in range(w.q.shape[0]):
        s.residual[t] = s.target[t] - w.q[t]


@exact
def misfit(s: Support, p: Pool, w: Scratch) -> float:
    """How far the support's scores are from penalty · sign (in `w.g`), as a share of the penalty at most."""
    size, worst = s.inverse.count[0], 0.0
    products(p.rows, s.row, p.scale, size, s.residual, w.g)
    for i in range(size):
        w.g[i] = w.g[i] - s.penalty[i] * s.sign[i] if s.sign[i] != 0.0 else 0.0
        if w.g[i] != 0.0:
            worst = max(worst, abs(w.g[i]) / s.penalty[i])
    return worst


@exact
def settle(s: Support, p: Pool, w: Scratch, rounds: int) -> None:
    """Bring coefficients and residual to where score = penalty · sign; an inverse that does not help is made anew."""
    renew(s, p, w)
    last = misfit(s, p, w)
    for turn in range(rounds):
        solve(s.inverse, w.g, w.u)
        clear_free(s, w.u)
        for i in range(s.inverse.count[0]):
            s.coef[i] += w.u[i]
        renew(s, p, w)
        now = misfit(s, p, w)
        if now > _MISFIT and now > 0.1 * last and turn < 4:
            rebuild(s, p)
        last = now


@exact
def sharpen(s: Support, p: Pool, w: Scratch) -> None:
    """Bring the residual alone to where score = penalty · sign.

    Large coefficients cannot be written down exactly enough for that, but the residual, which proves them, can.
    """
    misfit(s, p, w)
    solve(s.inverse, w.g, w.u)
    clear_free(s, w.u)
    combine(p.rows, s.row, p.scale, s.inverse.count[0], w.u, w.q)
    for t in range(w.q.shape[0]):
        s.residual[t] -= w.q[t]


@exact
def free_place(s: Support) -> int:
    """A place for one more column, -1 where there is none."""
    for i in range(s.inverse.count[0]):
        if s.sign[i] == 0.0:
            return i
    return int(s.inverse.count[0]) if s.inverse.count[0] < s.sign.shape[0] else -1


@exact
def take_place(s: Support, place: int) -> None:
    """Make a place that is free ready for a column."""
    if place < s.inverse.count[0]:
        return
    s.inverse.count[0] = place + 1
    s.inverse.matrix[place, : place + 1] = 0.0
    s.inverse.matrix[: place + 1, place] = 0.0
    s.inverse.update[:, place] = 0.0
    s.move[place], s.slope[place] = 0.0, 0.0


@exact
def project(s: Support, p: Pool, w: Scratch, j: int) -> float:
    """Split column j: `w.u` are its coordinates in the support, `w.a` what is left; returns that part's square."""
    places, scale = s.inverse.count[0], p.scale[j]
    for t in range(w.a.shape[0]):
        w.a[t] = p.rows[j, t] * scale
    whole = dot(w.a, w.a)
    w.u[:places] = 0.0
    for turn in range(2):
        products(p.rows, s.row, p.scale, places, w.a, w.g)
        clear_free(s, w.g)
        solve(s.inverse, w.g, w.e)
        clear_free(s, w.e)
        for i in range(places):
            w.u[i] += w.e[i]
        combine(p.rows, s.row, p.scale, places, w.u, w.a)
        for t in range(w.a.shape[0]):
            w.a[t] = p.rows[j, t] * scale - w.a[t]
        left = dot(w.a, w.a)
        if turn == 0 and left > _NEAR * whole:
            break
    return left


@exact
def follow(p: Pool, j: int) -> None:
    """Follow row j's score from now on."""
    p.near[p.count[0]], p.at[j] = j, p.count[0]
    p.count[0] += 1


@exact
def forget(p: Pool, j: int) -> None:
    """Follow row j's score no more."""
    p.count[0] -= 1
    last = p.near[p.count[0]]
    p.near[p.at[j]], p.at[last] = last, p.at[j]


@exact
def price(p: Pool, vector: Any, out: Any) -> None:
    """The inner products of a vector with the columns that are followed."""
    prices(p.rows, p.near, p.scale, p.count[0], vector, out)
