"""Main and basic questions: which of them are the same, and which are yes/no questions."""

from pathlib import Path

import pytest

from diptych.builders.bqd._records import basic_questions, pool_splits, read_pool, read_question
from diptych.builders.bqd._settings import Settings
from diptych.errors import BadInputError, UnknownNameError
from diptych.sources import VqaQuestion, VqaRow
from tests.builders.bqd.conftest import write_questions


def columns(question: str, *answers: str) -> tuple[str, str, int]:
    candidate = read_question(VqaRow("1", "7", question, "", "other", answers[0], answers, "val", "vqa_v2"))
    return candidate.text, candidate.words, candidate.yes_no_margin


def test_one_question_in_several_spellings_is_one_basic_question() -> None:
    questions = ["Is it a dog?", "IS IT  A DOG ?", "?!", "Is it  a cat?"]
    assert basic_questions(columns(text, "yes") for text in questions) == ("Is it a dog?", "Is it a cat?")


def test_one_odd_answer_makes_no_yes_no_question() -> None:
    open_ended = [columns("Is it red or blue?", *["red"] * 10), columns("Is it red or blue?", *["blue"] * 10)]
    odd = columns("is it red or blue", *["yes"] * 10)
    closed = columns("Is it red?", "no", "No ", "maybe", *["yes"] * 7)
    assert basic_questions([*open_ended, odd, closed], yes_no=True) == ("Is it red?",)


def test_a_question_without_answers_has_none() -> None:
    candidate = read_question(VqaQuestion("1", "7", "Why?", "test", "vqa_v2", "test2015"))
    assert (candidate.row.answer, candidate.row.answers, candidate.yes_no_margin) == ("", (), 0)


def test_a_pool_without_questions_is_refused() -> None:
    with pytest.raises(BadInputError, match="no basic questions"):
        basic_questions([columns("Why?", "because")], yes_no=True)


def test_basic_questions_come_from_other_splits_where_there_are_any(tmp_path: Path) -> None:
    settings = Settings.from_parameters({})
    write_questions(tmp_path, "val", ["Is it a dog?"])
    assert pool_splits(settings, tmp_path) == ("val",)
    write_questions(tmp_path, "train", ["Is it a cat?"])
    assert pool_splits(settings, tmp_path) == ("train",)
    assert read_pool(settings, tmp_path, yes_no=True) == ("Is it a cat?",)
    assert pool_splits(Settings.from_parameters({"basic": "val+train"}), tmp_path) == ("val", "train")
    with pytest.raises(UnknownNameError, match="did you mean 'train'"):
        pool_splits(Settings.from_parameters({"basic": "tran"}), tmp_path)
