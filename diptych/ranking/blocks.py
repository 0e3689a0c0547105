"""Many main questions at once: their stages take turns with one product of all columns and all residuals.

A question that is done makes room for the next, so that the product stays tall. A question leaves only with the proof
that its answer is optimal: every score over all columns, every sign, every penalty.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from diptych.errors import BadInputError
from diptych.ranking.homotopy import stage, tolerance
from diptych.ranking.kernels import PUT_OFF, Inverse, copy_row, exact, products
from diptych.ranking.scan import Columns, Floats, Highest, Integers, Scanner
from diptych.ranking.support import ACTIVE, FREE, Pool, Scratch, Support, rebuild

_TOO_MANY_SCANS = 400
_LEAST_FALL = 1e-3
_KNOWN = 16
_RETURNS = 2
"""How often in a row a question goes back; then it takes the long way on."""
_OVER = 1e-4
"""How far above the bound a column must lie to speak for going back, as a share of the penalty."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """How large pools and stages are; no answer depends on it, only the time to find it."""

    pool: int = 900
    budget: int = 100
    share: float = 1.5
    """Columns that may join in a stage, as a share of the support."""
    fall: float = 0.3
    """How far the penalty may fall in the first stages; how they go decides on the later ones."""
    too_many: int = 200
    """Columns above the bound that make a stage be gone back on."""
    slots: int = 256
    """Questions in work at once, as far as the memory reaches."""


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

    def __init__(self, number: int, target: Floats, excluded: Integers, fall: float) -> None:
        self.number, self.excluded = number, excluded
        self.level, self.scans, self.events = 0.0, 0, 0
        self.fall, self.goal = fall, 0.0
        self.support = _support(32, target)
        self.kept: tuple[Any, ...] = ()
        self.stale, self.idle, self.returns = False, False, 0

    def make_room(self, places: int, most: int) -> None:
        """Let the support grow to so many places, or to more, at most `most`."""
        old = self.support
        have = old.sign.shape[0]
        if places <= have:
            return
        new = _support(max(places, min(most, 3 * have // 2)), old.target)
        for name in ("column", "sign", "coef", "penalty", "slope", "move", "row"):
            getattr(new, name)[:have] = getattr(old, name)
        new.inverse.matrix[:have, :have] = old.inverse.matrix
        new.inverse.count[:] = old.inverse.count
        new.residual[:] = old.residual
        self.support = new

    def keep(self) -> None:
        """Remember this point of the path, but for the inverse: it is large, and going back is rare."""
        s, places = self.support, self.places
        parts = (array[:places].copy() for array in (s.column, s.sign, s.coef, s.penalty))
        self.kept = (self.level, places, s.residual.copy(), *parts)

    def go_back(self) -> None:
        """Return to the point remembered last, to go on from there in smaller steps."""
        s = self.support
        self.level, places, s.residual[:], *parts = self.kept
        s.inverse.count[:] = places, 0
        for array, part in zip((s.column, s.sign, s.coef, s.penalty), parts, strict=True):
            array[:places] = part
        self.stale = True
        self.returns += 1
        self.fall **= 0.5

    def settled(self, penalty: float) -> bool:
        """Whether every coefficient has the right sign and every column the common penalty."""
        s, live = self.support, self.support.sign[: self.places] != 0.0
        even = np.all(s.penalty[: self.places][live] == penalty)
        return self.level == penalty and bool(even and np.all((s.coef * s.sign)[: self.places] >= 0.0))

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
def gather(p: Pool, s: Support, rows: Any, scale: Any, chosen: Any, excluded: Any, mark: Any, nonneg: bool) -> float:
    """Copy the chosen columns and the support's into the pool; returns the largest score outside the support."""
    places, fill = s.inverse.count[0], 0
    for i in range(places):
        if s.sign[i] != 0.0:
            mark[s.column[i]] = 1
    mark[excluded] = 1
    for j in chosen:
        if mark[j] == 0:
            put(p, fill, rows, scale, j, FREE)
            fill += 1
    mark[excluded] = 0
    free = fill
    for i in range(places):
        s.row[i] = 0
        if s.sign[i] != 0.0:
            mark[s.column[i]] = 0
            s.row[i] = fill
            put(p, fill, rows, scale, s.column[i], ACTIVE)
            fill += 1
    p.count[1] = fill
    products(p.rows, p.everyone, p.scale, free, s.residual, p.score)
    most = 0.0
    for j in range(free):
        most = max(most, p.score[j] if nonneg else abs(p.score[j]))
    return most


@exact
def put(p: Pool, place: int, rows: Any, scale: Any, column: int, state: int) -> None:
    """Copy one column into the pool."""
    copy_row(rows[column], p.rows[place])
    p.scale[place], p.column[place], p.state[place] = scale[column], column, state


