"""A dataset with rows that are not pairs makes the round trip too."""

from pathlib import Path

import pytest

from diptych.cards import write_card
from diptych.folder import BuiltFolder
from tests.builders.toys import ToyRanks, build_toy, write_things
from tests.publishing.conftest import Site

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ranks_build(tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    """A build with one config of pairs and one of other rows."""
    path = tmp_path_factory.mktemp("ranks")
    folder = build_toy(ToyRanks(), write_things(path / "data"), path)
    write_card(folder)
    return folder


@pytest.fixture(scope="module")
def published_site(warm_site: Site, ranks_build: BuiltFolder) -> Site:
    process = warm_site.run("push", ranks_build.path, "org/ranks", "--tag", "v1.0.0")
    assert "verified: org/ranks@v1.0.0 gives back what was built" in process.stdout
    return warm_site


def test_both_configs_are_loaded(published_site: Site) -> None:
    published_site.client.run("""
        from datasets import load_dataset
        assert load_dataset("org/ranks", revision="v1.0.0")["train"].column_names[0] == "pair_id"
        assert load_dataset("org/ranks", "ranks", revision="v1.0.0")["train"].column_names == ["thing_id", "colors"]
    """)


def test_other_rows_are_streamed(published_site: Site) -> None:
    published_site.client.run("""
        from datasets import load_dataset
        ranked = load_dataset("org/ranks", "ranks", revision="v1.0.0")["train"]
        stream = load_dataset("org/ranks", "ranks", split="train", streaming=True)
        assert [row["thing_id"] for row in stream] == ranked["thing_id"][:]
    """)


def test_other_rows_are_not_scored(published_site: Site, tmp_path: Path) -> None:
    args = ("baseline", "org/ranks@v1.0.0", "majority", "--config", "ranks", "--out", tmp_path / "p.jsonl")
    assert "are not pairs" in published_site.run(*args, exit_code=2).stderr


def test_what_was_published_differs_in_nothing(published_site: Site, ranks_build: BuiltFolder) -> None:
    assert published_site.run("diff", ranks_build.path, "hf://datasets/org/ranks@v1.0.0").stdout == "no difference\n"
