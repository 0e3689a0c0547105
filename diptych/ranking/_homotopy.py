"""One stage of the homotopy: from an exact LASSO solution to the exact solution at smaller penalties, over a pool.

Every column has its own penalty. Most have the common one; a column outside the last pool that turned out to break the
common bound gets the penalty at which it does not, and the next stage begins by lowering these to the common one. So a
point is always an exact solution of a weighted problem, and a stage need not be undone because of a few columns that
were not in its pool. (Where very many columns break the bound, letting them all join takes longer than the stage did;
then the caller returns to the beginning of the stage and takes a smaller step.) This catch-up comes before each
descent: penalties that differ during a descent multiply the events.

Between events, the coefficients and the scores (inner products of columns and residual) move in straight lines. An
event is a score that meets its bound, and the column joins, or a coefficient that meets zero, and its column leaves.
"""

import numpy as np

from diptych.ranking import _support as support
from diptych.ranking._compile import exact
from diptych.ranking._kernels import add_updates, combine, products, solve
from diptych.ranking._support import ACTIVE, FREE, Pool, Scratch, Support

_DRIFT, _REFINEMENTS = 1e-6, 6
_EVENTS_PER_LOOK = 32  # events between two pricings of the whole pool
_SLOWEST, _BINS, _LEAST_REMAINDER = 1e-9, 256, 1e-12
FOLLOWED_ROWS = 160  # columns whose scores are followed from event to event


@exact
def tolerance(level: float) -> float:
    """How far above its bound a score may lie by rounding alone, as a share of the penalty."""
    return 1e-9 + 2e-15 / level


@exact
def _bin(share: float) -> int:
    if not share > 0.0:  # what is not a number has no bin of its own
        return 0
    return int(share * _BINS) if share < 1.0 else _BINS


@exact
def look(s: Support, p: Pool, level: float, goal: float, remainder: float, nonneg: bool, is_priced: bool) -> float:
    """Price the whole pool, unless it is; set every free column's penalty and the slope that takes it to the goal.

    The columns nearest to their bounds are followed from here on. Returns the largest score in common penalties.
    """
    total = p.count[1]
    if not is_priced:
        p.count[0] = 0
        for j in range(total):
            if p.state[j] != ACTIVE:
                support.follow(p, j)
        support.price_followed(p, s.residual, p.score)
    top_ratio, counts = 0.0, np.zeros(_BINS + 1, np.int64)
    for j in range(total):
        if p.state[j] == ACTIVE:
            continue
        score = p.score[j] if nonneg else abs(p.score[j])
        top_ratio = max(top_ratio, score / level)
        # Columns that broke the bound get slightly different penalties, so that they join one after the other.
        p.penalty[j] = level if score <= level else score * (1.0 + 1e-4 * (1.0 + j / total))
        p.slope[j] = (goal - p.penalty[j]) / remainder
        counts[_bin(score / level)] += 1
    lowest_bin, capacity = _BINS, FOLLOWED_ROWS - counts[_BINS]
    while lowest_bin > 0 and counts[lowest_bin - 1] <= capacity:
        lowest_bin -= 1
        capacity -= counts[lowest_bin]
    p.count[0] = 0
    for j in range(total):
        if p.state[j] != ACTIVE and _bin((p.score[j] if nonneg else abs(p.score[j])) / level) >= lowest_bin:
            support.follow(p, j)
    return top_ratio


@exact
def set_slopes(s: Support, goal: float) -> None:
    """Set the slopes that take the support's penalties to the goal."""
    places = s.inverse.count[0]
    s.slope[:places] = (s.penalty[:places] - goal) * s.sign[:places]


@exact
def set_direction(s: Support, p: Pool, w: Scratch) -> None:
    """Compute the direction of coefficients, residual (in `w.q`) and scores anew."""
    # The result of the inverse is refined; only where that does not help, the inverse is rebuilt.
    places, is_rebuilt = s.inverse.count[0], False
    steepest = 1e-300
    for i in range(places):
        steepest = max(steepest, abs(s.slope[i]))
    solve(s.inverse, s.slope, s.move)
    support.clear_free(s, s.move)
    error = steepest
    for _ in range(_REFINEMENTS):
        last_error, error = error, direction_error(s, p, w)
        if error > 0.1 * last_error and error > _DRIFT * steepest and not is_rebuilt:
            support.rebuild_inverse(s, p)
            is_rebuilt = True
        solve(s.inverse, w.g, w.u)
        support.clear_free(s, w.u)
        s.move[:places] += w.u[:places]
        if error <= _DRIFT * steepest:
            break
    combine(p.rows, s.row, p.scale, places, s.move, w.q)
    support.price_followed(p, w.q, p.move)


@exact
def direction_error(s: Support, p: Pool, w: Scratch) -> float:
    """The errors of the direction against the slopes of the support's scores (in `w.g`); returns the largest."""
    combine(p.rows, s.row, p.scale, s.inverse.count[0], s.move, w.q)
    products(p.rows, s.row, p.scale, s.inverse.count[0], w.q, w.g)
    error = 0.0
    for i in range(s.inverse.count[0]):
        w.g[i] = s.slope[i] - w.g[i] if s.sign[i] != 0.0 else 0.0
        error = max(error, abs(w.g[i]))
    return error


