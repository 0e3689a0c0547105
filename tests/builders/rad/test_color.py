"""Y/N←C: which questions are read, how they are asked, and which colors are surely wrong."""

from dataclasses import replace
from random import Random

import pytest

from diptych.builders.rad._answers import color_of_answer
from diptych.builders.rad._pairs import ValueFrequencies, make_pair
from diptych.builders.rad._readings import COLOR, COLORS, RAD_TESTS, RadCandidate, Reading
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
        ("What  color is his  scarf?", "Is the color of his scarf red?"),
        ("What color is this kayak?", "Is the color of this kayak red?"),
        ("What color are the sheep?", "Are the sheep red?"),
        ("What color is the remote?", "Is the color of the remote red?"),
        ("What color is the broccoli?", "Is the color of the broccoli red?"),
        ("What color is the icing?", "Is the color of the icing red?"),
        ("What color is the fire escape?", "Is the color of the fire escape red?"),
        ("What color is the drivers glove?", "Is the color of the driver's glove red?"),
        ("What color is the woman scarf?", "Is the color of the woman's scarf red?"),
        ("What color is the mans scarf?", "Is the color of the man's scarf red?"),
        ("What color is the man shorts?", "Is the color of the man's shorts red?"),
        ("What color are these boys scarves?", "Are these boys' scarves red?"),
        ("What color is the mexican flag?", "Is the color of the Mexican flag red?"),
        ("What color scarf is the girl wearing?", "Is the girl wearing a red scarf?"),
        ("What color mittens is she wearing?", "Is she wearing red mittens?"),
        ("What color beard does the man have?", "Does the man have a red beard?"),
        ("What color jacket does he have on?", "Does he have a red jacket on?"),
        ("What color tray is the soup on?", "Is the soup on a red tray?"),
        ("What color van is behind the tree?", "Is the van behind the tree red?"),
        ('What color is the sign that says "exit"?', 'Is the color of the sign that says "exit" red?'),
    ],
)
def test_a_color_question_is_asked_again(question: str, expected: str, reader: Reader) -> None:
    test = COLORS if RAD_TESTS[COLORS].opening.match(question) else COLOR
    assert reader.pair(vqa_row(question, "red"), test, "red", "yes").perturbed.question == expected


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("What color is the sky and the grass?", "blue", "more than one thing is asked about"),
        ("What color is the cat, the dog?", "blue", "more than one thing is asked about"),
        ("What color is the faucet?", "stainless steel", "the answer is not a color"),
        ("What color is the faucet?", "red white", "the answer is not a color"),
        ("What color is the light currently?", "green", "what is asked about is not a plain noun phrase"),
        ("What color is the car is in front?", "pink", "what is asked about is not a plain noun phrase"),
        ("What color are the girl wearing?", "pink", "what is asked about is not a plain noun phrase"),
        ("What color are the boys scarves?", "pink", "what is asked about is not a plain noun phrase"),
        ("What color is the man standing scarf?", "pink", "what is asked about is not a plain noun phrase"),
        ("What color is the man's jacket riding a horse?", "pink", "what is asked about is not a plain noun phrase"),
        ("What color is this color?", "pink", "what is asked about is not a plain noun phrase"),
        ("What color is it?", "pink", "what is asked about is not a plain noun phrase"),
        ("What color stands out?", "pink", "what is asked about is not a plain noun phrase"),
        ("What color is in the background?", "pink", "what is asked about is not a plain noun phrase"),
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
    assert reading == Skip("too few annotators gave the answer: see the parameter min_agreement")


@pytest.mark.parametrize(("color", "is_wrong"), [("blue", False), ("white", False), ("maroon", False), ("green", True)])
def test_a_color_that_an_annotator_saw_is_not_surely_wrong(color: str, is_wrong: bool, reader: Reader) -> None:
    reading = color_reading("What color is the cat?", reader, "red", "blue and white")
    assert reading.excludes(color) is is_wrong


@pytest.mark.parametrize(("thing", "is_wrong"), [("hair", True), ("table", False)])
def test_only_hair_is_asked_to_be_blonde(thing: str, is_wrong: bool, reader: Reader) -> None:
    assert color_reading(f"What color is her {thing}?", reader, "black").excludes("blonde") is is_wrong


def test_a_row_without_a_wrong_value_is_skipped_whatever_the_coin_says(reader: Reader) -> None:
    facts = replace(reader.facts, values={COLOR: ValueFrequencies.from_counts({"tan": 5, "brown": 3})})
    candidate = reader.candidate(vqa_row("What color is the cat?", "brown"), COLOR)
    reading = color_reading("What color is the cat?", reader, "brown")
    assert isinstance(candidate, RadCandidate)
    outcomes = {make_pair(candidate, reading, facts, Random(seed)) for seed in range(20)}
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
    candidate = reader.candidate(vqa_row("What color is the cat?", "red", "orange", question_id="42"), COLOR)
    reading = color_reading("What color is the cat?", reader, "red", "orange")
    assert isinstance(candidate, RadCandidate)
    pair = make_pair(candidate, reading, facts, Random(1))
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
