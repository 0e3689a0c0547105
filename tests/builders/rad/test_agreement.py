"""How many annotators agree on an answer, whatever its spelling, and which questions a build uses for that."""

from pathlib import Path

import pytest

from diptych.builders.rad._readings import COLOR, COUNT, KIND, RadCandidate, RadRules, Reading, read_back
from diptych.pairs import Skip
from tests.builders.conftest import vqa_row
from tests.builders.rad.conftest import Reader, build_rad


@pytest.mark.parametrize(
    ("test", "question", "answer", "others", "agreement"),
    [
        (COLOR, "What color is the kayak?", "red", ("blue", "dark red"), 8),
        (COLOR, "What color is the kayak?", "gray", ("grey", "grey", "blue"), 9),
        (COLOR, "What color is the kayak?", "blue and white", ("white and blue", "white/blue", "white"), 9),
        (COUNT, "How many kayaks are there?", "2", ("two", "3", "2 kayaks"), 9),
        (KIND, "What kind of animal is this?", "cow", ("cows", "a cow", "bull"), 9),
        (KIND, "What kind of bear is this?", "polar", ("polar bear", "a polar bear", "white"), 9),
    ],
)
def test_spellings_of_one_answer_are_counted_together(
    test: str, question: str, answer: str, others: tuple[str, ...], agreement: int, reader: Reader
) -> None:
    candidate = reader.candidate(vqa_row(question, answer, *others), test)
    assert isinstance(candidate, RadCandidate)
    assert candidate.agreement == agreement


@pytest.mark.parametrize(("dissenters", "is_used"), [(4, True), (5, False)])
def test_six_annotators_of_ten_make_a_majority(dissenters: int, is_used: bool, reader: Reader) -> None:
    candidate = reader.candidate(vqa_row("What color is the kayak?", "red", *["blue"] * dissenters), COLOR)
    assert isinstance(candidate, RadCandidate)
    reading = read_back(candidate, RadRules())
    assert isinstance(reading, Reading) is is_used
    assert is_used or reading == Skip("too few annotators gave the answer: see the parameter min_agreement")


def test_a_build_uses_only_majority_answers(data: Path, tmp_path: Path) -> None:
    folder = build_rad(data, tmp_path, "vqa_v2")
    rows = [row for name in folder.configs for row in folder.table(name, "validation").to_pylist()]
    assert rows
    assert min(row["agreement"] for row in rows) >= 6


@pytest.mark.parametrize(("share", "least"), [(0.8, 8), (1.0, 10)])
def test_the_share_is_a_parameter(share: float, least: int, data: Path, tmp_path: Path) -> None:
    folder = build_rad(data, tmp_path, "yn_from_color", parameters={"min_agreement": share})
    rows = folder.table("yn_from_color", "validation").to_pylist()
    assert rows
    assert min(row["agreement"] for row in rows) >= least


def test_the_ledger_counts_what_is_left_out_for_agreement(data: Path, tmp_path: Path) -> None:
    folder = build_rad(data, tmp_path, "yn_from_color", parameters={"min_agreement": 1.0})
    (counts,) = folder.manifest.configs["yn_from_color"].ledger["validation"].values()
    assert counts.skipped["too few annotators gave the answer: see the parameter min_agreement"] > 0
