"""Slices: a build in parts that any scheduler runs, each of them every nth shard of the step that is due."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from diptych.builders._engine import Engine, Job, LocalEngine, Task
from diptych.errors import BadInputError

_SLICE = re.compile(r"(\d{1,6})/(\d{1,6})")


@dataclass(frozen=True, slots=True)
class Slice:
    """One of several parts of a build, counted from 1.

    >>> Slice.parse("3/16"), str(Slice(3, 16)), Slice(3, 16).holds(Task(18)), Slice(3, 16).holds(Task(19))
    (Slice(number=3, count=16), '3/16', True, False)
    """

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> "Slice":
        """Read a slice as it is written on the command line."""
        match = _SLICE.fullmatch(text.strip())
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            raise BadInputError(f"--shards {text}: not a slice; slices are 1/N to N/N, such as 3/16")
        return cls(int(match[1]), int(match[2]))

    def holds(self, task: Task) -> bool:
        """Whether a task belongs to this slice; a plan, which all wait for, belongs to each of them."""
        return task.index is None or task.index % self.count == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


@dataclass(slots=True)
class SliceEngine:
    """Does the tasks of one slice and leaves the others; without a slice it does none."""

    slice: Slice | None
    engine: Engine = field(default_factory=LocalEngine)
    done: int = 0  # how many shards were made

    def run(self, job: Job, tasks: Iterable[Task]) -> Iterator[Any]:
        """Run the tasks of the slice on the engine behind it."""
        return iter(()) if self.slice is None else self._counted(self.engine.run(job, self._own(tasks, self.slice)))

    def _own(self, tasks: Iterable[Task], slice_: Slice) -> Iterable[Task]:
        own = (task for task in tasks if slice_.holds(task))
        return list(own) if isinstance(tasks, list) else own

    def _counted(self, results: Iterator[Any]) -> Iterator[Any]:
        for result in results:
            self.done += 1
            yield result

    def close(self) -> None:
        """End the workers of the engine behind it."""
        self.engine.close()
