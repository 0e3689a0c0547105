"""The pictures of a pair: those in its row, files that the row names, or recipes that are applied to the original."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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


def has_recipe(row: Mapping[str, Any], side: str) -> bool:
    """Whether the picture of a side is made from the original picture."""
    return side == "perturbed" and bool(row.get("operation")) and row.get("boxes") is not None


def embedded_picture(row: Mapping[str, Any], side: str) -> bytes | None:
    """The picture that the row itself holds for a side, if it does."""
    image = row.get(f"{side}_image")
    content = image.get("bytes") if isinstance(image, Mapping) else None
    return content if isinstance(content, bytes) and content else None
