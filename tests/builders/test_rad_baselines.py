"""Other people's augmentations, as pairs of their own tests."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.builders.conftest import run


def annotation(question_id: int, answer: str = "red") -> dict[str, object]:
    return {
        "question_id": question_id,
        "image_id": 9,
        "question_type": "what color is the",
        "answer_type": "other",
        "multiple_choice_answer": answer,
        "answers": [{"answer": answer, "answer_id": place, "answer_confidence": "yes"} for place in range(1, 11)],
    }


@pytest.fixture
def vqa(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    (data / "vqa").mkdir(parents=True)
    question = {"question_id": 90, "image_id": 9, "question": "What color is the cat?"}
    (data / "vqa" / "v2_OpenEnded_mscoco_val2014_questions.json").write_text(json.dumps({"questions": [question]}))
    (data / "vqa" / "v2_mscoco_val2014_annotations.json").write_text(json.dumps({"annotations": [annotation(90)]}))
    return data


def built(data: Path, out: Path, config: str) -> tuple[list[dict[str, object]], dict[str, object]]:
    assert run("build", "rad-cads", "--data", str(data), "--out", str(out), "--config", config) == 0
    manifest = json.loads((out / "manifest.json").read_text())
    (counts,) = manifest["configs"][config]["ledger"]["validation"].values()
    return pq.read_table(out / "data" / config).to_pylist(), counts


def test_back_translations_join_their_questions(vqa: Path, tmp_path: Path) -> None:
    (vqa / "backtranslations").mkdir()
    table = "question_id,text\n90,Which color has the cat?\n90,What color is the cat\n91,Who is that?\n"
    (vqa / "backtranslations" / "de.csv").write_text(table)
    rows, counts = built(vqa, tmp_path / "out", "back_translations")
    assert [(row["perturbed_question"], row["expectation"]) for row in rows] == [("Which color has the cat?", "same")]
    assert rows[0]["original_answers"] == rows[0]["perturbed_answers"] == ["red"] * 10
    assert counts["skipped"] == {"no question of that id": 1, "the words are those of the original": 1}


def test_rephrasings_keep_the_answers(vqa: Path, tmp_path: Path) -> None:
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
    rows, counts = built(vqa, tmp_path / "out", "rephrasings")
    assert [row["perturbed_question"] for row in rows] == ["Which color is the cat?"]
    assert counts["skipped"] == {"the text is empty": 1}


def test_convqa_pairs_the_first_question_with_each_other_one(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "convqa"
    folder.mkdir(parents=True)
    sets = {"77": [[{"question": "is train yellow", "answer": "yes"}, {"question": "is train brown", "answer": "no"}]]}
    (folder / "cleaned_Logical_ConVQA_test.json").write_text(json.dumps(sets))
    rows, _ = built(tmp_path / "data", tmp_path / "out", "convqa_l")
    (row,) = rows
    assert (row["original_question"], row["perturbed_answer"], row["expectation"]) == ("is train yellow", "no", "given")
