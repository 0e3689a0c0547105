"""What is right: an answer against ten annotators, or against a list of answers each of which is accepted.

Accuracies are kept as whole sixtieths: a third, a tenth and the mean of two sides are then integers, and no order of
the rows changes a sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .answers import NORMALISERS, normalise, one_line
from .coding import Coded, CodedLists, Codes
from .errors import unknown

PARTS = 60
"""One whole, in the units accuracies are counted in."""

ANNOTATORS = 10
"""This many entries in a list of answers are ten people's; any other number is a list of accepted answers."""

RIGHTS: dict[str, str] = {
    "vqa": "accuracy is the VQA accuracy; a side counts as right from a VQA accuracy of one half",
    "vqa-full": "accuracy is the VQA accuracy; a side counts as right at a VQA accuracy of one",
    "any": "a side is right where any annotator or accepted answer agrees",
    "shown": "a side is right where it gives the one answer that is shown",
}
"""What may count as right, and what that means."""

AVERAGINGS: tuple[str, ...] = ("eq2", "leave-one-out")
"""How agreement with ten annotators becomes an accuracy."""

_NOTHING_SAID = -1


def vqa_accuracy(
    answer: str, ten_answers: Sequence[str], normaliser: str = "vqa", averaging: str | None = None
) -> float:
    """The VQA accuracy of an answer: three of ten annotators make it right.

    `eq2` is min(k/3, 1) for k annotators who agree (Eq. 2 of the basic-questions paper); `leave-one-out` is its mean
    over the ten sets of nine annotators, as the released evaluation computes it. The default is `leave-one-out` for
    `vqa-official` and `eq2` otherwise. Any other number of answers than ten is a list of accepted answers.

    >>> vqa_accuracy("Two", ["2"] * 2 + ["3"] * 8)
    0.6666666666666666
    >>> vqa_accuracy("Two", ["2"] * 2 + ["3"] * 8, averaging="leave-one-out")
    0.6
    >>> vqa_accuracy("Yes", ["yes"] * 10), vqa_accuracy("Yes", ["yes"] * 10, normaliser="vqa-official")
    (1.0, 0.0)
    """
    book = Codebook(normaliser)
    lists = CodedLists(Coded(np.arange(len(ten_answers)), list(ten_answers)), np.array([0, len(ten_answers)]))
    key = AnswerKey.of(lists, book)
    said = Coded(np.zeros(1, dtype=np.int64), [answer])
    return float(key.accuracy(said.map(book.key), said.map(book.bare), averaging_of(normaliser, averaging))[0]) / PARTS


def averaging_of(normaliser: str, averaging: str | None) -> str:
    """The averaging that was asked for, or the one that goes with the normaliser."""
    chosen = averaging or ("leave-one-out" if normaliser == "vqa-official" else "eq2")
    if chosen not in AVERAGINGS:
        raise unknown("averaging", chosen, AVERAGINGS)
    return chosen


class Codebook:
    """Numbers for answers: equal numbers for answers that the normaliser makes equal."""

    def __init__(self, normaliser: str) -> None:
        if normaliser not in NORMALISERS:
            raise unknown("normaliser", normaliser, NORMALISERS)
        self.normaliser = normaliser
        self._numbers: dict[str, int] = {}
        self._keys: dict[str, int] = {}

    def key(self, answer: str) -> int:
        """The number of a normalised answer.

        An answer of which nothing is left ("A", "?") equals only itself: else saying nothing would answer it.
        """
        known = self._keys.get(answer)
        if known is None:
            text = normalise(answer, self.normaliser)
            if not text and self.normaliser == "vqa":
                text = "\0" + one_line(answer).lower()
            known = self._keys[answer] = self._number(text)
        return known

    def bare(self, answer: str) -> int:
        """The number of an answer that is only put on one line."""
        return self._number("\1" + one_line(answer))

    def _number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """The right answers of one side of every pair, as numbers of a codebook."""

    rows: Codes
    """The pair each entry belongs to."""
    lengths: Codes
    keys: Codes
    bare: Codes
    unanimous: NDArray[np.bool_]
    """Where the released evaluation would not normalise; nowhere under another normaliser."""

    @classmethod
    def of(cls, lists: CodedLists, book: Codebook) -> "AnswerKey":
        """Number the entries of every list."""
        lengths = lists.lengths
        rows = np.repeat(np.arange(len(lengths)), lengths)
        keys = lists.entries.map(book.key)
        if book.normaliser != "vqa-official":
            return cls(rows, lengths, keys, keys, np.zeros(len(lengths), dtype=np.bool_))
        bare = lists.entries.map(book.bare)
        return cls(rows, lengths, keys, bare, _unanimous(bare, rows, lists))

    def agreeing(self, said: Codes, said_bare: Codes) -> Codes:
        """How many entries of each list agree with what was said."""
        agree = said[self.rows] == self.keys
        if self.unanimous.any():
            agree = np.where(self.unanimous[self.rows], said_bare[self.rows] == self.bare, agree)
        return np.bincount(self.rows[agree], minlength=len(self.lengths))

    def accuracy(self, said: Codes, said_bare: Codes, averaging: str) -> Codes:
        """The accuracy of what was said, in parts of `PARTS`."""
        agreeing = self.agreeing(said, said_bare)
        by_ten = _TEN[averaging][np.minimum(agreeing, ANNOTATORS)]
        return np.where(self.lengths == ANNOTATORS, by_ten, np.where(agreeing > 0, PARTS, 0))


def _unanimous(bare: Codes, rows: Codes, lists: CodedLists) -> NDArray[np.bool_]:
    lengths = lists.lengths
    filled = lengths > 0
    first = np.full(len(lengths), _NOTHING_SAID, dtype=np.int64)
    first[filled] = bare[lists.offsets[:-1][filled]]
    differing = np.bincount(rows[bare != first[rows]], minlength=len(lengths))
    same: NDArray[np.bool_] = differing == 0
    return same & filled


def _leave_one_out(agreeing: int) -> int:
    among_agreeing = agreeing * min(3, max(agreeing - 1, 0))
    among_others = (ANNOTATORS - agreeing) * min(3, agreeing)
    return (among_agreeing + among_others) * PARTS // (3 * ANNOTATORS)


_TEN: dict[str, Codes] = {
    "eq2": np.array([min(k, 3) * PARTS // 3 for k in range(ANNOTATORS + 1)], dtype=np.int64),
    "leave-one-out": np.array([_leave_one_out(k) for k in range(ANNOTATORS + 1)], dtype=np.int64),
}
