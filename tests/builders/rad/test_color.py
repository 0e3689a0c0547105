"""Y/N←C: which questions are read, how they are asked, and which colors are surely wrong."""

from dataclasses import replace
from random import Random

import pytest

from diptych.builders.rad._pairs import ValueFrequencies, make_pair, pair_about
from diptych.builders.rad._readings import COLOR, COLORS, RAD_TESTS, Reading, color_of_answer
from diptych.pairs import Expectation, Pair, Skip
from tests.builders.conftest import vqa_row
from tests.builders.rad.conftest import Reader


def read(question: str, reader: Reader, answer: str = "red", *disagreeing: str) -> object:
    test = COLORS if RAD_TESTS[COLORS].opening.match(question) else COLOR
    return reader.read(vqa_row(question, answer, *disagreeing), test)


def color_reading(question: str, reader: Reader, answer: str = "red", *disagreeing: str) -> Reading:
    reading = read(question, reader, answer, *disagreeing)
    assert isinstance(reading, Reading), reading
    return reading


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What color is the man's belt?", "Is the color of the man's belt red?"),
        ("What color is the shirt of the man on the sofa?", "Is the color of the shirt of the man on the sofa red?"),
        ("What color is the chair the cat is sitting on?", "Is the color of the chair the cat is sitting on red?"),
        ("What color is the boy wearing?", "Is the boy wearing red?"),
        ("What color is the wall painted?", "Is the wall painted red?"),
        ("what color is the cat", "Is the color of the cat red?"),
        ("What color are the chairs?", "Are the chairs red?"),
        ("What color are the men wearing?", "Are the men wearing red?"),
    ],
)
def test_a_color_question_is_asked_again(question: str, expected: str, reader: Reader) -> None:
    reading = color_reading(question, reader)
    pair = pair_about(vqa_row(question, "red"), reading, "yes", "red", reader.facts.templates)
    assert isinstance(pair, Pair)
    assert pair.perturbed.question == expected


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("What color is the sky and the grass?", "blue", "more than one thing is asked about"),
        ("What color is the cat, the dog?", "blue", "more than one thing is asked about"),
        ("What color is the faucet?", "stainless steel", "the answer is not a color"),
        ("What color is the light currently?", "green", "what is asked about is not a plain noun phrase"),
        ("What color is the car is in front?", "pink", "what is asked about is not a plain noun phrase"),
        ("What color are the girl wearing?", "pink", "what is asked about is not a plain noun phrase"),
        ("Is the cat white?", "yes", "another kind of question"),
    ],
)
def test_a_question_that_cannot_be_asked_is_skipped_with_its_reason(
    question: str, answer: str, reason: str, reader: Reader
) -> None:
    assert read(question, reader, answer) == Skip(reason)


def test_an_answer_few_annotators_gave_is_skipped(reader: Reader) -> None:
    disagreeing = ("blue", "blue", "blue", "blue", "green", "green", "green", "tan")
    reading = read("What color is the cat?", reader, "red", *disagreeing)
    assert reading == Skip("fewer than three annotators gave the answer")


@pytest.mark.parametrize(("color", "is_wrong"), [("blue", False), ("white", False), ("maroon", False), ("green", True)])
def test_a_color_that_an_annotator_saw_is_not_surely_wrong(color: str, is_wrong: bool, reader: Reader) -> None:
    reading = color_reading("What color is the cat?", reader, "red", "blue and white")
    assert reading.excludes(color) is is_wrong


def test_a_row_without_a_wrong_value_is_skipped_whatever_the_coin_says(reader: Reader) -> None:
    facts = replace(reader.facts, values={COLOR: ValueFrequencies.from_counts({"tan": 5, "brown": 3})})
    row, reading = (
        vqa_row("What color is the cat?", "brown"),
        color_reading("What color is the cat?", reader, "brown"),
    )
    outcomes = {make_pair(row, reading, facts, Random(seed)) for seed in range(20)}
    assert outcomes == {Skip("no other value is surely wrong")}


def test_wrong_values_are_drawn_by_frequency(reader: Reader) -> None:
    values = ValueFrequencies.from_counts({"blue": 90, "green": 10, "red": 500})
    reading = color_reading("What color is the cat?", reader)
    draws = [values.draw_wrong(reading, Random(seed)) for seed in range(2000)]
    assert set(draws) == {"blue", "green"}
    assert 0.86 < draws.count("blue") / len(draws) < 0.94


@pytest.fixture
def pair(reader: Reader) -> Pair:
    """A pair made from question 42, on which nine annotators agree."""
    facts = replace(reader.facts, values={COLOR: ValueFrequencies.from_counts({"blue": 1})})
    row = vqa_row("What color is the cat?", "red", "orange", question_id="42")
    reading = color_reading("What color is the cat?", reader, "red", "orange")
    pair = make_pair(row, reading, facts, Random(1))
    assert isinstance(pair, Pair)
    return pair


def test_the_pair_keeps_the_original_question_and_answers(pair: Pair) -> None:
    assert pair.original.question == "What color is the cat?"
    assert pair.original.answers == ("orange", *["red"] * 9)


def test_the_pair_names_the_record_and_the_template_it_comes_from(pair: Pair) -> None:
    assert (pair.source, pair.source_id, pair.template_id) == ("vqa_v2", "42", "color.of")


def test_each_side_of_the_pair_has_its_own_answer(pair: Pair) -> None:
    assert pair.expectation == Expectation.GIVEN


def test_the_pair_tells_how_many_annotators_agreed(pair: Pair) -> None:
    assert pair.extra == {"agreement": 9}


def test_a_color_is_read_out_of_a_short_sentence() -> None:
    color = color_of_answer("it's brown")
    assert color is not None
    assert color.text == "brown"
