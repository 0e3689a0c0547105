"""The papers' scores: printed numbers, definitions on constructed cases, identities and invariances."""

from math import isnan, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diptych.metrics import (
    Options,
    ScoringError,
    comprehensive_accuracy,
    r_score,
    rad,
    relative_reduction,
    score_pairs,
    self_consistency,
)
from tests.metrics.rows import pair, prediction

# Tables 2 (GBQD) and 3 (YNBQD) of the basic-questions paper: the drop on partition 1 and the R_score printed above it.
PRINTED_R_SCORES = [
    ("GBQD MUTAN without attention", 10.20, 0.30),
    ("GBQD MUTAN with attention", 9.13, 0.34),
    ("GBQD HieCoAtt VGG19", 5.85, 0.48),
    ("GBQD HieCoAtt Resnet200", 6.59, 0.45),
    ("GBQD MLB with attention", 8.67, 0.36),
    ("GBQD LSTM Q+I", 13.55, 0.19),
    ("YNBQD MUTAN without attention", 10.13, 0.30),
    ("YNBQD MUTAN with attention", 12.19, 0.23),
    ("YNBQD HieCoAtt VGG19", 5.99, 0.48),
    ("YNBQD HieCoAtt Resnet200", 4.91, 0.53),
    ("YNBQD MLB with attention", 8.46, 0.37),
    ("YNBQD LSTM Q+I", 17.11, 0.08),
]


def values(predictions: Any, references: Any, **options: Any) -> dict[str, float]:
    return score_pairs(predictions, references, Options(bootstrap=0, **options), by=()).values()


@pytest.mark.parametrize(("model", "difference", "printed"), PRINTED_R_SCORES, ids=str)
def test_r_score_gives_the_printed_scores(model: str, difference: float, printed: float) -> None:
    assert round(r_score(difference / 100), 2) == printed


def test_r_score_is_clamped_and_punishes_gains_too() -> None:
    assert r_score(0.0001) == 1.0
    assert r_score(0.5) == 0.0
    assert r_score(-0.0585) == r_score(0.0585)
    assert isnan(r_score(nan))


def test_r_score_refuses_limits_out_of_order() -> None:
    with pytest.raises(ScoringError, match="0 <= t < m <= 1"):
        r_score(0.1, t=0.3, m=0.2)


def test_relative_reduction_gives_a_printed_number() -> None:
    assert round(100 * relative_reduction(0.768, 0.641), 1) == 16.5
    assert isnan(relative_reduction(0.0, 0.0))


def test_rad_counts_pairs_right_on_both_sides_among_those_right_on_the_original() -> None:
    original, perturbed = [True, True, True, False, False], [True, True, False, True, False]
    assert rad(original, perturbed) == pytest.approx(2 / 3)
    assert rad(perturbed, original) == pytest.approx(2 / 3)
    assert rad([True, True], [True, False]) == 0.5
    assert rad([True, False], [True, True]) == 1.0


def test_rad_of_nothing_right_is_not_a_number_and_says_why() -> None:
    model = score_pairs([prediction("a", "blue", "yes")], [pair("a", "red", "yes")], Options("rad", bootstrap=10))
    assert isnan(model.overall["rad_forward"].value)
    assert model.overall["rad_forward"].reason == "no pair is right on the original side"
    assert model.overall["rad_forward"].n == 0
    assert model.overall["rad_backward"].value == 0.0


def test_no_pairs_at_all_are_no_zero() -> None:
    nothing: dict[str, list[Any]] = {"pair_id": [], "original": [], "perturbed": []}
    empty = {"pair_id": [], "original_answers": [], "perturbed_answers": []}
    model = score_pairs(nothing, empty, Options(), by=())
    assert all(isnan(score.value) and score.reason for score in model.overall.values())


def test_sides_of_different_lengths_are_refused() -> None:
    with pytest.raises(ScoringError, match="different lengths: 1 and 2"):
        rad([True], [True, False])


def test_rad_through_rows_states_n_and_wilson() -> None:
    references = [pair("a", "red", "yes"), pair("b", "two", "no"), pair("c", "cat", "no")]
    predictions = [prediction("c", "dog", "no"), prediction("a", "Red", "Yes."), prediction("b", "2", "yes it is")]
    model = score_pairs(predictions, references, Options("rad"))
    forward, backward = model.overall["rad_forward"], model.overall["rad_backward"]
    assert (forward.value, forward.n) == (0.5, 2)
    assert (backward.value, backward.n) == (0.5, 2)
    assert forward.wilson == pytest.approx((0.094531, 0.905469), abs=1e-6)


