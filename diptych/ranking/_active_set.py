"""The slow, safe route of one question: an active set on an orthogonal factorization, over a pool of columns.

The support's columns are Q R. Nothing is ever computed from their Gram matrix, whose condition is the square of theirs,
and the residual never by subtraction. Every step lowers the objective, so that no support comes twice but for rounding;
a column that enters waits outside the factorization until what blocks it has left, so that no dependent column is ever
in it. Magnitudes are stored apart from signs.
"""

from typing import Any, NamedTuple

import numpy as np

from diptych.ranking._compile import exact, fast
from diptych.ranking._kernels import dot

_DEPENDENT = 1e-11  # how near to the span of the others a column is left out of a new factorization
_CHANGES = 400  # changes after which the factorization is computed anew
_STALLED = 60  # steps in a row that do not lower the objective, after which rounding decides
_SMALL_MISFIT, _SMALLEST_SPEED = 1e-9, 1e-14


class Factors(NamedTuple):
    """The factorization of the support: rows of Qᵀ, R, and Qᵀ b."""

    rotation: Any
    upper: Any
    target: Any


class Active(NamedTuple):
    """The support: for every place a row of the pool, a sign, a magnitude and the score that is due, in penalties."""

    row: Any
    sign: Any
    size: Any
    due: Any
    count: Any  # int64: places in use, changes since the last factorization
    is_member: Any  # int8, for every row of the pool: 1 in the support, 2 refused


class Buffers(NamedTuple):
    """Vectors as long as a column: R⁻ᵀ of the due scores, a point, a direction, the image of a column, the residual."""

    tension: Any
    point: Any
    speed: Any
    image: Any
    residual: Any
    score: Any  # as long as the pool


def make_state(rows: Any) -> tuple[Factors, Active, Buffers]:
    """Room for the support of a pool: as many places as a column has numbers, for no more are independent."""
    count, width = rows.shape
    sign, size, due = np.zeros(width), np.zeros(width), np.zeros(width)
    tension, point, speed, image, residual = np.zeros((5, width))
    factors = Factors(np.zeros((width, width)), np.zeros((width, width)), np.zeros(width))
    active = Active(np.zeros(width, np.int64), sign, size, due, np.zeros(2, np.int64), np.zeros(count, np.int8))
    return factors, active, Buffers(tension, point, speed, image, residual, np.zeros(count))


@fast
def add_multiple(factor: float, row: Any, out: Any) -> None:
    """`out += factor · row`."""
    for t in range(row.shape[0]):
        out[t] += factor * row[t]


@fast
def rotate(cosine: float, sine: float, a: Any, b: Any) -> None:
    """Turn two rows into each other."""
    for t in range(a.shape[0]):
        x, y = a[t], b[t]
        a[t], b[t] = cosine * x + sine * y, cosine * y - sine * x


@exact
def multiply(rows: Any, vector: Any, out: Any) -> None:
    """The inner product of every row with a vector."""
    for i in range(rows.shape[0]):
        out[i] = dot(rows[i], vector)


@exact
def append(f: Factors, size: int, image: Any) -> None:
    """Append the column with a given image under Qᵀ to the factorization of `size` columns, by one reflection."""
    f.upper[:size, size] = image[:size]
    mirror = image[size:].copy()
    length = np.sqrt(dot(mirror, mirror))
    end = -length if image[size] >= 0.0 else length
    mirror[0] -= end
    square = dot(mirror, mirror)
    if square > 0.0:
        combination = np.zeros(f.rotation.shape[1])
        for i in range(mirror.shape[0]):
            add_multiple(mirror[i], f.rotation[size + i], combination)
        share = dot(mirror, f.target[size:])
        for i in range(mirror.shape[0]):
            add_multiple(-2.0 * mirror[i] / square, combination, f.rotation[size + i])
        add_multiple(-2.0 * share / square, mirror, f.target[size:])
    f.upper[size, size] = end


