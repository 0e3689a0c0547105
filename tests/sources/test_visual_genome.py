"""Visual Genome's questions: read in order, and refused by name where they are broken."""

import json
from pathlib import Path
from typing import Any

import pytest

from diptych.errors import BadInputError, MissingFileError
from diptych.sources import read_vg_questions, require_file

QA = {"qa_id": 7, "image_id": 1, "question": "Where is the dog?", "answer": "On the grass.", "a_objects": []}


def write(folder: Path, records: Any) -> Path:
    (folder / "vg").mkdir()
    (folder / "vg" / "question_answers.json").write_text(json.dumps(records))
    return folder


def test_a_question_becomes_a_row_with_one_plain_answer(tmp_path: Path) -> None:
    data = write(tmp_path, [{"id": 1, "qas": [QA]}, {"id": 2, "qas": []}])
    (row,) = read_vg_questions(require_file(data, "vg", "question_answers.json"))
    assert (row.question_id, row.image_id, row.answer, row.answers) == ("7", "1", "on the grass", ("on the grass",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what color is the dog", "What color is the dog?"),
        ("Where is  the dog ?", "Where is the dog?"),
        (" Who is there.", "Who is there?"),
        ("WHAT IS THIS?", "What is this?"),
        ("What does the sign say? ", "What does the sign say?"),
        ("Is it 8 p.m.?", "Is it 8 p.m.?"),
        ("???", "???"),
    ],
)
def test_a_question_is_written_as_vqa_writes_it(text: str, expected: str, tmp_path: Path) -> None:
    data = write(tmp_path, [{"id": 1, "qas": [{**QA, "question": text}]}])
    (row,) = read_vg_questions(require_file(data, "vg", "question_answers.json"))
    assert row.question == expected


def test_a_question_without_an_image_is_about_that_of_its_group(tmp_path: Path) -> None:
    question = {name: value for name, value in QA.items() if name != "image_id"}
    (row,) = read_vg_questions(
        require_file(write(tmp_path, [{"id": 61512, "qas": [question]}]), "vg", "question_answers.json")
    )
    assert (row.image_id, row.image_file) == ("61512", "61512.jpg")


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"id": 1, "qas": [QA, QA]}], "question 7: this qa_id occurs twice"),
        ([{"id": 1, "qas": [{**QA, "question": ""}]}], "question 7: question is empty"),
        ([{"id": 1}], "image 1: qas is missing"),
    ],
)
def test_a_broken_record_is_named(records: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=message):
        list(read_vg_questions(require_file(write(tmp_path, records), "vg", "question_answers.json")))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="question_answers"):
        require_file(tmp_path, "vg", "question_answers.json")
