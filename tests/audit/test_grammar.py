"""Slips of English: seen where they are ours, left alone where they are people's."""

from dataclasses import replace
from pathlib import Path

import pytest

from diptych.audit._grammar import slips
from tests.audit.findings import audit_pairs, errors, worst
from tests.folders import reworded, some_pairs


@pytest.mark.parametrize(
    ("question", "rule"),
    [
        ("Is there a elephant?", "article"),
        ("Is there an uniform?", "article"),
        ("Is the the cat red?", "doubled word"),
        ("Is the cat red", "punctuation"),
        ("Is the cat red??", "punctuation"),
        ("Is the cat red ?", "spacing"),
        ("Is the  cat red?", "spacing"),
        ("is the cat red?", "capital"),
        ("Is there three cats?", "agreement"),
        ("Are there one cat?", "agreement"),
        ('Does it say "stop?', "quotes"),
        ("Is the {{ subject }} red?", "unfilled template"),
    ],
)
def test_a_slip_is_seen(question: str, rule: str) -> None:
    assert {name for name, _ in slips(question)} == {rule}


@pytest.mark.parametrize(
    "question",
    [
        "Is there an hour hand on the clock?",
        "Are there one hundred books?",
        "Are there a few dogs?",
        "Is there a pair of shoes?",
        "Are there zero dogs?",
        "Does it say \"stop\" (or 'go')?",
        "iPods are red?",
        "Is it 3.5 feet?",
        "Is that that cat?",
        "Is the color of the orange orange?",
    ],
)
def test_correct_english_has_no_slip(question: str) -> None:
    assert list(slips(question)) == []


SLIPS = [reworded(pair, pair.perturbed.question.replace("the color", "a old color")) for pair in some_pairs()]


def test_slips_of_the_templates_are_an_error(tmp_path: Path) -> None:
    assert errors(audit_pairs(tmp_path, SLIPS)) == {"grammar"}


def test_a_single_slip_is_a_warning(tmp_path: Path) -> None:
    assert worst(audit_pairs(tmp_path, [SLIPS[0], *some_pairs()[1:]]), "grammar").level == "warning"


def test_slips_of_the_original_question_are_no_fault_of_ours(tmp_path: Path) -> None:
    pairs = [replace(pair, original=replace(pair.original, question="What is a old color?")) for pair in SLIPS]
    assert worst(audit_pairs(tmp_path, pairs), "grammar").level == "ok"
