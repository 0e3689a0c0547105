"""The tests of RAD by name: how a question opens, what `read` keeps of it, and what is understood of it.

| test | question and answer | becomes |
|---|---|---|
| Y/N←C | What color is the cat? White | Is the color of the cat white? |
| Y/N←HM | How many dogs are in the picture? 3 | Are there two dogs in the picture? |
| Y/N←WK | What kind of animal is this? Cow | Is this animal an elephant? |
"""

import marshal
import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from functools import lru_cache, partial
from sys import intern
from typing import Any, NamedTuple

from diptych.builders import Item, Tools
from diptych.builders.rad import _answers
from diptych.builders.rad._answers import color_of_answer, count_of_answer, kind_of_answer
from diptych.builders.rad._count_forms import count_wording, counted_form
from diptych.builders.rad._forms import MISSPELLED, QuestionForm, color_form, has_unknown_word
from diptych.builders.rad._kind_forms import KIND_OPENING, kind_form
from diptych.kg import with_capitals
from diptych.kg.colors import HAIR_COLORS, is_plainly_said, read_color, surely_different
from diptych.kg.kinds import FAMILIES, Kind, exclude_each_other, read_kind
from diptych.language import Parse, head_of, is_mass, is_plural, plural, singular
from diptych.pairs import Skip
from diptych.sources import Dialog, VqaRow

COLOR, COLORS, COUNT, KIND = (f"rad.yn_from_{name}" for name in ("color", "colors", "how_many", "what_kind"))

ANOTHER_KIND = Skip("another kind of question")
DISPUTED = Skip("too few annotators gave the answer: see the parameter min_agreement")
NOT_A_COLOR = Skip("the answer is not a color")
NOT_A_COUNT = Skip("the answer is not a number")
ZERO = Skip("the answer is zero: see the parameter zero")
TOO_MANY = Skip("the answer is a guess: more than a hundred")
UNKNOWN_KIND = Skip("no table says what excludes the answer")

_LARGEST_COUNT = 100

Answer = tuple[str | None, Skip | None]  # the value that an answer gives, and why the answer cannot be used at all
Wording = tuple[str, dict[str, Any]]  # the template that asks about a value, and what fills it


@dataclass(frozen=True, slots=True)
class RadCandidate(Item):
    """A question that opens as a test wants it; its key is the id of the question."""

    row: VqaRow
    value: str | None  # what the answer gives, for the frequencies that wrong values are drawn by
    agreement: int  # how many annotators gave the answer, in any of its spellings
    answer_problem: str  # why the answer cannot be used at all
    form_problem: str  # why the question cannot be asked about another value
    form: QuestionForm | None
    dialog: Dialog | None = None  # what came before, where the question is part of a dialog


class RadRules(NamedTuple):
    """The parameters that decide which readings a build uses, and how it asks."""

    min_agreement: float = 0.6  # the share of annotators who must have given the answer
    zero: bool = True  # whether counts of zero are asked about
    counts: str = "plain"  # how counts are worded, as `count_wording` names it

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "RadRules":
        """The rules that a build was given, the defaults for the others."""
        return cls(**{name: parameters[name] for name in cls._fields if name in parameters})

    def accept(self, candidate: RadCandidate) -> bool:
        """Whether enough annotators gave the answer."""
        return candidate.agreement >= self.min_agreement * len(candidate.row.answers) - 1e-9


class Reading(NamedTuple):
    """What a test understands of a question: what is asked about, and the right value."""

    test: str
    right: str
    subject: str  # the question without its value
    topic: str  # the noun that it is about
    excludes: Callable[[str], bool]  # whether a value is surely wrong: nobody who looked at the image would give it
    wording: Callable[[str], Wording | None]  # the question about one value; None where English has no form


def _topic(phrase: str) -> str:
    """The head of a noun phrase, in the singular: 'hat' of 'the man's hats in the picture'."""
    return singular(head_of(phrase))


# Colors.


def _color_reading(test: str, value: str, form: QuestionForm, row: VqaRow) -> Reading:
    """A question about the color of one thing; no color that some annotator saw is surely wrong."""
    annotations = [color for text in {row.answer, *row.answers} if (color := color_of_answer(text))]
    subject = " ".join(form.slots.values()).lower()

    def excludes(value: str) -> bool:
        color = read_color(value)
        if HAIR_COLORS & set(value.split()) and "hair" not in subject:
            return False
        return color is not None and all(surely_different(color, annotation) for annotation in annotations)

    def wording(value: str) -> Wording:
        return form.template, {**form.slots, "value": value}

    return Reading(test, value, subject, _topic(form.slots.get("noun", subject)), excludes, wording)


def _color_answer(row: VqaRow) -> Answer:
    color = color_of_answer(row.answer)
    return (color.text, None) if color and is_plainly_said(color) else (None, NOT_A_COLOR)


# Counts.


