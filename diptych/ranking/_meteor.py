"""METEOR without Java: exact, stemmed and WordNet matches, aligned as nltk aligns them, over a pool of questions.

As in nltk, synonyms are looked up for the stems of the words that are left: "auto" finds "car", "automobile"
(stem: "automobil") does not.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
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

Words = list[tuple[int, str]]
"""Words that have no partner yet, with their positions in the sentence."""
Pairs = list[tuple[int, int]]
"""Positions of matching words in the hypothesis and the reference."""


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The Porter stem of a word, in nltk's version of the algorithm."""
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


def meteor(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    """METEOR of two questions as words in lower case.

    >>> round(meteor("the auto is red".split(), "the car is red".split()), 4)
    0.9922
    """
    pairs: Pairs = []
    words, partners = list(enumerate(hypothesis)), list(enumerate(reference))
    words, partners = _match(words, partners, pairs, lambda word: (word,))
    words, partners = ([(position, stem(word)) for position, word in side] for side in (words, partners))
    words, partners = _match(words, partners, pairs, lambda word: (word,))
    _match(words, partners, pairs, synonyms)
    if not pairs:
        return 0.0
    precision, recall = len(pairs) / len(hypothesis), len(pairs) / len(reference)
    mean = precision * recall / (ALPHA * precision + (1.0 - ALPHA) * recall)
    return float(mean * (1.0 - GAMMA * (_count_chunks(sorted(pairs)) / len(pairs)) ** BETA))


def _count_chunks(pairs: Pairs) -> int:
    return 1 + sum((i + 1, j + 1) != next_pair for (i, j), next_pair in pairwise(pairs))


def _match(words: Words, partners: Words, pairs: Pairs, forms: Callable[[str], Iterable[str]]) -> tuple[Words, Words]:
    """Pair each word, from the back, with the last free partner that is one of its forms; returns the words left over.

    This is nltk's order, which decides the chunks.
    """
    free: dict[str, list[int]] = defaultdict(list)
    for number, (_, word) in enumerate(partners):
        free[word].append(number)
    matches: dict[int, int] = {}
    for number in range(len(words) - 1, -1, -1):
        candidates = [free[form][-1] for form in forms(words[number][1]) if free.get(form)]
        if candidates:
            partner = max(candidates)
            free[partners[partner][1]].pop()
            matches[number] = partner
            pairs.append((words[number][0], partners[partner][0]))
    partner_numbers = set(matches.values())
    return (
        [pair for number, pair in enumerate(words) if number not in matches],
        [pair for number, pair in enumerate(partners) if number not in partner_numbers],
    )


@dataclass(frozen=True, slots=True)
class MeteorIndex:
    """A pool of questions, indexed by word."""

    questions: tuple[tuple[str, ...], ...]
    lengths: npt.NDArray[np.int64]
    postings: Mapping[str, tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]
    """Word to the questions that contain it and its counts there."""

    @classmethod
    def of(cls, questions: tuple[tuple[str, ...], ...]) -> "MeteorIndex":
        """Index a pool of questions as words."""
        entries: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for row, words in enumerate(questions):
            for word, count in Counter(words).items():
                entries[word].append((row, count))
        postings = {
            word: (np.array([r for r, _ in rows]), np.array([c for _, c in rows])) for word, rows in entries.items()
        }
        return cls(questions, np.array([len(words) for words in questions], np.int64), postings)

    def bounds(self, reference: Sequence[str]) -> npt.NDArray[np.float64]:
        """For every question of the pool, a score it cannot exceed: every word that could match, in one chunk."""
        by_stem, by_synonym = _related_words(tuple(self.postings))
        words = {word for word in reference if word in self.postings}
        for word in set(reference):
            words.update(by_stem.get(stem(word), ()), by_synonym.get(stem(word), ()))
        matches = np.zeros(len(self.questions), np.int64)
        for word in words:
            rows, counts = self.postings[word]
            matches[rows] += counts
        matches = np.minimum(matches, np.minimum(self.lengths, len(reference)))
        precision = matches / np.maximum(1, self.lengths)
        recall = matches / max(1, len(reference))
        mean = np.divide(
            precision * recall, ALPHA * precision + (1 - ALPHA) * recall, out=np.zeros(len(matches)), where=matches > 0
        )
        bounds: npt.NDArray[np.float64] = mean * (1.0 - GAMMA / np.maximum(1, matches) ** BETA)
        return bounds

    def best(self, reference: Sequence[str], k: int, excluded_rows: set[int]) -> list[tuple[int, float]]:
        """The k best questions, exactly: in the order of their bounds, until no bound reaches the k-th best score."""
        bounds = self.bounds(reference)
        results: list[tuple[float, int]] = []
        kth_score = 0.0
        for row in np.lexsort((np.arange(len(bounds)), -bounds)).tolist():
            if bounds[row] <= 0.0 or (len(results) >= k and bounds[row] < kth_score - 1e-9):
                break
            if row in excluded_rows:
                continue
            results.append((-round(meteor(self.questions[row], reference), _DIGITS), row))
            if len(results) % k == 0:
                results = sorted(results)[:k]
                kth_score = -results[-1][0]
        return [(row, -score) for score, row in sorted(results)[:k] if score < 0.0]


@lru_cache(maxsize=2)
def _related_words(vocabulary: tuple[str, ...]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The words of the pool by their stem, and by every synonym of their stem."""
    by_stem: dict[str, list[str]] = defaultdict(list)
    by_synonym: dict[str, list[str]] = defaultdict(list)
    for word in vocabulary:
        by_stem[stem(word)].append(word)
        for synonym in synonyms(stem(word)):
            by_synonym[synonym].append(word)
    return by_stem, by_synonym