@exact
def remove(f: Factors, a: Active, place: int, image: Any) -> None:
    """Take a column out of support and factorization, by rotations, which also turn `image`."""
    size, upper, target = a.count[0], f.upper, f.target
    a.is_member[a.row[place]] = 0
    for i in range(place, size - 1):
        a.row[i], a.sign[i], a.size[i], a.due[i] = a.row[i + 1], a.sign[i + 1], a.size[i + 1], a.due[i + 1]
        upper[: i + 2, i] = upper[: i + 2, i + 1]
    for i in range(place, size - 1):
        length = np.hypot(upper[i, i], upper[i + 1, i])
        if length > 0.0:
            cosine, sine = upper[i, i] / length, upper[i + 1, i] / length
            rotate(cosine, sine, upper[i, i : size - 1], upper[i + 1, i : size - 1])
            rotate(cosine, sine, f.rotation[i], f.rotation[i + 1])
            rotate(cosine, sine, target[i : i + 1], target[i + 1 : i + 2])
            rotate(cosine, sine, image[i : i + 1], image[i + 1 : i + 2])
        upper[i + 1, i] = 0.0
    a.count[0], a.count[1] = size - 1, a.count[1] + 1


@exact
def solve_upper(f: Factors, size: int, vector: Any) -> None:
    """R⁻¹ of a vector, in place."""
    for i in range(size - 1, -1, -1):
        vector[i] = (vector[i] - dot(f.upper[i, i + 1 : size], vector[i + 1 : size])) / f.upper[i, i]


@exact
def solve_lower(f: Factors, size: int, vector: Any) -> None:
    """R⁻ᵀ of a vector, in place."""
    for i in range(size):
        vector[i] /= f.upper[i, i]
        add_multiple(-vector[i], f.upper[i, i + 1 : size], vector[i + 1 : size])


@exact
def factorize(f: Factors, a: Active, w: Buffers, rows: Any, target: Any) -> None:
    """Compute the factorization anew; a column that depends on those before it is left out of the support."""
    f.rotation[:] = 0.0
    for i in range(target.shape[0]):
        f.rotation[i, i] = 1.0
    f.target[:] = target
    size = 0
    for place in range(a.count[0]):
        row = a.row[place]
        multiply(f.rotation, rows[row], w.image)
        is_independent = size < target.shape[0] and dot(w.image[size:], w.image[size:]) > _DEPENDENT**2
        a.is_member[row] = 1 if is_independent else 0
        if is_independent:
            append(f, size, w.image)
            a.row[size], a.sign[size], a.size[size], a.due[size] = row, a.sign[place], a.size[place], a.due[place]
            size += 1
    a.count[0], a.count[1] = size, 0


@exact
def first_zero(a: Active, w: Buffers, slack: float) -> tuple[float, int]:
    """How far the magnitudes may fall at given speeds, and the place that is zero then; -1 where none is.

    Of the places that are zero at the same time, but for some slack, it is the one with the largest speed.
    """
    longest, step, place, top_speed = np.inf, np.inf, -1, 0.0
    for i in range(a.count[0]):
        if w.speed[i] > _SMALLEST_SPEED:
            longest = min(longest, (a.size[i] + slack) / w.speed[i])
    for i in range(a.count[0]):
        if w.speed[i] > max(top_speed, _SMALLEST_SPEED) and a.size[i] / w.speed[i] <= longest:
            step, place, top_speed = max(0.0, a.size[i] / w.speed[i]), i, w.speed[i]
    return step, place


@exact
def fall(a: Active, w: Buffers, step: float) -> None:
    """Let the magnitudes fall at the given speeds."""
    for i in range(a.count[0]):
        a.size[i] = max(0.0, a.size[i] - step * w.speed[i])


@exact
def reach_stationary_point(f: Factors, a: Active, w: Buffers, penalty: float) -> None:
    """Go to the best point of the support; whatever would turn its sign on the way leaves."""
    while True:
        size, is_reached, top = a.count[0], True, 0.0
        w.tension[:size] = a.due[:size]
        solve_lower(f, size, w.tension)
        w.point[:size] = f.target[:size] - penalty * w.tension[:size]
        solve_upper(f, size, w.point)
        for i in range(size):
            w.point[i] *= a.sign[i]
            w.speed[i] = a.size[i] - w.point[i] if w.point[i] <= 0.0 else 0.0
            if w.point[i] <= 0.0:
                w.speed[i], is_reached = max(w.speed[i], 2.0 * _SMALLEST_SPEED), False
            top = max(top, a.size[i], abs(w.point[i]))
        if is_reached:
            a.size[:size] = w.point[:size]
            return
        step, place = first_zero(a, w, 1e-13 * top)
        if place < 0:  # only what is not a number is not reached and has no speed
            a.count[0] = 0
            return
        w.speed[:size] = a.size[:size] - w.point[:size]
        fall(a, w, min(step, 1.0))
        remove(f, a, place, w.image)


