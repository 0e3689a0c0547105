"""A scene graph: the things of one image with their boxes, attributes and relations."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import networkx as nx

Box = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""

NOT_A_GRAPH = "a record that is no scene graph"
NO_OBJECTS = "a scene graph without objects"
NO_SIZE = "an image without width and height"
NO_NAME = "an object without a name"
NO_BOX = "an object without a box"
NO_AREA = "a box without area"
OUTSIDE = "a box outside the image"
DANGLING = "a relation to an object that is not there"
NO_RELATION = "a relation that cannot be read"
OTHER_SENSE = "a synset that means another thing than the name does"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file of scene graphs that could not be used: why, and where it is."""

    reason: str
    where: str


@dataclass(frozen=True, slots=True)
class SceneObject:
    """One thing of an image."""

    id: str
    name: str
    box: Box
    attributes: tuple[str, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()
    """How it stands to others: the relation and the other's id."""
    sense: str = ""
    """The synset its file gives it, where that means another thing than the name does."""


@dataclass(frozen=True, slots=True)
class SceneGraph:
    """What is known of one image."""

    image_id: str
    width: int
    height: int
    objects: tuple[SceneObject, ...]
    problems: tuple[Problem, ...] = ()
    """What could not be used and why, each with the ids of its image and object."""
    unsure: tuple[SceneObject, ...] = ()
    """Things that may be there and may be something else: nobody asks about them, and they keep others from being
    called absent or the only one."""
    _by_id: dict[str, SceneObject] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_id", {thing.id: thing for thing in self.objects})

    def __getitem__(self, object_id: str) -> SceneObject:
        return self._by_id[object_id]

    def __contains__(self, object_id: str) -> bool:
        return object_id in self._by_id

    def to_networkx(self) -> "nx.MultiDiGraph[str]":
        """The graph as networkx knows it: things are nodes, relations are named edges.

        >>> man = SceneObject("1", "man", (0, 0, 9, 9), relations=(("wearing", "2"),))
        >>> graph = SceneGraph("7", 9, 9, (man, SceneObject("2", "hat", (0, 0, 5, 5))))
        >>> list(graph.to_networkx().edges(data="name"))
        [('1', '2', 'wearing')]
        """
        graph: nx.MultiDiGraph[str] = nx.MultiDiGraph(image_id=self.image_id, width=self.width, height=self.height)
        for thing in self.objects:
            graph.add_node(thing.id, name=thing.name, box=thing.box, attributes=thing.attributes)
        for thing in self.objects:
            for name, other in thing.relations:
                graph.add_edge(thing.id, other, name=name)
        return graph


@dataclass(frozen=True, slots=True)
class Entry:
    """An object as its file has it, and what is wrong with it: nothing, one reason, or several."""

    thing: SceneObject
    wrong: tuple[str, ...] = ()
    minor: tuple[str, ...] = ()
    """What is wrong with it and does not keep it from being used."""


def make_graph(
    image_id: str, width: int, height: int, entries: Iterable[Entry], others: Iterable[Problem] = ()
) -> SceneGraph:
    """A graph of what can be used: boxes clipped to the image, relations to things that are not there left out."""
    problems = list(others)
    sure: list[SceneObject] = []
    unsure: list[SceneObject] = []
    for entry in entries:
        box = clip(entry.thing.box, width, height)
        wrong = entry.wrong or (() if box else (_without_pixels(entry.thing.box),))
        problems += [Problem(reason, _where(image_id, entry.thing)) for reason in (*wrong, *entry.minor)]
        if box and not wrong:
            sure.append(replace(entry.thing, box=box))
        else:
            unsure.append(entry.thing)
    known = {thing.id for thing in sure}
    listed = known | {thing.id for thing in unsure}
    kept = []
    for thing in sure:
        relations = tuple(dict.fromkeys(relation for relation in thing.relations if relation[1] in known))
        problems += [
            Problem(DANGLING, f"{_where(image_id, thing)}: {name} {other}")
            for name, other in thing.relations
            if other not in listed
        ]
        kept.append(thing if relations == thing.relations else replace(thing, relations=relations))
    if not kept and not unsure:
        problems.append(Problem(NO_OBJECTS, f"image {image_id}"))
    return SceneGraph(image_id, width, height, tuple(kept), tuple(problems), tuple(unsure))


def unreadable(image_id: str, reason: str = NOT_A_GRAPH) -> SceneGraph:
    """What is known of an image whose record cannot be used: nothing."""
    return SceneGraph(image_id, 0, 0, (), (Problem(reason, f"image {image_id}"),))


def _where(image_id: str, thing: SceneObject) -> str:
    return f"image {image_id}, object {thing.id}" + (f" ({thing.name})" if thing.name else "")


def _without_pixels(box: Box) -> str:
    return OUTSIDE if box[2] > 0 and box[3] > 0 else NO_AREA


def clip(box: Box, width: int, height: int) -> Box | None:
    """The part of a box that lies in the image; None where nothing of it does.

    >>> clip((-5, 10, 20, 20), 100, 20), clip((100, 0, 10, 10), 100, 20)
    ((0, 10, 15, 10), None)
    """
    left, top = max(0, box[0]), max(0, box[1])
    right, bottom = min(width, box[0] + box[2]), min(height, box[1] + box[3])
    return (left, top, right - left, bottom - top) if right > left and bottom > top else None
