"""A scene graph: the objects of one image with their boxes, attributes and relations."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from sys import intern
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import networkx as nx

Box = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""

LONGEST_SIDE = 1_000_000
"""Pixels of a side of an image or a box; a larger number cannot be one."""

LONGEST_NAME = 200
"""Characters of the name of an object, an attribute or a relation."""

NOT_A_GRAPH = "a record that is no scene graph"
NO_OBJECTS = "a scene graph without objects"
NO_SIZE = "an image without width and height"
NO_NAME = "an object without a name"
NO_BOX = "an object without a box"
NO_AREA = "a box without area"
OUTSIDE_IMAGE = "a box outside the image"
DANGLING_RELATION = "a relation to an object that is not there"
UNREADABLE_RELATION = "a relation that cannot be read"
OTHER_SENSE = "a synset that means another thing than the name does"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file of scene graphs that could not be used: the reason, and its image and object."""

    reason: str
    location: str


@dataclass(frozen=True, slots=True)
class SceneObject:
    """One object of an image."""

    id: str
    name: str
    box: Box
    attributes: tuple[str, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()
    """Each relation and the id of the object that it leads to."""
    sense: str = ""
    """The synset in its file, where that means another thing than the name does."""


@dataclass(frozen=True, slots=True)
class SceneGraph:
    """The annotations of one image."""

    image_id: str
    width: int
    height: int
    objects: tuple[SceneObject, ...]
    problems: tuple[Problem, ...] = ()
    """What could not be used and why, each with the ids of its image and object."""
    uncertain_objects: tuple[SceneObject, ...] = ()
    """Objects that may be there and may be something else: no question is about them, and they keep others from being
    called absent or the only one."""
    _by_id: dict[str, SceneObject] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_id", {thing.id: thing for thing in self.objects})

    def __getitem__(self, object_id: str) -> SceneObject:
        return self._by_id[object_id]

    def __contains__(self, object_id: str) -> bool:
        return object_id in self._by_id

    def to_networkx(self) -> "nx.MultiDiGraph[str]":
        """Convert to a networkx graph: objects are nodes, relations are named edges.

        >>> man = SceneObject("1", "man", (0, 0, 9, 9), relations=(("wearing", "2"),))
        >>> graph = SceneGraph("7", 9, 9, (man, SceneObject("2", "hat", (0, 0, 5, 5))))
        >>> list(graph.to_networkx().edges(data="name"))
        [('1', '2', 'wearing')]
        """
        import networkx as nx  # slow to import, and reading graphs does not need it

        graph: nx.MultiDiGraph[str] = nx.MultiDiGraph(image_id=self.image_id, width=self.width, height=self.height)
        for thing in self.objects:
            graph.add_node(thing.id, name=thing.name, box=thing.box, attributes=thing.attributes)
        for thing in self.objects:
            for name, target_id in thing.relations:
                graph.add_edge(thing.id, target_id, name=name)
        return graph


@dataclass(frozen=True, slots=True)
class ObjectRecord:
    """An object as its file has it, and the reasons why it, or a part of it, cannot be used."""

    thing: SceneObject
    faults: tuple[str, ...] = ()
    """Reasons why the object cannot be used."""
    minor_faults: tuple[str, ...] = ()
    """Reasons that concern a part of it only."""


def make_graph(
    image_id: str, width: int, height: int, records: Iterable[ObjectRecord], problems: Iterable[Problem] = ()
) -> SceneGraph:
    """Build a graph of what can be used: boxes clipped to the image, no relations to objects that are not there."""
    all_problems = list(problems)
    certain: list[SceneObject] = []
    uncertain: list[SceneObject] = []
    for record in records:
        box = clip(record.thing.box, width, height)
        faults = record.faults or (() if box else (_empty_box_reason(record.thing.box),))
        location = _location(image_id, record.thing)
        all_problems += [Problem(reason, location) for reason in (*faults, *record.minor_faults)]
        if box and not faults:
            certain.append(replace(record.thing, box=box))
        else:
            uncertain.append(record.thing)
    certain_ids = {thing.id for thing in certain}
    all_ids = certain_ids | {thing.id for thing in uncertain}
    objects = []
    for thing in certain:
        relations = tuple(dict.fromkeys(relation for relation in thing.relations if relation[1] in certain_ids))
        all_problems += [
            Problem(DANGLING_RELATION, f"{_location(image_id, thing)}: {name} {target_id}")
            for name, target_id in thing.relations
            if target_id not in all_ids
        ]
        objects.append(thing if relations == thing.relations else replace(thing, relations=relations))
    if not objects and not uncertain:
        all_problems.append(Problem(NO_OBJECTS, f"image {image_id}"))
    return SceneGraph(image_id, width, height, tuple(objects), tuple(all_problems), tuple(uncertain))


def empty_graph(image_id: str, reason: str) -> SceneGraph:
    """Return the graph of an image whose record cannot be used."""
    return SceneGraph(image_id, 0, 0, (), (Problem(reason, f"image {image_id}"),))


def _location(image_id: str, thing: SceneObject) -> str:
    return f"image {image_id}, object {thing.id}" + (f" ({thing.name})" if thing.name else "")


def _empty_box_reason(box: Box) -> str:
    return OUTSIDE_IMAGE if box[2] > 0 and box[3] > 0 else NO_AREA


def clip(box: Box, width: int, height: int) -> Box | None:
    """Return the part of a box that lies in the image; None if there is none.

    >>> clip((-5, 10, 20, 20), 100, 20), clip((100, 0, 10, 10), 100, 20)
    ((0, 10, 15, 10), None)
    """
    left, top = max(0, box[0]), max(0, box[1])
    right, bottom = min(width, box[0] + box[2]), min(height, box[1] + box[3])
    return (left, top, right - left, bottom - top) if right > left and bottom > top else None


def parse_box(record: Any) -> tuple[Box, tuple[str, ...]]:
    """Parse left, top, width and height; without them, return an empty box and the reason.

    >>> parse_box({"x": 1, "y": 2.0, "w": 3, "h": 4}), parse_box({"x": 1})
    (((1, 2, 3, 4), ()), ((0, 0, 0, 0), ('an object without a box',)))
    """
    try:
        left, top, width, height = (int(record[side]) for side in "xywh")
    except (KeyError, TypeError, ValueError, OverflowError):
        return (0, 0, 0, 0), (NO_BOX,)
    if max(map(abs, (left, top, width, height))) > LONGEST_SIDE:
        return (0, 0, 0, 0), (NO_BOX,)
    return (left, top, width, height), ()


def is_size(width: Any, height: Any) -> bool:
    """Whether two values are the width and height of an image."""
    return all(type(side) is int and 0 < side <= LONGEST_SIDE for side in (width, height))


def parse_name(value: Any) -> tuple[str, tuple[str, ...]]:
    """Return a name in lower case with single spaces; if there is none, an empty one and the reason."""
    name = " ".join(value.split()).lower() if isinstance(value, str) and len(value) <= LONGEST_NAME else ""
    return intern(name), () if name else (NO_NAME,)


def parse_words(values: Any) -> tuple[str, ...]:
    """Return attributes in lower case, each once; values that are no text are left out."""
    entries = values if isinstance(values, list) else ()
    texts = (value for value in entries if isinstance(value, str) and len(value) <= LONGEST_NAME)
    words = (" ".join(text.split()).lower() for text in texts)
    return tuple(dict.fromkeys(intern(word) for word in words if word))
