import pytest
from hypothesis import given
from hypothesis import strategies as st

from diptych.language import number_word, parse_count


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"),
        (1, "one"),
        (13, "thirteen"),
        (21, "twenty-one"),
        (100, "one hundred"),
        (101, "one hundred one"),
        (1000, "one thousand"),
        (999_999, "nine hundred ninety-nine thousand nine hundred ninety-nine"),
    ],
)
def test_number_word(number: int, words: str) -> None:
    assert number_word(number) == words


@given(st.integers(0, 999_999))
def test_words_are_read_back(number: int) -> None:
    assert parse_count(number_word(number)) == number


@given(st.integers(0, 999_999_999_999))
def test_digits_are_read_with_and_without_commas(number: int) -> None:
    assert parse_count(f"{number}") == parse_count(f"{number:,}") == number


@given(st.integers(0, 9_999), st.sampled_from([" feet", "+", "%", " or more", "-5", "th", " dogs", "?"]))
def test_a_number_with_anything_else_is_no_count(number: int, rest: str) -> None:
    assert parse_count(f"{number}{rest}") is None


WORDS = "a one two ten twenty hundred thousand million and".split()


@given(st.lists(st.sampled_from(WORDS), max_size=6))
def test_the_words_of_a_count_are_the_words_it_was_read_from(words: list[str]) -> None:
    count = parse_count(" ".join(words))
    if count is not None:
        rest = [word for word in words if word not in ("a", "and")]
        assert number_word(count).replace("-", " ").split() in (rest, ["one", *rest])


def test_a_dozen_is_counted_once() -> None:
    texts = ("3 dozen", "dozen dozen", "a couple dozen", "zero dozen")
    assert [parse_count(text) for text in texts] == [36, None, None, None]


def test_a_number_longer_than_any_count_is_none() -> None:
    assert parse_count("9" * 5000) is None
    assert parse_count(" ".join(["one"] + ["hundred"] * 500)) is None