def _count_reading(value: str, form: QuestionForm, row: VqaRow, rules: RadRules) -> Reading:
    """A question about how many there are of something; no number that some annotator counted is surely wrong."""
    annotations = {count_of_answer(text) for text in (row.answer, *row.answers)}

    def excludes(value: str) -> bool:
        return int(value) not in annotations and (rules.zero or value != "0")

    def wording(value: str) -> Wording | None:
        return count_wording(form, int(value), rules.counts)

    subject = " ".join((form.phrase, *form.slots.values())).lower()
    return Reading(COUNT, value, subject, _topic(form.phrase.removeprefix("of ").lower()), excludes, wording)


def _count_answer(row: VqaRow) -> Answer:
    count = count_of_answer(row.answer)
    if count is None:
        return None, NOT_A_COUNT
    return (None, TOO_MANY) if count > _LARGEST_COUNT else (str(count), None)


# Kinds.

_PLURALS = {"is": "are", "was": "were", "this": "these", "that": "those"}
_BEFORE_EVENT = re.compile(r"^(?:sporting|sports|athletic) (?=\w)")  # 'a tennis event' says it


def _kind_reading(value: str, form: QuestionForm, row: VqaRow) -> Reading | Skip:
    """A question about the kind of one thing, or of several alike; kinds that annotators named are not surely wrong."""
    kind = form.phrase
    own_member = _read_member(kind, value)
    if own_member is None:
        return UNKNOWN_KIND
    annotations = {text.lower() for text in row.answers if kind_of_answer(text) != value}

    def excludes(value: str) -> bool:
        member = _read_member(kind, value)
        if member is None or not member.is_plain or not exclude_each_other(own_member, member):
            return False
        if member.form == "attributive" and read_color(member.name):
            return False  # a thing of another kind may have that color
        return not any(_names(annotation, member.name) for annotation in annotations)

    slots = form.slots
    if several := is_plural(row.answer.lower()):
        slots = _in_the_plural(slots, kind)
    subject = " ".join(slots[name] for name in ("this", "kind", "rest")).strip()
    return Reading(KIND, value, subject, kind, excludes, partial(_kind_wording, kind, slots, several))


def _in_the_plural(slots: Mapping[str, str], kind: str) -> dict[str, str]:
    """The slots for several things of a kind: 'What kind of animal is this? Cows' asks about these animals."""
    if is_mass(kind):
        return dict(slots)
    are, this = _PLURALS.get(slots["are"], slots["are"]), _PLURALS.get(slots["this"], slots["this"])
    return {**slots, "are": are, "this": this, "kind": plural(kind)}


def _kind_wording(kind: str, slots: Mapping[str, str], several: bool, value: str) -> Wording | None:
    """The question about one kind: 'a wood floor', 'animal … an elephant', 'food … breakfast'."""
    member = _read_member(kind, value)
    if member is None:
        return None
    several = several or slots["are"] in {"are", "were"}
    form, name = member.form, plural(member.name) if member.form == "noun" and several else member.name
    is_compound, is_definite = member.name.endswith(f" {kind}"), slots["this"] == "the"
    if form == "attributive" and is_definite and is_mass(kind):
        form = "bare"  # 'Is the flooring in the kitchen tile?'
    elif form == "attributive":
        name = f"{name} {_BEFORE_EVENT.sub('', slots['kind'])}"
        form = "noun" if is_definite else form  # 'Is the bear on the ice a polar bear?'
    elif is_compound and not is_definite:
        form = "attributive"  # 'Is this room a living room?' is better said 'Is this a living room?'
    elif form == "noun" and several:
        form = "bare"
    return f"what_kind.{form}", {**slots, "value": with_capitals(name)}


@lru_cache(maxsize=65536)
def _read_member(kind: str, value: str) -> Kind | None:
    """A value as a member of a family: that of the noun itself ('sporting event'), or of its last word."""
    has_family = any(kind in family.kinds for family in FAMILIES.values())
    return read_kind(kind if has_family else kind.split()[-1], value)


def _names(answer: str, name: str) -> bool:
    """Whether an annotator's answer names a kind, in any number, alone or among other words."""
    text = answer.lower()
    return name.lower() in {text, singular(text)} or bool(set(text.split()) & {name.lower(), plural(name).lower()})


def _kind_answer(row: VqaRow) -> Answer:
    value = kind_of_answer(row.answer)
    kind = _asked_kind(row.question)
    return value if kind and _read_member(kind, value) else None, None


_ASKED_KIND = re.compile(
    r"what (?:kind|type|sort)s? of (?:an? )?(?P<kind>[\w' -]+?) (?:is|are|was|were|can|do|does)\b", re.I
)


def _asked_kind(question: str) -> str:
    match = _ASKED_KIND.match(" ".join(question.split()))
    return singular(match["kind"].lower().strip()) if match else ""


# All of them.


class RadTest(NamedTuple):
    """One way of making pairs from a kind of question."""

    opening: re.Pattern[str]
    answer: Callable[[VqaRow], Answer]
    form: Callable[[Parse], QuestionForm | Skip]
    key: Callable[[str, str], Hashable]  # of a question and an answer: what spellings of one answer have in common


