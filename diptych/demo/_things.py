"""The things and places of the miniature world, as `things.toml` lists them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diptych.files import read_package_toml

Rgb = tuple[int, ...]
WIDTH, HEIGHT = 320, 240
_TABLES = read_package_toml("diptych.demo", "things.toml")

COLORS: Mapping[str, Rgb] = {name: tuple(rgb) for name, rgb in _TABLES["colors"].items()}
"""The color words of the world with their RGB values."""
COLOR_WORDS = tuple(COLORS)
WALL_COLORS: Mapping[str, str] = _TABLES["wall_colors"]
CARRIERS: Mapping[str, list[float]] = _TABLES["carriers"]
"""Furniture that carries things: the height of its surface, and its left and right end, as shares of the box."""
GRIPS: Mapping[str, float] = _TABLES["grips"]  # how far from its top a thing is held, as a share of its height
MATERIALS: Mapping[str, list[str]] = {name: colors.split() for name, colors in _TABLES["materials"].items()}
"""The materials of things, and the colors that a thing of each can have."""


@dataclass(frozen=True, slots=True)
class Backdrop:
    """A part of the scenery behind the things: its words, its color and the rows of pixels it fills."""

    name: str
    synset: str
    color: str  # empty where a color is drawn for every scene
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
    scenery: list[tuple[int, int, int, int, str]]
    """What is painted before all else: left, top, right, bottom and color; `wall` is the color of the wall."""


PLACES: Mapping[str, Place] = {
    name: Place(name, **{**row, "backdrops": tuple(Backdrop(**backdrop) for backdrop in row["backdrops"])})
    for name, row in _TABLES["places"].items()
}
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
    most: int  # the largest group of them in one picture
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
