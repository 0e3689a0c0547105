"""How far annotators agree beyond chance: Cohen's kappa for two, Fleiss' for more."""

from collections import Counter
from collections.abc import Sequence
from math import nan


def cohens_kappa(first: Sequence[str], second: Sequence[str]) -> float:
    """Agreement of two annotators on the same items.

    >>> cohens_kappa(["a", "a", "r", "r"], ["a", "a", "r", "a"])
    0.5
    """
    n = len(first)
    if n == 0 or n != len(second):
        return nan
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    left, right = Counter(first), Counter(second)
    chance = sum(left[label] * right[label] for label in left) / n**2
    return 1.0 if chance == 1 else (observed - chance) / (1 - chance)


def fleiss_kappa(items: Sequence[Sequence[str]]) -> float:
    """Agreement of several annotators; every item has as many labels as the first.

    >>> round(fleiss_kappa([["a", "a", "r"], ["r", "r", "r"], ["a", "a", "a"]]), 3)
    0.55
    """
    if not items or len(items[0]) < 2:
        return nan
    raters = len(items[0])
    counts = [Counter(labels) for labels in items]
    within = [sum(n * (n - 1) for n in count.values()) / (raters * (raters - 1)) for count in counts]
    total: Counter[str] = sum(counts, Counter())
    chance = sum((n / (len(items) * raters)) ** 2 for n in total.values())
    return 1.0 if chance == 1 else (sum(within) / len(items) - chance) / (1 - chance)
