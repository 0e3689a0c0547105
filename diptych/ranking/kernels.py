"""The compiled inner loops of the LASSO ranker: products of float32 rows in float64, and a growing inverse.

The inverse of the support's Gram matrix is kept as a matrix plus a few rank-one updates that have not been added to
it yet. A column that joins and a column that leaves are the same kind of update, and a place that was left is zero
in the inverse and can be taken again, so that nothing is ever moved. Reading the matrix is what costs time; putting
off the additions saves most of it.
"""

from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from diptych.errors import MissingExtraError

try:
    from numba import njit
except ImportError:
    raise MissingExtraError.for_extra("numba, which the LASSO ranker is compiled with,", "ranking") from None

Compiled = TypeVar("Compiled")

PUT_OFF = 8
"""Rank-one updates that wait before they are added to the inverse."""


def fast(function: Compiled) -> Compiled:
    """Compile; sums may be reordered, which is what lets them use the vector units."""
    plain: Any = function
    return cast(Compiled, njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})(plain))


def exact(function: Compiled) -> Compiled:
    """Compile, keeping the order of operations and the meaning of infinities."""
    plain: Any = function
    return cast(Compiled, njit(cache=True, nogil=True)(plain))


class Inverse(NamedTuple):
    """The inverse of the support's Gram matrix: `matrix` and the updates that wait."""

    matrix: Any
    """float64, places × places, of which the lower half is used; free places are zero."""
    update: Any
    """float64, PUT_OFF × places."""
    weight: Any
    """float64, PUT_OFF."""
    count: Any
    """int64: places in use (an upper bound), waiting updates."""


@fast
def dot(one: Any, other: Any) -> float:
    """The inner product of a float32 or float64 row with a float64 vector, in float64."""
    total = 0.0
    for t in range(one.shape[0]):
        total += np.float64(one[t]) * other[t]
    return total


@fast
def dot4(rows: Any, a: int, b: int, c: int, d: int, vector: Any) -> tuple[float, float, float, float]:
    """Four inner products at once: the vector is read once for all of them."""
    one, two, three, four = rows[a], rows[b], rows[c], rows[d]
    w, x, y, z = 0.0, 0.0, 0.0, 0.0
    for t in range(vector.shape[0]):
        value = vector[t]
        w += np.float64(one[t]) * value
        x += np.float64(two[t]) * value
        y += np.float64(three[t]) * value
        z += np.float64(four[t]) * value
    return w, x, y, z


@fast
def products(rows: Any, which: Any, scale: Any, size: int, vector: Any, out: Any) -> None:
    """`out[i] = scale · rows[which[i]] · vector`, for the chosen rows."""
    i = 0
    while i + 4 <= size:
        a, b, c, d = which[i], which[i + 1], which[i + 2], which[i + 3]
        w, x, y, z = dot4(rows, a, b, c, d, vector)
        out[i], out[i + 1], out[i + 2], out[i + 3] = w * scale[a], x * scale[b], y * scale[c], z * scale[d]
        i += 4
    while i < size:
        out[i] = dot(rows[which[i]], vector) * scale[which[i]]
        i += 1


@fast
def prices(rows: Any, which: Any, scale: Any, size: int, vector: Any, out: Any) -> None:
    """`out[which[i]] = scale · rows[which[i]] · vector`: as `products`, but every result in its row's own place."""
    i = 0
    while i + 4 <= size:
        a, b, c, d = which[i], which[i + 1], which[i + 2], which[i + 3]
        w, x, y, z = dot4(rows, a, b, c, d, vector)
        out[a], out[b], out[c], out[d] = w * scale[a], x * scale[b], y * scale[c], z * scale[d]
        i += 4
    while i < size:
        out[which[i]] = dot(rows[which[i]], vector) * scale[which[i]]
        i += 1


@fast
def combine(rows: Any, which: Any, scale: Any, size: int, weight: Any, out: Any) -> None:
    """`out = Σ weight[i] · scale · rows[which[i]]`, the rows taken four at a time."""
    out[:] = 0.0
    i = 0
    while i + 4 <= size:
        a, b, c, d = which[i], which[i + 1], which[i + 2], which[i + 3]
        w, x, y, z = weight[i] * scale[a], weight[i + 1] * scale[b], weight[i + 2] * scale[c], weight[i + 3] * scale[d]
        one, two, three, four = rows[a], rows[b], rows[c], rows[d]
        for t in range(out.shape[0]):
            out[t] += w * one[t] + x * two[t] + y * three[t] + z * four[t]
        i += 4
    while i < size:
        w = weight[i] * scale[which[i]]
        row = rows[which[i]]
        for t in range(out.shape[0]):
            out[t] += w * row[t]
        i += 1


