"""Rankings are kept block by block: a killed build goes on where it was, to the same bytes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from diptych.builders.bqd.ranked import BLOCK, Task
from diptych.builders.bqd.settings import Settings
from diptych.builders.engine import WorkerLostError, workers
from tests.builders.conftest import run

WORDS = ["what", "is", "the", "red", "blue", "dog", "cat", "car", "on", "under", "near", "old"]


def texts(count: int) -> list[str]:
    rng = np.random.default_rng(0)
    return list(dict.fromkeys(" ".join(rng.choice(WORDS, size=6)) + "?" for _ in range(count)))


def table_of_vectors(path: Path, said: list[str]) -> str:
    """Short vectors of one's own, so that ranking is quick."""
    vectors = np.random.default_rng(1).normal(size=(len(said), 16)).astype(np.float32)
    np.savez(path, texts=np.array(said), vectors=vectors)
    return f"table:{path}"


def test_blocks_that_are_kept_are_not_ranked_again_and_the_others_come_out_the_same(tmp_path: Path) -> None:
    said = texts(900)
    settings = Settings(encoder=table_of_vectors(tmp_path / "mine.npz", said), lam=1e-3)
    task = Task.made(tmp_path, said[: 2 * BLOCK + 10], said[600:], settings)
    with workers(1) as pool:
        task.rank_all(pool, "ranking")
        before = {path.name: dict(np.load(path)) for path in task.folder.glob("*.npz")}
        task.block(1).unlink()
        kept = task.block(0).stat().st_mtime_ns
        task.rank_all(pool, "ranking")
    assert len(before) == 3
    assert task.block(0).stat().st_mtime_ns == kept
    for name, array in np.load(task.block(1)).items():
        assert array.tobytes() == before["00001.npz"][name].tobytes(), name


def test_vectors_are_encoded_once_where_there_is_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIPTYCH_CACHE", str(tmp_path / "cache"))
    said = texts(60)
    stamps = []
    for name in ("one", "two"):
        task = Task.made(tmp_path / name, said[:5], said[5:], Settings(lam=1e-2))
        with workers(1) as pool:
            task.rank_all(pool, name)
        stamps.append({path: path.stat().st_mtime_ns for path in (tmp_path / "cache" / "vectors").iterdir()})
    assert len(stamps[0]) == 2
    assert stamps[0] == stamps[1]


def write_vqa(folder: Path, split: str, questions: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    answers = [{"answer": "yes", "answer_confidence": "yes", "answer_id": at} for at in range(1, 11)]
    kind = {"question_type": "is", "answer_type": "yes/no", "multiple_choice_answer": "yes", "answers": answers}
    ids = [{"question_id": at, "image_id": at} for at in range(1, len(questions) + 1)]
    asked = [{**each, "question": text} for each, text in zip(ids, questions, strict=True)]
    (folder / f"v2_OpenEnded_mscoco_{split}2014_questions.json").write_text(json.dumps({"questions": asked}))
    annotations = [{**each, **kind} for each in ids]
    (folder / f"v2_mscoco_{split}2014_annotations.json").write_text(json.dumps({"annotations": annotations}))


@pytest.mark.slow
def test_a_build_whose_first_process_is_killed_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    said = texts(1700)
    data = tmp_path / "data"
    write_vqa(data / "vqa", "val", said[:1200])
    write_vqa(data / "vqa", "train", said[1200:])
    encoder = table_of_vectors(tmp_path / "mine.npz", said)
    args = ["build", "bqd", "--data", str(data), "--config", "gbqd", "--set", f"encoder={encoder}", "--num-proc", "2"]
    assert run(*args, "--out", str(tmp_path / "straight")) == 0
    command = [sys.executable, "-c", "import sys; from diptych.cli import main; main(sys.argv[1:])", *args]
    process = subprocess.Popen([*command, "--out", str(tmp_path / "broken")], start_new_session=True)
    finished = lambda: sorted((tmp_path / ".broken.building").glob("**/ranking/*/[0-9]*.npz"))  # noqa: E731
    while len(finished()) < 2:
        assert process.poll() is None, "the build was over before it could be killed"
        time.sleep(0.01)
    # The first process alone: its workers must not live on and hold its lock.
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = {path: path.stat().st_mtime_ns for path in finished()}
    assert len(kept) < 5
    _wait_for_the_group(process.pid)
    again = subprocess.run([*command, "--out", str(tmp_path / "broken")], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    for path in sorted((tmp_path / "straight" / "data").rglob("*.parquet")):
        other = tmp_path / "broken" / path.relative_to(tmp_path / "straight")
        assert other.read_bytes() == path.read_bytes()


def _wait_for_the_group(pid: int) -> None:
    """Until every worker of a killed process has left."""
    for _ in range(1500):
        try:
            os.killpg(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    raise AssertionError("a worker outlives its parent")


def _die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_worker_that_is_killed_is_one_line() -> None:
    with workers(2) as pool, pytest.raises(WorkerLostError, match="run the same command again"):
        list(pool.run(_die, [(1,), (2,)]))
