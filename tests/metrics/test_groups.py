"""Scores of groups: definitions on constructed cases, counted a second time in the plainest way."""

from collections import defaultdict
from itertools import chain, combinations
from math import comb, isnan
from statistics import mean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diptych.metrics import (
    Options,
    ScoringError,
    all_right,
    consensus_score,
    prior_error_share,
    score_pairs,
    worst_of_group,
    yes_no_scores,
)
from diptych.metrics._comparison import compare
from diptych.metrics.paired_vqa.references import encode_references
from tests.metrics.rows import pair, prediction

GROUPS = st.lists(st.lists(st.booleans(), min_size=1, max_size=9), min_size=1, max_size=8)


def subsets_right(right: list[bool], k: int) -> float:
    """CS(k) of one group as the paper words it: of all sets of k questions, those that are all right."""
    sets = list(combinations(right, k))
    return sum(map(all, sets)) / len(sets)


def flat(groups: list[list[bool]]) -> tuple[list[bool], list[str]]:
    """Sides one after the other, and the name of the group of each."""
    return list(chain(*groups)), [f"g{number}" for number, group in enumerate(groups) for _ in group]


@given(GROUPS, st.integers(1, 5))
def test_consensus_is_the_share_of_sets_that_are_right(groups: list[list[bool]], k: int) -> None:
    large_groups = [group for group in groups if len(group) >= k]
    score = consensus_score(*flat(groups), k)
    if large_groups:
        assert score == pytest.approx(mean(subsets_right(group, k) for group in large_groups), abs=1e-12)
    else:
        assert isnan(score)


def test_consensus_equals_its_formula() -> None:
    right = [True] * 5 + [False] * 2
    for k in range(1, 8):
        assert consensus_score(right, [0] * 7, k) == pytest.approx(comb(5, k) / comb(7, k), abs=1e-12)


def test_consensus_of_one_side_is_the_mean_over_groups() -> None:
    assert consensus_score([True, False, True], ["a", "a", "b"], 1) == 0.75


def test_a_consensus_of_none_is_refused() -> None:
    with pytest.raises(ScoringError, match="k of at least 1, not 0"):
        consensus_score([True], ["a"], 0)


def test_every_side_needs_a_group() -> None:
    with pytest.raises(ScoringError, match="2 sides but 1 groups"):
        all_right([True, True], ["a"])


@given(GROUPS)
def test_all_right_and_the_worst_side_are_the_least_of_a_group(groups: list[list[bool]]) -> None:
    assert all_right(*flat(groups)) == pytest.approx(mean(all(group) for group in groups))
    assert worst_of_group(*flat(groups)) == pytest.approx(mean(min(group) for group in groups))


def test_nothing_has_no_score() -> None:
    assert isnan(all_right([], []))
    assert isnan(yes_no_scores([], [])["precision"])
    assert isnan(prior_error_share([], [], []))


def test_yes_no_scores_on_a_table_of_popes_size() -> None:
    # 100 true yes of which 80 are found, 100 true no of which 10 are answered yes.
    answered, right = [True] * 80 + [False] * 20 + [True] * 10 + [False] * 90, [True] * 100 + [False] * 100
    scores = yes_no_scores(answered, right)
    assert scores["precision"] == pytest.approx(80 / 90)
    assert scores["recall"] == pytest.approx(0.8)
    assert scores["f1"] == pytest.approx(2 * (80 / 90) * 0.8 / (80 / 90 + 0.8))
    assert scores["yes_ratio"] == pytest.approx(0.45)


def test_answers_and_questions_must_be_as_many() -> None:
    with pytest.raises(ScoringError, match="1 answers to 2 questions"):
        yes_no_scores([True], [True, False])


# Through rows.


Rows = tuple[list[dict[str, Any]], list[dict[str, str]]]  # references and predictions


def joined(parts: list[Rows]) -> Rows:
    """The references and the predictions of all parts."""
    references, predictions = zip(*parts, strict=True)
    return list(chain(*references)), list(chain(*predictions))


def side_columns(side: str, image: str, question: str) -> dict[str, str]:
    return {f"{side}_image_id": image, f"{side}_question": question}


