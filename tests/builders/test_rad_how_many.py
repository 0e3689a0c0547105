"""Y/N←HM: the grammar of counts."""

import pytest

from diptych.builders.rad.how_many import CountReading, count_of_answer, read_count_question
from diptych.builders.rad.reading import RadWorld
from diptych.pairs import Skip
from tests.builders.conftest import vqa_row

ASKED = [
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


@pytest.mark.parametrize(("question", "count", "asked"), ASKED)
def test_a_count_is_asked_in_the_form_the_question_allows(
    question: str, count: int, asked: str, rad_world: RadWorld
) -> None:
    reading = read_count_question(vqa_row(question, str(count)), rad_world)
    assert isinstance(reading, CountReading), reading
    worded = reading.wording(str(count))
    assert worded is not None
    assert rad_world.templates[worded[0]].render(**worded[1]) == asked


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
def test_what_cannot_be_counted_is_skipped_with_its_reason(
    question: str, answer: str, reason: str, rad_world: RadWorld
) -> None:
    assert read_count_question(vqa_row(question, answer), rad_world) == Skip(reason)


def test_a_single_pair_of_scissors_has_no_form(rad_world: RadWorld) -> None:
    reading = read_count_question(vqa_row("How many scissors are there?", "2"), rad_world)
    assert isinstance(reading, CountReading)
    assert reading.wording("1") is None
    assert reading.wording("2") is not None


def test_a_count_some_annotator_gave_is_not_surely_wrong(rad_world: RadWorld) -> None:
    reading = read_count_question(vqa_row("How many dogs are there?", "3", "4", "two"), rad_world)
    assert isinstance(reading, CountReading)
    assert [count for count in range(1, 7) if not reading.excludes(str(count))] == [2, 3, 4]


def test_zero_is_asked_about_only_where_the_world_says_so(rad_world: RadWorld) -> None:
    silent = RadWorld(rad_world.templates, rad_world.parser)
    row = vqa_row("How many dogs are there?", "0")
    assert isinstance(read_count_question(row, rad_world), CountReading)
    assert read_count_question(row, silent) == Skip("the answer is zero: see the config with_zero")
    reading = read_count_question(vqa_row("How many dogs are there?", "2"), silent)
    assert isinstance(reading, CountReading)
    assert not reading.excludes("0")


@pytest.mark.parametrize(
    ("said", "count"),
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
def test_dialogs_answer_in_sentences(said: str, count: int | None) -> None:
    assert count_of_answer(said) == count
