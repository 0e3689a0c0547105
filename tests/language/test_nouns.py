import pytest
from hypothesis import given
from hypothesis import strategies as st

from diptych.language import be, does, head_noun, is_mass, is_plural, is_plural_only, plural, singular


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
def test_head_noun(phrase: str, head: str) -> None:
    assert head_noun(phrase) == head


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
    assert [be(text) for text in ("a cat and a dog", "the man and his dog", "black and white cat")] == [
        "are",
        "are",
        "is",
    ]


def test_a_number_makes_an_invariant_noun_plural() -> None:
    assert [be(text) for text in ("sheep", "two sheep", "these fish", "3 deer", "two lane road")] == [
        "is",
        "are",
        "are",
        "are",
        "is",
    ]


def test_an_article_goes_with_the_singular() -> None:
    assert [plural(text) for text in ("a dog", "an old man", "this dog")] == ["dogs", "old men", "these dogs"]
    assert singular("these dogs") == "this dog"


def test_capitals_are_kept() -> None:
    assert [plural(text) for text in ("Man", "MAN", "Young Child", "TV", "iPod")] == [
        "Men",
        "MEN",
        "Young Children",
        "TVs",
        "iPods",
    ]


def test_misspelled_plurals_are_not_inflected_again() -> None:
    assert [plural(text) for text in ("mens", "sheeps", "aircrafts")] == ["mens", "sheeps", "aircrafts"]
    assert [singular(text) for text in ("mens", "sheeps", "persons")] == ["man", "sheep", "person"]


def test_unknown_words_are_read_by_their_endings() -> None:
    assert [is_plural(text) for text in ("blorps", "blorp", "blorpss", "blorpus", "blorpmen")] == [
        True,
        False,
        False,
        False,
        True,
    ]
    assert singular("blorpmen") == "blorpman"


def test_verbs_agree() -> None:
    assert [f"{does(text)} {be(text)}" for text in ("dog", "dogs", "water", "jeans", "people", "they")] == [
        "does is",
        "do are",
        "does is",
        "do are",
        "do are",
        "do are",
    ]


@given(st.text(max_size=40))
def test_any_text_is_survived(text: str) -> None:
    assert isinstance(plural(text) + singular(text) + head_noun(text), str)
    assert is_mass(text) + is_plural(text) <= 1


NOUNS = ["man", "bus", "glass", "sheep", "water", "scissors", "leaf", "cactus", "t-shirt", "TV", "wine glass", "people"]


@given(
    st.sampled_from(["", "a ", "this ", "old ", "black and white ", "man-sized "]),
    st.sampled_from(NOUNS),
    st.sampled_from(["", " of water", " in a suit", " wearing glasses", " that is old", " standing on the grass"]),
)
def test_plurals_of_phrases_are_not_inflected_again(before: str, noun: str, after: str) -> None:
    once = plural(before + noun + after)
    assert plural(once) == once
    assert once.endswith(plural(noun) + after)
