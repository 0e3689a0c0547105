"""Which pictures pairs show: when two are the same, and those that a folder needs."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from diptych.errors import look_up
from diptych.folder._built import BuiltFolder
from diptych.folder._pair_images import SIDES, has_recipe, picture_names


def picture_key(row: Mapping[str, Any], side: str) -> str:
    """A text that is equal where pictures are equal by construction; empty where a side has no picture.

    >>> picture_key({"original_image_file": "1.jpg", "original_image_id": "1"}, "original")
    '1.jpg'
    """
    base = "original" if has_recipe(row, side) else side
    image_id = row.get(f"{base}_image_id")
    name = row.get(f"{base}_image_file") or (f"{row.get('source', '')}:{image_id}" if image_id else "")
    if base == side or not name:
        return str(name)
    recipe = {column: row.get(column) for column in ("operation", "boxes", "means")}
    return f"{name} {orjson.dumps(recipe, option=orjson.OPT_SORT_KEYS, default=list).decode()}"


def needed_pictures(folder: BuiltFolder, config: str | None = None, split: str | None = None) -> list[tuple[str, ...]]:
    """The pictures that pairs show and do not hold, each by its possible names: of all configs, or of one.

    A split without pairs, and a side without a picture, need none.
    """
    configs = look_up("config", config, folder.configs) if config else tuple(folder.manifest.configs)
    if config and split:
        folder.select(config, split)  # which must exist
    names: dict[tuple[str, ...], None] = {}
    for own, its_split, _ in folder.manifest.own_splits():
        if own in configs and split in (None, its_split) and folder.manifest.configs[own].tests:
            for table in folder.batches(own, its_split, _naming_columns(folder, own)):
                for row in table.to_pylist():
                    names |= dict.fromkeys(_needed_names(row))
    return sorted(names)


def _naming_columns(folder: BuiltFolder, config: str) -> list[str]:
    """The columns that tell which pictures a row needs; of those that it holds, only whether they are there."""
    present = {feature["name"] for feature in folder.features(config)}
    columns = [f"{side}_image_{part}" for side in SIDES for part in ("file", "id")]
    columns = [name for name in (*columns, "source", "operation", "boxes") if name in present]
    return columns + [f"{side}_image.path" for side in SIDES if f"{side}_image" in present]


def _needed_names(row: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for side in SIDES:
        if row.get(f"{side}_image") is None and (names := picture_names(row, side)):
            yield names
