"""Many main questions at once: their stages take turns with one product of all columns and all residuals.

Pricing every column is one tall float32 matrix product for all questions in work. It names the columns a
question's next stage looks at, and in the end it proves that no column breaks the bound. A question that is
done makes room for the next, so that the product stays tall.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from diptych.errors import BadInputError
from diptych.ranking.homotopy import stage, tolerance
from diptych.ranking.kernels import PUT_OFF, Inverse, exact, products
from diptych.ranking.support import ACTIVE, FREE, Pool, Scratch, Support

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

_TILE = 4096
_SAMPLE = 2048
_SLOT_BYTES = 600 << 20
_DOUBTFUL = 0.02
_TOO_MANY_SCANS = 400


@dataclass(frozen=True, slots=True)
class Problem:
    """The columns as float32 rows with the factor that makes each a unit vector, and what is asked of them."""

    rows: Singles
    scale: Floats
    penalty: float
    nonneg: bool = False

    @property
    def widest(self) -> int:
        """The most columns a support can have."""
        return int(min(self.rows.shape))


@dataclass(frozen=True, slots=True)
class Tuning:
    """How large pools and stages are; no answer depends on it, only the time to find it."""

    pool: int = 600
    budget: int = 40
    share: float = 0.5
    """Columns that may join in a stage, as a share of the support."""
    fall: float = 0.3
    """How far the penalty may fall in a stage."""
    too_many: int = 100
    """Columns above the bound that make a stage be gone back on."""
    slots: int = 128


@dataclass(frozen=True, slots=True)
class Solved:
    """One question's exact solution and what proves it."""

    number: int
    columns: Integers
    coefs: Floats
    gap: float
    excess: float
    """How far the largest score over all columns lies above the penalty, as a share of it (0: not at all)."""
    misfit: float
    """How far the support's scores lie from the penalty, as a share of it."""
    scans: int
    events: int


