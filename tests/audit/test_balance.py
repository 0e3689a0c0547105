"""Answers out of balance: an error where the builder chose them, a warning where the source did."""

from dataclasses import replace
from pathlib import Path

import pytest

from diptych.audit import _answers
from diptych.pairs import Expectation
from tests.audit.findings import audit_pairs, errors, worst
from tests.folders import make_pair, some_pairs


def test_balanced_answers_are_told_with_their_interval(tmp_path: Path) -> None:
    numbers = worst(audit_pairs(tmp_path, some_pairs()), "answer balance").numbers
    assert (numbers["n"], numbers["yes"]) == (384, 0.5)
    assert numbers["low"] < 0.5 < numbers["high"]


def test_answers_out_of_balance_are_an_error(tmp_path: Path) -> None:
    pairs = [pair for pair in some_pairs() if pair.perturbed.answer == "yes" or int(pair.source_id) % 64_000 < 16_000]
    audit = audit_pairs(tmp_path, pairs)
    assert "answer balance" in errors(audit)
    numbers = worst(audit, "answer balance").numbers
    assert 0.53 < numbers["low"] < numbers["yes"] < numbers["high"]


def test_a_balance_that_comes_from_the_source_is_a_warning(tmp_path: Path) -> None:
    pairs = [
        replace(pair, expectation=Expectation.SAME, original=replace(pair.original, answer="yes", answers=()))
        for pair in some_pairs()
        if pair.perturbed.answer == "yes"
    ]
    assert worst(audit_pairs(tmp_path, pairs), "answer balance").level == "warning"


def test_open_pairs_have_no_balance(tmp_path: Path) -> None:
    pairs = [
        replace(pair, expectation=Expectation.OPEN, perturbed=replace(pair.perturbed, answer=""))
        for pair in some_pairs()
    ]
    audit = audit_pairs(tmp_path, pairs)
    assert "answer balance" not in {finding.name for finding in audit.findings}
    assert audit.errors == 0


def test_too_few_pairs_to_tell_are_not_out_of_balance(tmp_path: Path) -> None:
    pairs = [*[pair for pair in some_pairs() if pair.perturbed.answer == "yes"][:4], make_pair(0)]
    assert "answer balance" not in errors(audit_pairs(tmp_path, pairs))


def test_a_model_that_looks_at_nothing_and_is_right_too_often_is_a_warning(tmp_path: Path) -> None:
    pairs = [pair for pair in some_pairs() if pair.perturbed.answer == "yes"]
    finding = worst(audit_pairs(tmp_path, pairs), "degenerate baselines")
    assert finding.level == "warning"
    assert finding.numbers["always-yes"]["accuracy_perturbed"] == 1


def test_of_many_pairs_the_first_by_their_ids_are_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_answers, "MOST_SCORED", 100)
    pairs = sorted(some_pairs(), key=lambda pair: pair.pair_id)
    share = sum(pair.perturbed.answer == "yes" for pair in pairs[:100]) / 100
    finding = worst(audit_pairs(tmp_path, some_pairs()), "degenerate baselines")
    assert "of 100 perturbed questions" in finding.message
    assert finding.numbers["always-yes"]["accuracy_perturbed"] == share
