"""Engines: each runs a job on the tasks that are still to be done, in any order and anywhere."""

import gc
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Any, Protocol

import pyarrow as pa

from diptych.errors import DiptychError

Job = Callable[[Any], Any]
"""Does one task. Those of a build make a shard, keep it in the work folder and return how many inputs it had."""


@dataclass(frozen=True, slots=True)
class Task:
    """One shard to be made."""

    index: int | None  # the number of the shard; None for a plan, which any slice of a build may make
    content: Any = None  # what the job needs to know besides: records, or the split of the shard


PROCESSES_PER_CORE = 3  # more workers than this only wait for each other

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
    """Runs jobs on tasks. A job is small: what it needs lies in the work folder. Tasks may be left to others."""

    def run(self, job: Job, tasks: Iterable[Any]) -> Iterator[Any]:
        """Give the result of every task that was done, as it is finished; work may begin before one is asked for."""
        ...

    def close(self) -> None:
        """End the workers."""
        ...


@dataclass(slots=True)
class LocalEngine:
    """A pool of processes on this machine; with one process, this one.

    The pool serves all jobs of a build: what its workers have loaded and looked up stays with them.
    """

    processes: int = 1
    _pool: ProcessPoolExecutor | None = None
    _size: int = 0

    def run(self, job: Job, tasks: Iterable[Any]) -> Iterator[Any]:
        """Run the tasks here or in the pool, which never has more workers than a job has had tasks."""
        # A task of a stream may carry its records, so only a few are taken at once; those of a list are only numbers.
        most = min(self.processes, PROCESSES_PER_CORE * (os.cpu_count() or 1))
        limit = len(tasks) if isinstance(tasks, Sized) else 2 * most
        waiting = iter(tasks)
        first = list(islice(waiting, most))
        size = len(first)
        if size <= 1 and self._pool is None:
            return map(job, chain(first, waiting))
        results = _run_bounded(self._grow_pool(size), pickle.dumps(job), chain(first, waiting), limit)
        next(results)
        return results

    def _grow_pool(self, size: int) -> ProcessPoolExecutor:
        if self._pool is None or self._size < size:
            if self._pool is not None:
                self._pool.shutdown()
            pa.array([""])  # pyarrow loads pandas now: better once than in every worker
            self._pool, self._size = ProcessPoolExecutor(size, get_context(_START_METHOD), _start_worker), size
        return self._pool

    def close(self) -> None:
        """End the workers when they have finished what they are at."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def _run_bounded(pool: ProcessPoolExecutor, job: bytes, tasks: Iterator[Any], limit: int) -> Iterator[Any]:
    """Submit tasks, never more than a limit at once; the first result only says that the first ones are submitted."""
    pending: set[Future[Any]] = set()
    try:
        pending |= {pool.submit(_run_task, job, task) for task in islice(tasks, limit)}
        yield len(pending)
        while pending:
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            pending |= {pool.submit(_run_task, job, task) for task in islice(tasks, limit - len(pending))}
            for future in done:
                yield future.result()
    except BrokenProcessPool:
        raise WorkerLostError from None
    finally:
        for future in pending:
            future.cancel()


def _start_worker() -> None:
    """End when the parent does: an orphan would go on writing."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    gc.freeze()  # the collector would touch, and so copy, every page that is shared with the parent
    parent = parent_process()
    if parent is not None:
        Thread(target=_exit_after, args=(parent,), daemon=True).start()


def _exit_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _run_task(job: bytes, task: Any) -> Any:
    return _load_job(job)(task)


@lru_cache(maxsize=4)
def _load_job(content: bytes) -> Job:
    job: Job = pickle.loads(content)
    return job
