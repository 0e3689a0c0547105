"""Colors as people name them: which words are colors, and which colors nobody confuses."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_SEPARATORS = re.compile(r"\s*(?:,|&|/|\band\b|\bwith\b|\s)\s*")


@dataclass(frozen=True, slots=True)
class ColorWords:
    """The family of each color word, the families that border on each other, and words for shades."""

    family_of: dict[str, str]
    borders: frozenset[frozenset[str]]
    shades: frozenset[str]


@dataclass(frozen=True, slots=True)
class Color:
    """A color answer: its text, and the families of the colors that it names."""

    text: str
    families: frozenset[str]


@cache
def color_words() -> ColorWords:
    """The table in the package."""
    table = tomllib.loads((files("diptych.kg") / "color_words.toml").read_text(encoding="utf-8"))
    return ColorWords(
        {word: family for family, words in table["families"].items() for word in words},
        frozenset(frozenset(pair) for pair in table["borders"]["pairs"]),
        frozenset(table["shades"]["words"]),
    )


@cache
def read_color(text: str) -> Color | None:
    """Read the colors that an answer names; None if it names anything else.

    >>> sorted(read_color("Black and White").families)
    ['black', 'white']
    >>> read_color("light blue").text, read_color("stainless steel")
    ('light blue', None)
    """
    phrase = " ".join(text.lower().strip(" .!?").split())
    words = [word for word in _SEPARATORS.split(phrase) if word]
    families = [color_words().family_of.get(word) for word in words if not _is_shade(word, words)]
    if not families or None in families:
        return None
    return Color(_join_in_english(phrase), frozenset(family for family in families if family))


def _is_shade(word: str, words: list[str]) -> bool:
    return word in color_words().shades and (word not in color_words().family_of or len(words) > 1)


def _join_in_english(phrase: str) -> str:
    """Write 'red, white & blue' and 'red/white' as a person would say them.

    >>> _join_in_english("red/white"), _join_in_english("red, white & blue")
    ('red and white', 'red, white and blue')
    """
    parts = [part for part in re.split(r"\s*(?:,|&|/|\band\b)\s*", phrase) if part]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def surely_different(color_a: Color, color_b: Color) -> bool:
    """Whether nobody would use one color's name for a thing of the other color.

    >>> surely_different(read_color("red"), read_color("blue"))
    True
    >>> surely_different(read_color("tan"), read_color("brown"))
    False
    >>> surely_different(read_color("red and white"), read_color("red"))
    False
    """
    borders = color_words().borders
    return not any(a == b or frozenset((a, b)) in borders for a in color_a.families for b in color_b.families)
