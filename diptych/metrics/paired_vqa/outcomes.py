"""What a model did on every pair: its answer, whether that could be read, how accurate and whether it is right.

Accuracies are kept as whole sixtieths: a third, a tenth and the mean of two sides are then integers, and no order of
the rows changes a sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .columns import CodedColumn, Codes, unknown_name
from .normalization import YES_NO, normalize
from .reader import parse_answer
from .references import OPEN_ENDED, YES_OR_NO, AnswerKey, Codebook, References, SideKey

Flags = NDArray[np.bool_]

PARTS = 60  # one whole, in the units accuracies are counted in

ANNOTATORS = 10
"""This many entries in a list of answers are those of ten people; any other number is a list of accepted answers."""

RIGHTS: dict[str, str] = {
    "vqa": "accuracy is the VQA accuracy; a side counts as right from a VQA accuracy of one half",
    "vqa-full": "accuracy is the VQA accuracy; a side counts as right at a VQA accuracy of one",
    "any": "a side is right where any annotator or accepted answer agrees",
    "shown": "a side is right where it gives the one answer that is shown",
}
"""What may count as right, and what that means."""

UNPARSED = -1  # the code of an answer that could not be read; it agrees with nothing, not even with itself


@dataclass(frozen=True, slots=True)
class Options:
    """How answers are read and judged, which scores are computed, and how."""

    family: str = "all"
    right: str = "vqa"
    averaging: str | None = None
    parse: bool | None = None
    """Whether answers to closed questions are parsed; by default only under the normalizer `vqa`."""
    t: float = 5e-4
    m: float = 0.2
    bootstrap: int = 1000
    seed: int = 0

    def parses(self, normalizer: str) -> bool:
        """Whether free-form answers are parsed under a normalizer."""
        return normalizer == "vqa" if self.parse is None else self.parse


@dataclass(frozen=True, slots=True)
class SideOutcome:
    """What a model did on one side of every pair."""

    answers: Codes
    accuracy: Codes  # in parts of `PARTS`
    right: Flags
    closed: Flags  # where the question leaves choices, so that the answer had to be parsed
    parsed: Flags  # where the answer could be read
    yes: Flags
    no: Flags


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a model did on both sides of every pair."""

    original: SideOutcome
    perturbed: SideOutcome
    parsed: Flags  # where both answers could be read
    same: Flags  # where both sides have the same answer
    changed: Flags  # where the two sides have different answers


def vqa_accuracy(
    answer: str, references: Sequence[str], normalizer: str = "vqa", averaging: str | None = None
) -> float:
    """The VQA accuracy of an answer: three of ten annotators make it right.

    `eq2` is min(k/3, 1) for k annotators who agree (Eq. 2 of the basic-questions paper); `leave-one-out` is its mean
    over the ten sets of nine annotators, as the released evaluation computes it. The default is `leave-one-out` for
    `vqa-official` and `eq2` otherwise. Any other number of references than ten is a list of accepted answers.

    >>> vqa_accuracy("Two", ["2"] * 2 + ["3"] * 8, averaging="leave-one-out")
    0.6
    """
    codebook = Codebook(normalizer)
    entries = CodedColumn(np.arange(len(references)), list(references))
    key = AnswerKey.encode(entries, np.array([len(references)]), codebook)
    answers, verbatim_answers = np.array([codebook.code(answer)]), np.array([codebook.verbatim_code(answer)])
    agreement = key.agreement(answers, verbatim_answers)
    return float(_accuracy(agreement, key.lengths, choose_averaging(normalizer, averaging))[0]) / PARTS


def choose_averaging(normalizer: str, averaging: str | None) -> str:
    """The averaging, by default the one that goes with the normalizer."""
    name = averaging or ("leave-one-out" if normalizer == "vqa-official" else "eq2")
    if name not in _ACCURACY_OF_TEN:
        raise unknown_name("averaging", name, _ACCURACY_OF_TEN)
    return name


def _accuracy(agreement: Codes, lengths: Codes, averaging: str) -> Codes:
    """The accuracy of each answer from how many entries of its list agree with it."""
    of_ten = _ACCURACY_OF_TEN[averaging][np.minimum(agreement, ANNOTATORS)]
    return np.where(lengths == ANNOTATORS, of_ten, np.where(agreement > 0, PARTS, 0))


def _leave_one_out(agreement: int) -> int:
    without_one_agreeing = agreement * min(3, max(agreement - 1, 0))
    without_another = (ANNOTATORS - agreement) * min(3, agreement)
    return (without_one_agreeing + without_another) * PARTS // (3 * ANNOTATORS)


# How agreement with ten annotators becomes an accuracy.
_ACCURACY_OF_TEN: dict[str, Codes] = {
    "eq2": np.array([min(k, 3) * PARTS // 3 for k in range(ANNOTATORS + 1)], dtype=np.int64),
    "leave-one-out": np.array([_leave_one_out(k) for k in range(ANNOTATORS + 1)], dtype=np.int64),
}


def judge(references: References, original: CodedColumn, perturbed: CodedColumn, options: Options) -> Outcome:
    """Read and judge the answers of a model on both sides."""
    if options.right not in RIGHTS:
        raise unknown_name("rule for what is right", options.right, RIGHTS)
    first = _judge_side(references, references.original, original, options)
    second = _judge_side(references, references.perturbed, perturbed, options)
    is_parsed, is_equal = first.parsed & second.parsed, first.answers == second.answers
    return Outcome(first, second, is_parsed, is_parsed & is_equal, is_parsed & ~is_equal)


def _judge_side(references: References, side: SideKey, column: CodedColumn, options: Options) -> SideOutcome:
    codebook = references.codebook
    verbatim_answers = column.map(codebook.verbatim_code) if codebook.normalizer == "vqa-official" else column.codes
    if options.parses(codebook.normalizer):
        answers = _parse(column, side, references.choice_sets, codebook)
    else:
        answers = column.map(codebook.code)
    averaging = choose_averaging(codebook.normalizer, options.averaging)
    if options.right == "shown":
        accuracy = np.where(answers == side.shown_answers.map(codebook.code), PARTS, 0)
    else:
        agreement = side.key.agreement(answers, verbatim_answers)
        is_any = options.right == "any"
        accuracy = np.where(agreement > 0, PARTS, 0) if is_any else _accuracy(agreement, side.key.lengths, averaging)
    is_right = accuracy >= (PARTS // 2 if options.right == "vqa" else PARTS)
    yes, no = ((side.choices == YES_OR_NO) & (answers == codebook.code(word)) for word in YES_NO)
    return SideOutcome(answers, accuracy, is_right, side.choices != OPEN_ENDED, answers != UNPARSED, yes, no)


def _parse(column: CodedColumn, side: SideKey, choice_sets: list[tuple[str, ...]], codebook: Codebook) -> Codes:
    """The codes of the answers after parsing, which is done once per distinct answer and set of choices."""
    size = len(column.values)
    combinations = pa.array(side.choices * size + column.codes).dictionary_encode()
    pairs = (divmod(number, size) for number in combinations.dictionary.to_pylist())
    codes = [_parse_code(column.values[value], choice_sets[choices], codebook) for choices, value in pairs]
    places: Codes = combinations.indices.to_numpy()
    return np.array(codes, dtype=np.int64)[places]


def _parse_code(text: str, choices: tuple[str, ...], codebook: Codebook) -> int:
    if not choices:
        return codebook.code(text) if text.strip() else UNPARSED
    answer = normalize(text)
    choice = next((choice for choice in choices if normalize(choice) == answer), None) or parse_answer(text, choices)
    return UNPARSED if choice is None else codebook.code(choice)
