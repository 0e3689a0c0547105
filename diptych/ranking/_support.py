"""The state of one question's path: its support, its pool of columns, and the functions that keep them exact."""

from typing import Any, NamedTuple

import numpy as np

from diptych.ranking._kernels import Inverse, combine, dot, exact, invert, prices, products, solve

FREE, ACTIVE, BANNED = 0, 1, 2
_NEAR_SQUARE = 1e-2
_SMALL_MISFIT = 1e-7


class Support(NamedTuple):
    """The columns with a coefficient, by place; a free place has sign 0."""

    column: Any
    sign: Any
    coef: Any
    penalty: Any
    slope: Any
    """The rate at which penalty · sign falls: the right-hand side of the direction."""
    move: Any
    """The rate at which the coefficients move."""
    row: Any
    """The rows of the columns in the pool."""
    inverse: Inverse
    residual: Any
    target: Any
    """The main question's vector."""


class Pool(NamedTuple):
    """The columns that a stage considers, including those of the support."""

    rows: Any
    scale: Any
    column: Any
    score: Any
    penalty: Any
    slope: Any
    move: Any
    state: Any
    all_rows: Any
    """0, 1, 2, …"""
    followed_rows: Any
    """The rows near their bound, in any order, whose scores are followed from event to event."""
    position: Any
    """The position of a row in `followed_rows`."""
    count: Any
    """int64: the number of followed rows, the number of rows."""


class Scratch(NamedTuple):
    """Buffers: three as long as the support, two as long as a column, one as long as the pool."""

    g: Any
    u: Any
    e: Any
    a: Any
    q: Any
    v: Any


@exact
def clear_free(s: Support, vector: Any) -> None:
    """Set a vector to zero at the free places."""
    for i in range(s.inverse.count[0]):
        if s.sign[i] == 0.0:
            vector[i] = 0.0


@exact
def rebuild_inverse(s: Support, p: Pool) -> None:
    """Compute the inverse anew from the Gram matrix of the support; free places stay zero."""
    size, matrix = s.inverse.count[0], s.inverse.matrix
    row, gram_row = np.zeros(p.rows.shape[1]), np.zeros(size)
    for i in range(size):
        if s.sign[i] != 0.0:
            for t in range(row.shape[0]):
                row[t] = p.rows[s.row[i], t] * p.scale[s.row[i]]
            products(p.rows, s.row, p.scale, i + 1, row, gram_row)
        for j in range(i + 1):
            matrix[i, j] = gram_row[j] if s.sign[i] != 0.0 and s.sign[j] != 0.0 else 0.0
        if s.sign[i] == 0.0:
            matrix[i, i] = 1.0
    invert(matrix, size)
    for i in range(size):
        if s.sign[i] == 0.0:
            matrix[i, i] = 0.0
    s.inverse.count[1] = 0


@exact
def renew_residual(s: Support, p: Pool, w: Scratch) -> None:
    """Compute the residual anew from the coefficients."""
    combine(p.rows, s.row, p.scale, s.inverse.count[0], s.coef, w.q)
    for t in range(w.q.shape[0]):
        s.residual[t] = s.target[t] - w.q[t]


@exact
def misfit(s: Support, p: Pool, w: Scratch) -> float:
    """How far the support's scores lie from penalty · sign (in `w.g`); returns the largest share of the penalty."""
    size, share = s.inverse.count[0], 0.0
    products(p.rows, s.row, p.scale, size, s.residual, w.g)
    for i in range(size):
        w.g[i] = w.g[i] - s.penalty[i] * s.sign[i] if s.sign[i] != 0.0 else 0.0
        if w.g[i] != 0.0:
            share = max(share, abs(w.g[i]) / s.penalty[i])
    return share


@exact
def settle(s: Support, p: Pool, w: Scratch, rounds: int) -> None:
    """Correct coefficients and residual until score = penalty · sign; an inverse that does not help is rebuilt."""
    renew_residual(s, p, w)
    error = misfit(s, p, w)
    for round_number in range(rounds):
        solve(s.inverse, w.g, w.u)
        clear_free(s, w.u)
        for i in range(s.inverse.count[0]):
            s.coef[i] += w.u[i]
        renew_residual(s, p, w)
        next_error = misfit(s, p, w)
        if next_error > _SMALL_MISFIT and next_error > 0.1 * error and round_number < 4:
            rebuild_inverse(s, p)
        error = next_error


@exact
def sharpen_residual(s: Support, p: Pool, w: Scratch) -> None:
    """Correct the residual alone until score = penalty · sign.

    Large coefficients cannot be represented exactly enough for that, but the residual, which proves them, can.
    """
    misfit(s, p, w)
    solve(s.inverse, w.g, w.u)
    clear_free(s, w.u)
    combine(p.rows, s.row, p.scale, s.inverse.count[0], w.u, w.q)
    for t in range(w.q.shape[0]):
        s.residual[t] -= w.q[t]


@exact
def free_place(s: Support) -> int:
    """A place for one more column; -1 where there is none."""
    for i in range(s.inverse.count[0]):
        if s.sign[i] == 0.0:
            return i
    return int(s.inverse.count[0]) if s.inverse.count[0] < s.sign.shape[0] else -1


@exact
def take_place(s: Support, place: int) -> None:
    """Prepare a free place for a column."""
    if place < s.inverse.count[0]:
        return
    s.inverse.count[0] = place + 1
    s.inverse.matrix[place, : place + 1] = 0.0
    s.inverse.matrix[: place + 1, place] = 0.0
    s.inverse.updates[:, place] = 0.0
    s.move[place], s.slope[place] = 0.0, 0.0


@exact
def project(s: Support, p: Pool, w: Scratch, j: int) -> float:
    """Project column j: `w.u` are its coordinates in the support, `w.a` is the rest; returns the square of the rest."""
    places, scale = s.inverse.count[0], p.scale[j]
    for t in range(w.a.shape[0]):
        w.a[t] = p.rows[j, t] * scale
    column_square = dot(w.a, w.a)
    w.u[:places] = 0.0
    for attempt in range(2):
        products(p.rows, s.row, p.scale, places, w.a, w.g)
        clear_free(s, w.g)
        solve(s.inverse, w.g, w.e)
        clear_free(s, w.e)
        for i in range(places):
            w.u[i] += w.e[i]
        combine(p.rows, s.row, p.scale, places, w.u, w.a)
        for t in range(w.a.shape[0]):
            w.a[t] = p.rows[j, t] * scale - w.a[t]
        rest_square = dot(w.a, w.a)
        if attempt == 0 and rest_square > _NEAR_SQUARE * column_square:
            break
    return rest_square


@exact
def follow(p: Pool, j: int) -> None:
    """Follow the score of row j from event to event."""
    p.followed_rows[p.count[0]], p.position[j] = j, p.count[0]
    p.count[0] += 1


@exact
def forget(p: Pool, j: int) -> None:
    """Stop following the score of row j."""
    p.count[0] -= 1
    last = p.followed_rows[p.count[0]]
    p.followed_rows[p.position[j]], p.position[last] = last, p.position[j]


@exact
def price_followed(p: Pool, vector: Any, out: Any) -> None:
    """The inner products of a vector with the followed columns."""
    prices(p.rows, p.followed_rows, p.scale, p.count[0], vector, out)
