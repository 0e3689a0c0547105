"""The compiled inner loops of the LASSO ranker: products of float32 rows in float64, and a growing inverse.

The inverse of the support's Gram matrix is stored as a matrix plus a few rank-one updates that have not been added to
it yet. A column that joins and a column that leaves are the same kind of update. A free place is zero in the inverse
and can be used again, so that nothing is ever moved. Reading the matrix is what takes the time; deferring the
additions saves most of it.
"""

from typing import Any, NamedTuple

import numpy as np

from diptych.ranking._compile import exact, fast

SMALLEST_PIVOT = 1e-15  # of the Gram matrix of unit columns; below that it is rounding
DEFERRED_UPDATES = 8  # rank-one updates that wait before they are added to the inverse


class Inverse(NamedTuple):
    """The inverse of the support's Gram matrix: a matrix and the updates that wait."""

    matrix: Any  # float64, places × places, of which the lower half is used; free places are zero
    updates: Any  # float64, DEFERRED_UPDATES × places
    weight: Any  # float64, DEFERRED_UPDATES
    count: Any  # int64: places in use (an upper bound), updates that wait, 1 where it failed and must not be used


@fast
def dot(row: Any, vector: Any) -> float:
    """The inner product of a float32 or float64 row with a float64 vector, in float64."""
    total = 0.0
    for t in range(row.shape[0]):
        total += np.float64(row[t]) * vector[t]
    return total


@fast
def dot4(rows: Any, a: int, b: int, c: int, d: int, vector: Any) -> tuple[float, float, float, float]:
    """Four inner products at once: the vector is read once for all of them."""
    row_a, row_b, row_c, row_d = rows[a], rows[b], rows[c], rows[d]
    w, x, y, z = 0.0, 0.0, 0.0, 0.0
    for t in range(vector.shape[0]):
        value = vector[t]
        w += np.float64(row_a[t]) * value
        x += np.float64(row_b[t]) * value
        y += np.float64(row_c[t]) * value
        z += np.float64(row_d[t]) * value
    return w, x, y, z


@fast
def products(rows: Any, indices: Any, scale: Any, size: int, vector: Any, out: Any) -> None:
    """`out[i] = scale · rows[indices[i]] · vector` for the rows with the given indices."""
    i = 0
    while i + 4 <= size:
        a, b, c, d = indices[i], indices[i + 1], indices[i + 2], indices[i + 3]
        w, x, y, z = dot4(rows, a, b, c, d, vector)
        out[i], out[i + 1], out[i + 2], out[i + 3] = w * scale[a], x * scale[b], y * scale[c], z * scale[d]
        i += 4
    while i < size:
        out[i] = dot(rows[indices[i]], vector) * scale[indices[i]]
        i += 1


@fast
def combine(rows: Any, indices: Any, scale: Any, size: int, weight: Any, out: Any) -> None:
    """`out = Σ weight[i] · scale · rows[indices[i]]`, four rows at a time, the last first."""
    # `products` reads the same rows before and after, the first first: so half of them are still in the cache.
    out[:] = 0.0
    i = size - 4
    while i >= 0:
        a, b, c, d = indices[i], indices[i + 1], indices[i + 2], indices[i + 3]
        w, x, y, z = weight[i] * scale[a], weight[i + 1] * scale[b], weight[i + 2] * scale[c], weight[i + 3] * scale[d]
        row_a, row_b, row_c, row_d = rows[a], rows[b], rows[c], rows[d]
        for t in range(out.shape[0]):
            out[t] += w * row_a[t] + x * row_b[t] + y * row_c[t] + z * row_d[t]
        i -= 4
    for i in range(size % 4):
        w = weight[i] * scale[indices[i]]
        row = rows[indices[i]]
        for t in range(out.shape[0]):
            out[t] += w * row[t]


