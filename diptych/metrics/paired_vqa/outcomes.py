"""What a model did on every pair: what it said, whether that could be read, whether it was right."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .answers import normalise
from .coding import Coded, Codes
from .errors import unknown
from .parsing import YES_NO, parse_answer
from .references import OPEN_ENDED, References, SideKey
from .rightness import PARTS, RIGHTS, Codebook, averaging_of

Flags = NDArray[np.bool_]

UNREAD = -1
"""The number of an answer that could not be read; it agrees with nothing, not even with itself."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How answers are read and judged."""

    right: str = "vqa"
    averaging: str | None = None
    parse: bool | None = None
    """Whether answers to closed questions are parsed; by default only under the normaliser `vqa`."""

    def parses(self, normaliser: str) -> bool:
        """Whether free-form answers are read under a normaliser."""
        return normaliser == "vqa" if self.parse is None else self.parse


@dataclass(frozen=True, slots=True)
class SideOutcome:
    """What a model did on one side of every pair."""

    said: Codes
    accuracy: Codes
    """In parts of `PARTS`."""
    right: Flags
    closed: Flags
    """Where the question leaves choices, so that the answer had to be read."""
    yes: Flags
    no: Flags

    @property
    def read(self) -> Flags:
        """Where the answer could be read."""
        read: Flags = self.said != UNREAD
        return read


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a model did on both sides of every pair."""

    original: SideOutcome
    perturbed: SideOutcome

    @property
    def read(self) -> Flags:
        """Where both answers could be read."""
        return self.original.read & self.perturbed.read

    @property
    def same(self) -> Flags:
        """Where the model answered both sides alike."""
        equal: Flags = self.original.said == self.perturbed.said
        return self.read & equal

    @property
    def changed(self) -> Flags:
        """Where the model answered the sides differently."""
        return self.read & ~self.same


def judge(references: References, original: Coded, perturbed: Coded, rules: Rules | None = None) -> Outcome:
    """Read and judge what a model said on both sides."""
    rules = rules or Rules()
    if rules.right not in RIGHTS:
        raise unknown("rule for what is right", rules.right, RIGHTS)
    return Outcome(
        _judge_side(references, references.original, original, rules),
        _judge_side(references, references.perturbed, perturbed, rules),
    )


def _judge_side(references: References, side: SideKey, said: Coded, rules: Rules) -> SideOutcome:
    book = references.book
    closed = side.choices != OPEN_ENDED
    read, bare = _read(said, side, references.choice_sets, book, rules.parses(book.normaliser))
    averaging = averaging_of(book.normaliser, rules.averaging)
    if rules.right == "shown":
        accuracy = np.where(read == side.shown.map(book.key), PARTS, 0)
    elif rules.right == "any":
        accuracy = np.where(side.key.agreeing(read, bare) > 0, PARTS, 0)
    else:
        accuracy = side.key.accuracy(read, bare, averaging)
    right = accuracy >= (PARTS // 2 if rules.right == "vqa" else PARTS)
    yes, no = (closed & (side.choices == 1) & (read == book.key(word)) for word in YES_NO)
    return SideOutcome(read, accuracy, right, closed, yes, no)


def _read(
    said: Coded, side: SideKey, choice_sets: list[tuple[str, ...]], book: Codebook, parse: bool
) -> tuple[Codes, Codes]:
    """The numbers of what was said, after reading where that is asked for, and of what was said as it stands."""
    bare = said.map(book.bare) if book.normaliser == "vqa-official" else said.codes
    if not parse:
        return said.map(book.key), bare
    # One number for each distinct answer to each distinct set of choices.
    both = side.choices * len(said.values) + said.codes
    distinct, where = _distinct(both, len(choice_sets) * len(said.values))
    read = _reader(book)
    numbers = [read(said.values[at % len(said.values)], choice_sets[at // len(said.values)]) for at in distinct]
    return np.array(numbers, dtype=np.int64)[where], bare


def _distinct(codes: Codes, most: int) -> tuple[list[int], Codes]:
    if most > 4 * len(codes) + 1024:
        values, where = np.unique(codes, return_inverse=True)
        return values.tolist(), where
    seen = np.zeros(most, dtype=np.bool_)
    seen[codes] = True
    place = np.cumsum(seen) - 1
    return np.flatnonzero(seen).tolist(), place[codes]


def _reader(book: Codebook) -> Callable[[str, tuple[str, ...]], int]:
    def read(text: str, choices: tuple[str, ...]) -> int:
        if not choices:
            return book.key(text) if text.strip() else UNREAD
        plain = normalise(text)
        choice = next((choice for choice in choices if normalise(choice) == plain), None) or parse_answer(text, choices)
        return UNREAD if choice is None else book.key(choice)

    return read
