"""Attributes and relations: their classes, exclusions and opposites, and their forms in a question."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from diptych.scenegraphs._ontology import ontology, read_table, split_entries


@dataclass(frozen=True, slots=True)
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
        """Whether an object that has one value certainly does not have the other.

        >>> color = attribute_classes()["color"]
        >>> color.excludes("red", "blue"), color.excludes("tan", "beige")
        (True, False)
        """
        if self.is_independent or value == other_value:
            return False
        are_values = value in self.values and other_value in self.values
        return are_values and not any({value, other_value} <= group for group in self.compatible)


@cache
def attribute_classes() -> Mapping[str, AttributeClass]:
    """Return the classes of this package by name."""
    return {name: _parse_class(name, entry) for name, entry in read_table("attributes").items()}


def _parse_class(name: str, entry: dict[str, Any]) -> AttributeClass:
    values, groups, kinds, main_kinds = (
        split_entries(entry.pop(key, "")) for key in ("values", "compatible", "kinds", "main_kinds")
    )
    compatible = frozenset(frozenset(value.strip() for value in group.split(",")) for group in groups)
    return AttributeClass(name, tuple(values), compatible, frozenset(kinds), frozenset(main_kinds), **entry)


@cache
def _classes_by_value() -> Mapping[str, tuple[AttributeClass, ...]]:
    classes: defaultdict[str, list[AttributeClass]] = defaultdict(list)
    for attribute_class in attribute_classes().values():
        for value in attribute_class.values:
            classes[value].append(attribute_class)
    return {value: tuple(entries) for value, entries in classes.items()}


@cache
def class_of(attribute: str, name: str) -> AttributeClass | None:
    """Return the class of an attribute of an object of this name.

    >>> class_of("short", "tree").name, class_of("short", "pants").name
    ('height', 'length')
    """
    classes = [candidate for candidate in _classes_by_value().get(attribute, ()) if candidate.suits(name)]
    if len(classes) > 1:
        classes = [candidate for candidate in classes if candidate.claims(name)]
    return classes[0] if len(classes) == 1 else None


@cache
def antonyms() -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Return the opposites of each class and attribute, the most usual first.

    >>> antonyms()["age", "young"]
    ('old', 'elderly')
    """
    opposites: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for class_name, text in read_table("antonyms").items():
        for entry in split_entries(text):
            word, opposite = (value.strip() for value in entry.split(","))
            opposites[class_name, word].append(opposite)
            opposites[class_name, opposite].append(word)
    return {key: tuple(values) for key, values in opposites.items()}


@cache
def relation_words() -> Mapping[str, str]:
    """Return the relations that can be used in a question, each with the determiner of its object: "the" or "a"."""
    table = read_table("relations")
    return {relation: determiner for determiner in ("the", "a") for relation in split_entries(table[determiner])}


@cache
def implied_relations() -> Mapping[str, frozenset[str]]:
    """Return the relations that each relation implies."""
    return {relation: frozenset(split_entries(text)) for relation, text in read_table("relations")["implies"].items()}
