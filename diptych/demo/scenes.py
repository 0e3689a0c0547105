"""Scenes: everything that is true of one picture, as items with boxes and the relations between them."""

from dataclasses import dataclass

from diptych.demo.things import THINGS, Place

WIDTH, HEIGHT = 320, 240

Look = tuple[str, str, str, str, str]
"""How a thing looks: colour, size, material, pattern, pose."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in one picture: its box and how it looks."""

    number: int
    """Its place in `Scene.items`."""
    name: str
    x: int
    y: int
    w: int
    h: int
    colour: str = ""
    size: str = ""
    material: str = ""
    pattern: str = ""
    pose: str = ""
    hour: int = 0
    """What a clock shows; 0 for everything else."""

    @property
    def attributes(self) -> list[str]:
        """The words for how it looks, as scene graphs list them."""
        return [word for word in (self.colour, self.size, self.material, self.pattern, self.pose) if word]

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
    """How one thing stands to another: (subject, name, object), by their numbers."""

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
        """The things that can be counted: all but backdrops, sun and clouds."""
        return tuple(item for item in self.items if item.name in THINGS)


def left_of(one: Item, other: Item) -> bool:
    """Whether one thing lies wholly to the left of another.

    >>> left_of(Item(0, "dog", 10, 0, 20, 20), Item(1, "cat", 30, 0, 20, 20))
    True
    """
    return one.x + one.w <= other.x
