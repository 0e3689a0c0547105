"""Wording: a question and its partner, as each of the six tests asks them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from diptych.builders.carets._graphs import Graphs
from diptych.builders.carets._kind_phrases import broader_phrases, narrower_phrase
from diptych.builders.carets._question_spec import (
    ATTRIBUTE,
    CHOICE_TYPES,
    CONJUNCTION,
    DISJUNCTION,
    KIND,
    OBJECT,
    QuestionSpec,
)
from diptych.builders.carets._quotas import ANTONYM, NEGATION, ONTOLOGICAL, ORDER, REPHRASE
from diptych.images import image_file_name
from diptych.language import is_mass, is_plural
from diptych.pairs import Expectation, Pair, Side, row_rng
from diptych.scenegraphs import Phrase, SceneGraph, SceneObject, attribute_classes, fits, indefinite, ontology
from diptych.scenegraphs.image_operations import IMAGENET_MEANS, Means
from diptych.templates import Template, TemplateSet


@dataclass(frozen=True, slots=True)
class PairFacts:
    """What pairs are made with."""

    templates: TemplateSet
    seed: int
    source: str
    graphs: Graphs
    images: Path | None = None
    """The folder of the images; None where only the recipe of each image is published."""
    means: Means = IMAGENET_MEANS


def make_pair(spec: QuestionSpec, graph: SceneGraph, facts: PairFacts, rng: Random) -> Pair:
    """A question and its partner."""
    templates = fitting_templates(spec, facts.templates)
    template = templates[int(rng.random() * len(templates))]
    partner_phrase = _partner_phrase(spec, graph, facts.seed) if spec.test == ONTOLOGICAL else None
    question = _render(spec, template)
    partner_question = _partner_question(spec, template, templates, partner_phrase, question, rng)
    changes = spec.test in (NEGATION, ANTONYM)
    partner_answer = {"yes": "no", "no": "yes"}[spec.answer] if changes else spec.answer
    image_file = image_file_name(facts.source, spec.image_id)
    return Pair(
        test=spec.test,
        expectation=Expectation.DIFFERENT if changes else Expectation.SAME,
        original=Side(spec.image_id, question, spec.answer, image_file=image_file),
        perturbed=Side(spec.image_id, partner_question, partner_answer, image_file=image_file),
        answer_type="other" if spec.type in CHOICE_TYPES else "yes/no",
        question_type=spec.type,
        source=facts.source,
        source_id=spec.image_id,
        template_id=template.id,
        template_hash=template.hash,
        bindings=_bindings(spec, graph, partner_phrase),
    )


def _partner_phrase(spec: QuestionSpec, graph: SceneGraph, seed: int) -> Phrase:
    """The phrase with a kind above its noun (yes) or with a name below it (no)."""
    (phrase,) = spec.phrases
    if spec.answer == "yes":
        phrases = broader_phrases(phrase, graph)
        return phrases[int(row_rng(seed, f"{spec.test}/above", spec.key).random() * len(phrases))]
    narrower = narrower_phrase(phrase, graph, seed, spec.test)
    assert narrower is not None, "a phrase without a narrower one is not planned"
    return narrower


def _partner_question(
    spec: QuestionSpec,
    template: Template,
    templates: Sequence[Template],
    partner_phrase: Phrase | None,
    question: str,
    rng: Random,
) -> str:
    """The words of the partner; in the visual test they stay the same."""
    if spec.test == REPHRASE:
        rewordings = (_render(spec, rewording) for rewording in templates)
        questions = [rewording for rewording in rewordings if rewording != question]
        return questions[int(rng.random() * len(questions))]
    if spec.test == NEGATION:  # the template's own negation, by De Morgan's laws where two objects are asked about
        return _render(spec, template, "negated")
    if partner_phrase is not None:
        spec = replace(spec, phrases=(partner_phrase,))
    elif spec.test == ANTONYM:
        spec = replace(spec, value=spec.opposite)
    elif spec.test == ORDER and spec.type in CHOICE_TYPES:
        rotated = spec.choices[1:] + spec.choices[:1] if rng.random() < 0.5 else spec.choices[::-1]
        spec = replace(spec, choices=rotated)
    elif spec.test == ORDER:
        spec = replace(spec, phrases=spec.phrases[::-1])
    else:
        return question
    return _render(spec, template)


def fitting_templates(spec: QuestionSpec, templates: TemplateSet) -> list[Template]:
    """The templates that can word a question."""
    of_type = templates.for_test(f"carets.{spec.type}")
    if spec.type == OBJECT and spec.phrases[0].shape == "relation":
        return [template for template in of_type if template.fields.get("relation", True)]
    if spec.type in (CONJUNCTION, DISJUNCTION) and len({phrase.are for phrase in spec.phrases}) > 1:
        return [template for template in of_type if not template.fields.get("there", False)]
    return list(of_type)


def _render(spec: QuestionSpec, template: Template, field: str = "text") -> str:
    return template.render(field, **_slots(spec))


def _slots(spec: QuestionSpec) -> dict[str, object]:
    """What fills the slots of a template."""
    first = spec.phrases[0]
    if spec.type == OBJECT:
        return {"a_thing": first.a_text, "no_thing": f"no {first.text}", "are": first.are}
    if spec.type in (CONJUNCTION, DISJUNCTION):
        second = spec.phrases[1]
        return {
            "a_first": _with_article(first),
            "a_second": _with_article(second),
            "first": first.text,
            "second": second.text,
            "are": first.are,
        }
    slots: dict[str, object] = {
        "subject": f"the {first.text}",
        "are": first.are,
        "do": "do" if is_plural(first.name) else "does",
    }
    if spec.type == ATTRIBUTE:
        return slots | {"value": attribute_text(spec.group, spec.value)}
    if spec.type == KIND:
        return slots | {"choices": [indefinite(choice) for choice in spec.choices], "word": spec.group}
    return slots | {"choices": list(spec.choices), "word": attribute_classes()[spec.group].word}


@cache
def attribute_text(group: str, value: str) -> str:
    """An attribute as it is said of an object.

    >>> attribute_text("material", "wood"), attribute_text("color", "red")
    ('made of wood', 'red')
    """
    return attribute_classes()[group].predicate.format(value)


def _with_article(phrase: Phrase) -> str:
    """A phrase with the article that its noun takes, if it takes one."""
    return phrase.text if is_plural(phrase.name) or is_mass(phrase.name) else phrase.a_text


def shown_objects(spec: QuestionSpec, graph: SceneGraph) -> list[SceneObject]:
    """The objects of the image that a question is about, with those that a relation of its phrase leads to."""
    if spec.object_id:
        thing, relation = graph[spec.object_id], spec.phrases[0].relation
        return [thing, *(graph[target_id] for name, target_id in thing.relations if name == relation)]
    objects: dict[str, SceneObject] = {}
    for phrase in spec.phrases:
        for thing in graph.objects:
            if fits(phrase, thing, graph):
                objects[thing.id] = thing
                targets = (graph[target_id] for name, target_id in thing.relations if name == phrase.relation)
                objects |= {target.id: target for target in targets if ontology().is_a(target.name, phrase.target)}
    return list(objects.values())


def _bindings(spec: QuestionSpec, graph: SceneGraph, partner_phrase: Phrase | None) -> dict[str, Any]:
    """What filled the template, and which objects of the graph make the answer true."""
    bindings = {
        "things": [phrase.text for phrase in spec.phrases],
        "objects": [thing.id for thing in shown_objects(spec, graph)],
        "instead": [partner_phrase.text] if partner_phrase else [],
        "class": spec.group,
        "attribute": spec.value,
        "opposite": spec.opposite,
        "choices": list(spec.choices),
    }
    return {name: value for name, value in bindings.items() if value or name in ("things", "objects")}
