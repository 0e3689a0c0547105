"""One stage of the homotopy: from an exact LASSO solution to the exact solution at smaller penalties, over a pool.

Every column has a penalty of its own. Most have the common one; a column outside the last pool that turned out to break
the common bound gets the penalty at which it does not, and the next stage begins by letting these fall to the common
one. So a point is always an exact solution of a weighted problem, and what a stage did need not be undone for a few
columns it did not know. (Where very many break the bound, letting them all join costs more than the stage did; then the
caller goes back to where the stage began and takes a smaller step.) A catch-up before each descent matters: carried
along, penalties of their own multiply the events.

Along the way the coefficients and the scores (inner products of columns and residual) move in straight lines
between events: a score meets its bound, and the column joins; a coefficient meets zero, and its column leaves.
"""

from typing import Any

import numpy as np

from diptych.ranking.kernels import add_updates, combine, dot, exact, inverse_row, products, put_off, solve
from diptych.ranking.support import (
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
    misfit,
    price,
    project,
    rebuild,
    settle,
    take_place,
)

DEPENDENT = 1e-10
"""A column nearer than this (squared) to the span of the support cannot join; it takes another's place."""
_DRIFT = 1e-6
_TURNS = 6
_LOOK = 32
"""Events between two looks at the whole pool."""
_STILL = 1e-9
_BINS = 256
FOLLOWED = 160
"""Columns whose scores are followed from event to event."""


@exact
def tolerance(level: float) -> float:
    """How far above its bound a score may seem to be by rounding alone, as a share of the penalty."""
    return 1e-9 + 2e-15 / level


@exact
def _bin(share: float) -> int:
    return max(0, min(_BINS, int(share * _BINS)))


@exact
def look(s: Support, p: Pool, level: float, goal: float, left: float, nonneg: bool) -> float:
    """Price the whole pool, give every free column its penalty and the slope that takes it to the goal.

    A column above the common penalty gets one of its own. The columns nearest to their bounds will be followed.
    Returns the largest score, as a multiple of the common penalty.
    """
    total = p.count[1]
    products(p.rows, p.everyone, p.scale, total, s.residual, p.score)
    highest, counts = 0.0, np.zeros(_BINS + 1, np.int64)
    for j in range(total):
        if p.state[j] == ACTIVE:
            continue
        high = p.score[j] if nonneg else abs(p.score[j])
        highest = max(highest, high / level)
        # A little apart, so that columns that broke the bound join one after the other.
        p.penalty[j] = level if high <= level else high * (1.0 + 1e-4 * (1.0 + j / total))
        p.slope[j] = (goal - p.penalty[j]) / left
        counts[_bin(high / level)] += 1
    first, room = _BINS, FOLLOWED - counts[_BINS]
    while first > 0 and counts[first - 1] <= room:
        first -= 1
        room -= counts[first]
    p.count[0] = 0
    for j in range(total):
        if p.state[j] != ACTIVE and _bin((p.score[j] if nonneg else abs(p.score[j])) / level) >= first:
            follow(p, j)
    return highest


@exact
def rule(s: Support, goal: float) -> None:
    """The slopes that take the support's penalties to the goal."""
    for i in range(s.inverse.count[0]):
        s.slope[i] = (s.penalty[i] - goal) * s.sign[i]


@exact
def aim(s: Support, p: Pool, w: Scratch) -> None:
    """The direction of coefficients, residual (in `w.q`) and scores, computed afresh.

    What the inverse gives is refined; only where that does not help, the inverse is made anew.
    """
    places, fresh = s.inverse.count[0], False
    most = 1e-300
    for i in range(places):
        most = max(most, abs(s.slope[i]))
    solve(s.inverse, s.slope, s.move)
    clear_free(s, s.move)
    worst = most
    for _ in range(_TURNS):
        last, worst = worst, off_course(s, p, w)
        if worst > 0.1 * last and worst > _DRIFT * most and not fresh:
            rebuild(s, p)
            fresh = True
        solve(s.inverse, w.g, w.u)
        clear_free(s, w.u)
        for i in range(places):
            s.move[i] += w.u[i]
        if worst <= _DRIFT * most:
            break
    combine(p.rows, s.row, p.scale, places, s.move, w.q)
    price(p, w.q, p.move)


