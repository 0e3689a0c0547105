"""Colour words: when they are colours, and which colours replace them."""

import pytest

from diptych.builders.kb.color import color_target, common_colors
from diptych.language import QuestionParser


def color(question: str) -> str | None:
    target = color_target(QuestionParser()(question), "css4")
    return target.word if target else None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is the cat black?", "black"),
        ("Where is the pink flamingo?", "pink"),
        ("Is the orange car parked?", "orange"),
        ("Is the car silver?", "silver"),
        ("What is the light blue thing?", "lightblue"),
        ("How many people wear green?", "green"),
    ],
)
def test_colours(question: str, expected: str) -> None:
    assert color(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "Is there orange juice in the glass?",
        "Are there green beans on the plate?",
        "Is this Mr. Brown?",
        "Is there a rose in the vase?",
        "Is the orange ripe?",
        "Is the photo in black and white?",
        "Is the black man smiling?",
        "Is he drinking red wine?",
        "Is she red-haired?",
    ],
)
def test_things_names_and_peoples_are_no_colours(question: str) -> None:
    assert color(question) is None


def test_common_colours_are_those_the_questions_name_often_enough() -> None:
    questions = ["Is it grey?", "Is it gray?", "Is it gray or teal?"]
    assert common_colors(questions, 3) == {"gray"}
    assert common_colors(questions, 1) == {"gray", "teal"}