def square(name: str, right: list[bool]) -> Rows:
    """Two questions about two images as two pairs, and answers that are right as said: (q0, i0), (q0, i1), (q1, …)."""
    truth = ["yes", "no", "no", "yes"]
    answers = [
        word if is_right else {"yes": "no", "no": "yes"}[word] for word, is_right in zip(truth, right, strict=True)
    ]
    references, predictions = [], []
    for question in (0, 1):
        first, second = 2 * question, 2 * question + 1
        columns = side_columns("original", f"{name}i0", f"{name}q{question}") | {"group_id": name}
        columns |= side_columns("perturbed", f"{name}i1", f"{name}q{question}")
        references.append(pair(f"{name}{question}", truth[first], truth[second], **columns))
        predictions.append(prediction(f"{name}{question}", answers[first], answers[second]))
    return references, predictions


def grouped(predictions: Any, references: Any, **options: Any) -> Any:
    return score_pairs(predictions, references, Options("grouped", **{"bootstrap": 0, **options}), by=()).overall


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=6))
def test_two_by_two_sets_have_naturalbenchs_four_accuracies(groups: list[list[bool]]) -> None:
    parts = [square(f"g{number}", right) for number, right in enumerate(groups)]
    references, predictions = joined(parts)
    scores = grouped(predictions, references)
    every_side = [flag for group in groups for flag in group]
    questions = [flags for a, b, c, d in groups for flags in ((a, b), (c, d))]
    images = [flags for a, b, c, d in groups for flags in ((a, c), (b, d))]
    assert scores["side_accuracy"].value == pytest.approx(mean(every_side))
    assert scores["question_accuracy"].value == pytest.approx(mean(map(all, questions)))
    assert scores["image_accuracy"].value == pytest.approx(mean(map(all, images)))
    assert scores["group_accuracy"].value == pytest.approx(mean(map(all, groups)))
    counts = [scores[f"{unit}_accuracy"].n for unit in ("side", "question", "image", "group")]
    assert counts == [4 * len(groups), 2 * len(groups), 2 * len(groups), len(groups)]


def rephrasings(name: str, right: list[bool]) -> Rows:
    """A question and its rephrasings, each paired with the first, as VQA-Rephrasings come."""
    references, predictions = [], []
    answers = ["red" if is_right else "blue" for is_right in right]
    for number in range(1, len(right)):
        columns = side_columns("original", name, f"{name} 0") | {"group_id": name}
        columns |= side_columns("perturbed", name, f"{name} {number}")
        references.append(pair(f"{name}-{number}", "red", "red", **columns))
        predictions.append(prediction(f"{name}-{number}", answers[0], answers[number]))
    return references, predictions


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=2, max_size=9), min_size=1, max_size=6))
def test_the_consensus_of_rows_is_that_of_the_plain_function(groups: list[list[bool]]) -> None:
    parts = [rephrasings(f"g{number}", right) for number, right in enumerate(groups)]
    references, predictions = joined(parts)
    scores = score_pairs(predictions, references, Options("rad", bootstrap=0), by=()).overall
    for k in range(1, 5):
        score, expected = scores[f"consensus_{k}"], consensus_score(*flat(groups), k)
        assert score.n == sum(len(group) >= k for group in groups)
        assert isnan(score.value) == isnan(expected)
        assert isnan(expected) or score.value == pytest.approx(expected, abs=1e-9)


def test_the_consensus_of_four_questions_is_exact() -> None:
    references, predictions = rephrasings("a", [True, True, False, True])
    scores = score_pairs(predictions, references, Options("rad"), by=()).overall
    assert [scores[f"consensus_{k}"].value for k in (1, 2, 3, 4)] == [0.75, 0.5, 0.25, 0.0]


def test_an_original_side_of_many_pairs_counts_once() -> None:
    references, predictions = rephrasings("a", [True, False, False, False])
    assert grouped(predictions, references)["side_accuracy"].value == 0.25


def test_a_side_that_is_answered_in_two_ways_is_not_right() -> None:
    references, predictions = rephrasings("a", [True, True, True])
    predictions[1]["original"] = "blue"
    scores = grouped(predictions, references)
    assert scores["side_accuracy"].value == pytest.approx(2 / 3)
    assert repr(grouped(predictions[::-1], references[::-1])) == repr(scores)  # NaN equals nothing, since Python 3.13


def test_the_worst_side_keeps_its_graded_accuracy() -> None:
    references, predictions = rephrasings("a", [True, True])
    references[0]["perturbed_answers"] = ["red"] * 2 + ["blue"] * 8
    scores = grouped(predictions, references)
    assert scores["group_worst"].value == pytest.approx(0.6)  # ten draws of nine: two hold one red, eight two
    assert scores["side_accuracy"].value == pytest.approx(0.8)


