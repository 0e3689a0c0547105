"""Progress of long work: a bar on a terminal, a plain line now and then in a log, both with the time that is left."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

Advance = Callable[[int], None]

_SECONDS_BETWEEN_LINES = 5.0
_LOOKED_BACK = 600.0
# Seconds over which a rate is measured: steps may come in blocks that take half a minute each.


@contextmanager
def progress(what: str, total: int) -> Iterator[Advance]:
    """Show how far a job of `total` steps has come; yields the function that advances it."""
    console = Console(stderr=True)
    if console.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(
            *columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, speed_estimate_period=_LOOKED_BACK
        ) as bar:
            task = bar.add_task(what, total=total)
            yield lambda steps: bar.advance(task, steps)
    else:
        yield _PlainLines(what, total)


class _PlainLines:
    """A line every few seconds, so that a log of a short job stays short."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self.began = self.last = time.monotonic()

    def __call__(self, steps: int) -> None:
        self.done += steps
        now = time.monotonic()
        if now - self.last >= _SECONDS_BETWEEN_LINES:
            self.last = now
            left = (now - self.began) * (self.total - self.done) / max(1, self.done)
            said = f"{self.what}: {self.done} of {self.total}" + (f", about {spoken(left)} left" if left else "")
            print(said, file=sys.stderr, flush=True)  # noqa: T201 - this is the log line


def spoken(seconds: float) -> str:
    """A span of time as it is said.

    >>> spoken(7.4), spoken(150), spoken(9000)
    ('7 s', '2.5 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
