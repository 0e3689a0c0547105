"""Which things of an image answer a question: those that the graph supports, by their own name or a wider one."""

from collections.abc import Mapping
from dataclasses import dataclass

from diptych.builders.fvqa2._entities import EntityKey, are_kin, entity_key, hypernyms, is_kind_of, meaning
from diptych.builders.fvqa2._images import ImageIndex
from diptych.builders.fvqa2._knowledge import Knowledge, Query, Triple, converse_query

_INHERITED_RELATIONS = frozenset("UsedFor CapableOf HasA PartOf IsA MadeOf".split())
"""Relations of a kind that hold for everything of that kind."""


@dataclass(frozen=True, slots=True)
class PossibleAnswers:
    """What the graph says about one question: which things answer it, and which may."""

    facts: Mapping[EntityKey, Triple]
    """The things that the question's own relation names as answers, each with its fact."""
    accepted: frozenset[EntityKey]
    """These, and those that the converse relation names: what has a wheel is what a wheel is part of."""
    doubtful: frozenset[EntityKey]
    """Things that only light facts name as answers."""
    kind: str
    images: ImageIndex
    meanings: frozenset[str]
    """The meanings of the accepted things, where the relation holds for everything of their kind."""
    category: str
    """The meaning of the kind or category that is asked for: a car is a vehicle."""

    def names(self, number: int, answer: str) -> tuple[str, ...]:
        """All accepted answers in an image, the pair's own first: the things that fit, and their other names."""
        answer_key = entity_key(answer)
        # A cow that is also noted as cattle is one thing with two names.
        things = [
            thing
            for thing in sorted(self.images.things[number] - {answer_key})
            if self.holds(thing) or are_kin(thing, answer_key)
        ]
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
        answer_key, uncertain = entity_key(answer), 0
        for thing in self.doubtful:
            if thing != answer_key and not self.holds(thing) and self.fits_kind(thing):
                uncertain |= self.images.showing(thing)
        return uncertain

    def fits_kind(self, thing: EntityKey) -> bool:
        """Whether a thing is in some image and of the kind that is asked for."""
        name = self.images.names.get(thing)
        return name is not None and (not self.kind or is_kind_of(name, self.kind))


def possible_answers(query: Query, kind: str, knowledge: Knowledge, images: ImageIndex) -> PossibleAnswers:
    """What the graph says about a question for things of some kind, with the entity of the query in its slot."""
    relation, _, entity = query
    facts, doubtful = knowledge.facts(*query), knowledge.doubtful(*query)
    accepted = frozenset(facts)
    converse = converse_query(*query)
    if converse:
        accepted |= knowledge.facts(*converse).keys()
        doubtful = doubtful | knowledge.doubtful(*converse)
    return PossibleAnswers(
        facts=facts,
        accepted=accepted,
        doubtful=frozenset(thing for thing in doubtful if thing in images.names),
        kind=kind,
        images=images,
        meanings=frozenset(map(meaning, accepted)) - {""} if relation in _INHERITED_RELATIONS else frozenset(),
        category=meaning(entity) if relation in {"IsA", "transnbhd"} else "",
    )