@fast
def solve(inverse: Inverse, right: Any, out: Any) -> None:
    """`out = inverse · right` over the places in use; every entry of the lower half is read once and used twice."""
    size = inverse.count[0]
    out[:size] = 0.0
    i = 0
    while i + 2 <= size:
        one, two = inverse.matrix[i], inverse.matrix[i + 1]
        a, b, x, y = 0.0, 0.0, right[i], right[i + 1]
        for t in range(i):
            a += one[t] * right[t]
            b += two[t] * right[t]
            out[t] += one[t] * x + two[t] * y
        out[i] += a + one[i] * x + two[i] * y
        out[i + 1] += b + two[i] * x + two[i + 1] * y
        i += 2
    if i < size:
        one = inverse.matrix[i]
        a = 0.0
        for t in range(i):
            a += one[t] * right[t]
            out[t] += one[t] * right[i]
        out[i] += a + one[i] * right[i]
    for u in range(inverse.count[1]):
        row = inverse.update[u]
        share = inverse.weight[u] * dot(row[:size], right)
        for i in range(size):
            out[i] += share * row[i]


@fast
def inverse_row(inverse: Inverse, place: int, out: Any) -> None:
    """One row of the inverse, waiting updates included."""
    size = inverse.count[0]
    for i in range(place):
        out[i] = inverse.matrix[place, i]
    for i in range(place, size):
        out[i] = inverse.matrix[i, place]
    for u in range(inverse.count[1]):
        row = inverse.update[u]
        share = inverse.weight[u] * row[place]
        for i in range(size):
            out[i] += share * row[i]


@fast
def add_updates(inverse: Inverse) -> None:
    """Add the waiting updates to the matrix, all in one pass over its lower half."""
    size = inverse.count[0]
    for u in range(inverse.count[1], PUT_OFF):
        inverse.weight[u] = 0.0
        inverse.update[u, :size] = 0.0
    a, b, c, d = inverse.update[0], inverse.update[1], inverse.update[2], inverse.update[3]
    e, f, g, h = inverse.update[4], inverse.update[5], inverse.update[6], inverse.update[7]
    weight = inverse.weight
    for i in range(size):
        row = inverse.matrix[i]
        s, t, u, v = weight[0] * a[i], weight[1] * b[i], weight[2] * c[i], weight[3] * d[i]
        w, x, y, z = weight[4] * e[i], weight[5] * f[i], weight[6] * g[i], weight[7] * h[i]
        for j in range(i + 1):
            row[j] += s * a[j] + t * b[j] + u * c[j] + v * d[j] + w * e[j] + x * f[j] + y * g[j] + z * h[j]
    inverse.count[1] = 0


@fast
def put_off(inverse: Inverse, vector: Any, weight: float) -> None:
    """Note the update `weight · vector · vectorᵀ`; when too many wait, they are added."""
    if inverse.count[1] == PUT_OFF:
        add_updates(inverse)
    u = inverse.count[1]
    for i in range(inverse.count[0]):
        inverse.update[u, i] = vector[i]
    inverse.weight[u] = weight
    inverse.count[1] = u + 1


@fast
def invert(matrix: Any, size: int) -> None:
    """Invert a symmetric positive definite matrix in place, by sweeping one place after the other.

    Ours rather than LAPACK's: it is rarely called, and its result does not depend on a library's threads. Only the
    lower half is read, and only it holds the inverse.
    """
    swept = np.empty(size)
    for k in range(size):
        pivot = 1.0 / matrix[k, k]
        for j in range(k):
            swept[j] = matrix[k, j]
        for i in range(k, size):
            swept[i] = matrix[i, k]
        for i in range(size):
            row, share = matrix[i], swept[i] * pivot
            for j in range(i + 1):
                row[j] -= share * swept[j]
        for j in range(k):
            matrix[k, j] = swept[j] * pivot
        for i in range(k, size):
            matrix[i, k] = swept[i] * pivot
        matrix[k, k] = -pivot
    for i in range(size):
        for j in range(i + 1):
            matrix[i, j] = -matrix[i, j]


@fast
def copy_row(one: Any, other: Any) -> None:
    """Copy a row; twice as fast as assigning it, which first looks for an overlap."""
    for t in range(one.shape[0]):
        other[t] = one[t]


@fast
def square(rows: Any, out: Any) -> None:
    """The squared length of every row, in float64; not finite where a number of the row is not."""
    for i in range(rows.shape[0]):
        row, total = rows[i], 0.0
        for t in range(rows.shape[1]):
            total += np.float64(row[t]) * np.float64(row[t])
        out[i] = total


@exact
def prints(rows: Any, scale: Any, out: Any) -> None:
    """A fingerprint of every row's direction: rows whose unit vectors are equal in float32 have the same."""
    unit = np.empty(rows.shape[1], np.float32)
    bits = unit.view(np.uint32)
    for i in range(rows.shape[0]):
        for t in range(rows.shape[1]):
            unit[t] = np.float32(rows[i, t] * scale[i]) + np.float32(0.0)
        # Each number times an odd multiplier of its own: a sum that may be taken in any order.
        total, factor = np.uint64(0), np.uint64(0x9E3779B97F4A7C15)
        for t in range(rows.shape[1]):
            total += np.uint64(bits[t]) * factor
            factor *= np.uint64(0xD1342543DE82EF95)
        out[i] = total
