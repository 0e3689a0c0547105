"""The reviewed tables: object names with their synsets, kinds, near-synonyms and parts; attributes and relations.

Names come in both numbers ("tree", "trees"); what is known of the singular holds for the plural.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from diptych.files import read_package_toml
from diptych.language import singular
from diptych.scenegraphs._neighbors import find_possible_names, find_related_names


def read_table(name: str) -> dict[str, Any]:
    """Read a table of this package: `antonyms`, `attributes`, `kinds`, `neighbors`, `objects` or `relations`."""
    return read_package_toml("diptych.scenegraphs", f"tables/{name}.toml")


def split_entries(text: str) -> list[str]:
    """Split a list that is written with semicolons."""
    return [" ".join(entry.split()) for entry in text.split(";") if entry.strip()]


@cache
def base_name(name: str) -> str:
    """Return the name of an object in the tables: its singular, where it has one."""
    return singular(name)


@dataclass(frozen=True, slots=True)
class Ontology:
    """Names of objects and their relations."""

    synsets: Mapping[str, str]
    kinds: Mapping[str, frozenset[str]]  # name to its kinds, all the way up
    members: Mapping[str, frozenset[str]]  # kind to the names of that kind, all the way down
    synonyms: Mapping[str, frozenset[str]]  # name to those that may replace it
    possible_names_of: Mapping[str, frozenset[str]]
    related_names_of: Mapping[str, frozenset[str]]
    background: frozenset[str]
    unique_background: frozenset[str]  # background that an image has once, so that "the …" is unambiguous
    unseen_roles: frozenset[str]  # what a person may be and nobody sees: a father, a customer
    _is_foreground: dict[str, bool] = field(default_factory=dict, compare=False, repr=False)

    def knows(self, name: str) -> bool:
        """Whether the tables have a name."""
        return name in self.synsets or base_name(name) in self.synsets

    def is_foreground(self, name: str) -> bool:
        """Whether questions are asked about a name: the tables have it, and it is not background."""
        if name not in self._is_foreground:
            self._is_foreground[name] = self.knows(name) and not {name, base_name(name)} & self.background
        return self._is_foreground[name]

    def kinds_of(self, name: str) -> frozenset[str]:
        """The kinds that an object is certainly of."""
        return self.kinds.get(base_name(name), frozenset())

    def is_a(self, name: str, kind: str) -> bool:
        """Whether an object of this name is certainly a `kind`: the same word or a kind above it."""
        return name == kind or base_name(name) == kind or kind in self.kinds_of(name)

    def possible_names(self, name: str) -> frozenset[str]:
        """Names that such an object may have: its own, synonyms, all above and below ("kitten", "animal"), and more."""
        base = base_name(name)
        return self.possible_names_of.get(base) or frozenset((base,))

    def related_names(self, name: str) -> frozenset[str]:
        """Names whose presence makes the absence of this one uncertain: its possible names, parts, wholes, and more."""
        base = base_name(name)
        return self.related_names_of.get(base) or frozenset((base,))


@cache
def ontology() -> Ontology:
    """Return the ontology of this package."""
    tables = read_table("kinds")
    entries = {kind: [base_name(name) for name in split_entries(text)] for kind, text in tables["kinds"].items()}
    members = {kind: _closure(kind, entries) for kind in entries}
    synsets, synonyms = read_table("objects")["synsets"], _synonyms(tables["synonyms"]["sets"])
    names = frozenset[str]().union(*members.values())
    kinds = {name: frozenset(kind for kind in members if name in members[kind]) for name in names}
    all_names = frozenset((*map(base_name, synsets), *members, *kinds, *synonyms))
    neighbors = read_table("neighbors")
    possible_names = find_possible_names(all_names, kinds, members, synonyms, neighbors, _base_names)
    return Ontology(
        synsets=synsets,
        kinds=kinds,
        members=members,
        synonyms=synonyms,
        possible_names_of=possible_names,
        related_names_of=find_related_names(
            possible_names, kinds, members, synonyms, tables["parts"], neighbors, _base_names
        ),
        background=frozenset(_base_names(tables["background"]["names"])),
        unique_background=frozenset(split_entries(tables["background"]["unique"])),
        unseen_roles=frozenset(_base_names(neighbors["persons"]["roles"])),
    )


def _base_names(text: str) -> list[str]:
    return [base_name(name.replace("_", " ")) for name in split_entries(text)]


def _closure(kind: str, entries: Mapping[str, Iterable[str]]) -> frozenset[str]:
    names, queue = {kind}, [kind]
    while queue:
        new_names = set(entries.get(queue.pop(), ())) - names
        names |= new_names
        queue += new_names
    return frozenset(names - {kind})


def _synonyms(sets: str) -> dict[str, frozenset[str]]:
    groups = [{base_name(name.strip()) for name in entry.split(",")} for entry in split_entries(sets)]
    names = set[str]().union(*groups)
    return {name: frozenset().union(*(group for group in groups if name in group)) - {name} for name in names}


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeClass:
    """One class of attributes, as `tables/attributes.toml` describes it."""

    name: str
    values: tuple[str, ...]
    compatible: frozenset[frozenset[str]]
    kinds: frozenset[str]
    main_kinds: frozenset[str]
    word: str
    predicate: str
    precedes_noun: bool
    offers_choice: bool
    is_action: bool = False
    is_independent: bool = False

    def suits(self, name: str) -> bool:
        """Whether the class is asked about objects of this name."""
        return not self.kinds or any(ontology().is_a(name, kind) for kind in self.kinds)

    def claims(self, name: str) -> bool:
        """Whether the class goes before others that suit the name as well."""
        return any(ontology().is_a(name, kind) for kind in self.kinds | self.main_kinds)

    def excludes(self, value: str, other_value: str) -> bool:
        """Whether an object that has one value certainly does not have the other."""
        if self.is_independent or value == other_value:
            return False
        are_values = value in self.values and other_value in self.values
        return are_values and not any({value, other_value} <= group for group in self.compatible)


def _parse_class(name: str, entry: dict[str, Any]) -> AttributeClass:
    groups = split_entries(entry.pop("compatible", ""))
    compatible = frozenset(frozenset(value.strip() for value in group.split(",")) for group in groups)
    kinds, main_kinds = (frozenset(split_entries(entry.pop(key, ""))) for key in ("kinds", "main_kinds"))
    values = tuple(split_entries(entry.pop("values")))
    return AttributeClass(name=name, values=values, compatible=compatible, kinds=kinds, main_kinds=main_kinds, **entry)


ATTRIBUTE_CLASSES = {name: _parse_class(name, entry) for name, entry in read_table("attributes").items()}
"""The classes of this package by name."""


@cache
def class_of(attribute: str, name: str) -> AttributeClass | None:
    """Return the class of an attribute of an object of this name.

    >>> class_of("short", "tree").name, class_of("short", "pants").name
    ('height', 'length')
    """
    classes = [entry for entry in ATTRIBUTE_CLASSES.values() if attribute in entry.values and entry.suits(name)]
    if len(classes) > 1:
        classes = [entry for entry in classes if entry.claims(name)]
    return classes[0] if len(classes) == 1 else None


@cache
def antonyms() -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Return the opposites of each class and attribute, the most usual first: "old", "elderly" of "age", "young"."""
    opposites: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for class_name, text in read_table("antonyms").items():
        for entry in split_entries(text):
            word, opposite = (value.strip() for value in entry.split(","))
            opposites[class_name, word].append(opposite)
            opposites[class_name, opposite].append(word)
    return {key: tuple(values) for key, values in opposites.items()}


_RELATIONS = read_table("relations")
RELATION_WORDS = {relation: word for word in ("the", "a") for relation in split_entries(_RELATIONS[word])}
"""The relations that can be used in a question, each with the determiner of its object: "the" or "a"."""
IMPLIED_RELATIONS = {relation: frozenset(split_entries(text)) for relation, text in _RELATIONS["implies"].items()}
