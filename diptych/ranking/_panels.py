"""All columns as 16-bit integers, and their inner products with many vectors: exact, so the same on every processor.

A unit vector is multiplied by 32,767 and rounded. What that changes an inner product by is bounded by the lengths of
what is rounded away, and no sum of products leaves the range of 32 bits. The compiler knows the instructions that
multiply pairs of 16-bit integers and add them up, on any processor; where it has them for 512 bits, a product takes a
fourth of the time of one in float32, and half of the memory is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diptych.ranking._integer_products import LANES, TILE, TOGETHER, UNIT, collect, multiply, pack
from diptych.ranking._problem import Floats, Integers, Singles

Shorts = npt.NDArray[np.int16]

_CACHE_LINE = 64


@dataclass(frozen=True, slots=True)
class Points:
    """Vectors to be multiplied with all columns, as integers."""

    integers: Shorts  # with rows of zeros up to a multiple of four
    units: Floats  # what a product is to be divided by
    errors: Floats  # how far a product may then lie from the inner product of what was rounded

    def __len__(self) -> int:
        return len(self.units)


@dataclass(frozen=True, slots=True)
class Candidates:
    """For every vector, the columns whose products lie above a cut, in any order; no other column's product does."""

    columns: list[Integers]
    products: list[Floats]
    cuts: Floats


class Panels:
    """All columns as 16-bit integers, in panels of 16: 2 bytes per number, besides the columns themselves."""

    def __init__(self, rows: Singles, scale: Floats) -> None:
        self.count, self.width = rows.shape
        shape = -(-self.count // TILE) * TOGETHER, (self.width + 1) // 2, LANES
        size = int(np.prod(shape))
        memory = np.empty(size + _CACHE_LINE, np.int32)
        start = -(memory.ctypes.data // 4) % (_CACHE_LINE // 4)
        self._pairs = memory[start : start + size].reshape(shape)
        self.error = 1.01 * float(np.sqrt(pack(rows, scale, self._pairs))) / UNIT

    def points(self, vectors: Floats) -> Points:
        """Round some vectors; one that is not finite becomes zero."""
        lengths = np.linalg.norm(vectors, axis=1)
        is_usable = np.isfinite(lengths) & (lengths > 0.0)
        lengths = np.where(is_usable, lengths, 1.0)
        scaled = np.where(is_usable[:, None], vectors, 0.0) * (UNIT / lengths)[:, None]
        rounded = np.rint(scaled)
        integers = np.zeros((-(-len(vectors) // TOGETHER) * TOGETHER, 2 * self._pairs.shape[1]), np.int16)
        integers[: len(vectors), : self.width] = rounded
        # aᵀv − cᵀw = (a − c)ᵀv + cᵀ(v − w), where c and w are the rounded vectors, and a is no longer than 1.
        losses = np.linalg.norm(scaled - rounded, axis=1) / UNIT
        errors = 1.01 * (self.error + (1.0 + self.error) * losses) * lengths
        return Points(integers, UNIT * (UNIT / lengths), errors)

    def multiply(self, points: Points) -> npt.NDArray[np.int32]:
        """All products as integers: one row per vector."""
        products = np.empty((len(points.integers), len(self._pairs) * LANES), np.int32)
        multiply(self._pairs, points.integers, products)
        return products[: len(points), : self.count]

    def collect(
        self, points: Points, cuts: Floats, size: int, scale: Floats, excluded: Sequence[Integers], nonneg: bool
    ) -> Candidates:
        """The columns whose products, without their signs unless `nonneg`, lie above the cut of each vector.

        Columns with the factor 0 and those excluded are left out. Where there are very many, `size` of them or more are
        left, and the cut is higher.
        """
        # A product of zero is that of padding.
        limits = np.clip(np.floor(cuts * points.units), 0.0, 2.0**31 - 1).astype(np.int64)
        counts, room = np.zeros(len(points), np.int64), 4 * size + 2 * TILE
        products, columns = np.empty((len(points), room), np.int32), np.empty((len(points), room), np.int64)
        starts = np.cumsum([0, *map(len, excluded)])
        barred = np.concatenate(excluded)
        state = limits, counts, products, columns
        collect(self._pairs, points.integers, scale, barred, starts, nonneg, size, *state)
        spans = [slice(0, count) for count in counts.tolist()]
        return Candidates(
            [columns[a, span].copy() for a, span in enumerate(spans)],
            [products[a, span] / points.units[a] for a, span in enumerate(spans)],
            limits / points.units,
        )
