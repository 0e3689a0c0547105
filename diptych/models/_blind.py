"""`blind`: a classifier of the words of a question, which shows how far the question alone leads."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from diptych.models._lessons import Course, Lesson, clean_answer, half_of, split_course
from diptych.models._model import NUMBER, YES_OR_NO, Query, Reply

MOST_ANSWERS = 300  # different answers that are learned, the most frequent ones

MOST_WORDS = 20_000  # words and word pairs that are learned

YES_NO = ("no", "yes")
_LEAST = -20.0  # the log-probability of an answer that was never learned
_BATCH = 1024  # questions that are answered together


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """How well every answer fits every question of a batch."""

    answers: tuple[str, ...]
    values: Any  # log-probabilities: a row per question, a column per answer

    def best(self, row: int, query: Query) -> Reply:
        """The best answer to a question among those it allows, with the log-probability of it among them."""
        allowed = self._allowed(query)
        places = {answer: place for place, answer in enumerate(self.answers)}
        # A choice that was never an answer is less likely than any that was: it has the last place.
        values = np.append(self.values[row], self.values[row].min() - 1.0)
        values = values[[places.get(clean_answer(answer), -1) for answer in allowed]]
        index = int(values.argmax())
        return Reply(allowed[index], finish_reason="stop", logprob=float(values[index] - np.logaddexp.reduce(values)))

    def _allowed(self, query: Query) -> Sequence[str]:
        if query.choices:
            return query.choices
        if query.answer_type == YES_OR_NO:
            return YES_NO
        if query.answer_type == NUMBER:
            return [answer for answer in self.answers if answer.isdecimal()] or ["1"]
        return self.answers


class WordFeatures:
    """The words and word pairs of questions as sparse vectors, with further features beside them."""

    def __init__(self, questions: Iterable[str]) -> None:
        from sklearn.feature_extraction.text import CountVectorizer

        tokens: dict[str, Any] = {"ngram_range": (1, 2), "binary": True, "token_pattern": r"(?u)\b\w+\b"}
        self._counter = CountVectorizer(max_features=MOST_WORDS, dtype=np.float64, **tokens).fit(questions)

    def __len__(self) -> int:
        return len(self._counter.vocabulary_)

    def vectors(self, questions: Sequence[str], features: Any = None, scale: float = 1.0) -> Any:
        """A row per question; `scale` is that of the words."""
        from scipy import sparse

        words = scale * self._counter.transform(questions)
        return words if features is None else sparse.hstack([words, sparse.csr_matrix(features)], format="csr")


class QuestionClassifier:
    """A logistic regression of answers on the words and word pairs of questions, and on further features."""

    def __init__(self, lessons: Sequence[Lesson], features: Any = None, penalty: float = 1e-4) -> None:
        from sklearn.linear_model import SGDClassifier

        frequencies = Counter(lesson.answer for lesson in lessons)
        ranked = sorted(frequencies, key=lambda answer: (-frequencies[answer], answer))
        self.answers = tuple(sorted({*ranked[:MOST_ANSWERS], *YES_NO}))
        places = {answer: place for place, answer in enumerate(self.answers)}
        rows = [row for row, lesson in enumerate(lessons) if lesson.answer in places]
        classes = [places[lessons[row].answer] for row in rows]
        self._classes = sorted(set(classes))
        self.words, self._model = None, None
        if len(self._classes) > 1:
            questions = [lessons[row].question for row in rows]
            self.words = WordFeatures(questions)
            # Stochastic descent is one thread of plain arithmetic, so that the same lessons give the same model.
            self._model = SGDClassifier(loss="log_loss", alpha=penalty, average=True, random_state=0)
            self._model.fit(self.words.vectors(questions, None if features is None else features[rows]), classes)

    def feature_weights(self, features: int) -> Any:
        """How much each of the further features speaks for each answer, against the mean of all answers."""
        weights = np.zeros((len(self.answers), features))
        if self._model is not None and self.words is not None:
            learned = self._model.coef_[:, len(self.words) :]
            learned = np.concatenate([-learned, learned]) if len(self._classes) == 2 else learned
            weights[self._classes] = learned - learned.mean(axis=0)
        return weights

    def scores(self, questions: Sequence[str], features: Any = None) -> AnswerScores:
        """The log-probability of every answer to every question."""
        values = np.full((len(questions), len(self.answers)), _LEAST)
        if self._model is None or self.words is None:
            values[:, self._classes] = 0.0
        else:
            margins = self._model.decision_function(self.words.vectors(questions, features))
            margins = np.stack([-margins, margins], axis=1) if margins.ndim == 1 else margins
            values[:, self._classes] = np.maximum(-np.logaddexp(0.0, -margins), _LEAST)
        return AnswerScores(self.answers, values - np.logaddexp.reduce(values, axis=1)[:, None])


class Blind:
    """The model `blind`: it reads the question and never looks."""

    name = "blind"

    def __init__(self, pairs: pa.Table, course: Course | None = None) -> None:
        """Learn from a course; where there is none, learn from each half of the pairs for the other half."""
        self._courses = (course,) if course else split_course(pairs)

    def header(self) -> Mapping[str, Any]:
        """What it learned from."""
        header, *others = (course.header() for course in self._courses)
        if others:
            text = "cross-fitted: each half of the images is answered by a model of the other half"
            header = {"training": text, "training_digest": [part["training_digest"] for part in (header, *others)]}
        return {"revision": "1", "decoding": {}, "image_rule": None, **header}

    def fold(self, row: Mapping[str, Any]) -> int:
        """Which of its classifiers answers about a pair: where there are two, that of the half without the pair."""
        return (1 - half_of(row)) * (len(self._courses) - 1)

    @cached_property
    def _classifiers(self) -> tuple[QuestionClassifier, ...]:
        return tuple(QuestionClassifier(course.lessons) for course in self._courses)

    def ask(self, queries: Iterable[Query]) -> Iterator[tuple[Query, Reply]]:
        """Reply to queries, a batch at a time."""
        remaining = iter(queries)
        while batch := list(islice(remaining, _BATCH)):
            for fold, classifier in enumerate(self._classifiers):
                part = [query for query in batch if query.fold == fold]
                scores = classifier.scores([query.question for query in part]) if part else None
                for row, query in enumerate(part):
                    assert scores is not None
                    yield query, scores.best(row, query)
