"""What these tests share: a small world, its undisturbed builds, and commands that are warm."""

from functools import partial
from pathlib import Path

import pytest

from diptych.builders import get_dataset
from diptych.builders._jobs import load_tools
from diptych.demo import make_world
from tests.robustness.commands import Command, warm_up
from tests.robustness.kill import digests

IMAGES = 20


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source files of a miniature world, with pictures."""
    folder = tmp_path_factory.mktemp("world") / "data"
    make_world(folder, IMAGES)
    return folder


@pytest.fixture(scope="session")
def _warm() -> None:
    warm_up(partial(load_tools, get_dataset("rad-cads"), None))


@pytest.fixture
def build(data: Path, tmp_path: Path, _warm: None) -> Command:
    """A build of rad-cads into `home/out`."""
    home = tmp_path / "home"
    home.mkdir()
    return Command(("build", "rad-cads", "--data", str(data), "--out", str(home / "out")), home)


@pytest.fixture(scope="session")
def built(data: Path, tmp_path_factory: pytest.TempPathFactory, _warm: None) -> Path:
    """An undisturbed build."""
    home = tmp_path_factory.mktemp("reference")
    arguments = ("build", "rad-cads", "--data", str(data), "--out", str(home / "out"))
    ended = Command(arguments, home).run(home / "log")
    assert ended.status == 0, ended.err
    return home / "out"


@pytest.fixture(scope="session")
def reference(built: Path) -> dict[str, str]:
    """The files of an undisturbed build."""
    return digests(built)
