"""The state of one question's path: its support, its pool of columns, and the functions that keep them exact.

The events of the path are at the end: a column joins the support, leaves it, or takes the place of another.
"""

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from diptych.ranking._compile import exact
from diptych.ranking._kernels import Inverse, combine, copy_row, defer_update, dot, inverse_row, invert, products, solve

FREE, ACTIVE, BANNED = 0, 1, 2
_NEAR_SQUARE, _SMALL_ERROR, _SMALL_MISFIT = 1e-2, 1e-9, 1e-7
_SMALLEST_DIAGONAL = 0.5  # of the inverse, where no column is longer than 1: what is less is rounding
# A column nearer than this (squared) to the span of the support cannot join; it takes the place of another. From the
# span of what is left then, it need not be as far: it does not depend on it.
DEPENDENT, _DEPENDENT_AFTER_EXCHANGE = 1e-10, 1e-14


class Support(NamedTuple):
    """The columns with a coefficient, by place; a free place has sign 0."""

    column: Any
    sign: Any
    coef: Any
    penalty: Any
    slope: Any  # the rate at which penalty · sign falls: the right-hand side of the direction
    move: Any  # the rate at which the coefficients move
    row: Any  # the rows of the columns in the pool
    inverse: Inverse
    residual: Any
    target: Any  # the main question's vector


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
    all_rows: Any  # 0, 1, 2, …
    followed_rows: Any  # the rows near their bound, in any order, whose scores are followed from event to event
    position: Any  # the position of a row in `followed_rows`
    count: Any  # int64: the number of followed rows, the number of rows


Scratch = namedtuple("Scratch", "g u e a q v")
"""Buffers: three as long as the support, two as long as a column, one as long as the pool."""


@exact
def gather(
    p: Pool, s: Support, rows: Any, scale: Any, columns: Any, excluded_columns: Any, marks: Any, nonneg: bool
) -> float:
    """Copy the given columns and the support's into the pool; returns the largest score outside the support."""
    places, count = s.inverse.count[0], 0
    for i in range(places):
        if s.sign[i] != 0.0:
            marks[s.column[i]] = 1
    marks[excluded_columns] = 1
    for j in columns:
        if marks[j] == 0:
            put(p, count, rows, scale, j, FREE)
            count += 1
    marks[excluded_columns] = 0
    free_count = count
    for i in range(places):
        s.row[i] = 0
        if s.sign[i] != 0.0:
            marks[s.column[i]] = 0
            s.row[i] = count
            put(p, count, rows, scale, s.column[i], ACTIVE)
            count += 1
    p.count[1] = count
    products(p.rows, p.all_rows, p.scale, free_count, s.residual, p.score)
    top_score = 0.0
    for j in range(free_count):
        top_score = max(top_score, p.score[j] if nonneg else abs(p.score[j]))
    return top_score


@exact
def count_above(p: Pool, bound: float, nonneg: bool) -> int:
    """The number of columns outside the support whose score exceeds a bound."""
    count = 0
    for j in range(p.count[1]):
        score = p.score[j] if nonneg else abs(p.score[j])
        count += p.state[j] == FREE and score > bound
    return count


@exact
def put(p: Pool, place: int, rows: Any, scale: Any, column: int, state: int) -> None:
    """Copy one column into the pool."""
    copy_row(rows[column], p.rows[place])
    p.scale[place], p.column[place], p.state[place] = scale[column], column, state


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
    gram_row = np.zeros(size)
    for i in range(size):
        if s.sign[i] != 0.0:
            products(p.rows, s.row, p.scale, i + 1, p.rows[s.row[i]] * p.scale[s.row[i]], gram_row)
        for j in range(i + 1):
            matrix[i, j] = gram_row[j] if s.sign[i] != 0.0 and s.sign[j] != 0.0 else 0.0
        if s.sign[i] == 0.0:
            matrix[i, i] = 1.0
    if not invert(matrix, size):
        s.inverse.count[2] = 1
    for i in range(size):
        if s.sign[i] == 0.0:
            matrix[i, i] = 0.0
    s.inverse.count[1] = 0


@exact
def renew_residual(s: Support, p: Pool, w: Scratch) -> None:
    """Compute the residual anew from the coefficients."""
    combine(p.rows, s.row, p.scale, s.inverse.count[0], s.coef, w.q)
    s.residual[:] = s.target - w.q


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
        s.coef[: s.inverse.count[0]] += w.u[: s.inverse.count[0]]
        renew_residual(s, p, w)
        next_error = misfit(s, p, w)
        if next_error > _SMALL_MISFIT and next_error > 0.1 * error and round_number < 4:
            rebuild_inverse(s, p)
        error = next_error


