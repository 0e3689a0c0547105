"""All engines make the same bytes of every dataset from real questions, scene graphs and facts."""

import importlib.util
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import diptych
from tests.builders.conftest import digest
from tests.builders.real_sample import write_real_sample

LocalDigest = Callable[[str], dict[str, str]]
MOST_ROUNDS = 10
SETTINGS: dict[str, dict[str, Any]] = {
    "rad-cads": {"configs": ("vqa_v2", "matched", "visdial", "convqa_l")},
    "bqd": {"configs": ("gbqd", "gbqd_ranked", "shuffled"), "parameters": {"limit": 24}},
    "carets": {"parameters": {"images": "recipe", "pairs": 60}},
    "kb-counterfactuals": {},
    "fvqa2": {"configs": ("fold_0", "fold_3")},
    "paired-benchmarks": {},
}

pytestmark = [pytest.mark.slow, pytest.mark.real_data]
every_dataset = pytest.mark.parametrize("name", SETTINGS)


@pytest.fixture(scope="module")
def sample(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first records of every real source."""
    return write_real_sample(real_data, tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="module")
def local_digest(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> LocalDigest:
    """The bytes of a dataset as one process builds it, once."""

    @cache
    def build_locally(name: str) -> dict[str, str]:
        return digest(diptych.build(name, sample, tmp_path_factory.mktemp("local") / "out", **SETTINGS[name]).path)

    return build_locally


@every_dataset
@pytest.mark.parametrize("workers", [2, 3])
def test_workers_make_the_same_bytes(
    name: str, workers: int, sample: Path, local_digest: LocalDigest, tmp_path: Path
) -> None:
    folder = diptych.build(name, sample, tmp_path / "out", num_proc=workers, **SETTINGS[name])
    assert digest(folder.path) == local_digest(name)


@every_dataset
def test_slices_in_any_order_make_the_same_bytes(
    name: str, sample: Path, local_digest: LocalDigest, tmp_path: Path
) -> None:
    work, rng = str(tmp_path / "work"), Random(name)
    for _ in range(MOST_ROUNDS):
        order = rng.sample(range(1, 5), 4)
        results = [diptych.build_shards(name, sample, f"{number}/4", work, **SETTINGS[name]) for number in order]
        if not results[-1].missing:
            break
    folder = diptych.build(name, sample, tmp_path / "out", work=work, finish=True, **SETTINGS[name])
    assert digest(folder.path) == local_digest(name)


@every_dataset
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason='Ray is not installed: pip install "diptych[ray]"')
def test_ray_makes_the_same_bytes(name: str, sample: Path, local_digest: LocalDigest, tmp_path: Path) -> None:
    folder = diptych.build(name, sample, tmp_path / "out", engine="ray", num_proc=2, **SETTINGS[name])
    assert digest(folder.path) == local_digest(name)
