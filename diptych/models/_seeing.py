"""`seeing`: a small model that looks, learned from questions about pictures.

A question is answered from its own words, from how surely the detectors find its words in the picture, and from the
colors and the number of the regions that they attend to. A yes/no question is checked against the open one: "Is the cat
black?" is a yes where "black" would be a good answer about the cat.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from diptych.errors import BadInputError
from diptych.images import open_images
from diptych.models._blind import YES_NO, AnswerScores, QuestionClassifier, WordFeatures
from diptych.models._eyes import Eyes, View, open_eyes, read_claim, teach_eyes, visible_words
from diptych.models._lessons import Course, Lesson
from diptych.models._model import Query, Reply
from diptych.models._regions import LONGEST_SIDE, Regions, find_regions

MOST_PICTURES = 2_000  # training pictures that are looked at

_BATCH = 256  # questions that are answered together
_EVIDENCE_SCALE = 3.0  # of evidence beside words, which are 0 or 1
_PENALTY = 1e-3  # of the weights of words and evidence
_PRESENCE_WEIGHT = 0.5  # of the detectors of answers, which are not independent of the evidence
_WORD_SCALE = 0.3  # of words beside what is seen, where yes or no is decided
_CHECKS = 5  # numbers that a yes/no question is judged by


class Sight:
    """What was learned: eyes, a classifier of questions with evidence, and how yes and no follow from what is seen."""

    def __init__(self, pictures: Mapping[str, Regions], lessons: Sequence[Lesson]) -> None:
        eyes = open_eyes(pictures)
        views = {name: eyes.view(regions) for name, regions in pictures.items()}
        # How pictures are judged is learned with eyes that have not learned from the picture.
        self.eyes, fresh_eyes = teach_eyes(eyes, views, lessons)
        scenes = [(fresh_eyes[lesson.picture], views[lesson.picture], lesson.question) for lesson in lessons]
        evidence = np.array([eyes.evidence(view, visible_words(question)) for eyes, view, question in scenes])
        self._usual_evidence = evidence.mean(axis=0)
        self._classifier = QuestionClassifier(lessons, _EVIDENCE_SCALE * evidence, _PENALTY)
        self._places = {answer: place for place, answer in enumerate(self._classifier.answers)}
        self._evidence_weights = self._classifier.feature_weights(self.eyes.evidence_size)
        self._answer_rows = [self.eyes.detectors.rows(visible_words(answer)) for answer in self._classifier.answers]
        closed = [number for number, lesson in enumerate(lessons) if lesson.answer in YES_NO]
        checks = np.array([self._check(*scenes[number]) for number in closed])
        self._judge = _Judge([lessons[number] for number in closed], checks.reshape(-1, _CHECKS))

    def _check(self, eyes: Eyes, view: View, question: str) -> list[float]:
        """Numbers that speak for the claim of a question: its words are there, and fit what the others attend to."""
        claim = read_claim(question)
        odds = eyes.detectors.presence(view)
        parts = [odds[rows] for rows in map(eyes.detectors.rows, claim.phrases) if rows] or [np.zeros(1)]
        combine = min if claim.needs_all else max
        fits = [0.0]
        for words in claim.phrases:
            for word in (word for word in words if word in self._places):
                evidence = eyes.evidence(view, [neighbor for neighbor in words if neighbor != word])
                if evidence.any():
                    fits.append(float(self._evidence_weights[self._places[word]] @ (evidence - self._usual_evidence)))
        means = [float(part.mean()) for part in parts]
        return [float(combine(part.min() for part in parts)), combine(means), max(means), min(fits), sum(fits)]

    def scores(self, views: Sequence[View | None], questions: Sequence[str]) -> AnswerScores:
        """How well every answer fits questions about pictures; without a picture, the words decide."""
        evidence = np.tile(self._usual_evidence, (len(views), 1))
        checks = np.tile(self._judge.usual, (len(views), 1))
        presence = np.zeros((len(views), len(self._answer_rows)))
        for row, (view, question) in enumerate(zip(views, questions, strict=True)):
            if view is not None:
                evidence[row] = self.eyes.evidence(view, visible_words(question))
                checks[row] = self._check(self.eyes, view, question)
                odds = self.eyes.detectors.presence(view)
                presence[row] = [odds[rows].min() if rows else 0.0 for rows in self._answer_rows]
        scores = self._classifier.scores(questions, _EVIDENCE_SCALE * evidence)
        values = scores.values + _PRESENCE_WEIGHT * presence
        # How likely yes and no are together is learned from the words; which of them, from what is seen.
        closed = [self._places[answer] for answer in YES_NO]
        both = np.logaddexp.reduce(scores.values[:, closed], axis=1)
        values[:, closed] = both[:, None] + self._judge.verdicts(questions, checks)
        return AnswerScores(scores.answers, values)


class _Judge:
    """How yes and no follow from the words of a question and from what is seen."""

    def __init__(self, lessons: Sequence[Lesson], checks: Any) -> None:
        from sklearn.linear_model import LogisticRegression

        truth = [(lesson.answer == YES_NO[1]) != read_claim(lesson.question).is_negated for lesson in lessons]
        self._model = None
        self.usual, self._spread = np.zeros(_CHECKS), np.ones(_CHECKS)
        if len(set(truth)) == 2:
            self.usual, self._spread = checks.mean(axis=0), checks.std(axis=0) + 1e-6
            self._words = WordFeatures([lesson.question for lesson in lessons])
            self._model = LogisticRegression(solver="liblinear", random_state=0)
            self._model.fit(self._vectors([lesson.question for lesson in lessons], checks), truth)

    def _vectors(self, questions: Sequence[str], checks: Any) -> Any:
        return self._words.vectors(questions, (checks - self.usual) / self._spread, _WORD_SCALE)

    def verdicts(self, questions: Sequence[str], checks: Any) -> Any:
        """The log-probabilities of no and of yes."""
        if self._model is None:
            return np.full((len(questions), 2), np.log(0.5))
        values = self._model.predict_log_proba(self._vectors(questions, checks))
        is_negated = [read_claim(question).is_negated for question in questions]
        return np.where(np.array(is_negated)[:, None], values[:, ::-1], values)


class Seeing:
    """The model `seeing`: it learns from training pictures when it is first asked."""

    name = "seeing"

    def __init__(self, course: Course, images: Path) -> None:
        self._store = open_images(images)
        names = dict.fromkeys(lesson.picture for lesson in course.lessons if lesson.picture)
        present = set(islice((name for name in names if self._store.find(name)), MOST_PICTURES))
        if not present:
            raise BadInputError(
                f"{images}: contains none of the training pictures of {course.origin}, which seeing needs"
            )
        lessons = tuple(lesson for lesson in course.lessons if lesson.picture in present)
        self._course, self._pictures = Course(course.origin, lessons), len(present)

    def header(self) -> Mapping[str, Any]:
        """What it learned from, and how it looks."""
        rule = f"longest side scaled to {LONGEST_SIDE} pixels (area)"
        return {"revision": "1", "image_rule": rule, "pictures": self._pictures, **self._course.header()}

    @cached_property
    def _sight(self) -> Sight:
        return learn_to_see(self._course.lessons, self._store.root)

    def ask(self, queries: Iterable[Query]) -> Iterator[tuple[Query, Reply]]:
        """Reply to queries, a batch at a time."""
        from threadpoolctl import threadpool_limits

        remaining = iter(queries)
        while batch := list(islice(remaining, _BATCH)):
            with threadpool_limits(1):  # the same sums on any number of threads
                replies = self._reply(batch)
            yield from zip(batch, replies, strict=True)

    def _reply(self, batch: Sequence[Query]) -> list[Reply]:
        views: dict[str, View | None] = {"": None}
        sizes: dict[str, tuple[int, int] | None] = {"": None}
        for query in batch:
            if query.picture is not None and query.picture_key not in views:
                regions = find_regions(query.picture())
                if regions is None:
                    raise BadInputError(f"picture {query.picture_key}: not an image; replace the file")
                views[query.picture_key], sizes[query.picture_key] = self._sight.eyes.view(regions), regions.size
        keys = [query.picture_key if query.picture else "" for query in batch]
        scores = self._sight.scores([views[key] for key in keys], [query.question for query in batch])
        return [
            replace(scores.best(row, query), image_size=sizes[key])
            for row, (query, key) in enumerate(zip(batch, keys, strict=True))
        ]


@lru_cache(maxsize=1)
def learn_to_see(lessons: tuple[Lesson, ...], images: Path) -> Sight:
    """Learn from the pictures of a folder and the questions about them, once for all that is asked in a row."""
    from threadpoolctl import threadpool_limits

    store = open_images(images)
    names = sorted({lesson.picture for lesson in lessons})
    looked_at = {name: find_regions(store.read(name)) for name in names}
    pictures = {name: regions for name, regions in looked_at.items() if regions is not None}
    if not pictures:
        raise BadInputError(f"{images}: its training pictures cannot be read; replace the files")
    with threadpool_limits(1):  # the same sums on any number of threads
        return Sight(pictures, [lesson for lesson in lessons if lesson.picture in pictures])
