"""The visual test: the same question about an image of which only the foreground is left as it was."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from diptych.builders.carets.asking import Asked
from diptych.builders.carets.tests import CaretsMaker
from diptych.errors import BadInputError
from diptych.pairs import Pair, Skip
from diptych.scenegraphs import Box
from diptych.scenegraphs.image_operations import (
    IMAGENET_MEANS,
    OPERATIONS,
    Blurs,
    Means,
    Pixels,
    channel_means,
    decode,
    encode,
    foreground,
    obfuscate,
)

NO_IMAGE = Skip("the image is not there")
UNREADABLE = Skip("the image cannot be read")
OTHER_SIZE = Skip("the image has not the size that its scene graph says")
NO_BOX = Skip("nothing in the image has a box")
IMAGES_A_SHARD = 32
"""All the images of a shard are in memory together."""


@dataclass(frozen=True, slots=True)
class Look:
    """An image, its size by the graph, and all that is asked about it."""

    image_id: str
    width: int
    height: int
    asked: tuple[Asked, ...]


def looks(asked: Sequence[Asked], sizes: Mapping[str, tuple[int, int]]) -> list[Look]:
    """The questions by image, so that each image is decoded once."""
    ordered = sorted(asked, key=lambda one: (len(one.image_id), one.key))
    return [
        Look(image_id, *sizes[image_id], tuple(of)) for image_id, of in groupby(ordered, key=lambda one: one.image_id)
    ]


@dataclass(frozen=True, slots=True)
class VisualMaker:
    """Makes five pairs of every question, one an operation."""

    words: CaretsMaker
    images: Path | None
    """The folder of the images; None where only the recipe of each image is published."""
    means: Means = IMAGENET_MEANS

    def outcomes(self, rows: Sequence[Look]) -> Iterator[tuple[str, Pair | Skip]]:
        """For every question and operation, the pair or why there is none."""
        for look in rows:
            content, image = self._image(look) if self.images else (b"", None)
            blurs: Blurs = {}
            for asked in look.asked:
                if isinstance(image, Skip) or not asked.boxes:
                    why = replace(image if isinstance(image, Skip) else NO_BOX, where=f"image {look.image_id}")
                    yield from ((self.words.test, why) for _ in OPERATIONS)
                    continue
                pair, boxes = self.words.pair(asked), foreground(asked.boxes, look.width, look.height)
                for operation in OPERATIONS:
                    changed = None if image is None else obfuscate(image, boxes, operation, self.means, blurs)
                    yield self.words.test, self._changed(pair, boxes, operation, content, changed)

    def _image(self, look: Look) -> tuple[bytes, Pixels | Skip]:
        assert self.images is not None
        try:
            content = (self.images / f"{look.image_id}.jpg").read_bytes()
        except OSError:
            return b"", NO_IMAGE
        image = decode(content)
        if image is None:
            return b"", UNREADABLE
        return content, image if image.shape[:2] == (look.height, look.width) else OTHER_SIZE

    def _changed(
        self, pair: Pair, boxes: Sequence[Box], operation: str, content: bytes, changed: Pixels | None
    ) -> Pair:
        """The pair with how its image was changed, and both images where they are embedded."""
        image_id = pair.original.image_id
        extra: dict[str, Any] = {
            "operation": operation,
            "boxes": [list(box) for box in boxes],
            "means": list(self.means),
        }
        if changed is not None:
            extra |= {
                "original_image": {"bytes": content, "path": f"{image_id}.jpg"},
                "perturbed_image": {"bytes": encode(changed), "path": f"{image_id}.{operation}.jpg"},
            }
        return replace(pair, perturbed=replace(pair.perturbed, image_id=f"{image_id}.{operation}"), extra=extra)


def render(row: Mapping[str, Any], image: bytes) -> bytes:
    """The perturbed image of a row that was published as a recipe, as the build would have embedded it."""
    pixels = decode(image)
    if pixels is None:
        raise BadInputError(f"pair {row.get('pair_id')}: its image cannot be read")
    if not row.get("operation"):
        raise BadInputError(f"pair {row.get('pair_id')}: it is of no visual test, its images are the same")
    boxes = [(box[0], box[1], box[2], box[3]) for box in row["boxes"]]
    means = row["means"]
    return encode(obfuscate(pixels, boxes, row["operation"], (means[0], means[1], means[2])))


def read_means(said: str, images: Path) -> Means:
    """Channel means as they were said: three numbers, or `computed` from the folder of images."""
    if said == "computed":
        return channel_means(sorted(images.glob("*.jpg")))
    try:
        red, green, blue = (float(part) for part in said.split(","))
    except ValueError:
        raise BadInputError(f"means={said}: say three numbers (red,green,blue), or computed") from None
    return red, green, blue
