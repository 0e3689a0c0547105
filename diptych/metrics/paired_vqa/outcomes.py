"""What a model did on every pair: its answer, whether that could be read, and whether it is right."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .accuracy import PARTS, RIGHTS, Codebook, choose_averaging
from .columns import CodedColumn, Codes
from .errors import unknown_name
from .normalization import normalize
from .parsing import YES_NO, parse_answer
from .references import OPEN_ENDED, YES_OR_NO, References, SideKey

Flags = NDArray[np.bool_]

UNPARSED = -1
"""The code of an answer that could not be read; it agrees with nothing, not even with itself."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """How answers are read and judged."""

    right: str = "vqa"
    averaging: str | None = None
    parse: bool | None = None
    """Whether answers to closed questions are parsed; by default only under the normalizer `vqa`."""

    def parses(self, normalizer: str) -> bool:
        """Whether free-form answers are parsed under a normalizer."""
        return normalizer == "vqa" if self.parse is None else self.parse


@dataclass(frozen=True, slots=True)
class SideOutcome:
    """What a model did on one side of every pair."""

    answers: Codes
    accuracy: Codes
    """In parts of `PARTS`."""
    right: Flags
    closed: Flags
    """Where the question leaves choices, so that the answer had to be parsed."""
    yes: Flags
    no: Flags

    @property
    def parsed(self) -> Flags:
        """Where the answer could be read."""
        is_parsed: Flags = self.answers != UNPARSED
        return is_parsed


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a model did on both sides of every pair."""

    original: SideOutcome
    perturbed: SideOutcome

    @property
    def parsed(self) -> Flags:
        """Where both answers could be read."""
        return self.original.parsed & self.perturbed.parsed

    @property
    def same(self) -> Flags:
        """Where both sides have the same answer."""
        is_equal: Flags = self.original.answers == self.perturbed.answers
        return self.parsed & is_equal

    @property
    def changed(self) -> Flags:
        """Where the two sides have different answers."""
        return self.parsed & ~self.same


def judge(
    references: References, original: CodedColumn, perturbed: CodedColumn, criteria: Criteria | None = None
) -> Outcome:
    """Read and judge the answers of a model on both sides."""
    criteria = criteria or Criteria()
    if criteria.right not in RIGHTS:
        raise unknown_name("rule for what is right", criteria.right, RIGHTS)
    return Outcome(
        _judge_side(references, references.original, original, criteria),
        _judge_side(references, references.perturbed, perturbed, criteria),
    )


def _judge_side(references: References, side: SideKey, column: CodedColumn, criteria: Criteria) -> SideOutcome:
    codebook = references.codebook
    is_closed = side.choices != OPEN_ENDED
    verbatim_answers = column.map(codebook.verbatim_code) if codebook.normalizer == "vqa-official" else column.codes
    if criteria.parses(codebook.normalizer):
        answers = _parse(column, side, references.choice_sets, codebook)
    else:
        answers = column.map(codebook.code)
    averaging = choose_averaging(codebook.normalizer, criteria.averaging)
    if criteria.right == "shown":
        accuracy = np.where(answers == side.shown_answers.map(codebook.code), PARTS, 0)
    elif criteria.right == "any":
        accuracy = np.where(side.key.agreement(answers, verbatim_answers) > 0, PARTS, 0)
    else:
        accuracy = side.key.accuracy(answers, verbatim_answers, averaging)
    is_right = accuracy >= (PARTS // 2 if criteria.right == "vqa" else PARTS)
    yes, no = ((side.choices == YES_OR_NO) & (answers == codebook.code(word)) for word in YES_NO)
    return SideOutcome(answers, accuracy, is_right, is_closed, yes, no)


def _parse(column: CodedColumn, side: SideKey, choice_sets: list[tuple[str, ...]], codebook: Codebook) -> Codes:
    """The codes of the answers after parsing, which is done once per distinct answer and set of choices."""
    size = len(column.values)
    combinations, places = _distinct(side.choices * size + column.codes, len(choice_sets) * size)
    codes = [
        _parse_code(column.values[number % size], choice_sets[number // size], codebook) for number in combinations
    ]
    return np.array(codes, dtype=np.int64)[places]


def _distinct(codes: Codes, limit: int) -> tuple[list[int], Codes]:
    """The distinct codes, all below a limit, and the place of each row's code among them."""
    if limit > 4 * len(codes) + 1024:
        values, places = np.unique(codes, return_inverse=True)
        return values.tolist(), places
    is_present = np.zeros(limit, dtype=np.bool_)
    is_present[codes] = True
    place_of = np.cumsum(is_present) - 1
    return np.flatnonzero(is_present).tolist(), place_of[codes]


def _parse_code(text: str, choices: tuple[str, ...], codebook: Codebook) -> int:
    if not choices:
        return codebook.code(text) if text.strip() else UNPARSED
    answer = normalize(text)
    choice = next((choice for choice in choices if normalize(choice) == answer), None) or parse_answer(text, choices)
    return UNPARSED if choice is None else codebook.code(choice)
