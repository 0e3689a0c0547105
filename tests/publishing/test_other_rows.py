"""A dataset with rows that are no pairs makes the round trip too."""

from pathlib import Path

import pytest

from diptych.builders import get_builder
from diptych.builders.folder import BuildOptions, build_into
from diptych.cards import add_audit, write_card
from tests.publishing.conftest import Site

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bqd(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bqd") / "bqd"
    out.mkdir()
    options = BuildOptions(world, ("gbqd", "gbqd_ranked"), parameters={"limit": 20, "ranker": "bleu2"})
    build_into(out, get_builder("bqd"), options)
    write_card(out, add_audit(out))
    return out


def test_pairs_and_other_rows_are_pushed_tagged_loaded_and_compared(warm: Site, bqd: Path) -> None:
    said = warm.run("push", bqd, "org/bqd", "--tag", "v1.0.0").stdout
    assert "verified: org/bqd@v1.0.0 gives back what was built" in said
    warm.client.run("""
        from datasets import load_dataset
        assert load_dataset("org/bqd", revision="v1.0.0")["validation"].column_names[0] == "pair_id"
        ranked = load_dataset("org/bqd", "gbqd_ranked", revision="v1.0.0")["validation"]
        assert ranked.num_rows == 20
        assert all(row["scores"] == sorted(row["scores"], reverse=True) for row in ranked)
        stream = load_dataset("org/bqd", "gbqd_ranked", split="validation", streaming=True)
        assert [row["question_id"] for row in stream] == ranked["question_id"][:]
    """)
    assert "no pairs" in warm.run("baseline", "org/bqd@v1.0.0", "majority", "--config", "gbqd_ranked",
                                  "--out", bqd / "p.jsonl", expect=2).stderr  # fmt: skip


def test_what_was_published_differs_in_nothing(warm: Site, bqd: Path) -> None:
    warm.run("push", bqd, "org/bqd-two", "--tag", "v1.0.0")
    warm.run("diff", bqd, "hf://datasets/org/bqd-two@v1.0.0", expect=0)
