"""The local engine: all tasks, in any number of processes, and clear words when a worker is lost."""

import os
import signal
from pathlib import Path

import pytest

from diptych.builders import LocalEngine, WorkerLostError
from diptych.errors import BadInputError


def double(number: int) -> int:
    return 2 * number


def fail_on_seven(number: int) -> int:
    if number == 7:
        raise BadInputError("record 7 is not a question")
    return number


def die_on_seven(number: int) -> int:
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def write_process(task: tuple[Path, int]) -> int:
    folder, number = task
    (folder / f"{number}-{os.getpid()}").touch()
    return number


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_every_task_is_done_once(processes: int) -> None:
    assert sorted(LocalEngine(processes).run(double, range(50))) == list(range(0, 100, 2))


@pytest.mark.parametrize("processes", [1, 2])
def test_no_tasks_are_no_error(processes: int) -> None:
    assert list(LocalEngine(processes).run(double, iter(()))) == []


@pytest.mark.parametrize("processes", [1, 2])
def test_the_error_of_a_task_comes_through(processes: int) -> None:
    with pytest.raises(BadInputError, match="record 7"):
        list(LocalEngine(processes).run(fail_on_seven, range(20)))


def test_a_killed_worker_is_one_line_that_says_what_to_do() -> None:
    with pytest.raises(WorkerLostError, match="finished work is kept: run the same command again"):
        list(LocalEngine(2).run(die_on_seven, range(20)))


def test_one_process_is_this_one(tmp_path: Path) -> None:
    list(LocalEngine(1).run(write_process, [(tmp_path, 0)]))
    assert (tmp_path / f"0-{os.getpid()}").exists()


def test_several_processes_are_others(tmp_path: Path) -> None:
    list(LocalEngine(2).run(write_process, [(tmp_path, number) for number in range(20)]))
    assert not list(tmp_path.glob(f"*-{os.getpid()}"))


def test_tasks_are_taken_as_they_are_needed() -> None:
    """A task may carry its records: never more than a few are in memory."""
    taken = 0

    def tasks() -> object:
        nonlocal taken
        for number in range(1000):
            taken += 1
            yield number

    results = LocalEngine(2).run(double, tasks())  # type: ignore[arg-type]
    next(results)
    assert taken < 20
    results.close()  # type: ignore[attr-defined]
