"""The tests of RAD by name: how a question opens, what `read` keeps of it, and what is understood of it.

A reading says what is asked about (its subject), the right value, and which values are surely wrong.

| test | question and answer | becomes |
|---|---|---|
| Y/N←C | What color is the cat? White | Is the color of the cat white? |
| Y/N←HM | How many dogs are in the picture? 3 | Are there two dogs in the picture? |
| Y/N←WK | What kind of animal is this? Cow | Is this animal an elephant? |
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from diptych.builders import Item, Tools
from diptych.builders.rad._forms import QuestionForm, color_form, counted_form, counted_noun, counted_slots
from diptych.kg.colors import Color, read_color, surely_different
from diptych.kg.kinds import Kind, exclude_each_other, families, read_kind
from diptych.language import Parse, parse_count, plural, singular
from diptych.pairs import Skip
from diptych.sources import VqaRow

COLOR, COLORS, COUNT, KIND = (f"rad.yn_from_{name}" for name in ("color", "colors", "how_many", "what_kind"))
LEAST_AGREEMENT = 3  # annotators of ten who must have given the answer: three make it right by VQA's own rule

ANOTHER_KIND = Skip("another kind of question")
DISPUTED = Skip("fewer than three annotators gave the answer")
NOT_A_COLOR = Skip("the answer is not a color")
NOT_A_COUNT = Skip("the answer is not a number")
ZERO = Skip("the answer is zero: see the config with_zero")
TOO_MANY = Skip("the answer is a guess: more than a hundred")
UNKNOWN_KIND = Skip("no table says what excludes the answer")
MISMATCH = Skip("the noun and its verb do not agree")

Answer = tuple[str | None, Skip | None]  # the value that an answer gives, and why the answer cannot be used at all
Wording = tuple[str, dict[str, Any]]  # the template that asks about a value, and what fills it


@dataclass(frozen=True, slots=True)
class RadCandidate(Item):
    """A question that opens as a test wants it; its key is the id of the question."""

    row: VqaRow
    value: str | None  # what the answer gives, for the frequencies that wrong values are drawn by
    answer_problem: str  # why the answer cannot be used at all
    form_problem: str  # why the question cannot be asked about another value
    form: QuestionForm | None


def agreement(answer: str, answers: Sequence[str]) -> int:
    """How many annotators gave the answer (all of them where there is only one answer)."""
    return answers.count(answer) if len(answers) > 1 else 10


def _distinct_annotations(row: VqaRow) -> Iterable[str]:
    return dict.fromkeys((row.answer, *row.answers))


# Colors.

_BEFORE_COLOR = re.compile(r"^(?:it'?s|it is|they'?re|they are|he is|she is|the \w+ is)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ColorReading:
    """A question about the color of one thing."""

    test: str
    right: str
    form: QuestionForm
    annotations: tuple[Color, ...]  # every color some annotator saw: none of them is surely wrong

    @property
    def subject(self) -> str:
        """What is asked about."""
        return " ".join(self.form.slots.values()).lower()

    def excludes(self, value: str) -> bool:
        """Whether nobody who looked at the image would call the thing so."""
        color = read_color(value)
        return color is not None and all(surely_different(color, annotation) for annotation in self.annotations)

    def wording(self, value: str) -> Wording | None:
        """The question about one color."""
        return self.form.template, {**self.form.slots, "value": value}


def color_of_answer(text: str) -> Color | None:
    """The color an answer names, also in a short sentence as dialogs have it: "it's brown"."""
    return read_color(_BEFORE_COLOR.sub("", text.strip()))


def _color_answer(row: VqaRow) -> Answer:
    color = color_of_answer(row.answer)
    return (color.text, None) if color else (None, NOT_A_COLOR)


# Counts.

_BEFORE_COUNT = re.compile(r"^(?:there (?:is|are)|there'?s|i (?:can )?see|only|just)\s+", re.IGNORECASE)
_COUNT_WITH_NOUN = re.compile(
    r"(\w+) (?:of them|(?!dozen|hundred|thousand|million|or|and|to|plus|half)[a-z]+)\W*$", re.IGNORECASE
)
_LARGEST_COUNT = 100


@dataclass(frozen=True, slots=True)
class CountReading:
    """A question about how many there are of something."""

    right: str
    form: QuestionForm
    annotations: frozenset[int]
    zero: bool = False  # whether "Are there zero dogs?" is asked
    test: str = COUNT

    @property
    def subject(self) -> str:
        """The question without its number."""
        return " ".join((self.form.phrase, *self.form.slots.values())).lower()

    def excludes(self, value: str) -> bool:
        """Whether no annotator counted so many."""
        return int(value) not in self.annotations and (self.zero or value != "0")

    def wording(self, value: str) -> Wording | None:
        """The question about one count, with noun and verb agreeing with it; None where English has no form."""
        count = int(value)
        noun = counted_noun(self.form, count)
        if noun is None:
            return None
        return self.form.template, {**counted_slots(self.form, count), "count": count, "noun": noun}


def count_of_answer(text: str) -> int | None:
    """The count an answer gives, also in a short sentence as dialogs have it: "there are 2"."""
    plain = _BEFORE_COUNT.sub("", text.strip())
    match = _COUNT_WITH_NOUN.match(plain)
    return parse_count(match[1] if match else plain)


def _count_answer(row: VqaRow) -> Answer:
    count = count_of_answer(row.answer)
    if count is None:
        return None, NOT_A_COUNT
    return (None, TOO_MANY) if count > _LARGEST_COUNT else (str(count), None)


# Kinds.

# The paper takes 'What kind of S is this?'; 'type' and 'sort' ask the same, and so do 'that' and 'these'.
_KIND_OPENING = re.compile(
    r"what (?:kind|type|sort)s? of (?:an? )?(?P<kind>[\w' -]+?)"
    r" (?P<be>is|are) (?P<this>this|that|these|those|it|they)\W*$",
    re.IGNORECASE,
)
_THIS = {"it": "this", "they": "these"}
_SEVERAL = {"these", "those"}


@dataclass(frozen=True, slots=True)
class KindReading:
    """A question about the kind of one thing, or of several things alike."""

    right: str
    kind: str  # what is asked about, in the singular
    this: str
    annotations: frozenset[str]
    member: Kind
    test: str = KIND

    @property
    def subject(self) -> str:
        """What is asked about, with its demonstrative."""
        return f"{self.this} {self.kind}"

    def excludes(self, value: str) -> bool:
        """Whether a thing of the right kind is surely not of this one, and no annotator said so."""
        kind = _read_member(self.kind, value)
        if kind is None or not exclude_each_other(self.member, kind):
            return False
        return not any(_names(annotation, kind.name) for annotation in self.annotations)

    def wording(self, value: str) -> Wording | None:
        """The question about one kind: 'a wood floor', 'animal … an elephant', 'food … breakfast'."""
        member = _read_member(self.kind, value)
        if member is None:
            return None
        several = self.this in _SEVERAL
        form, kind = member.form, plural(self.kind) if several else self.kind
        name = plural(member.name) if form == "noun" and several else member.name
        if form == "attributive":
            name = f"{name} {kind}"
        elif member.name.endswith(f" {self.kind}"):
            form = "attributive"  # 'Is this room a living room?' is better said 'Is this a living room?'
        elif form == "noun" and several:
            form = "bare"
        return f"what_kind.{form}", {"are": "are" if several else "is", "this": self.this, "kind": kind, "value": name}


def _read_member(kind: str, value: str) -> Kind | None:
    """A value as a member of a family: that of the noun itself ('sporting event'), or of its last word."""
    has_family = any(kind in family.kinds for family in families().values())
    return read_kind(kind if has_family else kind.split()[-1], value)


def _names(answer: str, name: str) -> bool:
    """Whether an annotator's answer names a kind, in any number, alone or among other words."""
    text = answer.lower()
    return name.lower() in {text, singular(text)} or bool(set(text.split()) & {name.lower(), plural(name).lower()})


