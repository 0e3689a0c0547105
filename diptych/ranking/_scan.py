"""The scan over all columns for many questions at once: one tall float32 product, of which the largest scores are kept.

The columns with the largest scores are the pool of a question's next stage. The scores of all other columns are
bounded, rounding included; that bound is half of the proof that an answer is optimal over all columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from diptych.ranking._compile import exact, fast
from diptych.ranking._problem import Floats, Integers, Singles

_TILE, _SAMPLE, _CHUNK = 4096, 2048, 32
_ERROR_LIMIT = 0.02  # where the error of float32 scores may exceed this, scores are computed in float64


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns as float32 rows, the factor that makes each a unit vector, and whether only positive scores count."""

    rows: Singles
    scale: Floats
    nonneg: bool = False

    def scores(self, residual: Floats) -> Floats:
        """Every column's score in float64; its absolute value unless only positive scores count."""
        starts = range(0, len(self.rows), _TILE)
        parts = [self.rows[start : start + _TILE].astype(np.float64) @ residual for start in starts]
        scores = np.concatenate(parts) * self.scale
        return scores if self.nonneg else np.abs(scores)


@dataclass(frozen=True, slots=True)
class Highest:
    """The columns with the largest scores, in any order, and a bound on the scores of all other columns."""

    columns: Integers
    values: Floats | Singles
    rest: float

    def above(self, bound: float) -> int:
        """The number of these columns whose score lies above a bound."""
        return int(np.count_nonzero(self.values > bound))

    def relative_to(self, level: float) -> "Highest":
        """The same scores as multiples of another penalty."""
        return Highest(self.columns, self.values / level, self.rest / level)


@fast
def count_above(scores: Any, scale: Any, limit: float, nonneg: bool) -> float:
    """The number of scores above the limit: counted without branches, in the vector units."""
    count, sign = np.float32(0.0), np.float32(0.0) if nonneg else np.float32(-1.0)
    for j in range(scores.shape[0]):
        score = scores[j] * scale[j]
        score = max(score, sign * score)
        count += np.float32(1.0) if score > limit else np.float32(0.0)
    return float(count)


@exact
def collect(
    block: Any, first: int, scale: Any, nonneg: bool, size: int, limits: Any, counts: Any, values: Any, columns: Any
) -> None:
    """From a tile of scores, collect those above the limit of each row; when a row is full, keep its `size` best."""
    width = block.shape[1]
    for a in range(block.shape[0]):
        limit, count = limits[a], counts[a]
        for start in range(0, width, _CHUNK):
            stop = min(width, start + _CHUNK)
            # Most chunks hold nothing.
            if count_above(block[a, start:stop], scale[first + start : first + stop], limit, nonneg) == 0.0:
                continue
            for j in range(start, stop):
                score = block[a, j] * scale[first + j]
                score = score if nonneg else abs(score)
                if score > limit:
                    values[a, count], columns[a, count] = score, first + j
                    count += 1
            if count > values.shape[1] - _CHUNK:
                order = np.argsort(-values[a, :count])[:size]
                values[a, :size], columns[a, :size] = values[a][order], columns[a][order]
                count, limit = size, values[a, size - 1]
        limits[a], counts[a] = limit, count


