"""Facts about the things in the images, without the offensive ones, and which things they name as answers."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from diptych.builders.fvqa2._entities import EntityKey, are_kin, entity_key, hypernyms, is_kind_of, meaning
from diptych.builders.fvqa2._images import ImageIndex
from diptych.sources import FvqaFact

RELATIONS = frozenset(
    "UsedFor IsA CapableOf AtLocation HasProperty HasA PartOf Desires ReceivesAction RelatedTo MadeOf CreatedBy".split()
)
"""ConceptNet's relations that questions of FVQA ask about."""
CONVERSES = {"HasA": "PartOf", "PartOf": "HasA"}
"""Relations that say the same with their ends exchanged: what has a wheel is what a wheel is part of."""

HEAD, TAIL = 0, 1
_FVQA_WEIGHT = 10.0  # FVQA's annotators chose their facts, so they weigh much

Query = tuple[str, int, EntityKey]  # a relation, a side (head or tail), and the entity on that side


@dataclass(frozen=True, slots=True)
class Triple:
    """A fact with the texts of its two ends."""

    head: str
    relation: str
    tail: str
    weight: float = 1.0
    base: str = "conceptnet"  # `conceptnet`, `dbpedia`, `webchild` or `wordnet`

    def end(self, side: int) -> str:
        """The head (0) or the tail (1)."""
        return self.tail if side else self.head


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Facts by relation and either end."""

    _triples: dict[Query, dict[EntityKey, Triple]] = field(default_factory=dict)
    _doubtful: dict[Query, set[EntityKey]] = field(default_factory=dict)

    def add(self, triple: Triple, is_doubtful: bool = False) -> None:
        """Take in a fact; of two with the same ends the heavier stays. No pair rests on a doubtful one."""
        keys = entity_key(triple.head), entity_key(triple.tail)
        for side in (HEAD, TAIL):
            query, other = (triple.relation, side, keys[side]), keys[1 - side]
            if is_doubtful:
                self._doubtful.setdefault(query, set()).add(other)
                continue
            neighbors = self._triples.setdefault(query, {})
            rival = neighbors.get(other)
            if rival is None or rival.weight < triple.weight:
                neighbors[other] = triple

    def facts(self, relation: str, side: int, entity: EntityKey) -> Mapping[EntityKey, Triple]:
        """The facts of a relation with an entity on one side, by the key of the other side."""
        return self._triples.get((relation, side, entity), {})

    def doubtful(self, relation: str, side: int, entity: EntityKey) -> set[EntityKey]:
        """The entities that only light facts connect with an entity."""
        return self._doubtful.get((relation, side, entity), set()) - self.facts(relation, side, entity).keys()

    def confirms(self, answer: EntityKey, entity: EntityKey) -> bool:
        """Whether something more definite than "related to" ties two things: a violin is used for playing music."""
        words, other_words = set(entity), set(answer)
        return any(words <= set(key) for key in self._around(answer)) or any(
            other_words <= set(key) for key in self._around(entity)
        )

    def _around(self, entity: EntityKey) -> Iterator[EntityKey]:
        """The other ends of all facts of an entity but the vague ones."""
        for relation in sorted(RELATIONS - {"RelatedTo"}):
            for side in (HEAD, TAIL):
                yield from self._triples.get((relation, side, entity), ())

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


# Which things of an image answer a question: those that the graph supports, by their own name or a wider one.

_INHERITED_RELATIONS = frozenset("UsedFor CapableOf HasA PartOf IsA MadeOf".split())


class PossibleAnswers:
    """What the graph says about a question for things of some kind: which things answer it, and which may."""

    def __init__(self, query: Query, kind: str, knowledge: Knowledge, images: ImageIndex) -> None:
        relation, _, entity = query
        self.kind, self.images, self.entity = kind, images, entity
        # The things that the question's own relation names as answers, each with its fact.
        self.facts = knowledge.facts(*query)
        # These, and those that the converse relation names: what has a wheel is what a wheel is part of.
        self.accepted = frozenset(self.facts)
        doubtful = knowledge.doubtful(*query)
        converse = converse_query(*query)
        if converse:
            self.accepted |= knowledge.facts(*converse).keys()
            doubtful |= knowledge.doubtful(*converse)
        # Things that only light facts name as answers.
        self.doubtful = frozenset(thing for thing in doubtful if thing in images.names)
        # Everything of the kind of an accepted thing answers the question too, if the relation holds for all of a kind.
        is_inherited = relation in _INHERITED_RELATIONS
        self.meanings = frozenset(map(meaning, self.accepted)) - {""} if is_inherited else frozenset()
        # The kind or category that is asked for: a car is a vehicle.
        self.category = meaning(entity) if relation in {"IsA", "transnbhd"} else ""

    def names(self, number: int, answer: str) -> tuple[str, ...]:
        """All accepted answers in an image, the pair's own first: the things that fit, and their other names."""
        answer_key = entity_key(answer)
        # A cow that is also noted as cattle is one thing with two names.
        others = sorted(self.images.things[number] - {answer_key, self.entity})
        things = [thing for thing in others if self.holds(thing) or are_kin(thing, answer_key)]
        names = [self.images.names[thing] for thing in things]
        synonyms = [name for thing in (answer_key, *things) for name in self.images.synonyms.get(thing, ())]
        return tuple(dict.fromkeys((answer, *names, *synonyms)))

    def holds(self, thing: EntityKey) -> bool:
        """Whether the graph supports a thing as the answer: what it says of a couch is true of a sofa."""
        above = hypernyms(thing)
        is_supported = thing in self.accepted or not self.meanings.isdisjoint(above) or self.category in above
        return is_supported and self.fits_kind(thing)

    def uncertain_images(self, answer: str) -> int:
        """The images in which something else may be the answer without our knowing."""
        others = self.doubtful - {entity_key(answer)}
        uncertain = (thing for thing in others if not self.holds(thing) and self.fits_kind(thing))
        return reduce(or_, map(self.images.showing, uncertain), 0)

    def fits_kind(self, thing: EntityKey) -> bool:
        """Whether a thing is in some image and of the kind that is asked for."""
        name = self.images.names.get(thing)
        return name is not None and (not self.kind or is_kind_of(name, self.kind))
