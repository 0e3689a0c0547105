"""`seeing`: a small model that looks, learned from questions about pictures.

Pictures are taken apart into regions, and regions into shapes and colors by clustering. For every word of the training
questions and answers, a linear *detector* learns from the shapes of the pictures where the word holds. A question is
answered from its own words, from how surely its words are in the picture, and from the colors and the number of the
regions that their detectors attend to.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from diptych.models._blind import AnswerScores, clean_answer, frequent_answers, word_counter
from diptych.models._regions import Regions

_SHAPES, _COLORS = 400, 24  # clusters
_MOST_CLUSTERED = 30_000  # regions that decide the clusters
_LEAST_PICTURES = 3  # pictures of a word that is learned
_MOST_DETECTORS = 600
_LARGEST_COUNT = 6
_UNMENTIONED = 0.3  # the weight of a picture about which nobody used a word: it may hold all the same
_FOLDS = 4
_DENIALS = ("no", "0", "none", "nothing")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A question about a picture with its answer."""

    picture: str
    question: str
    answer: str


def question_words(text: str) -> list[str]:
    """The words of a question or an answer that may name something visible."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    words = (_singular(word) for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in ENGLISH_STOP_WORDS)
    return [*dict.fromkeys(words)]


def _singular(word: str) -> str:
    from diptych.language import singular
    return singular(word) or word


@dataclass(frozen=True, slots=True)
class View:
    """A picture as the model sees it: the cluster of each region's shape and color, and the picture as one vector."""

    shapes: Any
    colors: Any
    vector: Any


class Eyes:
    """Clusters of shapes and colors, and the detectors of words."""

    def __init__(self, pictures: Mapping[str, Regions], lessons: Sequence[Lesson]) -> None:
        names = sorted(pictures)
        regions = [pictures[name] for name in names]
        self.shape_centers = _cluster([picture.shapes for picture in regions], _SHAPES)
        self.color_centers = _cluster([picture.colors for picture in regions], _COLORS)
        counts = np.array([self._count(picture) for picture in regions])
        self.rarity = np.log((1 + len(names)) / (1 + (counts > 0).sum(axis=0)))
        layouts = np.array([picture.layout for picture in regions])
        self.layout_mean, self.layout_spread = layouts.mean(axis=0), layouts.std(axis=0) + 1e-6
        self.views = {name: self.view(picture) for name, picture in zip(names, regions, strict=True)}
        self.words, self.weights, self.biases = self._fit_detectors(names, lessons)
        self.places = {word: place for place, word in enumerate(self.words)}

    def _count(self, picture: Regions) -> Any:
        return np.bincount(_nearest(picture.shapes, self.shape_centers), minlength=len(self.shape_centers))

    def view(self, picture: Regions) -> View:
        shapes = _nearest(picture.shapes, self.shape_centers)
        colors = _nearest(picture.colors, self.color_centers)
        counts = np.minimum(np.bincount(shapes, minlength=len(self.shape_centers)), 3) * self.rarity
        vector = counts / (np.linalg.norm(counts) or 1.0)
        layout = 0.1 * (picture.layout - self.layout_mean) / self.layout_spread
        return View(shapes, colors, np.concatenate([vector, np.clip(layout, -0.3, 0.3)]))

    def _fit_detectors(self, names, lessons):
        from sklearn.linear_model import LogisticRegression
        present, absent = defaultdict(set), defaultdict(set)
        for lesson in lessons:
            words = question_words(lesson.question)
            if lesson.answer not in _DENIALS:
                for word in {*words, *question_words(lesson.answer)}:
                    present[word].add(lesson.picture)
            elif len(words) == 1:
                absent[words[0]].add(lesson.picture)
        vectors = np.array([self.views[name].vector for name in names])
        usable = {word: pics - absent[word] for word, pics in present.items()}
        words = sorted((w for w in usable if _LEAST_PICTURES <= len(usable[w]) < len(names)), key=lambda w: (-len(usable[w]), w))[:_MOST_DETECTORS]
        words.sort()
        weights, biases = [], []
        for word in words:
            holds = np.array([name in usable[word] for name in names])
            sure = holds | np.array([name in absent[word] for name in names])
            detector = LogisticRegression(C=CDET, class_weight="balanced", solver="liblinear", random_state=0)
            detector.fit(vectors, holds, np.where(sure, 1.0, _UNMENTIONED))
            weights.append(detector.coef_[0]); biases.append(float(detector.intercept_[0]))
        return tuple(words), np.array(weights).reshape(len(words), -1), np.array(biases)

    def presence(self, view: View) -> Any:
        return np.clip(self.weights @ view.vector + self.biases, -6, 6)

    def evidence(self, view: View, words: Sequence[str]) -> Any:
        """The colors and the number of the regions that the detectors of some words attend to."""
        nc = len(self.color_centers)
        ev = np.zeros(nc + _LARGEST_COUNT + 1)
        rows = [self.places[word] for word in words if word in self.places]
        if not rows or not len(view.shapes):
            return ev
        attention = np.maximum(self.weights[rows, : len(self.shape_centers)], 0).max(axis=0)
        per = attention[view.shapes]
        if per.sum() > 0:
            ev[:nc] = np.bincount(view.colors, per, minlength=nc) / per.sum()
            counts = np.bincount(view.shapes, minlength=len(self.shape_centers))
            seen = counts > 0
            a2 = attention**2
            number = round(float((a2 * counts)[seen].sum() / a2[seen].sum()))
            ev[nc + min(number, _LARGEST_COUNT)] = 1
        return ev


