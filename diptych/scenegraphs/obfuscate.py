"""Hide what a question is not about: blur, mask or crop an image around the boxes of its foreground.

Blurring follows Yang et al. (2021): the blurred image is blended in through a mask that is itself blurred, so that no
edge shows where the foreground begins.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from types import MappingProxyType

import cv2
import numpy as np
import numpy.typing as npt

from diptych.errors import BadInputError
from diptych.progress import progress
from diptych.scenegraphs.graph import Box

Pixels = npt.NDArray[np.uint8]
"""Rows of pixels, each blue, green and red."""
Means = tuple[float, float, float]
"""Red, green and blue."""

SMALLEST = 32
"""Smaller regions than this are not reliably recognised by people (Torralba et al., 2008)."""
SIGMAS: Mapping[str, int] = MappingProxyType({"blur-3": 3, "blur-6": 6, "blur-9": 9})
OPERATIONS = (*SIGMAS, "mask", "crop")
IMAGENET_MEANS: Means = (123.7, 116.3, 103.5)
"""What is masked where no means of training images are given."""
_QUALITY = 95
_REACH = 4
"""How many σ the kernel of a mask reaches, in OpenCV."""
_MOST_BY_SIDES = 4
"""With more boxes than this the mask is blurred as a whole."""


def foreground(boxes: Iterable[Box], width: int, height: int) -> list[Box]:
    """The boxes, each grown to at least 32 × 32 pixels as far as the image allows.

    >>> foreground([(0, 0, 10, 40)], 100, 100)
    [(0, 0, 32, 40)]
    """
    return [_grown(box, width, height) for box in boxes]


def _grown(box: Box, width: int, height: int) -> Box:
    left, wide = _grown_side(box[0], box[2], width)
    top, high = _grown_side(box[1], box[3], height)
    return left, top, wide, high


def _grown_side(start: int, size: int, limit: int) -> tuple[int, int]:
    size_wanted = min(max(size, SMALLEST), limit)
    start = min(max(0, start - (size_wanted - size) // 2), limit - size_wanted)
    return start, size_wanted


Blurs = dict[int, Pixels]
"""An image blurred, by σ."""


def obfuscate(
    image: Pixels, boxes: Sequence[Box], operation: str, means: Means = IMAGENET_MEANS, blurs: Blurs | None = None
) -> Pixels:
    """The image with everything but the boxes blurred, masked or cut away.

    What is blurred does not depend on the boxes: with `blurs`, a dictionary of this image, it is done once a σ.
    """
    if operation == "crop":
        return _crop(image, boxes)
    if operation == "mask":
        return _mask(image, boxes, means)
    sigma, blurs = SIGMAS[operation], {} if blurs is None else blurs
    if sigma not in blurs:
        blurs[sigma] = np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.uint8)
    return _blend(image, blurs[sigma], boxes, sigma)


def _crop(image: Pixels, boxes: Sequence[Box]) -> Pixels:
    left, top, right, bottom = _around(boxes)
    return image[top:bottom, left:right]


def _around(boxes: Sequence[Box]) -> Box:
    """The smallest rectangle around all boxes: left, top, right and bottom."""
    right, bottom = max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)
    return min(box[0] for box in boxes), min(box[1] for box in boxes), right, bottom


def _mask(image: Pixels, boxes: Sequence[Box], means: Means) -> Pixels:
    result = np.empty_like(image)
    result[:] = np.round(means[::-1]).astype(np.uint8)
    for left, top, width, height in boxes:
        part = np.s_[top : top + height, left : left + width]
        result[part] = image[part]
    return result


def _blend(image: Pixels, blurred: Pixels, boxes: Sequence[Box], sigma: int) -> Pixels:
    """The image inside the boxes, the blurred one outside, through a mask that is itself blurred.

    Further from the boxes than the kernel reaches the mask is 1, so only the rectangle around them is computed.
    """
    reach, (high, wide) = _REACH * sigma, image.shape[:2]
    left, top, right, bottom = _around(boxes)
    rows = slice(max(0, top - reach), min(high, bottom + reach))
    columns = slice(max(0, left - reach), min(wide, right + reach))
    hidden = np.clip(1 - _covered(boxes, sigma, wide, high, rows, columns), 0, 1)
    result = blurred.copy()
    result[rows, columns] = cv2.blendLinear(blurred[rows, columns], image[rows, columns], hidden, 1 - hidden)
    return result


def _covered(
    boxes: Sequence[Box], sigma: int, wide: int, high: int, rows: slice, columns: slice
) -> npt.NDArray[np.float32]:
    """The blurred mask of the boxes.

    A rectangle blurs to the product of its blurred sides; where boxes overlap, what they have in common is counted
    once (inclusion and exclusion).
    """
    if len(boxes) > _MOST_BY_SIDES:
        shown = np.zeros((high, wide), np.float32)
        for left, top, width, height in boxes:
            shown[top : top + height, left : left + width] = 1
        return np.asarray(cv2.GaussianBlur(shown, (0, 0), sigma)[rows, columns], np.float32)
    covered = np.zeros((rows.stop - rows.start, columns.stop - columns.start), np.float32)
    for size in range(1, len(boxes) + 1):
        for some in combinations(boxes, size):
            left, top = max(box[0] for box in some), max(box[1] for box in some)
            right, bottom = min(box[0] + box[2] for box in some), min(box[1] + box[3] for box in some)
            if left < right and top < bottom:
                down = _side(top, bottom, high, sigma)[rows]
                across = _side(left, right, wide, sigma)[columns]
                covered += (-1) ** (size + 1) * np.outer(down, across)
    return covered


def _side(start: int, stop: int, length: int, sigma: int) -> npt.NDArray[np.float32]:
    """One side of a box, blurred."""
    line = np.zeros((1, length), np.float32)
    line[0, start:stop] = 1
    return np.asarray(cv2.GaussianBlur(line, (0, 0), sigma)[0], np.float32)


def decode(content: bytes) -> Pixels | None:
    """The pixels of an image file; None where it cannot be read."""
    if not content:
        return None
    image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
    return None if image is None else np.asarray(image, np.uint8)


def encode(image: Pixels) -> bytes:
    """An image as JPEG."""
    done, content = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    assert done
    return bytes(content)


def channel_means(paths: Sequence[Path]) -> Means:
    """The mean red, green and blue of some images, each image counting alike."""
    sums, seen = np.zeros(3), 0
    with progress("channel means", len(paths)) as advance:
        for path in paths:
            image = decode(path.read_bytes())
            if image is not None:
                sums += image.reshape(-1, 3).mean(axis=0)
                seen += 1
            advance(1)
    if not seen:
        raise BadInputError("no readable images to take the channel means of; give them, or another folder")
    blue, green, red = (float(value) for value in sums / seen)
    return red, green, blue
