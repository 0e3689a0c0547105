"""Kinds that exclude each other, and how English names them: a cow is not an elephant."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from diptych.files import read_package_toml
from diptych.kg._wordnet import wordnet

# Later senses of a word are rarely meant: a cat is also a tracked vehicle.
_COMMON_SENSES = 3


@dataclass(frozen=True, slots=True)
class Family:
    """Values of which at most one is true of a thing, except for those listed as alike."""

    name: str
    kinds: frozenset[str]
    form: str
    members: frozenset[str]
    roots: frozenset[str]
    alike: frozenset[frozenset[str]]
    broad: frozenset[str]
    bare: frozenset[str]


@dataclass(frozen=True, slots=True)
class Kind:
    """A value read as a member of a family: 'cow' among the animals."""

    family: str
    form: str
    name: str  # the member as it is written in English, in the singular
    synsets: tuple[str, ...] = ()
    is_plain: bool = True  # whether the word usually means this: a car is also a part of an elevator, in a later sense


def _family(entry: dict[str, Any]) -> Family:
    words = {name: frozenset(entry.get(name, ())) for name in ("kinds", "members", "roots", "broad", "bare")}
    return Family(**{**entry, **words, "alike": frozenset(map(frozenset, entry.get("alike", ())))})


FAMILIES = {entry["name"]: _family(entry) for entry in read_package_toml("diptych.kg", "kinds.toml")["family"]}
"""The families in the package, by name."""


@cache
def read_kind(kind: str, value: str) -> Kind | None:
    """Read a value as a member of a family of that kind of thing; None if it is not one.

    >>> read_kind("animal", "cow").form, read_kind("floor", "wood").form, read_kind("animal", "wood")
    ('noun', 'attributive', None)
    """
    for family in FAMILIES.values():
        if kind in family.kinds and (member := _find_member(family, kind, value)):
            return member
    return None


def _find_member(family: Family, kind: str, value: str) -> Kind | None:
    name = value.removesuffix(f" {kind}") if family.form == "attributive" else value
    spellings = {member.lower(): member for member in family.members}
    if name.lower() in family.broad:
        return None
    roots = [wordnet().synset(root) for root in family.roots]
    senses = wordnet().synsets(name.replace(" ", "_"), "n")[:_COMMON_SENSES] if roots else ()
    synsets = tuple(sense.name for sense in senses if any(sense.is_a(root) and sense != root for root in roots))
    is_listed = name.lower() in spellings or any(name.lower() in group for group in family.alike)
    if is_listed or synsets:
        form = "bare" if name.lower() in family.bare else family.form
        is_plain = is_listed or senses[0].name in synsets
        return Kind(family.name, form, spellings.get(name.lower(), name), synsets, is_plain)
    return None


@cache
def exclude_each_other(kind_a: Kind, kind_b: Kind) -> bool:
    """Whether a thing of one kind is surely not of the other.

    >>> [exclude_each_other(read_kind("animal", "cow"), read_kind("animal", name)) for name in ("elephant", "bull")]
    [True, False]
    """
    name_a, name_b = kind_a.name.lower(), kind_b.name.lower()
    if kind_a.family != kind_b.family or set(name_a.split()) & set(name_b.split()):
        return False
    if any({name_a, name_b} <= group for group in FAMILIES[kind_a.family].alike):
        return False
    senses_a, senses_b = (tuple(map(wordnet().synset, kind.synsets)) for kind in (kind_a, kind_b))
    return not any(a.is_a(b) or b.is_a(a) for a in senses_a for b in senses_b)
