"""The compiled loops over 16-bit integers: products of panels of columns with vectors, of which the largest are kept.

The innermost operations work on whole vector registers, for which numba has no words. They are written in the terms of
LLVM, without the name of any processor's instruction: it knows this form of a sum of products of 16-bit integers, and
uses the widest instruction for it that there is. Integers are exact, so the result does not depend on which.
"""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils

from diptych.ranking._compile import exact, fast, generated

UNIT = 32767  # the length of a vector in integers: the product of two is about 2³⁰ at most
LANES, TOGETHER = 16, 4  # columns in a panel; panels, and vectors, that are multiplied at once
TILE = LANES * TOGETHER

_INT32, _INT64 = ir.IntType(32), ir.IntType(64)
_SUMS, _PAIRS, _PRODUCTS = (
    ir.VectorType(_INT32, LANES),
    ir.VectorType(ir.IntType(16), 2 * LANES),
    ir.VectorType(_INT32, 2 * LANES),
)


@generated
def _multiply_tile(typingctx: Any, panels: Any, points: Any, steps: Any, out: Any) -> Any:
    """Inner products of four panels with four vectors, by their addresses: 4 × 64 numbers of 32 bits at `out`.

    A step is two numbers of every column, 64 bytes of a panel, and two numbers of a vector, 4 bytes.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        panels, points, steps, out = arguments
        grid = [(point, panel) for point in range(TOGETHER) for panel in range(TOGETHER)]
        sums = {place: cgutils.alloca_once_value(builder, ir.Constant(_SUMS, [0] * LANES)) for place in grid}
        with cgutils.for_range(builder, steps) as loop:
            columns = [
                _load(builder, _SUMS, panels, (loop.index, 4 * LANES), (steps, 4 * LANES * panel))
                for panel in range(TOGETHER)
            ]
            pairs = [
                _repeat(builder, _load(builder, _INT32, points, (loop.index, 4), (steps, 4 * point)), _SUMS)
                for point in range(TOGETHER)
            ]
            for point, panel in grid:
                total = builder.load(sums[point, panel])
                builder.store(_add_products(builder, total, columns[panel], pairs[point]), sums[point, panel])
        for place, (point, panel) in enumerate(grid):
            address = builder.add(out, ir.Constant(_INT64, 4 * LANES * place))
            store = builder.store(builder.load(sums[point, panel]), builder.inttoptr(address, _SUMS.as_pointer()))
            store.align = 4
        return context.get_dummy_value()

    return numba.void(*[numba.intp] * 4), generate


def _load(builder: Any, kind: Any, address: Any, *offsets: tuple[Any, int]) -> Any:
    """Load a value from an address plus some products."""
    for count, size in offsets:
        address = builder.add(address, builder.mul(count, ir.Constant(_INT64, size)))
    value = builder.load(builder.inttoptr(address, kind.as_pointer()))
    value.align = 4
    return value


def _repeat(builder: Any, number: Any, kind: Any) -> Any:
    """A number of 32 bits, or two of 16, in every lane."""
    undefined = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(undefined, number, ir.Constant(_INT32, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(_INT32, kind.count), [0] * kind.count))


def _add_products(builder: Any, total: Any, left: Any, right: Any) -> Any:
    """Add the two products of every lane to its sum, in the form in which compilers know the instruction for it."""
    left, right = (builder.sext(builder.bitcast(pairs, _PAIRS), _PRODUCTS) for pairs in (left, right))
    products, undefined = builder.mul(left, right), ir.Constant(_PRODUCTS, ir.Undefined)
    even, odd = (
        builder.shuffle_vector(products, undefined, ir.Constant(_SUMS, list(range(start, 2 * LANES, 2))))
        for start in (0, 1)
    )
    return builder.add(total, builder.add(even, odd))


@generated
def _lanes_outside(typingctx: Any, products: Any, low: Any, high: Any) -> Any:
    """A bit for each of the 64 numbers at an address: whether it lies below `low` or above `high`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, low, high = arguments
        kind = ir.VectorType(_INT32, TILE)
        values = _load(builder, kind, address)
        bounds = (_repeat(builder, builder.trunc(bound, _INT32), kind) for bound in (low, high))
        is_low, is_high = (builder.icmp_signed(order, values, bound) for order, bound in zip("<>", bounds, strict=True))
        return builder.bitcast(builder.or_(is_low, is_high), _INT64)

    return numba.uint64(numba.intp, numba.int64, numba.int64), generate


