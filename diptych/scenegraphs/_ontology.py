"""The ontology of object names: their synsets, kinds, near-synonyms and parts, from reviewed tables.

Names come in both numbers ("tree", "trees"); what is known of the singular holds for the plural.
"""

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from diptych.language import singular


def read_table(name: str) -> dict[str, Any]:
    """Read a table of this package: `antonyms`, `attributes`, `kinds`, `objects` or `relations`."""
    text = files("diptych.scenegraphs").joinpath("tables", f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def split_entries(text: str) -> list[str]:
    """Split a list that is written with semicolons.

    >>> split_entries("palm tree; pine tree")
    ['palm tree', 'pine tree']
    """
    return [" ".join(entry.split()) for entry in text.split(";") if entry.strip()]


@cache
def base_name(name: str) -> str:
    """Return the name of an object in the tables: its singular, where it has one.

    >>> base_name("palm trees"), base_name("jeans")
    ('palm tree', 'jeans')
    """
    return singular(name)


@dataclass(frozen=True, slots=True)
class Ontology:
    """Names of objects and their relations."""

    synsets: Mapping[str, str]
    kinds: Mapping[str, frozenset[str]]
    """Name to its kinds, all the way up."""
    members: Mapping[str, frozenset[str]]
    """Kind to the names of that kind, all the way down."""
    synonyms: Mapping[str, frozenset[str]]
    """Name to those that may replace it."""
    parts_and_wholes: Mapping[str, frozenset[str]]
    """Name to its parts and to what it is part of."""
    background: frozenset[str]
    unique_background: frozenset[str]
    """Background that an image has once, so that "the …" is unambiguous."""
    _possible_names: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)
    _is_foreground: dict[str, bool] = field(default_factory=dict, compare=False, repr=False)

    def knows(self, name: str) -> bool:
        """Whether the tables have a name."""
        return name in self.synsets or base_name(name) in self.synsets

    def is_foreground(self, name: str) -> bool:
        """Whether questions are asked about a name: the tables have it, and it is not background."""
        if name not in self._is_foreground:
            self._is_foreground[name] = self.knows(name) and not {name, base_name(name)} & self.background
        return self._is_foreground[name]

    def is_definite(self, name: str) -> bool:
        """Whether an annotated object of this name can be asked about as "the …": foreground or unique background.

        >>> ontology().is_foreground("sky"), ontology().is_definite("sky")
        (False, True)
        """
        return self.is_foreground(name) or name in self.unique_background

    def kinds_of(self, name: str) -> frozenset[str]:
        """The kinds that an object is certainly of."""
        return self.kinds.get(base_name(name), frozenset())

    def is_a(self, name: str, kind: str) -> bool:
        """Whether an object of this name is certainly a `kind`: the same word or a kind above it.

        >>> ontology().is_a("puppy", "animal"), ontology().is_a("trees", "tree"), ontology().is_a("tree", "trees")
        (True, True, False)
        """
        return name == kind or base_name(name) == kind or kind in self.kinds_of(name)

    def possible_names(self, name: str) -> frozenset[str]:
        """Names that such an object may have: its own, synonyms, and all above and below them.

        >>> {"cat", "kitten", "animal"} <= ontology().possible_names("cat")
        True
        """
        base = base_name(name)
        if base not in self._possible_names:
            names = {base, *self.synonyms.get(base, ())}
            relatives = (table.get(name, ()) for name in names for table in (self.members, self.kinds))
            self._possible_names[base] = frozenset(names.union(*relatives))
        return self._possible_names[base]

    def related_names(self, name: str) -> frozenset[str]:
        """Names whose presence makes the absence of this one uncertain: its possible names, parts and wholes."""
        base = base_name(name)
        return self.possible_names(base) | self.parts_and_wholes.get(base, frozenset())


@cache
def ontology() -> Ontology:
    """Return the ontology of this package."""
    tables = read_table("kinds")
    entries = {kind: [base_name(name) for name in split_entries(text)] for kind, text in tables["kinds"].items()}
    members = {kind: _closure(kind, entries) for kind in entries}
    kinds: defaultdict[str, set[str]] = defaultdict(set)
    for kind, names in members.items():
        for name in names:
            kinds[name].add(kind)
    return Ontology(
        synsets=dict(read_table("objects")["synsets"]),
        kinds=_freeze(kinds),
        members=members,
        synonyms=_synonyms(tables["synonyms"]["sets"]),
        parts_and_wholes=_parts_and_wholes(tables["parts"], members),
        background=frozenset(base_name(name) for name in split_entries(tables["background"]["names"])),
        unique_background=frozenset(split_entries(tables["background"]["unique"])),
    )


def _freeze(sets: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(names) for name, names in sets.items()}


def _closure(kind: str, entries: Mapping[str, Iterable[str]]) -> frozenset[str]:
    names: set[str] = set()
    queue = [kind]
    while queue:
        new_names = set(entries.get(queue.pop(), ())) - names - {kind}
        names |= new_names
        queue += sorted(new_names)
    return frozenset(names)


def _synonyms(sets: str) -> dict[str, frozenset[str]]:
    synonyms: defaultdict[str, set[str]] = defaultdict(set)
    for entry in split_entries(sets):
        names = {base_name(name.strip()) for name in entry.split(",")}
        for name in names:
            synonyms[name] |= names - {name}
    return _freeze(synonyms)


def _parts_and_wholes(parts: Mapping[str, str], members: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Parts of a kind are parts of everything of that kind, and what is of a part is a part."""

    def with_members(names: set[str]) -> set[str]:
        return names.union(*(members.get(name, ()) for name in names))

    table: defaultdict[str, set[str]] = defaultdict(set)
    for whole, text in parts.items():
        wholes = with_members({base_name(whole.replace("_", " "))})
        for part in with_members({base_name(name) for name in split_entries(text)}):
            table[part] |= wholes - {part}
            for name in wholes - {part}:
                table[name].add(part)
    return _freeze(table)
