"""The visual test: the same question about an image of which only the foreground is left as it was."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from math import nan
from pathlib import Path
from typing import Any

from diptych.builders import Item
from diptych.builders.carets._pairs import PairFacts, make_pair, shown_objects
from diptych.builders.carets._question_spec import QuestionSpec
from diptych.builders.carets._quotas import VISUAL
from diptych.errors import BadInputError
from diptych.images import image_path, read_image
from diptych.pairs import Pair, Skip, row_rng
from diptych.scenegraphs import Box, SceneGraph, clip
from diptych.scenegraphs.image_operations import (
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
OTHER_SIZE = Skip("the image does not have the size that its scene graph gives")
COMPUTED = "computed"
IMAGES_PER_SHARD = 32
"""All the images of a shard are in memory together."""


@dataclass(frozen=True, slots=True)
class ImageQuestions(Item):
    """An image and all questions about it, so that it is decoded once; its key is the id of the image."""

    questions: tuple[QuestionSpec, ...]


def group_by_image(questions: Iterable[QuestionSpec]) -> Iterator[ImageQuestions]:
    """Questions in the order of their images, by image."""
    for image_id, group in groupby(questions, key=lambda spec: spec.image_id):
        yield ImageQuestions(VISUAL, image_id, tuple(group))


def make_image_pairs(item: ImageQuestions, facts: PairFacts) -> Iterator[Pair | Skip]:
    """For every question and operation, the pair or why there is none."""
    graph = facts.graphs[item.key]
    content, image = _read_image(graph, facts.images) if facts.images else (b"", None)
    blurs: Blurs = {}
    for spec in item.questions:
        if isinstance(image, Skip):
            yield from (replace(image, where=f"image {item.key}") for _ in OPERATIONS)
            continue
        pair = make_pair(spec, graph, facts, row_rng(facts.seed, spec.test, spec.key))
        boxes = foreground(_shown_boxes(spec, graph, facts.seed), graph.width, graph.height)
        for operation in OPERATIONS:
            extra: dict[str, Any] = {
                "operation": operation,
                "boxes": [list(box) for box in boxes],
                "means": list(facts.means),
            }
            if image is not None:
                perturbed = encode(obfuscate(image, boxes, operation, facts.means, blurs))
                extra |= {
                    "original_image": {"bytes": content, "path": f"{item.key}.jpg"},
                    "perturbed_image": {"bytes": perturbed, "path": f"{item.key}.{operation}.jpg"},
                }
            yield replace(pair, perturbed=replace(pair.perturbed, image_id=f"{item.key}.{operation}"), extra=extra)


def _read_image(graph: SceneGraph, folder: Path) -> tuple[bytes, Pixels | Skip]:
    path = image_path(folder, f"{graph.image_id}.jpg")
    if path is None:
        return b"", NO_IMAGE
    content = read_image(path)
    image = decode(content)
    if image is None:
        return b"", UNREADABLE
    return content, image if image.shape[:2] == (graph.height, graph.width) else OTHER_SIZE


def _shown_boxes(spec: QuestionSpec, graph: SceneGraph, seed: int) -> list[Box]:
    """The boxes of what a question is about; where all of it is absent, one or two random ones."""
    objects = shown_objects(spec, graph)
    if not objects:
        rng = row_rng(seed, f"{spec.test}/boxes", f"{spec.image_id}/{spec.phrases[0].text}")
        objects = rng.sample(list(graph.objects), min(len(spec.phrases), len(graph.objects)))
    return [thing.box for thing in objects]


def render_row(row: Mapping[str, Any], image: bytes) -> bytes:
    """The perturbed image of a row that was published as a recipe, as the build would have embedded it."""
    pixels = decode(image)
    if pixels is None:
        raise BadInputError(f"pair {row.get('pair_id')}: its image cannot be read")
    if not row.get("operation"):
        raise BadInputError(f"pair {row.get('pair_id')}: it is not of the visual test, its images are the same")
    height, width = pixels.shape[:2]
    try:
        boxes = [clip((left, top, right, bottom), width, height) for left, top, right, bottom in row["boxes"]]
        red, green, blue = map(float, row["means"])
        return encode(obfuscate(pixels, [box for box in boxes if box], row["operation"], (red, green, blue)))
    except (KeyError, TypeError, ValueError):
        raise BadInputError(f"pair {row.get('pair_id')}: its row does not say how the image is made") from None


def channel_colors(text: str, images: Path) -> Means:
    """The color of masks: as it was given, or `computed` from the folder of images."""
    if text == COMPUTED:
        return channel_means(sorted(images.glob("*.jpg")))
    return parse_means(text)


def parse_means(text: str) -> Means:
    """Channel means: three numbers of 0 to 255.

    >>> parse_means("123.7,116.3,103.5")
    (123.7, 116.3, 103.5)
    """
    try:
        red, green, blue = (float(part) for part in text.split(","))
    except ValueError:
        red = green = blue = nan
    if not all(0 <= value <= 255 for value in (red, green, blue)):
        raise BadInputError(f"means={text}: give three numbers of 0 to 255 (red,green,blue), or {COMPUTED}")
    return red, green, blue


def check_means(text: str) -> None:
    """Refuse means that are no numbers; whether images are there is seen later."""
    if text != COMPUTED:
        parse_means(text)