def test_a_side_without_an_image_belongs_to_no_column() -> None:
    columns = side_columns("original", "", "Is it so?") | side_columns("perturbed", "i", "Is it so?")
    references = [pair("a", "yes", "no", group_id="g", **columns)]
    scores = grouped([prediction("a", "no", "no")], references)
    assert (scores["image_accuracy"].value, scores["image_accuracy"].n) == (1.0, 1)
    assert (scores["question_accuracy"].value, scores["side_accuracy"].n) == (0.0, 2)


def test_question_ids_tie_questions_of_different_words() -> None:
    columns = side_columns("original", "i", "Is it?") | side_columns("perturbed", "j", "According to it, is it?")
    references = [pair("a", "yes", "no", group_id="g", **columns)]
    named = [references[0] | {"original_question_id": "0", "perturbed_question_id": "0"}]
    answers = [prediction("a", "yes", "yes")]
    assert (grouped(answers, references)["question_accuracy"].n, grouped(answers, named)["question_accuracy"].n) == (
        2,
        1,
    )


def test_pairs_without_groups_say_so() -> None:
    scores = grouped([prediction("a", "yes", "no")], [pair("a", "yes", "yes")])
    assert isnan(scores["group_accuracy"].value)
    assert scores["group_accuracy"].reason == "the pairs name no group"
    assert scores["side_accuracy"].value == 0.5


def test_a_consensus_beyond_the_largest_group_says_so() -> None:
    references, predictions = rephrasings("a", [True, True])
    assert (
        score_pairs(predictions, references, Options("rad"), by=()).overall["consensus_3"].reason
        == "no group has 3 sides"
    )


def test_an_open_pair_adds_only_its_original_side() -> None:
    columns = side_columns("original", "i", "q") | side_columns("perturbed", "i", "r") | {"group_id": "g"}
    references = [pair("a", "red", "", expectation="open", perturbed_answers=[], **columns)]
    assert grouped([prediction("a", "red", "blue")], references)["side_accuracy"].n == 1


def test_any_column_may_name_the_groups() -> None:
    references = [pair(name, "yes", "yes", kind=name[0]) for name in ("a1", "a2", "b1")]
    predictions = [prediction("a1", "yes", "yes"), prediction("a2", "yes", "no"), prediction("b1", "yes", "yes")]
    options = Options("kb", bootstrap=0, groups="kind")
    overall = score_pairs(predictions, references, options, by=()).overall
    assert (overall["group_accuracy"].value, overall["group_accuracy"].n) == (0.5, 2)
    assert "group_accuracy" not in score_pairs(predictions, references, Options("kb", bootstrap=0), by=()).overall


def test_an_unknown_column_of_groups_is_named() -> None:
    with pytest.raises(ScoringError, match="unknown column 'kid'"):
        grouped([prediction("a", "yes", "no")], [pair("a", "yes", "yes")], groups="kid")


def test_a_breakdown_cuts_groups_down_to_its_pairs() -> None:
    references, predictions = rephrasings("a", [True, True, False])
    rows = [row | {"operation": name} for row, name in zip(references, ("blur", "gray"), strict=True)]
    model = score_pairs(predictions, rows, Options("carets", bootstrap=0), by=("operation",))
    assert model.overall["group_accuracy"].value == 0.0
    assert [scores["group_accuracy"].value for scores in model.groups["operation"].values()] == [1.0, 0.0]


def test_unread_answers_are_not_yes() -> None:
    references = [pair(name, "yes", "no") for name in "ab"]
    predictions = [prediction("a", "yes", "hm"), prediction("b", "hm", "yes")]
    scores = grouped(predictions, references)
    assert [scores[name].value for name in ("precision", "recall", "f1", "yes_ratio")] == [0.5] * 4
    assert (scores["f1"].n, scores["unread_rate"].value) == (4, 0.5)


def test_precision_of_no_yes_is_undefined_with_a_reason() -> None:
    scores = grouped([prediction("a", "no", "no")], [pair("a", "yes", "no")])
    assert (scores["precision"].reason, scores["recall"].value) == ("no question is answered yes", 0.0)
    assert scores["f1"].value == 0.0


