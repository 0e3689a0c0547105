"""Comparisons: whether a clause says the same as the question, or the same with its things swapped."""

from collections.abc import Sequence

from .words import OPPOSITES


def read_swapped(words: Sequence[str], content: Sequence[str]) -> str | None:
    """Yes or no where the stems of a clause compare the things of the question the other way round.

    >>> read_swapped(["box", "taller", "than", "bag"], ["bag", "taller", "than", "box"])
    'no'
    """
    if "than" not in content:
        return None
    first, degree, second = _compared(content)
    if "than" not in words:  # "The woman is taller."
        subject = set(words) - set(degree)
        is_plain = set(degree) <= set(words) and first != second and subject in (first, second)
        return ("yes" if subject == first else "no") if is_plain else None
    other_first, other_degree, other_second = _compared(words)
    verb = first & other_first - (second | other_second)
    first, other_first = first - verb, other_first - verb
    if first == second or (first, second) != (other_second, other_first):
        return None
    if degree == other_degree:
        return "no"
    return "yes" if len(degree) == 1 and OPPOSITES.get(degree[0], set()) & set(other_degree) else None


def _compared(words: Sequence[str]) -> tuple[set[str], list[str], set[str]]:
    """What stands before a comparison, the comparison itself, and what stands after it."""
    than = words.index("than")
    start = next((i for i, word in enumerate(words[:than]) if word in ("more", "less", "fewer")), max(than - 1, 0))
    if not start:  # more dogs than cats
        return set(words[1:than]), list(words[:1]), set(words[than + 1 :])
    return set(words[:start]), list(words[start:than]), set(words[than + 1 :])
