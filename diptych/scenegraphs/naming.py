"""What the free names of Visual Genome's annotators are called in the tables, by its aliases and synsets.

A name that the tables know stays as it is. Another goes through the official aliases, and then through its synset: a
"sedan" (sedan.n.01) is called by the nearest name above it, "car". Number is kept: "sedans" are "cars". A name whose
synset means another thing than the tables say (a mouse that is an animal, where the tables mean the computer's) tells
nothing for certain.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from diptych.errors import UnknownNameError
from diptych.kg import Synset, wordnet
from diptych.language import is_mass, is_plural, plural
from diptych.scenegraphs.attributes import relation_words
from diptych.scenegraphs.ontology import base_name, ontology

_DETERMINER = re.compile(r"^(?:an?|the|this|that) ")
STEPS = 3
"""How far above its synset a thing is still called by a name."""
NEAR = 3
"""Synsets of one kind that are no further apart (a girl as a child, a girl as a young woman) do not contradict."""


def aliases(lines: Iterable[str]) -> dict[str, str]:
    """An official alias file: every name on a line is called by the first.

    >>> aliases(["bike,bikes", "man,guy"])["guy"]
    'man'
    """
    found: dict[str, str] = {}
    for line in lines:
        first, *others = [name.strip().lower() for name in line.split(",") if name.strip()] or [""]
        found |= {other: first for other in others if other not in found}
    return found


@dataclass(frozen=True, slots=True)
class Naming:
    """How things and relations are called."""

    objects: Mapping[str, str] = field(default_factory=dict)
    """Other names of things to the one they go by."""
    relations: Mapping[str, str] = field(default_factory=dict)

    def name(self, said: str, sense: str = "") -> str:
        """The name of the tables for what annotators said; what no table knows stays as it was said.

        >>> Naming().name("sedans", "sedan.n.01"), Naming({"cars are": "car"}).name("cars are"), Naming().name("a car")
        ('cars', 'cars', 'car')
        """
        known = ontology()
        said = said if known.knows(said) else _DETERMINER.sub("", said)
        if known.knows(said):
            return said
        alias = self.objects.get(said, "")
        if alias and known.knows(alias):
            return plural(alias) if plural(alias) in said else alias
        above = name_of_sense(sense) if sense else ""
        return plural(above) if above and is_plural(said) and not is_mass(above) else above or said

    def relation(self, said: str) -> str:
        """The relation that can be said for what annotators said.

        >>> Naming(relations={"is sitting on": "sitting on"}).relation("is sitting on")
        'sitting on'
        """
        return said if said in relation_words() else self.relations.get(said, said)


@cache
def find_sense(name: str) -> Synset | None:
    """A synset by name; None where WordNet has none of that name."""
    try:
        return wordnet().synset(name)
    except UnknownNameError:
        return None


@cache
def related(one: str, other: str) -> bool:
    """Whether one synset is the other, or lies above or below it.

    >>> related("puppy.n.01", "dog.n.01"), related("mouse.n.01", "mouse.n.04")
    (True, False)
    """
    first, second = find_sense(one), find_sense(other)
    return first is None or second is None or first.is_a(second) or second.is_a(first)


@cache
def contradicts(name: str, sense: str) -> bool:
    """Whether a synset means another thing than the tables do by a name they know; near neighbours are one thing.

    >>> contradicts("mouse", "mouse.n.01"), contradicts("dog", "puppy.n.01"), contradicts("dog", "no synset")
    (True, False, False)
    """
    meant = _table_sense(name)
    if not meant or not sense or related(meant, sense):
        return False
    one, other = wordnet().synset(meant), wordnet().synset(sense)
    apart = one.shortest_path_distance(other) if one.lexname == other.lexname else None
    return apart is None or apart > NEAR


def may_mean(sense: str, names: frozenset[str]) -> bool:
    """Whether a thing of this synset may be one of these names."""
    return any(related(sense, meant) for name in names if (meant := _table_sense(name)))


def _table_sense(name: str) -> str:
    synsets = ontology().synsets
    return synsets.get(name) or synsets.get(base_name(name)) or ""


@cache
def name_of_sense(sense: str) -> str:
    """The name of the tables for a synset or for one at most three steps above it; empty where there is none."""
    synset = find_sense(sense)
    if synset is None:
        return ""
    level, names = [synset], _names()
    for step in range(STEPS + 1):
        found = [names[one.name] for one in level if one.name in names]
        # What is no sight of its own (a "device") says too little of what lies below it.
        found = [name for name in found if step == 0 or ontology().is_asked(name)]
        if found:
            return min(found)
        level = [above for one in level for above in one.hypernyms()]
    return ""


@cache
def _names() -> Mapping[str, str]:
    """Synset to the name it goes by: a word of the synset itself, the most usual one."""
    found: dict[str, str] = {}
    for sense in sorted(set(ontology().synsets.values())):
        words = [word.replace("_", " ").lower() for word in wordnet().synset(sense).lemma_names]
        named = [word for word in words if ontology().synsets.get(word) == sense]
        found |= {sense: named[0]} if named else {}
    return found
