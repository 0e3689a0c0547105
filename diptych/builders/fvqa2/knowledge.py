"""What is known about the things in the images: FVQA's facts and ConceptNet's edges, without the offensive ones."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from diptych.builders.fvqa2.entities import Key, broader, key_of, word_lists
from diptych.kg import ConceptGraph, Edge
from diptych.sources import FvqaFact

RELATIONS = frozenset(
    {"UsedFor", "IsA", "CapableOf", "AtLocation", "HasProperty", "HasA", "PartOf", "Desires", "ReceivesAction"}
    | {"RelatedTo", "MadeOf", "CreatedBy"}
)
"""ConceptNet's relations that questions of FVQA ask about."""

HEAD, TAIL = 0, 1
_CERTAIN = 5.0


@dataclass(frozen=True, slots=True)
class Triple:
    """A fact with its two ends as they are said."""

    head: str
    relation: str
    tail: str
    weight: float = 1.0
    base: str = "conceptnet"
    """`conceptnet`, `dbpedia`, `webchild` or `wordnet`."""

    def end(self, side: int) -> str:
        """The head (0) or the tail (1)."""
        return self.tail if side else self.head

    @property
    def ends(self) -> tuple[Key, Key]:
        """What the two ends are known by."""
        return key_of(self.head), key_of(self.tail)


@dataclass(slots=True)
class Knowledge:
    """Facts, found by relation and either end."""

    _found: dict[tuple[str, int, Key], dict[Key, Triple]] = field(default_factory=dict)
    _doubtful: dict[tuple[str, int, Key], set[Key]] = field(default_factory=dict)

    def add(self, triple: Triple) -> None:
        """Take in a fact; of two that say the same the heavier stays."""
        ends = triple.ends
        for side in (HEAD, TAIL):
            others = self._found.setdefault((triple.relation, side, ends[side]), {})
            known = others.get(ends[1 - side])
            if known is None or known.weight < triple.weight:
                others[ends[1 - side]] = triple

    def of(self, relation: str, side: int, entity: Key) -> Mapping[Key, Triple]:
        """The facts of a relation with an entity on one side, by what the other side is known by."""
        return self._found.get((relation, side, entity), {})

    def doubt(self, triple: Triple) -> None:
        """Take note of a fact that is too light to rest a pair on, but may be true."""
        ends = triple.ends
        for side in (HEAD, TAIL):
            self._doubtful.setdefault((triple.relation, side, ends[side]), set()).add(ends[1 - side])

    def doubtful(self, relation: str, side: int, entity: Key) -> frozenset[Key]:
        """What may be tied to an entity by a relation, as far as light facts go."""
        light = self._doubtful.get((relation, side, entity), set())
        return frozenset(light - self.of(relation, side, entity).keys())


def fvqa_triples(facts: Iterable[FvqaFact]) -> Iterator[Triple]:
    """FVQA's facts, as their sentences say them; FVQA's annotators chose them, so they weigh much."""
    for fact in facts:
        if fact.whole:
            yield Triple(fact.head_said or fact.head, fact.relation, fact.tail_said or fact.tail, 10.0, fact.base)


def edges_around(graph: ConceptGraph, things: Iterable[str]) -> Iterator[Triple]:
    """ConceptNet's edges that have one of the things at an end."""
    for thing in things:
        for edge in (*graph.edges(head=thing), *graph.edges(tail=thing)):
            if edge.relation in RELATIONS:
                yield _triple(edge)


def kinds_of(things: Iterable[str]) -> Iterator[Triple]:
    """What WordNet says the things are, as far as people would say it: a dog is a mammal and an animal."""
    for thing in things:
        key = key_of(thing)
        for synset, kind in everyday_kinds():
            if key not in ambiguous() and synset in broader(key) and key_of(kind) != key:
                yield Triple(thing, "IsA", kind, _CERTAIN, "wordnet")


@cache
def everyday_kinds() -> tuple[tuple[str, str], ...]:
    """The kinds that people ask for, each with its meaning in WordNet."""
    return tuple(word_lists()["kinds"].items())


@cache
def ambiguous() -> frozenset[Key]:
    """Names that stand for two kinds of things in photographs: a mouse is an animal or a part of a computer."""
    return frozenset(map(key_of, word_lists()["ambiguous"].split()))


def _triple(edge: Edge) -> Triple:
    return Triple(edge.head_text, edge.relation, edge.tail_text, edge.weight)
