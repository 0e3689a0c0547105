"""What the things of scene graphs are: their meanings, kinds, near-synonyms and parts, read from reviewed tables.

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
    """A table of this room."""
    text = files("diptych.scenegraphs").joinpath("tables", f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def listed(text: str) -> list[str]:
    """The entries of a list that is written with semicolons.

    >>> listed("palm tree; pine tree")
    ['palm tree', 'pine tree']
    """
    return [" ".join(entry.split()) for entry in text.split(";") if entry.strip()]


@cache
def base_name(name: str) -> str:
    """The name under which the tables know a thing: its singular, where it has one.

    >>> base_name("palm trees"), base_name("jeans")
    ('palm tree', 'jeans')
    """
    return singular(name)


@dataclass(frozen=True, slots=True)
class Ontology:
    """Names of things and how they hang together."""

    synsets: Mapping[str, str]
    above: Mapping[str, frozenset[str]]
    """Name to the kinds it is of, all the way up."""
    below: Mapping[str, frozenset[str]]
    """Kind to the names that are of it, all the way down."""
    alike: Mapping[str, frozenset[str]]
    """Name to those it may be called by instead."""
    attached: Mapping[str, frozenset[str]]
    """Name to its parts and to what it is part of."""
    background: frozenset[str]
    told: frozenset[str]
    """Background of which an image has one, so that "the …" means it."""
    _rivals: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)
    _asked: dict[str, bool] = field(default_factory=dict, compare=False, repr=False)

    def knows(self, name: str) -> bool:
        """Whether a name is covered."""
        return name in self.synsets or base_name(name) in self.synsets

    def is_asked(self, name: str) -> bool:
        """Whether questions are asked about a name: it is covered, and no mere background."""
        if name not in self._asked:
            self._asked[name] = self.knows(name) and not {name, base_name(name)} & self.background
        return self._asked[name]

    def is_told(self, name: str) -> bool:
        """Whether a thing of this name can be asked about where it is annotated.

        >>> ontology().is_asked("sky"), ontology().is_told("sky")
        (False, True)
        """
        return self.is_asked(name) or name in self.told

    def kinds_of(self, name: str) -> frozenset[str]:
        """The kinds a thing is surely of."""
        return self.above.get(base_name(name), frozenset())

    def is_a(self, name: str, kind: str) -> bool:
        """Whether a thing of this name may surely be called by the other: the same word or a kind above it.

        >>> ontology().is_a("puppy", "animal"), ontology().is_a("trees", "tree"), ontology().is_a("tree", "trees")
        (True, True, False)
        """
        return name == kind or base_name(name) == kind or kind in self.kinds_of(name)

    def may_be(self, name: str) -> frozenset[str]:
        """The names of things that could also be called this: itself, synonyms, and all above and below them.

        >>> {"cat", "kitten", "animal"} <= ontology().may_be("cat")
        True
        """
        base = base_name(name)
        if base not in self._rivals:
            same = {base, *self.alike.get(base, ())}
            down = {below for one in same for below in self.below.get(one, ())}
            up = {above for one in same for above in self.above.get(one, ())}
            self._rivals[base] = frozenset(same | down | up)
        return self._rivals[base]

    def hides(self, name: str) -> frozenset[str]:
        """The names whose presence makes an absence doubtful: all it may be, its parts and its wholes."""
        base = base_name(name)
        return self.may_be(base) | self.attached.get(base, frozenset())


@cache
def ontology() -> Ontology:
    """The ontology of the package."""
    tables = read_table("kinds")
    members = {kind: [base_name(name) for name in listed(text)] for kind, text in tables["kinds"].items()}
    below = {kind: _closure(kind, members) for kind in members}
    above: defaultdict[str, set[str]] = defaultdict(set)
    for kind, names in below.items():
        for name in names:
            above[name].add(kind)
    synsets = dict(read_table("objects")["synsets"])
    return Ontology(
        synsets=synsets,
        above={name: frozenset(kinds) for name, kinds in above.items()},
        below=below,
        alike=_alike(tables["synonyms"]["sets"]),
        attached=_attached(tables["parts"], below),
        background=frozenset(base_name(name) for name in listed(tables["background"]["names"])),
        told=frozenset(listed(tables["background"]["told"])),
    )


def _closure(kind: str, members: Mapping[str, Iterable[str]]) -> frozenset[str]:
    found: set[str] = set()
    waiting = [kind]
    while waiting:
        fresh = set(members.get(waiting.pop(), ())) - found - {kind}
        found |= fresh
        waiting += sorted(fresh)
    return frozenset(found)


def _alike(sets: str) -> dict[str, frozenset[str]]:
    alike: defaultdict[str, set[str]] = defaultdict(set)
    for entry in listed(sets):
        names = {base_name(name.strip()) for name in entry.split(",")}
        for name in names:
            alike[name] |= names - {name}
    return {name: frozenset(others) for name, others in alike.items()}


def _attached(parts: Mapping[str, str], below: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Parts of a kind are parts of everything of that kind, and what is of a part is a part."""
    attached: defaultdict[str, set[str]] = defaultdict(set)
    for whole, text in parts.items():
        wholes = {base_name(whole.replace("_", " "))}
        wholes |= {name for one in wholes for name in below.get(one, ())}
        named = {base_name(name) for name in listed(text)}
        for part in named | {name for one in named for name in below.get(one, ())}:
            attached[part] |= wholes - {part}
            for one in wholes - {part}:
                attached[one].add(part)
    return {name: frozenset(others) for name, others in attached.items()}