def _kind_question(row: VqaRow) -> tuple[str, str, str, str]:
    """The demonstrative, the verb, the kind that is asked about and the answer, these two in the singular."""
    match = _KIND_OPENING.match(" ".join(row.question.split()))
    assert match is not None
    this, answer = match["this"].lower(), row.answer.strip().lower()
    kind = singular(match["kind"].lower().strip())
    return _THIS.get(this, this), match["be"].lower(), kind, singular(answer) if answer else answer


def _kind_answer(row: VqaRow) -> Answer:
    this, verb, kind, answer = _kind_question(row)
    value = answer if _read_member(kind, answer) else None
    return value, None if (this in _SEVERAL) == (verb == "are") else MISMATCH


def _kind_reading(row: VqaRow) -> KindReading | Skip:
    this, _, kind, answer = _kind_question(row)
    member = _read_member(kind, answer)
    if member is None:
        return UNKNOWN_KIND
    annotations = frozenset(text.lower() for text in _distinct_annotations(row) if text != row.answer)
    return KindReading(answer, kind, this, annotations, member)


# All of them.

Reading = ColorReading | CountReading | KindReading


class RadTest(NamedTuple):
    """One way of making pairs from a kind of question."""

    opening: re.Pattern[str]
    answer: Callable[[VqaRow], Answer]
    form: Callable[[Parse], QuestionForm | Skip] | None  # None where no parse is needed