@exact
def next_event(
    s: Support, p: Pool, remainder: float, skipped_row: int, new_row: int, nonneg: bool
) -> tuple[float, int, int]:
    """The next event: the step to it, the pool row that joins or -1, the place whose column leaves or -1."""
    step, joining_row, leaving_place = remainder, -1, -1
    for position in range(p.count[0]):
        j = p.followed_rows[position]
        if p.state[j] != FREE or j == skipped_row:
            continue
        slowest = -_SLOWEST * p.slope[j]
        speed = -p.slope[j] - p.move[j]
        if speed > slowest:
            distance = (p.penalty[j] - p.score[j]) / speed
            if distance < step:
                step, joining_row = max(distance, 0.0), j
        speed = -p.slope[j] + p.move[j]
        if speed > slowest and not nonneg:
            distance = (p.penalty[j] + p.score[j]) / speed
            if distance < step:
                step, joining_row = max(distance, 0.0), j
    for i in range(s.inverse.count[0]):
        if s.move[i] * s.sign[i] < 0.0 and s.row[i] != new_row:
            distance = -s.coef[i] / s.move[i]
            if distance < step:
                step, joining_row, leaving_place = max(distance, 0.0), -1, i
    return step, joining_row, leaving_place


@exact
def expel_columns(s: Support, p: Pool, w: Scratch) -> int:
    """Let columns leave whose coefficient has the wrong sign; returns their number."""
    count = 0
    for i in range(s.inverse.count[0]):
        if s.coef[i] * s.sign[i] < 0.0:
            support.leave(s, p, w, i)
            count += 1
    if count:
        add_updates(s.inverse)
        support.settle(s, p, w, 2)
    return count


@exact
def finish_descent(s: Support, p: Pool, w: Scratch, goal: float) -> None:
    """At the goal, set every penalty to the common one and settle the scores."""
    add_updates(s.inverse)
    s.penalty[: s.inverse.count[0]] = goal
    support.settle(s, p, w, 2)
    for _ in range(4):
        if support.misfit(s, p, w) > tolerance(goal):
            support.settle(s, p, w, 2)


@exact
def is_full(s: Support, p: Pool) -> bool:
    """Whether there is no place for one more column although it need not depend on the others."""
    return s.sign.shape[0] < p.rows.shape[1] and support.free_place(s) < 0


@exact
def is_uneven(s: Support, level: float) -> bool:
    """Whether a column of the support has a penalty other than the common one."""
    places = s.inverse.count[0]
    differences = np.abs(s.penalty[:places] - level) * np.abs(s.sign[:places])
    return bool(np.any(differences > tolerance(level) * level))


@exact
def run_stage(
    s: Support, p: Pool, w: Scratch, level: float, goal: float, nonneg: bool, budget: int, event_limit: int
) -> tuple[float, int]:
    """Bring all penalties to `level`, then to `goal`, or until `budget` columns joined, or for `event_limit` events.

    The free columns have been priced. Ends early where the support has no place left. Returns the common penalty
    reached and the number of events. A stage that rounding keeps from its end is marked as failed in the inverse.
    """
    p.count[0], events = 0, 0
    set_slopes(s, level)
    is_priced = expel_columns(s, p, w) == 0
    if look(s, p, level, level, 1.0, nonneg, is_priced) > 1.0 + tolerance(level) or is_uneven(s, level):
        level, events = descend(s, p, w, level, level, nonneg, event_limit, event_limit)
    if not is_uneven(s, level):
        # Remove the differences that rounding left between penalties; the scores follow when they are settled.
        s.penalty[: s.inverse.count[0]] = level
    if goal < level and not is_uneven(s, level):
        level, more_events = descend(s, p, w, level, goal, nonneg, budget, event_limit)
        events += more_events
    add_updates(s.inverse)
    support.settle(s, p, w, 2)
    support.sharpen_residual(s, p, w)
    return level, events


@exact
def descend(
    s: Support, p: Pool, w: Scratch, level: float, goal: float, nonneg: bool, budget: int, event_limit: int
) -> tuple[float, int]:
    """Follow the path of a priced pool from `level` to `goal`, all penalties falling, or until the budget ends."""
    set_slopes(s, goal)
    look(s, p, level, goal, 1.0, nonneg, True)
    set_direction(s, p, w)
    progress, events, join_count, skipped_row, new_row, last_finish = 0.0, 0, 0, -1, -1, -1
    while events < event_limit and s.inverse.count[2] == 0:
        step, joining_row, leaving_place = next_event(s, p, 1.0 - progress, skipped_row, new_row, nonneg)
        support.walk(s, p, w, step)
        progress += step
        skipped_row = new_row = -1
        if joining_row < 0 and leaving_place < 0:
            finish_descent(s, p, w, goal)
            level, progress = goal, 0.0
            if look(s, p, goal, goal, 1.0, nonneg, False) <= 1.0 + tolerance(goal) and not expel_columns(s, p, w):
                return goal, events
            if last_finish == events:
                s.inverse.count[2] = 1  # nothing can happen, and yet a column lies above the bound
                break
            set_slopes(s, goal)
            set_direction(s, p, w)
            events += 1
            last_finish = events
            continue
        if join_count == budget or (joining_row >= 0 and is_full(s, p)):
            break
        events += 1
        if joining_row >= 0:
            join_count += 1
            skipped_row = support.join(s, p, w, joining_row)
            new_row = joining_row
        else:
            skipped_row = s.row[leaving_place]
            support.leave(s, p, w, leaving_place)
        if events % _EVENTS_PER_LOOK == 0:
            add_updates(s.inverse)
            support.settle(s, p, w, 1)
            look(s, p, level + progress * (goal - level), goal, max(1.0 - progress, _LEAST_REMAINDER), nonneg, False)
            set_direction(s, p, w)
    return level + progress * (goal - level), events
