"""Eyes: clusters of shapes and colors, and for every word a detector learned from the pictures where the word holds."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from diptych.language import singular
from diptych.models._lessons import Lesson, clean_answer
from diptych.models._regions import Regions

LARGEST_COUNT = 6  # a larger number of things is as good as this

_SHAPES, _COLORS = 400, 24  # clusters
_MOST_CLUSTERED = 30_000  # regions that decide the clusters
_LEAST_PICTURES = 3  # pictures of a word that is learned
_MOST_DETECTORS = 500
_MOST_REPEATED = 3  # a shape that a picture shows more often counts no more for its words
_LAYOUT_SCALE = 0.1
_LEAST_AUC = 0.6  # of a detector: how often it tells a picture where its word holds from one where it does not
_FOLDS = 4
_UNMENTIONED = 0.3  # the weight of a picture about which nobody used a word: what it names may be there all the same
_SUREST = 6.0  # log-odds
_DENIALS = ("no", "0", "none", "nothing")


@lru_cache(maxsize=65536)
def visible_words(text: str) -> tuple[str, ...]:
    """The words of a question or an answer that may name something visible, in the singular; numbers in digits.

    >>> visible_words("Are there two red buses?")
    ('2', 'red', 'bus')
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    words = [clean_answer(word) for word in re.findall(r"[a-z0-9]+", text.lower())]
    return tuple(dict.fromkeys(singular(word) or word for word in words if word not in ENGLISH_STOP_WORDS))