@exact
def off_course(s: Support, p: Pool, w: Scratch) -> float:
    """How far the direction takes the support's scores from where their slopes do (in `w.g`), at most."""
    combine(p.rows, s.row, p.scale, s.inverse.count[0], s.move, w.q)
    products(p.rows, s.row, p.scale, s.inverse.count[0], w.q, w.g)
    worst = 0.0
    for i in range(s.inverse.count[0]):
        w.g[i] = s.slope[i] - w.g[i] if s.sign[i] != 0.0 else 0.0
        worst = max(worst, abs(w.g[i]))
    return worst


@exact
def turn_by(p: Pool, w: Scratch, vector: Any, share: float) -> None:
    """Turn the direction of residual and scores by a multiple of a vector."""
    price(p, vector, w.v)
    for t in range(vector.shape[0]):
        w.q[t] += share * vector[t]
    for position in range(p.count[0]):
        j = p.near[position]
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
    put_off(s.inverse, w.u, -1.0 / w.u[place])
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
    """Column j depends on the support: move along that dependence until a coefficient is zero, and let it leave."""
    least, place = 1e300, -1
    for i in range(s.inverse.count[0]):
        fall = sign * w.u[i] * s.sign[i]
        if fall > 1e-9:
            step = abs(s.coef[i]) / fall
            if step < least:
                least, place = step, i
    if place < 0:
        return 0.0, -1
    for i in range(s.inverse.count[0]):
        s.coef[i] -= least * sign * w.u[i]
    gone = s.row[place]
    leave(s, p, w, place)
    return least * sign, gone


@exact
def join(s: Support, p: Pool, w: Scratch, j: int) -> int:
    """Bring pool row j into the support; returns the row to spare in the next step, -1 for none, -2 if it cannot."""
    sign = 1.0 if p.score[j] > 0 else -1.0
    left = project(s, p, w, j)
    start, gone, place = 0.0, -1, free_place(s)
    if left < DEPENDENT or place < 0:
        start, gone = exchange(s, p, w, sign)
        if gone >= 0:
            left = project(s, p, w, j)
        if gone < 0 or left < DEPENDENT:
            p.state[j] = BANNED
            return -2
        place = free_place(s)
    take_place(s, place)
    slope = -p.slope[j] * sign
    w.u[place] = 0.0
    share = (slope - dot(w.u[: s.inverse.count[0]], s.slope)) / left
    w.u[place] = -1.0
    for i in range(s.inverse.count[0]):
        s.move[i] -= share * w.u[i]
    put_off(s.inverse, w.u, 1.0 / left)
    s.column[place], s.row[place], s.sign[place] = p.column[j], j, sign
    s.coef[place], s.penalty[place], s.slope[place] = start, p.penalty[j], slope
    p.state[j] = ACTIVE
    forget(p, j)
    turn_by(p, w, w.a, share)
    return int(gone)


@exact
def next_event(s: Support, p: Pool, left: float, spared: int, fresh: int, nonneg: bool) -> tuple[float, int, int]:
    """How far until something happens: the step, the pool row that joins or -1, the place that is left or -1."""
    step, joins, leaves = left, -1, -1
    for position in range(p.count[0]):
        j = p.near[position]
        if p.state[j] != FREE or j == spared:
            continue
        still = -_STILL * p.slope[j]
        closing = -p.slope[j] - p.move[j]
        if closing > still:
            h = (p.penalty[j] - p.score[j]) / closing
            if h < step:
                step, joins = max(h, 0.0), j
        closing = -p.slope[j] + p.move[j]
        if closing > still and not nonneg:
            h = (p.penalty[j] + p.score[j]) / closing
            if h < step:
                step, joins = max(h, 0.0), j
    for i in range(s.inverse.count[0]):
        if s.move[i] * s.sign[i] < 0.0 and s.row[i] != fresh:
            h = -s.coef[i] / s.move[i]
            if h < step:
                step, joins, leaves = max(h, 0.0), -1, i
    return step, joins, leaves


