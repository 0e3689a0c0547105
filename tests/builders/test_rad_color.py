"""Y/N←C: which questions are read, how they are asked, and which colours are surely wrong."""

from random import Random

import pytest

from diptych.builders.rad.color import (
    OPENING,
    PLURAL_OPENING,
    PLURAL_TEST,
    TEST,
    ColorReading,
    read_color_question,
    yn_from_color,
)
from diptych.builders.rad.reading import RadWorld, Values, pair_about
from diptych.pairs import Expectation, Pair, Skip
from tests.builders.conftest import vqa_row


def read(question: str, rad_world: RadWorld, answer: str = "red", *others: str) -> ColorReading | Skip:
    plural = PLURAL_OPENING.match(question)
    test, opening = (PLURAL_TEST, PLURAL_OPENING) if plural else (TEST, OPENING)
    return read_color_question(vqa_row(question, answer, *others), rad_world, test, opening)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What color is the man's belt?", "Is the color of the man's belt red?"),
        ("What color is the shirt of the man on the sofa?", "Is the color of the shirt of the man on the sofa red?"),
        (
            "What color is the chair the cat is sitting on?",
            "Is the color of the chair the cat is sitting on red?",
        ),
        ("What color is the boy wearing?", "Is the boy wearing red?"),
        ("What color is the wall painted?", "Is the wall painted red?"),
        ("what color is the cat", "Is the color of the cat red?"),
        ("What color are the chairs?", "Are the chairs red?"),
        ("What color are the men wearing?", "Are the men wearing red?"),
    ],
)
def test_a_colour_question_is_asked_again(question: str, asked: str, rad_world: RadWorld) -> None:
    reading = read(question, rad_world)
    assert isinstance(reading, ColorReading), reading
    pair = pair_about(vqa_row(question, "red"), reading, "yes", "red", rad_world)
    assert isinstance(pair, Pair)
    assert pair.perturbed.question == asked


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("What color is the sky and the grass?", "blue", "more than one thing is asked about"),
        ("What color is the cat, the dog?", "blue", "more than one thing is asked about"),
        ("What color is the faucet?", "stainless steel", "the answer is not a colour"),
        ("What color is the light currently?", "green", "what is asked about is not a plain noun phrase"),
        ("What color is the car is in front?", "pink", "what is asked about is not a plain noun phrase"),
        ("What color are the girl wearing?", "pink", "what is asked about is not a plain noun phrase"),
        ("Is the cat white?", "yes", "another kind of question"),
    ],
)
def test_what_cannot_be_asked_is_skipped_with_its_reason(
    question: str, answer: str, reason: str, rad_world: RadWorld
) -> None:
    assert read(question, rad_world, answer) == Skip(reason)


def test_an_answer_few_annotators_gave_is_skipped(rad_world: RadWorld) -> None:
    others = ("blue", "blue", "blue", "blue", "green", "green", "green", "tan")
    skipped = read("What color is the cat?", rad_world, "red", *others)
    assert skipped == Skip("fewer than three annotators gave the answer")


def test_a_colour_that_an_annotator_saw_is_not_surely_wrong(rad_world: RadWorld) -> None:
    reading = read("What color is the cat?", rad_world, "red", "blue and white")
    assert isinstance(reading, ColorReading)
    assert not reading.excludes("blue")
    assert not reading.excludes("white")
    assert not reading.excludes("maroon")
    assert reading.excludes("green")


def test_a_row_without_a_wrong_value_is_skipped_whatever_the_coin_says(rad_world: RadWorld) -> None:
    narrow = RadWorld(rad_world.templates, rad_world.parser, {TEST: Values.counted({"tan": 5, "brown": 3})})
    row = vqa_row("What color is the cat?", "brown")
    outcomes = {yn_from_color(row, narrow, Random(seed)) for seed in range(20)}
    assert outcomes == {Skip("no other value is surely wrong")}


def test_wrong_values_are_drawn_by_frequency(rad_world: RadWorld) -> None:
    values = Values.counted({"blue": 90, "green": 10, "red": 500})
    reading = read("What color is the cat?", rad_world, "red")
    assert isinstance(reading, ColorReading)
    drawn = [values.draw_wrong(reading, Random(seed)) for seed in range(2000)]
    assert set(drawn) == {"blue", "green"}
    assert 0.86 < drawn.count("blue") / len(drawn) < 0.94


def test_the_pair_keeps_the_original_and_says_where_it_comes_from(rad_world: RadWorld) -> None:
    world = RadWorld(rad_world.templates, rad_world.parser, {TEST: Values.counted({"blue": 1})})
    row = vqa_row("What color is the cat?", "red", "orange", question_id="42")
    pair = yn_from_color(row, world, Random(1))
    assert isinstance(pair, Pair)
    assert pair.original.question == row.question
    assert pair.original.answers == row.answers
    assert (pair.source, pair.source_id, pair.expectation) == ("vqa_v2", "42", Expectation.GIVEN)
    assert pair.template_id == "color.of"
    assert pair.extra == {"agreement": 9}
