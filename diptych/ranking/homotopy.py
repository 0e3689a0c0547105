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

import numpy as np

from diptych.ranking.kernels import add_updates, combine, exact, products, solve
from diptych.ranking.moves import join, leave, walk
from diptych.ranking.support import (
    ACTIVE,
    FREE,
    Pool,
    Scratch,
    Support,
    clear_free,
    follow,
    free_place,
    misfit,
    price,
    rebuild,
    settle,
    sharpen,
)

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
def look(s: Support, p: Pool, level: float, goal: float, left: float, nonneg: bool, priced: bool) -> float:
    """Price the whole pool, unless it is; give every free column its penalty and the slope that takes it to the goal.

    A column above the common penalty gets one of its own. The columns nearest to their bounds will be followed.
    Returns the largest score, as a multiple of the common penalty.
    """
    total = p.count[1]
    if not priced:
        price_free(s, p)
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
def price_free(s: Support, p: Pool) -> None:
    """The scores of all columns outside the support; what is followed is forgotten."""
    p.count[0] = 0
    for j in range(p.count[1]):
        if p.state[j] != ACTIVE:
            follow(p, j)
    price(p, s.residual, p.score)


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

    The free columns have been priced. Ends early where the support has no more room. Returns the common penalty
    reached and the number of events.
    """
    p.count[0], events = 0, 0
    rule(s, level)
    priced = expel(s, p, w) == 0
    if look(s, p, level, level, 1.0, nonneg, priced) > 1.0 + tolerance(level) or uneven(s, level):
        level, events = descend(s, p, w, level, level, nonneg, most, most)
    if not uneven(s, level):
        # What rounding left between penalties goes; the scores follow when they are settled.
        for i in range(s.inverse.count[0]):
            s.penalty[i] = level
    if goal < level and not uneven(s, level):
        level, more = descend(s, p, w, level, goal, nonneg, budget, most)
        events += more
    add_updates(s.inverse)
    settle(s, p, w, 2)
    sharpen(s, p, w)
    return level, events


@exact
def descend(
    s: Support, p: Pool, w: Scratch, level: float, goal: float, nonneg: bool, budget: int, most: int
) -> tuple[float, int]:
    """Follow the path from `level` to `goal`, all penalties falling to it, or until the budget is used up.

    The pool has been priced.
    """
    rule(s, goal)
    look(s, p, level, goal, 1.0, nonneg, True)
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
            if look(s, p, goal, goal, 1.0, nonneg, False) <= 1.0 + tolerance(goal) and not expel(s, p, w):
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
            look(s, p, level + done * (goal - level), goal, 1.0 - done, nonneg, False)
            aim(s, p, w)
    return level + done * (goal - level), events
