"""Words in other places: exactly as many as were asked for, and the same words."""

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diptych.builders.bqd._pairs import shuffle_words
from tests.builders.bqd.conftest import build, read_rows

WORDS = st.lists(st.sampled_from("is the The dog cat a on".split()), min_size=1, max_size=12)


@given(WORDS, st.integers(2, 12), st.integers(0, 5))
def test_shuffling_moves_exactly_so_many_words_wherever_it_can_be_done(
    words: list[str], distance: int, seed: int
) -> None:
    question = shuffle_words(" ".join(words) + "?", distance, Random(seed))
    plain = [word.casefold() for word in words]
    # A word can leave its places only to places of other words.
    is_possible = sum(min(plain.count(word), distance // 2) for word in set(plain)) >= distance
    assert (question is not None) == is_possible
    if question is not None:
        shuffled = question.removesuffix("?").split()
        assert sum(word != moved.casefold() for word, moved in zip(plain, shuffled, strict=True)) == distance
        assert sorted(shuffled) == sorted(words)


def test_a_question_too_short_to_shuffle_is_left_alone() -> None:
    assert shuffle_words("Why not?", 3, Random(0)) is None
    assert shuffle_words("no no no", 2, Random(0)) is None


def test_draws_differ() -> None:
    assert len({shuffle_words("Is the big dog behind a small cat?", 4, Random(seed)) for seed in range(50)}) > 30


@pytest.mark.parametrize(("distance", "distances"), [(0, {2, 3, 4}), (4, {4})])
def test_a_distance_can_be_set(data: Path, tmp_path: Path, distance: int, distances: set[int]) -> None:
    build(data, tmp_path / "out", "shuffled", limit=20, partitions=3, distance=distance)
    pairs = read_rows(tmp_path / "out", "shuffled")
    assert {json.loads(pair["bindings"])["distance"] for pair in pairs} == distances
    assert {pair["expectation"] for pair in pairs} == {"open"}
    assert {pair["perturbed_answer"] for pair in pairs} == {""}
