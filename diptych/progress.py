"""Progress of long work: a bar on a terminal, a plain line now and then in a log, both with the time that is left."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

Advance = Callable[[int], None]

_SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def progress(
    what: str, total: int | None, first_round: int = 0, note: Callable[[], str] = lambda: ""
) -> Iterator[Advance]:
    """Show how far a job of `total` steps (None where it is not known) has come; yields the function that advances it.

    `note` says what else there is to say at the moment, such as a rate.

    Where several workers begin at once, `first_round` is how many steps they take together before all have come in
    once: until then no time is told, because the first to finish says little of the others.
    """
    console, pace = Console(stderr=True), Pace(total, first_round)
    if not console.is_terminal:
        yield _plain_lines(what, pace, note)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.fields[left]}"), console=console) as bar:
        task = bar.add_task(what, total=total, left="")

        def advance(steps: int) -> None:
            pace.step(steps)
            bar.update(task, advance=steps, left=_listed(note(), pace.left()))

        yield advance


class Pace:
    """How fast a job goes, from its beginning on."""

    def __init__(self, total: int | None, first_round: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.done, self._first_round, self._clock = total, 0, min(first_round, total or 0), clock
        self.began = self.now = clock()

    def step(self, steps: int) -> None:
        """Some steps more are done."""
        self.done += steps
        self.now = self._clock()

    def left(self) -> str:
        """The time that is left at the pace so far; nothing where there is none, or where it cannot be told yet."""
        if self.total is None or not 0 < self.done < self.total or self.done < self._first_round:
            return ""
        return f"about {spoken((self.now - self.began) * (self.total - self.done) / self.done)} left"


def _plain_lines(what: str, pace: Pace, note: Callable[[], str]) -> Advance:
    """A line every few seconds, so that a log of a short job stays short."""
    last = pace.began

    def advance(steps: int) -> None:
        nonlocal last
        pace.step(steps)
        if pace.now - last >= _SECONDS_BETWEEN_LINES:
            last, total = pace.now, "" if pace.total is None else f" of {pace.total:,}"
            line = _listed(f"{what}: {pace.done:,}{total}", note(), pace.left())
            print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is the log line

    return advance


def _listed(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def spoken(seconds: float) -> str:
    """A span of time as it is said.

    >>> spoken(7.4), spoken(150), spoken(9000)
    ('7 s', '2.5 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
