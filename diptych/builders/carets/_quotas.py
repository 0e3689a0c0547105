"""How many questions of which type each of the six tests asks."""

from collections.abc import Mapping

from diptych.builders import ParameterValue
from diptych.builders.carets._question_spec import (
    ACTION,
    ATTRIBUTE,
    CHOICE,
    CONJUNCTION,
    DISJUNCTION,
    KIND,
    OBJECT,
    QUESTION_TYPES,
)
from diptych.errors import BadInputError, UnknownNameError
from diptych.pairs import Skip

REPHRASE, ONTOLOGICAL, ORDER = "carets.rephrase", "carets.ontological", "carets.order"
VISUAL, NEGATION, ANTONYM = "carets.visual", "carets.negation", "carets.antonym"

TABLE_6: Mapping[str, Mapping[str, int]] = {
    REPHRASE: {OBJECT: 4000, CONJUNCTION: 3000, DISJUNCTION: 3000, KIND: 3138, CHOICE: 3137, ACTION: 3137},
    ONTOLOGICAL: {OBJECT: 13952},
    ORDER: {CONJUNCTION: 2500, DISJUNCTION: 2500, KIND: 3138, CHOICE: 3137, ACTION: 3137},
    VISUAL: {
        OBJECT: 6000,
        CONJUNCTION: 4500,
        DISJUNCTION: 4500,
        ATTRIBUTE: 3000,
        KIND: 2758,
        CHOICE: 2757,
        ACTION: 2757,
    },
    NEGATION: {OBJECT: 4000, CONJUNCTION: 3000, DISJUNCTION: 3000},
    ANTONYM: {ATTRIBUTE: 5000},
}
"""Questions by test and type.

The paper's Table 6 prints for each test the sum of its yes/no and of its choice questions, and those sums are kept
exactly. It prints no split by type, so the split is ours: choice questions in three equal parts, yes/no questions with
two fifths (a third in the visual test) about one object.
"""

MOST_QUESTIONS = 100_000_000
"""Questions of a type that a build may ask for."""


def question_quotas(test: str, parameters: Mapping[str, ParameterValue]) -> dict[str, int]:
    """How many questions of each type a test asks: the paper's numbers, unless `pairs` or `counts` set others.

    >>> question_quotas("carets.negation", {"pairs": 100})
    {'object': 40, 'conjunction': 30, 'disjunction': 30}
    >>> question_quotas("carets.negation", {"counts": "object:7,negation.disjunction:0"})
    {'object': 7, 'conjunction': 3000, 'disjunction': 0}
    """
    table, pairs = TABLE_6[test], int(parameters.get("pairs", 0))
    total = sum(table.values())
    scaled = {type_: round(number * pairs / total) if pairs else number for type_, number in table.items()}
    counts = parse_counts(str(parameters.get("counts", "")))
    short_name = test.partition(".")[2]
    return {type_: counts.get((short_name, type_), counts.get(("", type_), number)) for type_, number in scaled.items()}


def parse_counts(text: str) -> dict[tuple[str, str], int]:
    """Counts of questions, `TYPE:N` for all tests or `TEST.TYPE:N` for one, separated by commas.

    >>> parse_counts("object:500, order.kind:20")
    {('', 'object'): 500, ('order', 'kind'): 20}
    """
    counts: dict[tuple[str, str], int] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, _, number = entry.partition(":")
        test, _, type_ = name.strip().rpartition(".")
        if type_ not in QUESTION_TYPES:
            raise UnknownNameError.among(f"question type in counts={entry}:", type_, QUESTION_TYPES)
        if test and type_ not in TABLE_6.get(f"carets.{test}", ()):
            raise BadInputError(f"counts={entry}: there is no test {test!r} with questions of the type {type_!r}")
        if not number.strip().isdecimal():
            raise BadInputError(f"counts={entry}: write TYPE:N or TEST.TYPE:N, separated by commas")
        counts[test, type_] = int(number)
        if counts[test, type_] > MOST_QUESTIONS:
            raise BadInputError(f"counts={entry}: must be at most {MOST_QUESTIONS:,}")
    return counts


def too_few(type_: str, quota: int, count: int) -> Skip:
    """Why a question of the quota is missing."""
    return Skip(f"the scene graphs hold too few {type_} questions ({quota:,} wanted, {count:,} found)")
