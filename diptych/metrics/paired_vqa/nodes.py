"""The knowledge graph's node closest to an answer, by the number of letters to change (FVQA's rule)."""

from collections.abc import Iterable, Sequence

import numpy as np


def closest_nodes(answers: Iterable[str], nodes: Sequence[str]) -> dict[str, str]:
    """For every answer the closest node name; of several equally close ones the first in the alphabet.

    >>> closest_nodes(["fire hydrants", "Dog"], ["dog", "fire hydrant", "fire"])
    {'fire hydrants': 'fire hydrant', 'Dog': 'dog'}
    """
    # Here, and not above: who scores without nodes needs no rapidfuzz, and `evaluate` would ask for it on loading.
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    ordered = sorted(set(nodes))
    lower = [node.lower() for node in ordered]
    exact = dict(zip(reversed(lower), reversed(ordered), strict=True))
    closest: dict[str, str] = {}
    for answer in dict.fromkeys(answers):
        low = answer.lower()
        if low not in exact:
            exact[low] = ordered[int(np.argmin(cdist([low], lower, scorer=Levenshtein.distance)[0]))]
        closest[answer] = exact[low]
    return closest
