"""Wording: a question and its partner, as each of the six tests asks them, and the images of the visual test."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import nan
from random import Random
from typing import Any

from diptych.builders import UNREADABLE_IMAGE, Item, read_picture
from diptych.builders.carets import _questions as questions
from diptych.builders.carets._graphs import Graphs
from diptych.builders.carets._questions import QuestionSpec, unpack_phrases
from diptych.errors import BadInputError
from diptych.images import ImageStore, image_file_name
from diptych.language import indefinite, is_plural
from diptych.pairs import Expectation, Pair, Side, Skip, row_rng
from diptych.scenegraphs import ATTRIBUTE_CLASSES, Phrase, SceneGraph, SceneObject, base_name, fits, ontology
from diptych.scenegraphs import image_operations as operations
from diptych.scenegraphs.image_operations import IMAGENET_MEANS, OPERATIONS, Blurs, Means, Pixels
from diptych.templates import Template, TemplateSet

NO_TEMPLATE = Skip("no template words the question")
OTHER_SIZE = Skip("the image does not have the size that its scene graph gives")
COMPUTED = "computed"
_PLACE = re.compile(r"(?:\bin )?\b(?:this|the) (?:image|picture|photo)\b|\banywhere\b|[ ,?]+")


@dataclass(frozen=True, slots=True)
class PairFacts:
    """What pairs are made with."""

    templates: TemplateSet
    seed: int
    source: str
    graphs: Graphs
    images: ImageStore | None = None  # where they are; None where only the recipe of each image is published
    means: Means = IMAGENET_MEANS


@dataclass(frozen=True, slots=True)
class ImageQuestions(Item):
    """An image and all questions about it, so that it is decoded once; its key is the id of the image."""

    questions: tuple[QuestionSpec, ...]


def make_pair(spec: QuestionSpec, graph: SceneGraph, facts: PairFacts, rng: Random) -> Pair | Skip:
    """A question and its partner, unless a user's templates have no words for them."""
    phrases = unpack_phrases(spec.phrases)
    templates = _fitting_templates(spec, phrases, facts.templates)
    if len(templates) < (2 if spec.test == questions.REPHRASE else 1):
        return NO_TEMPLATE.of(spec.test)
    template = templates[int(rng.random() * len(templates))]
    partner_phrase = phrases[1] if spec.test == questions.ONTOLOGICAL else None
    phrases = phrases[:1] if partner_phrase else phrases
    slots = _slots(spec, phrases, spec.value, spec.choices)
    question = template.render(**slots)
    if spec.test == questions.REPHRASE:
        rewordings = [text for other in templates if (text := other.render(**slots)) != question]
        if not rewordings:
            return NO_TEMPLATE.of(spec.test)
        # Another word for the image alone is no other wording, unless there is none.
        rewordings = [text for text in rewordings if _frame(text) != _frame(question)] or rewordings
        partner_question = rewordings[int(rng.random() * len(rewordings))]
    elif spec.test == questions.NEGATION:  # the template's own, by De Morgan's laws where two objects are asked about
        partner_question = template.render("negated", **slots)
    else:
        partner_question = template.render(**_partner_slots(spec, phrases, partner_phrase, rng))
    changes = spec.test in questions.CHANGING_TESTS
    partner_answer = {"yes": "no", "no": "yes"}[spec.answer] if changes else spec.answer
    image_file = image_file_name(facts.source, spec.image_id)
    original = Side(spec.image_id, question, spec.answer, image_file=image_file)
    perturbed = Side(spec.image_id, partner_question, partner_answer, image_file=image_file)
    answer_type = "other" if spec.type in questions.CHOICE_TYPES else "yes/no"
    origin = (answer_type, spec.type, facts.source, spec.image_id, template.id, template.hash)
    expectation = Expectation.DIFFERENT if changes else Expectation.SAME
    bindings = _bindings(spec, phrases, graph, partner_phrase)
    return Pair(spec.test, expectation, original, perturbed, *origin, bindings)


