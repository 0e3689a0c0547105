"""The accuracy of an answer, against ten annotators or against a list of answers each of which is accepted.

Accuracies are kept as whole sixtieths: a third, a tenth and the mean of two sides are then integers, and no order of
the rows changes a sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .columns import CodedColumn, CodedLists, Codes
from .errors import unknown_name
from .normalization import NORMALIZERS, normalize, one_line

PARTS = 60
"""One whole, in the units accuracies are counted in."""

ANNOTATORS = 10
"""This many entries in a list of answers are those of ten people; any other number is a list of accepted answers."""

RIGHTS: dict[str, str] = {
    "vqa": "accuracy is the VQA accuracy; a side counts as right from a VQA accuracy of one half",
    "vqa-full": "accuracy is the VQA accuracy; a side counts as right at a VQA accuracy of one",
    "any": "a side is right where any annotator or accepted answer agrees",
    "shown": "a side is right where it gives the one answer that is shown",
}
"""What may count as right, and what that means."""

AVERAGINGS: tuple[str, ...] = ("eq2", "leave-one-out")
"""How agreement with ten annotators becomes an accuracy."""

_NO_ENTRY = -1


def vqa_accuracy(
    answer: str, references: Sequence[str], normalizer: str = "vqa", averaging: str | None = None
) -> float:
    """The VQA accuracy of an answer: three of ten annotators make it right.

    `eq2` is min(k/3, 1) for k annotators who agree (Eq. 2 of the basic-questions paper); `leave-one-out` is its mean
    over the ten sets of nine annotators, as the released evaluation computes it. The default is `leave-one-out` for
    `vqa-official` and `eq2` otherwise. Any other number of references than ten is a list of accepted answers.

    >>> vqa_accuracy("Two", ["2"] * 2 + ["3"] * 8)
    0.6666666666666666
    >>> vqa_accuracy("Two", ["2"] * 2 + ["3"] * 8, averaging="leave-one-out")
    0.6
    >>> vqa_accuracy("Yes", ["yes"] * 10), vqa_accuracy("Yes", ["yes"] * 10, normalizer="vqa-official")
    (1.0, 0.0)
    """
    codebook = Codebook(normalizer)
    lists = CodedLists(CodedColumn(np.arange(len(references)), list(references)), np.array([0, len(references)]))
    key = AnswerKey.encode(lists, codebook)
    answers, verbatim_answers = np.array([codebook.code(answer)]), np.array([codebook.verbatim_code(answer)])
    return float(key.accuracy(answers, verbatim_answers, choose_averaging(normalizer, averaging))[0]) / PARTS


def choose_averaging(normalizer: str, averaging: str | None) -> str:
    """The averaging, by default the one that goes with the normalizer."""
    name = averaging or ("leave-one-out" if normalizer == "vqa-official" else "eq2")
    if name not in AVERAGINGS:
        raise unknown_name("averaging", name, AVERAGINGS)
    return name


class Codebook:
    """Codes of answers: equal codes for answers that the normalizer makes equal."""

    def __init__(self, normalizer: str) -> None:
        if normalizer not in NORMALIZERS:
            raise unknown_name("normalizer", normalizer, NORMALIZERS)
        self.normalizer = normalizer
        self._text_codes: dict[str, int] = {}
        self._answer_codes: dict[str, int] = {}

    def code(self, answer: str) -> int:
        """The code of a normalized answer.

        An answer of which nothing is left ("A", "?") equals only itself: otherwise an empty answer would be right.
        """
        code = self._answer_codes.get(answer)
        if code is None:
            text = normalize(answer, self.normalizer)
            if not text and self.normalizer == "vqa":
                text = "\0" + one_line(answer).lower()
            code = self._answer_codes[answer] = self._text_code(text)
        return code

    def verbatim_code(self, answer: str) -> int:
        """The code of an answer that is only put on one line."""
        return self._text_code("\1" + one_line(answer))

    def _text_code(self, text: str) -> int:
        return self._text_codes.setdefault(text, len(self._text_codes))


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """The right answers of one side of every pair, as codes of a codebook."""

    rows: Codes
    """The pair that each entry belongs to."""
    lengths: Codes
    codes: Codes
    verbatim_codes: Codes
    unanimous: NDArray[np.bool_]
    """Where the released evaluation would not normalize; nowhere under another normalizer."""

    @classmethod
    def encode(cls, lists: CodedLists, codebook: Codebook) -> "AnswerKey":
        """Encode the entries of every list."""
        lengths = lists.lengths
        rows = np.repeat(np.arange(len(lengths)), lengths)
        codes = lists.entries.map(codebook.code)
        if codebook.normalizer != "vqa-official":
            return cls(rows, lengths, codes, codes, np.zeros(len(lengths), dtype=np.bool_))
        verbatim_codes = lists.entries.map(codebook.verbatim_code)
        return cls(rows, lengths, codes, verbatim_codes, _unanimous(verbatim_codes, rows, lists))

    def agreement(self, answers: Codes, verbatim_answers: Codes) -> Codes:
        """How many entries of each list agree with the answer."""
        is_agreement = answers[self.rows] == self.codes
        if self.unanimous.any():
            is_agreement = np.where(
                self.unanimous[self.rows], verbatim_answers[self.rows] == self.verbatim_codes, is_agreement
            )
        return np.bincount(self.rows[is_agreement], minlength=len(self.lengths))

    def accuracy(self, answers: Codes, verbatim_answers: Codes, averaging: str) -> Codes:
        """The accuracy of each answer, in parts of `PARTS`."""
        agreement = self.agreement(answers, verbatim_answers)
        of_ten = _ACCURACY_OF_TEN[averaging][np.minimum(agreement, ANNOTATORS)]
        return np.where(self.lengths == ANNOTATORS, of_ten, np.where(agreement > 0, PARTS, 0))


def _unanimous(codes: Codes, rows: Codes, lists: CodedLists) -> NDArray[np.bool_]:
    lengths = lists.lengths
    is_filled = lengths > 0
    first = np.full(len(lengths), _NO_ENTRY, dtype=np.int64)
    first[is_filled] = codes[lists.offsets[:-1][is_filled]]
    differences = np.bincount(rows[codes != first[rows]], minlength=len(lengths))
    is_same: NDArray[np.bool_] = differences == 0
    return is_same & is_filled


def _leave_one_out(agreement: int) -> int:
    without_one_agreeing = agreement * min(3, max(agreement - 1, 0))
    without_another = (ANNOTATORS - agreement) * min(3, agreement)
    return (without_one_agreeing + without_another) * PARTS // (3 * ANNOTATORS)


_ACCURACY_OF_TEN: dict[str, Codes] = {
    "eq2": np.array([min(k, 3) * PARTS // 3 for k in range(ANNOTATORS + 1)], dtype=np.int64),
    "leave-one-out": np.array([_leave_one_out(k) for k in range(ANNOTATORS + 1)], dtype=np.int64),
}
