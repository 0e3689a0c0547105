"""VQA v1, v2 and VQA-CP files become typed rows; errors name the file and the record."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diptych.errors import BadInputError, MissingFileError, UnknownNameError
from diptych.images import coco_file_name
from diptych.sources._vqa import iter_questions, iter_vqa, vqa_files, vqa_splits
from tests.sources.official import (
    ANNOTATIONS,
    QUESTIONS,
    annotation,
    framed,
    question,
    write_gz,
    write_plain,
    write_vqa,
    write_zip,
)


def refusal(data: Path) -> str:
    with pytest.raises(BadInputError) as caught:
        list(iter_vqa(vqa_files(data)))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_question_and_its_annotation_make_a_row(tmp_path: Path) -> None:
    write_vqa(tmp_path, [question(42001)], [annotation(42001)])
    (row,) = list(iter_vqa(vqa_files(tmp_path)))
    assert (row.question_id, row.image_id, row.question) == ("42001", "42", "What is thing 42001?")
    assert (row.answer, row.answers) == ("cat", ("dog",) * 3 + ("cat",) * 7)
    assert (row.question_type, row.answer_type, row.split, row.source) == ("what is", "other", "val", "vqa_v2")
    assert row.image_file == "COCO_val2014_000000000042.jpg"


def test_rows_come_in_the_order_of_the_questions(tmp_path: Path) -> None:
    numbers = [9000, 10000, 2000]
    write_vqa(tmp_path, [question(n) for n in numbers], [annotation(n) for n in sorted(numbers)])
    assert [row.question_id for row in iter_vqa(vqa_files(tmp_path))] == ["9000", "10000", "2000"]


def test_rows_are_streamed(tmp_path: Path) -> None:
    numbers = range(1000, 900_000, 1000)
    write_vqa(tmp_path, [question(n) for n in numbers], [annotation(n) for n in numbers])
    path = tmp_path / "vqa" / ANNOTATIONS
    path.write_bytes(path.read_bytes()[:-90])
    rows = iter_vqa(vqa_files(tmp_path))
    assert next(rows).question_id == "1000"
    with pytest.raises(BadInputError, match="cut short"):
        list(rows)


@given(order=st.permutations(range(1000, 9000, 1000)), ids=st.sampled_from([int, str, "q{}".format]))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_the_order_of_the_annotations_does_not_matter(
    tmp_path: Path, order: list[int], ids: Callable[[int], int | str]
) -> None:
    numbers = sorted(order)
    questions = [question(n, question_id=ids(n)) for n in numbers]
    write_vqa(tmp_path, questions, [annotation(n, question_id=ids(n), multiple_choice_answer=str(n)) for n in order])
    rows = list(iter_vqa(vqa_files(tmp_path), keep=lambda record: record.image_id != "3"))
    assert [row.answer for row in rows] == [str(n) for n in numbers if n != 3000]


def test_gz_and_zip_give_the_same_rows_as_plain(tmp_path: Path) -> None:
    questions, annotations = framed("questions", [question(1000)]), framed("annotations", [annotation(1000)])
    write_vqa(tmp_path / "plain", [question(1000)], [annotation(1000)])
    write_gz(tmp_path / "gz" / "vqa", QUESTIONS, questions)
    write_gz(tmp_path / "gz" / "vqa", ANNOTATIONS, annotations)
    write_zip(tmp_path / "zip" / "vqa", "v2_Questions_Val_mscoco.zip", {QUESTIONS: questions})
    write_zip(tmp_path / "zip" / "vqa", "v2_Annotations_Val_mscoco.zip", {ANNOTATIONS: annotations})
    plain, gz, zipped = (list(iter_vqa(vqa_files(tmp_path / name))) for name in ("plain", "gz", "zip"))
    assert plain == gz == zipped


def test_only_the_questions_asked_for_are_kept(tmp_path: Path) -> None:
    write_vqa(tmp_path, [question(1000), question(2000)], [annotation(1000), annotation(2000)])
    rows = list(iter_vqa(vqa_files(tmp_path), keep=lambda record: record.question_id == "2000"))
    assert [row.question_id for row in rows] == ["2000"]


def test_equal_answers_share_one_string(tmp_path: Path) -> None:
    write_vqa(tmp_path, [question(1000), question(2000)], [annotation(1000), annotation(2000)])
    first, second = list(iter_vqa(vqa_files(tmp_path)))
    assert first.answers[9] is second.answers[9]


def test_vqa_v1_is_read_by_its_own_names(tmp_path: Path) -> None:
    folder = tmp_path / "vqa"
    write_plain(folder, "OpenEnded_mscoco_train2014_questions.json", framed("questions", [question(1000)]))
    write_plain(folder, "mscoco_train2014_annotations.json", framed("annotations", [annotation(1000)]))
    (row,) = list(iter_vqa(vqa_files(tmp_path, "vqa_v1", "train")))
    assert (row.source, row.coco_split) == ("vqa_v1", "train2014")


def test_vqa_cp_is_a_bare_list_that_names_the_coco_split(tmp_path: Path) -> None:
    folder = tmp_path / "vqacp"
    for kind, record in (("questions", question(1000)), ("annotations", annotation(1000))):
        content = orjson.dumps([record | {"coco_split": "train2014"}])
        write_plain(folder, f"vqacp_v2_test_{kind}.json", content)
    (row,) = list(iter_vqa(vqa_files(tmp_path, "vqa_cp_v2", "test")))
    assert (row.split, row.image_file) == ("test", "COCO_train2014_000000000001.jpg")


def test_a_test_split_has_questions_but_no_answers(tmp_path: Path) -> None:
    write_plain(
        tmp_path / "vqa", "v2_OpenEnded_mscoco_test-dev2015_questions.json", framed("questions", [question(1000)])
    )
    files = vqa_files(tmp_path, split="test-dev")
    assert [row.question_id for row in iter_questions(files)] == ["1000"]
    with pytest.raises(BadInputError, match="not public"):
        list(iter_vqa(files))


def test_the_existing_splits_are_listed(tmp_path: Path) -> None:
    write_vqa(tmp_path, [], [])
    assert vqa_splits(tmp_path) == ("val",)
    assert vqa_splits(tmp_path, "vqa_cp_v1") == ()


def test_test_dev_images_lie_with_the_test_images() -> None:
    assert coco_file_name("test-dev2015", "7") == "COCO_test2015_000000000007.jpg"


def test_a_missing_annotation_file_is_named_with_its_address(tmp_path: Path) -> None:
    write_plain(tmp_path / "vqa", QUESTIONS, framed("questions", [question(1000)]))
    with pytest.raises(MissingFileError, match=rf"{ANNOTATIONS} is missing.*v2_Annotations_Val_mscoco\.zip"):
        vqa_files(tmp_path)


@pytest.mark.parametrize(("source", "split"), [("vqa_v3", "val"), ("vqa_v2", "valid"), ("vqa_cp_v2", "val")])
def test_an_unknown_source_or_split_lists_what_exists(tmp_path: Path, source: str, split: str) -> None:
    with pytest.raises(UnknownNameError, match="known: "):
        vqa_files(tmp_path, source, split)


def test_a_file_cut_short_is_named(tmp_path: Path) -> None:
    write_vqa(tmp_path, [question(1000)], [annotation(1000)])
    path = tmp_path / "vqa" / ANNOTATIONS
    path.write_bytes(path.read_bytes()[:-90])
    assert f"{path}: the file is cut short at byte" in refusal(tmp_path)


def without(record: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != name}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (without(question(1000), "image_id"), "question 1000: image_id is missing"),
        (question(1000, image_id=None), "question 1000: image_id is null, not a number"),
        (question(1000, image_id=True), "question 1000: image_id is true or false, not a number"),
        (question(1000, question=7), "question 1000: question is a number, not text"),
        (question(1000, question=" "), "question 1000: question is empty"),
        (
            without(question(1000), "question_id"),
            'question {"image_id":1,"question":"What is thing 1000?"}: question_id',
        ),
        ([1], "question [1]: it is a list, not an object"),
        ("text", 'question "text": it is text, not an object'),
    ],
)
def test_a_wrong_question_is_named(tmp_path: Path, record: Any, message: str) -> None:
    write_vqa(tmp_path, [record], [annotation(1000)])
    assert f"{QUESTIONS}: {message}" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (annotation(1000, image_id=5), "image_id is 5, but 1 in the question file"),
        (annotation(1000, answers=annotation(1000)["answers"][:9]), "has 9 answers, not 10"),
        (annotation(1000, answers="cat"), "answers is text, not a list"),
        (annotation(1000, answers=[{"answer": "a"}] * 9 + [{"answer": 2}]), "answer 10 is a number, not text"),
        (annotation(1000, answers=[{"answer": "a"}] * 9 + [{}]), "answer 10 is an object without an answer"),
        (annotation(1000, multiple_choice_answer=2), "multiple_choice_answer is a number, not text"),
        (without(annotation(1000), "answer_type"), "answer_type is missing"),
    ],
)
def test_a_wrong_annotation_is_named(tmp_path: Path, record: Any, message: str) -> None:
    write_vqa(tmp_path, [question(1000)], [record])
    assert f"{ANNOTATIONS}: annotation of question 1000: {message}" in refusal(tmp_path)


@pytest.mark.parametrize("annotations", [1, 2])
def test_a_question_id_there_twice_is_refused(tmp_path: Path, annotations: int) -> None:
    write_vqa(tmp_path, [question(1000), question(1000)], [annotation(1000)] * annotations)
    assert "question 1000: this question_id occurs twice" in refusal(tmp_path)


def test_a_fault_of_the_question_file_comes_before_one_of_the_annotations(tmp_path: Path) -> None:
    write_vqa(tmp_path, [question(1000), question(2000, question="")], [annotation(1000, answers=[])])
    assert f"{QUESTIONS}: question 2000: question is empty" in refusal(tmp_path)


@pytest.mark.parametrize("record", [None, 3, [], {}])
def test_an_annotation_without_an_id_is_named(tmp_path: Path, record: Any) -> None:
    write_vqa(tmp_path, [question(1000), question(2000)], [annotation(1000), record])
    assert f"{ANNOTATIONS}: annotation of question " in refusal(tmp_path)


def test_questions_and_annotations_that_do_not_match_are_counted_and_named(tmp_path: Path) -> None:
    questions = [question(number * 1000) for number in range(1, 6)]
    annotations = [annotation(5000), annotation(5000), annotation(7000)]
    write_vqa(tmp_path, questions, annotations)
    message = refusal(tmp_path)
    assert "4 questions without annotation (1000, 2000, 3000, …)" in message
    assert "1 annotation without question (7000)" in message
    assert "1 question annotated twice (5000)" in message


@pytest.mark.real_data
def test_the_real_questions_are_read(real_data: Path) -> None:
    rows = list(iter_vqa(vqa_files(real_data)))
    assert len(rows) == 15_000
    assert {len(row.answers) for row in rows} == {10}
    assert {row.answer_type for row in rows} == {"yes/no", "number", "other"}
    assert sum(row.answer in row.answers for row in rows) == 15_000


def write_multiple_choice(data: Path, choices: Any) -> None:
    name = "MultipleChoice_mscoco_val2014_questions.json"
    write_plain(data / "vqa", name, framed("questions", [question(42001, multiple_choices=choices)]))
    write_plain(data / "vqa", "mscoco_val2014_annotations.json", framed("annotations", [annotation(42001)]))


def test_a_multiple_choice_question_has_its_options(tmp_path: Path) -> None:
    write_multiple_choice(tmp_path, ["cat", "dog", "2"])
    (row,) = list(iter_vqa(vqa_files(tmp_path, "vqa_v1_mc")))
    assert (row.choices, row.source) == (("cat", "dog", "2"), "vqa_v1_mc")
    assert vqa_splits(tmp_path, "vqa_v1") == ()


@pytest.mark.parametrize(
    ("choices", "fault"),
    [
        ("cat", "multiple_choices is text, not a list"),
        (["cat", 2], "a choice is a number"),
        ([" "], "a choice is empty"),
    ],
)
def test_options_that_are_no_texts_are_refused(tmp_path: Path, choices: Any, fault: str) -> None:
    write_multiple_choice(tmp_path, choices)
    with pytest.raises(BadInputError, match=fault) as caught:
        list(iter_vqa(vqa_files(tmp_path, "vqa_v1_mc")))
    assert "42001" in str(caught.value)