def _frame(question: str) -> str:
    """A question without the words for where things are."""
    return _PLACE.sub("", question.lower())


def _partner_slots(
    spec: QuestionSpec, phrases: tuple[Phrase, ...], partner_phrase: Phrase | None, rng: Random
) -> dict[str, Any]:
    """What fills the slots of the same template in the partner's question; in the visual test nothing changes."""
    value, choices = spec.value, spec.choices
    if partner_phrase is not None:
        phrases = (partner_phrase,)
    elif spec.test == questions.ANTONYM:
        value = spec.opposite
    elif spec.test == questions.ORDER and spec.type in questions.CHOICE_TYPES:
        choices = choices[1:] + choices[:1] if rng.random() < 0.5 else choices[::-1]
    elif spec.test == questions.ORDER:
        phrases = phrases[::-1]
    return _slots(spec, phrases, value, choices)


def _fitting_templates(spec: QuestionSpec, phrases: Sequence[Phrase], templates: TemplateSet) -> list[Template]:
    type_, test = spec.type, f"carets.{spec.type}"
    of_type = templates.for_test(test) if test in templates.tests else ()
    if spec.test == questions.NEGATION:
        of_type = tuple(template for template in of_type if "negated" in template.texts)
    if type_ == questions.OBJECT and phrases[0].shape == "relation":
        return [template for template in of_type if template.fields.get("relation", True)]
    if type_ in (questions.CONJUNCTION, questions.DISJUNCTION) and len({phrase.are for phrase in phrases}) > 1:
        return [template for template in of_type if not template.fields.get("there", False)]
    return list(of_type)


def _slots(spec: QuestionSpec, phrases: Sequence[Phrase], value: str, choices: Sequence[str]) -> dict[str, Any]:
    """What fills the slots of a template."""
    first = phrases[0]
    if spec.type == questions.OBJECT:
        return {"a_thing": first.a_text, "no_thing": f"no {first.text}", "are": first.are}
    if spec.type in (questions.CONJUNCTION, questions.DISJUNCTION):
        a_first, a_second = (phrase.a_text.removeprefix("any ") for phrase in phrases)
        texts = {"a_first": a_first, "a_second": a_second, "first": first.text, "second": phrases[1].text}
        return {**texts, "are": first.are}
    verb = "do" if is_plural(first.name) else "does"
    slots: dict[str, Any] = {"subject": f"the {first.text}", "are": first.are, "do": verb}
    if spec.type == questions.KIND:
        return slots | {"choices": [indefinite(choice) for choice in choices], "word": spec.group}
    attribute_class = ATTRIBUTE_CLASSES[spec.group]
    if spec.type == questions.ATTRIBUTE:  # "made of wood", but "red"
        return slots | {"value": attribute_class.predicate.format(value)}
    return slots | {"choices": list(choices), "word": attribute_class.word}


def _shown_objects(spec: QuestionSpec, phrases: Sequence[Phrase], graph: SceneGraph) -> list[SceneObject]:
    """The objects of the image that a question is about, with those that a relation of its phrase leads to."""
    if spec.object_id:
        thing, relation = graph[spec.object_id], phrases[0].relation
        return [thing, *(graph[target_id] for name, target_id in thing.relations if name == relation)]
    objects: dict[str, SceneObject] = {}
    for phrase in phrases:
        for thing in graph.objects:
            if fits(phrase, thing, graph):
                objects[thing.id] = thing
                targets = (graph[target_id] for name, target_id in thing.relations if name == phrase.relation)
                objects |= {target.id: target for target in targets if ontology().is_a(target.name, phrase.target)}
    return list(objects.values())


