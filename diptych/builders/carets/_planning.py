"""From what was read and drawn to the questions of a test: quotas are filled, and no question is asked twice."""

from collections import Counter
from collections.abc import Iterator

from diptych.builders import BuildOptions, Rows
from diptych.builders.carets._choice_questions import (
    plan_attribute_questions,
    plan_choice_questions,
    plan_opposite_questions,
)
from diptych.builders.carets._draws import DrawFacts, rank_limits
from diptych.builders.carets._graphs import Graphs, NameIndex
from diptych.builders.carets._paper_questions import (
    CooccurrenceCounts,
    plan_paper_attributes,
    plan_paper_choices,
    plan_paper_opposites,
    plan_paper_presence,
)
from diptych.builders.carets._presence_questions import RankedDraws, plan_presence_questions
from diptych.builders.carets._question_spec import ACTION, ATTRIBUTE, CHOICE, KIND, PRESENCE_TYPES, QuestionSpec
from diptych.builders.carets._quotas import ANTONYM, question_quotas, too_few
from diptych.builders.carets._references import Indices, ReferenceTable
from diptych.pairs import Skip


def plan_draws(rows: Rows, options: BuildOptions) -> DrawFacts:
    """What the draws and the questions of a test depend on."""
    (test,) = options.tests
    graphs = Graphs(rows)
    names = NameIndex.from_rows(rows, graphs)
    quotas = question_quotas(test, options.parameters)
    matched = options.parameters.get("absences") != "paper"
    limits = rank_limits(test, quotas, names) if matched else {}
    return DrawFacts(test, options.seed, quotas, graphs, names, matched, limits)


def plan_questions(rows: Rows, draws: Rows | None, facts: DrawFacts) -> tuple[list[QuestionSpec], list[Skip]]:
    """The questions of a test in the order of their images, and a skip for every one that a quota lacks."""
    questions: list[QuestionSpec] = []
    plan = _plan_matched if facts.matched else _plan_paper
    for of_type in plan(rows, draws, facts):
        # Two ways to the same words about the same image are one question.
        words = ((spec.image_id, spec.phrases, spec.value, frozenset(spec.choices)) for spec in of_type)
        questions += dict(zip(words, of_type, strict=True)).values()
    counts = Counter(spec.type for spec in questions)
    skips: list[Skip] = []
    for type_, quota in facts.quotas.items():
        skips += [too_few(type_, quota, counts[type_])] * (quota - counts[type_])
    return sorted(questions, key=lambda spec: (len(spec.image_id), spec.key)), skips


def _plan_matched(rows: Rows, draws: Rows | None, facts: DrawFacts) -> Iterator[list[QuestionSpec]]:
    seed, test = facts.seed, facts.test
    if draws is not None:
        yield from plan_presence_questions(draws, facts)
    for type_, quota, references in _references(rows, facts):
        if type_ != ATTRIBUTE:
            yield plan_choice_questions(*references, type_, quota, seed, test)
        elif test == ANTONYM:
            yield plan_opposite_questions(*references, quota, seed, test)
        else:
            yield plan_attribute_questions(*references, quota, seed, test)


def _plan_paper(rows: Rows, draws: Rows | None, facts: DrawFacts) -> Iterator[list[QuestionSpec]]:
    company = CooccurrenceCounts.from_rows(rows)
    for type_ in PRESENCE_TYPES:
        if draws is not None and facts.quotas.get(type_):
            yield plan_paper_presence(RankedDraws(draws, type_), company, type_, facts)
    for type_, quota, references in _references(rows, facts):
        if type_ != ATTRIBUTE:
            yield plan_paper_choices(*references, type_, quota, facts)
        elif facts.test == ANTONYM:
            yield plan_paper_opposites(*references, facts)
        else:
            yield plan_paper_attributes(*references, company, facts)


def _references(rows: Rows, facts: DrawFacts) -> Iterator[tuple[str, int, tuple[ReferenceTable, Indices]]]:
    """The types of question about objects that are referred to, with their quotas and references."""
    for column, types in (("kinds", (KIND,)), ("attributes", (ATTRIBUTE, CHOICE, ACTION))):
        quotas = {type_: facts.quotas[type_] for type_ in types if facts.quotas.get(type_)}
        if quotas:
            table = ReferenceTable(rows, column, facts.graphs)
            yield from ((type_, quota, (table, table.select(type_))) for type_, quota in quotas.items())
