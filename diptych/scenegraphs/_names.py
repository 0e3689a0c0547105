"""The tables' names for the free names of Visual Genome's annotators, by its aliases and synsets.

A name that the tables know stays as it is. Another goes through the official aliases, and then through its synset: a
"sedan" (sedan.n.01) gets the nearest name above it, "car". Number is kept: "sedans" are "cars". A name whose synset
means another thing than the tables say (a mouse that is an animal, where the tables mean the computer's) is uncertain.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from diptych.errors import UnknownNameError
from diptych.kg import Synset, wordnet
from diptych.language import is_mass, is_plural, plural
from diptych.scenegraphs._ontology import base_name, ontology

_DETERMINER = re.compile(r"^(?:an?|the|this|that) ")
_MAX_STEPS = 3  # how far above its synset a name may be
# Synsets of one kind that are no further apart (a girl as a child, a girl as a young woman) do not contradict.
_MAX_DISTANCE = 3


def parse_aliases(lines: Iterable[str]) -> dict[str, str]:
    """Parse an official alias file: the first name on a line replaces the others."""
    aliases: dict[str, str] = {}
    for line in lines:
        main_name, *names = [name.strip().lower() for name in line.split(",") if name.strip()] or [""]
        for name in names:
            aliases.setdefault(name, main_name)
    return aliases


@dataclass(frozen=True, slots=True)
class Aliases:
    """The official aliases of objects and of relations, each to the name that replaces it."""

    objects: Mapping[str, str] = field(default_factory=dict)
    relations: Mapping[str, str] = field(default_factory=dict)

    def object_name(self, name: str, sense: str = "") -> str:
        """Return the tables' name for an annotator's; a name that no table knows is returned unchanged.

        >>> Aliases().object_name("sedans", "sedan.n.01"), Aliases({"cars are": "car"}).object_name("cars are")
        ('cars', 'cars')
        """
        name = name if ontology().knows(name) else _DETERMINER.sub("", name)
        if ontology().knows(name):
            return name
        alias = self.objects.get(name, "")
        if alias and ontology().knows(alias):
            return plural(alias) if plural(alias) in name else alias
        hypernym = name_of_sense(sense) if sense else ""
        return plural(hypernym) if hypernym and is_plural(name) and not is_mass(hypernym) else hypernym or name


@cache
def find_synset(name: str) -> Synset | None:
    """Return a synset by name; None where WordNet has none of that name."""
    try:
        return wordnet().synset(name)
    except UnknownNameError:
        return None


@cache
def are_related(name: str, other_name: str) -> bool:
    """Whether a synset is another one, or lies above or below it; one that WordNet does not have may be."""
    synset, other = find_synset(name), find_synset(other_name)
    return synset is None or other is None or synset.is_a(other) or other.is_a(synset)


@cache
def contradicts(name: str, sense: str) -> bool:
    """Whether a synset means another thing than the tables do by a name they know; near neighbors are one thing."""
    table_sense = _table_sense(name)
    if not table_sense or not sense or are_related(table_sense, sense):
        return False
    synset, table_synset = wordnet().synset(sense), wordnet().synset(table_sense)
    if synset.lexname != table_synset.lexname:
        return True
    distance = table_synset.shortest_path_distance(synset)
    return distance is None or distance > _MAX_DISTANCE


def may_mean(sense: str, names: frozenset[str]) -> bool:
    """Whether an object of this synset may have one of these names."""
    return any(are_related(sense, table_sense) for name in names if (table_sense := _table_sense(name)))


def _table_sense(name: str) -> str:
    synsets = ontology().synsets
    return synsets.get(name) or synsets.get(base_name(name)) or ""


@cache
def name_of_sense(sense: str) -> str:
    """Return the tables' name for a synset or for one at most three steps above it; empty where there is none."""
    synset = find_synset(sense)
    if synset is None:
        return ""
    level, name_of = [synset], _names_by_synset()
    for step in range(_MAX_STEPS + 1):
        names = [name_of[synset.name] for synset in level if synset.name in name_of]
        # Background (a "device") says too little of what lies below it.
        names = [name for name in names if step == 0 or ontology().is_foreground(name)]
        if names:
            return min(names)
        level = [hypernym for synset in level for hypernym in synset.hypernyms()]
    return ""


@cache
def _names_by_synset() -> Mapping[str, str]:
    """Synset to its name in the tables: a word of the synset itself, the most usual one."""
    names: dict[str, str] = {}
    for sense in set(ontology().synsets.values()):
        for word in (word.replace("_", " ").lower() for word in wordnet().synset(sense).lemma_names):
            if ontology().synsets.get(word) == sense:
                names.setdefault(sense, word)
    return names
