"""The names of the objects that Visual Genome's annotators saw in COCO images."""

from collections.abc import Collection
from pathlib import Path

from diptych.sources.files import SourceFile, find_file
from diptych.sources.records import JsonRecords, complainer, get_id, get_list


def vg_object_files(data_dir: Path) -> tuple[SourceFile, ...]:
    """`image_data.json` and `objects.json`, if both are there."""
    found = [find_file(data_dir, "vg", name) for name in ("image_data.json", "objects.json")]
    return tuple(file for file in found if file is not None) if all(found) else ()


def read_vg_objects(data_dir: Path, coco_ids: Collection[int]) -> dict[int, tuple[str, ...]]:
    """The object names of the wanted COCO images that Visual Genome annotates."""
    files = vg_object_files(data_dir)
    if not files:
        return {}
    images = _coco_of(files[0], coco_ids)
    complain = complainer(files[1], "image", "image_id")
    named: dict[int, tuple[str, ...]] = {}
    for record in JsonRecords(files[1]):
        coco = images.get(get_id(record, "image_id", complain))
        if coco is not None:
            names = (name for each in get_list(record, "objects", complain) for name in each.get("names", ()))
            named[coco] = tuple(dict.fromkeys(str(name).strip().lower() for name in names))
    return named


def _coco_of(file: SourceFile, wanted: Collection[int]) -> dict[str, int]:
    complain = complainer(file, "image", "image_id")
    return {
        get_id(record, "image_id", complain): record["coco_id"]
        for record in JsonRecords(file)
        if record.get("coco_id") in wanted
    }
