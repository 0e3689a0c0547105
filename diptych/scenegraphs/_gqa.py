"""GQA's scene graphs: the official file is one JSON object of up to a gigabyte, with a member per image."""

from collections.abc import Iterable, Iterator
from sys import intern
from typing import Any

from diptych.scenegraphs._graph import (
    LONGEST_NAME,
    NO_SIZE,
    NOT_A_GRAPH,
    UNREADABLE_RELATION,
    ObjectRecord,
    SceneGraph,
    SceneObject,
    empty_graph,
    is_size,
    make_graph,
    parse_box,
    parse_name,
    parse_words,
)
from diptych.sources import SourceFile, members


def read_gqa(file: SourceFile) -> Iterator[SceneGraph]:
    """Stream the graphs of a file, in its order.

    To parse them elsewhere, in worker processes for instance, give what `members(file)` yields to `parse_graph`.
    """
    for image_id, record in members(file):
        yield parse_graph(image_id, record)


def parse_graph(image_id: str, record: Any) -> SceneGraph:
    """Parse one record of the file; if it is no scene graph, the graph is empty and has the problem."""
    objects = record.get("objects") if isinstance(record, dict) else None
    if not isinstance(objects, dict):
        return empty_graph(image_id, NOT_A_GRAPH)
    width, height = record.get("width"), record.get("height")
    if not is_size(width, height):
        return empty_graph(image_id, NO_SIZE)
    return make_graph(image_id, width, height, [_parse_object(key, value) for key, value in objects.items()])


def _parse_object(object_id: str, value: Any) -> ObjectRecord:
    record = value if isinstance(value, dict) else {}
    name, name_faults = parse_name(record.get("name"))
    box, box_faults = parse_box(record)
    entries = record.get("relations") or []
    entries = entries if isinstance(entries, list) else [entries]
    relations = tuple(_parse_relations(entries))
    relation_faults = (UNREADABLE_RELATION,) if len(relations) < len(entries) else ()
    thing = SceneObject(object_id, name, box, parse_words(record.get("attributes")), relations)
    return ObjectRecord(thing, (*name_faults, *box_faults), relation_faults)


def _parse_relations(entries: Iterable[Any]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        match entry:
            case {"name": str() as name, "object": str() | int() as target_id} if len(name) <= LONGEST_NAME:
                yield intern(name), str(target_id)