@generated
def _first_lane(typingctx: Any, lanes: Any) -> Any:
    """The position of the lowest bit that is set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return numba.int64(numba.uint64), generate


@fast
def _round_row(row: Any, scale: float, out: Any) -> float:
    """Round the multiples of a row's numbers; returns the square of what is rounded away."""
    error = 0.0
    for t in range(row.shape[0]):
        value = np.float64(row[t]) * scale
        rounded = np.rint(value)
        error += (value - rounded) * (value - rounded)
        out[t] = np.int16(rounded)
    return error


@exact
def pack(rows: Any, scale: Any, panels: Any) -> float:
    """Write all columns into the panels; returns the square of the most that is rounded away from one of them."""
    buffer, error = np.zeros((LANES, 2 * panels.shape[1]), np.int16), 0.0
    pairs = buffer.view(np.int32)
    for panel in range(panels.shape[0]):
        for lane in range(LANES):
            j = panel * LANES + lane
            if j < rows.shape[0]:
                error = max(error, _round_row(rows[j], scale[j] * UNIT, buffer[lane]))
            else:
                buffer[lane] = 0
        for step in range(panels.shape[1]):
            for lane in range(LANES):
                panels[panel, step, lane] = pairs[lane, step]
    return error


@exact
def multiply(panels: Any, points: Any, out: Any) -> None:
    """All inner products: one row per vector."""
    products, steps = np.empty((TOGETHER, TILE), np.int32), panels.shape[1]
    for panel in range(0, panels.shape[0], TOGETHER):
        for first in range(0, points.shape[0], TOGETHER):
            _multiply_tile(panels[panel:].ctypes.data, points[first:].ctypes.data, steps, products.ctypes.data)
            for i in range(TOGETHER):
                out[first + i, panel * LANES : panel * LANES + TILE] = products[i]


@exact
def collect(
    panels: Any,
    points: Any,
    scale: Any,
    barred: Any,
    starts: Any,
    nonneg: bool,
    size: int,
    cuts: Any,
    counts: Any,
    values: Any,
    columns: Any,
) -> None:
    """Collect the products above the cut of each vector; when its row is full, keep the `size` largest."""
    products, steps, lowest = np.empty((TOGETHER, TILE), np.int32), panels.shape[1], -(2**31)
    for panel in range(0, panels.shape[0], TOGETHER):
        for first in range(0, points.shape[0], TOGETHER):
            _multiply_tile(panels[panel:].ctypes.data, points[first:].ctypes.data, steps, products.ctypes.data)
            for a in range(first, min(first + TOGETHER, len(cuts))):
                row = products[a - first]
                lanes = _lanes_outside(row.ctypes.data, lowest if nonneg else -cuts[a], cuts[a])
                own, count = barred[starts[a] : starts[a + 1]], counts[a]
                while lanes:  # in most tiles there are none
                    lane = _first_lane(lanes)
                    lanes &= lanes - np.uint64(1)
                    j = panel * LANES + lane
                    if scale[j] != 0.0 and not _contains(own, j):
                        values[a, count], columns[a, count] = abs(row[lane]), j
                        count += 1
                if count > values.shape[1] - TILE:
                    order = np.argsort(-values[a, :count])[:size]
                    values[a, :size], columns[a, :size] = values[a][order], columns[a][order]
                    count, cuts[a] = size, values[a, size - 1]
                counts[a] = count


@exact
def _contains(numbers: Any, number: int) -> bool:
    """Whether a number is among some in order."""
    place = np.searchsorted(numbers, number)
    return bool(place < len(numbers) and numbers[place] == number)
