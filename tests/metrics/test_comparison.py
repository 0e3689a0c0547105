"""Many models on the same pairs: who differs from whom, and letters that say so."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diptych.metrics import Options, ScoringError, score_pairs
from diptych.metrics._comparison import check_same_pairs, letter_display, score_together
from diptych.metrics.paired_vqa.scoring import ModelScores
from tests.metrics.rows import pair, prediction

MODELS = 6
ALL_PAIRS = list(combinations(range(MODELS), 2))


@pytest.mark.parametrize(
    ("count", "differing", "letters"),
    [
        (1, [], ["a"]),
        (3, [], ["a", "a", "a"]),
        (3, [(0, 1), (0, 2), (1, 2)], ["a", "b", "c"]),
        (3, [(0, 2)], ["a", "ab", "b"]),
        (4, [(0, 2), (0, 3), (1, 3)], ["a", "ab", "bc", "c"]),
        (3, [(0, 1)], ["a", "b", "ab"]),  # the middle one may differ where the last does not
    ],
)
def test_letters_of_known_cases(count: int, differing: list[tuple[int, int]], letters: list[str]) -> None:
    assert letter_display(count, differing) == letters


@given(st.sets(st.sampled_from(ALL_PAIRS)))
def test_models_share_a_letter_if_and_only_if_they_do_not_differ(differing: set[tuple[int, int]]) -> None:
    letters = letter_display(MODELS, sorted(differing))
    assert all(letters)
    for i, j in ALL_PAIRS:
        assert bool(set(letters[i]) & set(letters[j])) == ((i, j) not in differing)


def scored(count: int, right_shares: list[float], **options: Any) -> list[ModelScores]:
    """Models that are right on the perturbed side of the first so many pairs of every ten."""
    references = [pair(str(number), "yes", "no", original_image_id=str(number // 2)) for number in range(count)]
    models = []
    for share in right_shares:
        answers = [
            prediction(str(number), "yes", "no" if number * 7 % 10 < 10 * share else "yes") for number in range(count)
        ]
        models.append(score_pairs(answers, references, Options("rad", **options), by=()))
    return models


def letters_of(models: list[ModelScores], name: str, **options: Any) -> list[str]:
    rows = np.arange(len(models[0].references))
    return [tied.letters for tied in score_together(models, rows, [name], Options("rad", **options))[name]]


def test_the_highest_have_an_a_and_equals_share_it() -> None:
    models = scored(400, [0.5, 0.9, 0.9, 0.2])
    for name in ("accuracy_perturbed", "rad_forward"):
        assert letters_of(models, name) == ["b", "a", "a", "c"]


def test_without_a_bootstrap_mcnemar_still_tells_models_apart() -> None:
    assert letters_of(scored(400, [0.5, 0.9], bootstrap=0), "accuracy_both", bootstrap=0) == ["b", "a"]


def test_without_a_bootstrap_a_score_that_only_it_can_test_has_no_letters() -> None:
    references = [pair(str(number), "yes", "no") for number in range(40)]
    models = []
    for original in ("yes", "no"):  # the two are right on different originals
        rows = [prediction(str(number), original if number % 2 else "yes", "no") for number in range(40)]
        models.append(score_pairs(rows, references, Options("rad", bootstrap=0), by=()))
    assert letters_of(models, "rad_forward", bootstrap=0) == ["", ""]
    assert letters_of(models, "rad_forward", bootstrap=50) == ["a", "a"]


def test_few_pairs_tell_no_models_apart() -> None:
    assert letters_of(scored(10, [0.5, 0.8]), "accuracy_perturbed") == ["a", "a"]


def test_a_model_alone_has_no_letter_and_neither_has_what_only_describes() -> None:
    assert letters_of(scored(10, [0.5]), "accuracy_perturbed") == [""]
    assert letters_of(scored(400, [0.1, 0.9]), "yes_rate") == ["", ""]


def test_an_undefined_score_has_no_letter() -> None:
    references = [pair(str(number), "yes", "no") for number in range(40)]
    right = [prediction(str(number), "yes", "no") for number in range(40)]
    never = [prediction(str(number), "no", "no") for number in range(40)]
    models = [score_pairs(answers, references, Options("rad"), by=()) for answers in (never, right, right)]
    assert letters_of(models, "rad_forward") == ["", "a", "a"]


def test_graded_scores_differ_however_few_rounds_the_bootstrap_has() -> None:
    """Half right against all right: cut at one half, McNemar would see no difference between the two."""
    annotators = ["red"] * 8 + ["blue"] * 2
    references = [pair(str(number), "", "yes", original_answers=annotators) for number in range(60)]
    references += [pair(f"x{number}", "", "yes", original_answers=annotators) for number in range(4)]
    answers = {"full": "red", "part": "blue"}
    models = []
    for word in [*answers.values()] * 6:  # twelve models: 66 comparisons
        rows = [prediction(row["pair_id"], word if row["pair_id"][0] != "x" else "no", "yes") for row in references]
        models.append(score_pairs(rows, references, Options("rad"), by=()))
    assert letters_of(models, "accuracy_original", bootstrap=100) == ["a", "b"] * 6


def test_models_on_other_pairs_are_refused() -> None:
    with pytest.raises(ScoringError, match="not scored on the same pairs"):
        check_same_pairs([*scored(10, [0.5]), *scored(12, [0.5])])