class Ranker:
    """Solves questions over one set of columns, in one thread and about so many bytes."""

    def __init__(self, columns: Columns, penalty: float, tuning: Tuning, memory: int = 320 << 20) -> None:
        self.columns, self.penalty, self.tuning = columns, penalty, tuning
        count, width = columns.rows.shape
        self.widest = min(count, width)
        self.slots = max(1, min(tuning.slots, memory // (8 * (self.widest + 1) ** 2)))
        self.scanner = Scanner(columns, tuning.pool, self.slots)
        self.mark = np.zeros(count, np.int8)
        size = self.scanner.keep + self.widest + 1
        self.pool, self.scratch = _pool(size, width), _scratch(self.widest + 1, width, size)

    def solve(self, targets: Floats, excluded: Sequence[Integers]) -> Iterator[Solved]:
        """The solution of every question, as they are finished."""
        waiting = iter(range(len(targets)))
        working: list[Slot] = []
        while True:
            fresh = islice(waiting, self.slots - len(working))
            working.extend(Slot(number, targets[number], excluded[number], self.tuning.fall) for number in fresh)
            if not working:
                return
            residuals = np.array([slot.support.residual for slot in working])
            found = self.scanner.highest(residuals, np.array([slot.level or 1.0 for slot in working]))
            going: list[Slot] = []
            for slot, highest in zip(working, found, strict=True):
                solved = self._advance(slot, highest)
                if solved is None:
                    going.append(slot)
                else:
                    yield solved
            working = going

    def _advance(self, slot: Slot, found: Highest) -> Solved | None:
        """A question's next stage, or its answer where there is nothing left to do."""
        slot.scans += 1
        if slot.scans > _TOO_MANY_SCANS:
            raise BadInputError(
                f"main vector {slot.number}: not solved after {slot.scans} stages, at penalty {slot.level:.3g}; "
                "a larger penalty may help"
            )
        if slot.kept:
            self._learn(slot, found.above(1.0 + _OVER))
        outside = self._gather(slot, found)
        if slot.stale:
            rebuild(slot.support, self.pool)
            slot.stale = False
        slot.level = slot.level or max(outside, self.penalty)
        if slot.settled(self.penalty):
            limit = 1.0 + 2 * tolerance(slot.level)
            if found.rest > limit >= outside / slot.level:
                # More columns than a pool holds lie so near the bound that float32 cannot tell: ask in float64.
                found = self.scanner.exactly(slot.support.residual, slot.level)
                outside = self._gather(slot, found)
            most = max(outside / slot.level, found.rest)
            if most <= limit:
                return self._certified(slot, most)
        self._stage(slot, found.above(1.0))
        return None

    def _gather(self, slot: Slot, found: Highest) -> float:
        rows, scale, nonneg = self.columns.rows, self.columns.scale, self.columns.nonneg
        return gather(self.pool, slot.support, rows, scale, found.columns, slot.excluded, self.mark, nonneg)

    def _learn(self, slot: Slot, over: int) -> None:
        """Go back where very many columns broke the bound; dare more where a stage met its goal and few did.

        The very first columns say little about those that follow, unless none do.
        """
        if over > self.tuning.too_many and slot.returns < _RETURNS:
            slot.go_back()
            return
        slot.returns = 0
        known = slot.places >= _KNOWN or slot.idle
        if slot.level <= slot.goal and known and over <= self.tuning.too_many // 4:
            slot.fall = max(slot.fall**2, _LEAST_FALL)

    def _stage(self, slot: Slot, over: int) -> None:
        tuning, live = self.tuning, int(np.count_nonzero(slot.support.sign[: slot.places]))
        slot.goal = max(self.penalty, slot.fall * slot.level)
        budget = max(8, max(min(tuning.budget, int(tuning.share * live)), tuning.budget // 4) >> slot.returns)
        slot.keep()
        slot.make_room(min(self.widest, slot.places + budget + over), self.widest)
        slot.level, events = stage(
            slot.support, self.pool, self.scratch, slot.level, slot.goal, self.columns.nonneg, budget,
            40 * self.widest,
        )  # fmt: skip
        slot.events, slot.idle = slot.events + events, not events

    def _certified(self, slot: Slot, highest: float) -> Solved:
        s, penalty = slot.support, self.penalty
        live = np.flatnonzero(s.sign[: slot.places])
        columns, coefs, signs = s.column[live], s.coef[live], s.sign[live]
        rows = self.columns.rows[columns].astype(np.float64) * self.columns.scale[columns, None]
        misfit = float(np.abs(rows @ s.residual / penalty - signs).max(initial=0.0))
        left = s.target - coefs @ rows
        primal = 0.5 * left @ left + penalty * np.abs(coefs).sum()
        theta = s.residual / max(1.0, highest, 1.0 + misfit)
        gap = primal - (s.target @ theta - 0.5 * theta @ theta)
        return Solved(
            slot.number, columns, coefs, float(gap / primal) if primal else 0.0,
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
