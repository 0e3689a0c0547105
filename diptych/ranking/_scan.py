"""The scan over all columns for many questions at once: one product in integers, of which the largest scores are kept.

The columns with the largest scores are the pool of a question's next stage. The scores of all other columns are
bounded, rounding included; that bound is half of the proof that an answer is optimal over all columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from diptych.ranking._panels import Candidates, Panels, Points
from diptych.ranking._problem import Floats, Integers, Singles

_TILE, _SAMPLE = 4096, 2048
_ERROR_LIMIT = 0.25  # where the error of integer scores may exceed this, scores are computed in float64
_LARGEST_MARGIN = 0.05  # where the error is larger, columns are left out that could lie above the bound


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
    rest: float

    def relative_to(self, level: float) -> "Highest":
        """The same bound as a multiple of another penalty."""
        return replace(self, rest=self.rest / level)


class Scanner:
    """Finds the `size` highest columns of each question."""

    def __init__(self, columns: Columns, panels: Panels, size: int) -> None:
        count = len(columns.rows)
        self.columns, self.panels, self.size = columns, panels, min(count, size)
        self._step = max(1, count // _SAMPLE)
        sample = slice(None, None, self._step)
        self._sample = Panels(columns.rows[sample].copy(), columns.scale[sample].copy())

    @np.errstate(over="ignore", invalid="ignore")  # of paths that rounding has destroyed
    def highest(self, residuals: Floats, levels: Floats, excluded: Sequence[Integers]) -> list[Highest]:
        """For every question, the columns whose scores are the largest multiples of its penalty."""
        points = self.panels.points(residuals / levels[:, None])
        cuts = self._cuts(points, excluded)
        candidates = self.panels.collect(points, cuts, self.size, self.columns.scale, excluded, self.columns.nonneg)
        return [
            self.highest_exact(residuals[slot], float(levels[slot]), excluded[slot])
            if error > _ERROR_LIMIT
            else self._select(candidates, slot, error)
            for slot, error in enumerate(points.errors.tolist())
        ]

    def _select(self, candidates: Candidates, slot: int, error: float) -> Highest:
        columns, products = candidates.columns[slot], candidates.products[slot]
        rest = float(candidates.cuts[slot])
        if len(columns) > self.size:
            order = np.argpartition(-products, self.size - 1)[: self.size]
            columns, rest = columns[order], float(products[order].min())
        return Highest(columns, rest + error)

    def highest_exact(self, residual: Floats, level: float, excluded: Integers) -> Highest:
        """Like `highest` for one question, in float64: where integers cannot decide."""
        scores = self.columns.scores(residual) / level
        scores[excluded] = 0.0
        columns = np.argpartition(-scores, self.size - 1)[: self.size]
        rest = np.delete(scores, columns).max(initial=0.0)
        return Highest(columns, float(rest))

    def _cuts(self, points: Points, excluded: Sequence[Integers]) -> Floats:
        """A score that about `size` columns exceed, estimated from a sample, and surely below the bound."""
        products = self._sample.multiply(points)
        for row, columns in zip(products, excluded, strict=True):
            row[columns[columns % self._step == 0] // self._step] = 0
        if not self.columns.nonneg:
            np.abs(products, out=products)
        share = 1.5 * self.size / len(self.columns.rows)
        position = min(products.shape[1] - 1, int(share * products.shape[1]) + 3)
        estimates = np.partition(products, -position - 1, axis=1)[:, -position - 1] / points.units
        return np.minimum(estimates, 1.0 - 2.0 * np.minimum(points.errors, _LARGEST_MARGIN))
