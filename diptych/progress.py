"""Progress of long work: a bar on a terminal, a plain line now and then in a log."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

Advance = Callable[[int], None]

_SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def progress(what: str, total: int) -> Iterator[Advance]:
    """Show how far a job of `total` steps has come; yields the function that advances it."""
    console = Console(stderr=True)
    if console.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console) as bar:
            task = bar.add_task(what, total=total)
            yield lambda steps: bar.advance(task, steps)
    else:
        yield _PlainLines(what, total)


class _PlainLines:
    """A line every few seconds, so that a log of a short job stays short."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self.last = time.monotonic()

    def __call__(self, steps: int) -> None:
        self.done += steps
        now = time.monotonic()
        if now - self.last >= _SECONDS_BETWEEN_LINES:
            self.last = now
            print(f"{self.what}: {self.done} of {self.total}", file=sys.stderr, flush=True)  # noqa: T201 - this is the log line
