"""A Ray cluster as an engine: tasks in flight are bounded, lost workers are replaced, facts lie in the object store."""

import os
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any

from diptych.builders._engine import Job, Task, WorkerLostError
from diptych.errors import BadInputError, DiptychError, MissingExtraError

_TASKS_PER_CPU = 2  # in flight: one that is done and one that waits, so that no CPU is idle
_SECONDS_TO_CONNECT = 10.0
_RETRIES = 5  # how often Ray does a task again whose worker or node was lost


@dataclass(slots=True)
class RayEngine:
    """A Ray cluster: the one at an address, or one of this machine's own for as long as the engine lives."""

    address: str = ""
    processes: int = 1  # CPUs of a cluster of its own
    _ray: Any = field(default=None, init=False, repr=False)
    _cpus: int = field(default=1, init=False)
    _pending: set[Any] = field(default_factory=set, init=False, repr=False)  # the tasks of all jobs that are in flight

    def run(self, job: Job, tasks: Iterable[Task]) -> Iterator[Any]:
        """Begin with the first tasks, and give the result of each as it is finished."""
        ray = self._connect()
        do_task, shared = ray.remote(_do_task).options(max_retries=_RETRIES), self._share(ray, job)
        waiting = iter(tasks)
        limit = _TASKS_PER_CPU * self._cpus

        def submit(count: int) -> set[Any]:
            references = {do_task.remote(shared, task) for task in islice(waiting, count)}
            self._pending |= references
            return references

        return self._results(ray, submit(limit), submit)

    def close(self) -> None:
        """Leave the cluster; one of our own ends. No task may write when the build is over."""
        if self._ray is None:
            return
        for reference in self._pending:
            self._ray.cancel(reference)
        if self._pending:
            self._ray.wait(list(self._pending), num_returns=len(self._pending))
        self._pending.clear()
        self._ray.shutdown()
        self._ray = None

    def _connect(self) -> Any:
        if self._ray is None:
            ray = _import_ray()
            options: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False, "configure_logging": False}
            if not self.address:
                # A worker does not get the search path of this process; that of a cluster elsewhere is its own affair.
                environment = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
                options |= {"num_cpus": self.processes, "include_dashboard": False}
                options["runtime_env"] = {"env_vars": environment}
            try:
                _check_address(self.address)
                ray.init(self.address or "local", **options)
            except (OSError, ValueError, RuntimeError) as error:
                place = f"--ray-address {self.address}" if self.address else "Ray"
                raise BadInputError(f"{place}: no cluster: {str(error).splitlines()[0]}") from None
            self._ray, self._cpus = ray, max(1, int(ray.cluster_resources().get("CPU", 1)))
        return self._ray

    def _share(self, ray: Any, job: Job) -> list[Any]:
        """Put a job and the files that all its tasks need into the object store, once.

        They are in lists, because Ray fetches a reference that is an argument of its own anew for every task.
        """
        import numpy as np

        files: Callable[[], Iterable[Any]] = getattr(job, "shared_files", tuple)
        contents = [(work, name, [ray.put(np.frombuffer(work.read(name), np.uint8))]) for work, name in files()]
        return [ray.put((job, contents))]

    def _results(self, ray: Any, pending: set[Any], submit: Callable[[int], set[Any]]) -> Iterator[Any]:
        """The results of all tasks; where one is finished, the next is submitted."""
        while pending:
            (done,), _ = ray.wait(list(pending), num_returns=1)
            pending.remove(done)
            self._pending.remove(done)
            pending |= submit(1)
            yield _result(ray, done)


def _import_ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # before the import: Ray sends statistics home otherwise
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # of tasks that were canceled
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # the names of GPUs stay as they are
    try:
        import ray
    except ImportError:
        raise MissingExtraError.for_extra("Ray", "ray") from None
    return ray


def _check_address(address: str) -> None:
    """Try a HOST:PORT: Ray itself would wait for minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdecimal() and "/" not in host:
        socket.create_connection((host, int(port)), _SECONDS_TO_CONNECT).close()


def _result(ray: Any, reference: Any) -> Any:
    errors = ray.exceptions
    try:
        return ray.get(reference)
    except (errors.WorkerCrashedError, errors.OutOfMemoryError, errors.NodeDiedError, errors.ObjectLostError):
        raise WorkerLostError from None
    except errors.RayTaskError as error:
        if isinstance(error.cause, errors.RayError):  # most often: the package is not installed there
            raise DiptychError(f"Ray: {str(error.cause).splitlines()[0]}") from None
        raise error.cause from None


def _do_task(shared: list[Any], task: Task) -> Any:
    return _fetch_job(shared[0])(task)


@lru_cache(maxsize=4)
def _fetch_job(reference: Any) -> Job:
    """The job behind a reference; the files that it needs are views of the object store, which workers share."""
    import ray

    job, contents = ray.get(reference)
    for work, name, (content,) in contents:
        work.deliver(name, memoryview(ray.get(content)))
    loaded: Job = job
    return loaded