class Slot:
    """One question in work."""

    def __init__(self, number: int, target: Floats, excluded: Integers) -> None:
        self.number, self.excluded = number, excluded
        self.level, self.scans, self.events = 0.0, 0, 0
        self.fall = 0.0
        self.support = _support(32, target)
        self.kept = (0.0, self.support)

    def make_room(self, places: int) -> None:
        """Let the support grow to so many places."""
        old = self.support
        have = old.sign.shape[0]
        if places <= have:
            return
        new = _support(max(places, 3 * have // 2), old.target)
        for name in ("column", "sign", "coef", "penalty", "slope", "move", "row"):
            getattr(new, name)[:have] = getattr(old, name)
        new.inverse.matrix[:have, :have] = old.inverse.matrix
        new.inverse.count[:] = old.inverse.count
        new.residual[:] = old.residual
        self.support = new

    def keep(self) -> None:
        """Remember this point of the path."""
        old = self.support
        inverse = Inverse(*(array.copy() for array in old.inverse))
        copies = {name: getattr(old, name).copy() for name in ("column", "sign", "coef", "penalty", "residual")}
        self.kept = self.level, old._replace(inverse=inverse, **copies)

    def go_back(self) -> None:
        """Return to the point remembered last, to go on from there in smaller steps."""
        self.level, self.support = self.kept
        self.fall **= 0.5

    def settled(self, penalty: float) -> bool:
        """Whether every coefficient has the right sign and every column the common penalty."""
        s, live = self.support, self.support.sign != 0.0
        return self.level == penalty and bool(np.all(s.penalty[live] == penalty) and np.all((s.coef * s.sign) >= 0.0))

    @property
    def places(self) -> int:
        """Places in use."""
        return int(self.support.inverse.count[0])


def _support(places: int, target: Floats) -> Support:
    zeros, integers = (np.zeros(places) for _ in range(5)), (np.zeros(places, np.int64) for _ in range(2))
    sign, coef, penalty, slope, move = zeros
    column, row = integers
    waiting, count = np.zeros((PUT_OFF, places)), np.zeros(2, np.int64)
    inverse = Inverse(np.zeros((places, places)), waiting, np.zeros(PUT_OFF), count)
    return Support(column, sign, coef, penalty, slope, move, row, inverse, target.copy(), target)


@exact
def collect(
    block: Any,
    first: int,
    width: int,
    scale: Any,
    least: Any,
    nonneg: bool,
    keep: int,
    count: Any,
    value: Any,
    which: Any,
) -> None:
    """From a tile of scores, keep for every row those above its threshold; when full, keep the best."""
    for a in range(least.shape[0]):
        limit, have = least[a], count[a]
        for j in range(width):
            score = block[a, j] * scale[first + j]
            if not nonneg:
                score = abs(score)
            if score > limit:
                value[a, have], which[a, have] = score, first + j
                have += 1
                if have == value.shape[1]:
                    order = np.argsort(-value[a])[:keep]
                    value[a, :keep], which[a, :keep] = value[a][order], which[a][order]
                    have, limit = keep, value[a, keep - 1]
        least[a], count[a] = limit, have


@exact
def gather(
    rows: Any, scale: Any, chosen: Any, size: int, s: Support, p: Pool, mark: Any, residual: Any, nonneg: bool
) -> float:
    """Copy the chosen columns and the support's into the pool; returns the largest score outside the support."""
    fill = 0
    for z in range(size):
        if mark[chosen[z]] == 0:
            p.rows[fill] = rows[chosen[z]]
            p.scale[fill], p.column[fill], p.state[fill] = scale[chosen[z]], chosen[z], FREE
            fill += 1
    free = fill
    for i in range(s.inverse.count[0]):
        j = s.column[i]
        s.row[i] = fill
        p.rows[fill] = rows[j]
        p.scale[fill], p.column[fill], p.state[fill] = scale[j], j, ACTIVE
        fill += 1
    p.count[1] = fill
    products(p.rows, p.everyone, p.scale, free, residual, p.score)
    most = 0.0
    for j in range(free):
        most = max(most, p.score[j] if nonneg else abs(p.score[j]))
    return most


class Ranker:
    """Solves questions over one set of columns, in one thread."""

    def __init__(self, problem: Problem, tuning: Tuning) -> None:
        self.problem, self.tuning = problem, tuning
        count, width = problem.rows.shape
        self.keep = min(count, tuning.pool)
        self.slots = self._affordable()
        self.sample = problem.rows[:: max(1, count // _SAMPLE)]
        self.sample_scale = problem.scale[:: max(1, count // _SAMPLE)].astype(np.float32)
        self.scale32 = problem.scale.astype(np.float32)
        self.mark = np.zeros(count, np.int8)
        self.block = np.empty((self.slots, min(count, _TILE)), np.float32)
        room = 4 * self.keep + 64
        self.value = np.empty((self.slots, room), np.float32)
        self.which = np.empty((self.slots, room), np.int64)
        self.pool = _pool(self.keep + problem.widest + 2, width)
        self.scratch = _scratch(problem.widest + 2, width, self.keep + problem.widest + 2)

    def _affordable(self) -> int:
        each = 8 * (self.problem.widest + 2) ** 2
        return max(1, min(self.tuning.slots, _SLOT_BYTES // each))

    def solve(self, targets: Floats, excluded: Sequence[Integers]) -> Iterator[Solved]:
        """The solution of every question, as they are finished."""
        waiting = iter(range(len(targets)))
        working: list[Slot] = []
        while True:
            fresh = islice(waiting, self.slots - len(working))
            working.extend(Slot(number, targets[number], excluded[number]) for number in fresh)
            if not working:
                return
            self._scan(working)
            going: list[Slot] = []
            for place, slot in enumerate(working):
                solved = self._advance(slot, place)
                if solved is None:
                    going.append(slot)
                else:
                    yield solved
            working = going

    def _scan(self, working: Sequence[Slot]) -> None:
        """Price all columns for all questions in work, keeping for each the columns nearest to their bound."""
        problem, size = self.problem, len(working)
        theta = np.array([slot.support.residual / (slot.level or 1.0) for slot in working], dtype=np.float32)
        self.count = np.zeros(size, np.int64)
        self.least = self._thresholds(theta)
        self.exact = np.full(size, len(problem.rows) <= self.keep)
        for first in range(0, len(problem.rows), _TILE):
            tile = problem.rows[first : first + _TILE]
            scores = self.block[:size, : len(tile)]
            np.matmul(theta, tile.T, out=scores)
            collect(
                scores, first, len(tile), self.scale32, self.least, problem.nonneg, self.keep,
                self.count, self.value, self.which,
            )  # fmt: skip

        for place, slot in enumerate(working):
            if len(problem.rows) > self.keep and self._doubt(theta[place : place + 1])[0] > _DOUBTFUL:
                self._scan_exactly(slot, place)

    def _scan_exactly(self, slot: Slot, place: int) -> None:
        """Price all columns in float64: for a question so far from all of them that float32 cannot tell."""
        rows, size = self.problem.rows, 8192
        parts = [rows[at : at + size].astype(np.float64) @ slot.support.residual for at in range(0, len(rows), size)]
        scores = np.concatenate(parts) * self.problem.scale / (slot.level or 1.0)
        high = scores if self.problem.nonneg else np.abs(scores)
        best = np.argpartition(-high, self.keep - 1)[: self.keep]
        self.value[place, : self.keep], self.which[place, : self.keep] = high[best], best
        self.count[place], self.least[place] = self.keep, high[best].min()
        self.exact[place] = True

    def _thresholds(self, theta: Singles) -> Singles:
        """A score that about as many columns exceed as a pool takes, guessed from a sample."""
        scores = (theta @ self.sample.T) * self.sample_scale
        if not self.problem.nonneg:
            np.abs(scores, out=scores)
        share = 1.5 * self.keep / len(self.problem.rows)
        rank = min(scores.shape[1] - 1, int(share * scores.shape[1]) + 3)
        guess = np.partition(scores, -rank - 1, axis=1)[:, -rank - 1]
        sure = 1.0 - 2.0 * self._doubt(theta)
        return np.minimum(guess, sure).astype(np.float32)

    def _doubt(self, theta: Singles) -> Floats:
        """How far a float32 score may be from the true one."""
        doubt: Floats = theta.shape[1] * 2.0**-24 * np.linalg.norm(theta.astype(np.float64), axis=1)
        return np.minimum(doubt, 0.4)

    def _advance(self, slot: Slot, place: int) -> Solved | None:
        problem, tuning, s = self.problem, self.tuning, slot.support
        slot.scans += 1
        if slot.scans > _TOO_MANY_SCANS:
            raise BadInputError(
                f"main vector {slot.number}: not solved after {slot.scans} stages, at penalty {slot.level:.3g}; "
                "a larger penalty may help"
            )
        chosen, rest = self._choose(slot, place)
        if slot.events and self._overshot(place):
            slot.go_back()
            s = slot.support
        used = [*s.column[: slot.places], *slot.excluded]
        self.mark[used] = 1
        highest = gather(
            problem.rows, problem.scale, chosen, len(chosen), s, self.pool, self.mark, s.residual, problem.nonneg
        )
        self.mark[used] = 0
        if not slot.level:
            slot.level = max(highest, problem.penalty)
        if slot.settled(problem.penalty) and max(highest / slot.level, rest) <= 1.0 + 2 * tolerance(slot.level):
            return self._certified(slot, max(highest / slot.level, rest))
        slot.fall = slot.fall or tuning.fall
        goal = max(problem.penalty, slot.fall * slot.level)
        live = int(np.count_nonzero(s.sign))
        budget = max(8, min(tuning.budget, int(tuning.share * live)), tuning.budget // 4)
        slot.keep()
        slot.make_room(min(problem.widest + 1, slot.places + budget + 2))
        slot.level, events = stage(
            slot.support, self.pool, self.scratch, slot.level, goal, problem.nonneg, budget, 40 * problem.widest
        )
        slot.events += events
        return None

    def _overshot(self, place: int) -> bool:
        """Whether so many columns break the bound that it is quicker to go back than to let them join."""
        return int(np.count_nonzero(self.value[place, : self.count[place]] > 1.0 + 1e-4)) > self.tuning.too_many

    def _choose(self, slot: Slot, place: int) -> tuple[Integers, float]:
        """The columns of the next pool, best first, and a bound on the scores of all others."""
        have = int(self.count[place])
        value, which = self.value[place, :have], self.which[place, :have]
        if have > self.keep:
            order = np.argpartition(-value, self.keep)[: self.keep]
            chosen, cut = which[order], float(value[order].min())
        else:
            chosen, cut = which, float(self.least[place])
        if len(self.problem.rows) <= self.keep:
            return np.arange(len(self.problem.rows)), 0.0
        if self.exact[place]:
            return chosen, cut
        norm = float(np.linalg.norm(slot.support.residual)) / (slot.level or 1.0)
        return chosen, cut + len(slot.support.target) * 2.0**-24 * norm

    def _certified(self, slot: Slot, highest: float) -> Solved:
        problem, s = self.problem, slot.support
        live = np.flatnonzero(s.sign)
        columns, coefs, signs = s.column[live], s.coef[live], s.sign[live]
        penalty = problem.penalty
        scores = (problem.rows[columns].astype(np.float64) @ s.residual) * problem.scale[columns]
        misfit = float(np.abs(scores / penalty - signs).max(initial=0.0))
        primal = 0.5 * s.residual @ s.residual + penalty * np.abs(coefs).sum()
        theta = s.residual / max(1.0, highest, 1.0 + misfit)
        gap = primal - (s.target @ theta - 0.5 * theta @ theta)
        return Solved(
            slot.number, columns.copy(), coefs.copy(), float(gap / primal) if primal else 0.0,
            max(0.0, highest - 1.0), misfit, slot.scans, slot.events,
        )  # fmt: skip


def _pool(size: int, width: int) -> Pool:
    scale, score, penalty, slope, move = (np.zeros(size) for _ in range(5))
    column, near, at = (np.zeros(size, np.int64) for _ in range(3))
    rows, state, count = np.zeros((size, width), np.float32), np.zeros(size, np.int8), np.zeros(2, np.int64)
    return Pool(rows, scale, column, score, penalty, slope, move, state, np.arange(size), near, at, count)


def _scratch(places: int, width: int, pool: int) -> Scratch:
    return Scratch(
        np.zeros(places), np.zeros(places), np.zeros(places), np.zeros(width), np.zeros(width), np.zeros(pool)
    )
