"""Degenerate models, mined rules, closest nodes."""

import numpy as np
import pytest

from diptych.metrics import Options, ScoringError, score_pairs
from diptych.metrics.paired_vqa.columns import CodedColumn
from diptych.metrics.paired_vqa.normalization import closest_nodes
from diptych.metrics.paired_vqa.references import encode_references
from diptych.metrics.paired_vqa.summary import baseline_answers, baseline_scores, mine_rules, model_rules
from tests.metrics.rows import pair, prediction

CHOICES = '{"choices": ["left", "right"]}'
ROWS = [
    pair("a", "red", "yes", test="t.1"),
    pair("b", "red", "no", test="t.1"),
    pair("c", "blue", "no", test="t.1"),
    pair("d", "right", "left", test="t.2", bindings=CHOICES),
]


def answers(name: str) -> list[tuple[str, str]]:
    columns = baseline_answers(encode_references([{"bindings": "", **row} for row in ROWS]), name)
    return list(zip(*(column.to_list() for column in columns), strict=True))


def test_majority_is_by_test_and_side() -> None:
    assert answers("majority") == [("red", "no")] * 3 + [("right", "left")]


def test_first_choice_is_yes_where_the_question_is_yes_or_no() -> None:
    assert answers("first-choice") == [("", "yes")] * 3 + [("left", "left")]


def test_copy_original_repeats_the_originals_right_answer() -> None:
    assert answers("copy-original") == [("red", "red"), ("red", "red"), ("blue", "blue"), ("right", "right")]


def test_random_answers_belong_to_the_pair_not_to_the_order() -> None:
    in_order = answers("random")
    reversed_references = encode_references([{"bindings": "", **row} for row in reversed(ROWS)])
    original, _ = baseline_answers(reversed_references, "random")
    assert original.to_list() == [original_answer for original_answer, _ in reversed(in_order)]
    assert all(perturbed_answer in {"yes", "no"} for _, perturbed_answer in in_order[:3])


def test_an_unknown_baseline_is_named() -> None:
    with pytest.raises(ScoringError, match="unknown baseline 'always'"):
        baseline_answers(encode_references(ROWS), "always")


def test_a_constant_answer_scores_the_share_of_that_answer() -> None:
    result = baseline_scores(encode_references(ROWS), Options("all"))
    assert result["always-no"]["accuracy_perturbed"] == 0.5
    assert result["copy-original"]["accuracy_original"] == 1.0


def test_rules_find_the_concept_that_changes_answers() -> None:
    is_changed = np.array([True] * 18 + [False] * 2 + [True] * 2 + [False] * 58)
    concepts = CodedColumn(np.array([0] * 20 + [1] * 30 + [2] * 30), ["see", "dog", "cat"])
    first = mine_rules(is_changed, {"concept": concepts})[0]
    assert (first.subject, first.rate, first.support) == ("see", 0.9, 20)
    assert first.elsewhere == pytest.approx(2 / 60)
    assert first.lift == pytest.approx(27)
    assert first.p_corrected < 1e-10
    assert first.sentence().startswith("if the concept is 'see', then the answer changes in 90 % (70–97 %) of 20 pairs")


def test_rules_need_support() -> None:
    assert mine_rules(np.array([True]), {"concept": CodedColumn(np.array([0]), ["see"])}, least_support=2) == []


def test_rules_read_concept_family_and_substitution_from_the_rows() -> None:
    bindings = '{"concept": "dog", "family": "noun.animal"}'
    rows = [
        pair(str(number), "red", "", expectation="open", test="kb.hypernym_noun", bindings=bindings)
        for number in range(12)
    ]
    model = score_pairs([prediction(str(number), "red", "blue") for number in range(12)], rows, Options("kb"))
    result = {(rule.kind, rule.subject, rule.rate) for rule in model_rules(model.references, model.outcome)}
    assert result == {
        ("concept", "dog", 1.0),
        ("family", "noun.animal", 1.0),
        ("substitution", "kb.hypernym_noun", 1.0),
    }


def test_the_closest_node_has_the_fewest_letters_to_change() -> None:
    nodes = ["fire hydrant", "hydrant", "dog", "dogs", "cat"]
    result = closest_nodes(["fire hydrants", "dgo", "CAT", "dog"], nodes)
    assert result == {"fire hydrants": "fire hydrant", "dgo": "dog", "CAT": "cat", "dog": "dog"}


def test_right_answers_become_nodes() -> None:
    rows = [pair("a", "fire hydrants", "dog")]
    result = score_pairs(
        [prediction("a", "fire hydrant", "dog")], rows, Options("fvqa2"), nodes=["fire hydrant", "dog"]
    )
    assert result.values()["accuracy_both"] == 1.0
