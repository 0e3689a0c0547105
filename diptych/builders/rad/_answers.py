"""What the answers of a question say: the value they give, and how many annotators agree on it."""

import re
from collections.abc import Callable, Hashable

from diptych.kg.colors import Color, read_color
from diptych.language import parse_count, singular
from diptych.sources import VqaRow

_ARTICLE = re.compile(r"^(?:an?|the|some)\s+(?=\w)")
_BEFORE_COLOR = re.compile(r"^(?:it'?s|it is|they'?re|they are|he is|she is|the \w+ is)\s+", re.IGNORECASE)
_BEFORE_COUNT = re.compile(r"^(?:there (?:is|are)|there'?s|i (?:can )?see|only|just)\s+", re.IGNORECASE)
_COUNT_WITH_NOUN = re.compile(
    r"(\w+) (?:of them|(?!dozen|hundred|thousand|million|or|and|to|plus|half)[a-z]+)\W*$", re.IGNORECASE
)


def color_of_answer(text: str) -> Color | None:
    """The color an answer names, also in a short sentence as dialogs have it: "it's brown"."""
    return read_color(_BEFORE_COLOR.sub("", text.strip()))


def count_of_answer(text: str) -> int | None:
    """The count an answer gives, also in a short sentence as dialogs have it: "there are 2"."""
    plain = _BEFORE_COUNT.sub("", text.strip())
    return parse_count(match[1] if (match := _COUNT_WITH_NOUN.match(plain)) else plain)


def kind_of_answer(text: str) -> str:
    """The kind an answer names: in small letters, without its article, in the singular."""
    plain = _ARTICLE.sub("", " ".join(text.lower().split()).strip(" .!?"))
    return singular(plain) if plain else plain


def color_key(text: str) -> Hashable:
    """What spellings of one color have in common: "gray and white" is "white, grey"."""
    color = color_of_answer(text)
    names = re.split(r"\s*(?:,|\band\b)\s*", color.text.replace("grey", "gray")) if color else ()
    return frozenset(filter(None, names)) if color else kind_of_answer(text)


def count_key(text: str) -> Hashable:
    """What spellings of one count have in common: "two" is "2"."""
    count = count_of_answer(text)
    return kind_of_answer(text) if count is None else count


def kind_key(text: str, kind: str) -> Hashable:
    """What spellings of one kind have in common: of bears, "polar" is "a polar bear"."""
    return kind_of_answer(text).removesuffix(f" {kind}").replace("grey", "gray")


def agreement(row: VqaRow, key: Callable[[str], Hashable]) -> int:
    """How many annotators gave the answer, in any of its spellings."""
    own_key = key(row.answer)
    return sum(answer == row.answer or key(answer) == own_key for answer in row.answers)
