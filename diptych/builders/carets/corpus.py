"""The scene graphs of one split together: who has which names, and where a phrase is surely false."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import orjson

from diptych.scenegraphs import Phrase, SceneGraph, SceneObject, base_name, class_of, ontology, relation_words, truth

_TRIES = 40
_NEAR_TRIES = 10


def keyed(*parts: object) -> float:
    """A number from 0 to 1 that depends on what is named and on nothing else."""
    digest = hashlib.blake2b(orjson.dumps(parts, default=str), digest_size=8).digest()
    return (int.from_bytes(digest, "big") + 0.5) / 2**64


@dataclass(frozen=True, slots=True)
class Corpus:
    """The graphs of a split, in the order of their ids."""

    graphs: Sequence[SceneGraph]
    holders: dict[str, list[int]] = field(init=False, repr=False, compare=False)
    """Base name to the graphs that have a thing of that name."""
    counts: Counter[str] = field(init=False, repr=False, compare=False)
    kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """What was found in all the graphs for one test and serves the next."""

    def __post_init__(self) -> None:
        holders: defaultdict[str, list[int]] = defaultdict(list)
        counts: Counter[str] = Counter()
        for number, graph in enumerate(self.graphs):
            counts.update(thing.name for thing in graph.objects)
            for name in {base_name(thing.name) for thing in graph.objects}:
                holders[name].append(number)
        object.__setattr__(self, "holders", dict(holders))
        object.__setattr__(self, "counts", counts)

    def elsewhere(self, rng: Random, names: Sequence[str] = ()) -> Iterator[SceneGraph]:
        """Some graphs to look for a counter-example in: first those that have one of the names, then any."""
        for name in names:
            near = self.holders.get(base_name(name), [])
            yield from (self.graphs[near[int(rng.random() * len(near))]] for _ in range(_NEAR_TRIES if near else 0))
        yield from (self.graphs[int(rng.random() * len(self.graphs))] for _ in range(_TRIES))

    def where_false(self, phrase: Phrase, rng: Random) -> SceneGraph | None:
        """A graph that surely has no such thing; where the phrase has an attribute, by choice one with another."""
        near = (phrase.name,) if phrase.attribute and rng.random() < 0.5 else ()
        return next((graph for graph in self.elsewhere(rng, near) if truth(phrase, graph) is False), None)


SHAPES = ("bare", "attribute", "relation")


def phrases_of(
    thing: SceneObject, graph: SceneGraph, name: str = "", shapes: Collection[str] = SHAPES
) -> Iterator[Phrase]:
    """The ways to name a thing: bare, with an attribute, with a relation."""
    name = name or thing.name
    if "bare" in shapes:
        yield Phrase(name)
    if "attribute" in shapes:
        for attribute in thing.attributes:
            kind = class_of(attribute, thing.name)
            if kind is not None and kind.precedes_noun:
                yield Phrase(name, attribute)
    if "relation" in shapes:
        known, said = ontology(), relation_words()
        for relation, other in thing.relations:
            named = graph[other].name
            if relation in said and known.is_foreground(named) and base_name(named) != base_name(thing.name):
                yield Phrase(name, "", relation, named)
