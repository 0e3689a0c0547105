"""Visual Genome's objects, attributes and relationships, read side by side into scene graphs.

The three files are up to a gigabyte each and list the same images in the same order, so they are read in step, one
image at a time; of `image_data.json` only the sizes are kept.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from sys import intern
from typing import Any

from diptych.errors import BadInputError
from diptych.scenegraphs.entries import read_box, read_name, read_words
from diptych.scenegraphs.graph import (
    DANGLING,
    NO_RELATION,
    NO_SIZE,
    OTHER_SENSE,
    Entry,
    Problem,
    SceneGraph,
    SceneObject,
    make_graph,
    unreadable,
)
from diptych.scenegraphs.naming import Naming, aliases, contradicts
from diptych.sources import SourceFile, find_file, require_file
from diptych.sources.records import JsonRecords

IMAGES, OBJECTS, ATTRIBUTES, RELATIONSHIPS = FILES = (
    "image_data.json",
    "objects.json",
    "attributes.json",
    "relationships.json",
)
ALIASES = ("object_alias.txt", "relationship_alias.txt")
_SPELLED = {"grey": "gray"}


def has_vg(data: Path) -> bool:
    """Whether all four files are there."""
    return all(find_file(data, "vg", name) for name in FILES)


def vg_files(data: Path) -> dict[str, SourceFile]:
    """The official files by name, with the alias files that are there; a missing one is an error."""
    found = {name: require_file(data, "vg", name) for name in FILES}
    given = {name: find_file(data, "vg", name) for name in ALIASES}
    return found | {name: file for name, file in given.items() if file is not None}


@dataclass(frozen=True, slots=True)
class VgImage:
    """What the three files have about one image, as they have it."""

    image_id: str
    objects: Any
    attributes: Any
    relationships: Any


def read_images(files: Mapping[str, SourceFile]) -> Iterator[VgImage]:
    """The images in the order of `objects.json`; files that are out of step are refused."""
    streams = [iter(JsonRecords(files[name])) for name in (OBJECTS, ATTRIBUTES, RELATIONSHIPS)]
    for records in zip_longest(*streams):
        described, attributed, related = records
        ids = [_image_id(record) for record in records]
        for name, image_id in zip((ATTRIBUTES, RELATIONSHIPS), ids[1:], strict=True):
            if image_id != ids[0] or not image_id:
                raise BadInputError(
                    f"{files[name].where}: image {image_id or '(none)'} where objects.json has image "
                    f"{ids[0] or '(none)'}; take all files from one release"
                )
        yield VgImage(ids[0], described.get("objects"), attributed.get("attributes"), related.get("relationships"))


def _image_id(record: Any) -> str:
    image_id = record.get("image_id", record.get("id")) if isinstance(record, dict) else None
    return str(image_id) if isinstance(image_id, int | str) else ""


def read_aliases(files: Mapping[str, SourceFile]) -> tuple[dict[str, str], dict[str, str]]:
    """The official other names of things and of relations, as far as their files are there."""
    read = []
    for name in ALIASES:
        try:
            text = files[name].read_bytes().decode() if name in files else ""
        except UnicodeDecodeError:
            raise BadInputError(f"{files[name].where}: not the official alias file: it is not UTF-8") from None
        read.append(aliases(text.splitlines()))
    return read[0], read[1]


def read_vg(data: Path) -> Iterator[SceneGraph]:
    """The graphs of the images, in the files' order; one whose records cannot be used is empty and says so."""
    files = vg_files(data)
    naming = Naming(*read_aliases(files))
    sizes = _sizes(files[IMAGES])
    for image in read_images(files):
        yield vg_graph(image, sizes.get(image.image_id), naming)


def _sizes(file: SourceFile) -> dict[str, tuple[int, int]]:
    sizes = {}
    for record in JsonRecords(file):
        match record:
            case {"width": int() as width, "height": int() as height} if width > 0 and height > 0:
                sizes[_image_id(record)] = (width, height)
    return sizes


def vg_graph(image: VgImage, size: tuple[int, int] | None, naming: Naming) -> SceneGraph:
    """One image's records as a graph."""
    listed = (image.objects, image.attributes, image.relationships)
    if not all(isinstance(part, list) for part in listed):
        return unreadable(image.image_id)
    if size is None:
        return unreadable(image.image_id, NO_SIZE)
    merged = _merged(image.objects)
    attributes = _attributes(image.attributes, merged)
    relations, problems = _relations(image, merged, naming)
    entries = [_entry(record, attributes, relations, naming) for record in image.objects]
    listed_ids = {entry.thing.id for entry in entries}
    problems += [
        Problem(DANGLING, f"image {image.image_id}, object {subject} ({name} {other})")
        for subject, of in relations.items()
        if subject not in listed_ids
        for name, other in of
    ]
    return make_graph(image.image_id, *size, entries, problems)


def _id(record: Any, key: str = "object_id") -> Any:
    return record.get(key, "") if isinstance(record, dict) else ""


def _merged(objects: list[Any]) -> dict[str, str]:
    """Ids of boxes that were merged into another to the id of that one."""
    found: dict[str, str] = {}
    for record in objects:
        others = record.get("merged_object_ids") if isinstance(record, dict) else None
        found |= {str(other): str(_id(record)) for other in (others if isinstance(others, list) else ())}
    return found


def _attributes(records: list[Any], merged: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for record in records:
        said = str(_id(record))
        words = read_words(record.get("attributes")) if isinstance(record, dict) else ()
        words = tuple(_SPELLED.get(word, word) for word in words)
        object_id = merged.get(said, said)
        found[object_id] = tuple(dict.fromkeys((*found.get(object_id, ()), *words)))
    return found


def _relations(
    image: VgImage, merged: Mapping[str, str], naming: Naming
) -> tuple[dict[str, list[tuple[str, str]]], list[Problem]]:
    """The relations by their subject, and those that cannot be read."""
    found: dict[str, list[tuple[str, str]]] = {}
    problems = []
    for record in image.relationships:
        match record:
            case {
                "predicate": str() as predicate,
                "subject": {"object_id": str() | int() as subject},
                "object": {"object_id": str() | int() as other},
            }:
                name = intern(naming.relation(" ".join(predicate.split()).lower()))
                one, two = merged.get(str(subject), str(subject)), merged.get(str(other), str(other))
                found.setdefault(one, []).append((name, two))
            case _:
                label = _id(record, "relationship_id") or "(no id)"
                problems.append(Problem(NO_RELATION, f"image {image.image_id}, relationship {label}"))
    return found, problems


def _entry(
    record: Any,
    attributes: Mapping[str, tuple[str, ...]],
    relations: Mapping[str, list[tuple[str, str]]],
    naming: Naming,
) -> Entry:
    of = record if isinstance(record, dict) else {}
    object_id = str(_id(record))
    said, nameless = read_name(_first(of.get("names")))
    sense, _ = read_name(_first(of.get("synsets")))
    box, boxless = read_box(of)
    name = intern(naming.name(said, sense)) if said else ""
    other = contradicts(name, sense)
    thing = SceneObject(
        object_id,
        name,
        box,
        attributes.get(object_id, ()),
        tuple(dict.fromkeys(relations.get(object_id, ()))),
        sense if other else "",
    )
    wrong = (*nameless, *boxless, *((OTHER_SENSE,) if other else ()))
    return Entry(thing, wrong)


def _first(listed: Any) -> Any:
    return listed[0] if isinstance(listed, list) and listed else None
