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
from diptych.scenegraphs._graph import (
    DANGLING_RELATION,
    LONGEST_NAME,
    NO_SIZE,
    NOT_A_GRAPH,
    OTHER_SENSE,
    UNREADABLE_RELATION,
    ObjectRecord,
    Problem,
    SceneGraph,
    SceneObject,
    empty_graph,
    is_size,
    make_graph,
    parse_box,
    parse_name,
    parse_words,
)
from diptych.scenegraphs._names import Aliases, contradicts, parse_aliases
from diptych.sources import JsonRecords, SourceFile, find_file, require_file

_IMAGES, _OBJECTS, _ATTRIBUTES, _RELATIONSHIPS = VG_FILES = (
    "image_data.json",
    "objects.json",
    "attributes.json",
    "relationships.json",
)
_ALIASES = ("object_alias.txt", "relationship_alias.txt")
_AMERICAN = {"grey": "gray"}


def has_vg(data: Path) -> bool:
    """Whether all four files exist."""
    return all(find_file(data, "vg", name) for name in VG_FILES)


def vg_files(data: Path) -> dict[str, SourceFile]:
    """The official files by name, with the alias files that exist; a missing one is an error."""
    files = {name: require_file(data, "vg", name) for name in VG_FILES}
    aliases = {name: find_file(data, "vg", name) for name in _ALIASES}
    return files | {name: file for name, file in aliases.items() if file is not None}


@dataclass(frozen=True, slots=True)
class VgImage:
    """The unparsed records of one image; `size` is its width and height, None where they are not known."""

    image_id: str
    size: tuple[int, int] | None
    objects: Any
    attributes: Any
    relationships: Any


def read_images(files: Mapping[str, SourceFile]) -> Iterator[VgImage]:
    """Stream the images in the order of `objects.json`; files that are out of step are refused."""
    sizes = _read_sizes(files[_IMAGES])
    streams = [JsonRecords(files[name]) for name in (_OBJECTS, _ATTRIBUTES, _RELATIONSHIPS)]
    for records in zip_longest(*streams):
        image_id, *other_ids = (_image_id(record) for record in records)
        for name, other_id in zip((_ATTRIBUTES, _RELATIONSHIPS), other_ids, strict=True):
            if other_id != image_id or not other_id:
                raise BadInputError(
                    f"{files[name].where}: image {other_id or '(none)'} where objects.json has image "
                    f"{image_id or '(none)'}; take all files from one release"
                )
        lists = zip(records, ("objects", "attributes", "relationships"), strict=True)
        yield VgImage(image_id, sizes.get(image_id), *(record.get(name) for record, name in lists))


def _read_sizes(file: SourceFile) -> dict[str, tuple[int, int]]:
    sizes: dict[str, tuple[int, int]] = {}
    shared: dict[tuple[int, int], tuple[int, int]] = {}  # many images have the same size: less memory
    for record in JsonRecords(file):
        match record:
            case {"width": width, "height": height} if is_size(width, height):
                sizes[_image_id(record)] = shared.setdefault((width, height), (width, height))
    return sizes


def _image_id(record: Any) -> str:
    image_id = record.get("image_id", record.get("id")) if isinstance(record, dict) else None
    return str(image_id) if isinstance(image_id, int | str) else ""


def read_aliases(files: Mapping[str, SourceFile]) -> Aliases:
    """Read the official aliases of objects and of relations, as far as their files exist."""
    texts = []
    for name in _ALIASES:
        try:
            texts.append(files[name].read_bytes().decode() if name in files else "")
        except UnicodeDecodeError:
            raise BadInputError(f"{files[name].where}: not the official alias file: it is not UTF-8") from None
    return Aliases(*(parse_aliases(text.splitlines()) for text in texts))


def read_vg(data: Path) -> Iterator[SceneGraph]:
    """Stream the graphs of the images, in the files' order.

    To parse them elsewhere, in worker processes for instance, give what `read_images` yields to `parse_vg_image`.
    """
    files = vg_files(data)
    aliases = read_aliases(files)
    for image in read_images(files):
        yield parse_vg_image(image, aliases)