_VERDICT = re.compile(r"\byes or no\b", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:no|not|none|never|neither|nor|without)\b|n't\b", re.IGNORECASE)
_CONJUNCTION = re.compile(r"\b(and|or|nor)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a yes/no question claims: phrases of which all must hold, or any; a negated claim is turned round."""

    phrases: tuple[tuple[str, ...], ...]
    needs_all: bool
    is_negated: bool


def read_claim(question: str) -> Claim:
    """The claim of a question, by its words "and", "or" and "no".

    >>> read_claim("Is there a red bus or a cat?")
    Claim(phrases=(('red', 'bus'), ('cat',)), needs_all=False, is_negated=False)
    >>> read_claim("Is there no bus and no cat?")
    Claim(phrases=(('bus',), ('cat',)), needs_all=False, is_negated=True)
    """
    text = _VERDICT.sub(" ", question)
    is_negated = bool(_NEGATION.search(text))
    parts = _CONJUNCTION.split(text)
    is_either = any(word.lower() != "and" for word in parts[1::2])
    phrases = tuple(words for words in map(visible_words, parts[::2]) if words)
    # "No bus and no cat" denies "a bus or a cat", and "no bus or no cat" denies "a bus and a cat".
    return Claim(phrases, (is_either == is_negated) if len(phrases) > 1 else True, is_negated)


@dataclass(frozen=True, slots=True)
class View:
    """A picture as it is seen: the clusters of its regions by shape and color, and the whole as a vector."""

    shapes: Any
    colors: Any
    vector: Any


@dataclass(frozen=True, slots=True)
class Detectors:
    """A linear classifier of views for every word."""

    places: Mapping[str, int]
    weights: Any  # a row per word
    biases: Any

    def rows(self, words: Sequence[str]) -> list[int]:
        """The rows of those of some words that have a detector."""
        return [self.places[word] for word in words if word in self.places]

    def keep(self, words: Collection[str]) -> "Detectors":
        """The detectors of some words."""
        kept = [word for word in self.places if word in words]
        rows = self.rows(kept)
        return Detectors({word: place for place, word in enumerate(kept)}, self.weights[rows], self.biases[rows])

    def presence(self, view: View) -> Any:
        """How surely each word holds, as log-odds against even chances."""
        return np.clip(self.weights @ view.vector + self.biases, -_SUREST, _SUREST)


@dataclass(frozen=True, slots=True)
class Eyes:
    """How pictures are seen."""

    shape_centers: Any
    color_centers: Any
    rarity: Any  # how much a shape tells: it is larger for shapes that few pictures show
    layout_mean: Any
    layout_spread: Any
    detectors: Detectors

    def view(self, regions: Regions) -> View:
        """A picture as it is seen."""
        shapes = _nearest(regions.shapes, self.shape_centers)
        repeated = np.minimum(np.bincount(shapes, minlength=len(self.shape_centers)), _MOST_REPEATED) * self.rarity
        layout = np.clip((regions.layout - self.layout_mean) / self.layout_spread, -3, 3) * _LAYOUT_SCALE
        vector = np.concatenate([repeated / (np.linalg.norm(repeated) or 1.0), layout])
        return View(shapes, _nearest(regions.colors, self.color_centers), vector)

    @property
    def evidence_size(self) -> int:
        """How many numbers a piece of evidence has."""
        return len(self.color_centers) + LARGEST_COUNT + 1

    def evidence(self, view: View, words: Sequence[str]) -> Any:
        """The colors of the regions that the detectors of some words attend to, and how many there seem to be.

        It is zero where the words have no detector, or where none of their shapes is in the picture. The number is the
        mean of how often each attended shape is there, so that the parts of a thing do not add up.
        """
        evidence = np.zeros(self.evidence_size)
        rows = self.detectors.rows(words)
        if not rows:
            return evidence
        attention = np.maximum(self.detectors.weights[rows, : len(self.shape_centers)], 0).max(axis=0)
        weights = attention[view.shapes]
        if not weights.sum():
            return evidence
        colors = len(self.color_centers)
        evidence[:colors] = np.bincount(view.colors, weights, minlength=colors) / weights.sum()
        counts = np.bincount(view.shapes, minlength=len(attention))
        squares = attention**2 * (counts > 0)
        number = round(float((squares * counts).sum() / squares.sum()))
        evidence[colors + min(number, LARGEST_COUNT)] = 1.0
        return evidence


def open_eyes(pictures: Mapping[str, Regions]) -> Eyes:
    """Eyes without detectors yet: the clusters of the shapes and colors of pictures."""
    regions = list(pictures.values())
    layouts = np.array([picture.layout for picture in regions])
    shape_centers = _cluster(np.concatenate([picture.shapes for picture in regions]), _SHAPES)
    color_centers = _cluster(np.concatenate([picture.colors for picture in regions]), _COLORS)
    frequencies = np.zeros(len(shape_centers))
    for picture in regions:
        frequencies[np.unique(_nearest(picture.shapes, shape_centers))] += 1
    rarity = np.log((1 + len(regions)) / (1 + frequencies))
    nothing = Detectors({}, np.zeros((0, 0)), np.zeros(0))
    return Eyes(shape_centers, color_centers, rarity, layouts.mean(axis=0), layouts.std(axis=0) + 1.0, nothing)


def teach_eyes(eyes: Eyes, views: Mapping[str, View], lessons: Sequence[Lesson]) -> tuple[Eyes, dict[str, Eyes]]:
    """Give eyes their detectors; also, for every picture, eyes that have not learned from it."""
    uses = read_uses(lessons)
    folds = {name: number % _FOLDS for number, name in enumerate(views)}
    rests = [{name: view for name, view in views.items() if folds[name] != fold} for fold in range(_FOLDS)]
    detectors = [fit_detectors(rest, uses) for rest in rests]
    odds: dict[str, dict[str, float]] = defaultdict(dict)
    for name, view in views.items():
        own = detectors[folds[name]]
        for word, value in zip(own.places, own.presence(view).tolist(), strict=True):
            odds[word][name] = value
    words = {word for word, of_word in odds.items() if visible(uses[word], of_word)}
    of_folds = [replace(eyes, detectors=own.keep(words)) for own in detectors]
    whole = replace(eyes, detectors=fit_detectors(views, uses).keep(words))
    return whole, {name: of_folds[fold] for name, fold in folds.items()}


@dataclass(frozen=True, slots=True)
class WordUse:
    """The pictures about which a word was used as holding, and those where it was denied."""

    holds: frozenset[str]
    fails: frozenset[str]


def read_uses(lessons: Iterable[Lesson]) -> dict[str, WordUse]:
    """Where each word holds, in the order of the alphabet.

    A word holds where it is in a question, or its answer, that is not denied. It does not hold where the question asks
    about it alone and is denied. Numbers are left out: they have no shape of their own.
    """
    holds: dict[str, set[str]] = defaultdict(set)
    fails: dict[str, set[str]] = defaultdict(set)
    for lesson in lessons:
        words = visible_words(lesson.question)
        if lesson.answer not in _DENIALS:
            for word in (*words, *visible_words(lesson.answer)):
                holds[word].add(lesson.picture)
        elif len(words) == 1:
            fails[words[0]].add(lesson.picture)
    names = sorted(word for word in holds if not word.isdecimal())
    return {word: WordUse(frozenset(holds[word] - fails[word]), frozenset(fails[word])) for word in names}


def fit_detectors(views: Mapping[str, View], uses: Mapping[str, WordUse]) -> Detectors:
    """A detector for every word that is used often enough about the pictures."""
    from sklearn.linear_model import LogisticRegression

    sizes = {word: len(use.holds & views.keys()) for word, use in uses.items()}
    usable = [word for word, size in sizes.items() if _LEAST_PICTURES <= size < len(views)]
    usable = sorted(sorted(usable, key=lambda word: (-sizes[word], word))[:_MOST_DETECTORS])
    vectors = np.array([view.vector for view in views.values()])
    weights, biases = np.zeros((len(usable), vectors.shape[1] if len(views) else 0)), np.zeros(len(usable))
    for place, word in enumerate(usable):
        truth = np.array([name in uses[word].holds for name in views])
        is_sure = truth | np.array([name in uses[word].fails for name in views])
        # liblinear is one thread of its own arithmetic: the same numbers on every machine.
        model = LogisticRegression(C=20, class_weight="balanced", solver="liblinear", random_state=0)
        model.fit(vectors, truth, np.where(is_sure, 1.0, _UNMENTIONED))
        weights[place], biases[place] = model.coef_[0], model.intercept_[0]
    return Detectors({word: place for place, word in enumerate(usable)}, weights, biases)


def visible(use: WordUse, odds: Mapping[str, float]) -> bool:
    """Whether detectors find a word in pictures that they have not learned from, by their log-odds.

    Words such as "kind" or "picture" hold everywhere and look like nothing.
    """
    from sklearn.metrics import roc_auc_score

    truth = [name in use.holds for name in odds]
    return 0 < sum(truth) < len(truth) and roc_auc_score(truth, list(odds.values())) >= _LEAST_AUC


def _cluster(points: Any, count: int) -> Any:
    from sklearn.cluster import KMeans

    points = points[:: max(1, -(-len(points) // _MOST_CLUSTERED))]
    if not len(points):
        return np.zeros((1, points.shape[1]))
    count = min(count, max(1, len(np.unique(points, axis=0)) // 2))
    return KMeans(count, n_init=1, max_iter=25, random_state=0).fit(points).cluster_centers_


def _nearest(points: Any, centers: Any) -> Any:
    """The number of the nearest center of each point."""
    return ((centers**2).sum(axis=1) - 2 * points @ centers.T).argmin(axis=1)
