"""Many main questions at once: their stages alternate with one product of all columns and all residuals.

A finished question makes room for the next, so that the product stays tall. A question is finished only with the proof
that its answer is optimal: every score over all columns, every sign, every penalty.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from diptych.errors import BadInputError
from diptych.ranking._homotopy import run_stage, tolerance
from diptych.ranking._kernels import DEFERRED_UPDATES, Inverse
from diptych.ranking._panels import Panels
from diptych.ranking._problem import Floats, Integers, Solution
from diptych.ranking._scan import Columns, Highest, Scanner
from diptych.ranking._support import Pool, Scratch, Support, count_above, gather, rebuild_inverse

_SCAN_LIMIT, _EVENTS_PER_PLACE = 100, 30  # of one question; where they end, it has no end
_SMALLEST_DESCENT, _LARGE_SUPPORT = 1e-3, 16
_RETURN_LIMIT = 2  # how often in a row a question may return to its last checkpoint
_VIOLATION = 1e-4  # how far above the bound a column must lie to count as a violation, as a share of the penalty


@dataclass(frozen=True, slots=True)
class Tuning:
    """The sizes of pools and stages; no answer depends on them, only the time to find it."""

    pool: int = 900
    budget: int = 100  # columns that may join in a stage, at most
    budget_share: float = 1.5  # columns that may join in a stage, as a share of the support
    descent: float = 0.3  # the factor of the penalty in the first stages; later stages adapt it
    violations: int = 200  # columns above the bound that undo a stage
    slots: int = 256  # questions in work at once, as far as the memory allows

    def __post_init__(self) -> None:
        for name in ("pool", "budget", "violations", "slots"):
            size = getattr(self, name)
            if not isinstance(size, int) or size < 1:
                raise BadInputError(f"tuning: {name} must be a whole number, at least 1, not {size!r}")
        if not (0.0 < self.descent < 1.0 and self.budget_share > 0.0):
            raise BadInputError("tuning: descent must lie between 0 and 1, and budget_share above 0")


class Slot:
    """One question in work."""

    def __init__(self, number: int, target: Floats, excluded_columns: Integers, descent: float, limit: int) -> None:
        self.number, self.excluded_columns = number, excluded_columns
        self.level, self.scan_count, self.event_count = 0.0, 0, 0
        self.descent, self.goal = descent, 0.0
        self.support = _make_support(min(32, limit), target)
        self.checkpoint: tuple[Any, ...] = ()
        self.needs_rebuild, self.is_idle, self.return_count = False, False, 0

    def make_room(self, places: int, limit: int) -> None:
        """Let the support grow to `places` places or more, at most to `limit`."""
        support = self.support
        size = support.sign.shape[0]
        if places <= size:
            return
        copy = _make_support(max(places, min(limit, 3 * size // 2)), support.target)
        for name in ("column", "sign", "coef", "penalty", "slope", "move", "row"):
            getattr(copy, name)[:size] = getattr(support, name)
        copy.inverse.matrix[:size, :size] = support.inverse.matrix
        copy.inverse.count[:] = support.inverse.count
        copy.residual[:] = support.residual
        self.support = copy

    def save(self) -> None:
        """Save this point of the path, without the inverse: it is large, and returning is rare."""
        s, places = self.support, self.places
        arrays = (array[:places].copy() for array in (s.column, s.sign, s.coef, s.penalty))
        self.checkpoint = (self.level, places, s.residual.copy(), *arrays)

    def go_back(self) -> None:
        """Return to the checkpoint, to continue from there in smaller steps."""
        s = self.support
        self.level, places, s.residual[:], *arrays = self.checkpoint
        s.inverse.count[:] = places, 0, 0
        for array, values in zip((s.column, s.sign, s.coef, s.penalty), arrays, strict=True):
            array[:places] = values
        self.needs_rebuild = True
        self.return_count += 1
        self.descent **= 0.5

    def is_settled(self, penalty: float) -> bool:
        """Whether every coefficient has the right sign and every column the common penalty."""
        s, active = self.support, self.support.sign[: self.places] != 0.0
        is_even = np.all(s.penalty[: self.places][active] == penalty)
        return self.level == penalty and bool(is_even and np.all((s.coef * s.sign)[: self.places] >= 0.0))

    def solution(self) -> Solution:
        """The point of the path that is reached."""
        s = self.support
        places = np.flatnonzero((s.sign * s.coef)[: self.places] > 0.0)
        places = places[np.argsort(s.column[places])]
        return Solution(self.number, s.column[places], s.coef[places], s.residual.copy(), self.level)

    def give_up(self) -> Solution:
        """The last point of the path that rounding did not destroy; it may be far from the end."""
        if not self.is_sound:
            self.go_back()
        if not self.is_sound:
            return Solution(self.number, np.zeros(0, np.int64), np.zeros(0), self.support.target, np.inf)
        return self.solution()

    @property
    def has_failed(self) -> bool:
        """Whether rounding keeps the path from its end."""
        return bool(self.support.inverse.count[2]) or not self.is_sound

    @property
    def is_sound(self) -> bool:
        """Whether the residual is as a path has it: never longer than the target."""
        residual, target = self.support.residual, self.support.target
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(residual @ residual <= 1.01 * target @ target)

    @property
    def places(self) -> int:
        """The number of places in use."""
        return int(self.support.inverse.count[0])


def _make_support(places: int, target: Floats) -> Support:
    zeros, integers = (np.zeros(places) for _ in range(5)), (np.zeros(places, np.int64) for _ in range(2))
    sign, coef, penalty, slope, move = zeros
    column, row = integers
    updates, count = np.zeros((DEFERRED_UPDATES, places)), np.zeros(3, np.int64)
    inverse = Inverse(np.zeros((places, places)), updates, np.zeros(DEFERRED_UPDATES), count)
    return Support(column, sign, coef, penalty, slope, move, row, inverse, target.copy(), target)


class BatchSolver:
    """Solves questions over one set of columns, in one thread and about `memory` bytes."""

    def __init__(
        self, columns: Columns, panels: Panels, penalty: float, tuning: Tuning, memory: int = 320 << 20
    ) -> None:
        self.columns, self.penalty, self.tuning = columns, penalty, tuning
        count, width = columns.rows.shape
        self.rank_limit = min(count, width)
        self.event_limit = 100 + _EVENTS_PER_PLACE * self.rank_limit
        self.slots = max(1, min(tuning.slots, memory // (8 * (self.rank_limit + 1) ** 2)))
        self.scanner = Scanner(columns, panels, tuning.pool)
        self.mark = np.zeros(count, np.int8)
        size = self.scanner.size + self.rank_limit + 1
        lengths = (*[self.rank_limit + 1] * 3, width, width, size)
        self.pool, self.scratch = _make_pool(size, width), Scratch(*map(np.zeros, lengths))

    def solve(self, targets: Floats, excluded_columns: Sequence[Integers]) -> Iterator[Solution]:
        """The solution of every question, in the order in which they are finished."""
        questions = enumerate(zip(targets, excluded_columns, strict=True))
        waiting = (Slot(number, *question, self.tuning.descent, self.rank_limit) for number, question in questions)
        slots: list[Slot] = []
        while True:
            slots += islice(waiting, self.slots - len(slots))
            if not slots:
                return
            residuals = np.array([slot.support.residual for slot in slots])
            levels = np.array([slot.level or 1.0 for slot in slots])
            scans = self.scanner.highest(residuals, levels, [slot.excluded_columns for slot in slots])
            solutions = [self._advance(slot, highest) for slot, highest in zip(slots, scans, strict=True)]
            yield from (solution for solution in solutions if solution)
            slots = [slot for slot, solution in zip(slots, solutions, strict=True) if not solution]

    def _advance(self, slot: Slot, highest: Highest) -> Solution | None:
        """Run a question's next stage, or return its solution where nothing is left to do."""
        slot.scan_count += 1
        if slot.has_failed or slot.scan_count > _SCAN_LIMIT or slot.event_count > self.event_limit:
            return slot.give_up()
        outside_score = self._gather(slot, highest)
        if slot.checkpoint and self._adapt(slot, self._violations(slot, 1.0 + _VIOLATION)):
            outside_score = self._gather(slot, highest)  # with its scores at the checkpoint
        if slot.needs_rebuild:
            rebuild_inverse(slot.support, self.pool)
            slot.needs_rebuild = False
        if not slot.level:
            slot.level = max(outside_score, self.penalty)
            highest = highest.relative_to(slot.level)
        if slot.is_settled(self.penalty):
            limit = 1.0 + 2 * tolerance(slot.level)
            if highest.rest > limit >= outside_score / slot.level:
                # More columns than a pool holds lie so near the bound that float32 cannot decide: use float64.
                highest = self.scanner.highest_exact(slot.support.residual, slot.level, slot.excluded_columns)
                outside_score = self._gather(slot, highest)
            ratio = max(outside_score / slot.level, highest.rest)
            if ratio <= limit:
                return slot.solution()
        self._run_stage(slot)
        return None

    def _gather(self, slot: Slot, highest: Highest) -> float:
        rows, scale, nonneg = self.columns.rows, self.columns.scale, self.columns.nonneg
        return gather(self.pool, slot.support, rows, scale, highest.columns, slot.excluded_columns, self.mark, nonneg)

    def _violations(self, slot: Slot, share: float) -> int:
        """The number of columns outside the support whose score exceeds a share of the penalty."""
        return int(count_above(self.pool, share * slot.level, self.columns.nonneg))

    def _adapt(self, slot: Slot, violations: int) -> bool:
        """Go back where very many columns broke the bound; take larger steps where a stage met its goal and few did.

        Returns whether it went back.
        """
        # The very first columns say little about those that follow, unless none do.
        if violations > self.tuning.violations and slot.return_count < _RETURN_LIMIT:
            slot.go_back()
            return True
        slot.return_count = 0
        is_typical = slot.places >= _LARGE_SUPPORT or slot.is_idle
        if slot.level <= slot.goal and is_typical and violations <= self.tuning.violations // 4:
            slot.descent = max(slot.descent**2, _SMALLEST_DESCENT)
        return False

    def _run_stage(self, slot: Slot) -> None:
        tuning, size = self.tuning, int(np.count_nonzero(slot.support.sign[: slot.places]))
        slot.goal = max(self.penalty, slot.descent * slot.level)
        budget = max(min(tuning.budget, int(tuning.budget_share * size)), tuning.budget // 4)
        budget = max(8, budget >> slot.return_count)
        slot.save()
        slot.make_room(min(self.rank_limit, slot.places + budget + self._violations(slot, 1.0)), self.rank_limit)
        state, limits = (slot.support, self.pool, self.scratch), (self.columns.nonneg, budget, self.event_limit)
        slot.level, events = run_stage(*state, slot.level, slot.goal, *limits)
        slot.is_idle = not events
        slot.event_count += events


def _make_pool(size: int, width: int) -> Pool:
    scale, score, penalty, slope, move = (np.zeros(size) for _ in range(5))
    column, followed_rows, position = (np.zeros(size, np.int64) for _ in range(3))
    rows, state, count = np.zeros((size, width), np.float32), np.zeros(size, np.int8), np.zeros(2, np.int64)
    all_rows = np.arange(size)
    return Pool(rows, scale, column, score, penalty, slope, move, state, all_rows, followed_rows, position, count)
