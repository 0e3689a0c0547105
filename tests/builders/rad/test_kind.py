"""Y/N←WK: families of kinds, and how English names them."""

import pytest

from diptych.builders.rad._readings import KIND, Reading
from diptych.pairs import Skip
from tests.builders.conftest import vqa_row
from tests.builders.rad.conftest import Reader


def kind_reading(question: str, answer: str, reader: Reader, *disagreeing: str) -> Reading:
    reading = reader.read(vqa_row(question, answer, *disagreeing), KIND)
    assert isinstance(reading, Reading), reading
    return reading


@pytest.mark.parametrize(
    ("question", "answer", "value", "expected"),
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
    question: str, answer: str, value: str, expected: str, reader: Reader
) -> None:
    wording = kind_reading(question, answer, reader).wording(value)
    assert wording is not None
    assert reader.facts.templates[wording[0]].render(**wording[1]) == expected


@pytest.mark.parametrize(
    ("kind", "right", "value", "is_wrong"),
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
    kind: str, right: str, value: str, is_wrong: bool, reader: Reader
) -> None:
    assert kind_reading(f"What kind of {kind} is this?", right, reader).excludes(value) is is_wrong


def test_a_kind_that_an_annotator_named_is_not_surely_wrong(reader: Reader) -> None:
    assert not kind_reading("What kind of animal is this?", "dog", reader, "brown bears").excludes("bear")


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("What kind of bus is this?", "double decker", "no table says what excludes the answer"),
        ("What type of animals is these?", "bear", "the noun and its verb do not agree"),
        ("What kind of food is on the plate?", "pizza", "another kind of question"),
    ],
)
def test_a_kind_that_no_table_has_is_skipped(question: str, answer: str, reason: str, reader: Reader) -> None:
    assert reader.read(vqa_row(question, answer), KIND) == Skip(reason)
