"""The tests of RAD by name: how a question opens, what `read` keeps of it, and how it is read back."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from diptych.builders import Tools
from diptych.builders.rad._color import (
    COLOR,
    COLOR_OPENING,
    COLORS,
    COLORS_OPENING,
    NOT_A_COLOR,
    color_form,
    color_reading,
    color_value,
)
from diptych.builders.rad._count import COUNT, COUNT_OPENING, ZERO, count_problem, count_reading, count_value
from diptych.builders.rad._count_form import counted_form
from diptych.builders.rad._kind import KIND, KIND_OPENING, kind_problem, kind_reading, kind_value
from diptych.builders.rad._reading import (
    ANOTHER_KIND,
    DISPUTED,
    QuestionForm,
    RadCandidate,
    RadFacts,
    Reading,
    agreement,
)
from diptych.language import Parse
from diptych.pairs import Skip
from diptych.sources import VqaRow


@dataclass(frozen=True, slots=True)
class RadTest:
    """One way of making pairs from a kind of question."""

    name: str
    opening: re.Pattern[str]
    value: Callable[[VqaRow], str | None]
    """The value an answer gives."""
    problem: Callable[[VqaRow], Skip | None]
    """Why an answer cannot be used at all."""
    form: Callable[[Parse], QuestionForm | Skip] | None
    """The grammatical form of a parsed question; None where no parse is needed."""


def _color_problem(row: VqaRow) -> Skip | None:
    return NOT_A_COLOR if color_value(row) is None else None


RAD_TESTS: dict[str, RadTest] = {
    test.name: test
    for test in (
        RadTest(COLOR, COLOR_OPENING, color_value, _color_problem, lambda parse: color_form(parse, "")),
        RadTest(COLORS, COLORS_OPENING, color_value, _color_problem, lambda parse: color_form(parse, "s")),
        RadTest(COUNT, COUNT_OPENING, count_value, count_problem, counted_form),
        RadTest(KIND, KIND_OPENING, kind_value, kind_problem, None),
    )
}


def opened_tests(question: str) -> list[str]:
    """The tests a question may be for, by its first words."""
    text = " ".join(question.split())
    return [name for name, test in RAD_TESTS.items() if test.opening.match(text)]


def parsed_questions(row: VqaRow) -> Iterator[str]:
    """The question of a row, if a test will parse it."""
    if any(RAD_TESTS[test].form and _problem(RAD_TESTS[test], row) is None for test in opened_tests(row.question)):
        yield row.question


def read_question(row: VqaRow, tools: Tools) -> Iterator[RadCandidate | Skip]:
    """What each test could ask about a question; a test whose question it is not skips it."""
    opened = opened_tests(row.question)
    for name, test in RAD_TESTS.items():
        yield _candidate(test, row, tools) if name in opened else ANOTHER_KIND.of(name)


def _candidate(test: RadTest, row: VqaRow, tools: Tools) -> RadCandidate:
    problem, form = _problem(test, row), None
    if problem is None and test.form is not None:
        assert tools.parser is not None
        form = test.form(tools.parser(row.question))
    return RadCandidate(
        test=test.name,
        key=row.question_id,
        row=row,
        value=test.value(row),
        answer_problem=problem.reason if problem else "",
        form_problem=form.reason if isinstance(form, Skip) else "",
        form=form if isinstance(form, QuestionForm) else None,
    )


def _problem(test: RadTest, row: VqaRow) -> Skip | None:
    if test.form and not test.opening.match(row.question):
        return ANOTHER_KIND  # it opens so only once its spaces are put in order
    return test.problem(row)


def read_back(candidate: RadCandidate, facts: RadFacts) -> Reading | Skip:
    """The reading of a candidate, or why a build with these parameters does not use it."""
    if candidate.answer_problem:
        return Skip(candidate.answer_problem)
    if candidate.test == COUNT and candidate.value == "0" and not facts.zero:
        return ZERO
    if agreement(candidate.row) < facts.min_agreement:
        return DISPUTED
    if candidate.form_problem:
        return Skip(candidate.form_problem)
    if candidate.test == KIND:
        return kind_reading(candidate)
    assert candidate.form is not None
    if candidate.test == COUNT:
        return count_reading(candidate, candidate.form, facts.zero)
    return color_reading(candidate, candidate.form)


def is_likely(candidate_value: str | None, answer: str, answers: Iterable[str], facts: RadFacts) -> bool:
    """Whether a candidate has a value that may be asked about and enough annotators behind it."""
    if candidate_value is None or (candidate_value == "0" and not facts.zero):
        return False
    given = list(answers)
    return (sum(each == answer for each in given) if len(given) > 1 else 10) >= facts.min_agreement