def test_errors_that_equal_the_prior_are_told_apart() -> None:
    legs = '{"prior": "4"}'
    references = [pair(name, "4", "5", bindings=legs) for name in "abcd"]
    answers = ["4", "four", "3", "5"]  # two errors of the prior, one of its own, one right answer
    predictions = [prediction(name, "6", answer) for name, answer in zip("abcd", answers, strict=True)]
    score = grouped(predictions, references)["prior_error_share"]
    assert (score.value, score.n) == (pytest.approx(2 / 3), 3)
    assert prior_error_share(["4", "4", "3", "5"], ["5"] * 4, ["4"] * 4) == pytest.approx(2 / 3)


def test_a_column_may_name_the_prior() -> None:
    references = [pair("a", "red", "blue", original_answer="red"), pair("b", "red", "blue", original_answer="red")]
    predictions = [prediction("a", "red", "red"), prediction("b", "red", "green")]
    options = Options("kb", bootstrap=0, prior="original_answer")
    score = score_pairs(predictions, references, options, by=()).overall["prior_error_share"]
    assert (score.value, score.n) == (0.5, 2)


def test_no_prior_is_no_share() -> None:
    score = grouped([prediction("a", "red", "red")], [pair("a", "blue", "blue")])["prior_error_share"]
    assert isnan(score.value)
    assert score.reason == "no wrong answer has a prior answer beside it"


def test_whole_groups_are_resampled_where_they_span_images() -> None:
    parts = [square(f"g{number}", [number % 2 == 0, True, True, True]) for number in range(12)]
    references, predictions = joined(parts)
    for number, row in enumerate(references):
        row["original_image_id"] = f"image {number}"  # every pair has an image of its own
    clusters = encode_references(references).grouped().clusters
    by_group = defaultdict(set)
    for row, cluster in zip(references, clusters, strict=True):
        by_group[row["group_id"]].add(int(cluster))
    assert all(len(codes) == 1 for codes in by_group.values())
    assert len(set(clusters)) == 12
    score = grouped(predictions, references, bootstrap=200)["group_accuracy"]
    assert score.bootstrap[0] < score.value < score.bootstrap[1]


def test_groups_within_an_image_are_resampled_with_it() -> None:
    references = [row | {"original_image_id": "i"} for row in rephrasings("a", [True] * 3)[0]]
    references += [row | {"original_image_id": "i"} for row in rephrasings("b", [True] * 3)[0]]
    assert len(set(encode_references(references).grouped().clusters)) == 1


def test_pairs_without_an_image_are_clustered_by_their_group() -> None:
    rows = [pair(name, "yes", "yes", original_image_id="", group_id=name[0]) for name in ("a1", "a2", "b1")]
    first, second, third = encode_references(rows).clusters
    assert first == second != third


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=2, max_size=8), min_size=1, max_size=5), st.randoms())
def test_the_order_of_rows_changes_no_score_of_groups(groups: list[list[bool]], random: Any) -> None:
    parts = [rephrasings(f"g{number}", right) for number, right in enumerate(groups)]
    references, predictions = joined(parts)
    scores = score_pairs(predictions, references, Options(bootstrap=20)).as_dict()
    random.shuffle(references)
    assert repr(score_pairs(predictions, references, Options(bootstrap=20)).as_dict()) == repr(scores)


def test_two_models_are_compared_group_by_group() -> None:
    parts = [square(f"g{number}", [True] * 4) for number in range(8)]
    worse = [square(f"g{number}", [number < 2, True, True, True]) for number in range(8)]
    references, options = joined(parts)[0], Options("grouped", bootstrap=100)
    models = [score_pairs(joined(answers)[1], references, options) for answers in (parts, worse)]
    difference = compare(*models, options)["rad.t"]["group_accuracy"]
    assert (difference.first, difference.second) == (1.0, 0.25)
    assert difference.p_mcnemar == pytest.approx(2 / 2**6)


@pytest.mark.parametrize("normalizer", ["vqa", "vqa-official", "exact"])
def test_a_prior_that_is_right_is_no_prior_of_errors(normalizer: str) -> None:
    rows = [pair(name, "Red", prior, original_answers=["Red"] * 10, prior="Red") for name, prior in ("ab", "cd")]
    predictions = [prediction(row["pair_id"], "blue", "Red") for row in rows]
    model = score_pairs(predictions, rows, Options("kb", bootstrap=0, prior="prior"), by=(), normalizer=normalizer)
    assert (model.overall["prior_error_share"].value, model.overall["prior_error_share"].n) == (1.0, 2)
