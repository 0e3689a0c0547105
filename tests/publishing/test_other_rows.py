"""A dataset with rows that are not pairs makes the round trip too."""

from pathlib import Path

import pytest

from diptych.cards import write_card
from diptych.folder import BuiltFolder
from tests.builders.toys import ToyRanks, build_toy, write_things
from tests.publishing.conftest import Site

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    """A build with one config of pairs and one of other rows."""
    path = tmp_path_factory.mktemp("ranks")
    folder = build_toy(ToyRanks(), write_things(path / "data"), path)
    write_card(folder)
    return folder


@pytest.fixture(scope="module")
def published(warm: Site, ranks: BuiltFolder) -> Site:
    process = warm.run("push", ranks.path, "org/ranks", "--tag", "v1.0.0")
    assert "verified: org/ranks@v1.0.0 gives back what was built" in process.stdout
    return warm


def test_both_configs_are_loaded(published: Site) -> None:
    published.client.run("""
        from datasets import load_dataset
        assert load_dataset("org/ranks", revision="v1.0.0")["train"].column_names[0] == "pair_id"
        assert load_dataset("org/ranks", "ranks", revision="v1.0.0")["train"].column_names == ["thing_id", "colors"]
    """)


def test_other_rows_are_streamed(published: Site) -> None:
    published.client.run("""
        from datasets import load_dataset
        ranked = load_dataset("org/ranks", "ranks", revision="v1.0.0")["train"]
        stream = load_dataset("org/ranks", "ranks", split="train", streaming=True)
        assert [row["thing_id"] for row in stream] == ranked["thing_id"][:]
    """)


def test_other_rows_are_not_scored(published: Site, tmp_path: Path) -> None:
    args = ("baseline", "org/ranks@v1.0.0", "majority", "--config", "ranks", "--out", tmp_path / "p.jsonl")
    assert "are not pairs" in published.run(*args, expect=2).stderr


def test_what_was_published_differs_in_nothing(published: Site, ranks: BuiltFolder) -> None:
    assert published.run("diff", ranks.path, "hf://datasets/org/ranks@v1.0.0").stdout == "no difference\n"