_COLOR_OPENING, _COLORS_OPENING, _COUNT_OPENING = (
    re.compile(rf"{words}\b", re.IGNORECASE)
    for words in (r"what colou?rs? (?!are\b)\w+", r"what colou?rs? are", "how many")
)
RAD_TESTS = {
    COLOR: RadTest(
        _COLOR_OPENING, _color_answer, partial(color_form, several=""), lambda _, text: _answers.color_key(text)
    ),
    COLORS: RadTest(
        _COLORS_OPENING, _color_answer, partial(color_form, several="s"), lambda _, text: _answers.color_key(text)
    ),
    COUNT: RadTest(_COUNT_OPENING, _count_answer, counted_form, lambda _, text: _answers.count_key(text)),
    KIND: RadTest(
        KIND_OPENING, _kind_answer, kind_form, lambda question, text: _answers.kind_key(text, _asked_kind(question))
    ),
}


def _plain(question: str) -> str:
    """A question with single spaces."""
    return " ".join(question.split())


def opened_tests(question: str) -> list[str]:
    """The tests a question may be for, by its first words."""
    text = _plain(question)
    return [name for name, test in RAD_TESTS.items() if test.opening.match(text)]


def parsed_questions(row: VqaRow) -> Iterator[str]:
    """The question of a row, if a test will parse it."""
    if any(RAD_TESTS[name].answer(row)[1] is None for name in opened_tests(row.question)):
        yield _plain(row.question)


def read_question(row: VqaRow, tools: Tools, dialog: Dialog | None = None) -> Iterator[RadCandidate | Skip]:
    """What each test could ask about a question; a test whose question it is not skips it."""
    opened = opened_tests(row.question)
    for name, test in RAD_TESTS.items():
        if name not in opened:
            yield ANOTHER_KIND.of(name)
            continue
        value, problem = test.answer(row)
        form: QuestionForm | Skip | None = None
        if problem is None:
            assert tools.parser is not None
            parse = tools.parser(_plain(row.question))
            form = MISSPELLED if has_unknown_word(parse) else test.form(parse)
        problems = (problem.reason if problem else "", form.reason if isinstance(form, Skip) else "")
        form = _with_names(form) if isinstance(form, QuestionForm) else None
        agreement = _answers.agreement(row, partial(test.key, row.question))
        yield RadCandidate(name, row.question_id, row, value, agreement, *problems, form, dialog)


def _with_names(form: QuestionForm) -> QuestionForm:
    """A form with capitals for the names in it, which questions often leave out."""
    slots = {slot: with_capitals(text) for slot, text in form.slots.items()}
    return replace(form, slots=slots, phrase=with_capitals(form.phrase))


def read_back(candidate: RadCandidate, rules: RadRules) -> Reading | Skip:
    """The reading of a candidate, or why a build with these rules cannot use it."""
    test, row, value, form = candidate.test, candidate.row, candidate.value, candidate.form
    if candidate.answer_problem:
        return Skip(candidate.answer_problem)
    if not rules.accept(candidate):
        return DISPUTED
    if test == COUNT and value == "0" and not rules.zero:
        return ZERO
    if candidate.form_problem:
        return Skip(candidate.form_problem)
    return _make_reading(test, value, form, row, rules)


def _make_reading(
    test: str, value: str | None, form: QuestionForm | None, row: VqaRow, rules: RadRules
) -> Reading | Skip:
    assert form is not None
    if value is None:
        return UNKNOWN_KIND
    if test == KIND:
        return _kind_reading(value, form, row)
    return _count_reading(value, form, row, rules) if test == COUNT else _color_reading(test, value, form, row)


class PackedReading(NamedTuple):
    """A reading in a fraction of its memory, for those who hold all of them at once."""

    test: str
    right: str
    subject: str
    topic: str
    content: bytes  # what `unpack` makes it from
    rules: RadRules

    def unpack(self) -> Reading:
        """The reading."""
        return _unpack(self.content, self.rules)


def pack_reading(candidate: RadCandidate, rules: RadRules) -> PackedReading | Skip:
    """The reading of a candidate, packed, or why there is none."""
    reading = read_back(candidate, rules)
    if isinstance(reading, Skip):
        return reading
    row, form = candidate.row, candidate.form
    assert form is not None
    answers = sorted({*row.answers})  # which annotator gave an answer, and how many did, decides nothing any more
    content = (candidate.test, candidate.value, astuple(form), row.answer, answers)
    names = (intern(reading.test), intern(reading.right), reading.subject, intern(reading.topic))
    return PackedReading(*names, marshal.dumps(content), rules)


@lru_cache(maxsize=4096)
def _unpack(content: bytes, rules: RadRules) -> Reading:
    test, value, form, answer, answers = marshal.loads(content)
    row = VqaRow("", "", "", "", "", answer, tuple(answers), "", "")
    reading = _make_reading(test, value, QuestionForm(*form), row, rules)
    assert isinstance(reading, Reading)
    return reading
