"""`blind`: a classifier of the words of a question, which shows how far the question alone leads."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import batched
from typing import Any

import numpy as np
import pyarrow as pa

from diptych.models._lessons import Course, Lesson, clean_answer, half_of, split_course
from diptych.models._model import NUMBER, YES_OR_NO, Query, Reply

MOST_ANSWERS = 300  # different answers that are learned, the most frequent ones

MOST_WORDS = 20_000  # words and word pairs that are learned

YES_NO = ("no", "yes")
_BATCH = 1024  # questions that are answered together


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """How well every answer fits every question of a batch."""

    answers: tuple[str, ...]
    values: Any  # log-probabilities: a row per question, a column per answer

    def best(self, row: int, query: Query) -> Reply:
        """The best answer to a question among those it allows, with the log-probability of it among them."""
        allowed = self._allowed(query)
        columns = [self.answers.index(answer) if answer in self.answers else -1 for answer in map(clean_answer, allowed)]
        # A choice that was never an answer is less likely than any that was.
        values = np.append(self.values[row], self.values[row].min() - 1.0)[columns]
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


class QuestionClassifier:
    """A linear classifier of questions by their words and word pairs, and by further features where there are any."""

    def __init__(self, lessons: Sequence[Lesson], features: Any = None) -> None:
        frequencies = Counter(lesson.answer for lesson in lessons)
        ranked = sorted(frequencies, key=lambda answer: (-frequencies[answer], answer))
        self.answers = tuple(sorted({*ranked[:MOST_ANSWERS], *YES_NO}))
        rows = [row for row, lesson in enumerate(lessons) if lesson.answer in self.answers]
        answers = np.array([self.answers.index(lessons[row].answer) for row in rows])
        self._model, self._words = None, None
        self.classes = np.unique(answers) if rows else np.zeros(0, int)
        if len(self.classes) > 1:
            from sklearn.feature_extraction.text import CountVectorizer
            from sklearn.linear_model import SGDClassifier

            tokens = {"ngram_range": (1, 2), "binary": True, "token_pattern": r"(?u)\b\w+\b"}
            self._words = CountVectorizer(max_features=MOST_WORDS, dtype=np.float64, **tokens)
            self._words.fit([lessons[row].question for row in rows])
            # Stochastic descent is one thread of plain arithmetic, so that the same lessons give the same model.
            self._model = SGDClassifier(loss="log_loss", alpha=1e-4, average=True, random_state=0)
            kept = None if features is None else features[rows]
            self._model.fit(self._vectors([lessons[row].question for row in rows], kept), answers)

    def _vectors(self, questions: Sequence[str], features: Any) -> Any:
        from scipy import sparse

        assert self._words is not None
        words = self._words.transform(questions)
        return words if features is None else sparse.hstack([words, sparse.csr_matrix(features)], format="csr")

    def feature_weights(self) -> Any:
        """The weight of each further feature for each answer."""
        if self._model is None or self._words is None:
            return None
        weights = self._model.coef_[:, len(self._words.vocabulary_) :]
        if len(self.classes) == 2:
            weights = np.concatenate([-weights, weights])
        full = np.zeros((len(self.answers), weights.shape[1]))
        full[self.classes] = weights - weights.mean(axis=0)
        return full

    def scores(self, questions: Sequence[str], features: Any = None) -> AnswerScores:
        """The log-probability of every answer to every question."""
        values = np.full((len(questions), len(self.answers)), -20.0)
        if self._model is None:
            values[:, self.classes] = 0.0
        else:
            margins = self._model.decision_function(self._vectors(questions, features))
            margins = np.stack([-margins, margins], axis=1) if margins.ndim == 1 else margins
            values[:, self.classes] = -np.logaddexp(0.0, -margins)
        return AnswerScores(self.answers, values - np.logaddexp.reduce(values, axis=1)[:, None])


class Blind:
    """The model `blind`: it reads the question and never looks."""

    name = "blind"
    looks = False

    def __init__(self, pairs: pa.Table, course: Course | None) -> None:
        """Learn from a course, or where there is none from each half of the pairs for the other."""
        self._courses = (course,) if course else split_course(pairs)

    def header(self) -> Mapping[str, Any]:
        """What it learned from."""
        origin, *others = (course.header() for course in self._courses)
        if others:
            text = "cross-fitted: each half of the images is answered by a model of the other half"
            origin = {"training": text, "training_digest": [course["training_digest"] for course in (origin, *others)]}
        return {"revision": "1", "classifier": "logistic regression on words and word pairs", **origin}

    def fold(self, row: Mapping[str, Any]) -> int:
        """Which of its classifiers answers about a pair: that of the half in which the pair is not."""
        return (1 - half_of(row)) * (len(self._courses) - 1)

    @cached_property
    def _classifiers(self) -> tuple[QuestionClassifier, ...]:
        return tuple(QuestionClassifier(course.lessons) for course in self._courses)

    def ask(self, queries: Iterable[Query]) -> Iterator[tuple[Query, Reply]]:
        """Reply to queries, a batch at a time."""
        for batch in _batches(queries, _BATCH):
            for fold, classifier in enumerate(self._classifiers):
                part = [query for query in batch if query.fold == fold]
                scores = classifier.scores([query.question for query in part]) if part else None
                for row, query in enumerate(part):
                    assert scores is not None
                    yield query, scores.best(row, query)
