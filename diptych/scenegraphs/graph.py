"""A scene graph: the things of one image with their boxes, attributes and relations."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import networkx as nx

Box = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""


@dataclass(frozen=True, slots=True)
class SceneObject:
    """One thing of an image."""

    id: str
    name: str
    box: Box
    attributes: tuple[str, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()
    """How it stands to others: the relation and the other's id."""


@dataclass(frozen=True, slots=True)
class SceneGraph:
    """What is known of one image."""

    image_id: str
    width: int
    height: int
    objects: tuple[SceneObject, ...]
    problems: tuple[str, ...] = ()
    """What could not be used and why, each with the object's id."""
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


def make_graph(image_id: str, width: Any, height: Any, objects: Iterable[SceneObject | str]) -> SceneGraph:
    """A graph of what can be used: boxes clipped to the image, relations to things that are not there left out."""
    problems = [entry for entry in objects if isinstance(entry, str)]
    clipped = [(entry, clip(entry.box, width, height)) for entry in objects if isinstance(entry, SceneObject)]
    problems += [
        f"object {thing.id} ({thing.name}): its box lies outside the image" for thing, box in clipped if not box
    ]
    known = {thing.id for thing, box in clipped if box}
    kept = []
    for thing, box in clipped:
        if box:
            relations = tuple(relation for relation in thing.relations if relation[1] in known)
            missing = len(thing.relations) - len(relations)
            if missing:
                problems.append(f"object {thing.id} ({thing.name}): {missing} relations to objects that are not there")
            kept.append(SceneObject(thing.id, thing.name, box, thing.attributes, relations))
    return SceneGraph(image_id, width, height, tuple(kept), tuple(problems))


def clip(box: Box, width: int, height: int) -> Box | None:
    """The part of a box that lies in the image; None where nothing of it does.

    >>> clip((-5, 10, 20, 20), 100, 20), clip((100, 0, 10, 10), 100, 20)
    ((0, 10, 15, 10), None)
    """
    left, top = max(0, box[0]), max(0, box[1])
    right, bottom = min(width, box[0] + box[2]), min(height, box[1] + box[3])
    return (left, top, right - left, bottom - top) if right > left and bottom > top else None
