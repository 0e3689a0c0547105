"""The seven direct similarities of the paper over a whole pool: BLEU-1 to 4, ROUGE-L (with two β), CIDEr and METEOR.

The basic question is the hypothesis, the main question the reference. An inverted index gives the n-grams that two
questions share without looking at questions that share none, so that every score over the pool, and with it the
exact best k, costs about as much as reading the index. METEOR is computed only where a bound leaves a chance: without
Java, with words aligned as nltk aligns them. As there, synonyms are looked up for the stems of the words that are left:
"auto" finds "car", "automobile" (stem: "automobil") does not.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.util import find_spec
from itertools import pairwise
from math import log

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cdist

from diptych.errors import MissingExtraError, UnknownNameError
from diptych.kg import wordnet

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Gram = tuple[str, ...]
Postings = dict[Gram, Integers]  # N-gram to the questions that contain it and its counts there

Words = dict[int, str]  # words that have no partner yet, by their position in the sentence

_WORD = re.compile(r"\w+(?:'\w+)?")
_ORDERS, _SIGMA = 4, 6.0
_TINY, _SMALL, _DIGITS = 1e-15, 1e-9, 10
ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5
COCO_BETA = 1.2  # of ROUGE-L in COCO's caption evaluation; other programs take 1


def split_words(text: str) -> tuple[str, ...]:
    """The words of a question in lower case, without punctuation."""
    return tuple(_WORD.findall(text.lower()))


def count_grams(words: Sequence[str]) -> tuple[Counter[Gram], ...]:
    """The counts of all n-grams, for n = 1 to 4."""
    orders = range(1, _ORDERS + 1)
    return tuple(Counter(zip(*(words[start:] for start in range(n)), strict=False)) for n in orders)


@dataclass(frozen=True, slots=True)
class Index:
    """A pool of questions, indexed by n-gram."""

    questions: tuple[tuple[str, ...], ...]  # the words of every question
    lengths: Integers
    postings: tuple[Postings, ...]  # for n = 1 to 4
    norms: Floats  # lengths of the CIDEr vectors, one row per n
    letters: dict[str, str]  # a character for every word
    spellings: tuple[str, ...]  # the questions as the characters of their words


@lru_cache(maxsize=2)
def build_index(pool: tuple[str, ...]) -> Index:
    """Index a pool of questions."""
    questions = tuple(split_words(text) for text in pool)
    entries: tuple[dict[Gram, list[tuple[int, int]]], ...] = tuple({} for _ in range(_ORDERS))
    for row, words in enumerate(questions):
        for order_entries, grams in zip(entries, count_grams(words), strict=True):
            for gram, count in grams.items():
                order_entries.setdefault(gram, []).append((row, count))
    postings = tuple({gram: np.array(rows).T for gram, rows in order.items()} for order in entries)
    letters = {word: chr(number) for number, (word,) in enumerate(postings[0])}
    spellings = tuple("".join(map(letters.__getitem__, words)) for words in questions)
    lengths, norms = np.array(list(map(len, questions)), np.int64), _cider_norms(postings, len(questions))
    return Index(questions, lengths, postings, norms, letters, spellings)


def _cider_norms(postings: Sequence[Postings], size: int) -> Floats:
    squares = np.zeros((_ORDERS, size))
    for order_squares, order_postings in zip(squares, postings, strict=True):
        for rows, counts in order_postings.values():
            order_squares[rows] += (counts * _idf(len(rows), size)) ** 2
    return np.sqrt(squares)


def _idf(documents: int, size: int) -> float:
    return log(size) - log(max(1, documents))


def bleu(index: Index, words: Sequence[str], order: int) -> Floats:
    """BLEU up to an order for every question of the pool, with the small constants of the COCO caption scorer."""
    product = np.ones(len(index.questions))
    for n, (grams, postings) in enumerate(zip(count_grams(words)[:order], index.postings, strict=False), start=1):
        matches = np.zeros(len(index.questions))
        for gram, count in grams.items():
            if gram in postings:
                rows, counts = postings[gram]
                matches[rows] += np.minimum(counts, count)
        product *= (matches + _TINY) / (np.maximum(0, index.lengths - n + 1) + _SMALL)
    ratio = (index.lengths + _TINY) / (len(words) + _SMALL)
    penalty = np.where(ratio < 1.0, np.exp(1.0 - 1.0 / np.maximum(ratio, 1e-3)), 1.0)
    scores: Floats = product ** (1.0 / order) * penalty
    return scores


def rouge_l(index: Index, words: Sequence[str], beta: float = 1.0) -> Floats:
    """The F-measure of the longest common subsequence; β above 1 favors recall."""
    unknown = chr(len(index.letters))
    text = "".join(index.letters.get(word, unknown) for word in words)
    (lengths,) = cdist([text], index.spellings, scorer=LCSseq.similarity, dtype=np.int64)
    # (1 + β²) P R / (R + β² P) with P = common / basic length and R = common / main length.
    total = index.lengths + beta**2 * len(words)
    scores: Floats = np.divide((1.0 + beta**2) * lengths, total, out=np.zeros(len(lengths)), where=total > 0)
    return scores


def cider(index: Index, words: Sequence[str]) -> Floats:
    """CIDEr-D: clipped TF-IDF cosine over n = 1 to 4 with the length penalty; every pool question is a document."""
    size, total = len(index.questions), np.zeros(len(index.questions))
    for n, (grams, postings) in enumerate(zip(count_grams(words), index.postings, strict=True)):
        products, square = np.zeros(size), 0.0
        for gram, count in grams.items():
            rows, counts = postings.get(gram, np.zeros((2, 0), np.int64))
            weight = _idf(len(rows), size)
            square += (count * weight) ** 2
            products[rows] += np.minimum(counts, count) * weight * count * weight
        norms = index.norms[n] * square**0.5
        total += np.divide(products, norms, out=np.zeros(size), where=norms > 0)
    # The reference scorer measures length in pairs of words.
    differences = np.maximum(0, index.lengths - 1) - max(0, len(words) - 1)
    scores: Floats = total / _ORDERS * 10.0 * np.exp(-(differences.astype(np.float64) ** 2) / (2.0 * _SIGMA**2))
    return scores


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The Porter stem of a word, in nltk's version of the algorithm."""
    if find_spec("nltk") is None:
        raise MissingExtraError.for_extra("nltk, which METEOR stems words with,", "ranking")
    from nltk.stem.porter import PorterStemmer

    return str(PorterStemmer().stem(word))


