"""The events of the homotopy: a column joins the support, leaves it, or takes the place of another."""

from typing import Any

from diptych.ranking._kernels import combine, defer_update, dot, exact, inverse_row
from diptych.ranking._support import (
    ACTIVE,
    BANNED,
    FREE,
    Pool,
    Scratch,
    Support,
    clear_free,
    follow,
    forget,
    free_place,
    price_followed,
    project,
    take_place,
)

DEPENDENT = 1e-10
"""A column nearer than this (squared) to the span of the support cannot join; it takes the place of another."""


@exact
def walk(s: Support, p: Pool, w: Scratch, step: float) -> None:
    """Move coefficients, residual, scores and penalties along their straight lines."""
    for i in range(s.inverse.count[0]):
        s.coef[i] += step * s.move[i]
        s.penalty[i] -= step * s.slope[i] * s.sign[i]
    for t in range(w.q.shape[0]):
        s.residual[t] -= step * w.q[t]
    for position in range(p.count[0]):
        j = p.followed_rows[position]
        p.score[j] -= step * p.move[j]
        p.penalty[j] += step * p.slope[j]


@exact
def turn_by(p: Pool, w: Scratch, vector: Any, share: float) -> None:
    """Change the direction of residual and scores by a multiple of a vector."""
    price_followed(p, vector, w.v)
    for t in range(vector.shape[0]):
        w.q[t] += share * vector[t]
    for position in range(p.count[0]):
        j = p.followed_rows[position]
        p.move[j] += share * w.v[j]


@exact
def leave(s: Support, p: Pool, w: Scratch, place: int) -> None:
    """Take a column out of the support."""
    inverse_row(s.inverse, place, w.u)
    clear_free(s, w.u)
    combine(p.rows, s.row, p.scale, s.inverse.count[0], w.u, w.a)
    share = s.move[place] / w.u[place]
    for i in range(s.inverse.count[0]):
        s.move[i] -= share * w.u[i]
    defer_update(s.inverse, w.u, -1.0 / w.u[place])
    j = s.row[place]
    p.state[j] = FREE
    p.score[j] = s.penalty[place] * s.sign[place]
    p.penalty[j] = s.penalty[place]
    p.slope[j] = -s.slope[place] * s.sign[place]
    p.move[j] = s.slope[place]
    follow(p, j)
    s.sign[place], s.coef[place], s.move[place], s.slope[place] = 0.0, 0.0, 0.0, 0.0
    turn_by(p, w, w.a, -share)


@exact
def exchange(s: Support, p: Pool, w: Scratch, sign: float) -> tuple[float, int]:
    """Make room for a column that depends on the support: move along that dependence until a coefficient is zero.

    That coefficient's column leaves. Returns the new column's coefficient and the row that left, -1 for none.
    """
    smallest_step, place = 1e300, -1
    for i in range(s.inverse.count[0]):
        speed = sign * w.u[i] * s.sign[i]
        if speed > 1e-9:
            step = abs(s.coef[i]) / speed
            if step < smallest_step:
                smallest_step, place = step, i
    if place < 0:
        return 0.0, -1
    for i in range(s.inverse.count[0]):
        s.coef[i] -= smallest_step * sign * w.u[i]
    left_row = s.row[place]
    leave(s, p, w, place)
    return smallest_step * sign, left_row


@exact
def join(s: Support, p: Pool, w: Scratch, j: int) -> int:
    """Bring pool row j into the support; returns the row to skip in the next step, -1 for none, -2 if it cannot."""
    sign = 1.0 if p.score[j] > 0 else -1.0
    rest_square = project(s, p, w, j)
    start, left_row, place = 0.0, -1, free_place(s)
    if rest_square < DEPENDENT or place < 0:
        start, left_row = exchange(s, p, w, sign)
        if left_row >= 0:
            rest_square = project(s, p, w, j)
        if left_row < 0 or rest_square < DEPENDENT:
            p.state[j] = BANNED
            return -2
        place = free_place(s)
    take_place(s, place)
    slope = -p.slope[j] * sign
    w.u[place] = 0.0
    share = (slope - dot(w.u[: s.inverse.count[0]], s.slope)) / rest_square
    w.u[place] = -1.0
    for i in range(s.inverse.count[0]):
        s.move[i] -= share * w.u[i]
    defer_update(s.inverse, w.u, 1.0 / rest_square)
    s.column[place], s.row[place], s.sign[place] = p.column[j], j, sign
    s.coef[place], s.penalty[place], s.slope[place] = start, p.penalty[j], slope
    p.state[j] = ACTIVE
    forget(p, j)
    turn_by(p, w, w.a, share)
    return int(left_row)
