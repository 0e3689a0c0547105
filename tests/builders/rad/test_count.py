"""Y/N←HM: the grammar of counts."""

from dataclasses import replace

import pytest

from diptych.builders.rad._answers import count_of_answer
from diptych.builders.rad._readings import COUNT, RadRules, Reading
from diptych.pairs import Skip
from tests.builders.conftest import vqa_row
from tests.builders.rad.conftest import Reader

AT_LEAST = "a smaller number is true as well: at least so many are meant"

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
    ("How many people can you see?", 3, "Are there three people visible?"),
    ("How many people can you clearly see on the boat?", 3, "Are there three people visible on the boat?"),
    ("How many boats do you see?", 1, "Do you see one boat?"),
    ("How many rings is the man wearing?", 2, "Is the man wearing two rings?"),
    ("How many legs does the table have?", 4, "Does the table have four legs?"),
    ("How many people have skis?", 2, "Do two people have skis?"),
    ("How many people have umbrellas?", 1, "Does one person have an umbrella?"),
    ("How many people have skis?", 1, "Does one person have skis?"),
    ("How many people are wearing red hats?", 1, "Is there one person wearing a red hat?"),
    ("How many kayaks are lime green?", 1, "Is one kayak lime green?"),
    ("How many lights line the street?", 2, "Do two lights line the street?"),
    ("How many animals can be seen?", 1, "Is there one animal visible?"),
    ("How  many kayaks  are there?", 3, "Are there three kayaks?"),
    ("How many parking meters are there?", 2, "Are there two parking meters?"),
    ("How many feet are touching the sand?", 2, "Are there two feet touching the sand?"),
    ("How many stop signs are there?", 2, "Are there two stop signs?"),
    ("How many four legged animals are there?", 2, "Are there two four legged animals?"),
    ("How many geese?", 3, "Are there three geese?"),
    ("How many llama's are there?", 3, "Are there three llamas?"),
    ("How many people in this photo are wearing scarves?", 2, "Are there two people in this photo wearing scarves?"),
    ("How many hands is the man using to hold his kite?", 2, "Is the man using two hands to hold his kite?"),
    ("How many languages is the sign in?", 2, "Is the sign in two languages?"),
    ("How many canoes are a different color?", 5, "Are five canoes a different color?"),
    ("How many people are women?", 1, "Is one person a woman?"),
    ("How many people are women?", 2, "Are two people women?"),
    ("How many types of birds are there?", 1, "Is there one type of bird?"),
    ('How many signs say "exit"?', 2, 'Do two signs say "exit"?'),
    ("How many signs say 'exit'?", 2, "Do two signs say 'exit'?"),
    ("How many people are sitting in canoes?", 1, "Is there one person sitting in a canoe?"),
    ("How many people are on the buses?", 1, "Is there one person on the buses?"),
    ("How many buttons are on the mans vest?", 4, "Are there four buttons on the man's vest?"),
    ("How many american flags are there?", 2, "Are there two American flags?"),
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
        ("How many people can sit on the couch?", "3", AT_LEAST),
        ("How many people would fit in the van?", "3", AT_LEAST),
        ("How many people does the bench hold?", "3", AT_LEAST),
        ("How many kites are on in the sky?", "3", "no grammatical form was found"),
        ("How many kites that has a tail are there?", "3", "no grammatical form was found"),
        ("How many kayaks are on the rivver?", "3", "a word is in no dictionary: it may be misspelled"),
        ("What is on the table?", "cup", "another kind of question"),
    ],
)
def test_a_question_that_cannot_be_counted_is_skipped_with_its_reason(
    question: str, answer: str, reason: str, reader: Reader
) -> None:
    assert reader.read(vqa_row(question, answer), COUNT) == Skip(reason)


@pytest.mark.parametrize(("count", "has_form"), [(4, False), (2, True)])
def test_a_number_is_not_said_twice(count: int, has_form: bool, reader: Reader) -> None:
    reading = count_reading("How many four legged animals are there?", 2, reader)
    assert (reading.wording(str(count)) is not None) == has_form


@pytest.mark.parametrize(("value", "has_form"), [("1", False), ("2", True)])
def test_a_single_pair_of_scissors_has_no_form(value: str, has_form: bool, reader: Reader) -> None:
    reading = count_reading("How many scissors are there?", 2, reader)
    assert (reading.wording(value) is not None) is has_form


@pytest.mark.parametrize(
    "question", ["How many different animals are there?", "How many people have paint on their faces?"]
)
def test_a_single_thing_is_neither_different_nor_they(question: str, reader: Reader) -> None:
    reading = count_reading(question, 2, reader)
    assert reading.wording("1") is None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many kayaks are in the picture?", "Is the number of kayaks in the picture zero?"),
        ("How many llamas are young?", "Is the number of llamas that are young zero?"),
        ("How many people have skis?", "Is the number of people that have skis zero?"),
        ("How many rings is the man wearing?", "Is the number of rings the man is wearing zero?"),
        ("How many legs does the stool have?", "Is the number of legs the stool has zero?"),
    ],
)
def test_zero_is_asked_about_as_a_number(question: str, expected: str, reader: Reader) -> None:
    facts = replace(reader.facts, rules=RadRules())
    reading = reader.read(vqa_row(question, "0"), COUNT, facts)
    assert isinstance(reading, Reading)
    template, slots = reading.wording("0") or ("", {})
    assert facts.templates[template].render(**slots) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many kayaks are in the picture?", "Are there exactly two kayaks in the picture?"),
        ("How many llamas are young?", "Are exactly two llamas young?"),
        ("How many people have skis?", "Do exactly two people have skis?"),
        ("How many rings is the man wearing?", "Is the man wearing exactly two rings?"),
    ],
)
def test_counts_can_be_exact(question: str, expected: str, reader: Reader) -> None:
    facts = replace(reader.facts, rules=RadRules(counts="exactly"))
    reading = reader.read(vqa_row(question, "2"), COUNT, facts)
    assert isinstance(reading, Reading)
    template, slots = reading.wording("2") or ("", {})
    assert facts.templates[template].render(**slots) == expected


def test_a_count_some_annotator_gave_is_not_surely_wrong(reader: Reader) -> None:
    reading = count_reading("How many dogs are there?", 3, reader, "4", "two")
    assert [count for count in range(1, 7) if not reading.excludes(str(count))] == [2, 3, 4]


def test_an_answer_of_zero_is_asked_about_where_the_parameter_allows_it(reader: Reader) -> None:
    assert isinstance(reader.read(vqa_row("How many dogs are there?", "0"), COUNT), Reading)


def test_an_answer_of_zero_is_skipped_where_the_parameter_says_so(reader: Reader) -> None:
    facts = replace(reader.facts, rules=RadRules(zero=False))
    reading = reader.read(vqa_row("How many dogs are there?", "0"), COUNT, facts)
    assert reading == Skip("the answer is zero: see the parameter zero")


def test_zero_is_then_no_wrong_value(reader: Reader) -> None:
    facts = replace(reader.facts, rules=RadRules(zero=False))
    reading = reader.read(vqa_row("How many dogs are there?", "2"), COUNT, facts)
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
