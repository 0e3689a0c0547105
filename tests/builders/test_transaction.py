"""A build is a transaction: it appears whole or not at all, and two never write to one place."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diptych.builders import output_folder
from diptych.builders._transaction import Staging
from diptych.errors import BadInputError
from diptych.folder import read_manifest
from tests.folders import make_folder, some_pairs

ROOT = Path(__file__).resolve().parents[2]
HOLD_LOCK = """
import sys
from pathlib import Path
from diptych.builders import output_folder
with output_folder(Path(sys.argv[1])) as staging:
    (staging.new / "manifest.json").write_text("from the first build")
    print("building", flush=True)
    sys.stdin.readline()
"""


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def make_build(folder: Path) -> Path:
    """An earlier build that may be overwritten."""
    make_folder(folder, some_pairs(4))
    return folder


def test_what_was_built_takes_its_place(tmp_path: Path) -> None:
    with output_folder(tmp_path / "out") as staging:
        (staging.new / "file").write_text("new")
        assert not (tmp_path / "out").exists()
    assert (tmp_path / "out" / "file").read_text() == "new"


def test_nothing_is_left_beside_the_output(tmp_path: Path) -> None:
    with output_folder(tmp_path / "deep" / "out") as staging:
        staging.work.mkdir()
        (staging.work / "shard").write_text("finished")
    assert names(tmp_path / "deep") == ["out"]


def fail_to_build(out: Path, finished_shard: bool) -> None:
    """A build that ends with an error on the way."""
    with output_folder(out) as staging:
        (staging.new / "file").write_text("half")
        if finished_shard:
            staging.work.mkdir()
            (staging.work / "shard").write_text("finished")
        raise ValueError("broken")


def test_after_an_error_there_is_no_output(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="broken"):
        fail_to_build(tmp_path / "out", finished_shard=False)
    assert names(tmp_path) == []


def test_after_an_error_finished_shards_stay(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="broken"):
        fail_to_build(tmp_path / "out", finished_shard=True)
    with output_folder(tmp_path / "out") as staging:
        assert (staging.work / "shard").read_text() == "finished"
        assert names(staging.new) == []


def test_an_error_leaves_the_earlier_build_alone(tmp_path: Path) -> None:
    out = make_build(tmp_path / "out")
    files = names(out)
    with pytest.raises(ValueError, match="broken"), output_folder(out, overwrite=True):
        raise ValueError("broken")
    assert (names(tmp_path), names(out)) == (["out"], files)


def test_an_output_that_is_there_is_refused(tmp_path: Path) -> None:
    out = make_build(tmp_path / "out")
    with pytest.raises(BadInputError, match="already exists"), output_folder(out):
        pass
    assert names(tmp_path) == ["out"]


def test_an_empty_folder_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with output_folder(tmp_path / "out") as staging:
        (staging.new / "file").touch()
    assert names(tmp_path / "out") == ["file"]


def test_a_build_is_overwritten_whole(tmp_path: Path) -> None:
    out = make_build(tmp_path / "out")
    with output_folder(out, overwrite=True) as staging:
        (staging.new / "file").touch()
    assert (names(tmp_path), names(out)) == (["out"], ["file"])


@pytest.mark.parametrize("content", [None, "{}", '{"name": "an app"}', '{"maker": "somebody", "dataset": "x"}'])
def test_only_a_build_is_overwritten(content: str | None, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "letters.txt").write_text("dear")
    if content is not None:
        (out / "manifest.json").write_text(content)
    files = names(out)
    with pytest.raises(BadInputError, match="not a build of diptych"), output_folder(out, overwrite=True):
        pass
    assert names(out) == files


def test_a_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("dear")
    with pytest.raises(BadInputError, match="not a build of diptych"), output_folder(tmp_path / "out", overwrite=True):
        pass
    assert (tmp_path / "out").read_text() == "dear"


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInputError, match="cannot be written"), output_folder(tmp_path / "file" / "out"):
        pass


def leave_staging(out: Path, *left: str) -> Path:
    """The hidden folder of a build that was killed."""
    staging = out.parent / f".{out.name}.building"
    for name in left:
        (staging / name).mkdir(parents=True)
    return staging


def test_a_build_killed_between_its_renames_puts_the_earlier_one_back(tmp_path: Path) -> None:
    out = make_build(tmp_path / "out")
    files = names(out)
    staging = leave_staging(out, "new", "work", "ready")
    out.rename(staging / "old")
    with pytest.raises(BadInputError, match="already exists"), output_folder(out):
        pass
    assert names(out) == files


def test_a_build_killed_between_its_renames_can_be_run_again(tmp_path: Path) -> None:
    out = make_build(tmp_path / "out")
    staging = leave_staging(out, "new", "work", "ready")
    (staging / "work" / "shard").write_text("finished")
    out.rename(staging / "old")
    with output_folder(out, overwrite=True) as again:
        assert (again.work / "shard").read_text() == "finished"
        (again.new / "file").touch()
    assert (names(tmp_path), names(out)) == (["out"], ["file"])


def test_a_build_killed_after_its_last_rename_is_cleared_away(tmp_path: Path) -> None:
    out = make_build(tmp_path / "out")
    leave_staging(out, "work", "old", "ready")
    with pytest.raises(BadInputError, match="already exists"), output_folder(out):
        pass
    assert names(tmp_path) == ["out"]


def test_a_build_killed_before_its_renames_starts_with_an_empty_output(tmp_path: Path) -> None:
    staging = leave_staging(tmp_path / "out", "new", "work", "ready")
    (staging / "new" / "half").touch()
    with output_folder(tmp_path / "out") as again:
        assert names(again.new) == []
    assert names(tmp_path) == ["out"]


class KilledError(BaseException):
    """Stands for a kill: nothing of ours catches it."""


def kill_after(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let so many changes of folders happen and no more."""
    remaining = iter(range(steps))

    def counted(operation: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            if next(remaining, None) is None:
                raise KilledError
            return operation(*args, **options)

        return call

    for name in ("rename", "mkdir", "rmdir"):
        monkeypatch.setattr(Path, name, counted(getattr(Path, name)))
    monkeypatch.setattr(shutil, "rmtree", counted(shutil.rmtree))


@pytest.mark.parametrize("steps", range(8))
def test_a_commit_killed_at_any_step_leaves_one_whole_build(
    steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = make_build(tmp_path / "out")
    with pytest.raises(KilledError), output_folder(out, overwrite=True) as staging:  # noqa: PT012
        make_folder(staging.new, some_pairs(8))
        kill_after(steps, monkeypatch)
    monkeypatch.undo()
    with output_folder(out, overwrite=True) as again:
        (split,) = [entry for *_, entry in read_manifest(out).own_splits()]
        assert split.rows == (8 if steps >= 4 else 4)
        (again.new / "file").touch()
    assert (names(tmp_path), names(out)) == (["out"], ["file"])


@pytest.fixture
def other_build(tmp_path: Path) -> "subprocess.Popen[str]":
    """Another process that is building into the same place."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD_LOCK, str(tmp_path / "out")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "building\n"
    return process


def test_a_second_build_into_one_place_is_refused(tmp_path: Path, other_build: "subprocess.Popen[str]") -> None:
    for _ in range(3):  # nor does a refused build remove the lock
        with pytest.raises(BadInputError, match="another build is writing to it"), output_folder(tmp_path / "out"):
            pass
        assert (tmp_path / ".out.lock").exists()
    other_build.communicate("\n")
    assert names(tmp_path / "out") == ["manifest.json"]


def test_the_lock_of_a_killed_build_holds_nobody_up(tmp_path: Path, other_build: "subprocess.Popen[str]") -> None:
    other_build.kill()
    other_build.communicate()
    with output_folder(tmp_path / "out") as staging:
        assert names(staging.new) == []
    assert names(tmp_path) == ["out"]


def test_a_forked_worker_does_not_hold_the_lock(tmp_path: Path) -> None:
    with output_folder(tmp_path / "out") as staging:
        (staging.new / "file").touch()
        worker = os.fork()
        if worker == 0:
            time.sleep(30)
            os._exit(0)
    try:
        # Rather than "another build is writing to it".
        with pytest.raises(BadInputError, match="already exists"), output_folder(tmp_path / "out"):
            pass
    finally:
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)


def test_a_lock_file_that_was_removed_meanwhile_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever locked a file that is gone holds a lock that nobody sees."""
    lock_file, handles = fcntl.flock, []

    def lock_too_late(handle: int, operation: int) -> None:
        lock_file(handle, operation)
        handles.append(handle)
        if len(handles) == 1:
            (tmp_path / ".out.lock").unlink()

    monkeypatch.setattr(fcntl, "flock", lock_too_late)
    with output_folder(tmp_path / "out"):
        assert len(handles) == 2
        with pytest.raises(BadInputError, match="another build"), output_folder(tmp_path / "out"):
            pass


def test_a_staging_folder_without_finished_work_is_discarded(tmp_path: Path) -> None:
    staging = Staging(tmp_path / ".out.building")
    staging.begin(tmp_path / "out")
    (staging.work / "toy").mkdir(parents=True)
    staging.discard_if_empty()
    assert names(tmp_path) == []
