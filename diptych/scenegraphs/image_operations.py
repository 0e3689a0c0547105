"""Image operations that hide everything but the foreground of a question: blur, mask or crop.

Blurring follows Yang et al. (2021): the blurred image is blended in through a mask that is itself blurred, so that the
foreground has no visible edge.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from diptych.errors import BadInputError
from diptych.files import read_bounded
from diptych.images import LARGEST_FILE, image_size
from diptych.progress import progress
from diptych.scenegraphs._graph import Box, clip

Pixels = npt.NDArray[np.uint8]  # rows of pixels, each blue, green and red
Means = tuple[float, float, float]  # red, green and blue
Blurs = dict[int, Pixels]  # blurred versions of an image, by σ

MIN_SIZE = 32  # people do not reliably recognize smaller regions (Torralba et al., 2008)
SIGMAS: Mapping[str, int] = {"blur-3": 3, "blur-6": 6, "blur-9": 9}
OPERATIONS = (*SIGMAS, "mask", "crop")
IMAGENET_MEANS: Means = (123.7, 116.3, 103.5)  # the color of masks where no means of training images are given
_QUALITY = 95
_KERNEL_SIGMAS = 4  # the radius of OpenCV's kernel for a mask, in σ
_MAX_SEPARABLE_BOXES = 4  # with more boxes the mask is blurred as a whole


def foreground(boxes: Iterable[Box], width: int, height: int) -> list[Box]:
    """Grow each box to at least 32 × 32 pixels, as far as the image allows."""
    sides = ((_grow_side(box[0], box[2], width), _grow_side(box[1], box[3], height)) for box in boxes)
    return [(left, top, box_width, box_height) for (left, box_width), (top, box_height) in sides]


def _grow_side(start: int, size: int, limit: int) -> tuple[int, int]:
    new_size = min(max(size, MIN_SIZE), limit)
    return min(max(0, start - (new_size - size) // 2), limit - new_size), new_size


def obfuscate(
    image: Pixels, boxes: Sequence[Box], operation: str, means: Means = IMAGENET_MEANS, blurs: Blurs | None = None
) -> Pixels:
    """Return the image with everything but the boxes blurred, masked or cut away.

    The blurred image does not depend on the boxes: `blurs`, a dictionary for this image, keeps it for other calls.
    """
    if operation == "crop":
        left, top, right, bottom = _bounds(boxes)
        return image[top:bottom, left:right]
    if operation == "mask":
        return _mask(image, boxes, means)
    sigma, blurs = SIGMAS[operation], {} if blurs is None else blurs
    if sigma not in blurs:
        blurs[sigma] = np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.uint8)
    return _blend(image, blurs[sigma], boxes, sigma)


def _bounds(boxes: Sequence[Box]) -> Box:
    """The smallest rectangle around all boxes: left, top, right and bottom."""
    right, bottom = max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)
    return min(box[0] for box in boxes), min(box[1] for box in boxes), right, bottom


def _mask(image: Pixels, boxes: Sequence[Box], means: Means) -> Pixels:
    result = np.empty_like(image)
    result[0] = np.round(means[::-1]).astype(np.uint8)
    result[1:] = result[0]  # a row is copied far faster than a pixel
    for left, top, width, height in boxes:
        part = np.s_[top : top + height, left : left + width]
        result[part] = image[part]
    return result


def _blend(image: Pixels, blurred_image: Pixels, boxes: Sequence[Box], sigma: int) -> Pixels:
    """The image inside the boxes, the blurred one outside, through a mask that is itself blurred.

    Beyond the kernel's radius around the boxes the mask is 1, so only the rectangle around them is computed.
    """
    radius, (height, width) = _KERNEL_SIGMAS * sigma, image.shape[:2]
    left, top, right, bottom = _bounds(boxes)
    rows = slice(max(0, top - radius), min(height, bottom + radius))
    columns = slice(max(0, left - radius), min(width, right + radius))
    weights = np.clip(1 - _blur_boxes(boxes, sigma, width, height, rows, columns), 0, 1)
    result = blurred_image.copy()
    result[rows, columns] = cv2.blendLinear(blurred_image[rows, columns], image[rows, columns], weights, 1 - weights)
    return result


def _blur_boxes(
    boxes: Sequence[Box], sigma: int, image_width: int, image_height: int, rows: slice, columns: slice
) -> npt.NDArray[np.float32]:
    """The blurred mask of the boxes.

    A rectangle blurs to the product of its blurred sides; where boxes overlap, their intersection is counted once
    (inclusion and exclusion).
    """
    if len(boxes) > _MAX_SEPARABLE_BOXES:
        mask = np.zeros((image_height, image_width), np.float32)
        for left, top, width, height in boxes:
            mask[top : top + height, left : left + width] = 1
        return np.asarray(cv2.GaussianBlur(mask, (0, 0), sigma)[rows, columns], np.float32)
    mask = np.zeros((rows.stop - rows.start, columns.stop - columns.start), np.float32)
    for size in range(1, len(boxes) + 1):
        for group in combinations(boxes, size):
            left, top = max(box[0] for box in group), max(box[1] for box in group)
            right, bottom = min(box[0] + box[2] for box in group), min(box[1] + box[3] for box in group)
            if left < right and top < bottom:
                column_profile = _blur_side(top, bottom, image_height, sigma)[rows]
                row_profile = _blur_side(left, right, image_width, sigma)[columns]
                mask += (-1) ** (size + 1) * np.outer(column_profile, row_profile)
    return mask


def _blur_side(start: int, stop: int, length: int, sigma: int) -> npt.NDArray[np.float32]:
    """One side of a box, blurred."""
    line = np.zeros((1, length), np.float32)
    line[0, start:stop] = 1
    return np.asarray(cv2.GaussianBlur(line, (0, 0), sigma)[0], np.float32)


def decode(content: bytes) -> Pixels | None:
    """Return the pixels of an image file; None if it cannot be read, or has too many."""
    if image_size(content) is None:
        return None
    image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
    return None if image is None else np.asarray(image, np.uint8)


def encode(image: Pixels) -> bytes:
    """Encode an image as JPEG."""
    is_encoded, content = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    assert is_encoded
    return bytes(content)


def render_row(row: Mapping[str, Any], image: bytes) -> bytes:
    """The perturbed image of a row that was published as a recipe, as the build would have embedded it."""
    pixels, place = decode(image), f"pair {row.get('pair_id')}"
    if pixels is None:
        raise BadInputError(f"{place}: its image cannot be read")
    if not row.get("operation"):
        raise BadInputError(f"{place}: not a pair of the visual test; both images are the same")
    height, width = pixels.shape[:2]
    try:
        boxes = [clip((left, top, wide, high), width, height) for left, top, wide, high in row["boxes"]]
        red, green, blue = map(float, row["means"])
        masked = obfuscate(pixels, [box for box in boxes if box], row["operation"], (red, green, blue))
        return encode(masked)
    except (KeyError, TypeError, ValueError):
        raise BadInputError(f"{place}: its row does not describe how to make the image") from None


def channel_means(paths: Sequence[Path]) -> Means:
    """Return the mean red, green and blue of some images, each image with the same weight."""
    sums, count = np.zeros(3), 0
    with progress("channel means", len(paths)) as advance:
        for path in paths:
            image = decode(_read_image(path))
            if image is not None:
                sums += image.reshape(-1, 3).mean(axis=0)
                count += 1
            advance(1)
    if not count:
        raise BadInputError("no readable images to compute the channel means from; pass the means, or another folder")
    blue, green, red = (float(value) for value in sums / count)
    return red, green, blue


def _read_image(path: Path) -> bytes:
    try:
        return read_bounded(path, LARGEST_FILE)
    except (BadInputError, OSError):
        return b""
