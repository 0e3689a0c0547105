"""The pictures of a pair: those in its row, files that the row names, or recipes that are applied to the original."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from diptych.errors import look_up
from diptych.folder._built import BuiltFolder
from diptych.images import ImageStore, MissingImageError, possible_file_names

SIDES = ("original", "perturbed")


@dataclass(frozen=True, slots=True)
class PairImages:
    """The pictures of pairs, from their rows and from a folder of images where there is one."""

    store: ImageStore | None = None

    def read(self, row: Mapping[str, Any], side: str) -> bytes | None:
        """The picture of one side of a pair; None where the row names none, an error where it is not there."""
        content = embedded_picture(row, side)
        if content is not None:
            return content
        if has_recipe(row, side):
            from diptych.scenegraphs.image_operations import render_row  # OpenCV is slow to import

            original = self.read(row, "original")
            return None if original is None else render_row(row, original)
        names = picture_names(row, side)
        if not names:
            return None
        if self.store is None:
            raise MissingImageError(f"{names[0]}: the dataset has only the names of its pictures; pass --images DIR")
        return self.store.read(self.store.present_name(names))


def picture_names(row: Mapping[str, Any], side: str) -> tuple[str, ...]:
    """The name of the file that a side shows; where the source does not tell it, the names that it may have."""
    name = row.get(f"{side}_image_file")
    return (str(name),) if name else possible_file_names(str(row.get("source")), str(row.get(f"{side}_image_id")))


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


def has_recipe(row: Mapping[str, Any], side: str) -> bool:
    """Whether the picture of a side is made from the original picture."""
    return side == "perturbed" and bool(row.get("operation")) and row.get("boxes") is not None


def embedded_picture(row: Mapping[str, Any], side: str) -> bytes | None:
    """The picture that the row itself holds for a side, if it does."""
    image = row.get(f"{side}_image")
    content = image.get("bytes") if isinstance(image, Mapping) else None
    return content if isinstance(content, bytes) and content else None


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
