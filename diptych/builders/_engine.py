"""Engines: each runs a job on the tasks that are still to be done, in any order and anywhere."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Any, Protocol

from diptych.errors import DiptychError

Job = Callable[[Any], int]
"""Makes the shard of a task, keeps it in the work folder and returns how many inputs it had."""

PROCESSES_PER_CORE = 3
"""More workers than this only wait for each other."""

# Where it is safe, forked workers share what is already loaded and need no guard in the user's script.
_START_METHOD = "fork" if sys.platform == "linux" else "spawn"


class WorkerLostError(DiptychError, RuntimeError):
    """A worker process that was killed from outside, most often for lack of memory."""

    def __init__(self) -> None:
        super().__init__(
            "a worker process was killed, perhaps for lack of memory; finished work is kept: run the same command "
            "again, with a smaller --num-proc if necessary"
        )


class Engine(Protocol):
    """Runs a job on tasks. A job is sent to a worker once; tasks may be left to others."""

    def run(self, job: Job, tasks: Iterable[Any]) -> Iterator[int]:
        """Yield the result of every task that was done, as it is finished."""
        ...


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """A pool of processes on this machine; with one process, this one."""

    processes: int = 1

    def run(self, job: Job, tasks: Iterable[Any]) -> Iterator[int]:
        """Run the tasks here, or in a pool that lives as long as the job; never more workers than tasks."""
        most = len(tasks) if isinstance(tasks, Sized) else self.processes
        processes = min(self.processes, most, PROCESSES_PER_CORE * (os.cpu_count() or 1))
        if processes <= 1:
            yield from map(job, tasks)
            return
        pool = ProcessPoolExecutor(processes, get_context(_START_METHOD), _start_worker, (job,))
        try:
            yield from _run_bounded(pool, tasks, 2 * processes)
        except BrokenProcessPool:
            raise WorkerLostError from None
        finally:
            pool.shutdown(cancel_futures=True)


def _run_bounded(pool: ProcessPoolExecutor, tasks: Iterable[Any], limit: int) -> Iterator[int]:
    """Submit tasks, never more than a few at once: a task may carry its records."""
    waiting = iter(tasks)
    pending: set[Future[int]] = set()
    while pending := pending | {pool.submit(_run_task, task) for task in islice(waiting, limit - len(pending))}:
        done, pending = wait(pending, return_when=FIRST_COMPLETED)
        for future in done:
            yield future.result()


_job: Job


def _start_worker(job: Job) -> None:
    """Keep the job (a forked worker inherits it) and end when the parent does: an orphan would go on writing."""
    global _job  # noqa: PLW0603 - a worker runs one job in its life
    _job = job
    gc.freeze()  # the collector would touch, and so copy, every page that is shared with the parent
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    gc.freeze()  # the collector would touch, and so copy, every page that is shared with the parent
    parent = parent_process()
    if parent is not None:
        Thread(target=_exit_after, args=(parent,), daemon=True).start()


def _exit_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _run_task(task: Any) -> int:
    return _job(task)
