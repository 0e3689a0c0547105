"""What the review tests share: the two datasets of a small world."""

from pathlib import Path

import pytest

from diptych.demo import make_world
from tests.builders.conftest import run


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("review-world") / "data"
    make_world(folder, 120, pictures=True)
    return folder


@pytest.fixture(scope="session")
def fvqa2(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("review") / "fvqa2"
    assert run("build", "fvqa2", "--data", str(world), "--out", str(out)) == 0
    return out


@pytest.fixture(scope="session")
def rad(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("review") / "rad-cads"
    assert run("build", "rad-cads", "--data", str(world), "--out", str(out), "--config", "yn_from_color") == 0
    return out
