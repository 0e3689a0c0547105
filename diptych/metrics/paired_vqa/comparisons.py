"""Comparisons: whether a clause says the same as the question, or the same with its things swapped."""

import re
from collections.abc import Sequence

from .words import OPPOSITES

_COMPARATIVE = re.compile(r"(?:more|less|fewer|\w{2,}er)$")
_OTHER_ER = frozenset("other another number water paper order corner center computer summer winter river under".split())


def read_swapped(words: Sequence[str], content: Sequence[str]) -> str | None:
    """Yes or no where the stems of a clause compare the things of the question the other way round.

    >>> read_swapped(["box", "taller", "than", "bag"], ["bag", "taller", "than", "box"])
    'no'
    >>> read_swapped(["bag", "taller"], ["bag", "taller", "than", "box"])
    'yes'
    """
    if "than" not in content:
        return None
    first, degree, second = _compared(content)
    if "than" not in words:  # "The woman is taller."
        return _read_winner(set(words), first, degree, second)
    other_first, other_degree, other_second = _compared(words)
    verb = first & other_first - (second | other_second)
    first, other_first = first - verb, other_first - verb
    if first == second or (first, second) != (other_second, other_first):
        return None
    if degree == other_degree:
        return "no"
    return "yes" if len(degree) == 1 and OPPOSITES.get(degree[0], set()) & set(other_degree) else None


def _read_winner(words: set[str], first: set[str], degree: Sequence[str], second: set[str]) -> str | None:
    """Yes or no where a clause says which of two is more so, and nothing else."""
    subject = words - set(degree) - {"two", "2"}
    if not degree or degree[0] not in words or not subject <= first | second | set(degree):
        return None
    is_first, is_second = bool(subject & first - second), bool(subject & second - first)
    return None if is_first == is_second else "yes" if is_first else "no"


def _compared(words: Sequence[str]) -> tuple[set[str], list[str], set[str]]:
    """What stands before a comparison, the comparison itself, and what stands after it."""
    than = words.index("than")
    degrees = [index for index, word in enumerate(words[:than]) if _COMPARATIVE.match(word) and word not in _OTHER_ER]
    start = degrees[0] if degrees else max(than - 1, 0)
    if not start:  # more dogs than cats
        return set(words[1:than]), list(words[:1]), set(words[than + 1 :])
    return set(words[:start]), list(words[start:than]), set(words[than + 1 :])
