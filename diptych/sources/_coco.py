"""COCO's instance annotations: the names of the things in its images."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from diptych.errors import BadInputError
from diptych.sources._files import SourceFile, find_file
from diptych.sources._json import JsonRecords
from diptych.sources._records import Fields

_FILES = ("instances_train2014.json", "instances_val2014.json")


def coco_instance_files(data_dir: Path) -> tuple[SourceFile, ...]:
    """The instance annotations of 2014 that exist, in the folder itself, under `annotations/` or in the archive."""
    names = ((name, f"annotations/{name}") for name in _FILES)
    found = (next(filter(None, (find_file(data_dir, "coco", name) for name in pair)), None) for pair in names)
    return tuple(file for file in found if file is not None)


def read_coco_instances(data_dir: Path, coco_ids: Collection[int]) -> dict[int, tuple[str, ...]]:
    """The names of the things in some of COCO's images, each once, in the order of the file."""
    names_of: dict[int, dict[str, None]] = {}
    for file in coco_instance_files(data_dir):
        records = JsonRecords(file, "annotations")
        fields = Fields(file, "annotation", "id")
        categories: list[tuple[int, Any]] = []  # the file names its categories behind the annotations
        for record in records:
            image = fields.get_id(record, "image_id")
            if image.isdecimal() and int(image) in coco_ids:
                categories.append((int(image), record.get("category_id")))
        names = _category_names(file, records.frame.get("categories"))
        for number, category in categories:
            if type(category) is not int or category not in names:
                fault = f"category {category!r} of image {number} is not among its categories"
                raise BadInputError(f"{file.where}: {fault}")
            names_of.setdefault(number, {})[names[category]] = None
    return {number: tuple(names) for number, names in names_of.items()}


def _category_names(file: SourceFile, categories: object) -> dict[int, str]:
    entries = [entry for entry in categories if isinstance(entry, dict)] if isinstance(categories, list) else []
    pairs = [(entry.get("id"), entry.get("name")) for entry in entries]
    names = {key: name for key, name in pairs if type(key) is int and isinstance(name, str)}
    if not names:
        raise BadInputError(f"{file.where}: no list of categories with ids and names")
    return names
