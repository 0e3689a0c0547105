"""Facts about the things in the images: FVQA's facts and ConceptNet's edges, without the offensive ones."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from diptych.builders.fvqa2._entities import EntityKey, entity_key, hypernyms, word_lists
from diptych.kg import ConceptGraph
from diptych.kg.screen import Screen
from diptych.sources import FvqaFact

RELATIONS = frozenset(
    "UsedFor IsA CapableOf AtLocation HasProperty HasA PartOf Desires ReceivesAction RelatedTo MadeOf CreatedBy".split()
)
"""ConceptNet's relations that questions of FVQA ask about."""
CONVERSES = {"HasA": "PartOf", "PartOf": "HasA"}
"""Relations that say the same with their ends exchanged: what has a wheel is what a wheel is part of."""

HEAD, TAIL = 0, 1
_FVQA_WEIGHT = 10.0
"""FVQA's annotators chose their facts, so they weigh much."""
_WORDNET_WEIGHT = 5.0

Query = tuple[str, int, EntityKey]
"""A relation, a side (head or tail), and the entity on that side."""


@dataclass(frozen=True, slots=True)
class Triple:
    """A fact with the texts of its two ends."""

    head: str
    relation: str
    tail: str
    weight: float = 1.0
    base: str = "conceptnet"
    """`conceptnet`, `dbpedia`, `webchild` or `wordnet`."""

    def end(self, side: int) -> str:
        """The head (0) or the tail (1)."""
        return self.tail if side else self.head


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Facts by relation and either end."""

    _triples: dict[Query, dict[EntityKey, Triple]] = field(default_factory=dict)
    _doubtful: dict[Query, set[EntityKey]] = field(default_factory=dict)

    def add(self, triple: Triple) -> None:
        """Take in a fact; of two with the same ends the heavier stays."""
        keys = entity_key(triple.head), entity_key(triple.tail)
        for side in (HEAD, TAIL):
            neighbors = self._triples.setdefault((triple.relation, side, keys[side]), {})
            rival = neighbors.get(keys[1 - side])
            if rival is None or rival.weight < triple.weight:
                neighbors[keys[1 - side]] = triple

    def add_doubtful(self, triple: Triple) -> None:
        """Take in a fact that is too light to rest a pair on, but may be true."""
        keys = entity_key(triple.head), entity_key(triple.tail)
        for side in (HEAD, TAIL):
            self._doubtful.setdefault((triple.relation, side, keys[side]), set()).add(keys[1 - side])

    def facts(self, relation: str, side: int, entity: EntityKey) -> Mapping[EntityKey, Triple]:
        """The facts of a relation with an entity on one side, by the key of the other side."""
        return self._triples.get((relation, side, entity), {})

    def doubtful(self, relation: str, side: int, entity: EntityKey) -> set[EntityKey]:
        """The entities that only light facts connect with an entity."""
        return self._doubtful.get((relation, side, entity), set()) - self.facts(relation, side, entity).keys()

    def restricted(self, queries: Iterable[Query]) -> "Knowledge":
        """Only the facts that answer some queries and their converses."""
        wanted = dict.fromkeys(queries)
        wanted |= {converse: None for query in wanted if (converse := converse_query(*query))}
        return Knowledge(
            {query: self._triples[query] for query in wanted if query in self._triples},
            {query: self._doubtful[query] for query in wanted if query in self._doubtful},
        )


def converse_query(relation: str, side: int, entity: EntityKey) -> Query | None:
    """The query that a converse relation answers in the same way."""
    return (CONVERSES[relation], 1 - side, entity) if relation in CONVERSES else None


def fact_triple(fact: FvqaFact) -> Triple:
    """A fact of FVQA, with its ends as its sentence says them."""
    return Triple(fact.head_text or fact.head, fact.relation, fact.tail_text or fact.tail, _FVQA_WEIGHT, fact.base)


def triples_around(graph: ConceptGraph, things: Iterable[str]) -> Iterator[Triple]:
    """ConceptNet's edges that have one of the things at an end."""
    for thing in things:
        for edge in (*graph.edges(head=thing), *graph.edges(tail=thing)):
            yield Triple(edge.head_text, edge.relation, edge.tail_text, edge.weight)


def kinds_of(things: Iterable[str]) -> Iterator[Triple]:
    """What WordNet says the things are, in words that people use: a dog is a mammal and an animal."""
    for thing in things:
        key = entity_key(thing)
        for synset, kind in word_lists()["kinds"].items():
            if key not in _ambiguous() and synset in hypernyms(key) and entity_key(kind) != key:
                yield Triple(thing, "IsA", kind, _WORDNET_WEIGHT, "wordnet")


@cache
def _ambiguous() -> frozenset[EntityKey]:
    """Names that stand for two kinds of things in photographs: a mouse is an animal or a part of a computer."""
    return frozenset(map(entity_key, word_lists()["ambiguous"].split()))


def gather_knowledge(
    triples: Iterable[Triple], screen: Screen, least_weight: float, relations: frozenset[str]
) -> tuple[Knowledge, Counter[str]]:
    """What may be asked about, as far as questions of some relations need it, and how many facts were used or not."""
    knowledge, counts = Knowledge(), Counter[str]()
    for triple in dict.fromkeys(triples):
        problem = screen.stops(triple.head, triple.relation, triple.tail)
        is_light = triple.base == "conceptnet" and triple.weight < least_weight
        counts[problem or ("too light" if is_light else "used")] += 1
        if problem is None and triple.relation in relations:
            (knowledge.add_doubtful if is_light else knowledge.add)(triple)
    return knowledge, counts
