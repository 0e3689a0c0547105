"""A scene graph: the objects of one image with their boxes, attributes and relations."""

from dataclasses import dataclass, field

from diptych.scenegraphs._ontology import base_name, ontology

Box = tuple[int, int, int, int]  # left, top, width and height in pixels


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
    relations: tuple[tuple[str, str], ...] = ()  # each relation and the id of the object that it leads to
    sense: str = ""  # the synset in its file, where that means another thing than the name does


@dataclass(frozen=True, slots=True)
class SceneGraph:
    """The annotations of one image."""

    image_id: str
    width: int
    height: int
    objects: tuple[SceneObject, ...]
    problems: tuple[Problem, ...] = ()  # what could not be used and why, each with the ids of its image and object
    uncertain_objects: tuple[SceneObject, ...] = ()
    """Objects that may be there and may be something else: no question is about them, and they keep others from being
    called absent or the only one."""
    _by_id: dict[str, SceneObject] = field(init=False, repr=False, compare=False)
    _nouns: frozenset[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_id", {thing.id: thing for thing in self.objects})
        object.__setattr__(self, "_nouns", None)

    @property
    def nouns(self) -> frozenset[str]:
        """The base names of all that is annotated, certain or not; an empty one for what no table knows."""
        if self._nouns is None:
            names = {thing.name for part in (self.objects, self.uncertain_objects) for thing in part}
            nouns = frozenset(base_name(name) if ontology().knows(name) else "" for name in names)
            object.__setattr__(self, "_nouns", nouns)
            return nouns
        return self._nouns

    def __getitem__(self, object_id: str) -> SceneObject:
        return self._by_id[object_id]

    def __contains__(self, object_id: str) -> bool:
        return object_id in self._by_id


def clip(box: Box, width: int, height: int) -> Box | None:
    """Return the part of a box that lies in the image; None if there is none."""
    left, top = max(0, box[0]), max(0, box[1])
    right, bottom = min(width, box[0] + box[2]), min(height, box[1] + box[3])
    return (left, top, right - left, bottom - top) if right > left and bottom > top else None
