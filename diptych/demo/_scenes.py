"""Scenes: everything that is true of one picture, and how to choose from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, TypeVar

from diptych.demo._things import CATEGORIES, THINGS, Place, Thing

Choice = TypeVar("Choice")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in one picture: its box and its looks."""

    number: int  # its position in `Scene.items`
    name: str
    x: int
    y: int
    w: int
    h: int
    color: str = ""
    size: str = ""
    material: str = ""
    pattern: str = ""
    posture: str = ""
    hour: int = 0  # the hour that a clock shows; 0 for everything else

    @property
    def attributes(self) -> list[str]:
        """The words for its looks, as scene graphs list them."""
        return [word for word in (self.color, self.size, self.material, self.pattern, self.posture) if word]

    @property
    def right(self) -> int:
        """The first column of pixels to the right of it."""
        return self.x + self.w


class Relation(NamedTuple):
    """A relation between two items: (subject, name, object), by their numbers."""

    subject: int
    name: str
    object: int


def left_of(first: Item, second: Item) -> bool:
    """Whether the first item lies wholly to the left of the second."""
    return first.right <= second.x


@dataclass
class Scene:
    """Everything that is true of one picture, indexed by kind of thing; what is not listed is not there."""

    number: int
    place: Place
    weather: str  # sunny or cloudy; empty indoors
    items: tuple[Item, ...]  # backdrops first, then things in the order in which they are drawn
    relations: tuple[Relation, ...]  # all but left and right, which follow from the boxes

    def __post_init__(self) -> None:
        self.things = tuple(item for item in self.items if item.name in THINGS)
        """The items that can be counted: all but backdrops, sun and clouds."""
        self.groups: dict[str, list[Item]] = {}
        self.surface: dict[str, list[Item]] = {}
        """The items that lie on each thing or backdrop."""
        self.position: dict[str, tuple[str, str]] = {}
        """The preposition and the name of what a thing is on, in or under."""
        self.wearing: dict[int, list[Item]] = {}
        self.hats: dict[int, Item] = {}
        self.holding: dict[int, Item] = {}
        for item in self.things:
            self.groups.setdefault(item.name, []).append(item)
        for number, name, target_number in self.relations:
            subject, target = self.items[number], self.items[target_number]
            if name in ("on", "in", "under"):
                self.position[subject.name] = (name, target.name)
                if name == "on":
                    self.surface.setdefault(target.name, []).append(subject)
            elif name == "wearing":
                self.wearing.setdefault(number, []).append(target)
                if target.name == "hat":
                    self.hats[number] = target
            elif name == "holding":
                self.holding[number] = target
        self.kinds = [THINGS[name] for name in self.groups if name not in ("shirt", "dress")]
        self.singles = [self.groups[thing.name][0] for thing in self.kinds if self.count(thing) == 1]
        """The items that are the only one of their kind."""
        self.people = [self.groups[thing.name][0] for thing in CATEGORIES["person"] if thing.name in self.groups]

    def count(self, thing: Thing) -> int:
        """How many things of a kind there are."""
        return len(self.groups[thing.name])

    def color(self, thing: Thing) -> str:
        """The color that all things of a kind share; empty where they differ or have none."""
        colors = {item.color for item in self.groups[thing.name]}
        return colors.pop() if len(colors) == 1 else ""

    def carriers(self) -> list[Thing]:
        """The kinds of furniture of which there is exactly one, with things on it."""
        return [THINGS[name] for name in self.surface if name in THINGS and len(self.groups[name]) == 1]


# Random choices take one number of the generator each: cheaper than `Random.choice`, and the same everywhere.


class NothingToAskError(Exception):
    """A scene has nothing that a question could be about."""


def require(condition: object) -> None:
    """Give up a question unless its condition holds."""
    if not condition:
        raise NothingToAskError


def pick(rng: Random, choices: Sequence[Choice]) -> Choice:
    """One of several values, each as likely; without any, there is nothing to ask."""
    require(choices)
    return choices[int(rng.random() * len(choices))]


def pick_except(rng: Random, value: str, choices: Sequence[str]) -> str:
    """One of several words, but not `value`."""
    choice = pick(rng, choices)
    while choice == value:
        choice = pick(rng, choices)
    return choice
