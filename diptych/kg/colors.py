"""Colours as people name them: which words are colours, and which colours nobody confuses."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_SEPARATORS = re.compile(r"\s*(?:,|&|/|\band\b|\bwith\b|\s)\s*")


@dataclass(frozen=True, slots=True)
class ColorWords:
    """The table of colour words: families, which families border on each other, and shades."""

    family_of: dict[str, str]
    borders: frozenset[frozenset[str]]
    shades: frozenset[str]


@dataclass(frozen=True, slots=True)
class Color:
    """A colour answer: how it is written, and the families of the colours it names."""

    text: str
    families: frozenset[str]


@cache
def color_words() -> ColorWords:
    """The table that ships with the package."""
    table = tomllib.loads((files("diptych.kg") / "color_words.toml").read_text(encoding="utf-8"))
    return ColorWords(
        {word: family for family, words in table["families"].items() for word in words},
        frozenset(frozenset(pair) for pair in table["borders"]["pairs"]),
        frozenset(table["shades"]["words"]),
    )


@cache
def read_color(text: str) -> Color | None:
    """The colours an answer names, or None if it names anything else.

    >>> sorted(read_color("Black and White").families)
    ['black', 'white']
    >>> read_color("light blue").text, read_color("stainless steel")
    ('light blue', None)
    """
    written = " ".join(text.lower().strip(" .!?").split())
    words = [word for word in _SEPARATORS.split(written) if word]
    named = [color_words().family_of.get(word) for word in words if not _is_shade(word, words)]
    if not named or None in named:
        return None
    return Color(_in_english(written), frozenset(family for family in named if family))


def _is_shade(word: str, words: list[str]) -> bool:
    return word in color_words().shades and (word not in color_words().family_of or len(words) > 1)


def _in_english(written: str) -> str:
    """'red, white & blue' and 'red/white' as a person would say them.

    >>> _in_english("red/white"), _in_english("red, white & blue")
    ('red and white', 'red, white and blue')
    """
    parts = [part for part in re.split(r"\s*(?:,|&|/|\band\b)\s*", written) if part]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def surely_different(one: Color, other: Color) -> bool:
    """Whether nobody would call a thing of the one colour by the other.

    >>> surely_different(read_color("red"), read_color("blue"))
    True
    >>> surely_different(read_color("tan"), read_color("brown"))
    False
    >>> surely_different(read_color("red and white"), read_color("red"))
    False
    """
    borders = color_words().borders
    return not any(
        mine == theirs or frozenset((mine, theirs)) in borders for mine in one.families for theirs in other.families
    )
