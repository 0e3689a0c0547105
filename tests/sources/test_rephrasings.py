"""VQA-Rephrasings: originals and rephrasings in one pair of VQA files, with ids that may collide."""

from pathlib import Path
from typing import Any

import pytest

from diptych.errors import BadInputError, MissingFileError
from diptych.sources._vqa import read_rephrasings, rephrasings_files
from tests.sources.official import annotation, framed, question, write_plain

QUESTIONS = "v2_OpenEnded_mscoco_valrep2014_humans_og_questions.json"
ANNOTATIONS = "v2_mscoco_valrep2014_humans_og_annotations.json"


def rephrased(original: int, number: int, **changed: Any) -> dict[str, Any]:
    record = question(original * 10 + number, image_id=original // 1000, rephrasing_of=original)
    return record | {"question": f"Which thing is {original}?"} | changed


def answered(record: dict[str, Any]) -> dict[str, Any]:
    return annotation(record["question_id"], image_id=record["image_id"])


def write(data: Path, questions: list[Any], annotations: list[Any] | None = None) -> None:
    annotations = [answered(record) for record in questions] if annotations is None else annotations
    write_plain(data / "rephrasings", QUESTIONS, framed("questions", questions))
    write_plain(data / "rephrasings", ANNOTATIONS, framed("annotations", annotations))


def test_a_rephrasing_comes_with_its_original(tmp_path: Path) -> None:
    write(tmp_path, [question(42001), rephrased(42001, 1), rephrased(42001, 2)])
    first, second = read_rephrasings(rephrasings_files(tmp_path))
    assert first.original == second.original
    assert (first.original.question_id, first.rephrasing.question_id) == ("42001", "420011")
    assert first.rephrasing.question == "Which thing is 42001?"
    assert (first.rephrasing.source, first.rephrasing.coco_split) == ("vqa_rephrasings", "val2014")


def test_a_rephrasing_may_have_the_id_of_another_original(tmp_path: Path) -> None:
    other = question(420011, question="Is this another question?")
    write(tmp_path, [question(42001), rephrased(42001, 1), other, rephrased(420011, 1)])
    first, second = read_rephrasings(rephrasings_files(tmp_path))
    assert first.original.question_id == "42001"
    assert second.original.question == "Is this another question?"


def test_a_blank_rephrasing_is_kept_for_the_ledger(tmp_path: Path) -> None:
    write(tmp_path, [question(42001), rephrased(42001, 1, question=" ")])
    (only,) = read_rephrasings(rephrasings_files(tmp_path))
    assert only.rephrasing.question == ""


@pytest.mark.parametrize(
    ("questions", "annotations", "message"),
    [
        ([rephrased(42001, 1)], None, "question 420011: it rephrases question 42001, which is not found"),
        (
            [question(42001), rephrased(42001, 1, image_id=7)],
            None,
            "question 420011: it rephrases question 42001, which is about another image",
        ),
        ([question(42001)], [], "question 42001: the annotation file ends before it"),
        ([], [annotation(42001)], "question 42001: the question file ends before it"),
        ([question(42001)], [annotation(43001)], "question 43001: question_id is not 42001, as in the question file"),
        ([question(42001, question="")], None, "question 42001: question is empty"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, questions: list[Any], annotations: Any, message: str) -> None:
    write(tmp_path, questions, annotations)
    with pytest.raises(BadInputError) as caught:
        list(read_rephrasings(rephrasings_files(tmp_path)))
    assert message in str(caught.value)


def test_missing_files_are_named_with_the_homepage(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="VQA-Rephrasings"):
        rephrasings_files(tmp_path)


def test_two_releases_in_one_folder_are_refused(tmp_path: Path) -> None:
    write(tmp_path, [])
    write_plain(tmp_path / "rephrasings", "other_questions.json", b"[]")
    with pytest.raises(BadInputError, match="several question files; keep one"):
        rephrasings_files(tmp_path)
