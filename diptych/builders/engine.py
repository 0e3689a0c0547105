"""The engine: fills the missing shards of a split, in this process or in a pool, and never cares in which order."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa

from diptych.builders.ledger import Ledger
from diptych.builders.shards import SHARD_ROWS, ShardStore
from diptych.errors import DiptychError
from diptych.pairs import Row, Skip, pairs_table
from diptych.progress import progress

# Where it is safe, forked workers share what is already loaded and need no guard in the user's script.
_START = "fork" if sys.platform == "linux" else "spawn"


class World(Protocol):
    """What a dataset's pair-makers need to know, and what they make of a run of rows; must be picklable."""

    def outcomes(self, rows: Sequence[Any]) -> Iterator[tuple[str, Row | Skip]]:
        """For every row and test, the pair or the reason why there is none."""
        ...


@runtime_checkable
class Prepares(Protocol):
    """A world with work to do before its first shard, which the pool may share; it resumes by itself."""

    def prepare(self, pool: "Workers", name: str) -> None:
        """Do what is still to be done."""
        ...


class WorkerLostError(DiptychError, RuntimeError):
    """A worker process that was killed from outside, most often for want of memory; what is finished is kept."""


@dataclass(frozen=True, slots=True)
class Work:
    """One split to be made: its rows, the world they are read in, and where its shards are kept."""

    name: str
    rows: Sequence[Any]
    world: World
    schema: pa.Schema
    store: ShardStore
    shard_rows: int = SHARD_ROWS

    @property
    def shards(self) -> int:
        """How many logical shards there are: it depends on the input alone."""
        return max(1, -(-len(self.rows) // self.shard_rows))

    def rows_of(self, shard: int) -> Sequence[Any]:
        """The rows of one logical shard."""
        return self.rows[shard * self.shard_rows : (shard + 1) * self.shard_rows]

    def tables(self) -> Iterator[tuple[pa.Table, Ledger]]:
        """The finished shards, in order."""
        for shard in range(self.shards):
            yield self.store.read(shard)


class Workers:
    """A pool of processes that lives as long as a build, so that each loads its tagger once."""

    def __init__(self, num_proc: int) -> None:
        self.num_proc = num_proc
        self._pool: ProcessPoolExecutor | None = None

    def run(self, job: Callable[..., int], calls: Iterable[tuple[Any, ...]]) -> Iterator[int]:
        """Do every call, here when one process is enough, and yield each result as it is finished."""
        if self.num_proc <= 1:
            yield from (job(*call) for call in calls)
            return
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.num_proc, get_context(_START), initializer=_leave_with_parent)
        futures: list[Future[int]] = [self._pool.submit(job, *call) for call in calls]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool:
            raise WorkerLostError(
                "a worker process was killed, perhaps for want of memory; what is finished is kept: run the same "
                "command again, with a smaller --num-proc if need be"
            ) from None
        finally:
            for future in futures:
                future.cancel()

    def close(self) -> None:
        """Let the processes go."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _leave_with_parent() -> None:
    """Have a worker end when its parent does: an orphan would hold the parent's lock on the output for ever."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=watch, daemon=True).start()


@contextmanager
def workers(num_proc: int) -> Iterator[Workers]:
    """Workers for the length of a `with` block."""
    pool = Workers(num_proc)
    try:
        yield pool
    finally:
        pool.close()


def fill(work: Work, pool: Workers) -> None:
    """Make the shards that are not on disk yet; what an earlier, killed run finished is not made again."""
    missing = work.store.missing(work.shards)
    if not missing:
        return
    if isinstance(work.world, Prepares):
        work.world.prepare(pool, work.name)
    calls = ((work.world, work.rows_of(shard), work.schema, work.store, shard) for shard in missing)
    with progress(work.name, sum(len(work.rows_of(shard)) for shard in missing)) as advance:
        for rows_done in pool.run(_make_shard, calls):
            advance(rows_done)


def _make_shard(world: World, rows: Sequence[Any], schema: pa.Schema, store: ShardStore, shard: int) -> int:
    ledger = Ledger()
    table = pairs_table(ledger.keep_rows(world.outcomes(rows)), schema)
    store.write(shard, table, ledger)
    return len(rows)