@exact
def sharpen_residual(s: Support, p: Pool, w: Scratch) -> None:
    """Correct the residual alone until score = penalty · sign."""
    # Large coefficients cannot be represented exactly enough for that, but the residual, which proves them, can.
    misfit(s, p, w)
    solve(s.inverse, w.g, w.u)
    clear_free(s, w.u)
    combine(p.rows, s.row, p.scale, s.inverse.count[0], w.u, w.q)
    s.residual[:] -= w.q


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
    w.a[:] = p.rows[j] * scale
    column_square = dot(w.a, w.a)
    w.u[:places] = 0.0
    for attempt in range(2):
        products(p.rows, s.row, p.scale, places, w.a, w.g)
        clear_free(s, w.g)
        solve(s.inverse, w.g, w.e)
        clear_free(s, w.e)
        w.u[:places] += w.e[:places]
        combine(p.rows, s.row, p.scale, places, w.u, w.a)
        w.a[:] = p.rows[j] * scale - w.a
        rest_square = dot(w.a, w.a)
        if attempt == 0:
            # By an exact inverse, the square is this difference too; as far as it is, the inverse is good enough.
            error = abs(column_square - dot(w.g[:places], w.u) - rest_square)
            if rest_square > _NEAR_SQUARE * column_square or error < _SMALL_ERROR * rest_square:
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
    """The inner products of a vector with the followed columns, each at its row."""
    rows, prices = p.followed_rows[: p.count[0]], np.empty(p.count[0])
    products(p.rows, rows, p.scale, p.count[0], vector, prices)
    out[rows] = prices


@exact
def walk(s: Support, p: Pool, w: Scratch, step: float) -> None:
    """Move coefficients, residual, scores and penalties along their straight lines."""
    places = s.inverse.count[0]
    s.coef[:places] += step * s.move[:places]
    s.penalty[:places] -= step * s.slope[:places] * s.sign[:places]
    s.residual[:] -= step * w.q
    for position in range(p.count[0]):
        j = p.followed_rows[position]
        p.score[j] -= step * p.move[j]
        p.penalty[j] += step * p.slope[j]


@exact
def turn_by(p: Pool, w: Scratch, vector: Any, share: float) -> None:
    """Change the direction of residual and scores by a multiple of a vector."""
    price_followed(p, vector, w.v)
    w.q[:] += share * vector
    for position in range(p.count[0]):
        j = p.followed_rows[position]
        p.move[j] += share * w.v[j]


@exact
def leave(s: Support, p: Pool, w: Scratch, place: int) -> None:
    """Take a column out of the support."""
    inverse_row(s.inverse, place, w.u)
    clear_free(s, w.u)
    if not w.u[place] > _SMALLEST_DIAGONAL:
        s.inverse.count[2] = 1
        return
    combine(p.rows, s.row, p.scale, s.inverse.count[0], w.u, w.a)
    share = s.move[place] / w.u[place]
    s.move[: s.inverse.count[0]] -= share * w.u[: s.inverse.count[0]]
    defer_update(s.inverse, w.u, -1.0 / w.u[place])
    j = s.row[place]
    p.state[j], p.penalty[j], p.score[j] = FREE, s.penalty[place], s.penalty[place] * s.sign[place]
    p.slope[j], p.move[j] = -s.slope[place] * s.sign[place], s.slope[place]
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
        if speed > 1e-9 and abs(s.coef[i]) / speed < smallest_step:
            smallest_step, place = abs(s.coef[i]) / speed, i
    if place < 0:
        return 0.0, -1
    s.coef[: s.inverse.count[0]] -= smallest_step * sign * w.u[: s.inverse.count[0]]
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
        if left_row < 0 or not rest_square >= _DEPENDENT_AFTER_EXCHANGE:
            p.state[j] = BANNED
            s.inverse.count[2] = max(s.inverse.count[2], int(left_row >= 0))  # the point is off the path
            return -2
        place = free_place(s)
    take_place(s, place)
    slope = -p.slope[j] * sign
    w.u[place] = 0.0
    share = (slope - dot(w.u[: s.inverse.count[0]], s.slope)) / rest_square
    w.u[place] = -1.0
    s.move[: s.inverse.count[0]] -= share * w.u[: s.inverse.count[0]]
    defer_update(s.inverse, w.u, 1.0 / rest_square)
    s.column[place], s.row[place], s.sign[place] = p.column[j], j, sign
    s.coef[place], s.penalty[place], s.slope[place] = start, p.penalty[j], slope
    p.state[j] = ACTIVE
    forget(p, j)
    turn_by(p, w, w.a, share)
    return int(left_row)
