"""What `make` knows of a whole split: how often its questions have a word, which colors they name, the parameters."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from diptych.builders.kb._color_words import color_words
from diptych.builders.kb._stand_ins import StandIns
from diptych.kg.colors import NamedColor, color_graph
from diptych.pairs import row_rng

T = TypeVar("T")

SAMPLED_AMONG = 5  # with `choose=sampled`, one of so many of the nearest is drawn
COMMON, UNCOMMON = "common", "uncommon"

_PUNCTUATION = "?.,!'\""


class OtherColors:
    """The other colors of a palette by distance; each list is made once in the lifetime of the object."""

    def __init__(self, palette: str, metric: str, common_colors: frozenset[str]) -> None:
        self.palette = palette
        self.metric = metric
        self.common_colors = common_colors  # those that the dataset's own questions name, by their Matplotlib names
        self._lists: dict[tuple[str, str], list[tuple[float, NamedColor]]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return OtherColors, (self.palette, self.metric, self.common_colors)

    def name(self, words: str) -> str | None:
        """The name that the palette has for a color, with or without a shade; None where it has none."""
        return color_graph(self.palette).spelling(words.replace(" ", "") if self.palette == "css4" else words)

    def find(self, name: str, sort: str) -> list[tuple[float, NamedColor]]:
        """The other colors that are common, or uncommon, with their distances; the nearest first."""
        if (name, sort) not in self._lists:
            colors = self._lists[name, sort] = []
            for distance, color in color_graph(self.palette, self.metric).ordered(name):
                is_common = color.name.replace("grey", "gray") in self.common_colors
                words = color.text.split()  # no "blue/green", nothing vulgar
                is_sayable = "".join(words).isalpha() and color_words("unsaid").isdisjoint(words)
                if is_sayable and is_common == (sort == COMMON):
                    colors.append((distance, color))
        return self._lists[name, sort]


@dataclass(frozen=True, slots=True)
class KbFacts:
    """The stand-ins of words and colors in one split, and how one of them is chosen."""

    stand_ins: StandIns
    other_colors: OtherColors
    seed: int = 0
    is_sampled: bool = False  # whether one of the nearest stand-ins is drawn, rather than the nearest taken
    deletes_phrases: bool = False  # whether a noun is left out with its whole phrase, rather than alone

    def choose(self, choices: Sequence[T], test: str, key: str) -> T:
        """The first of some choices, or one of the first that is drawn for this question."""
        return self.draw(choices[:SAMPLED_AMONG], test, key) if self.is_sampled else choices[0]

    def draw(self, choices: Sequence[T], test: str, key: str) -> T:
        """One of some choices, by randomness that belongs to one question in one test."""
        return row_rng(self.seed, test, key).choice(choices)


def count_raw_words(questions: Iterable[str]) -> Counter[str]:
    """How often each word is written in some questions: in lower case, with the marks around it."""
    counts: Counter[str] = Counter()
    for question in questions:
        counts.update(question.lower().split())
    return counts


def word_counts(raw_counts: Mapping[str, int]) -> dict[str, int]:
    """How often each word occurs, of those that occur more than once."""
    counts = _stripped(raw_counts, _PUNCTUATION + "()")
    return {word: count for word, count in counts.items() if count > 1 and word.isalpha()}


def common_colors(raw_counts: Mapping[str, int], minimum: int) -> frozenset[str]:
    """The colors that questions name at least so often, by their Matplotlib names."""
    counts = _stripped(raw_counts, _PUNCTUATION)
    counts["gray"] += counts.pop("grey", 0)
    return frozenset(color for color in color_words("all") - {"grey"} if counts[color] >= minimum)


def _stripped(raw_counts: Mapping[str, int], punctuation: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for word, count in raw_counts.items():
        counts[word.strip(punctuation)] += count
    return counts