def test_what_counts_as_right_is_selectable() -> None:
    annotators = ["red"] * 7 + ["blue"] * 2 + ["green"]
    references = [pair("a", "red", "yes", original_answers=annotators, original_answer="red")]

    def right(answer: str, rule: str) -> float:
        return values([prediction("a", answer, "yes")], references, right=rule)["accuracy_both"]

    assert [right("blue", rule) for rule in ("vqa", "vqa-full", "any", "shown")] == [1.0, 0.0, 1.0, 0.0]
    assert [right("green", rule) for rule in ("vqa", "vqa-full", "any", "shown")] == [0.0, 0.0, 1.0, 0.0]
    assert [right("red", rule) for rule in ("vqa", "vqa-full", "any", "shown")] == [1.0, 1.0, 1.0, 1.0]


def test_an_open_pair_is_held_against_the_original_and_has_no_rad() -> None:
    references = [pair("a", "red", "", expectation="open", perturbed_answers=[])]
    result = values([prediction("a", "red", "red")], references)
    assert (result["accuracy_original"], result["accuracy_perturbed"], result["accuracy_drop"]) == (1.0, 1.0, 0.0)
    assert isnan(result["rad_forward"])


def test_a_constant_answerer_is_consistent_on_invariance_and_never_on_direction() -> None:
    answers = ["yes", "no", "yes", "no"]
    same = [pair(str(number), right, right, expectation="same") for number, right in enumerate(answers)]
    flipped = {"yes": "no", "no": "yes"}
    different = [
        pair(str(number), right, flipped[right], expectation="different") for number, right in enumerate(answers)
    ]
    constant = [prediction(str(number), "yes", "yes") for number in range(4)]
    assert values(constant, same)["self_consistency"] == 1.0
    assert values(constant, different)["self_consistency"] == 0.0
    assert values(constant, different)["comprehensive_accuracy"] == 0.0
    assert self_consistency(["yes"] * 4, ["yes"] * 4) == 1.0
    assert self_consistency(["yes"] * 4, ["yes"] * 4, rule="different") == 0.0


def test_two_accepted_answers_that_differ_are_right_but_not_comprehensive() -> None:
    accepted = {"original_answers": ["sofa", "couch"], "perturbed_answers": ["sofa", "couch"]}
    references = [pair("a", "", "", expectation="same", **accepted)]
    result = values([prediction("a", "sofa", "couch")], references)
    assert (result["accuracy_both"], result["comprehensive_accuracy"]) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("right", "original", "perturbed", "consistent"),
    [("yes", "yes", "no", 0.0), ("yes", "no", "yes", 1.0), ("no", "no", "yes", 0.0), ("no", "yes", "no", 1.0)],
)
def test_the_ontological_rule_forbids_only_contradictions(
    right: str, original: str, perturbed: str, consistent: float
) -> None:
    references = [pair("a", right, right, test="carets.ontological", expectation="same")]
    assert values([prediction("a", original, perturbed)], references)["ontological_consistency"] == consistent
    assert self_consistency([original], [perturbed], "ontological", [right]) == consistent


def test_an_unread_answer_is_wrong_inconsistent_and_counted() -> None:
    references = [pair("a", "yes", "yes", expectation="same"), pair("b", "no", "no", expectation="same")]
    result = values([prediction("a", "hm", "hm"), prediction("b", "no", "no")], references)
    assert result["unread_rate"] == 0.5
    assert result["self_consistency_read"] == 0.5
    assert result["accuracy"] == 0.5
    assert result["answer_change_rate"] == 0.0


def test_unread_answers_are_not_a_change_of_mind() -> None:
    references = [pair("a", "yes", "no", expectation="different")]
    assert values([prediction("a", "yes", "hm")], references)["self_consistency_read"] == 0.0


@pytest.mark.parametrize("text", ["yes", "no", "hm", "banana", "I cannot tell.", ""])
def test_a_constant_answerer_keeps_every_invariance_test_whatever_it_says(text: str) -> None:
    choices = {"bindings": '{"choices": ["cat", "dog"]}'}
    same = [
        pair("a", "yes", "yes"),
        pair("b", "cat", "cat", **choices),
        pair("c", "red", "red"),
        pair("d", "no", "red"),
    ]
    rows = [row | {"expectation": "same"} for row in same]
    constant = [prediction(row["pair_id"], text, text) for row in rows]
    assert values(constant, rows)["self_consistency"] == 1.0
    assert values(constant, [row | {"expectation": "different"} for row in rows])["self_consistency"] == 0.0


