"""The Ray engine: the same bytes on any number of workers and nodes, also when some of them die."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from diptych.builders import BuildOptions, Plan
from diptych.errors import BadInputError, MissingExtraError
from diptych.pairs import Row, Skip
from tests.builders.conftest import digest
from tests.builders.toys import TOYS, ColoredThing, Toy, ToyColors, ToyRanks, build_toy, write_things

ROOT = Path(__file__).resolve().parents[2]

needs_ray = pytest.mark.skipif(
    subprocess.run([sys.executable, "-c", "import ray"], check=False, capture_output=True).returncode != 0,
    reason='Ray is not installed: pip install "diptych[ray]"',
)


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """120 things in five shards."""
    return write_things(tmp_path_factory.mktemp("ray") / "data")


@pytest.fixture(scope="module")
def local_builds(things: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[type[Toy], str]:
    """The bytes of every toy as one process builds it."""
    return {toy: digest(build_toy(toy(), things, tmp_path_factory.mktemp(toy.__name__)).path) for toy in TOYS}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of three nodes, each with processes of its own, on this machine."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(2):
        nodes.add_node(num_cpus=1)
    yield nodes
    nodes.shutdown()


class DyingColors(ToyColors):
    """Its first worker is killed in the middle of a shard."""

    def make(self, item: ColoredThing, facts: tuple[list[str], str], rng: Random) -> Iterable[Row | Skip]:
        """As its parent, but the first time the process is killed."""
        mark = Path(os.environ["DIPTYCH_TEST_MARK"])
        if item.key == "30" and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().make(item, facts, rng)


class DriverlessRanks(ToyRanks):
    """Its second plan kills the process that the environment names: the one that started the build."""

    def plan_rank(self, *arguments: Any) -> Plan:
        """As its parent, if no process is named."""
        if "DIPTYCH_TEST_DRIVER" in os.environ:
            os.kill(int(os.environ["DIPTYCH_TEST_DRIVER"]), signal.SIGKILL)
            time.sleep(60)  # until the cluster ends with its driver
        return super().plan_rank(*arguments)


class FailingColors(ToyColors):
    """One of its records is bad."""

    def make(self, item: ColoredThing, facts: tuple[list[str], str], rng: Random) -> Iterable[Row | Skip]:
        """As its parent, but not for thing 30."""
        if item.key == "30":
            raise BadInputError("thing 30 has no color")
        return super().make(item, facts, rng)


@needs_ray
@pytest.mark.slow
@pytest.mark.parametrize(("toy", "workers"), [*((toy, 2) for toy in TOYS), (ToyRanks, 1), (ToyRanks, 4)])
def test_the_same_bytes_come_from_a_cluster_of_its_own(
    toy: type[Toy], workers: int, things: Path, local_builds: dict[type[Toy], str], tmp_path: Path
) -> None:
    folder = build_toy(toy(), things, tmp_path, engine="ray", num_proc=workers)
    assert digest(folder.path) == local_builds[toy]


@needs_ray
@pytest.mark.slow
def test_a_killed_worker_is_replaced(
    things: Path, local_builds: dict[type[Toy], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIPTYCH_TEST_MARK", str(tmp_path / "mark"))
    folder = build_toy(DyingColors(), things, tmp_path, engine="ray", num_proc=2)
    assert (tmp_path / "mark").exists()
    assert digest(folder.path) == local_builds[ToyColors]


@needs_ray
@pytest.mark.slow
def test_an_error_in_a_worker_is_the_error_of_the_build(things: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="thing 30 has no color"):
        build_toy(FailingColors(), things, tmp_path, engine="ray", num_proc=2)


@needs_ray
@pytest.mark.slow
def test_a_cluster_of_several_nodes_loses_one_and_goes_on(
    cluster: Any, things: Path, local_builds: dict[type[Toy], str], tmp_path: Path
) -> None:
    address = cluster.address
    folder = build_toy(ToyRanks(), things, tmp_path / "three", engine="ray", ray_address=address)
    assert digest(folder.path) == local_builds[ToyRanks]
    cluster.remove_node(sorted(cluster.worker_nodes, key=str)[0], allow_graceful=False)
    folder = build_toy(ToyRanks(), things, tmp_path / "two", engine="ray", ray_address=address)
    assert digest(folder.path) == local_builds[ToyRanks]


@needs_ray
@pytest.mark.slow
def test_a_killed_driver_is_run_again_and_nothing_is_made_twice(
    things: Path, local_builds: dict[type[Toy], str], tmp_path: Path
) -> None:
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from tests.builders.test_ray import DriverlessRanks\n"
        "from tests.builders.toys import build_toy\n"
        "os.environ['DIPTYCH_TEST_DRIVER'] = str(os.getpid())\n"
        "build_toy(DriverlessRanks(), Path(sys.argv[1]), Path(sys.argv[2]), engine='ray', num_proc=2)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-c", code, str(things), str(tmp_path)]
    process = subprocess.run(command, env=environment, check=False, capture_output=True)
    assert process.returncode == -signal.SIGKILL
    finished = {path: path.stat().st_mtime_ns for path in (tmp_path / "work").rglob("*.arrow")}
    assert any("/rank-" in str(path) for path in finished)
    folder = build_toy(DriverlessRanks(), things, tmp_path, engine="ray", num_proc=2)
    assert digest(folder.path) == local_builds[ToyRanks]
    assert {path: path.stat().st_mtime_ns for path in finished} == finished


def test_ray_is_not_imported_unless_it_is_asked_for() -> None:
    code = "import sys, diptych.builders, diptych.cli._app; sys.exit('ray' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)


def test_without_ray_the_install_line_is_said(things: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r'pip install "diptych\[ray\]"'):
        build_toy(ToyColors(), things, tmp_path, engine="ray")


def test_an_unknown_engine_and_a_lone_address_are_clear_lines(things: Path) -> None:
    with pytest.raises(LookupError, match="unknown engine 'spark'"):
        BuildOptions(things, engine="spark")
    with pytest.raises(BadInputError, match="--ray-address auto needs --engine ray"):
        BuildOptions(things, ray_address="auto")


@needs_ray
@pytest.mark.slow
def test_an_address_without_a_cluster_is_one_clear_line(things: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"--ray-address 127\.0\.0\.1:1: no cluster"):
        build_toy(ToyColors(), things, tmp_path, engine="ray", ray_address="127.0.0.1:1")
