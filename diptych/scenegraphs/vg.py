"""Visual Genome's objects, attributes and relationships, read side by side into scene graphs."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from diptych.errors import BadInputError
from diptych.scenegraphs.graph import SceneGraph, SceneObject, make_graph
from diptych.sources import SourceFile, find_file
from diptych.sources.records import JsonRecords

FILES = ("image_data.json", "attributes.json", "relationships.json")


def vg_files(data: Path) -> dict[str, SourceFile]:
    """The official files that are there, by name."""
    found = {name: find_file(data, "vg", name) for name in FILES}
    return {name: file for name, file in found.items() if file is not None}


def aliases(lines: Iterable[str]) -> dict[str, str]:
    """An official alias file: every name on a line is called by the first.

    >>> aliases(["bike,bikes", "man,guy"])["guy"]
    'man'
    """
    found: dict[str, str] = {}
    for line in lines:
        first, *others = [name.strip() for name in line.split(",") if name.strip()] or [""]
        found |= {other: first for other in others if other not in found}
    return found


def read_vg(data: Path, names: Mapping[str, str] | None = None) -> Iterator[SceneGraph]:
    """The graphs of the images, in the order of `attributes.json`; names go through the aliases, if any are given."""
    files = vg_files(data)
    missing = [name for name in FILES if name not in files]
    if missing:
        raise BadInputError(f"{data / 'vg'}: {', '.join(missing)} not there; `diptych sources` says where to get them")
    sizes = {record["image_id"]: (record["width"], record["height"]) for record in JsonRecords(files[FILES[0]])}
    both = zip(JsonRecords(files[FILES[1]]), JsonRecords(files[FILES[2]]), strict=False)
    for described, related in both:
        if described.get("image_id") != related.get("image_id"):
            raise BadInputError(
                f"{files[FILES[2]].where}: image {related.get('image_id')} is out of step with attributes"
            )
        yield vg_graph(described, related, sizes, names or {})


def vg_graph(
    described: Mapping[str, Any],
    related: Mapping[str, Any],
    sizes: Mapping[int, tuple[int, int]],
    names: Mapping[str, str],
) -> SceneGraph:
    """One image's records as a graph."""
    relations: dict[str, list[tuple[str, str]]] = {}
    for relation in related["relationships"]:
        subject, other = str(relation["subject"]["object_id"]), str(relation["object"]["object_id"])
        relations.setdefault(subject, []).append((relation["predicate"].strip().lower(), other))
    width, height = sizes.get(described["image_id"], (0, 0))
    objects = [_vg_object(record, relations, names) for record in described["attributes"]]
    return make_graph(str(described["image_id"]), width, height, objects)


def _vg_object(
    record: Mapping[str, Any], relations: Mapping[str, list[tuple[str, str]]], names: Mapping[str, str]
) -> SceneObject | str:
    object_id = str(record.get("object_id"))
    try:
        said = record["names"][0].strip().lower()
        box = (int(record["x"]), int(record["y"]), int(record["w"]), int(record["h"]))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return f"object {object_id}: no name or box"
    attributes = tuple(dict.fromkeys(one.strip().lower() for one in record.get("attributes") or ()))
    return SceneObject(object_id, names.get(said, said), box, attributes, tuple(relations.get(object_id, ())))
