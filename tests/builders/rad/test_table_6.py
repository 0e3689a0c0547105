"""The fifteen pairs the paper prints in Table 6 come out word for word in the config `paper`."""

import pytest

from diptych.builders.rad._readings import Reading, opened_tests
from tests.builders.conftest import vqa_row
from tests.builders.rad.conftest import Reader

TABLE_6 = [
    ("What color is the cat?", "White", "white", "Is the color of the cat white?", "yes"),
    ("What color is the court?", "Green", "green", "Is the color of the court green?", "yes"),
    ("What color is the vase?", "Blue", "red", "Is the color of the vase red?", "no"),
    ("What color is the man’s hat?", "Red", "red", "Is the color of the man’s hat red?", "yes"),
    ("What color is the sky?", "Blue", "blue", "Is the color of the sky blue?", "yes"),
    ("How many athletes are on the field?", "5", "5", "Are there five athletes on the field?", "yes"),
    ("How many dogs are in the picture?", "3", "2", "Are there two dogs in the picture?", "no"),
    ("How many giraffes are walking around?", "2", "4", "Are there four giraffes walking around?", "no"),
    ("How many cakes are on the table?", "0", "1", "Is there one cake on the table?", "no"),
    ("How many dogs?", "1", "0", "Are there zero dogs?", "no"),
    ("What kind of food is this?", "Breakfast", "breakfast", "Is this food breakfast?", "yes"),
    ("What kind of event is this?", "Skiing", "skiing", "Is this a skiing event?", "yes"),
    ("What kind of animal is this?", "Cow", "elephant", "Is this animal an elephant?", "no"),
    ("What kind of building is this?", "Church", "church", "Is this building a church?", "yes"),
    ("What kind of floor is this?", "Wood", "wood", "Is this a wood floor?", "yes"),
]


@pytest.mark.parametrize(("question", "answer", "value", "expected", "label"), TABLE_6)
def test_table_6_comes_out_word_for_word(
    question: str, answer: str, value: str, expected: str, label: str, reader: Reader
) -> None:
    row = vqa_row(question, answer)
    (test,) = opened_tests(question)
    reading = reader.read(row, test)
    assert isinstance(reading, Reading), reading
    assert (value == reading.right) == (label == "yes")
    assert label == "yes" or reading.excludes(value)
    pair = reader.pair(row, test, value, label)
    assert (pair.perturbed.question, pair.perturbed.answer) == (expected, label)
