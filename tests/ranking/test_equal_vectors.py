"""Vectors that are equal but for rounding."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from diptych.ranking import find_equal_vectors, get_encoder, merge_equal_vectors


@given(st.integers(1, 60), st.integers(1, 5), st.integers(0, 1000))
def test_copies_with_rounding_noise_and_other_lengths_are_merged_into_the_first(n: int, d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    distinct = np.linalg.qr(rng.normal(size=(d, d)))[0]
    kinds = rng.integers(d, size=n)
    noise = rng.normal(size=(n, d)) * 1e-8
    rows = ((distinct[kinds] + noise) * rng.uniform(0.5, 2.0, size=(n, 1))).astype(np.float32)
    expected = [kinds.tolist().index(kind) for kind in kinds]
    assert merge_equal_vectors(rows).tolist() == expected


def test_vectors_that_differ_stay_apart() -> None:
    rows = np.random.default_rng(0).normal(size=(3000, 16)).astype(np.float32)
    assert merge_equal_vectors(rows).tolist() == list(range(3000))


def test_questions_of_the_same_words_have_one_vector() -> None:
    vectors = get_encoder().encode(["Is the dog on the cat?", "Is the cat on the dog?", "Is the dog on the mat?"])
    assert merge_equal_vectors(vectors).tolist() == [0, 0, 2]
    assert find_equal_vectors(vectors, vectors) == [[0, 1], [0, 1], [2]]


def test_zero_vectors_are_equal_to_each_other_alone() -> None:
    assert merge_equal_vectors([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]).tolist() == [0, 1, 0]
    assert find_equal_vectors([[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0]]) == [[0]]


def test_no_vectors_are_no_trouble() -> None:
    assert merge_equal_vectors(np.zeros((0, 4), np.float32)).tolist() == []
    assert find_equal_vectors(np.zeros((0, 4), np.float32), np.ones((1, 4), np.float32)) == [[]]
