"""Scene graphs from the official files: GQA's, with a member per image, and Visual Genome's.

Visual Genome's objects, attributes and relationships are in three files of up to a gigabyte, which list the same images
in the same order, so they are read in step, one image at a time; of `image_data.json` only the sizes are kept. A thing
that only the attributes or the relationships name is added to those that are listed, with the box that they give.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from pathlib import Path
from sys import intern
from typing import Any

from diptych.errors import BadInputError
from diptych.scenegraphs._graph import Box, Problem, SceneGraph, SceneObject, clip
from diptych.scenegraphs._names import Aliases, contradicts, parse_aliases
from diptych.scenegraphs._ontology import RELATION_WORDS
from diptych.sources import JsonRecords, SourceFile, find_file, require_file

LONGEST_SIDE = 1_000_000  # pixels of a side of an image or a box; a larger number cannot be one
LONGEST_NAME = 200  # characters of the name of an object, an attribute or a relation

NOT_A_GRAPH = "a record that is not a scene graph"
NO_OBJECTS = "a scene graph without objects"
NO_SIZE = "an image without width and height"
NO_NAME = "an object without a name"
NO_BOX = "an object without a box"
NO_AREA = "a box without area"
OUTSIDE_IMAGE = "a box outside the image"
DANGLING_RELATION = "a relation to an object that does not exist"
UNREADABLE_RELATION = "a relation that cannot be read"
OTHER_SENSE = "a synset that means another thing than the name does"

VG_FILES = ("image_data.json", "objects.json", "attributes.json", "relationships.json")
_IMAGES, _OBJECTS, _ATTRIBUTES, _RELATIONSHIPS = VG_FILES
Relations = list[tuple[str, str]]  # each relation and the id of the object that it leads to
Words = dict[str, tuple[str, ...]]  # the attributes of each object by its id
_NO_BOX = (0, 0, 0, 0)
_ALIASES = ("object_alias.txt", "relationship_alias.txt")
_AMERICAN = {"grey": "gray"}
_Record = tuple[SceneObject, list[str], list[str]]
"""An object as its file has it, the reasons why it cannot be used, and those that concern a part of it only."""


def parse_graph(image_id: str, record: Any) -> SceneGraph:
    """Parse one record of the file; if it is not a scene graph, the graph is empty and has the problem."""
    objects = record.get("objects") if isinstance(record, dict) else None
    if not isinstance(objects, dict):
        return _empty_graph(image_id, NOT_A_GRAPH)
    width, height = record.get("width"), record.get("height")
    if not _is_size(width, height):
        return _empty_graph(image_id, NO_SIZE)
    return _make_graph(image_id, width, height, [_parse_gqa_object(key, value) for key, value in objects.items()])


def _parse_gqa_object(object_id: str, value: Any) -> _Record:
    record = value if isinstance(value, dict) else {}
    entries = record.get("relations") or []
    entries = entries if isinstance(entries, list) else [entries]
    relations = tuple(_parse_gqa_relations(entries))
    name, box, attributes = _clean(record.get("name")), _parse_box(record), _parse_words(record.get("attributes"))
    thing = SceneObject(object_id, name, box or _NO_BOX, attributes, relations)
    return thing, _find_faults(name, box), [UNREADABLE_RELATION] if len(relations) < len(entries) else []


def _parse_gqa_relations(entries: Iterable[Any]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        match entry:
            case {"name": str() as name, "object": str() | int() as target_id} if len(name) <= LONGEST_NAME:
                yield intern(name), str(target_id)


def has_vg(data: Path) -> bool:
    """Whether all four files exist."""
    return all(find_file(data, "vg", name) for name in VG_FILES)


def vg_files(data: Path) -> dict[str, SourceFile]:
    """The official files by name, with the alias files that exist; a missing one is an error."""
    files = {name: require_file(data, "vg", name) for name in VG_FILES}
    return files | {name: file for name in _ALIASES if (file := find_file(data, "vg", name))}


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
                ids = f"image {other_id or '(none)'} where objects.json has image {image_id or '(none)'}"
                raise BadInputError(f"{files[name].where}: {ids}; use files of the same release")
        lists = zip(records, ("objects", "attributes", "relationships"), strict=True)
        yield VgImage(image_id, sizes.get(image_id), *(record.get(name) for record, name in lists))


def _read_sizes(file: SourceFile) -> dict[str, tuple[int, int]]:
    sizes: dict[str, tuple[int, int]] = {}
    shared: dict[tuple[int, int], tuple[int, int]] = {}  # many images have the same size: less memory
    for record in JsonRecords(file):
        match record:
            case {"width": width, "height": height} if _is_size(width, height):
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


def parse_vg_image(image: VgImage, aliases: Aliases) -> SceneGraph:
    """Parse the records of one image; if they are not a scene graph, the graph is empty and has the problem."""
    if not all(isinstance(part, list) for part in (image.objects, image.attributes, image.relationships)):
        return _empty_graph(image.image_id, NOT_A_GRAPH)
    if image.size is None:
        return _empty_graph(image.image_id, NO_SIZE)
    merged = ((_get(record, "merged_object_ids"), _get(record)) for record in image.objects)
    # The ids of boxes that were merged into another one, to the id of that one.
    merged_into = {str(part): str(whole) for parts, whole in merged if isinstance(parts, list) for part in parts}
    attributes = _parse_attributes(image.attributes, merged_into)
    relations, problems = _parse_relations(image, merged_into, aliases)
    listed = {str(_get(record)) for record in image.objects} | merged_into.keys()
    all_records = chain(image.objects, _unlisted_objects(image, listed))
    records = [_parse_object(record, attributes, relations, aliases) for record in all_records]
    object_ids = {thing.id for thing, _, _ in records}
    problems += [
        Problem(DANGLING_RELATION, f"image {image.image_id}, object {subject} ({name} {target_id})")
        for subject, targets in relations.items()
        if subject not in object_ids
        for name, target_id in targets
    ]
    return _make_graph(image.image_id, *image.size, records, problems)


def _unlisted_objects(image: VgImage, listed: set[str]) -> Iterator[dict[str, Any]]:
    """The objects that only the attributes or the relationships of an image name, as `objects.json` would list them."""
    ends = (_get(record, side) for record in image.relationships for side in ("subject", "object"))
    for record in chain(image.attributes, ends):
        object_id, names = str(_get(record)), _get(record, "names") or [_get(record, "name")]
        if object_id and object_id not in listed and isinstance(names, list) and _clean(names[0]):
            listed.add(object_id)
            yield record | {"names": names}


def _get(record: Any, key: str = "object_id") -> Any:
    return record.get(key, "") if isinstance(record, dict) else ""


def _parse_attributes(records: list[Any], merged_into: Mapping[str, str]) -> Words:
    attributes: dict[str, tuple[str, ...]] = {}
    for record in records:
        object_id = str(_get(record))
        object_id = merged_into.get(object_id, object_id)
        words = (_AMERICAN.get(word, word) for word in _parse_words(_get(record, "attributes")))
        attributes[object_id] = tuple(dict.fromkeys((*attributes.get(object_id, ()), *words)))
    return attributes


def _parse_relations(
    image: VgImage, merged_into: Mapping[str, str], aliases: Aliases
) -> tuple[dict[str, Relations], list[Problem]]:
    """The relations by their subject, and those that cannot be read."""
    relations: dict[str, Relations] = {}
    problems = []
    for record in image.relationships:
        match record:
            case {
                "predicate": str() as predicate,
                "subject": {"object_id": str() | int() as subject},
                "object": {"object_id": str() | int() as target},
            } if len(predicate) <= LONGEST_NAME:
                name = _clean(predicate)
                name = name if name in RELATION_WORDS else intern(aliases.relations.get(name, name))
                subject_id, target_id = (merged_into.get(str(end), str(end)) for end in (subject, target))
                relations.setdefault(subject_id, []).append((name, target_id))
            case _:
                label = _get(record, "relationship_id") or "(no id)"
                problems.append(Problem(UNREADABLE_RELATION, f"image {image.image_id}, relationship {label}"))
    return relations, problems


def _parse_object(value: Any, attributes: Words, relations: Mapping[str, Relations], aliases: Aliases) -> _Record:
    record = value if isinstance(value, dict) else {}
    object_id, box = str(_get(record)), _parse_box(record)
    names, senses = record.get("names"), record.get("synsets")
    name, sense = (_clean(values[0]) if isinstance(values, list) and values else "" for values in (names, senses))
    name = intern(aliases.object_name(name, sense)) if name else ""
    is_other_sense = contradicts(name, sense)
    thing_relations = tuple(dict.fromkeys(relations.get(object_id, ())))
    sense = sense if is_other_sense else ""
    thing = SceneObject(object_id, name, box or _NO_BOX, attributes.get(object_id, ()), thing_relations, sense)
    return thing, _find_faults(name, box) + [OTHER_SENSE] * is_other_sense, []


def _make_graph(
    image_id: str, width: int, height: int, records: Iterable[_Record], problems: Iterable[Problem] = ()
) -> SceneGraph:
    """Build a graph of what can be used: boxes clipped to the image, no relations to objects that are not there."""
    all_problems = list(problems)
    certain: list[SceneObject] = []
    uncertain: list[SceneObject] = []
    for thing, record_faults, minor_faults in records:
        box, has_area = clip(thing.box, width, height), thing.box[2] > 0 and thing.box[3] > 0
        faults = record_faults or ([] if box else [OUTSIDE_IMAGE if has_area else NO_AREA])
        all_problems += [Problem(reason, _location(image_id, thing)) for reason in (*faults, *minor_faults)]
        if box and not faults:
            certain.append(replace(thing, box=box))
        else:
            uncertain.append(thing)
    certain_ids = {thing.id for thing in certain}
    all_ids = certain_ids | {thing.id for thing in uncertain}
    objects = []
    for thing in certain:
        relations = tuple(dict.fromkeys(relation for relation in thing.relations if relation[1] in certain_ids))
        objects.append(thing if relations == thing.relations else replace(thing, relations=relations))
        dangling = (" ".join(relation) for relation in thing.relations if relation[1] not in all_ids)
        all_problems += [Problem(DANGLING_RELATION, f"{_location(image_id, thing)}: {text}") for text in dangling]
    if not objects and not uncertain:
        all_problems.append(Problem(NO_OBJECTS, f"image {image_id}"))
    return SceneGraph(image_id, width, height, tuple(objects), tuple(all_problems), tuple(uncertain))


def _empty_graph(image_id: str, reason: str) -> SceneGraph:
    """Return the graph of an image whose record cannot be used."""
    return SceneGraph(image_id, 0, 0, (), (Problem(reason, f"image {image_id}"),))


def _location(image_id: str, thing: SceneObject) -> str:
    return f"image {image_id}, object {thing.id}" + (f" ({thing.name})" if thing.name else "")


def _parse_box(record: Any) -> Box | None:
    """Parse left, top, width and height; None without them."""
    try:
        left, top, width, height = (int(record[side]) for side in "xywh")
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return (left, top, width, height) if max(map(abs, (left, top, width, height))) <= LONGEST_SIDE else None


def _find_faults(name: str, box: Box | None) -> list[str]:
    return [NO_NAME] * (not name) + [NO_BOX] * (box is None)


def _is_size(width: Any, height: Any) -> bool:
    """Whether two values are the width and height of an image."""
    return all(type(side) is int and 0 < side <= LONGEST_SIDE for side in (width, height))


def _clean(value: Any) -> str:
    """Return a name in lower case with single spaces; empty for what is none."""
    return intern(" ".join(value.split()).lower()) if isinstance(value, str) and len(value) <= LONGEST_NAME else ""


def _parse_words(values: Any) -> tuple[str, ...]:
    """Return attributes in lower case, each once; values that are no text are left out."""
    return tuple(dict.fromkeys(filter(None, map(_clean, values if isinstance(values, list) else ()))))
