"""The six tests of CARETS: how many questions of which type each asks, and how the partner of a question is worded."""

import gc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from diptych.builders.carets.asking import (
    ATTRIBUTE,
    CHOICES,
    CONJUNCTION,
    DISJUNCTION,
    OBJECT,
    Asked,
    say,
    templates_for,
    words,
)
from diptych.builders.carets.choosing import attributes, choices, opposites
from diptych.builders.carets.corpus import Corpus
from diptych.builders.carets.counts import ANTONYM, NEGATION, ONTOLOGICAL, ORDER, REPHRASE, VISUAL, quotas
from diptych.builders.carets.ontological import ontological
from diptych.builders.carets.paper import (
    attributes_as_in_the_paper,
    choices_as_in_the_paper,
    ontological_as_in_the_paper,
    opposites_as_in_the_paper,
    verified_as_in_the_paper,
)
from diptych.builders.carets.verifying import Used, conjunctions, disjunctions, objects
from diptych.pairs import Expectation, Pair, Side, Skip, row_rng
from diptych.templates import Template, TemplateSet

VERIFIED = (CONJUNCTION, DISJUNCTION, OBJECT)
"""What is there: two things first, since fewer images have both."""


def ask(
    corpus: Corpus, seed: int, test: str, parameters: Mapping[str, Any]
) -> tuple[list[Asked], Counter[tuple[str, str]]]:
    """The original questions of a test, in the order of their images, and how many could not be had of which type."""
    asked: list[Asked] = []
    wanted = quotas(test, parameters)
    make = _as_in_the_paper if parameters.get("absences") == "paper" else _matched
    with _uncollected():
        for found in make(corpus, seed, test, wanted):
            # Two ways to the same words about the same image are one question.
            asked += {(one.image_id, one.phrases, one.value, frozenset(one.choices)): one for one in found}.values()
    got = Counter(one.type for one in asked)
    missing = {(test, too_few(type_, n, got[type_]).reason): n - got[type_] for type_, n in wanted.items()}
    return sorted(asked, key=lambda one: (len(one.image_id), one.key)), +Counter(missing)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the collector: nothing here makes cycles, and its walks over all graphs cost more the more there are."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def too_few(type_: str, wanted: int, got: int) -> Skip:
    """Why a question that was wanted is not there."""
    return Skip(f"the scene graphs hold too few {type_} questions ({wanted:,} wanted, {got:,} found)")


def _matched(corpus: Corpus, seed: int, test: str, wanted: Mapping[str, int]) -> Iterator[list[Asked]]:
    verified = {CONJUNCTION: conjunctions, DISJUNCTION: disjunctions, OBJECT: objects}
    used: Used = set()
    for type_ in VERIFIED:
        if type_ in wanted and test == ONTOLOGICAL:
            yield ontological(corpus, seed, test, wanted[type_])
        elif type_ in wanted:
            yield verified[type_](corpus, seed, test, wanted[type_], used)
    if ATTRIBUTE in wanted:
        yield (opposites if test == ANTONYM else attributes)(corpus, seed, test, wanted[ATTRIBUTE])
    for type_ in CHOICES:
        if type_ in wanted:
            yield choices(corpus, seed, test, type_, wanted[type_])


def _as_in_the_paper(corpus: Corpus, seed: int, test: str, wanted: Mapping[str, int]) -> Iterator[list[Asked]]:
    for type_, number in wanted.items():
        if type_ in CHOICES:
            yield choices_as_in_the_paper(corpus, seed, test, type_, number)
        elif type_ == ATTRIBUTE:
            make = opposites_as_in_the_paper if test == ANTONYM else attributes_as_in_the_paper
            yield make(corpus, seed, test, number)
        elif test == ONTOLOGICAL:
            yield ontological_as_in_the_paper(corpus, seed, test, number)
        else:
            yield verified_as_in_the_paper(corpus, seed, test, type_, number)


