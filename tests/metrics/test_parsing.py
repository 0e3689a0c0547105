"""Free-form answers parsed as yes, no, a choice or nothing."""

import pytest

from diptych.metrics import parse_answer

YES = [
    "yes",
    "Yes.",
    "YES!",
    "Yes, there is a dog.",
    "**Yes**",
    "**Yes**, the image shows a dog.\n\nThe dog is brown.",
    "`yes`",
    "> Yes",
    "yeah",
    "Yep, it is.",
    "Answer: yes",
    "The answer is yes.",
    "The answer is: **Yes**",
    "Final answer: Yes",
    "I think yes",
    "Yes, I am not sure why, but there is.",
    "Certainly yes",
    "Definitely, yes, there are two.",
    "Yes, there is no dog.",
    "Yes. No cat is visible, though.",
    "There is a dog.",
    "There are two dogs in the picture",
    "In the image, there is a dog",
    "It is.",
    "They are",
    "I think so.",
    "It seems so",
    "Of course",
    "true",
    "That's correct",
    "Probably yes",
]
NO = [
    "Not really",
    "Not at all.",
    "no",
    "No.",
    "No, there isn't a dog",
    "No, there is a cat instead.",
    "**No** - the car is blue.",
    "nope",
    "Nah",
    "Answer: No",
    "The answer is no.",
    "There is no dog.",
    "There are no dogs in the image.",
    "There isn't a dog",
    "There aren't any dogs.",
    "There is not a dog",
    "It is not.",
    "It isn't",
    "No, it's not.",
    "I don't think so",
    "I do not believe so.",
    "Probably not.",
    "Of course not",
    "false",
    "No. Yes would be wrong.",
    "not",
    "That is not correct.",
    "That's false",
]
UNPARSED = [
    "Not really sure",
    "",
    "   ",
    "maybe",
    "I'm not sure.",
    "I am unsure",
    "Yes and no",
    "yes or no",
    "It depends.",
    "I cannot tell from the image.",
    "It is impossible to say",
    "I don't know",
    "No idea",
    "Unclear",
    "red",
    "The car is red.",
    "42",
    "?",
]


@pytest.mark.parametrize("text", YES)
def test_parses_yes(text: str) -> None:
    assert parse_answer(text) == "yes"


@pytest.mark.parametrize("text", NO)
def test_parses_no(text: str) -> None:
    assert parse_answer(text) == "no"


@pytest.mark.parametrize("text", UNPARSED)
def test_leaves_unparsed_what_makes_no_choice(text: str) -> None:
    assert parse_answer(text) is None


@pytest.mark.parametrize(
    ("text", "choices", "expected"),
    [
        ("red", ("red", "blue"), "red"),
        ("Red.", ("red", "blue"), "red"),
        ("The car is **blue**.", ("red", "blue"), "blue"),
        ("It is blue, not red.", ("red", "blue"), "blue"),
        ("It's not red but blue", ("red", "blue"), "blue"),
        ("Blue. The truck beside it is red.", ("red", "blue"), "blue"),
        ("dark red", ("red", "dark red"), "dark red"),
        ("red or blue", ("red", "blue"), None),
        ("green", ("red", "blue"), None),
        ("not red", ("red", "blue"), None),
        ("redder", ("red", "blue"), None),
        ("B", ("red", "blue"), "blue"),
        ("(b) blue", ("red", "blue"), "blue"),
        ("Option A", ("red", "blue"), "red"),
        ("a) red", ("red", "blue"), "red"),
        ("Answer: left", ("left", "right"), "left"),
        ("On the right side", ("left", "right"), "right"),
        ("I can't tell", ("left", "right"), None),
        ("A dog", ("cat", "dog"), "dog"),
        ("fire hydrant", ("hydrant", "fire hydrant"), "fire hydrant"),
    ],
)
def test_parses_choices(text: str, choices: tuple[str, ...], expected: str | None) -> None:
    assert parse_answer(text, choices) == expected