@fast
def solve(inverse: Inverse, right: Any, out: Any) -> None:
    """`out = inverse · right` over the places in use; every entry of the lower half is read once and used twice."""
    size = inverse.count[0]
    out[:size] = 0.0
    i = 0
    while i + 4 <= size:
        row_a, row_b, row_c, row_d = (
            inverse.matrix[i],
            inverse.matrix[i + 1],
            inverse.matrix[i + 2],
            inverse.matrix[i + 3],
        )
        w, x, y, z = right[i], right[i + 1], right[i + 2], right[i + 3]
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for t in range(i):
            a += row_a[t] * right[t]
            b += row_b[t] * right[t]
            c += row_c[t] * right[t]
            d += row_d[t] * right[t]
            out[t] += row_a[t] * w + row_b[t] * x + row_c[t] * y + row_d[t] * z
        out[i] += a + row_a[i] * w + row_b[i] * x + row_c[i] * y + row_d[i] * z
        out[i + 1] += b + row_b[i] * w + row_b[i + 1] * x + row_c[i + 1] * y + row_d[i + 1] * z
        out[i + 2] += c + row_c[i] * w + row_c[i + 1] * x + row_c[i + 2] * y + row_d[i + 2] * z
        out[i + 3] += d + row_d[i] * w + row_d[i + 1] * x + row_d[i + 2] * y + row_d[i + 3] * z
        i += 4
    while i < size:
        row_a, a = inverse.matrix[i], 0.0
        for t in range(i):
            a += row_a[t] * right[t]
            out[t] += row_a[t] * right[i]
        out[i] += a + row_a[i] * right[i]
        i += 1
    for u in range(inverse.count[1]):
        row = inverse.updates[u]
        share = inverse.weight[u] * dot(row[:size], right)
        for i in range(size):
            out[i] += share * row[i]


@fast
def inverse_row(inverse: Inverse, place: int, out: Any) -> None:
    """One row of the inverse, including the updates that wait."""
    size = inverse.count[0]
    out[:place] = inverse.matrix[place, :place]
    out[place:size] = inverse.matrix[place:size, place]
    for u in range(inverse.count[1]):
        row = inverse.updates[u]
        share = inverse.weight[u] * row[place]
        for i in range(size):
            out[i] += share * row[i]


@fast
def add_updates(inverse: Inverse) -> None:
    """Add the updates that wait to the matrix, in one pass over its lower half."""
    size = inverse.count[0]
    for u in range(inverse.count[1], DEFERRED_UPDATES):
        inverse.weight[u] = 0.0
        inverse.updates[u, :size] = 0.0
    a, b, c, d = inverse.updates[0], inverse.updates[1], inverse.updates[2], inverse.updates[3]
    e, f, g, h = inverse.updates[4], inverse.updates[5], inverse.updates[6], inverse.updates[7]
    weight = inverse.weight
    for i in range(size):
        row = inverse.matrix[i]
        s, t, u, v = weight[0] * a[i], weight[1] * b[i], weight[2] * c[i], weight[3] * d[i]
        w, x, y, z = weight[4] * e[i], weight[5] * f[i], weight[6] * g[i], weight[7] * h[i]
        for j in range(i + 1):
            row[j] += s * a[j] + t * b[j] + u * c[j] + v * d[j] + w * e[j] + x * f[j] + y * g[j] + z * h[j]
    inverse.count[1] = 0


@fast
def defer_update(inverse: Inverse, vector: Any, weight: float) -> None:
    """Defer the update `weight · vector · vectorᵀ`; when too many wait, they are added first."""
    if inverse.count[1] == DEFERRED_UPDATES:
        add_updates(inverse)
    u = inverse.count[1]
    inverse.updates[u, : inverse.count[0]] = vector[: inverse.count[0]]
    inverse.weight[u], inverse.count[1] = weight, u + 1


@fast
def invert(matrix: Any, size: int) -> bool:
    """Invert the lower half of a symmetric positive definite matrix in place, by sweeping one place after the other.

    Returns whether it is positive definite, beyond rounding.
    """
    # Not LAPACK: its result may depend on its threads, and this is rarely called.
    sweep = np.empty(size)
    for k in range(size):
        if not matrix[k, k] > SMALLEST_PIVOT:
            return False
        pivot = 1.0 / matrix[k, k]
        sweep[:k], sweep[k:] = matrix[k, :k], matrix[k:size, k]
        for i in range(size):
            row, share = matrix[i], sweep[i] * pivot
            for j in range(i + 1):
                row[j] -= share * sweep[j]
        matrix[k, :k], matrix[k:size, k] = sweep[:k] * pivot, sweep[k:] * pivot
        matrix[k, k] = -pivot
    for i in range(size):
        matrix[i, : i + 1] *= -1.0
    return True


@fast
def copy_row(source: Any, target: Any) -> None:
    """Copy a row; twice as fast as an assignment, which first checks for an overlap."""
    for t in range(source.shape[0]):
        target[t] = source[t]


@exact
def hash_directions(rows: Any, scale: Any, factors: Any, out: Any) -> None:
    """A number for every row that is the same for rows of the same direction, but for the rounding of float32."""
    for i in range(rows.shape[0]):
        row, total = rows[i], np.uint64(0)
        for t in range(factors.shape[0]):
            number = np.float64(row[t]) * scale[i] + 0.0  # -0.0 becomes 0.0
            total += np.uint64(np.float32(number).view(np.uint32)) * factors[t]
        out[i] = total
