"""Pricing every column for many questions at once: one tall float32 product, of which the largest scores are kept.

What is kept names the columns a question's next stage looks at; what is left out is bounded, rounding included, and
that bound is half of the proof that an answer is optimal over all columns.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from diptych.ranking.kernels import exact, fast

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

_TILE = 4096
_SAMPLE = 2048
_CHUNK = 32
_DOUBTFUL = 0.02
"""Above this bound on their error, float32 scores are of no use."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns as float32 rows, the factor that makes each a unit vector, and whether only positive scores count."""

    rows: Singles
    scale: Floats
    nonneg: bool = False

    def scores(self, residual: Floats) -> Floats:
        """Every column's score in float64, as far as it counts."""
        parts = (self.rows[at : at + _TILE].astype(np.float64) @ residual for at in range(0, len(self.rows), _TILE))
        scores = np.concatenate(list(parts)) * self.scale
        return scores if self.nonneg else np.abs(scores)


@dataclass(frozen=True, slots=True)
class Highest:
    """The columns with the largest scores, in any order, and a bound on the scores of all others."""

    columns: Integers
    values: Floats | Singles
    rest: float

    def above(self, bound: float) -> int:
        """How many of them lie above a bound."""
        return int(np.count_nonzero(self.values > bound))


@fast
def hits(scores: Any, scale: Any, limit: float, nonneg: bool) -> float:
    """How many scores lie above the limit: counted without branches, in the vector units."""
    found, sign = np.float32(0.0), np.float32(0.0) if nonneg else np.float32(-1.0)
    for j in range(scores.shape[0]):
        score = scores[j] * scale[j]
        score = max(score, sign * score)
        found += np.float32(1.0) if score > limit else np.float32(0.0)
    return float(found)


@exact
def collect(
    block: Any, first: int, scale: Any, nonneg: bool, keep: int, least: Any, count: Any, value: Any, which: Any
) -> None:
    """From a tile of scores, keep for every row those above its threshold; when full, keep the best."""
    width = block.shape[1]
    for a in range(block.shape[0]):
        limit, have = least[a], count[a]
        for start in range(0, width, _CHUNK):
            stop = min(width, start + _CHUNK)
            # Most chunks hold nothing.
            if hits(block[a, start:stop], scale[first + start : first + stop], limit, nonneg) == 0.0:
                continue
            for j in range(start, stop):
                score = block[a, j] * scale[first + j]
                score = score if nonneg else abs(score)
                if score > limit:
                    value[a, have], which[a, have] = score, first + j
                    have += 1
            if have > value.shape[1] - _CHUNK:
                order = np.argsort(-value[a, :have])[:keep]
                value[a, :keep], which[a, :keep] = value[a][order], which[a][order]
                have, limit = keep, value[a, keep - 1]
        least[a], count[a] = limit, have


class Scanner:
    """Finds each question's `keep` highest columns; the buffers are used again and again."""

    def __init__(self, columns: Columns, keep: int, slots: int) -> None:
        count = len(columns.rows)
        self.columns, self.keep = columns, min(count, keep)
        step = max(1, count // _SAMPLE)
        self._scale = columns.scale.astype(np.float32)
        self._sample, self._sample_scale = columns.rows[::step], self._scale[::step]
        self._block = np.empty(slots * min(count, _TILE), np.float32)
        room = 4 * self.keep + 2 * _CHUNK
        self._value, self._which = np.empty((slots, room), np.float32), np.empty((slots, room), np.int64)

    def highest(self, residuals: Floats, levels: Floats) -> list[Highest]:
        """For every question the columns whose scores are the largest multiples of its penalty."""
        size = len(residuals)
        theta = (residuals / levels[:, None]).astype(np.float32)
        doubts = self._doubts(residuals, levels)
        least, count = self._thresholds(theta, doubts), np.zeros(size, np.int64)
        rows, value, which = self.columns.rows, self._value[:size], self._which[:size]
        for first in range(0, len(rows), _TILE):
            tile = rows[first : first + _TILE]
            scores = self._block[: size * len(tile)].reshape(size, len(tile))
            np.matmul(theta, tile.T, out=scores)
            collect(scores, first, self._scale, self.columns.nonneg, self.keep, least, count, value, which)
        return [
            self.exactly(residuals[at], float(levels[at]))
            if doubts[at] > _DOUBTFUL
            else self._best(which[at, :have], value[at, :have], float(least[at]), float(doubts[at]))
            for at, have in enumerate(count.tolist())
        ]

    def _best(self, which: Integers, value: Singles, least: float, doubt: float) -> Highest:
        if len(which) > self.keep:
            order = np.argpartition(-value, self.keep - 1)[: self.keep]
            which, value = which[order], value[order]
            least = float(value.min())
        return Highest(which.copy(), value.copy(), least + doubt)

    def exactly(self, residual: Floats, level: float) -> Highest:
        """As `highest` for one question, in float64: where float32 cannot tell."""
        scores = self.columns.scores(residual) / level
        best = np.argpartition(-scores, self.keep - 1)[: self.keep]
        rest = np.delete(scores, best).max(initial=0.0)
        return Highest(best, scores[best], float(rest))

    def _thresholds(self, theta: Singles, doubts: Floats) -> Singles:
        """A score that about as many columns exceed as are kept, guessed from a sample, and surely below the bound."""
        with np.errstate(invalid="ignore", over="ignore"):
            scores = (theta @ self._sample.T) * self._sample_scale
        if not self.columns.nonneg:
            np.abs(scores, out=scores)
        share = 1.5 * self.keep / len(self.columns.rows)
        rank = min(scores.shape[1] - 1, int(share * scores.shape[1]) + 3)
        guess = np.partition(scores, -rank - 1, axis=1)[:, -rank - 1]
        return np.minimum(guess, 1.0 - 2.0 * np.minimum(doubts, 0.4)).astype(np.float32)

    def _doubts(self, residuals: Floats, levels: Floats) -> Floats:
        """How far a float32 score may be from the true one.

        A sum of d products is wrong by at most d units of rounding, as a share of the lengths' product; the
        residual and the factor are rounded once each, and so are the score and the bound it is compared with.
        """
        lengths: Floats = np.linalg.norm(residuals, axis=1) / levels
        doubts: Floats = 1.01 * (residuals.shape[1] + 5) * 2.0**-24 * lengths
        return doubts
