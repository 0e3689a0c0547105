"""What the three tests share: a reading of a question, and how a reading and a value become a pair.

A test first *reads* a question: what is asked about (its subject), the right value, and which values are surely wrong.
Then a coin decides: *yes* asks about the right value, *no* about a wrong one. A row without a wrong value is skipped
whatever the coin says, so that the share of *yes* stays one half.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from diptych.language import QuestionParser
from diptych.pairs import Expectation, Pair, Side, Skip
from diptych.sources import VqaRow
from diptych.templates import TemplateSet

_TRIES = 64


class Reading(Protocol):
    """What a test understood of one question."""

    @property
    def test(self) -> str:
        """The test that read it."""
        ...

    @property
    def right(self) -> str:
        """The right value, as the answers write it."""
        ...

    @property
    def subject(self) -> str:
        """What is asked about, as a key: questions with one subject differ only in the value."""
        ...

    def excludes(self, value: str) -> bool:
        """Whether a value is surely wrong."""
        ...

    def wording(self, value: str) -> tuple[str, dict[str, Any]] | None:
        """The template that asks about a value, and what fills it; None where English has no form for it."""
        ...


@dataclass(frozen=True, slots=True)
class Values:
    """The values a test's questions are answered with, by frequency, drawn as the paper draws them."""

    names: tuple[str, ...] = ()
    cumulated: tuple[int, ...] = ()

    @classmethod
    def counted(cls, counts: Mapping[str, int]) -> "Values":
        """Values in an order that depends on nothing but the counts."""
        names = tuple(sorted(counts, key=lambda name: (-counts[name], name)))
        total, cumulated = 0, []
        for name in names:
            total += counts[name]
            cumulated.append(total)
        return cls(names, tuple(cumulated))

    def draw_wrong(self, reading: Reading, rng: Random) -> str | None:
        """A wrong value with the probability of its frequency among the surely wrong ones, or None."""
        for _ in range(_TRIES if self.names else 0):
            value = rng.choices(self.names, cum_weights=self.cumulated)[0]
            if can_ask(reading, value):
                return value
        return self._draw_among_rest(reading, rng)

    def _draw_among_rest(self, reading: Reading, rng: Random) -> str | None:
        weights = [after - before for before, after in zip((0, *self.cumulated), self.cumulated, strict=False)]
        rest = [(name, weight) for name, weight in zip(self.names, weights, strict=True) if can_ask(reading, name)]
        if not rest:
            return None
        return rng.choices([name for name, _ in rest], [weight for _, weight in rest])[0]


def can_ask(reading: Reading, value: str) -> bool:
    """Whether a value is surely wrong and English has a question for it."""
    return reading.excludes(value) and reading.wording(value) is not None


@dataclass(frozen=True, slots=True)
class RadWorld:
    """What the pair-makers know: templates, parser, the values to draw from, and how sure a source must be."""

    templates: TemplateSet
    parser: QuestionParser
    values: Mapping[str, Values] = field(default_factory=dict)
    seed: int = 0
    min_agreement: int = 3
    """Annotators of ten who must have given the answer: three make it right by VQA's own rule."""
    middle: Mapping[str, float] = field(default_factory=dict)
    """By test, the side of the coin: a row whose draw lies below is asked with *yes* (one half where not said)."""
    zero: bool = False
    """Whether counts of zero are asked about, as in the paper: "Are there zero dogs?"."""
    matched: Mapping[str, str] | None = None
    """For matched pairs: source id to the wrong value, settled beforehand for all rows together."""


def agreement(row: VqaRow) -> int:
    """How many annotators gave the answer (all of them where there is but one answer)."""
    return sum(given == row.answer for given in row.answers) if len(row.answers) > 1 else 10


def is_disputed(row: VqaRow, world: RadWorld) -> bool:
    """Whether too few annotators gave the answer to call it right."""
    return agreement(row) < world.min_agreement


DISPUTED = Skip("fewer than three annotators gave the answer")
NO_WRONG_VALUE = Skip("no other value is surely wrong")
NO_WORDING = Skip("no grammatical question was found")
NO_PARTNER = Skip("no partner balances it")


def make_pair(row: VqaRow, reading: Reading, world: RadWorld, rng: Random) -> Pair | Skip:
    """Throw the coin, choose a wrong value, and ask about the right value or the wrong one."""
    if reading.wording(reading.right) is None:
        return NO_WORDING
    says_yes = rng.random() < world.middle.get(reading.test, 0.5)
    if world.matched is not None:
        wrong = world.matched.get(row.question_id)
    else:
        wrong = world.values[reading.test].draw_wrong(reading, rng)
    if wrong is None:
        return NO_WRONG_VALUE if world.matched is None else NO_PARTNER
    answer, value = ("yes", reading.right) if says_yes else ("no", wrong)
    return pair_about(row, reading, answer, value, world)


def pair_about(row: VqaRow, reading: Reading, answer: str, value: str, world: RadWorld) -> Pair | Skip:
    """The pair that asks about one value."""
    worded = reading.wording(value)
    if worded is None:
        return NO_WORDING
    template, slots = world.templates[worded[0]], worded[1]
    asked = template.render(**slots)
    return Pair(
        test=reading.test,
        expectation=Expectation.GIVEN,
        original=Side(row.image_id, row.question, row.answer, row.answers),
        perturbed=Side(row.image_id, asked, answer),
        answer_type=row.answer_type,
        question_type=row.question_type,
        source=row.source,
        source_id=row.question_id,
        template_id=template.id,
        template_hash=template.hash,
        bindings={"right": reading.right, "value": value, **slots},
        extra={"agreement": agreement(row)},
    )


def distinct_annotations(row: VqaRow) -> Sequence[str]:
    """Every answer some annotator gave, once."""
    return list(dict.fromkeys((row.answer, *row.answers)))
