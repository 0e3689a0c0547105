"""The tests of RAD by name: how a question opens, what `read` keeps of it, and what is understood of it.

| test | question and answer | becomes |
|---|---|---|
| Y/N←C | What color is the cat? White | Is the color of the cat white? |
| Y/N←HM | How many dogs are in the picture? 3 | Are there two dogs in the picture? |
| Y/N←WK | What kind of animal is this? Cow | Is this animal an elephant? |
"""

import marshal
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache, partial
from sys import intern
from typing import Any, NamedTuple

from diptych.builders import Item, Tools
from diptych.builders.rad._forms import QuestionForm, color_form, count_slots, counted_form
from diptych.kg.colors import Color, read_color, surely_different
from diptych.kg.kinds import FAMILIES, Kind, exclude_each_other, read_kind
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


class Reading(NamedTuple):
    """What a test understands of a question: what is asked about, and the right value."""

    test: str
    right: str
    subject: str  # the question without its value
    excludes: Callable[[str], bool]  # whether a value is surely wrong: nobody who looked at the image would give it
    wording: Callable[[str], Wording | None]  # the question about one value; None where English has no form


def agreement(answer: str, answers: Sequence[str]) -> int:
    """How many annotators gave the answer (all of them where there is only one answer)."""
    return answers.count(answer) if len(answers) > 1 else 10


# Colors.

_BEFORE_COLOR = re.compile(r"^(?:it'?s|it is|they'?re|they are|he is|she is|the \w+ is)\s+", re.IGNORECASE)


def _color_reading(test: str, value: str, form: QuestionForm, row: VqaRow) -> Reading:
    """A question about the color of one thing; no color that some annotator saw is surely wrong."""
    annotations = [color for text in {row.answer, *row.answers} if (color := color_of_answer(text))]

    def excludes(value: str) -> bool:
        color = read_color(value)
        return color is not None and all(surely_different(color, annotation) for annotation in annotations)

    def wording(value: str) -> Wording:
        return form.template, {**form.slots, "value": value}

    return Reading(test, value, " ".join(form.slots.values()).lower(), excludes, wording)


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


def _count_reading(value: str, form: QuestionForm, row: VqaRow, zero: bool) -> Reading:
    """A question about how many there are of something; no number that some annotator counted is surely wrong."""
    annotations = {count_of_answer(text) for text in (row.answer, *row.answers)}

    def excludes(value: str) -> bool:
        return int(value) not in annotations and (zero or value != "0")

    def wording(value: str) -> Wording | None:
        slots = count_slots(form, int(value))
        return None if slots is None else (form.template, slots)

    return Reading(COUNT, value, " ".join((form.phrase, *form.slots.values())).lower(), excludes, wording)


def count_of_answer(text: str) -> int | None:
    """The count an answer gives, also in a short sentence as dialogs have it: "there are 2"."""
    plain = _BEFORE_COUNT.sub("", text.strip())
    return parse_count(match[1] if (match := _COUNT_WITH_NOUN.match(plain)) else plain)


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


def _kind_reading(row: VqaRow) -> Reading | Skip:
    """A question about the kind of one thing, or of several alike; kinds that annotators named are not surely wrong."""
    this, _, kind, answer = _kind_question(row)
    own_member = _read_member(kind, answer)
    if own_member is None:
        return UNKNOWN_KIND
    annotations = {text.lower() for text in row.answers if text != row.answer}

    def excludes(value: str) -> bool:
        member = _read_member(kind, value)
        if member is None or not exclude_each_other(own_member, member):
            return False
        return not any(_names(annotation, member.name) for annotation in annotations)

    return Reading(KIND, answer, f"{this} {kind}", excludes, partial(_kind_wording, kind, this))


def _kind_wording(kind: str, this: str, value: str) -> Wording | None:
    """The question about one kind: 'a wood floor', 'animal … an elephant', 'food … breakfast'."""
    member = _read_member(kind, value)
    if member is None:
        return None
    several = this in _SEVERAL
    form, noun = member.form, plural(kind) if several else kind
    name = plural(member.name) if form == "noun" and several else member.name
    if form == "attributive":
        name = f"{name} {noun}"
    elif member.name.endswith(f" {kind}"):
        form = "attributive"  # 'Is this room a living room?' is better said 'Is this a living room?'
    elif form == "noun" and several:
        form = "bare"
    return f"what_kind.{form}", {"are": "are" if several else "is", "this": this, "kind": noun, "value": name}


def _read_member(kind: str, value: str) -> Kind | None:
    """A value as a member of a family: that of the noun itself ('sporting event'), or of its last word."""
    has_family = any(kind in family.kinds for family in FAMILIES.values())
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


# All of them.


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
        problems = (problem.reason if problem else "", form.reason if isinstance(form, Skip) else "")
        yield RadCandidate(name, row.question_id, row, value, *problems, None if isinstance(form, Skip) else form)


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
    return _make_reading(test, value, form, row, zero)


def _make_reading(test: str, value: str | None, form: QuestionForm | None, row: VqaRow, zero: bool) -> Reading | Skip:
    if test == KIND:
        return _kind_reading(row)
    assert form is not None
    assert value is not None
    return _count_reading(value, form, row, zero) if test == COUNT else _color_reading(test, value, form, row)


class PackedReading(NamedTuple):
    """A reading in a fraction of its memory, for those who hold all of them at once."""

    test: str
    right: str
    subject: str
    content: bytes  # what `unpack` makes it from
    zero: bool

    def unpack(self) -> Reading:
        """The reading."""
        return _unpack(self.content, self.zero)


def pack_reading(candidate: RadCandidate, zero: bool) -> PackedReading | Skip:
    """The reading of a candidate, packed, or why there is none."""
    reading = read_back(candidate, zero)
    if isinstance(reading, Skip):
        return reading
    row, form = candidate.row, candidate.form
    question = row.question if form is None else ""
    answers = sorted({*row.answers})  # which annotator gave an answer, and how many did, decides nothing any more
    content = (candidate.test, candidate.value, astuple(form) if form else None, question, row.answer, answers)
    return PackedReading(intern(reading.test), intern(reading.right), reading.subject, marshal.dumps(content), zero)


@lru_cache(maxsize=4096)
def _unpack(content: bytes, zero: bool) -> Reading:
    test, value, form, question, answer, answers = marshal.loads(content)
    row = VqaRow("", "", question, "", "", answer, tuple(answers), "", "")
    reading = _make_reading(test, value, QuestionForm(*form) if form else None, row, zero)
    assert isinstance(reading, Reading)
    return reading
