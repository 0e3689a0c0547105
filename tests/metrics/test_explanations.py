"""What `--explain` shows of a model."""

import json
from pathlib import Path
from typing import Any

import pytest

from diptych.folder import BuiltFolder
from diptych.metrics import ScoreReport, score_predictions
from diptych.metrics._brackets import mark_difference
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


def color_pair(pair_id: str, sort: str, color: str, test: str = "kb.color_maximal") -> dict[str, Any]:
    questions = {"original_question": "Is the red car old?", "perturbed_question": f"Is the {color} car old?"}
    columns = {"test": test, "colors": sort, "source_id": "7", "bindings": json.dumps({"text": color})}
    return pair(pair_id, "yes", "", expectation="open", **questions, **columns)


@pytest.fixture
def colors(tmp_path: Path) -> ScoreReport:
    """A model that keeps its answer for every color but the near and uncommon one."""
    rows = [
        color_pair("far", "common", "blue"),
        color_pair("farther", "uncommon", "lime"),
        color_pair("near", "common", "dark red", "kb.color_minimal"),
        color_pair("nearer", "uncommon", "orange red", "kb.color_minimal"),
    ]
    folder = make_folder(tmp_path, {"c": {"test": rows}}, score_family="kb")
    answers = [prediction(row["pair_id"], "yes", "no" if row["pair_id"] == "nearer" else "yes") for row in rows]
    return score_predictions(folder, answers, bootstrap=0, explain=2)


def test_an_answer_that_the_paper_expects_to_change_or_to_stay_is_shown(colors: ScoreReport) -> None:
    kinds = by_kind(colors)
    assert kinds["kept"] == ["far", "farther"]
    assert kinds["changed"] == ["nearer"]


def test_common_stands_beside_uncommon(colors: ScoreReport) -> None:
    kept = next(entry for entry in colors.as_dict()["explanations"] if entry["pair_id"] == "far")
    (companion,) = kept["companions"]
    assert companion == {"label": "uncommon", "question": "Is the [lime] car old?", "answer": "yes"}
    assert "    uncommon   Is the [lime] car old?  answered: yes" in colors.as_text()


def test_examples_have_the_form_of_the_papers_figures(colors: ScoreReport) -> None:
    text = colors.as_text()
    assert "Color Maximal (as Figure 3 of the paper)\n  q: Is the [red/blue/lime] car old?" in text
    assert "q: Is the [red/dark red/orange red] car old?" in text
    assert "a: yes/yes/no" in text


@pytest.mark.parametrize(
    ("original", "perturbed", "words", "expected"),
    [
        ("Is the red car old?", "Is the dark red car old?", "dark red", ("[red]", "[dark red]")),
        ("Is it a red car?", "Is it an orange red car?", "orange red", ("[a red]", "[an orange red]")),
        ("Where is the oven?", "Where is the toaster oven?", "toaster oven", ("[oven]", "[toaster oven]")),
        ("Where are the cakes?", "Where are the?", "", ("[cakes]", "[_]")),
        ("Red, white or blue?", "Gold, white or blue?", "gold", ("[Red],", "[Gold],")),
    ],
)
def test_brackets_hold_the_words_that_were_exchanged(
    original: str, perturbed: str, words: str, expected: tuple[str, str]
) -> None:
    marked = mark_difference(original, perturbed, words)
    assert all(part in question for part, question in zip(expected, marked, strict=True))
