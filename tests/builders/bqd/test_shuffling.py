"""Words in other places: exactly as many as were asked for, and the same words."""

import json
from pathlib import Path
from random import Random

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diptych.builders.bqd.shuffling import shuffled
from tests.builders.conftest import run

WORDS = st.lists(st.sampled_from(["is", "the", "The", "dog", "cat", "a", "on"]), min_size=1, max_size=12)


@given(WORDS, st.integers(2, 12), st.integers(0, 5))
def test_shuffling_moves_exactly_so_many_words_wherever_it_can_be_done(
    words: list[str], distance: int, seed: int
) -> None:
    mixed = shuffled(" ".join(words) + "?", distance, Random(seed))
    low = [word.casefold() for word in words]
    # A word can leave its places only to places of other words.
    possible = sum(min(low.count(word), distance // 2) for word in set(low)) >= distance
    assert (mixed is not None) == possible
    if mixed is not None:
        fresh = mixed.removesuffix("?").split()
        assert sum(one != other.casefold() for one, other in zip(low, fresh, strict=True)) == distance
        assert sorted(fresh) == sorted(words)


def test_a_question_too_short_to_shuffle_is_left_alone() -> None:
    assert shuffled("Why not?", 3, Random(0)) is None
    assert shuffled("no no no", 2, Random(0)) is None


def test_draws_differ() -> None:
    assert len({shuffled("Is the big dog behind a small cat?", 4, Random(seed)) for seed in range(50)}) > 30


@pytest.mark.parametrize(("setting", "distances"), [("distance=0", {2, 3, 4}), ("distance=4", {4})])
def test_a_distance_can_be_given(data: Path, tmp_path: Path, setting: str, distances: set[int]) -> None:
    args = ("--config", "shuffled", "--set", "limit=20", "--set", "partitions=3", "--set", setting)
    assert run("build", "bqd", "--data", str(data), "--out", str(tmp_path / "out"), *args) == 0
    pairs = pq.read_table(tmp_path / "out" / "data" / "shuffled").to_pylist()
    assert {json.loads(pair["bindings"])["distance"] for pair in pairs} == distances
    assert {pair["expectation"] for pair in pairs} == {"open"}
    assert {pair["perturbed_answer"] for pair in pairs} == {""}
