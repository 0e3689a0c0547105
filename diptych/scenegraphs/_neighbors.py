"""Names that another may stand for, and names whose presence makes the absence of another uncertain.

`tables/kinds.toml` says what things certainly are and have; `tables/neighbors.toml` looks sideways: what a person could
fairly call a thing, and what is likely to be seen where a thing is. Both relations are worked out once for all names.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

Names = Mapping[str, frozenset[str]]
ReadEntries = Callable[[str], list[str]]  # the base names in a text of entries


def find_possible_names(
    names: Collection[str], kinds: Names, members: Names, synonyms: Names, tables: Mapping[str, Any], read: ReadEntries
) -> dict[str, frozenset[str]]:
    """For every name those that such an object may have: synonyms, all above and below, and what it may be called."""
    links: defaultdict[str, set[str]] = defaultdict(set)
    for name in names:
        above = kinds.get(name, frozenset())
        for synonym in (name, *synonyms.get(name, ())):
            below = members.get(synonym, ()) if synonym not in above else ()  # a car may be called a vehicle, no boat
            _link(links, (name,), (synonym, *below, *kinds.get(synonym, ())))
        head = _head_noun(name, names)
        _link(links, (name,), (head, *kinds.get(head, ())) if head else ())
    for key, text in tables["called"].items():
        (kind,) = read(key)
        for name in read(text):
            _link(links, (kind, *kinds.get(kind, ())), (name, *members.get(name, ())))
            _link(links, (kind,), kinds.get(name, ()))
    _link_persons(links, members["person"], tables["persons"], read)
    return {name: frozenset(linked) for name, linked in links.items()}


def _link_persons(
    links: defaultdict[str, set[str]], persons: frozenset[str], table: Mapping[str, str], read: ReadEntries
) -> None:
    """Anyone may be called by any name of a person; men are not called women, nor the reverse."""
    male, female = frozenset(read(table["male"])), frozenset(read(table["female"]))
    everyone = {"person", *persons, *read(table["groups"]), *read(table["figures"])}
    _link(links, male, everyone - female)
    _link(links, everyone - male, everyone - male)


def find_related_names(
    possible_names: Names,
    kinds: Names,
    members: Names,
    synonyms: Names,
    parts: Mapping[str, str],
    tables: Mapping[str, Any],
    read: ReadEntries,
) -> dict[str, frozenset[str]]:
    """For every name those that make its absence uncertain: its possible names, parts, wholes and what implies it."""
    evidence: defaultdict[str, set[str]] = defaultdict(set)
    for table, is_mutual in ((parts, True), (tables["uses"], True), (tables["beside"], False)):
        for key, text in table.items():
            names = read(text)
            alike = read(tables["called"].get(key, "")) if table is parts else []  # they have its parts as well
            wholes = _with_members(read(key), members).union(alike).difference(names)
            for name in names:
                things = _with_members([name], members)
                for thing in things | _impersonal_kinds(name, kinds):
                    evidence[thing] |= wholes - {thing}
                for whole in wholes if is_mutual else ():
                    evidence[whole] |= things - {whole}
    for name in possible_names:  # a compound speaks of what it is made of: a pizza box of pizza
        for word in name.split()[:-1] if " " in name else ():
            if word in possible_names:
                evidence[word].add(name)
    return {
        name: names.union(*(evidence.get(synonym, ()) for synonym in (name, *synonyms.get(name, ()))))
        for name, names in possible_names.items()
    }


def _impersonal_kinds(name: str, kinds: Names) -> frozenset[str]:
    """What else is seen where a thing is: its kinds. A driver in a car is no reason to expect any person."""
    above = kinds.get(name, frozenset())
    return frozenset() if above & {"person", "animal"} else above


def _with_members(names: Iterable[str], members: Names) -> set[str]:
    return {found for name in names for found in (name, *members.get(name, ()))}


def _link(links: defaultdict[str, set[str]], names: Iterable[str], other_names: Iterable[str]) -> None:
    """Link every one of some names with every one of others, both ways."""
    others = set(other_names)
    for name in names:
        links[name] |= others
        for other in others:
            links[other].add(name)


def _head_noun(name: str, names: Collection[str]) -> str:
    """The longest end of a compound that is a name itself: a bar stool may be called a stool."""
    words = name.split()
    ends = (" ".join(words[start:]) for start in range(1, len(words)))
    return next((end for end in ends if end in names), "")
