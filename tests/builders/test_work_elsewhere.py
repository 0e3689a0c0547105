"""Work folders that are not local: an object store over HTTP, and a location that fails for a while."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from diptych.builders import BuildOptions, Slice, build_into, build_slice
from diptych.builders import _work as work_module
from diptych.builders._work import WorkFolder
from tests.builders.conftest import digest
from tests.builders.toys import TOYS, Toy, ToyColors, ToyRanks, build_toy, write_things

needs_s3 = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("s3fs", "moto", "flask_cors")),
    reason="s3fs and an S3 server are not installed: pip install s3fs 'moto[s3]' flask flask-cors",
)


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """120 things in five shards."""
    return write_things(tmp_path_factory.mktemp("elsewhere") / "data")


@pytest.fixture(scope="module")
def local_builds(things: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[type[Toy], str]:
    """The bytes of every toy with a local work folder."""
    return {toy: digest(build_toy(toy(), things, tmp_path_factory.mktemp(toy.__name__)).path) for toy in TOYS}


class FlakyFileSystem(MemoryFileSystem):
    """A location in memory where every third call fails."""

    protocol = "flaky"
    store: ClassVar[dict[str, Any]] = {}
    calls: ClassVar[int] = 0
    period: ClassVar[int] = 3

    def _fail_now_and_then(self) -> None:
        FlakyFileSystem.calls += 1
        if FlakyFileSystem.calls % FlakyFileSystem.period == 0:
            raise ConnectionError("the connection was reset")

    def ls(self, *arguments: Any, **options: Any) -> Any:
        self._fail_now_and_then()
        return super().ls(*arguments, **options)

    def cat_file(self, *arguments: Any, **options: Any) -> Any:
        self._fail_now_and_then()
        return super().cat_file(*arguments, **options)

    def pipe_file(self, *arguments: Any, **options: Any) -> Any:
        self._fail_now_and_then()
        return super().pipe_file(*arguments, **options)


@pytest.fixture
def flaky(monkeypatch: pytest.MonkeyPatch) -> type[FlakyFileSystem]:
    """The flaky location; pauses between calls are short."""
    fsspec.register_implementation("flaky", FlakyFileSystem, clobber=True)
    monkeypatch.setattr(work_module, "_PAUSES", (0.0, 0.0))
    monkeypatch.setattr(FlakyFileSystem, "period", 3)
    FlakyFileSystem.store.clear()
    return FlakyFileSystem


@pytest.mark.parametrize("toy", TOYS)
def test_a_location_that_fails_now_and_then_gives_the_same_bytes(
    toy: type[Toy], flaky: type[FlakyFileSystem], things: Path, local_builds: dict[type[Toy], str], tmp_path: Path
) -> None:
    folder = build_toy(toy(), things, tmp_path, work="flaky://work")
    assert digest(folder.path) == local_builds[toy]


def test_a_location_that_stays_away_is_an_error_and_loses_nothing(
    flaky: type[FlakyFileSystem], things: Path, local_builds: dict[type[Toy], str], tmp_path: Path
) -> None:
    build_slice(ToyColors(), BuildOptions(things, work="flaky://work"), Slice(1, 2))
    kept = set(flaky.store)
    flaky.period = 1
    with pytest.raises(ConnectionError, match="reset"):
        build_slice(ToyColors(), BuildOptions(things, work="flaky://work"), Slice(2, 2))
    assert set(flaky.store) == kept
    flaky.period = 3
    assert digest(build_toy(ToyColors(), things, tmp_path, work="flaky://work").path) == local_builds[ToyColors]


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """An empty bucket of an S3 server on this machine."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    settings = {"key": "key", "secret": "secret", "endpoint_url": f"http://{host}:{port}"}
    fsspec.config.conf["s3"] = settings
    fsspec.filesystem("s3").mkdir("bucket")
    yield "s3://bucket"
    server.stop()
    del fsspec.config.conf["s3"]


@needs_s3
@pytest.mark.slow
def test_slices_over_an_object_store_give_the_same_bytes(
    bucket: str, things: Path, local_builds: dict[type[Toy], str], tmp_path: Path
) -> None:
    options = BuildOptions(things, work=f"{bucket}/slices")
    for _ in range(6):
        results = [build_slice(ToyRanks(), options, Slice(number, 2)) for number in (2, 1)]
        if not results[-1].missing:
            break
    build_into(tmp_path / "out", ToyRanks(), BuildOptions(things, work=f"{bucket}/slices", finish=True), "")
    assert digest(tmp_path / "out") == local_builds[ToyRanks]


@needs_s3
@pytest.mark.slow
def test_the_first_of_two_writers_to_an_object_store_is_kept(bucket: str) -> None:
    work = WorkFolder(f"{bucket}/plans")
    work.create("plan", b"the first")
    work.create("plan", b"the second")
    assert bytes(work.read("plan")) == b"the first"
