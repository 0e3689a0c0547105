"""Normalization and VQA accuracy, case by case."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from diptych.metrics import ScoringError, normalize, vqa_accuracy

TABLE = tomllib.loads(Path(__file__).with_name("conformance.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", TABLE["normalize"], ids=lambda case: f"{case['answer']!r}")
def test_normalize_conforms(case: dict[str, Any]) -> None:
    assert normalize(case["answer"]) == case["vqa"], case["reason"]
    assert normalize(case["answer"], normalizer="vqa-official") == case["vqa"], case["reason"]
    assert normalize(case["answer"], normalizer="exact") == case["answer"]


@pytest.mark.parametrize("case", TABLE["accuracy"], ids=lambda case: f"{case['answer']!r}-{case['reason']}")
def test_accuracy_conforms(case: dict[str, Any]) -> None:
    arguments = case["answer"], case["answers"]
    assert vqa_accuracy(*arguments) == pytest.approx(case["vqa"], abs=1e-6), case["reason"]
    assert vqa_accuracy(*arguments, normalizer="vqa-official") == pytest.approx(case["official"]), case["reason"]
    assert vqa_accuracy(*arguments, normalizer="exact") == pytest.approx(case["exact"], abs=1e-6), case["reason"]


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert len(TABLE["normalize"]) + len(TABLE["accuracy"]) >= 60


def test_at_most_32_periods_go() -> None:
    assert normalize("." * 40) == "." * 8


@pytest.mark.parametrize(("agreeing", "expected"), [(0, 0.0), (1, 0.3), (2, 0.6), (3, 0.9), (4, 1.0), (10, 1.0)])
def test_leave_one_out_is_the_mean_over_nine_annotators(agreeing: int, expected: float) -> None:
    answers = ["dog"] * agreeing + ["cat"] * (10 - agreeing)
    assert vqa_accuracy("dog", answers) == pytest.approx(expected)
    assert vqa_accuracy("dog", answers, averaging="leave-one-out") == pytest.approx(expected)


@pytest.mark.parametrize(("agreeing", "expected"), [(0, 0.0), (1, 1 / 3), (2, 2 / 3), (3, 1.0), (10, 1.0)])
def test_equation_2_needs_three_of_ten(agreeing: int, expected: float) -> None:
    answers = ["dog"] * agreeing + ["cat"] * (10 - agreeing)
    for normalizer in ("vqa", "vqa-official", "exact"):
        assert vqa_accuracy("dog", answers, normalizer, "eq2") == pytest.approx(expected)


def test_an_unknown_averaging_is_named() -> None:
    with pytest.raises(ScoringError, match="unknown averaging 'mean'; known: eq2, leave-one-out"):
        vqa_accuracy("dog", ["dog"], averaging="mean")


def test_an_unknown_normalizer_is_named() -> None:
    with pytest.raises(ScoringError, match="unknown normalizer 'soft'; known: vqa, vqa-official, exact"):
        normalize("dog", normalizer="soft")