def _nearest(points, centers):
    d = (centers**2).sum(1)[None] - 2 * points @ centers.T
    return d.argmin(axis=1) if len(points) else np.zeros(0, int)

def _cluster(arrays, k):
    from sklearn.cluster import KMeans
    points = np.concatenate(arrays)
    points = points[:: max(1, -(-len(points) // _MOST_CLUSTERED))]
    k = min(k, max(1, len(np.unique(points, axis=0)) // 2))
    return KMeans(k, n_init=1, max_iter=25, random_state=0).fit(points).cluster_centers_

CDET, COPEN, CYN, EVS = 100, 1.0, 1.0, 3.0

class Seeing:
    def __init__(self, pictures, lessons):
        from sklearn.linear_model import LogisticRegression
        import scipy.sparse as sp
        lessons = [l for l in lessons if l.picture in pictures]
        names = sorted(pictures)
        # out of fold
        self.eyes = Eyes(pictures, lessons)
        fold = {name: i % _FOLDS for i, name in enumerate(names)}
        self.counter = word_counter().fit([l.question for l in lessons])
        opens = [l for l in lessons if l.answer not in ("yes", "no")]
        closed = [l for l in lessons if l.answer in ("yes", "no")]
        # a fold's own eyes share clusters
        import copy
        eyes = []
        for k in range(_FOLDS):
            e = copy.copy(self.eyes)
            rest = [n for n in names if fold[n] != k]
            e.words, e.weights, e.biases = e._fit_detectors(rest, [l for l in lessons if fold[l.picture] != k])
            e.places = {w: i for i, w in enumerate(e.words)}
            eyes.append(e)
        def ev(l):
            e = eyes[fold[l.picture]]
            return e.evidence(e.views[l.picture], question_words(l.question))
        E = np.array([ev(l) for l in opens])
        self.E_mean = E.mean(0)
        keep = set(frequent_answers([l.answer for l in opens]))
        ok = np.array([l.answer in keep for l in opens])
        X = sp.hstack([self.counter.transform([l.question for l in opens]), sp.csr_matrix(E * EVS)]).tocsr()
        self.open = LogisticRegression(C=COPEN, max_iter=200).fit(X[ok], np.array([l.answer for l in opens])[ok])
        self.answers = tuple(self.open.classes_)
        self.aplace = {a: i for i, a in enumerate(self.answers)}
        nq = len(self.counter.vocabulary_)
        self.U = self.open.coef_[:, nq:] * EVS  # evidence weights
        self.U = self.U - self.U.mean(0)
        Y = np.array([self.closed_features(eyes[fold[l.picture]], eyes[fold[l.picture]].views[l.picture], l.question) for l in closed])
        self.y_mean = Y.mean(0)
        self.y_std = Y.std(0) + 1e-6
        Xc = sp.hstack([self.counter.transform([l.question for l in closed]) * 0.3, sp.csr_matrix((Y - self.y_mean) / self.y_std)]).tocsr()
        self.closed = LogisticRegression(C=CYN, max_iter=500).fit(Xc, [l.answer == "yes" for l in closed])
        print("closed coef", self.closed.coef_[0][-Y.shape[1]:].round(2))

    def closed_features(self, eyes, view, question):
        words = question_words(question)
        p = eyes.presence(view)
        d = [p[eyes.places[w]] for w in words if w in eyes.places]
        fits = []
        for w in words:
            a = clean_answer(w)
            if a in self.aplace:
                e = eyes.evidence(view, [x for x in words if x != w])
                if e.any():
                    fits.append(float(self.U[self.aplace[a]] @ (e - self.E_mean)))
        colorlike = fits
        d = d or [0.0]; fits = fits or [0.0]
        return np.array([min(d), np.mean(d), max(d), min(fits), sum(fits)])

    def score(self, view, question):
        import scipy.sparse as sp
        q = self.counter.transform([question])
        if view is None:
            e = self.E_mean
        else:
            e = self.eyes.evidence(view, question_words(question))
        lp = self.open.predict_log_proba(sp.hstack([q, sp.csr_matrix(e[None] * EVS)]))[0]
        if view is not None:
            p = self.eyes.presence(view)
            for i, a in enumerate(self.answers):
                ws = [self.eyes.places[w] for w in question_words(a) if w in self.eyes.places]
                if ws: lp[i] += AL * min(p[w] for w in ws)
        y = (self.closed_features(self.eyes, view, question) - self.y_mean) / self.y_std if view is not None else np.zeros(len(self.y_mean))
        yn = self.closed.decision_function(sp.hstack([q * 0.3, sp.csr_matrix(y[None])]))[0]
        return lp, yn
AL = 0.5
