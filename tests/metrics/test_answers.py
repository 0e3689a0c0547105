"""Normalisation and VQA accuracy, case by case."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from diptych.metrics import ScoringError, normalise, vqa_accuracy

TABLE = tomllib.loads(Path(__file__).with_name("conformance.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", TABLE["normalise"], ids=lambda case: f"{case['answer']!r}")
def test_normalise_conforms(case: dict[str, Any]) -> None:
    assert normalise(case["answer"]) == case["vqa"], case["why"]
    assert normalise(case["answer"], how="vqa-official") == case["vqa"], case["why"]
    assert normalise(case["answer"], how="exact") == case["answer"]


@pytest.mark.parametrize("case", TABLE["accuracy"], ids=lambda case: f"{case['answer']!r}-{case['why']}")
def test_accuracy_conforms(case: dict[str, Any]) -> None:
    given = case["answer"], case["answers"]
    assert vqa_accuracy(*given) == pytest.approx(case["vqa"], abs=1e-6), case["why"]
    assert vqa_accuracy(*given, normaliser="vqa-official") == pytest.approx(case["official"]), case["why"]
    assert vqa_accuracy(*given, normaliser="exact") == pytest.approx(case["exact"], abs=1e-6), case["why"]


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert len(TABLE["normalise"]) + len(TABLE["accuracy"]) >= 60


def test_at_most_32_periods_go() -> None:
    assert normalise("." * 40) == "." * 8


@pytest.mark.parametrize(("agreeing", "expected"), [(0, 0.0), (1, 0.3), (2, 0.6), (3, 0.9), (4, 1.0), (10, 1.0)])
def test_leave_one_out_is_the_mean_over_nine_annotators(agreeing: int, expected: float) -> None:
    answers = ["dog"] * agreeing + ["cat"] * (10 - agreeing)
    assert vqa_accuracy("dog", answers, averaging="leave-one-out") == pytest.approx(expected)


def test_an_unknown_normaliser_is_named() -> None:
    with pytest.raises(ScoringError, match="unknown normaliser 'soft'; known: vqa, vqa-official, exact"):
        normalise("dog", how="soft")
