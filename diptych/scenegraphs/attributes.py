"""Attributes: their classes, which exclude each other, their opposites, and how they are said."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from diptych.scenegraphs.ontology import listed, ontology, read_table


@dataclass(frozen=True, slots=True)
class AttributeClass:
    """One class of attributes, as its table says."""

    name: str
    word: str
    values: tuple[str, ...]
    near: frozenset[frozenset[str]]
    said: str
    before: bool
    choose: bool
    action: bool
    of: frozenset[str]
    chiefly: frozenset[str]
    free: bool

    def suits(self, name: str) -> bool:
        """Whether the class is asked about things of this name."""
        return not self.of or any(ontology().is_a(name, kind) for kind in self.of)

    def claims(self, name: str) -> bool:
        """Whether the class goes before others that suit the name as well."""
        return any(ontology().is_a(name, kind) for kind in self.of | self.chiefly)

    def excludes(self, one: str, other: str) -> bool:
        """Whether a thing that has the one surely has not the other.

        >>> color = attribute_classes()["color"]
        >>> color.excludes("red", "blue"), color.excludes("tan", "beige")
        (True, False)
        """
        both = not self.free and one in self.values and other in self.values and one != other
        return both and not any({one, other} <= together for together in self.near)


@cache
def attribute_classes() -> Mapping[str, AttributeClass]:
    """The classes of the package by name."""
    return {
        name: AttributeClass(
            name,
            entry["word"],
            tuple(listed(entry["values"])),
            frozenset(frozenset(part.strip() for part in group.split(",")) for group in listed(entry.get("near", ""))),
            entry["said"],
            entry["before"],
            entry["choose"],
            entry.get("action", False),
            frozenset(listed(entry.get("of", ""))),
            frozenset(listed(entry.get("chiefly", ""))),
            entry.get("free", False),
        )
        for name, entry in read_table("attributes").items()
    }


@cache
def _by_value() -> Mapping[str, tuple[AttributeClass, ...]]:
    found: defaultdict[str, list[AttributeClass]] = defaultdict(list)
    for one in attribute_classes().values():
        for value in one.values:
            found[value].append(one)
    return {value: tuple(classes) for value, classes in found.items()}


@cache
def class_of(attribute: str, name: str) -> AttributeClass | None:
    """The class an attribute belongs to when it is said of a thing of this name.

    >>> class_of("short", "tree").name, class_of("short", "pants").name
    ('height', 'length')
    """
    suiting = [one for one in _by_value().get(attribute, ()) if one.suits(name)]
    claiming = [one for one in suiting if one.claims(name)] if len(suiting) > 1 else suiting
    return claiming[0] if len(claiming) == 1 else None


@cache
def antonyms() -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Class and attribute to the opposite attributes, the most usual first.

    >>> antonyms()["age", "young"]
    ('old', 'elderly')
    """
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for group, text in read_table("antonyms").items():
        for pair in listed(text):
            one, other = (word.strip() for word in pair.split(","))
            found[group, one].append(other)
            found[group, other].append(one)
    return {key: tuple(others) for key, others in found.items()}


@cache
def relation_words() -> Mapping[str, str]:
    """The relations that can be said, each with the determiner of its object: "the" or "a"."""
    table = read_table("relations")
    return {relation: word for word in ("the", "a") for relation in listed(table[word])}


@cache
def implied() -> Mapping[str, frozenset[str]]:
    """Relation to the others that it says as well."""
    return {relation: frozenset(listed(text)) for relation, text in read_table("relations")["implies"].items()}
