"""`blind`: a classifier of the words of a question, which shows how far the question alone leads."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from diptych.language import parse_count
from diptych.models._model import CHOICE, NUMBER, YES_OR_NO, Query

MOST_ANSWERS = 300  # different answers that are learned, the most frequent ones; two more are yes and no

MOST_WORDS = 20_000  # words and word pairs that are learned

_YES_NO = ("yes", "no")
_ANSWER_TYPES = {**dict.fromkeys(_YES_NO, YES_OR_NO)}


def clean_answer(text: str) -> str:
    """An answer as it is learned: lower case, without a period at its end, a number in digits.

    >>> clean_answer("Two."), clean_answer("Hot dog")
    ('2', 'hot dog')
    """
    answer = " ".join(text.lower().strip().rstrip(".").split())
    count = parse_count(answer)
    return answer if count is None else str(count)


def word_counter() -> Any:
    """What takes a question apart into its words and word pairs."""
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(ngram_range=(1, 2), binary=True, token_pattern=r"(?u)\b\w+\b", max_features=MOST_WORDS)


def frequent_answers(answers: Sequence[str]) -> list[str]:
    """The answers that are learned, in the order of the alphabet."""
    frequencies = Counter(answers)
    ranked = sorted(frequencies, key=lambda answer: (-frequencies[answer], answer))
    return sorted({*ranked[:MOST_ANSWERS], *_YES_NO})


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """How well each answer of a vocabulary fits each of some questions."""

    answers: tuple[str, ...]
    values: Any  # log-probabilities: one row per question, one column per answer

    def best(self, row: int, query: Query) -> tuple[str, float]:
        """The best answer to a question among those it allows, and the log-probability of it among them."""
        allowed, columns = self._allowed(query)
        values = np.where(columns < 0, self.values[row].min() - 1.0, self.values[row][np.maximum(columns, 0)])
        index = int(values.argmax())
        return allowed[index], float(values[index] - np.logaddexp.reduce(values))

    def _allowed(self, query: Query) -> tuple[Sequence[str], Any]:
        """The answers that a question allows, and their columns; -1 for a choice that was never an answer."""
        places = {answer: column for column, answer in enumerate(self.answers)}
        if query.choices:
            return query.choices, np.array([places.get(clean_answer(choice), -1) for choice in query.choices])
        allowed = [answer for answer in self.answers if _is_allowed(answer, query.answer_type)] or list(self.answers)
        return allowed, np.array([places[answer] for answer in allowed])


def _is_allowed(answer: str, answer_type: str) -> bool:
    if answer_type == YES_OR_NO:
        return answer in _YES_NO
    return answer_type != NUMBER or answer.isdecimal()