@lru_cache(maxsize=200_000)
def synonyms(word: str) -> frozenset[str]:
    """The word and the single words that share a meaning with it."""
    names = {name for synset in wordnet().synsets(word) for name in synset.lemma_names if "_" not in name}
    return frozenset({word, *names})


def meteor(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    """METEOR of two questions as words in lower case.

    >>> round(meteor("the auto is red".split(), "the car is red".split()), 4)
    0.9922
    """
    words, partners = dict(enumerate(hypothesis)), dict(enumerate(reference))
    pairs = _match(words, partners, lambda word: (word,))
    words, partners = ({place: stem(word) for place, word in side.items()} for side in (words, partners))
    pairs += _match(words, partners, lambda word: (word,)) + _match(words, partners, synonyms)
    if not pairs:
        return 0.0
    precision, recall = len(pairs) / len(hypothesis), len(pairs) / len(reference)
    mean = precision * recall / (ALPHA * precision + (1.0 - ALPHA) * recall)
    chunk_count = 1 + sum((i + 1, j + 1) != next_pair for (i, j), next_pair in pairwise(sorted(pairs)))
    return float(mean * (1.0 - GAMMA * (chunk_count / len(pairs)) ** BETA))


def _match(words: Words, partners: Words, forms: Callable[[str], Container[str]]) -> list[tuple[int, int]]:
    """Pair each word, from the back, with the last partner that is one of its forms, and take both out."""
    # This is nltk's order, which decides the chunks.
    pairs = []
    for position, word in reversed(list(words.items())):
        word_forms = forms(word)
        matches = [place for place, partner in partners.items() if partner in word_forms]
        if matches:
            pairs.append((position, matches[-1]))
            del words[position], partners[matches[-1]]
    return pairs


def _meteor_bounds(index: Index, reference: Sequence[str]) -> Floats:
    """For every question of the pool, a score it cannot exceed: every word that could match, in one chunk."""
    by_stem, by_synonym = _related_words(tuple(index.letters))
    words = {word for word in reference if word in index.letters}
    for word in set(reference):
        words.update(by_stem.get(stem(word), ()), by_synonym.get(stem(word), ()))
    matches = np.zeros(len(index.questions))
    for word in words:
        rows, counts = index.postings[0][word,]
        matches[rows] += counts
    matches = np.minimum(matches, np.minimum(index.lengths, len(reference)))
    precision = matches / np.maximum(1, index.lengths)
    recall = matches / max(1, len(reference))
    divisor = ALPHA * precision + (1 - ALPHA) * recall
    mean = np.divide(precision * recall, divisor, out=np.zeros(len(matches)), where=matches > 0)
    bounds: Floats = mean * (1.0 - GAMMA / np.maximum(1, matches) ** BETA)
    return bounds


def _best_by_meteor(index: Index, reference: Sequence[str], k: int, excluded_rows: set[int]) -> list[tuple[int, float]]:
    """The k best questions, exactly: in the order of their bounds, until no bound reaches the k-th best score."""
    bounds = _meteor_bounds(index, reference)
    results: list[tuple[float, int]] = []
    kth_score = 0.0
    for row in np.lexsort((np.arange(len(bounds)), -bounds)).tolist():
        if bounds[row] <= 0.0 or (len(results) >= k and bounds[row] < kth_score - 1e-9):
            break
        if row in excluded_rows:
            continue
        results.append((-round(meteor(index.questions[row], reference), _DIGITS), row))
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


_SCORERS: dict[str, Callable[[Index, Sequence[str]], Floats]] = {
    **{f"bleu{order}": partial(bleu, order=order) for order in range(1, _ORDERS + 1)},
    "rouge-l": rouge_l,
    "rouge-l-coco": partial(rouge_l, beta=COCO_BETA),
    "cider": cider,
}
SIMILARITIES = (*_SCORERS, "meteor")  # the names of the direct similarities


def most_similar(
    name: str, basic: tuple[str, ...], main: Sequence[str], k: int = 21, exclude: Sequence[Sequence[int]] | None = None
) -> dict[str, npt.NDArray[np.int64] | Floats]:
    """The k basic questions most similar to every main question, exactly; of equals, the earlier question is first.

    >>> best = most_similar("rouge-l", ("Is it a dog?", "What is on the mat?"), ["What is on it?"], k=1)
    >>> best["indices"].tolist(), best["scores"].round(3).tolist()
    ([[1]], [[0.667]])
    """
    if name not in SIMILARITIES:
        raise UnknownNameError.among("ranker", name, ("lasso", *SIMILARITIES))
    index = build_index(basic)
    indices, scores = np.full((len(main), k), -1, np.int64), np.zeros((len(main), k))
    for row, text in enumerate(main):
        excluded_rows = np.asarray(exclude[row] if exclude else [], np.int64)
        words = split_words(text)
        if name == "meteor":
            best = _best_by_meteor(index, words, k, set(excluded_rows.tolist()))
        else:
            best = _largest_scores(_SCORERS[name](index, words), k, excluded_rows)
        for column, (question, score) in enumerate(best):
            indices[row, column], scores[row, column] = question, score
    return {"indices": indices, "scores": scores}


def _largest_scores(scores: Floats, k: int, excluded_rows: Integers) -> list[tuple[int, float]]:
    """The k largest positive scores with their rows; of equals, the earlier row is first."""
    # Every score is rounded to ten digits, so that ties are ties on every machine.
    factors = 10.0 ** (_DIGITS - np.floor(np.log10(np.where(scores > 0.0, scores, 1.0))))
    scores = np.rint(scores * factors) / factors
    scores[excluded_rows] = 0.0
    rows = np.flatnonzero(scores > 0.0)
    if len(rows) > k:
        limit = -np.partition(-scores[rows], k - 1)[k - 1]
        rows = rows[scores[rows] >= limit]
    order = rows[np.lexsort((rows, -scores[rows]))][:k]
    return [(int(row), float(scores[row])) for row in order]
