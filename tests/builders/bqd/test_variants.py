"""Spellings and variants of a question: what makes two questions one."""

import pytest

from diptych.builders.bqd._variants import core_letters, plain_words


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("How old is the car?", "How old is this car?"),
        ("Is there any meat on a plate?", "Is there meat on the plate?"),
        ("What's on the plate?", "What is on the plate?"),
        ("Whats on the plate", "What’s on the plate?"),
        ("Isn't it a dog?", "Is not it a dog?"),
        ("Can't he see?", "Cannot he see?"),
        ("What is on the hot dog?", "What is on the hotdog?"),
        ("IS IT  A DOG ?", "is it a dog"),
        ("Is he wearing a T-shirt?", "Is he wearing a t shirt?"),
        ("They're where?", "they are where"),
        ("What've you?", "What have you?"),
        ("What does 'the very best' mean?", "What does the very best mean?"),
    ],
)
def test_variants_of_a_question_are_one(left: str, right: str) -> None:
    assert core_letters(left) == core_letters(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("How old is the car?", "How old is the truck?"),
        ("Is it a dog?", "Is this a dog?"),
        ("What is its color?", "What is it is color?"),
        ("Where were they?", "Where we're they?"),
        ("What is on the plate?", "What is in the plate?"),
        ("Is the man old?", "Is the woman old?"),
    ],
)
def test_other_words_make_another_question(left: str, right: str) -> None:
    assert core_letters(left) != core_letters(right)


def test_a_question_of_determiners_alone_is_still_a_question() -> None:
    assert core_letters("This?") == "this"
    assert core_letters("?!") == ""


def test_spellings_differ_in_no_word() -> None:
    assert plain_words("Is it  a DOG ?") == plain_words("is it a dog")
    assert plain_words("How old is the car?") != plain_words("How old is this car?")
