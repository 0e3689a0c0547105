"""The seven direct similarities of the paper over a whole pool: BLEU-1 to 4, ROUGE-L, CIDEr and METEOR.

The basic question is the hypothesis, the main question the reference. An inverted index gives the n-grams two
questions share without looking at questions that share none, so that every score over the pool, and with it the
exact best k, costs about as much as reading the index. METEOR is computed only where a bound leaves a chance.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from re import compile as pattern

import numpy as np
import numpy.typing as npt

from diptych.errors import UnknownNameError
from diptych.ranking.meteor import MeteorIndex

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Gram = tuple[str, ...]

_WORD = pattern(r"\w+(?:'\w+)?")
_ORDERS = 4
_SIGMA = 6.0
_TINY, _SMALL = 1e-15, 1e-9
_DIGITS = 10


def words_of(text: str) -> tuple[str, ...]:
    """The words of a question in lower case, without punctuation.

    >>> words_of("What's the man's name?")
    ("what's", 'the', "man's", 'name')
    """
    return tuple(_WORD.findall(text.lower()))


def grams_of(words: Sequence[str]) -> tuple[Counter[Gram], ...]:
    """How often each n-gram occurs, for n = 1 to 4."""
    return tuple(Counter(tuple(words[at : at + n]) for at in range(len(words) - n + 1)) for n in range(1, _ORDERS + 1))


@dataclass(frozen=True, slots=True)
class Index:
    """A pool of questions by their n-grams."""

    words: tuple[tuple[str, ...], ...]
    lengths: Integers
    postings: tuple[dict[Gram, tuple[Integers, Floats]], ...]
    """For n = 1 to 4: n-gram to the questions that hold it and how often."""
    norms: Floats
    """Lengths of the CIDEr vectors, one row an n."""
    tokens: Integers
    """Word numbers, one row a question, padded with the number of an impossible word."""
    number: dict[str, int]
    meteor: MeteorIndex


def build_index(questions: Sequence[str]) -> Index:
    """Index a pool of questions."""
    words = tuple(words_of(question) for question in questions)
    found: tuple[dict[Gram, list[tuple[int, int]]], ...] = tuple({} for _ in range(_ORDERS))
    for row, of_row in enumerate(words):
        for order, grams in zip(found, grams_of(of_row), strict=True):
            for gram, count in grams.items():
                order.setdefault(gram, []).append((row, count))
    postings = tuple(
        {gram: (np.array([r for r, _ in at]), np.array([float(c) for _, c in at])) for gram, at in order.items()}
        for order in found
    )
    number = {word: at for at, word in enumerate(dict.fromkeys(word for of_row in words for word in of_row))}
    tokens = np.full((len(words), max(map(len, words), default=0)), len(number), np.int64)
    for row, of_row in enumerate(words):
        tokens[row, : len(of_row)] = [number[word] for word in of_row]
    lengths = np.array([len(of_row) for of_row in words], np.int64)
    return Index(words, lengths, postings, _norms(postings, len(words)), tokens, number, MeteorIndex.of(words))


def _norms(postings: Sequence[dict[Gram, tuple[Integers, Floats]]], size: int) -> Floats:
    squares = np.zeros((_ORDERS, size))
    for order, of_order in zip(squares, postings, strict=True):
        for rows, counts in of_order.values():
            order[rows] += (counts * _idf(len(rows), size)) ** 2
    return np.sqrt(squares)


def _idf(documents: int, size: int) -> float:
    return log(size) - log(max(1, documents))


def bleu(index: Index, words: Sequence[str], order: int) -> Floats:
    """BLEU up to an order for every question of the pool, with the small constants of the COCO caption scorer."""
    product = np.ones(len(index.words))
    for n, (grams, postings) in enumerate(zip(grams_of(words)[:order], index.postings, strict=False), start=1):
        shared = np.zeros(len(index.words))
        for gram, count in grams.items():
            if gram in postings:
                rows, counts = postings[gram]
                shared[rows] += np.minimum(counts, count)
        product *= (shared + _TINY) / (np.maximum(0, index.lengths - n + 1) + _SMALL)
    ratio = (index.lengths + _TINY) / (len(words) + _SMALL)
    penalty = np.where(ratio < 1.0, np.exp(1.0 - 1.0 / np.maximum(ratio, 1e-3)), 1.0)
    scores: Floats = product ** (1.0 / order) * penalty
    return scores


def rouge_l(index: Index, words: Sequence[str]) -> Floats:
    """The F-measure of the longest common subsequence."""
    common = _longest_common(index, words)
    total = index.lengths + len(words)
    return np.divide(2.0 * common, total, out=np.zeros(len(common)), where=total > 0)


def _longest_common(index: Index, words: Sequence[str]) -> Floats:
    """Lengths of longest common subsequences, all questions at once, one bit a word of the main question."""
    if len(words) > 62:
        return np.array([_common_by_table(words, other) for other in index.words], np.float64)
    masks = np.zeros(len(index.number) + 1, np.uint64)
    for at, word in enumerate(words):
        if word in index.number:
            masks[index.number[word]] |= np.uint64(1 << at)
    everything = np.uint64((1 << len(words)) - 1)
    free = np.full(len(index.words), everything)
    for column in index.tokens.T:
        met = free & masks[column]
        free = ((free + met) | (free - met)) & everything
    return len(words) - np.bitwise_count(free).astype(np.float64)


def _common_by_table(one: Sequence[str], other: Sequence[str]) -> int:
    before = [0] * (len(other) + 1)
    for word in one:
        row = [0]
        for at, rival in enumerate(other):
            row.append(before[at] + 1 if word == rival else max(before[at + 1], row[at]))
        before = row
    return before[-1]


def cider(index: Index, words: Sequence[str]) -> Floats:
    """CIDEr-D: clipped TF-IDF cosine over n = 1 to 4 with the penalty on length; a pool question is a document."""
    size, total = len(index.words), np.zeros(len(index.words))
    for n, (grams, postings) in enumerate(zip(grams_of(words), index.postings, strict=True)):
        shared, square = np.zeros(size), 0.0
        for gram, count in grams.items():
            rows, counts = postings.get(gram, (np.zeros(0, np.int64), np.zeros(0)))
            weight = _idf(len(rows), size)
            square += (count * weight) ** 2
            shared[rows] += np.minimum(counts, count) * weight * count * weight
        lengths = index.norms[n] * square**0.5
        total += np.divide(shared, lengths, out=np.zeros(size), where=lengths > 0)
    # The reference scorer measures length in pairs of words.
    apart = np.maximum(0, index.lengths - 1) - max(0, len(words) - 1)
    scores: Floats = total / _ORDERS * 10.0 * np.exp(-(apart.astype(np.float64) ** 2) / (2.0 * _SIGMA**2))
    return scores


SIMILARITIES: dict[str, Callable[[Index, Sequence[str]], Floats]] = {
    "bleu1": lambda index, words: bleu(index, words, 1),
    "bleu2": lambda index, words: bleu(index, words, 2),
    "bleu3": lambda index, words: bleu(index, words, 3),
    "bleu4": lambda index, words: bleu(index, words, 4),
    "rouge-l": rouge_l,
    "cider": cider,
}
NAMES = (*SIMILARITIES, "meteor")
"""The direct similarities by name."""


@lru_cache(maxsize=2)
def _index(questions: tuple[str, ...]) -> Index:
    return build_index(questions)


def most_similar(
    name: str, basic: tuple[str, ...], main: Sequence[str], k: int = 21, exclude: Sequence[Sequence[int]] | None = None
) -> dict[str, npt.NDArray[np.int64] | Floats]:
    """The k basic questions most similar to every main question, exactly; ties go to the earlier question.

    >>> found = most_similar("rouge-l", ("Is it a dog?", "What is on the mat?"), ["What is on it?"], k=1)
    >>> found["indices"].tolist(), found["scores"].round(3).tolist()
    ([[1]], [[0.667]])
    """
    if name not in NAMES:
        raise UnknownNameError.among("ranker", name, ("lasso", *NAMES))
    index = _index(basic)
    indices, scores = np.full((len(main), k), -1, np.int64), np.zeros((len(main), k))
    for row, text in enumerate(main):
        barred = np.asarray(exclude[row] if exclude else [], np.int64)
        words = words_of(text)
        if name == "meteor":
            found = index.meteor.best(words, k, set(barred.tolist()))
        else:
            found = best_of(SIMILARITIES[name](index, words), k, barred)
        for place, (at, score) in enumerate(found):
            indices[row, place], scores[row, place] = at, score
    return {"indices": indices, "scores": scores}


def best_of(scores: Floats, k: int, barred: Integers) -> list[tuple[int, float]]:
    """The k largest positive scores with their places, the earlier place first where they are equal."""
    scores = _rounded(scores)
    scores[barred] = 0.0
    kept = np.flatnonzero(scores > 0.0)
    if len(kept) > k:
        limit = -np.partition(-scores[kept], k - 1)[k - 1]
        kept = kept[scores[kept] >= limit]
    order = kept[np.lexsort((kept, -scores[kept]))][:k]
    return [(int(at), float(scores[at])) for at in order]


def _rounded(scores: Floats) -> Floats:
    """Ten digits of every score, so that ties are ties on every machine."""
    digits = np.floor(np.log10(np.where(scores > 0.0, scores, 1.0)))
    size = 10.0 ** (_DIGITS - digits)
    rounded: Floats = np.rint(scores * size) / size
    return rounded
