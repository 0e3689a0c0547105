"""All engines make the same bytes of every dataset."""

import importlib.util
from pathlib import Path

import pytest

import diptych
from diptych.builders import dataset_names
from diptych.demo import make_world
from tests.builders.conftest import digest

MOST_ROUNDS = 10
SETTINGS = {"bqd": {"parameters": {"limit": 20}}}  # the ranker takes longest

pytestmark = pytest.mark.slow

needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason='Ray is not installed: pip install "diptych[ray]"'
)
every_dataset = pytest.mark.parametrize("name", dataset_names()[:6])


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small miniature world."""
    data = tmp_path_factory.mktemp("engines") / "data"
    make_world(data, 24)
    return data


@pytest.fixture(scope="module")
def local_builds(world: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The bytes of every dataset as one process builds them."""
    folder = tmp_path_factory.mktemp("local")
    names = dataset_names()[:6]
    return {name: digest(diptych.build(name, world, folder / name, **SETTINGS.get(name, {})).path) for name in names}


@every_dataset
@pytest.mark.parametrize(("count", "order"), [(2, (2, 1)), (16, (3, *range(16, 3, -1), 1, 2))])
def test_slices_make_the_same_bytes(
    name: str, count: int, order: tuple[int, ...], world: Path, local_builds: dict[str, str], tmp_path: Path
) -> None:
    work, options = str(tmp_path / "work"), SETTINGS.get(name, {})
    for _ in range(MOST_ROUNDS):
        results = [diptych.build_shards(name, world, f"{number}/{count}", work, **options) for number in order]
        if not results[-1].missing:
            break
    folder = diptych.build(name, world, tmp_path / "out", work=work, finish=True, **options)
    assert digest(folder.path) == local_builds[name]


@needs_ray
@every_dataset
def test_ray_makes_the_same_bytes(name: str, world: Path, local_builds: dict[str, str], tmp_path: Path) -> None:
    folder = diptych.build(name, world, tmp_path / "out", engine="ray", num_proc=2, **SETTINGS.get(name, {}))
    assert digest(folder.path) == local_builds[name]