def _bindings(
    spec: QuestionSpec, phrases: Sequence[Phrase], graph: SceneGraph, partner_phrase: Phrase | None
) -> dict[str, Any]:
    """What filled the template, and which objects of the graph make the answer true."""
    things = [phrase.text for phrase in phrases]
    objects = [thing.id for thing in _shown_objects(spec, phrases, graph)]
    bindings = {
        "instead": [partner_phrase.text] if partner_phrase else [],
        "implied": _implied_side(spec.answer, phrases[0], partner_phrase) if partner_phrase else "",
        "class": spec.group,
        "attribute": spec.value,
        "opposite": spec.opposite,
        "choices": list(spec.choices),
    }
    return {"things": things, "objects": objects, **{name: value for name, value in bindings.items() if value}}


def _implied_side(answer: str, phrase: Phrase, partner_phrase: Phrase) -> str:
    """The side whose answer follows from the other's: a dog implies an animal, no animal implies no dog."""
    is_narrower = base_name(partner_phrase.name) in ontology().kinds_of(phrase.name)
    return "perturbed" if is_narrower is (answer == "yes") else "original"


# The visual test: the same question about an image of which only the foreground is left as it was.


def image_pairs(item: ImageQuestions, facts: PairFacts) -> Iterator[Pair | Skip]:
    """For every question and operation, the pair or why there is none."""
    graph = facts.graphs[item.key]
    content, image = _read_image(graph, facts.images) if facts.images else (b"", None)
    blurs: Blurs = {}
    for spec in item.questions:
        if isinstance(image, Skip):
            yield from (replace(image, where=f"image {item.key}") for _ in OPERATIONS)
            continue
        pair = make_pair(spec, graph, facts, row_rng(facts.seed, spec.test, spec.key))
        if isinstance(pair, Skip):
            yield from (pair for _ in OPERATIONS)
            continue
        objects = _foreground_objects(spec, graph, facts.seed)
        boxes = operations.foreground([thing.box for thing in objects], graph.width, graph.height)
        recipe = {"boxes": [list(box) for box in boxes], "means": list(facts.means)}
        for operation in OPERATIONS:
            extra: dict[str, Any] = {"operation": operation, **recipe}
            if image is not None:
                perturbed = operations.encode(operations.obfuscate(image, boxes, operation, facts.means, blurs))
                extra["original_image"] = {"bytes": content, "path": f"{item.key}.jpg"}
                extra["perturbed_image"] = {"bytes": perturbed, "path": f"{item.key}.{operation}.jpg"}
            yield replace(pair, perturbed=replace(pair.perturbed, image_id=f"{item.key}.{operation}"), extra=extra)


def _read_image(graph: SceneGraph, images: ImageStore) -> tuple[bytes, Pixels | Skip]:
    content = read_picture(images, f"{graph.image_id}.jpg")
    if isinstance(content, Skip):
        return b"", content
    image = operations.decode(content)
    if image is None:
        return b"", UNREADABLE_IMAGE
    return content, image if image.shape[:2] == (graph.height, graph.width) else OTHER_SIZE


def _foreground_objects(spec: QuestionSpec, graph: SceneGraph, seed: int) -> list[SceneObject]:
    """What a question is about; where all of it is absent, one or two random objects."""
    phrases = unpack_phrases(spec.phrases)
    if objects := _shown_objects(spec, phrases, graph):
        return objects
    rng = row_rng(seed, f"{spec.test}/boxes", f"{spec.image_id}/{phrases[0].text}")
    return rng.sample(list(graph.objects), min(len(phrases), len(graph.objects)))


def parse_means(text: str) -> Means | None:
    """Channel means: three numbers of 0 to 255; None where they are to be `computed` from the images.

    >>> parse_means("123.7,116.3,103.5")
    (123.7, 116.3, 103.5)
    """
    if text == COMPUTED:
        return None
    try:
        red, green, blue = (float(part) for part in text.split(","))
    except ValueError:
        red = green = blue = nan
    if not all(0 <= value <= 255 for value in (red, green, blue)):
        raise BadInputError(f"means={text}: must be three numbers from 0 to 255 (red,green,blue), or {COMPUTED}")
    return red, green, blue