@pytest.mark.parametrize(
    ("original", "perturbed", "paper", "read"),
    [
        ("hm", "Hm.", 1.0, 0.0),  # the same text but for what the normalizer takes off
        ("hm", "well", 0.0, 0.0),
        ("yes", "hm", 0.0, 0.0),
        ("Yes, it is.", "yes", 1.0, 1.0),  # read alike
        ("yes", "no", 0.0, 0.0),
    ],
)
def test_consistency_compares_what_is_read_and_otherwise_the_text(
    original: str, perturbed: str, paper: float, read: float
) -> None:
    for expectation, kept in (("same", True), ("different", False)):
        rows = [pair("a", "yes", "yes", expectation=expectation)]
        result = values([prediction("a", original, perturbed)], rows)
        assert result["self_consistency"] == (paper if kept else 1 - paper)
        is_read = "hm" not in original.lower() + perturbed
        assert result["self_consistency_read"] == (read if kept else float(is_read and not read))


def test_choices_are_read_from_the_bindings() -> None:
    references = [pair("a", "red", "red", bindings='{"choices": ["red", "blue"]}')]
    result = values([prediction("a", "The car is red.", "(a)")], references)
    assert result["accuracy_both"] == 1.0


def test_scores_by_column_and_by_binding() -> None:
    rows = [pair("a", "yes", "yes", bindings='{"kind": "x"}'), pair("b", "yes", "yes", bindings='{"kind": "y"}')]
    model = score_pairs(
        [prediction("a", "yes", "yes"), prediction("b", "no", "no")], rows, Options(), by=("bindings.kind",)
    )
    groups = model.groups["bindings.kind"]
    assert [groups[kind]["accuracy"].value for kind in ("x", "y")] == [1.0, 0.0]


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(ScoringError, match="unknown column 'shade'"):
        score_pairs([prediction("a", "yes", "yes")], [pair("a", "yes", "yes")], Options(), by=("shade",))


ANSWERS = st.sampled_from(["yes", "no", "Yes, it is", "hm"])
ROWS = st.lists(st.tuples(ANSWERS, ANSWERS, st.booleans(), st.booleans(), st.integers(0, 3)), min_size=1, max_size=30)


def build_rows(rows: list[tuple[str, str, bool, bool, int]], prefix: str = "") -> tuple[list[Any], list[Any]]:
    predictions = [prediction(f"{prefix}{number}", row[0], row[1]) for number, row in enumerate(rows)]
    references = [
        pair(
            f"{prefix}{number}",
            "yes" if row[2] else "no",
            "yes" if row[3] else "no",
            expectation="same" if row[2] == row[3] else "different",
            original_image_id=str(row[4]),
        )
        for number, row in enumerate(rows)
    ]
    return predictions, references


@settings(max_examples=30, deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows: list[Any], random: Any) -> None:
    predictions, references = build_rows(rows)
    scores = score_pairs(predictions, references, Options(bootstrap=20)).as_dict()
    random.shuffle(predictions)
    random.shuffle(references)
    assert repr(score_pairs(predictions, references, Options(bootstrap=20)).as_dict()) == repr(scores)


@settings(max_examples=30, deadline=None)
@given(ROWS)
def test_swapping_the_sides_swaps_the_directions_of_rad(rows: list[Any]) -> None:
    scores = values(*build_rows(rows))
    swapped = values(*build_rows([(row[1], row[0], row[3], row[2], row[4]) for row in rows]))
    assert repr((scores["rad_forward"], scores["rad_backward"])) == repr(
        (swapped["rad_backward"], swapped["rad_forward"])
    )


@settings(max_examples=30, deadline=None)
@given(ROWS, ROWS)
def test_merging_disjoint_sets_gives_the_weighted_mean(first: list[Any], second: list[Any]) -> None:
    sets = [build_rows(first, "a"), build_rows(second, "b")]
    parts = [score_pairs(*rows, Options(bootstrap=0), by=()).overall for rows in sets]
    merged = score_pairs(sets[0][0] + sets[1][0], sets[0][1] + sets[1][1], Options(bootstrap=0), by=()).overall
    for name in ("accuracy", "accuracy_both", "rad_forward", "rad_backward", "self_consistency"):
        n = sum(part[name].n for part in parts)
        hits = sum(part[name].value * part[name].n for part in parts if part[name].n)
        assert merged[name].n == n
        assert (hits / n if n else nan) == pytest.approx(merged[name].value, nan_ok=True)


@settings(max_examples=30, deadline=None)
@given(ROWS)
def test_comprehensive_accuracy_is_at_most_accuracy(rows: list[Any]) -> None:
    result = values(*build_rows(rows))
    assert result["comprehensive_accuracy"] <= result["accuracy"] + 1e-12
    assert result["comprehensive_accuracy"] <= result["self_consistency_read"] + 1e-12
    assert result["self_consistency_read"] <= result["self_consistency"] + 1e-12


def test_comprehensive_accuracy_on_arrays() -> None:
    assert comprehensive_accuracy([True, True, False], [True, False, False]) == pytest.approx(1 / 3)
    assert comprehensive_accuracy([True, True], [True, True], is_consistent=[True, False]) == 0.5
    assert isnan(comprehensive_accuracy(np.array([]), np.array([])))
