"""What `--explain` shows of a model."""

from pathlib import Path
from typing import Any

import pytest

from diptych.folder import BuiltFolder
from diptych.metrics import ScoreReport, score_predictions
from tests.metrics.folders import make_folder
from tests.metrics.rows import pair, prediction


def question_pair(pair_id: str, original: str, perturbed: str, **columns: Any) -> dict[str, Any]:
    questions = {"original_question": "Is there a dog?", "perturbed_question": "Is there no dog?"}
    origin = {"template_id": "dog.no", "bindings": '{"thing":"dog"}', "source": "gqa", "source_id": "7"}
    return pair(pair_id, original, perturbed, **{"expectation": "different", **questions, **origin, **columns})


ROWS = [
    question_pair("right", "yes", "no"),
    question_pair("kept-first", "yes", "no"),
    question_pair("kept-second", "yes", "no"),
    question_pair("unread", "yes", "no"),
    question_pair("wrong", "yes", "no"),
    question_pair(
        "lost", "red", "yes", expectation="given", test="rad.u", original_answers=[*["red"] * 6, "a", *"bbb"]
    ),
    question_pair("same", "red", "red", expectation="same", test="rad.u"),
]
PREDICTIONS = [
    prediction("right", "yes", "no"),
    prediction("kept-first", "yes", "Yes."),
    prediction("kept-second", "no", "no"),
    prediction("unread", "yes", "I \x1b[31mcannot\ntell"),
    prediction("wrong", "no", "yes"),
    prediction("lost", "red", "no"),
    prediction("same", "red", "red"),
]


@pytest.fixture
def folder(tmp_path: Path) -> BuiltFolder:
    return make_folder(tmp_path / "out", {"c": {"test": ROWS}})


def explain(folder: BuiltFolder, limit: int = 10, **options: Any) -> ScoreReport:
    return score_predictions(folder, PREDICTIONS, bootstrap=0, explain=limit, **options)


def by_kind(report: ScoreReport) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = {}
    for entry in report.as_dict()["explanations"]:
        kinds.setdefault(entry["kind"], []).append(entry["pair_id"])
    return kinds


def test_every_pair_is_under_the_kinds_that_it_is_of(folder: BuiltFolder) -> None:
    report = explain(folder)
    assert by_kind(report) == {
        "right_to_wrong": ["lost", "kept-first"],  # what is kept comes last: it has a section of its own
        "wrong_to_right": ["kept-second"],
        "kept": ["kept-first", "kept-second"],
        "unread": ["unread"],
    }
    counts = {"right_to_wrong": 2, "wrong_to_right": 1, "kept": 2, "unread": 1}
    assert report.as_dict()["explanation_counts"] == counts


def test_the_limit_holds_for_every_kind(folder: BuiltFolder) -> None:
    report = explain(folder, 1)
    assert [len(pair_ids) for pair_ids in by_kind(report).values()] == [1, 1, 1, 1]
    assert report.as_dict()["explanation_counts"]["kept"] == 2


def test_a_pair_has_questions_answers_right_answers_and_its_reason(folder: BuiltFolder) -> None:
    entries = {entry["pair_id"]: entry for entry in explain(folder).as_dict()["explanations"]}
    unread = entries["unread"]
    assert (unread["question_before"], unread["question_after"]) == ("Is there [a] dog?", "Is there [no] dog?")
    assert (unread["answer_before"], unread["answer_after"]) == ("yes", "I \x1b[31mcannot\ntell")
    assert (unread["right_before"], unread["right_after"]) == (("yes",), ("no",))
    assert unread["reason"] == "template dog.no; thing = dog; from gqa 7"
    assert entries["lost"]["right_before"] == ("red", "b", "a")


def test_the_text_has_a_section_for_every_kind_and_no_control_characters(folder: BuiltFolder) -> None:
    text = explain(folder).as_text()
    sections = [
        line for line in text.splitlines() if ": " in line and line.startswith(("right-", "wrong-", "kept", "unread:"))
    ]
    assert [section.partition(":")[0] for section in sections] == ["right-to-wrong", "wrong-to-right", "kept", "unread"]
    assert sections[2].endswith("though it should have changed: 2 pairs, 2 shown")
    assert "perturbed  Is there [no] dog?  answered: I [31mcannot tell  right: no" in text
    assert "because    template dog.no; thing = dog; from gqa 7" in text
    assert "\x1b" not in text


def test_nothing_is_explained_unless_asked_for(folder: BuiltFolder) -> None:
    assert "explanations" not in score_predictions(folder, PREDICTIONS, bootstrap=0).as_dict()


def test_an_unknown_right_answer_is_said_to_be_so(tmp_path: Path) -> None:
    rows = [pair("o", "red", "", expectation="open")]
    folder = make_folder(tmp_path, {"c": {"test": rows}})
    text = score_predictions(folder, [prediction("o", "red", "blue")], bootstrap=0, explain=1).as_text()
    assert "answered: blue  right: (not known)" in text
    assert "because    the dataset does not say" in text