_COLOR_OPENING, _COLORS_OPENING, _COUNT_OPENING = (
    re.compile(rf"{words}\b", re.IGNORECASE) for words in ("what colou?r is the", "what colou?r are the", "how many")
)
RAD_TESTS = {
    COLOR: RadTest(_COLOR_OPENING, _color_answer, partial(color_form, plural="")),
    COLORS: RadTest(_COLORS_OPENING, _color_answer, partial(color_form, plural="s")),
    COUNT: RadTest(_COUNT_OPENING, _count_answer, counted_form),
    KIND: RadTest(_KIND_OPENING, _kind_answer, None),
}


def opened_tests(question: str) -> list[str]:
    """The tests a question may be for, by its first words."""
    text = " ".join(question.split())
    return [name for name, test in RAD_TESTS.items() if test.opening.match(text)]


def _read_answer(test: RadTest, row: VqaRow) -> Answer:
    value, problem = test.answer(row)
    if test.form and not test.opening.match(row.question):
        problem = ANOTHER_KIND  # it opens so only once its spaces are put in order
    return value, problem


def parsed_questions(row: VqaRow) -> Iterator[str]:
    """The question of a row, if a test will parse it."""
    tests = (RAD_TESTS[name] for name in opened_tests(row.question))
    if any(test.form and _read_answer(test, row)[1] is None for test in tests):
        yield row.question


def read_question(row: VqaRow, tools: Tools) -> Iterator[RadCandidate | Skip]:
    """What each test could ask about a question; a test whose question it is not skips it."""
    opened = opened_tests(row.question)
    for name, test in RAD_TESTS.items():
        if name not in opened:
            yield ANOTHER_KIND.of(name)
            continue
        (value, problem), form = _read_answer(test, row), None
        if problem is None and test.form is not None:
            assert tools.parser is not None
            form = test.form(tools.parser(row.question))
        form_problem = form.reason if isinstance(form, Skip) else ""
        used_form = form if isinstance(form, QuestionForm) else None
        answer_problem = problem.reason if problem else ""
        yield RadCandidate(name, row.question_id, row, value, answer_problem, form_problem, used_form)


def read_back(candidate: RadCandidate, zero: bool) -> Reading | Skip:
    """The reading of a candidate, or why a build that asks about zero, or does not, cannot use it."""
    test, row, value, form = candidate.test, candidate.row, candidate.value, candidate.form
    if candidate.answer_problem:
        return Skip(candidate.answer_problem)
    if test == COUNT and value == "0" and not zero:
        return ZERO
    if agreement(row.answer, row.answers) < LEAST_AGREEMENT:
        return DISPUTED
    if candidate.form_problem:
        return Skip(candidate.form_problem)
    if test == KIND:
        return _kind_reading(row)
    assert form is not None
    assert value is not None
    if test == COUNT:
        counts = map(count_of_answer, _distinct_annotations(row))
        return CountReading(value, form, frozenset(count for count in counts if count is not None), zero)
    colors = map(color_of_answer, _distinct_annotations(row))
    return ColorReading(test, value, form, tuple(color for color in colors if color))
