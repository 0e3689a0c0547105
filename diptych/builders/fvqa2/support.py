"""Which things of an image answer a question: those the graph supports, by their own name or a wider one."""

from collections.abc import Mapping
from dataclasses import dataclass

from diptych.builders.fvqa2.entities import Key, are_kin, broader, is_kind_of, key_of, meaning
from diptych.builders.fvqa2.extraction import Reading
from diptych.builders.fvqa2.gallery import Gallery
from diptych.builders.fvqa2.knowledge import Knowledge, Triple

_INHERITED = frozenset({"UsedFor", "CapableOf", "HasA", "PartOf", "IsA", "MadeOf"})
_CONVERSE = {"HasA": "PartOf", "PartOf": "HasA"}


@dataclass(frozen=True, slots=True)
class Support:
    """What the graph says about one question: which things answer it, and which may."""

    known: Mapping[Key, Triple]
    """The things that the question's own relation names as answers, each with its fact."""
    accepted: frozenset[Key]
    """These, and those that the converse relation names: what has a wheel is what a wheel is part of."""
    doubtful: frozenset[Key]
    """Things that facts too light to rest on name as answers."""
    kind: str
    gallery: Gallery
    wide: frozenset[str]
    """The meanings of these, where what is true of a kind is true of what is of that kind."""
    category: str
    """The meaning of the kind or category that is asked for, where it is one: a car is a vehicle."""

    def answers(self, image: str, first: str) -> tuple[str, ...]:
        """All accepted answers, the pair's own first: the things of the image that fit, and their other names."""
        mine = key_of(first)
        others = sorted(self.gallery.things[image] - {mine})
        # A cow that is also noted as cattle is one thing with two names.
        things = [thing for thing in others if self.holds(thing) or are_kin(thing, mine)]
        names = [self.gallery.names[thing] for thing in things]
        also = [name for thing in (mine, *things) for name in self.gallery.other_names.get(thing, ())]
        return tuple(dict.fromkeys((first, *names, *also)))

    def holds(self, thing: Key) -> bool:
        """Whether the graph supports a thing as the answer: of a sofa it says what it says of a couch."""
        known = thing in self.accepted or not self.wide.isdisjoint(broader(thing))
        return (known or self.category in broader(thing)) and self.fits_kind(thing)

    def is_sure(self, image: str, answer: Key) -> bool:
        """Whether nothing else in an image may be the answer without our knowing."""
        return not any(
            thing in self.doubtful and thing != answer and not self.holds(thing) and self.fits_kind(thing)
            for thing in self.gallery.things[image]
        )

    def fits_kind(self, thing: Key) -> bool:
        """Whether a thing is of the kind that is asked for."""
        name = self.gallery.names.get(thing)
        return name is not None and (not self.kind or is_kind_of(name, self.kind))


def supported(reading: Reading, entity: Key, knowledge: Knowledge, gallery: Gallery) -> Support:
    """What the graph says about a question with some entity in its slot."""
    side = 1 - reading.answer_side
    known = knowledge.of(reading.relation, side, entity)
    doubtful = knowledge.doubtful(reading.relation, side, entity)
    converse = _CONVERSE.get(reading.relation)
    also = knowledge.of(converse, 1 - side, entity) if converse else {}
    wide = frozenset(map(meaning, (*known, *also))) - {""} if reading.relation in _INHERITED else frozenset[str]()
    if converse:
        doubtful |= knowledge.doubtful(converse, 1 - side, entity)
    category = meaning(entity) if reading.relation in {"IsA", "transnbhd"} else ""
    return Support(known, frozenset({*known, *also}), doubtful, reading.kind, gallery, wide, category)
