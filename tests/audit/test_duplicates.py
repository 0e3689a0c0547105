"""Pairs that are there twice, word for word or nearly, and pairs that contradict each other."""

from dataclasses import replace
from pathlib import Path

from tests.audit.findings import audit_pairs, errors, worst
from tests.folders import reworded, some_pairs


def test_duplicates_are_counted(tmp_path: Path) -> None:
    pairs = some_pairs()
    audit = audit_pairs(tmp_path, [*pairs, replace(pairs[0], source_id="other")])
    assert worst(audit, "duplicates").numbers == {"n": 385, "exact": 1, "near": 0}


def test_near_duplicates_are_counted(tmp_path: Path) -> None:
    pairs = some_pairs()
    question = pairs[1].perturbed.question.replace("?", " in this picture?")
    audit = audit_pairs(tmp_path, [*pairs, replace(reworded(pairs[1], question), source_id="other")])
    assert worst(audit, "duplicates").numbers == {"n": 385, "exact": 0, "near": 1}


def test_many_duplicates_are_a_warning(tmp_path: Path) -> None:
    pairs = some_pairs()
    audit = audit_pairs(tmp_path, [*pairs, *(replace(pair, source_id="other") for pair in pairs[:10])])
    assert worst(audit, "duplicates").level == "warning"


def test_a_question_that_is_answered_both_ways_is_an_error(tmp_path: Path) -> None:
    pairs = some_pairs()
    answer = {"yes": "no", "no": "yes"}[pairs[0].perturbed.answer]
    audit = audit_pairs(tmp_path, [*pairs, reworded(pairs[0], pairs[0].perturbed.question, answer)])
    assert errors(audit) == {"contradictions"}


def test_a_contradiction_of_people_is_a_warning(tmp_path: Path) -> None:
    pairs = [replace(pair, template_id="") for pair in some_pairs()]
    answer = {"yes": "no", "no": "yes"}[pairs[0].perturbed.answer]
    audit = audit_pairs(tmp_path, [*pairs, reworded(pairs[0], pairs[0].perturbed.question, answer)])
    assert worst(audit, "contradictions").level == "warning"
