"""The things and places of the miniature world, as `things.toml` lists them."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Any

_TABLES = tomllib.loads(files("diptych.demo").joinpath("things.toml").read_text(encoding="utf-8"))

COLORS: Mapping[str, tuple[int, int, int]] = MappingProxyType(
    {name: tuple(rgb) for name, rgb in _TABLES["colors"].items()}
)
"""The color words of the world with their RGB values."""

WALL_COLORS: tuple[str, ...] = tuple("white yellow pink green blue".split())

MATERIALS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {name: tuple(colors.split()) for name, colors in _TABLES["materials"].items()}
)
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


def _place(name: str, row: Mapping[str, Any]) -> Place:
    return Place(**{**row, "name": name, "backdrops": tuple(Backdrop(**backdrop) for backdrop in row["backdrops"])})


PLACES: Mapping[str, Place] = MappingProxyType({name: _place(name, row) for name, row in _TABLES["places"].items()})
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
        """The name with its article.

        >>> THINGS["umbrella"].a
        'an umbrella'
        """
        return f"{self.article} {self.name}"

    def form(self, count: int) -> str:
        """The singular or the plural, as the count needs it.

        >>> THINGS["sheep"].form(2), THINGS["bus"].form(2), THINGS["bus"].form(1)
        ('sheep', 'buses', 'bus')
        """
        return self.name if count == 1 else self.plural


def _thing(name: str, row: Mapping[str, Any]) -> Thing:
    words = {key: tuple(row.get(key, "").split()) for key in ("colors", "materials", "patterns")}
    return Thing(
        name=name,
        plural=row["plural"],
        article=row.get("article", "a"),
        synset=row["synset"],
        category=row["category"],
        width=row["size"][0],
        height=row["size"][1],
        most=row["most"],
        zones=frozenset(row["zones"].split()),
        places=tuple(row["places"].split()) if "places" in row else tuple(PLACES),
        **words,
    )


THINGS: Mapping[str, Thing] = MappingProxyType({name: _thing(name, row) for name, row in _TABLES["things"].items()})
"""Every kind of thing by its name."""

CATEGORIES: Mapping[str, tuple[Thing, ...]] = MappingProxyType(
    {
        category: tuple(thing for thing in THINGS.values() if thing.category == category)
        for category in dict.fromkeys(thing.category for thing in THINGS.values())
    }
)
"""The things of each category, in the order of the table."""