@dataclass(frozen=True, slots=True)
class CaretsMaker:
    """Words the questions of a test and makes their partners."""

    templates: TemplateSet
    test: str
    seed: int
    source: str

    def outcomes(self, rows: Sequence[Asked]) -> Iterator[tuple[str, Pair | Skip]]:
        """The pair of every question."""
        for asked in rows:
            yield self.test, self.pair(asked)

    def pair(self, asked: Asked) -> Pair:
        """A question and its partner."""
        rng = row_rng(self.seed, self.test, asked.key)
        fitting = templates_for(asked, self.templates)
        template = fitting[int(rng.random() * len(fitting))]
        expectation, partner = PARTNERS[self.test](asked, template, fitting, rng)
        original = Side(asked.image_id, say(asked, template), asked.answer)
        return Pair(
            test=self.test,
            expectation=expectation,
            original=original,
            perturbed=partner,
            answer_type="other" if asked.type in CHOICES else "yes/no",
            question_type=asked.type,
            source=self.source,
            source_id=asked.image_id,
            template_id=template.id,
            template_hash=template.hash,
            bindings=_provenance(asked),
        )


Partner = tuple[Expectation, Side]


def rephrase(asked: Asked, template: Template, fitting: Sequence[Template], rng: Random) -> Partner:
    """Another template, and always other words."""
    said = say(asked, template)
    others = [question for other in fitting if (question := say(asked, other)) != said]
    return Expectation.SAME, Side(asked.image_id, others[int(rng.random() * len(others))], asked.answer)


def broaden_or_narrow(asked: Asked, template: Template, fitting: Sequence[Template], rng: Random) -> Partner:
    """The name gives way to a kind above it (yes) or to a name below it (no)."""
    return Expectation.SAME, Side(asked.image_id, say(replace(asked, phrases=asked.other), template), asked.answer)


def reorder(asked: Asked, template: Template, fitting: Sequence[Template], rng: Random) -> Partner:
    """The two things, or the choices, in another order."""
    if asked.type in CHOICES:
        turned = asked.choices[1:] + asked.choices[:1] if rng.random() < 0.5 else asked.choices[::-1]
        other = replace(asked, choices=turned)
    else:
        other = replace(asked, phrases=asked.phrases[::-1])
    return Expectation.SAME, Side(asked.image_id, say(other, template), asked.answer)


def negate(asked: Asked, template: Template, fitting: Sequence[Template], rng: Random) -> Partner:
    """The template's own negation, by De Morgan's laws where two things are asked about."""
    return Expectation.DIFFERENT, Side(asked.image_id, say(asked, template, "negated"), _flipped(asked.answer))


def oppose(asked: Asked, template: Template, fitting: Sequence[Template], rng: Random) -> Partner:
    """The opposite attribute."""
    other = replace(asked, value=asked.opposite)
    return Expectation.DIFFERENT, Side(asked.image_id, say(other, template), _flipped(asked.answer))


def look_again(asked: Asked, template: Template, fitting: Sequence[Template], rng: Random) -> Partner:
    """The same words about a changed image."""
    return Expectation.SAME, Side(asked.image_id, say(asked, template), asked.answer)


PARTNERS: Mapping[str, Callable[[Asked, Template, Sequence[Template], Random], Partner]] = {
    REPHRASE: rephrase,
    ONTOLOGICAL: broaden_or_narrow,
    ORDER: reorder,
    VISUAL: look_again,
    NEGATION: negate,
    ANTONYM: oppose,
}


def _flipped(answer: str) -> str:
    return "no" if answer == "yes" else "yes"


def _provenance(asked: Asked) -> dict[str, Any]:
    """What filled the template, and what in the graph makes the answer true."""
    said: dict[str, Any] = {"things": words(asked.phrases), "objects": list(asked.objects)}
    said |= {"instead": words(asked.other)} if asked.other else {}
    said |= {"class": asked.group} if asked.group else {}
    said |= {"attribute": asked.value} if asked.value else {}
    said |= {"opposite": asked.opposite} if asked.opposite else {}
    said |= {"choices": list(asked.choices)} if asked.choices else {}
    return said


__all__ = ["ANTONYM", "NEGATION", "ONTOLOGICAL", "ORDER", "REPHRASE", "VISUAL", "CaretsMaker", "ask", "too_few"]