class _Barred:
    """The columns that may not be chosen, for every question, in the order of the columns."""

    def __init__(self, excluded: Sequence[Integers]) -> None:
        columns = np.concatenate(excluded)
        order = np.argsort(columns, kind="stable")
        self.columns, self.owners = columns[order], np.repeat(np.arange(len(excluded)), list(map(len, excluded)))[order]

    def clear(self, scores: Singles, first: int, step: int = 1) -> None:
        """Set their scores to zero in a table of every `step`-th column from `first` on."""
        span = slice(*np.searchsorted(self.columns, (first, first + step * scores.shape[1])))
        owners, positions = self.owners[span], self.columns[span] - first
        is_member = positions % step == 0
        scores[owners[is_member], positions[is_member] // step] = 0.0


class Scanner:
    """Finds the `size` highest columns of each question, in buffers that are reused."""

    def __init__(self, columns: Columns, size: int, slots: int) -> None:
        count = len(columns.rows)
        self.columns, self.size = columns, min(count, size)
        self._step = step = max(1, count // _SAMPLE)
        self._scale = columns.scale.astype(np.float32)
        self._sample, self._sample_scale = columns.rows[::step], self._scale[::step]
        self._block = np.empty(slots * min(count, _TILE), np.float32)
        room = 4 * self.size + 2 * _CHUNK
        self._values, self._columns = np.empty((slots, room), np.float32), np.empty((slots, room), np.int64)

    @np.errstate(over="ignore", invalid="ignore")  # of paths that rounding has destroyed
    def highest(self, residuals: Floats, levels: Floats, excluded: Sequence[Integers]) -> list[Highest]:
        """For every question, the columns whose scores are the largest multiples of its penalty."""
        slots = len(residuals)
        theta = (residuals / levels[:, None]).astype(np.float32)
        errors = self._error_bounds(residuals, levels)
        barred = _Barred(excluded)
        limits, counts = self._limits(theta, errors, barred), np.zeros(slots, np.int64)
        rows, values, columns = self.columns.rows, self._values[:slots], self._columns[:slots]
        for first in range(0, len(rows), _TILE):
            tile = rows[first : first + _TILE]
            scores = self._block[: slots * len(tile)].reshape(slots, len(tile))
            np.matmul(theta, tile.T, out=scores)
            barred.clear(scores, first)
            collect(scores, first, self._scale, self.columns.nonneg, self.size, limits, counts, values, columns)
        return [
            self.highest_exact(residuals[slot], float(levels[slot]), excluded[slot])
            if errors[slot] > _ERROR_LIMIT
            else self._select(columns[slot, :count], values[slot, :count], float(limits[slot]), float(errors[slot]))
            for slot, count in enumerate(counts.tolist())
        ]

    def _select(self, columns: Integers, values: Singles, limit: float, error: float) -> Highest:
        if len(columns) > self.size:
            order = np.argpartition(-values, self.size - 1)[: self.size]
            columns, values = columns[order], values[order]
            limit = float(values.min())
        return Highest(columns.copy(), values.copy(), limit + error)

    def highest_exact(self, residual: Floats, level: float, excluded: Integers) -> Highest:
        """Like `highest` for one question, in float64: where float32 cannot decide."""
        scores = self.columns.scores(residual) / level
        scores[excluded] = 0.0
        columns = np.argpartition(-scores, self.size - 1)[: self.size]
        rest = np.delete(scores, columns).max(initial=0.0)
        return Highest(columns, scores[columns], float(rest))

    def _limits(self, theta: Singles, errors: Floats, barred: "_Barred") -> Singles:
        """A score that about `size` columns exceed, estimated from a sample, and surely below the bound."""
        scores = (theta @ self._sample.T) * self._sample_scale
        barred.clear(scores, 0, self._step)
        if not self.columns.nonneg:
            np.abs(scores, out=scores)
        share = 1.5 * self.size / len(self.columns.rows)
        position = min(scores.shape[1] - 1, int(share * scores.shape[1]) + 3)
        estimates = np.partition(scores, -position - 1, axis=1)[:, -position - 1]
        return np.minimum(estimates, 1.0 - 2.0 * np.minimum(errors, 0.4)).astype(np.float32)

    def _error_bounds(self, residuals: Floats, levels: Floats) -> Floats:
        """Bounds on the errors of float32 scores."""
        # A sum of d products is wrong by at most d units of rounding, as a share of the product of the lengths; the
        # residual and the factor are rounded once each, and so are the score and the bound it is compared with.
        lengths: Floats = np.linalg.norm(residuals, axis=1) / levels
        bounds: Floats = 1.01 * (residuals.shape[1] + 5) * 2.0**-24 * lengths
        return bounds
