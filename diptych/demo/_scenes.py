"""Scenes: everything that is true of one picture, as items with boxes and the relations between them."""

from dataclasses import dataclass

from diptych.demo._things import CATEGORIES, THINGS, Place, Thing

WIDTH, HEIGHT = 320, 240


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
    """Whether the first item lies wholly to the left of the second.

    >>> left_of(Item(0, "dog", 10, 0, 20, 20), Item(1, "cat", 30, 0, 20, 20))
    True
    """
    return first.x + first.w <= second.x


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