@exact
def price(f: Factors, a: Active, w: Buffers, rows: Any, penalty: float) -> float:
    """Residual and scores of the pool at the support's best point; returns how far the scores are from what is due."""
    size, misfit = a.count[0], 0.0
    w.residual[:] = 0.0
    for i in range(w.residual.shape[0]):
        add_multiple(penalty * w.tension[i] if i < size else f.target[i], f.rotation[i], w.residual)
    multiply(rows, w.residual, w.score)
    for i in range(size):
        w.speed[i] = a.due[i] - w.score[a.row[i]] / penalty
        misfit = max(misfit, abs(w.speed[i]))
    if misfit > 0.1 * _SMALL_MISFIT:
        # The residual alone can be brought nearer to what is due.
        solve_lower(f, size, w.speed)
        for i in range(size):
            add_multiple(penalty * w.speed[i], f.rotation[i], w.residual)
        multiply(rows, w.residual, w.score)
    return misfit


@exact
def enter(f: Factors, a: Active, w: Buffers, rows: Any, row: int, force: float, weight: float) -> None:
    """Bring a row of the pool into the support; what is zero before it has its best magnitude leaves."""
    sign, size = 1.0 if w.score[row] > 0.0 else -1.0, 0.0
    multiply(f.rotation, rows[row], w.image)
    while True:
        count, top = a.count[0], size
        square = dot(w.image[count:], w.image[count:])
        w.speed[:count] = w.image[:count]
        solve_upper(f, count, w.speed)
        for i in range(count):
            w.speed[i] *= sign * a.sign[i]
            top = max(top, a.size[i])
        longest = force / square if square > _DEPENDENT**2 else np.inf
        step, place = first_zero(a, w, 1e-14 * top)
        if place < 0 and longest == np.inf:
            a.is_member[row] = 2  # rounding: it stays outside, and the proof will tell
            return
        fall(a, w, min(step, longest))
        size += min(step, longest)
        if longest <= step:
            append(f, count, w.image)
            a.row[count], a.sign[count], a.size[count], a.due[count] = row, sign, size, sign * weight
            a.is_member[row] = 1
            a.count[0], a.count[1] = count + 1, a.count[1] + 1
            return
        force -= step * square
        remove(f, a, place, w.image)


@exact
def solve_pool(
    f: Factors, a: Active, w: Buffers, rows: Any, target: Any, weight: Any, penalty: float, nonneg: bool, limit: int
) -> int:
    """From any support to the pool's solution, in at most `limit` steps; returns their number."""
    factorize(f, a, w, rows, target)
    steps, stalled, least = 0, 0, np.inf
    while True:
        reach_stationary_point(f, a, w, penalty)
        misfit = price(f, a, w, rows, penalty)
        if a.count[1] > _CHANGES or (misfit > _SMALL_MISFIT and a.count[1] > 0):
            factorize(f, a, w, rows, target)
            continue
        objective = 0.5 * dot(w.residual, w.residual)
        for i in range(a.count[0]):
            objective += penalty * a.size[i] * abs(a.due[i])
        stalled = 0 if objective < least * (1.0 - 1e-14) else stalled + 1
        least = min(least, objective)
        worst, row = 1e-9 + 4e-16 * np.sqrt(dot(w.residual, w.residual)) / penalty, -1
        for j in range(rows.shape[0]):
            if a.is_member[j] == 0:
                violation = (w.score[j] if nonneg else abs(w.score[j])) / penalty - weight[j]
                if violation > worst:
                    worst, row = violation, j
        if row < 0 or steps >= limit or stalled > _STALLED:
            return steps
        steps += 1
        enter(f, a, w, rows, row, penalty * worst, weight[row])
