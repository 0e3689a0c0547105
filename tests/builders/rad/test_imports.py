"""The augmentations that the paper compares with, as pairs of their own tests."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders.rad.conftest import build_rad


def annotation(question_id: int, answer: str = "red") -> dict[str, object]:
    return {
        "question_id": question_id,
        "image_id": 9,
        "question_type": "what color is the",
        "answer_type": "other",
        "multiple_choice_answer": answer,
        "answers": [{"answer": answer, "answer_id": number, "answer_confidence": "yes"} for number in range(1, 11)],
    }


@pytest.fixture
def vqa(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    (data / "vqa").mkdir(parents=True)
    question = {"question_id": 90, "image_id": 9, "question": "What color is the cat?"}
    (data / "vqa" / "v2_OpenEnded_mscoco_val2014_questions.json").write_text(json.dumps({"questions": [question]}))
    (data / "vqa" / "v2_mscoco_val2014_annotations.json").write_text(json.dumps({"annotations": [annotation(90)]}))
    return data


def import_pairs(data: Path, folder: Path, config: str) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """The pairs of a config with one test, and how often which reason skipped an input."""
    build = build_rad(data, folder, config)
    (counts,) = build.manifest.configs[config].ledger["validation"].values()
    return build.table(config, "validation").to_pylist(), counts.skipped


@pytest.fixture
def translations(vqa: Path) -> Path:
    """A back-translation, one in the same words, and one of an unknown question."""
    (vqa / "backtranslations").mkdir()
    table = "question_id,text\n90,Which color has the cat?\n90,What color is the cat\n91,Who is that?\n"
    (vqa / "backtranslations" / "de.csv").write_text(table)
    return vqa


def test_back_translations_join_their_questions(translations: Path, tmp_path: Path) -> None:
    rows, _ = import_pairs(translations, tmp_path, "back_translations")
    assert [(row["perturbed_question"], row["expectation"]) for row in rows] == [("Which color has the cat?", "same")]


def test_back_translations_keep_the_answers(translations: Path, tmp_path: Path) -> None:
    ((row,), _) = import_pairs(translations, tmp_path, "back_translations")
    assert row["original_answers"] == row["perturbed_answers"] == ["red"] * 10


def test_back_translations_that_say_nothing_new_are_counted(translations: Path, tmp_path: Path) -> None:
    _, skipped = import_pairs(translations, tmp_path, "back_translations")
    assert skipped == {"no question of that id": 1, "the words are those of the original": 1}


def test_rephrasings_are_pairs_and_empty_ones_are_counted(vqa: Path, tmp_path: Path) -> None:
    folder = vqa / "rephrasings"
    folder.mkdir()
    questions = [
        {"question_id": 90, "image_id": 9, "question": "What color is the cat?"},
        {"question_id": 901, "image_id": 9, "question": "Which color is the cat?", "rephrasing_of": 90},
        {"question_id": 902, "image_id": 9, "question": " ", "rephrasing_of": 90},
    ]
    name = "v2_OpenEnded_mscoco_valrep2014_humans_og_questions.json"
    (folder / name).write_text(json.dumps({"questions": questions}))
    annotations = {"annotations": [annotation(90), annotation(901), annotation(902)]}
    (folder / "v2_mscoco_valrep2014_humans_og_annotations.json").write_text(json.dumps(annotations))
    rows, skipped = import_pairs(vqa, tmp_path, "rephrasings")
    assert [row["perturbed_question"] for row in rows] == ["Which color is the cat?"]
    assert skipped == {"the text is empty": 1}


def test_convqa_pairs_the_first_question_of_a_set_with_the_rest(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "convqa"
    folder.mkdir(parents=True)
    sets = {"77": [[{"question": "is train yellow", "answer": "yes"}, {"question": "is train brown", "answer": "no"}]]}
    (folder / "cleaned_Logical_ConVQA_test.json").write_text(json.dumps(sets))
    ((row,), _) = import_pairs(tmp_path / "data", tmp_path, "convqa_l")
    assert (row["original_question"], row["perturbed_answer"], row["expectation"]) == ("is train yellow", "no", "given")
