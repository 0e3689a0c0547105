"""Builds that are ended, crowded, short of space or of workers: nothing is lost, and what is said is one line."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tests.robustness import corpus
from tests.robustness.commands import Command, Ended, Instant, Running, read_changes
from tests.robustness.kill import digests, finished_shards

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_builds_that_are_killed_resume() -> None:
    """Issue 14: killed builds do not resume; 20 random kills over all builders."""
    rounds = os.environ.get("DIPTYCH_KILL_ROUNDS", "20")
    arguments = [sys.executable, "-m", "tests.robustness.kill", "--rounds", rounds, "--seed", "14"]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def lines(ended: Ended) -> list[str]:
    """What a command said on stderr, without the progress that a slow machine prints."""
    return [line for line in ended.err.splitlines() if not line.startswith(("rad-cads ", "fvqa2 ", "audit"))]


def wait_for(condition: Callable[[], object], running: Running, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert running.poll() is None, "it ended before that"
        assert time.monotonic() < end
        time.sleep(0.001)


def test_a_second_ctrl_c_leaves_at_once(build: Command, tmp_path: Path) -> None:
    running = build.start(tmp_path / "log")
    wait_for((tmp_path / "home" / ".out.building").is_dir, running)
    for _ in range(2):
        running.send(signal.SIGINT)
    ended = running.wait()
    assert ended.status == 130
    assert "Traceback" not in ended.err


def test_a_merge_of_reviews_that_is_killed_leaves_nothing_half(tmp_path: Path) -> None:
    """Issue 14: kill -9 at any instant of a review merge, then the same command again."""
    corpus.sheets("judge")(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    sheets = [str(tmp_path / "ann.json"), str(tmp_path / "bob.json")]
    options = ["--config", "yn_from_color", "--split", "validation", "--to", str(home / "verdicts")]
    arguments = ("review", "merge", str(tmp_path / "out"), *sheets, *options)
    command = Command(arguments, home)
    ended = command.run(tmp_path / "log")
    assert ended.status == 0, ended.err
    expected = digests(home)
    changes = len(read_changes(tmp_path / "log"))
    assert changes >= 2
    for change in range(1, changes + 1):
        (home / "verdicts").unlink()
        assert command.run(tmp_path / "log", Instant(change=change)).status == -signal.SIGKILL
        assert digests(home).get("verdicts") in {None, expected["verdicts"]}
        assert command.run(tmp_path / "log").status == 0
        assert digests(home) == expected


@pytest.mark.slow
def test_an_export_of_review_pages_that_is_killed_leaves_nothing_half(tmp_path: Path) -> None:
    corpus.sheets("judge")(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    command = Command(
        ("review", "export", str(tmp_path / "out"), "--to", str(home / "pages"), "--page-size", "5"), home
    )
    assert command.run(tmp_path / "log").status == 0
    expected = digests(home / "pages")
    changes = len(read_changes(tmp_path / "log"))
    assert changes >= 5
    for change in range(1, changes + 1, max(1, changes // 8)):
        shutil.rmtree(home / "pages")
        assert command.run(tmp_path / "log", Instant(change=change)).status == -signal.SIGKILL
        if (home / "pages").exists():
            assert digests(home / "pages") == expected
            shutil.rmtree(home / "pages")
        assert command.run(tmp_path / "log").status == 0
        assert digests(home / "pages") == expected
    assert [path.name for path in home.iterdir() if path.name.endswith(".tmp")] == []


# Several at once.


def test_of_three_builds_at_once_one_is_made(build: Command, reference: dict[str, str], tmp_path: Path) -> None:
    started = [build.start(tmp_path / str(number)) for number in range(3)]
    ended = [running.wait() for running in started]
    assert sorted(each.status for each in ended) == [0, 2, 2], [each.err for each in ended]
    assert all("writing to it" in each.err or "already exists" in each.err for each in ended if each.status)
    assert digests(build.root / "out") == reference
    assert os.listdir(build.root) == ["out"]


# Space and workers.


def check_kept(command: Command, ended: Ended, reason: str, reference: dict[str, str], tmp_path: Path) -> None:
    """A failure is one line; shards that were finished stay, and the same command completes the build."""
    assert ended.status == 2, ended.err
    assert len(lines(ended)) == 1, ended.err
    assert reason in ended.err
    assert "finished work is kept" in ended.err
    shards = finished_shards(command.root)
    assert shards, "nothing was kept"
    assert replace(command, prepare=lambda: None).run(tmp_path / "again").status == 0
    assert digests(command.root / "out") == reference
    assert os.listdir(command.root) == ["out"]


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_file_that_cannot_grow_is_one_line(
    processes: str, build: Command, reference: dict[str, str], tmp_path: Path
) -> None:
    """Issue 14: a full disk prints 40 lines."""
    limit = 10_000  # the first shards are smaller, the plan is larger

    def limit_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = replace(build, arguments=(*build.arguments, "--num-proc", processes), prepare=limit_files)
    ended = command.run(tmp_path / "full")
    check_kept(command, ended, "File too large", reference, tmp_path)


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    """A small file system in a folder; skips where nobody may mount one."""
    arguments = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        if subprocess.run(arguments, capture_output=True, check=False).returncode:
            pytest.skip("no permission to mount a file system")
    except FileNotFoundError:
        pytest.skip("no command to mount a file system")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("size", ["60k", "200k", "400k"])
def test_a_full_disk_is_one_line(size: str, build: Command, reference: dict[str, str], tmp_path: Path) -> None:
    """Issue 14: a full disk prints 40 lines."""
    with mounted(build.root, f"size={size}"):
        ended = build.run(tmp_path / "full")
        assert "No space left on device" in ended.err
        subprocess.run(["mount", "-o", "remount,size=50m", str(build.root)], check=True)
        check_kept(build, ended, "No space left on device", reference, tmp_path)


def test_a_read_only_folder_is_one_line(build: Command, tmp_path: Path) -> None:
    with mounted(build.root, "ro"):
        ended = build.run(tmp_path / "log")
    assert (ended.status, len(lines(ended))) == (2, 1), ended.err
    assert "cannot be written: Read-only file system" in ended.err


def test_a_killed_worker_is_one_line(build: Command, data: Path, tmp_path: Path) -> None:
    arguments = ("build", "fvqa2", "--data", str(data), "--num-proc", "2", "--out")  # several shards
    undisturbed = replace(build, arguments=(*arguments, str(tmp_path / "undisturbed"))).run(tmp_path / "log")
    assert undisturbed.status == 0, undisturbed.err
    command = replace(build, arguments=(*arguments, str(build.root / "out")))
    running = command.start(tmp_path / "log")
    wait_for(lambda: finished_shards(build.root) and running.workers(), running)
    while running.poll() is None:  # one that has done its work is not missed
        for worker in running.workers()[:1]:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        time.sleep(0.001)
    ended = running.wait()
    check_kept(command, ended, "a worker process was killed", digests(tmp_path / "undisturbed"), tmp_path)
