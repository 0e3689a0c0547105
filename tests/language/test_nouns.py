import pytest
from hypothesis import given
from hypothesis import strategies as st

from diptych.language import is_mass, is_plural, is_plural_only, plural, singular
from diptych.language._nouns import split_phrase


@pytest.mark.parametrize(
    ("phrase", "head"),
    [
        ("dog", "dog"),
        ("elevated power lines", "lines"),
        ("man in a suit", "man"),
        ("pair of scissors", "pair"),
        ("woman holding an umbrella", "woman"),
        ("cat sleeping on a couch", "cat"),
        ("people who wait", "people"),
        ("swimming pool", "pool"),
        ("built in shelf", "shelf"),
        ("black and white photo", "photo"),
        ("white building in the city", "building"),
        ("big bed in a room", "bed"),
        ("cars parked near a shed", "cars"),
        ("snow covered mountain", "mountain"),
        ("taking off airplane", "airplane"),
        ("airplane taking off the runway", "airplane"),
        ("in front", "front"),
        ("", ""),
    ],
)
def test_head_of_a_phrase(phrase: str, head: str) -> None:
    assert split_phrase(phrase).head == head


def test_the_head_decides_the_number() -> None:
    assert is_plural("pieces of cake")
    assert not is_plural("piece of scissors")
    assert is_mass("water in glasses")
    assert not is_mass("water bottle")


def test_glasses_are_worn_unless_something_is_drunk_from_them() -> None:
    assert [is_plural_only(text) for text in ("glasses", "wine glasses", "glasses of beer")] == [True, False, False]
    assert [singular(text) for text in ("glasses", "wine glasses")] == ["glasses", "wine glass"]


def test_a_longer_entry_wins_over_its_ending() -> None:
    assert (is_mass("paper"), is_mass("news paper"), plural("news paper")) == (True, False, "news papers")


def test_two_things_joined_are_plural() -> None:
    phrases = ("a cat and a dog", "the man and his dog", "black and white cat")
    assert [is_plural(phrase) for phrase in phrases] == [True, True, False]


def test_a_number_makes_an_invariant_noun_plural() -> None:
    phrases = ("sheep", "two sheep", "these fish", "3 deer", "two lane road")
    assert [is_plural(phrase) for phrase in phrases] == [False, True, True, True, False]


def test_an_article_goes_with_the_singular() -> None:
    assert [plural(text) for text in ("a dog", "an old man", "this dog")] == ["dogs", "old men", "these dogs"]
    assert singular("these dogs") == "this dog"


def test_capitals_are_kept() -> None:
    plurals = {"Man": "Men", "MAN": "MEN", "Young Child": "Young Children", "TV": "TVs", "iPod": "iPods"}
    assert {text: plural(text) for text in plurals} == plurals


def test_misspelled_plurals_are_not_inflected_again() -> None:
    assert [plural(text) for text in ("mens", "sheeps", "aircrafts")] == ["mens", "sheeps", "aircrafts"]
    assert [singular(text) for text in ("mens", "sheeps", "persons")] == ["man", "sheep", "person"]


def test_unknown_words_are_read_by_their_endings() -> None:
    words = ("blorps", "blorp", "blorpss", "blorpus", "blorpmen")
    assert [is_plural(word) for word in words] == [True, False, False, False, True]
    assert singular("blorpmen") == "blorpman"


def test_mass_nouns_take_a_singular_verb_and_pronouns_their_own() -> None:
    words = ("dog", "dogs", "water", "jeans", "people", "they")
    assert [is_plural(word) for word in words] == [False, True, False, True, True, True]


@given(st.text(max_size=40))
def test_any_text_is_accepted(text: str) -> None:
    assert isinstance(plural(text) + singular(text) + split_phrase(text).head, str)
    assert is_mass(text) + is_plural(text) <= 1


NOUNS = ["man", "bus", "glass", "sheep", "water", "scissors", "leaf", "cactus", "t-shirt", "TV", "wine glass", "people"]


@given(
    st.sampled_from(["", "a ", "this ", "old ", "black and white ", "man-sized "]),
    st.sampled_from(NOUNS),
    st.sampled_from(["", " of water", " in a suit", " wearing glasses", " that is old", " standing on the grass"]),
)
def test_plurals_of_phrases_are_not_inflected_again(prefix: str, noun: str, suffix: str) -> None:
    inflected = plural(prefix + noun + suffix)
    assert plural(inflected) == inflected
    assert inflected.endswith(plural(noun) + suffix)
