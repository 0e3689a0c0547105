from hypothesis import given
from hypothesis import strategies as st

from diptych.language import article, indefinite, with_any


def test_a_phrase_keeps_its_words() -> None:
    assert indefinite("Elevated  Power Line") == "an Elevated  Power Line"


def test_punctuation_before_the_first_word_is_ignored() -> None:
    assert [article(text) for text in ('"hour"', "(uniform)", "'apple'", "$8 bill")] == ["an", "a", "an", "an"]


def test_a_text_without_a_word_takes_a() -> None:
    assert [article(text) for text in ("", "  ", "...", "-")] == ["a"] * 4


def test_numbers_are_read_aloud() -> None:
    vowels = [text for text in map(str, range(2000)) if article(text) == "an"]
    eights = {n for n in range(2000) if str(n)[0] == "8"}
    assert {int(text) for text in vowels} == eights | {11, 18} | set(range(1100, 1200)) | set(range(1800, 1900))


def test_a_number_with_a_comma_is_not_a_year() -> None:
    assert [article(text) for text in ("1,800", "1800", "18,000", "180,000")] == ["a", "an", "an", "a"]


def test_mass_nouns_and_plurals_stay_bare() -> None:
    assert [indefinite(text) for text in ("dog", "water", "jeans", "dogs")] == ["a dog", "water", "jeans", "dogs"]


def test_a_determiner_is_not_doubled() -> None:
    assert [indefinite(text) for text in ("the dog", "a dog", "her hat")] == ["the dog", "a dog", "her hat"]
    assert [with_any(text) for text in ("the water", "some dogs")] == ["the water", "some dogs"]


def test_a_word_that_begins_like_a_determiner_takes_its_article() -> None:
    assert [indefinite(text) for text in ("theater", "anyone", "a-frame")] == ["a theater", "anyone", "an a-frame"]


@given(st.text(max_size=40))
def test_any_text_gets_an_article(text: str) -> None:
    assert article(text) in ("a", "an")
