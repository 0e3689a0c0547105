"""FVQA's files: questions, facts and folds, and the errors for wrong records."""

import json
from pathlib import Path
from typing import Any

import pytest

from diptych.errors import BadInputError, MissingFileError
from diptych.sources import read_facts, read_folds, read_fvqa, read_vg_objects

QUESTION: dict[str, Any] = {
    "fact_surface": "[[a cup]] is for [[drinking]]",
    "ans_source": "image",
    "answer": "cup",
    "question": "Which object  is for drinking?",
    "img_file": "COCO_val2014_000000000001.jpg",
    "visual_concept": "obj",
    "kb_source": "conceptnet",
    "fact": ["conceptnet/e/1"],
    "question_id": "7",
}
FACT = {
    "KB": "conceptnet",
    "e1_label": "cup",
    "r": "/r/UsedFor",
    "e2_label": "drink",
    "surface": QUESTION["fact_surface"],
}


def write(folder: Path, question: dict[str, Any], fact: Any = FACT, **files: str) -> Path:
    home = folder / "fvqa"
    (home / "Name_Lists").mkdir(parents=True)
    (home / "all_qs_dict_release.json").write_text(json.dumps({question.get("question_id", "?"): question}))
    (home / "all_fact_triples_release.json").write_text(json.dumps({"conceptnet/e/1": fact}))
    for fold in range(5):
        for side in ("train", "test"):
            name = f"{side}_list_{fold}"
            (home / "Name_Lists" / f"{name}.txt").write_text(files.get(name, f"{side}.jpg\n"))
    return folder


def test_a_question_comes_with_its_fact(tmp_path: Path) -> None:
    (question,) = read_fvqa(write(tmp_path, QUESTION))
    assert question.question == "Which object is for drinking?"
    assert (question.fact.head, question.fact.relation, question.fact.tail) == ("cup", "UsedFor", "drink")
    assert (question.fact.head_text, question.fact.tail_text) == ("a cup", "drinking")


def test_a_sentence_that_names_the_tail_first_is_turned_round(tmp_path: Path) -> None:
    fact = {"r": "/r/AtLocation", "e1_label": "tv", "e2_label": "apartment"}
    fact["surface"] = "*Something you find at [[an apartment]] is [[a tv]]"
    (fact_read,) = read_facts(write(tmp_path, QUESTION, fact))
    assert (fact_read.head_text, fact_read.tail_text) == ("a tv", "an apartment")


@pytest.mark.parametrize("surface", ["a cup is for [[drinking]]", ""])
def test_a_fact_with_one_entity_is_not_whole(tmp_path: Path, surface: str) -> None:
    question = {**QUESTION, "fact": ["conceptnet/e/2"], "fact_surface": surface}
    assert not read_fvqa(write(tmp_path, question))[0].fact.is_complete


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": 3}, "question 7: answer is a number, not text"),
        ({"img_file": None}, "question 7: img_file is null, not text"),
        ({"fact": []}, "question 7: its fact is not a list of ids"),
    ],
)
def test_a_wrong_record_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        read_fvqa(write(tmp_path, {**QUESTION, **change}))


def test_a_file_cut_short_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, QUESTION) / "fvqa" / "all_qs_dict_release.json"
    path.write_text(path.read_text()[:-5])
    with pytest.raises(BadInputError, match=r"all_qs_dict_release\.json: the file is cut short"):
        read_fvqa(tmp_path)


def test_an_image_on_both_sides_of_a_fold_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"image a\.jpg is also in"):
        read_folds(write(tmp_path, QUESTION, train_list_2="a.jpg b.jpg", test_list_2="c.jpg a.jpg"))


def test_a_missing_fold_is_named(tmp_path: Path) -> None:
    (write(tmp_path, QUESTION) / "fvqa" / "Name_Lists" / "test_list_4.txt").unlink()
    with pytest.raises(MissingFileError, match=r"test_list_4\.txt is missing"):
        read_folds(tmp_path)


def test_visual_genome_objects_are_found_by_coco_id(tmp_path: Path) -> None:
    assert read_vg_objects(tmp_path, {5}) == {}
    (tmp_path / "vg").mkdir()
    images = [{"image_id": 1, "coco_id": 5}, {"image_id": 2, "coco_id": None}]
    objects = [
        {"image_id": 1, "objects": [{"names": ["Dog "]}, {"names": ["dog", "tail"]}]},
        {"image_id": 2, "objects": []},
    ]
    (tmp_path / "vg" / "image_data.json").write_text(json.dumps(images))
    (tmp_path / "vg" / "objects.json").write_text(json.dumps(objects))
    assert read_vg_objects(tmp_path, {5, 9}) == {5: ("dog", "tail")}


def test_the_real_questions_and_folds_have_their_official_numbers(real_data: Path) -> None:
    questions, folds = read_fvqa(real_data), read_folds(real_data)
    images = {question.image for question in questions}
    assert (len(questions), len(images)) == (5826, 2190)
    assert all(fold.train | fold.test == images for fold in folds)
