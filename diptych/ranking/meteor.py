"""METEOR without Java: exact, stemmed and WordNet matches, aligned as nltk aligns them, over a pool of questions.

As in nltk, synonyms are looked up for the stems of the words that are left: "auto" finds "car", "automobile"
(stem: "automobil") does not.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from diptych.errors import MissingExtraError
from diptych.kg import wordnet

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5
_DIGITS = 10


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The Porter stem of a word, in nltk's reading of the algorithm."""
    if find_spec("nltk") is None:
        raise MissingExtraError.for_extra("nltk, which METEOR stems words with,", "ranking")
    from nltk.stem.porter import PorterStemmer

    return str(PorterStemmer().stem(word))


@lru_cache(maxsize=200_000)
def synonyms(word: str) -> frozenset[str]:
    """The word and the single words that share a meaning with it.

    >>> sorted(synonyms("automobile"))
    ['auto', 'automobile', 'car', 'machine', 'motorcar']
    """
    return frozenset(
        {word, *(name for synset in wordnet().synsets(word) for name in synset.lemma_names if "_" not in name)}
    )


Left = list[tuple[int, str]]


def meteor(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    """METEOR of two questions as words in lower case.

    >>> round(meteor("the auto is red".split(), "the car is red".split()), 4)
    0.9922
    """
    ours, theirs = list(enumerate(hypothesis)), list(enumerate(reference))
    pairs: list[tuple[int, int]] = []
    for stage in (_match_equal, _match_stems, _match_synonyms):
        ours, theirs = stage(ours, theirs, pairs)
    return score_of(len(pairs), len(hypothesis), len(reference), _chunks(sorted(pairs)))


def score_of(matches: int, ours: int, theirs: int, chunks: int) -> float:
    """METEOR from its counts."""
    if not matches:
        return 0.0
    precision, recall = matches / ours, matches / theirs
    mean = precision * recall / (ALPHA * precision + (1.0 - ALPHA) * recall)
    return float(mean * (1.0 - GAMMA * (chunks / matches) ** BETA))


def _chunks(pairs: Sequence[tuple[int, int]]) -> int:
    return 1 + sum((one + 1, other + 1) != after for (one, other), after in pairwise(pairs))


def _positions(words: Iterable[str]) -> dict[str, list[int]]:
    at: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(words):
        at[word].append(place)
    return at


def _match_equal(ours: Left, theirs: Left, pairs: list[tuple[int, int]]) -> tuple[Left, Left]:
    """From the back, each word takes the last free equal one: nltk's order, which decides the chunks."""
    at = _positions(word for _, word in theirs)
    taken, gone = set(), set()
    for place in range(len(ours) - 1, -1, -1):
        if at.get(ours[place][1]):
            partner = at[ours[place][1]].pop()
            gone.add(place)
            taken.add(partner)
            pairs.append((ours[place][0], theirs[partner][0]))
    return _without(ours, gone), _without(theirs, taken)


def _without(words: Left, gone: set[int]) -> Left:
    return [pair for place, pair in enumerate(words) if place not in gone]


def _match_stems(ours: Left, theirs: Left, pairs: list[tuple[int, int]]) -> tuple[Left, Left]:
    ours, theirs = ([(place, stem(word)) for place, word in words] for words in (ours, theirs))
    return _match_equal(ours, theirs, pairs)


def _match_synonyms(ours: Left, theirs: Left, pairs: list[tuple[int, int]]) -> tuple[Left, Left]:
    at = _positions(word for _, word in theirs)
    taken, gone = set(), set()
    for place in range(len(ours) - 1, -1, -1):
        free = [at[word][-1] for word in synonyms(ours[place][1]) if at.get(word)]
        if free:
            partner = max(free)
            at[theirs[partner][1]].pop()
            gone.add(place)
            taken.add(partner)
            pairs.append((ours[place][0], theirs[partner][0]))
    return _without(ours, gone), _without(theirs, taken)


@dataclass(frozen=True, slots=True)
class MeteorIndex:
    """A pool of questions by word, and the pool's words by stem and by synonym."""

    words: tuple[tuple[str, ...], ...]
    lengths: npt.NDArray[np.int64]
    holding: Mapping[str, tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]

    @classmethod
    def of(cls, words: tuple[tuple[str, ...], ...]) -> "MeteorIndex":
        """Index a pool."""
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for row, of_row in enumerate(words):
            for word, count in Counter(of_row).items():
                found[word].append((row, count))
        holding = {word: (np.array([r for r, _ in at]), np.array([c for _, c in at])) for word, at in found.items()}
        return cls(words, np.array([len(of_row) for of_row in words], np.int64), holding)

    def bounds(self, reference: Sequence[str]) -> npt.NDArray[np.float64]:
        """For every question of the pool, a score it cannot exceed: all that could match in one chunk."""
        by_stem, by_synonym = _relations(tuple(self.holding))
        related = {word for word in reference if word in self.holding}
        for word in set(reference):
            related.update(by_stem.get(stem(word), ()), by_synonym.get(stem(word), ()))
        could = np.zeros(len(self.words), np.int64)
        for word in related:
            rows, counts = self.holding[word]
            could[rows] += counts
        could = np.minimum(could, np.minimum(self.lengths, len(reference)))
        precision = could / np.maximum(1, self.lengths)
        recall = could / max(1, len(reference))
        mean = np.divide(
            precision * recall, ALPHA * precision + (1 - ALPHA) * recall, out=np.zeros(len(could)), where=could > 0
        )
        bound: npt.NDArray[np.float64] = mean * (1.0 - GAMMA / np.maximum(1, could) ** BETA)
        return bound

    def best(self, reference: Sequence[str], k: int, barred: set[int]) -> list[tuple[int, float]]:
        """The k best questions, exactly: in the order of their bounds, until no bound reaches the k-th best score."""
        bounds = self.bounds(reference)
        found: list[tuple[float, int]] = []
        least = 0.0
        for row in np.lexsort((np.arange(len(bounds)), -bounds)).tolist():
            if bounds[row] <= 0.0 or (len(found) >= k and bounds[row] < least - 1e-9):
                break
            if row in barred:
                continue
            found.append((-round(meteor(self.words[row], reference), _DIGITS), row))
            if len(found) % k == 0:
                found = sorted(found)[:k]
                least = -found[-1][0]
        return [(row, -score) for score, row in sorted(found)[:k] if score < 0.0]


@lru_cache(maxsize=2)
def _relations(vocabulary: tuple[str, ...]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The pool's words by stem, and by each stem theirs is a synonym of."""
    by_stem: dict[str, list[str]] = defaultdict(list)
    by_synonym: dict[str, list[str]] = defaultdict(list)
    for word in vocabulary:
        by_stem[stem(word)].append(word)
        for other in synonyms(stem(word)):
            by_synonym[other].append(word)
    return by_stem, by_synonym