def parse_vg_image(image: VgImage, aliases: Aliases) -> SceneGraph:
    """Parse the records of one image; if they are no scene graph, the graph is empty and has the problem."""
    if not all(isinstance(part, list) for part in (image.objects, image.attributes, image.relationships)):
        return empty_graph(image.image_id, NOT_A_GRAPH)
    if image.size is None:
        return empty_graph(image.image_id, NO_SIZE)
    merged_into = _merged_ids(image.objects)
    attributes = _parse_attributes(image.attributes, merged_into)
    relations, problems = _parse_relations(image, merged_into, aliases)
    records = [_parse_object(record, attributes, relations, aliases) for record in image.objects]
    object_ids = {record.thing.id for record in records}
    problems += [
        Problem(DANGLING_RELATION, f"image {image.image_id}, object {subject} ({name} {target_id})")
        for subject, targets in relations.items()
        if subject not in object_ids
        for name, target_id in targets
    ]
    return make_graph(image.image_id, *image.size, records, problems)


def _id(record: Any, key: str = "object_id") -> Any:
    return record.get(key, "") if isinstance(record, dict) else ""


def _merged_ids(objects: list[Any]) -> dict[str, str]:
    """Ids of boxes that were merged into another one, to the id of that one."""
    merged_into: dict[str, str] = {}
    for record in objects:
        merged_ids = record.get("merged_object_ids") if isinstance(record, dict) else None
        for merged_id in merged_ids if isinstance(merged_ids, list) else ():
            merged_into[str(merged_id)] = str(_id(record))
    return merged_into


def _parse_attributes(records: list[Any], merged_into: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    attributes: dict[str, tuple[str, ...]] = {}
    for record in records:
        object_id = str(_id(record))
        object_id = merged_into.get(object_id, object_id)
        words = parse_words(record.get("attributes")) if isinstance(record, dict) else ()
        words = tuple(_AMERICAN.get(word, word) for word in words)
        attributes[object_id] = tuple(dict.fromkeys((*attributes.get(object_id, ()), *words)))
    return attributes


def _parse_relations(
    image: VgImage, merged_into: Mapping[str, str], aliases: Aliases
) -> tuple[dict[str, list[tuple[str, str]]], list[Problem]]:
    """The relations by their subject, and those that cannot be read."""
    relations: dict[str, list[tuple[str, str]]] = {}
    problems = []
    for record in image.relationships:
        match record:
            case {
                "predicate": str() as predicate,
                "subject": {"object_id": str() | int() as subject},
                "object": {"object_id": str() | int() as target},
            } if len(predicate) <= LONGEST_NAME:
                name = intern(aliases.relation_name(" ".join(predicate.split()).lower()))
                subject_id, target_id = (merged_into.get(str(end), str(end)) for end in (subject, target))
                relations.setdefault(subject_id, []).append((name, target_id))
            case _:
                label = _id(record, "relationship_id") or "(no id)"
                problems.append(Problem(UNREADABLE_RELATION, f"image {image.image_id}, relationship {label}"))
    return relations, problems


def _parse_object(
    value: Any,
    attributes: Mapping[str, tuple[str, ...]],
    relations: Mapping[str, list[tuple[str, str]]],
    aliases: Aliases,
) -> ObjectRecord:
    record = value if isinstance(value, dict) else {}
    object_id = str(_id(record))
    annotated_name, name_faults = parse_name(_first(record.get("names")))
    sense, _ = parse_name(_first(record.get("synsets")))
    box, box_faults = parse_box(record)
    name = intern(aliases.object_name(annotated_name, sense)) if annotated_name else ""
    is_other_sense = contradicts(name, sense)
    thing = SceneObject(
        object_id,
        name,
        box,
        attributes.get(object_id, ()),
        tuple(dict.fromkeys(relations.get(object_id, ()))),
        sense if is_other_sense else "",
    )
    return ObjectRecord(thing, (*name_faults, *box_faults, *((OTHER_SENSE,) if is_other_sense else ())))


def _first(values: Any) -> Any:
    return values[0] if isinstance(values, list) and values else None
