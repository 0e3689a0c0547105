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
        ("What type of cuisine is this?", "mexican", "mexican", "Is this Mexican cuisine?"),
        ("What kind of dog is this?", "german shepherd", "german shepherd", "Is this dog a German shepherd?"),
        ("What kind of cat is this?", "siamese", "siamese", "Is this cat a Siamese?"),
        ("What kind of animal is in the photo?", "llama", "zebra", "Is the animal in the photo a zebra?"),
        ("What type of animals are shown?", "llamas", "zebra", "Are the animals in the picture zebras?"),
        ("What  kind of animal is  there?", "llama", "zebra", "Is the animal in the picture a zebra?"),
        ("What kind of animals can be seen?", "llamas", "llama", "Are the animals in the picture llamas?"),
        ("What kind of animal is behind the gate?", "llamas", "llama", "Are the animals behind the gate llamas?"),
        ("What type of animal is she petting?", "llama", "horse", "Is the animal she is petting a horse?"),
        ("What kind of trousers is the boy wearing?", "jeans", "shorts", "Are the trousers the boy is wearing shorts?"),
        (
            "What type of building is the van in front of?",
            "barn",
            "barn",
            "Is the building the van is in front of a barn?",
        ),
        ("What kind of bear is on the rock?", "polar", "panda", "Is the bear on the rock a panda bear?"),
        ("What type of flooring is in the hall?", "tile", "carpet", "Is the flooring in the hall carpet?"),
        ("What kind of fruit is in the basket?", "limes", "apple", "Is the fruit in the basket apples?"),
        ("What kind of food is on the tray?", "pizza", "pizza", "Is the food on the tray pizza?"),
        ("What type of transportation is shown?", "train", "boat", "Is the vehicle in the picture a boat?"),
        ("What kind of sporting event is this?", "golf", "golf", "Is this a golf event?"),
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
        ("room", "kitchen", "car", False),
        ("bear", "polar", "brown", False),
        ("bear", "polar", "grizzly", True),
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
        ("What kind of hose is this?", "garden", "no table says what excludes the answer"),
        ("What type of animals is these?", "bear", "the noun and its verb do not agree"),
        ("What types of fruit are in the bowl?", "apples", "the noun and its verb do not agree"),
        ("What kind of animal made this?", "bear", "no grammatical form was found"),
        ("Which food is on the plate?", "pizza", "another kind of question"),
    ],
)
def test_a_kind_that_no_table_has_is_skipped(question: str, answer: str, reason: str, reader: Reader) -> None:
    assert reader.read(vqa_row(question, answer), KIND) == Skip(reason)
