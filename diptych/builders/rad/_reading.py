"""What the tests share: candidates, readings of a question, and how a reading and a value become a pair.

A test first *reads* a question: what is asked about (its subject), the right value, and which values are surely wrong.
Then a coin decides: *yes* asks about the right value, *no* about a wrong one. A question without a wrong value is
skipped whatever the coin says, so that the share of *yes* stays one half.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from diptych.builders import Item
from diptych.pairs import Expectation, Pair, Side, Skip
from diptych.sources import VqaRow
from diptych.templates import TemplateSet

DISPUTED = Skip("fewer than three annotators gave the answer")
NO_WRONG_VALUE = Skip("no other value is surely wrong")
NO_WORDING = Skip("no grammatical question was found")
NO_PARTNER = Skip("no partner balances it")
ANOTHER_KIND = Skip("another kind of question")

_TRIES = 64


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """The template that asks about a value, and the words that fill it."""

    template: str
    slots: dict[str, str]
    phrase: str = ""
    """What is counted, in the plural; 'of the …' for a part of a group."""
    past: bool = False
    only_plural: bool = False
    """The rest of the question makes no sense for a single thing."""


@dataclass(frozen=True, slots=True)
class RadCandidate(Item):
    """A question that opens as a test wants it; its key is the id of the question."""

    row: VqaRow
    value: str | None
    """What the answer gives, for the frequencies that wrong values are drawn by."""
    answer_problem: str
    """Why the answer cannot be used at all."""
    form_problem: str
    """Why the question cannot be asked about another value."""
    form: QuestionForm | None


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
class ValueFrequencies:
    """The values that answer a test's questions, by frequency, drawn as the paper draws them."""

    names: tuple[str, ...] = ()
    cumulative: tuple[int, ...] = ()

    @classmethod
    def from_counts(cls, counts: Mapping[str, int]) -> "ValueFrequencies":
        """Values in an order that depends on nothing but the counts."""
        names = tuple(sorted(counts, key=lambda name: (-counts[name], name)))
        total, cumulative = 0, []
        for name in names:
            total += counts[name]
            cumulative.append(total)
        return cls(names, tuple(cumulative))

    def draw_wrong(self, reading: Reading, rng: Random) -> str | None:
        """A wrong value with the probability of its frequency among the surely wrong ones, or None."""
        for _ in range(_TRIES if self.names else 0):
            value = rng.choices(self.names, cum_weights=self.cumulative)[0]
            if can_ask(reading, value):
                return value
        return self._draw_among_rest(reading, rng)

    def _draw_among_rest(self, reading: Reading, rng: Random) -> str | None:
        weights = [high - low for low, high in zip((0, *self.cumulative), self.cumulative, strict=False)]
        rest = [(name, weight) for name, weight in zip(self.names, weights, strict=True) if can_ask(reading, name)]
        if not rest:
            return None
        return rng.choices([name for name, _ in rest], [weight for _, weight in rest])[0]


def can_ask(reading: Reading, value: str) -> bool:
    """Whether a value is surely wrong and English has a question for it."""
    return reading.excludes(value) and reading.wording(value) is not None


@dataclass(frozen=True, slots=True)
class RadFacts:
    """What `make` knows: templates, the values to draw from, and how sure a source must be."""

    templates: TemplateSet
    values: Mapping[str, ValueFrequencies] = field(default_factory=dict)
    min_agreement: int = 3
    """Annotators of ten who must have given the answer: three make it right by VQA's own rule."""
    middle: Mapping[str, float] = field(default_factory=dict)
    """By test, the middle of the coin: a row whose draw lies below is asked with *yes* (one half by default)."""
    zero: bool = False
    """Whether counts of zero are asked about, as in the paper: "Are there zero dogs?"."""
    matched: Mapping[str, str] | None = None
    """For matched pairs: question id to the wrong value, decided for all rows together."""


def agreement(row: VqaRow) -> int:
    """How many annotators gave the answer (all of them where there is only one answer)."""
    return sum(answer == row.answer for answer in row.answers) if len(row.answers) > 1 else 10


def distinct_annotations(row: VqaRow) -> Sequence[str]:
    """Every answer some annotator gave, once."""
    return list(dict.fromkeys((row.answer, *row.answers)))


def make_pair(row: VqaRow, reading: Reading, facts: RadFacts, rng: Random) -> Pair | Skip:
    """Toss the coin, choose a wrong value, and ask about the right value or the wrong one."""
    if reading.wording(reading.right) is None:
        return NO_WORDING
    says_yes = rng.random() < facts.middle.get(reading.test, 0.5)
    if facts.matched is not None:
        wrong_value = facts.matched.get(row.question_id)
    else:
        wrong_value = facts.values[reading.test].draw_wrong(reading, rng)
    if wrong_value is None:
        return NO_WRONG_VALUE if facts.matched is None else NO_PARTNER
    answer, value = ("yes", reading.right) if says_yes else ("no", wrong_value)
    return pair_about(row, reading, answer, value, facts.templates)


def pair_about(row: VqaRow, reading: Reading, answer: str, value: str, templates: TemplateSet) -> Pair | Skip:
    """The pair that asks about one value."""
    wording = reading.wording(value)
    if wording is None:
        return NO_WORDING
    template, slots = templates[wording[0]], wording[1]
    return Pair(
        test=reading.test,
        expectation=Expectation.GIVEN,
        original=Side(row.image_id, row.question, row.answer, row.answers, row.image_file),
        perturbed=Side(row.image_id, template.render(**slots), answer, image_file=row.image_file),
        answer_type=row.answer_type,
        question_type=row.question_type,
        source=row.source,
        source_id=row.question_id,
        template_id=template.id,
        template_hash=template.hash,
        bindings={"right": reading.right, "value": value, **slots},
        extra={"agreement": agreement(row)},
    )
