"""What `read` finds in one scene graph: phrases that are true of it, and objects that can be referred to for certain.

The findings are kept packed, as JSON in columns of bytes: they pass through every stage, and few of them are used.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import orjson

from diptych.builders import EVERY_TEST, Item, Problem
from diptych.language import is_mass, is_plural
from diptych.scenegraphs import (
    Phrase,
    SceneGraph,
    SceneObject,
    attribute_classes,
    base_name,
    class_of,
    ontology,
    referent,
    relation_words,
)

SHAPES = ("bare", "attribute", "relation")
"""The forms of a phrase, in the order in which they are packed."""

_COUNTABLE_KINDS = frozenset(
    "animal;appliance;bag;bird;building;container;dessert;electronic device;fruit;musical instrument;person;tool;toy;"
    "utensil;vegetable;vehicle".split(";")
)
# Kinds that count objects, so that "the black animal" can be one of them.
_CERTAIN_PERSONS = frozenset("man woman boy girl".split())
# A skier may be a boy, so other names of persons exclude nothing.
_MOST_REFERENCES = 3


@dataclass(frozen=True, slots=True)
class GraphFacts(Item):
    """What is known of one image; its key is the id of the image."""

    graph: bytes
    """The scene graph; `unpack_graph` reads it."""
    names: tuple[str, ...]
    """The names of its objects, one per object."""
    phrases: bytes
    """For every noun, the phrases of each shape: `[noun, [[name], …], [[name, attribute], …], …]`."""
    attributes: bytes
    """Objects with a single attribute of a class: `[object id, class, attribute, *phrase]`."""
    kinds: bytes
    """Objects that are told apart by their kind: `[object id, kind, name, *phrase]`."""
    described: bytes
    """Attributes that stand before the name of their object: `[name, attribute]`."""


def read_graph(graph: SceneGraph) -> Iterator[GraphFacts | Problem]:
    """What is known of an image, and what of its graph could not be used.

    Of an image without objects nothing is known, so nothing is known to be absent from it either.
    """
    yield from (Problem(problem.reason, problem.location) for problem in graph.problems)
    if graph.objects:
        yield GraphFacts(
            EVERY_TEST,
            graph.image_id,
            graph=pack_graph(graph),
            names=tuple(thing.name for thing in graph.objects),
            phrases=orjson.dumps(list(_noun_phrases(graph))),
            attributes=orjson.dumps(list(_attribute_references(graph))),
            kinds=orjson.dumps(list(_kind_references(graph))),
            described=orjson.dumps(list(_descriptions(graph))),
        )


def pack_graph(graph: SceneGraph) -> bytes:
    """A scene graph in few bytes."""
    return orjson.dumps(
        [graph.width, graph.height, _pack_objects(graph.objects), _pack_objects(graph.uncertain_objects)]
    )


def _pack_objects(objects: Iterable[SceneObject]) -> list[list[Any]]:
    return [[thing.id, thing.name, thing.box, thing.attributes, thing.relations, thing.sense] for thing in objects]


def unpack_graph(image_id: str, content: Any) -> SceneGraph:
    """The scene graph that `pack_graph` packed.

    >>> graph = SceneGraph("7", 9, 9, (SceneObject("1", "man", (0, 0, 9, 9), ("tall",)),))
    >>> unpack_graph("7", pack_graph(graph)) == graph
    True
    """
    width, height, objects, uncertain = orjson.loads(content)
    return SceneGraph(image_id, width, height, _unpack_objects(objects), uncertain_objects=_unpack_objects(uncertain))


def _unpack_objects(entries: list[list[Any]]) -> tuple[SceneObject, ...]:
    return tuple(
        SceneObject(object_id, name, tuple(box), tuple(attributes), tuple(map(tuple, relations)), sense)
        for object_id, name, box, attributes, relations, sense in entries
    )


def phrase_fields(phrase: Phrase) -> list[str]:
    """A phrase as the list that `Phrase(*fields)` reads."""
    return [phrase.name, phrase.attribute, phrase.relation, phrase.target]


def phrases_for(
    thing: SceneObject, graph: SceneGraph, name: str = "", shapes: Collection[str] = SHAPES
) -> Iterator[Phrase]:
    """The phrases that name an object: bare, with an attribute, with a relation."""
    name = name or thing.name
    if "bare" in shapes:
        yield Phrase(name)
    if "attribute" in shapes:
        yield from (Phrase(name, attribute) for attribute in _leading_attributes(thing))
    if "relation" in shapes:
        for relation, target_id in thing.relations:
            target = graph[target_id].name
            is_usable = relation in relation_words() and ontology().is_foreground(target)
            if is_usable and base_name(target) != base_name(thing.name):
                yield Phrase(name, "", relation, target)


def _leading_attributes(thing: SceneObject) -> Iterator[str]:
    for attribute in thing.attributes:
        attribute_class = class_of(attribute, thing.name)
        if attribute_class is not None and attribute_class.precedes_noun:
            yield attribute


def _descriptions(graph: SceneGraph) -> Iterator[tuple[str, str]]:
    return ((thing.name, attribute) for thing in graph.objects for attribute in _leading_attributes(thing))


def _noun_phrases(graph: SceneGraph) -> Iterator[list[Any]]:
    """Every noun of the image that is asked about, with its phrases by shape, each in alphabetical order."""
    by_noun: defaultdict[str, list[SceneObject]] = defaultdict(list)
    for thing in graph.objects:
        if ontology().is_foreground(thing.name):
            by_noun[base_name(thing.name)].append(thing)
    for noun, things in sorted(by_noun.items()):
        by_shape = (
            {phrase for thing in things for phrase in phrases_for(thing, graph, shapes=(shape,))} for shape in SHAPES
        )
        ordered = [sorted(phrases, key=lambda phrase: (phrase.text, phrase.name)) for phrases in by_shape]
        yield [noun, *([phrase_fields(phrase) for phrase in phrases] for phrases in ordered)]


def _attribute_references(graph: SceneGraph) -> Iterator[list[str]]:
    """Objects with a single attribute of a class, by a few phrases that refer to them."""
    for thing in graph.objects:
        if ontology().is_definite(thing.name):
            for group, value in _single_attributes(thing):
                for phrase in _references(thing, graph, group):
                    yield [thing.id, group, value, *phrase_fields(phrase)]


def _single_attributes(thing: SceneObject) -> list[tuple[str, str]]:
    """The classes of which an object has exactly one attribute."""
    by_class: defaultdict[str, list[str]] = defaultdict(list)
    for attribute in thing.attributes:
        attribute_class = class_of(attribute, thing.name)
        if attribute_class is not None and not attribute_class.is_independent:
            by_class[attribute_class.name].append(attribute)
    return [(name, values[0]) for name, values in by_class.items() if len(values) == 1]


def _references(thing: SceneObject, graph: SceneGraph, group: str) -> list[Phrase]:
    """Phrases that refer to this object alone and do not give away its attribute of a class."""
    by_name = (phrase for phrase in phrases_for(thing, graph) if not _gives_away(phrase, thing, group))
    by_kind = (Phrase(kind) for kind in countable_kinds(thing.name))
    references = list(islice((phrase for phrase in by_name if referent(phrase, graph) is thing), _MOST_REFERENCES))
    return references + [phrase for phrase in by_kind if referent(phrase, graph) is thing]


def _gives_away(phrase: Phrase, thing: SceneObject, group: str) -> bool:
    attribute_class = class_of(phrase.attribute, thing.name) if phrase.attribute else None
    pose = phrase.relation.partition(" ")[0]  # "the man sitting on the bench" tells his pose
    same_class = attribute_class is not None and attribute_class.name == group
    return same_class or pose in attribute_classes()[group].values


@cache
def countable_kinds(name: str) -> tuple[str, ...]:
    """The kinds that a single object of this name can be called by.

    >>> countable_kinds("parrot"), countable_kinds("parrots")
    (('animal', 'bird'), ())
    """
    if is_plural(name) or is_mass(name):
        return ()
    return tuple(sorted(ontology().kinds_of(name) & _COUNTABLE_KINDS))


def _kind_references(graph: SceneGraph) -> Iterator[list[str]]:
    """Objects that are told apart by their kind with an attribute or a relation."""
    for thing in graph.objects:
        if not ontology().is_foreground(thing.name):
            continue
        for kind in countable_kinds(thing.name):
            if kind == "person" and thing.name not in _CERTAIN_PERSONS:
                continue
            phrases = phrases_for(thing, graph, kind, SHAPES[1:])
            references = (phrase for phrase in phrases if referent(phrase, graph) is thing)
            for phrase in islice(references, 2 * _MOST_REFERENCES):
                yield [thing.id, kind, thing.name, *phrase_fields(phrase)]
