"""What the graphs tell of things that can be referred to without doubt: what they are like, are, or do."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

from diptych.builders.carets.corpus import SHAPES, Corpus, phrases_of
from diptych.language import is_mass, is_plural
from diptych.scenegraphs import (
    Phrase,
    SceneGraph,
    SceneObject,
    antonyms,
    attribute_classes,
    base_name,
    class_of,
    ontology,
    referent,
)

ASKED_KINDS = (
    "animal",
    "appliance",
    "bag",
    "bird",
    "building",
    "container",
    "dessert",
    "electronic device",
    "fruit",
    "musical instrument",
    "person",
    "tool",
    "toy",
    "utensil",
    "vegetable",
    "vehicle",
)
"""Kinds that count things, so that "the black animal" can be one of them."""
REFERENCES = 3


@dataclass(frozen=True, slots=True)
class Known:
    """A thing that a phrase refers to without doubt, and what is to be asked of it."""

    graph: SceneGraph
    thing: SceneObject
    phrase: Phrase
    group: str
    answer: str


def attributes_known(corpus: Corpus, *, action: bool | None = None) -> list[Known]:
    """Things with a lone attribute of a class (an action class, another, or either), by a few references."""
    if "attributes" not in corpus.kept:
        corpus.kept["attributes"] = list(_attributes_known(corpus))
    found: list[Known] = corpus.kept["attributes"]
    return [one for one in found if action is None or attribute_classes()[one.group].is_action is action]


def _attributes_known(corpus: Corpus) -> Iterator[Known]:
    known = ontology()
    for graph in corpus.graphs:
        for thing in graph.objects:
            if known.is_definite(thing.name):
                for group, value in _lone(thing):
                    for phrase in _references(thing, graph, group):
                        yield Known(graph, thing, phrase, group, value)


def _lone(thing: SceneObject) -> list[tuple[str, str]]:
    """The classes of which a thing has exactly one attribute."""
    of_class: defaultdict[str, list[str]] = defaultdict(list)
    for attribute in thing.attributes:
        kind = class_of(attribute, thing.name)
        if kind is not None and not kind.is_independent:
            of_class[kind.name].append(attribute)
    return [(name, values[0]) for name, values in of_class.items() if len(values) == 1]


def _references(thing: SceneObject, graph: SceneGraph, group: str) -> list[Phrase]:
    """Phrases that mean this thing alone and do not say what is asked."""
    named = (phrase for phrase in phrases_of(thing, graph) if _tells_not(phrase, thing, group))
    by_kind = (Phrase(kind) for kind in countable_kinds(thing.name))
    found = list(islice((phrase for phrase in named if referent(phrase, graph) is thing), REFERENCES))
    return found + [phrase for phrase in by_kind if referent(phrase, graph) is thing]


def _tells_not(phrase: Phrase, thing: SceneObject, group: str) -> bool:
    told = class_of(phrase.attribute, thing.name) if phrase.attribute else None
    posed = phrase.relation.partition(" ")[0]  # "the man sitting on the bench" tells his pose
    return (told is None or told.name != group) and posed not in attribute_classes()[group].values


@cache
def countable_kinds(name: str) -> tuple[str, ...]:
    """The kinds that a lone thing of this name can be called by.

    >>> countable_kinds("parrot"), countable_kinds("parrots")
    (('animal', 'bird'), ())
    """
    if is_plural(name) or is_mass(name):
        return ()
    return tuple(sorted(ontology().kinds_of(name) & set(ASKED_KINDS)))


def kinds_known(corpus: Corpus) -> list[Known]:
    """Things that are told by their kind with an attribute or a relation."""
    if "kinds" not in corpus.kept:
        corpus.kept["kinds"] = list(_kinds_known(corpus))
    found: list[Known] = corpus.kept["kinds"]
    return found


def _kinds_known(corpus: Corpus) -> Iterator[Known]:
    known = ontology()
    for graph in corpus.graphs:
        for thing in graph.objects:
            if not known.is_foreground(thing.name):
                continue
            for kind in countable_kinds(thing.name):
                if kind == "person" and thing.name not in ("man", "woman", "boy", "girl"):
                    continue  # a skier may be a boy
                marked = phrases_of(thing, graph, kind, SHAPES[1:])
                meaning = (phrase for phrase in marked if referent(phrase, graph) is thing)
                for phrase in islice(meaning, 2 * REFERENCES):
                    yield Known(graph, thing, phrase, kind, thing.name)


def kinds_exclude(group: str, one: str, other: str) -> bool:
    """Whether a thing of the one name is surely none of the other."""
    known = ontology()
    return base_name(other) not in known.possible_names(one) and base_name(one) not in known.possible_names(other)


def attributes_exclude(group: str, one: str, other: str) -> bool:
    """Whether two attributes of a class exclude each other."""
    return attribute_classes()[group].excludes(one, other)


def are_opposites(group: str, one: str, other: str) -> bool:
    """Whether two attributes of a class are opposites."""
    return other in antonyms().get((group, one), ())