@exact
def walk(s: Support, p: Pool, w: Scratch, step: float) -> None:
    """Move everything along its straight line."""
    for i in range(s.inverse.count[0]):
        s.coef[i] += step * s.move[i]
        s.penalty[i] -= step * s.slope[i] * s.sign[i]
    for t in range(w.q.shape[0]):
        s.residual[t] -= step * w.q[t]
    for position in range(p.count[0]):
        j = p.near[position]
        p.score[j] -= step * p.move[j]
        p.penalty[j] += step * p.slope[j]


@exact
def expel(s: Support, p: Pool, w: Scratch) -> int:
    """Let columns leave whose coefficient has the wrong sign; returns how many did."""
    gone = 0
    for i in range(s.inverse.count[0]):
        if s.coef[i] * s.sign[i] < 0.0:
            leave(s, p, w, i)
            gone += 1
    if gone:
        add_updates(s.inverse)
        settle(s, p, w, 2)
    return gone


@exact
def finish(s: Support, p: Pool, w: Scratch, goal: float) -> None:
    """At the goal every penalty is the common one."""
    add_updates(s.inverse)
    for i in range(s.inverse.count[0]):
        s.penalty[i] = goal
    settle(s, p, w, 2)
    for _ in range(4):
        if misfit(s, p, w) > tolerance(goal):
            settle(s, p, w, 2)


@exact
def cramped(s: Support, p: Pool) -> bool:
    """Whether there is no place for one more column although it need not depend on the others."""
    return s.sign.shape[0] < p.rows.shape[1] and free_place(s) < 0


@exact
def uneven(s: Support, level: float) -> bool:
    """Whether a column of the support has a penalty of its own."""
    for i in range(s.inverse.count[0]):
        if s.sign[i] != 0.0 and abs(s.penalty[i] - level) > tolerance(level) * level:
            return True
    return False


@exact
def stage(
    s: Support, p: Pool, w: Scratch, level: float, goal: float, nonneg: bool, budget: int, most: int
) -> tuple[float, int]:
    """Make all penalties `level` first; then down to `goal`, or until `budget` columns joined, or `most` events.

    Ends early where the support has no more room. Returns the common penalty reached and the number of events.
    """
    p.count[0], events = 0, 0
    rule(s, level)
    expel(s, p, w)
    if look(s, p, level, level, 1.0, nonneg) > 1.0 + tolerance(level) or uneven(s, level):
        level, events = descend(s, p, w, level, level, nonneg, most, most)
    if goal < level and not uneven(s, level):
        level, more = descend(s, p, w, level, goal, nonneg, budget, most)
        events += more
    add_updates(s.inverse)
    settle(s, p, w, 2)
    return level, events


@exact
def descend(
    s: Support, p: Pool, w: Scratch, level: float, goal: float, nonneg: bool, budget: int, most: int
) -> tuple[float, int]:
    """Follow the path from `level` to `goal`, all penalties falling to it, or until the budget is used up."""
    rule(s, goal)
    look(s, p, level, goal, 1.0, nonneg)
    aim(s, p, w)
    done, events, joined, spared, fresh = 0.0, 0, 0, -1, -1
    while events < most:
        step, joins, leaves = next_event(s, p, 1.0 - done, spared, fresh, nonneg)
        walk(s, p, w, step)
        done += step
        spared = fresh = -1
        if joins < 0 and leaves < 0:
            finish(s, p, w, goal)
            level, done = goal, 0.0
            if look(s, p, goal, goal, 1.0, nonneg) <= 1.0 + tolerance(goal) and not expel(s, p, w):
                return goal, events
            rule(s, goal)
            aim(s, p, w)
            events += 1
            continue
        if joined == budget or (joins >= 0 and cramped(s, p)):
            break
        events += 1
        if joins >= 0:
            joined += 1
            spared = join(s, p, w, joins)
            fresh = joins
        else:
            spared = s.row[leaves]
            leave(s, p, w, leaves)
        if events % _LOOK == 0:
            add_updates(s.inverse)
            settle(s, p, w, 1)
            look(s, p, level + done * (goal - level), goal, 1.0 - done, nonneg)
            aim(s, p, w)
    return level + done * (goal - level), events
