"""Y/N←WK: families of kinds, and how English names them."""

import pytest

from diptych.builders.rad.reading import RadWorld
from diptych.builders.rad.what_kind import KindReading, read_kind_question
from diptych.pairs import Skip
from tests.builders.conftest import vqa_row


@pytest.mark.parametrize(
    ("question", "answer", "value", "asked"),
    [
        ("What kind of room is this?", "kitchen", "living room", "Is this a living room?"),
        ("What type of animal is that?", "zebra", "bear", "Is that animal a bear?"),
        ("What kind of animals are these?", "sheep", "sheep", "Are these animals sheep?"),
        ("What kind of animals are these?", "cows", "cow", "Are these animals cows?"),
        ("What type of trees are those?", "pine", "palm", "Are those palm trees?"),
        ("What type of flooring is this?", "carpet", "wood", "Is this wood flooring?"),
        ("What kind of truck is this?", "fire truck", "dump", "Is this a dump truck?"),
        ("What sort of celebration is it?", "birthday", "wedding", "Is this a wedding celebration?"),
        ("What type of food is this?", "italian", "mexican", "Is this Mexican food?"),
        ("What kind of stuffed animal is this?", "rabbit", "elephant", "Is this stuffed animal an elephant?"),
    ],
)
def test_a_kind_is_asked_as_english_says_it(
    question: str, answer: str, value: str, asked: str, rad_world: RadWorld
) -> None:
    reading = read_kind_question(vqa_row(question, answer), rad_world)
    assert isinstance(reading, KindReading), reading
    worded = reading.wording(value)
    assert worded is not None
    assert rad_world.templates[worded[0]].render(**worded[1]) == asked


@pytest.mark.parametrize(
    ("kind", "right", "value", "surely"),
    [
        ("animal", "cow", "elephant", True),
        ("animal", "cow", "bull", False),
        ("animal", "dog", "puppy", False),
        ("animal", "bird", "seagull", False),
        ("vehicle", "motorcycle", "cat", False),
        ("room", "kitchen", "zebra", False),
        ("room", "kitchen", "bathroom", True),
        ("floor", "wood", "hardwood", False),
        ("floor", "wood", "tile", True),
    ],
)
def test_only_what_excludes_the_answer_is_surely_wrong(
    kind: str, right: str, value: str, surely: bool, rad_world: RadWorld
) -> None:
    reading = read_kind_question(vqa_row(f"What kind of {kind} is this?", right), rad_world)
    assert isinstance(reading, KindReading)
    assert reading.excludes(value) is surely


def test_a_kind_that_an_annotator_named_is_not_surely_wrong(rad_world: RadWorld) -> None:
    reading = read_kind_question(vqa_row("What kind of animal is this?", "dog", "brown bears"), rad_world)
    assert isinstance(reading, KindReading)
    assert not reading.excludes("bear")


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("What kind of bus is this?", "double decker", "no table says what excludes the answer"),
        ("What type of animals is these?", "bear", "the noun and its verb do not agree"),
        ("What kind of food is on the plate?", "pizza", "another kind of question"),
    ],
)
def test_what_the_tables_do_not_know_is_skipped(question: str, answer: str, reason: str, rad_world: RadWorld) -> None:
    assert read_kind_question(vqa_row(question, answer), rad_world) == Skip(reason)
