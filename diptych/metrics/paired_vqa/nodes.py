"""The knowledge graph's node closest to an answer, by the number of letters to change (FVQA's rule)."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


def closest_nodes(answers: Iterable[str], nodes: Sequence[str]) -> dict[str, str]:
    """For every answer the closest node name; of several equally close ones the first in the alphabet.

    >>> closest_nodes(["fire hydrants", "Dog"], ["dog", "fire hydrant", "fire"])
    {'fire hydrants': 'fire hydrant', 'Dog': 'dog'}
    """
    ordered = sorted(set(nodes))
    exact = {node.lower(): node for node in reversed(ordered)}
    letters = _letters([node.lower() for node in ordered])
    lengths = np.array([len(node) for node in ordered])
    closest: dict[str, str] = {}
    for answer in dict.fromkeys(answers):
        known = exact.get(answer.lower())
        closest[answer] = known if known is not None else ordered[_nearest(answer.lower(), letters, lengths)]
    return closest


def _nearest(answer: str, letters: NDArray[np.int32], lengths: NDArray[np.int64]) -> int:
    return int(np.argmin(distances(answer, letters, lengths)))


def distances(answer: str, letters: NDArray[np.int32], lengths: NDArray[np.int64]) -> NDArray[np.int32]:
    """Levenshtein's distance from one answer to many names at once, given as rows of padded letters."""
    width = letters.shape[1]
    last = np.tile(np.arange(width + 1, dtype=np.int32), (len(letters), 1))
    for row, letter in enumerate(answer, start=1):
        this = np.empty_like(last)
        this[:, 0] = row
        replaced = last[:, :-1] + (letters != ord(letter))
        best = np.minimum(replaced, last[:, 1:] + 1)
        for at in range(width):
            np.minimum(best[:, at], this[:, at] + 1, out=this[:, at + 1])
        last = this
    return last[np.arange(len(letters)), lengths]


def _letters(names: Sequence[str]) -> NDArray[np.int32]:
    width = max(map(len, names), default=0)
    letters = np.full((len(names), width), -1, dtype=np.int32)
    for row, name in enumerate(names):
        letters[row, : len(name)] = [ord(letter) for letter in name]
    return letters
