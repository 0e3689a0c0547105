"""What a question is, and a scene seen by kind: where the families of questions look things up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from diptych.demo.scenes import Item, Scene
from diptych.demo.things import CATEGORIES, THINGS, Thing

T = TypeVar("T")

YES_NO, NUMBER, OTHER = "yes/no", "number", "other"
NUMBER_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its true answer, and what a mistaken annotator would say."""

    text: str
    answer: str
    answer_type: str
    mistake: str


class View:
    """A scene seen by kind; made once for all questions about it."""

    __slots__ = ("groups", "holding", "kinds", "on", "people", "place", "scene", "singles", "wearing", "where")

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.place = scene.place
        self.groups: dict[str, list[Item]] = {}
        self.on: dict[str, list[Item]] = {}
        self.where: dict[str, tuple[str, str]] = {}
        self.wearing: dict[int, list[Item]] = {}
        self.holding: dict[int, Item] = {}
        items = scene.items
        for item in items:
            if item.name in THINGS:
                self.groups.setdefault(item.name, []).append(item)
        for relation in scene.relations:
            name, subject, other = relation.name, items[relation.subject], items[relation.object]
            if name in ("on", "in", "under"):
                self.where[subject.name] = (name, other.name)
                if name == "on":
                    self.on.setdefault(other.name, []).append(subject)
            elif name == "wearing":
                self.wearing.setdefault(subject.number, []).append(other)
            elif name == "holding":
                self.holding[subject.number] = other
        self.kinds = [THINGS[name] for name in self.groups if name not in ("shirt", "dress")]
        self.singles = [thing for thing in self.kinds if len(self.groups[thing.name]) == 1]
        self.people = [self.groups[thing.name][0] for thing in CATEGORIES["person"] if thing.name in self.groups]

    def colour(self, name: str) -> str:
        """The colour that all things of a kind share; empty where they differ or have none."""
        group = self.groups[name]
        first = group[0].colour
        return first if len(group) == 1 or all(item.colour == first for item in group) else ""

    def carriers(self) -> list[Thing]:
        """The kinds of furniture of which there is one, with things on it."""
        return [THINGS[name] for name in self.on if name in THINGS and len(self.groups[name]) == 1]

    def hat(self, person: Item) -> Item | None:
        """The hat that a person wears."""
        return next((item for item in self.wearing[person.number] if item.name == "hat"), None)


Family = Callable[[View, Random], Question | None]
"""A way of asking: a question about a scene, or None where there is nothing to ask."""


def some(rng: Random, among: Sequence[T]) -> T:
    """One of several, each as likely."""
    return among[int(rng.random() * len(among))]


def other_than(rng: Random, value: str, among: Sequence[str]) -> str:
    """One of several words that is not the given one."""
    drawn = some(rng, among)
    while drawn == value:
        drawn = some(rng, among)
    return drawn


def be(count: int) -> str:
    """The verb for that many.

    >>> be(1), be(3)
    ('is', 'are')
    """
    return "is" if count == 1 else "are"
