"""The CARETS form: tasks of 24 questions with gold ones among them, and the human baseline."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from diptych.errors import BadInputError, MissingFileError
from diptych.folder import BuiltFolder
from diptych.report.review import ReviewItem, choose_items, export_tasks, gold_questions, merge_tasks
from diptych.report.review._tasks import answer_choices
from tests.report.review.conftest import write_sheet

SIDES = ("original", "perturbed")


def right_answers(items: list[ReviewItem]) -> dict[str, dict[str, str]]:
    return {f"{item.item_id}.{side}": {"answer": item.row[f"{side}_answer"]} for item in items for side in SIDES}


@pytest.fixture
def report(items: list[ReviewItem], tmp_path: Path) -> tuple[list[dict[str, str]], dict[str, Any]]:
    """Five people know everything, but three of them find one question ambiguous."""
    sheets = []
    for number in range(5):
        answers = right_answers(items)
        if number < 3:
            answers[f"{items[0].item_id}.perturbed"] = {"answer": "ambiguous"}
        sheets.append(write_sheet(tmp_path / f"{number}.json", str(number), answers, "answer"))
    return merge_tasks(sheets, items)


def test_the_majority_is_the_human_baseline(
    report: tuple[list[dict[str, str]], dict[str, Any]], items: list[ReviewItem]
) -> None:
    baseline = report[1]["human_baseline"]
    assert baseline["accuracy_original"] == 1.0
    assert baseline["accuracy_perturbed"] == pytest.approx(1 - 1 / len(items))


def test_an_ambiguous_question_counts_as_answered_wrongly(
    report: tuple[list[dict[str, str]], dict[str, Any]], items: list[ReviewItem]
) -> None:
    predictions = {line["pair_id"]: line for line in report[0]}
    assert predictions[items[0].pair_ids[0]]["perturbed"] == ""


def test_questions_with_too_few_answers_are_counted(
    report: tuple[list[dict[str, str]], dict[str, Any]], items: list[ReviewItem], tmp_path: Path
) -> None:
    assert report[1]["with_fewer_than_5_answers"] == 0
    sheet = write_sheet(tmp_path / "x.json", "Ann", right_answers(items), "answer")
    assert merge_tasks([sheet], items)[1]["with_fewer_than_5_answers"] == 2 * len(items)


def test_gold_questions_are_those_on_which_all_annotators_agree(world: Path) -> None:
    gold = gold_questions(world)
    assert gold
    assert {question["answer"] for question in gold} <= {"yes", "no"}


def test_gold_questions_need_vqa(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="gold questions are taken from them"):
        gold_questions(tmp_path)


def test_a_task_has_24_questions_four_of_them_gold(folder: BuiltFolder, world: Path, tmp_path: Path) -> None:
    items = choose_items(folder.pairs(folder.select()).to_pylist())
    pages = export_tasks(tmp_path, "title", items, gold_questions(world))
    entries = page_items(pages[0])
    assert (len(entries), sum("gold" in entry for entry in entries)) == (24, 4)


def page_items(page: Path) -> list[dict[str, Any]]:
    """The questions that a page holds."""
    (text,) = re.findall(r'id="page">(.*)</script>', page.read_text())
    items: list[dict[str, Any]] = json.loads(text)
    return items


def test_a_page_does_not_hold_the_answers(folder: BuiltFolder, world: Path, tmp_path: Path) -> None:
    items = choose_items(folder.pairs(folder.select()).to_pylist())[:5]
    (page, *_) = export_tasks(tmp_path, "title", items, gold_questions(world))
    assert not any("answer" in entry for entry in page_items(page))


def test_too_few_gold_questions_are_refused(items: list[ReviewItem], tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="a task needs 4 gold questions, and there are only 0"):
        export_tasks(tmp_path, "title", items, [])


@pytest.mark.parametrize(
    ("answers", "bindings", "choices"),
    [
        (["yes"], "{}", ["yes", "no"]),
        (["No", "yes"], "{}", ["yes", "no"]),
        (["red"], '{"choices": ["red", "blue"]}', ["red", "blue"]),
        (["red"], "{}", []),
    ],
)
def test_the_choices_that_a_question_leaves(answers: list[str], bindings: str, choices: list[str]) -> None:
    row = {"original_answers": answers, "original_answer": answers[0], "bindings": bindings}
    assert answer_choices(row, "original") == choices
