"""VisDial's dialogs become one row per round, whatever the order of its tables."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from diptych.errors import BadInputError, MissingFileError, UnknownNameError
from diptych.sources import read_visdial, visdial_file, visdial_splits
from tests.sources.official import write_gz

NAME = "visdial_1.0_val.json"
TABLES = {"questions": ["is it sunny", "any people"], "answers": ["yes", "no", "2 men"]}

TURN = {"question": 0, "answer": 1, "gt_index": 0, "answer_options": [1, 0]}


def dialog(image_id: Any = 42, rounds: Any = ((0, 1), (1, 2))) -> dict[str, Any]:
    turns = [{"answer": a, "question": q, "gt_index": 0, "answer_options": [a, 0]} for q, a in rounds]
    return {"image_id": image_id, "caption": "a dog on a beach", "dialog": turns}


def write(data: Path, dialogs: list[Any], last: bool = False) -> Path:
    inner = TABLES | {"dialogs": dialogs} if not last else {"dialogs": dialogs} | TABLES
    return write_gz(data / "visdial", NAME, orjson.dumps({"version": "1.0", "split": "val2018", "data": inner}))


@pytest.mark.parametrize("last", [False, True], ids=["tables first", "tables last"])
def test_every_round_is_a_row(tmp_path: Path, last: bool) -> None:
    write(tmp_path, [dialog()], last)
    first, second = (dialog_round.row for dialog_round in read_visdial(visdial_file(tmp_path), "val"))
    assert (first.question_id, first.question, first.answer) == ("42-1", "is it sunny", "no")
    assert (second.question_id, second.question, second.answers) == ("42-2", "any people", ("2 men",))
    assert {first.image_id, second.image_id} == {"42"}


def test_a_round_knows_the_rounds_before_it(tmp_path: Path) -> None:
    write(tmp_path, [dialog()])
    first, second = (dialog_round.dialog for dialog_round in read_visdial(visdial_file(tmp_path), "val"))
    assert (first.caption, first.history) == ("a dog on a beach", ())
    assert [(exchange.question, exchange.answer) for exchange in second.history] == [("is it sunny", "no")]


def test_a_round_has_its_answer_options(tmp_path: Path) -> None:
    write(tmp_path, [dialog()])
    _, second = (dialog_round.dialog for dialog_round in read_visdial(visdial_file(tmp_path), "val"))
    assert (second.options, second.answer_index) == (("2 men", "yes"), 0)


def test_a_file_without_options_is_read(tmp_path: Path) -> None:
    write(tmp_path, [dialog() | {"dialog": [{"question": 0, "answer": 1}]}])
    (only,) = read_visdial(visdial_file(tmp_path), "val")
    assert (only.dialog.options, only.dialog.answer_index) == ((), None)


@pytest.mark.parametrize(
    ("dialogs", "message"),
    [
        (
            [dialog(rounds=[(0, 0), (2, 0)])],
            "dialog of image 42, round 2: question 2 is outside the table of 2 questions",
        ),
        ([dialog(rounds=[(0, -1)])], "dialog of image 42, round 1: answer -1 is outside the table of 3 answers"),
        ([dialog(rounds=[("0", 1)])], "dialog of image 42, round 1: question is text, not a number"),
        ([dialog() | {"dialog": [{"question": 0}]}], "dialog of image 42, round 1: answer is missing"),
        ([dialog() | {"dialog": [7]}], "dialog of image 42, round 1: it is a number, not an object"),
        ([dialog() | {"dialog": [TURN | {"answer_options": 7}]}], "round 1: answer_options is a number, not a list"),
        ([dialog() | {"dialog": [TURN | {"answer_options": [9]}]}], "answer 9 is outside the table of 3 answers"),
        ([dialog() | {"dialog": [TURN | {"gt_index": 1}]}], "round 1: gt_index does not give the answer's place"),
        ([dialog() | {"caption": ""}], "dialog of image 42: caption is empty"),
        ([dialog(None)], "image_id is null, not a number"),
        ([dialog(), dialog()], "dialog of image 42: this image_id occurs twice"),
    ],
)
def test_a_wrong_dialog_is_named(tmp_path: Path, dialogs: list[Any], message: str) -> None:
    write(tmp_path, dialogs)
    with pytest.raises(BadInputError) as caught:
        list(read_visdial(visdial_file(tmp_path), "val"))
    assert f"{NAME}.gz: " in str(caught.value)
    assert message in str(caught.value)


def test_a_file_without_tables_is_refused(tmp_path: Path) -> None:
    write_gz(tmp_path / "visdial", NAME, orjson.dumps({"data": {"dialogs": []}}))
    with pytest.raises(BadInputError, match=r"no list 'data\.questions'"):
        list(read_visdial(visdial_file(tmp_path), "val"))


def test_a_missing_file_and_an_unknown_split_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"visdial_1\.0_train\.zip"):
        visdial_file(tmp_path, "train")
    with pytest.raises(UnknownNameError, match="known: train, val"):
        visdial_file(tmp_path, "test")


def test_the_existing_splits_are_listed(tmp_path: Path) -> None:
    write(tmp_path, [])
    assert visdial_splits(tmp_path) == ("val",)


@pytest.mark.real_data
def test_the_real_dialogs_are_read(real_data: Path) -> None:
    rows = [dialog_round.row for dialog_round in read_visdial(visdial_file(real_data), "val")]
    assert len({row.image_id for row in rows}) == 97
    assert len(rows) == 970
    assert not any(row.question.endswith("?") for row in rows)
