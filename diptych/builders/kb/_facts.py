"""What `make` knows of a whole split: how often its questions have a word, which colors they name, the parameters."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from diptych.builders.kb._color_words import color_readings
from diptych.builders.kb._other_colors import OtherColors
from diptych.builders.kb._stand_ins import StandIns
from diptych.pairs import row_rng

T = TypeVar("T")

SAMPLED_AMONG = 5
"""With `choose=sampled`, one of so many of the nearest is drawn."""

_PUNCTUATION = "?.,!'\""


@dataclass(frozen=True, slots=True)
class KbFacts:
    """The stand-ins of words and colors in one split, and how one of them is chosen."""

    stand_ins: StandIns
    other_colors: OtherColors
    seed: int = 0
    is_sampled: bool = False
    """Whether one of the nearest stand-ins is drawn, rather than the nearest taken."""
    deletes_phrases: bool = False
    """Whether a noun is left out with its whole phrase, rather than alone as in the paper."""

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
    """How often each word occurs, of those that occur more than once.

    >>> word_counts(count_raw_words(["Is the cat (black)?", "Is it a black dog?"]))
    {'is': 2, 'black': 2}
    """
    counts = _stripped(raw_counts, _PUNCTUATION + "()")
    return {word: count for word, count in counts.items() if count > 1 and word.isalpha()}


def common_colors(raw_counts: Mapping[str, int], minimum: int) -> frozenset[str]:
    """The colors that questions name at least so often, by their Matplotlib names.

    >>> sorted(common_colors(count_raw_words(["Is the cat black?", "Is it a black dog?", "Is the sky blue?"]), 2))
    ['black']
    """
    counts = _stripped(raw_counts, _PUNCTUATION)
    counts["gray"] += counts.pop("grey", 0)
    return frozenset(color for color in color_readings().words - {"grey"} if counts[color] >= minimum)


def _stripped(raw_counts: Mapping[str, int], punctuation: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for word, count in raw_counts.items():
        counts[word.strip(punctuation)] += count
    return counts
