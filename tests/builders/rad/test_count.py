"""Y/N←HM: the grammar of counts."""

from dataclasses import replace

import pytest

from diptych.builders.rad._readings import COUNT, Reading, count_of_answer
from diptych.pairs import Skip
from tests.builders.conftest import vqa_row
from tests.builders.rad.conftest import Reader

COUNT_QUESTIONS = [
    ("How many people are there?", 2, "Are there two people?"),
    ("How many people are there in the picture?", 1, "Is there one person in the picture?"),
    ("How many giraffe?", 3, "Are there three giraffes?"),
    ("How many men in the photo?", 1, "Is there one man in the photo?"),
    ("How many chairs at the table?", 6, "Are there six chairs at the table?"),
    ("How many people are sitting?", 4, "Are there four people sitting?"),
    ("How many tissue rolls are seen?", 1, "Is there one tissue roll seen?"),
    ("How many lights are on?", 3, "Are there three lights on?"),
    ("How many slices of pizza are on the plate?", 1, "Is there one slice of pizza on the plate?"),
    ("How many people can you see?", 3, "Can you see three people?"),
    ("How many boats do you see?", 1, "Do you see one boat?"),
    ("How many rings is the man wearing?", 2, "Is the man wearing two rings?"),
    ("How many legs does the table have?", 4, "Does the table have four legs?"),
    ("How many people have skis?", 2, "Do two people have skis?"),
    ("How many people have umbrellas?", 1, "Does one person have umbrellas?"),
    ("How many lights line the street?", 2, "Do two lights line the street?"),
    ("How many people can sit on the couch?", 3, "Can three people sit on the couch?"),
    ("How many animals can be seen?", 1, "Can one animal be seen?"),
    ("How many zebras are young?", 2, "Are two zebras young?"),
    ("How many of the cat's paws are on the keyboard?", 2, "Are two of the cat's paws on the keyboard?"),
    ("How many people wearing hats?", 5, "Are there five people wearing hats?"),
    ("how many zebras are there", 3, "Are there three zebras?"),
]


@pytest.mark.parametrize(("question", "count", "expected"), COUNT_QUESTIONS)
def test_a_count_is_asked_in_the_form_the_question_allows(
    question: str, count: int, expected: str, reader: Reader
) -> None:
    wording = count_reading(question, count, reader).wording(str(count))
    assert wording is not None
    assert reader.facts.templates[wording[0]].render(**wording[1]) == expected


def count_reading(question: str, count: int, reader: Reader, *disagreeing: str) -> Reading:
    reading = reader.read(vqa_row(question, str(count), *disagreeing), COUNT)
    assert isinstance(reading, Reading), reading
    return reading


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("How many people are there?", "many", "the answer is not a number"),
        ("How many people are there?", "1000", "the answer is a guess: more than a hundred"),
        ("How many are facing the camera?", "4", "no noun follows 'how many'"),
        ("How many cats and dogs are there?", "4", "more than one thing is asked about"),
        ("How many feet tall is the giraffe?", "12", "a measure is asked for, not a count"),
        ("What is on the table?", "cup", "another kind of question"),
    ],
)
def test_a_question_that_cannot_be_counted_is_skipped_with_its_reason(
    question: str, answer: str, reason: str, reader: Reader
) -> None:
    assert reader.read(vqa_row(question, answer), COUNT) == Skip(reason)


@pytest.mark.parametrize(("value", "has_form"), [("1", False), ("2", True)])
def test_a_single_pair_of_scissors_has_no_form(value: str, has_form: bool, reader: Reader) -> None:
    reading = count_reading("How many scissors are there?", 2, reader)
    assert (reading.wording(value) is not None) is has_form


def test_a_count_some_annotator_gave_is_not_surely_wrong(reader: Reader) -> None:
    reading = count_reading("How many dogs are there?", 3, reader, "4", "two")
    assert [count for count in range(1, 7) if not reading.excludes(str(count))] == [2, 3, 4]


def test_an_answer_of_zero_is_asked_about_where_the_parameter_allows_it(reader: Reader) -> None:
    assert isinstance(reader.read(vqa_row("How many dogs are there?", "0"), COUNT), Reading)


def test_an_answer_of_zero_is_skipped_by_default(reader: Reader) -> None:
    reading = reader.read(vqa_row("How many dogs are there?", "0"), COUNT, replace(reader.facts, zero=False))
    assert reading == Skip("the answer is zero: see the config with_zero")


def test_zero_is_no_wrong_value_by_default(reader: Reader) -> None:
    reading = reader.read(vqa_row("How many dogs are there?", "2"), COUNT, replace(reader.facts, zero=False))
    assert isinstance(reading, Reading)
    assert not reading.excludes("0")


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        ("there are 2", 2),
        ("i see 3", 3),
        ("just one", 1),
        ("3 people", 3),
        ("there are 2 of them", 2),
        ("two dozen", 24),
        ("several", None),
        ("about 8", None),
        ("6 or 7", None),
        ("at least 2", None),
    ],
)
def test_dialogs_answer_in_sentences(answer: str, count: int | None) -> None:
    assert count_of_answer(answer) == count
