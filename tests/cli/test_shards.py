"""`diptych build --shards` and `--finish`: slices for any scheduler, and what they print."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from diptych.demo import make_world
from tests.builders.conftest import digest
from tests.commands import run

ROOT = Path(__file__).resolve().parents[2]

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "data"
    make_world(folder, 30, pictures=False)
    return folder


@pytest.fixture(scope="module")
def whole_build(data: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("whole") / "rad"
    assert run("build", "rad-cads", "--data", data, "--out", out, "--config", "visdial") == 0
    return digest(out)


def test_slices_are_made_and_then_assembled(data: Path, whole_build: str, tmp_path: Path, capsys: Capture) -> None:
    build = ("build", "rad-cads", "--data", data, "--config", "visdial", "--work", tmp_path / "work")
    assert run(*build, "--shards", "2/2") == 0
    assert capsys.readouterr().out.splitlines() == [
        "slice 2/2: made 0 shards",
        "left for other slices: rad-cads visdial/val: read: 1 of 1 shards are missing",
        "run every slice again",
    ]
    assert run(*build, "--finish", "--out", tmp_path / "out") == 1
    assert capsys.readouterr().out.splitlines() == [
        "rad-cads visdial/val: read: 1 of 1 shards are missing",
        "not finished: run every slice (--shards) again",
    ]
    assert not (tmp_path / "out").exists()
    assert run(*build, "--shards", "1/2") == 0
    assert "all shards are complete: run with --finish to assemble the build" in capsys.readouterr().out
    assert run(*build, "--finish", "--out", tmp_path / "out") == 0
    assert digest(tmp_path / "out") == whole_build


@pytest.mark.slow
def test_the_loop_of_the_examples_builds_a_dataset(data: Path, whole_build: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DIPTYCH": f"{sys.executable} -m diptych", "SLICES": "3"}
    environment |= {"DATASET": "rad-cads", "DATA": str(data), "WORK": str(tmp_path / "work")}
    command = ["bash", str(ROOT / "examples" / "slices" / "loop.sh"), "--config", "visdial"]
    subprocess.run(command, env={**environment, "OUT": str(tmp_path / "out")}, check=True, capture_output=True)
    assert digest(tmp_path / "out") == whole_build


@pytest.mark.slow
def test_the_slurm_script_chains_an_array_for_every_round(tmp_path: Path) -> None:
    log = tmp_path / "log"
    (tmp_path / "sbatch").write_text(f'#!/bin/sh\necho "$@" >> {log}\necho 7\n')
    (tmp_path / "sbatch").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "ROUNDS": "2", "SLICES": "5"}
    environment |= {"DATASET": "bqd", "DATA": "data", "WORK": "s3://bucket/work", "OUT": "out"}
    subprocess.run(["bash", str(ROOT / "examples" / "slices" / "slurm.sh")], env=environment, check=True)
    first, second, last = log.read_text().splitlines()
    assert "--array 1-5 --wrap diptych build bqd --data data --work s3://bucket/work --shards ${SLURM_A" in first
    assert "--dependency afterany:7" in second
    assert "--out out --finish" in last


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--shards", "1/2"), "--shards needs --work URL"),
        (("--shards", "3/2", "--work", "work"), "--shards 3/2: not a slice"),
        (("--shards", "1/2", "--work", "work", "--finish"), "pass one of the two"),
        (("--out", "out", "--finish"), "--finish needs --work URL"),
        (("--out", "out", "--engine", "spark"), "unknown engine 'spark'; known: local, ray"),
        (("--out", "out", "--ray-address", "auto"), "--ray-address auto needs --engine ray"),
        (("--shards", "1/2", "--work", "nowhere://x"), "--work nowhere://x: cannot be opened"),
    ],
)
def test_wrong_options_are_one_line(
    options: tuple[str, ...], message: str, data: Path, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("build", "rad-cads", "--data", data, *options) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1, lines
    assert message in lines[0]
