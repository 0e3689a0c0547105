"""The things and places of the miniature world, and scenes: everything that is true of one picture."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from random import Random
from typing import Any, TypeVar

Choice = TypeVar("Choice")
Rgb = tuple[int, int, int]
WIDTH, HEIGHT = 320, 240


def read_table(name: str) -> dict[str, Any]:
    """A table of the world: `things`, `facts` or `questions`."""
    return tomllib.loads(files("diptych.demo").joinpath(f"{name}.toml").read_text(encoding="utf-8"))


_TABLES = read_table("things")

COLORS: Mapping[str, Rgb] = {name: tuple(rgb) for name, rgb in _TABLES["colors"].items()}
"""The color words of the world with their RGB values."""

WALL_COLORS: Mapping[str, Rgb] = {name: tuple(rgb) for name, rgb in _TABLES["wall_colors"].items()}

MATERIALS: Mapping[str, tuple[str, ...]] = {
    name: tuple(colors.split()) for name, colors in _TABLES["materials"].items()
}
"""The materials of things, and the colors that a thing of each can have."""


@dataclass(frozen=True, slots=True)
class Backdrop:
    """A part of the scenery behind the things: its words, its color and the rows of pixels it fills."""

    name: str
    synset: str
    color: str
    """Empty where a color is drawn for every scene."""
    top: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Place:
    """A kind of scenery: its backdrops, and which of them is the ground that things stand on."""

    name: str
    location: str
    outdoors: bool
    ground: str
    backdrops: tuple[Backdrop, ...]
    scenery: tuple[tuple[int, int, int, int, Rgb | str], ...]
    """What is painted before all else: left, top, right, bottom and color; `wall` is the color of the wall."""


def _place(name: str, row: Mapping[str, Any]) -> Place:
    backdrops = tuple(Backdrop(**backdrop) for backdrop in row["backdrops"])
    bands = [(*edges, color if isinstance(color, str) else tuple(color)) for *edges, color in row["scenery"]]
    return Place(**{**row, "name": name, "backdrops": backdrops, "scenery": tuple(bands)})


PLACES: Mapping[str, Place] = {name: _place(name, row) for name, row in _TABLES["places"].items()}
"""Every kind of scenery by its name."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A kind of thing that can be seen: its words, its looks and its positions."""

    name: str
    plural: str
    article: str
    synset: str
    category: str
    width: int
    height: int
    most: int
    """The largest group of them in one picture."""
    zones: frozenset[str]
    """Its positions: main (on the ground), front (near the viewer), sky, wall, on, under, held, worn."""
    places: tuple[str, ...]
    colors: tuple[str, ...]
    materials: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    @property
    def a(self) -> str:
        """The name with its article."""
        return f"{self.article} {self.name}"

    def form(self, count: int) -> str:
        """The singular or the plural, as the count needs it."""
        return self.name if count == 1 else self.plural


def _thing(name: str, row: Mapping[str, Any]) -> Thing:
    words = {key: tuple(row.get(key, "").split()) for key in ("colors", "materials", "patterns")}
    words["places"] = tuple(row["places"].split()) if "places" in row else tuple(PLACES)
    return Thing(**{"article": "a", **row, "name": name, "zones": frozenset(row["zones"].split()), **words})


THINGS: Mapping[str, Thing] = {name: _thing(name, row) for name, row in _TABLES["things"].items()}
"""Every kind of thing by its name."""

CATEGORIES: Mapping[str, tuple[Thing, ...]] = {
    category: tuple(thing for thing in THINGS.values() if thing.category == category)
    for category in dict.fromkeys(thing.category for thing in THINGS.values())
}
"""The things of each category, in the order of the table."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in one picture: its box and its looks."""

    number: int
    """Its position in `Scene.items`."""
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
    hour: int = 0
    """The hour that a clock shows; 0 for everything else."""

    @property
    def attributes(self) -> list[str]:
        """The words for its looks, as scene graphs list them."""
        return [word for word in (self.color, self.size, self.material, self.pattern, self.posture) if word]

    @property
    def right(self) -> int:
        """The first column of pixels to the right of it."""
        return self.x + self.w

    @property
    def bottom(self) -> int:
        """The first row of pixels below it."""
        return self.y + self.h


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between two items: (subject, name, object), by their numbers."""

    subject: int
    name: str
    object: int


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is true of one picture; what is not listed is not there."""

    number: int
    place: Place
    weather: str
    """Sunny or cloudy; empty indoors."""
    items: tuple[Item, ...]
    """Backdrops first, then things in the order in which they are drawn."""
    relations: tuple[Relation, ...]
    """All but left and right, which follow from the boxes."""

    @property
    def things(self) -> tuple[Item, ...]:
        """The items that can be counted: all but backdrops, sun and clouds."""
        return tuple(item for item in self.items if item.name in THINGS)


def left_of(first: Item, second: Item) -> bool:
    """Whether the first item lies wholly to the left of the second."""
    return first.right <= second.x


class SceneIndex:
    """A scene indexed by kind of thing; built once for all questions about it."""

    __slots__ = ("groups", "holding", "kinds", "people", "place", "position", "scene", "singles", "surface", "wearing")

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.place = scene.place
        self.groups: dict[str, list[Item]] = {}
        self.surface: dict[str, list[Item]] = {}
        """The items that lie on each thing or backdrop."""
        self.position: dict[str, tuple[str, str]] = {}
        """The preposition and the name of what a thing is on, in or under."""
        self.wearing: dict[int, list[Item]] = {}
        self.holding: dict[int, Item] = {}
        items = scene.items
        for item in items:
            if item.name in THINGS:
                self.groups.setdefault(item.name, []).append(item)
        for relation in scene.relations:
            name, subject, target = relation.name, items[relation.subject], items[relation.object]
            if name in ("on", "in", "under"):
                self.position[subject.name] = (name, target.name)
                if name == "on":
                    self.surface.setdefault(target.name, []).append(subject)
            elif name == "wearing":
                self.wearing.setdefault(subject.number, []).append(target)
            elif name == "holding":
                self.holding[subject.number] = target
        self.kinds = [THINGS[name] for name in self.groups if name not in ("shirt", "dress")]
        self.singles = [thing for thing in self.kinds if len(self.groups[thing.name]) == 1]
        self.people = [self.groups[thing.name][0] for thing in CATEGORIES["person"] if thing.name in self.groups]

    def color(self, name: str) -> str:
        """The color that all things of a kind share; empty where they differ or have none."""
        group = self.groups[name]
        first = group[0].color
        return first if len(group) == 1 or all(item.color == first for item in group) else ""

    def carriers(self) -> list[Thing]:
        """The kinds of furniture of which there is exactly one, with things on it."""
        return [THINGS[name] for name in self.surface if name in THINGS and len(self.groups[name]) == 1]

    def hat(self, person: Item) -> Item | None:
        """The hat that a person wears."""
        return next((item for item in self.wearing[person.number] if item.name == "hat"), None)


class NothingToAskError(Exception):
    """A scene has nothing that a question could be about."""


# Random choices that take one number of the generator each: cheaper than `Random.choice`, and the same everywhere.


def pick(rng: Random, choices: Sequence[Choice]) -> Choice:
    """One of several values, each as likely; without any, there is nothing to ask."""
    if not choices:
        raise NothingToAskError
    return choices[int(rng.random() * len(choices))]


def pick_except(rng: Random, value: str, choices: Sequence[str]) -> str:
    """One of several words, but not `value`."""
    choice = pick(rng, choices)
    while choice == value:
        choice = pick(rng, choices)
    return choice
