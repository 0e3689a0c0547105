"""Color words: what is a color, and which colors nobody confuses."""

import pytest

from diptych.kg.colors import BORDERS, FAMILY_OF, read_color, surely_different


@pytest.mark.parametrize(
    ("text", "families", "phrase"),
    [
        ("White", {"white"}, "white"),
        ("grey", {"gray"}, "grey"),
        ("light blue", {"blue"}, "light blue"),
        ("navy blue", {"blue"}, "navy blue"),
        ("lime green", {"green"}, "lime green"),
        ("lime", {"green"}, "lime"),
        ("black and white", {"black", "white"}, "black and white"),
        ("red, white & blue", {"red", "white", "blue"}, "red, white and blue"),
        ("red/white", {"red", "white"}, "red and white"),
        ("rose", {"pink"}, "rose"),
        ("tan.", {"beige"}, "tan"),
    ],
)
def test_a_color_is_read(text: str, families: set[str], phrase: str) -> None:
    color = read_color(text)
    assert color is not None
    assert (color.families, color.text) == (families, phrase)


@pytest.mark.parametrize(
    "text", ["", "clear", "plaid", "stainless steel", "multicolored", "no bat", "light", "dark", "and"]
)
def test_what_is_no_color_is_not_read(text: str) -> None:
    assert read_color(text) is None


@pytest.mark.parametrize(
    ("text_a", "text_b", "surely"),
    [
        ("red", "blue", True),
        ("white", "black", True),
        ("red", "maroon", False),
        ("tan", "brown", False),
        ("silver", "white", False),
        ("teal", "green", False),
        ("black and white", "white", False),
        ("black and white", "red and yellow", True),
    ],
)
def test_only_colors_nobody_confuses_are_surely_different(text_a: str, text_b: str, surely: bool) -> None:
    first, second = read_color(text_a), read_color(text_b)
    assert first is not None
    assert second is not None
    assert surely_different(first, second) is surely
    assert surely_different(second, first) is surely


def test_the_table_names_each_word_once_and_borders_of_known_families() -> None:
    families = set(FAMILY_OF.values())
    assert all(pair <= families and len(pair) == 2 for pair in BORDERS)
