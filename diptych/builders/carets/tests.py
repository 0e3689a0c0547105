"""The six tests of CARETS: how many questions of which type each asks, and how the partner of a question is worded."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from diptych.builders.carets.asking import (
    ACTION,
    ATTRIBUTE,
    CHOICE,
    CHOICES,
    CONJUNCTION,
    DISJUNCTION,
    KIND,
    OBJECT,
    Asked,
    say,
    templates_for,
    words,
)
from diptych.builders.carets.choosing import attributes, choices, opposites
from diptych.builders.carets.corpus import Corpus
from diptych.builders.carets.ontological import ontological
from diptych.builders.carets.paper import verified_as_in_the_paper
from diptych.builders.carets.verifying import conjunctions, disjunctions, objects
from diptych.pairs import Expectation, Pair, Side, Skip, row_rng
from diptych.scenegraphs import antonyms
from diptych.templates import Template, TemplateSet

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
"""Questions by test and type. The paper's Table 6 has the sums of yes/no and of choice questions; the split is ours."""

VERIFIED = (OBJECT, CONJUNCTION, DISJUNCTION)
TOO_FEW = Skip("the scene graphs hold too few such questions")


def quotas(test: str, pairs: int) -> dict[str, int]:
    """How many questions of each type a test asks: the paper's numbers, or as many in all as were said."""
    table = TABLE_6[test]
    total = sum(table.values())
    return {type_: round(n * pairs / total) if pairs else n for type_, n in table.items()}


def ask(corpus: Corpus, seed: int, test: str, parameters: Mapping[str, Any]) -> tuple[list[Asked], int]:
    """The original questions of a test, in the order of their images, and how many could not be had."""
    asked: list[Asked] = []
    missing = 0
    for type_, wanted in quotas(test, int(parameters.get("pairs", 0))).items():
        if parameters.get("absences") == "paper" and type_ in VERIFIED and test != ONTOLOGICAL:
            found = verified_as_in_the_paper(corpus, seed, test, type_, wanted)
        else:
            found = _of_type(corpus, seed, test, type_, wanted)
        asked += found
        missing += max(0, wanted - len(found))
    # Two ways to the same words about the same image are one question.
    once = list(
        {(one.type, one.image_id, one.phrases, one.value, frozenset(one.choices)): one for one in asked}.values()
    )
    missing += len(asked) - len(once)
    return sorted(once, key=lambda one: (len(one.image_id), one.key)), missing


def _of_type(corpus: Corpus, seed: int, test: str, type_: str, wanted: int) -> list[Asked]:
    makers: dict[str, Callable[[Corpus, int, str, int], list[Asked]]] = {
        OBJECT: ontological if test == ONTOLOGICAL else objects,
        CONJUNCTION: conjunctions,
        DISJUNCTION: disjunctions,
        ATTRIBUTE: opposites if test == ANTONYM else attributes,
    }
    if type_ in makers:
        return makers[type_](corpus, seed, test, wanted)
    return choices(corpus, seed, test, type_, wanted)


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
    other = replace(asked, value=antonyms()[asked.group, asked.value])
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
    said |= {"choices": list(asked.choices)} if asked.choices else {}
    return said
