"""Hide what a question is not about: blur, mask or crop an image around the boxes of its foreground.

Blurring follows Yang et al. (2021): the blurred image is blended in through a mask that is itself blurred, so that no
edge shows where the foreground begins.
"""

from collections.abc import Iterable, Mapping, Sequence
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


def obfuscate(image: Pixels, boxes: Sequence[Box], operation: str, means: Means = IMAGENET_MEANS) -> Pixels:
    """The image with everything but the boxes blurred, masked or cut away."""
    if operation == "crop":
        return _crop(image, boxes)
    hidden = np.ones(image.shape[:2], np.float32)
    for left, top, width, height in boxes:
        hidden[top : top + height, left : left + width] = 0
    if operation == "mask":
        result = image.copy()
        result[hidden > 0] = np.round(means[::-1]).astype(np.uint8)
        return result
    return _blurred(image, hidden, SIGMAS[operation])


def _crop(image: Pixels, boxes: Sequence[Box]) -> Pixels:
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right, bottom = max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)
    return image[top:bottom, left:right]


def _blurred(image: Pixels, hidden: npt.NDArray[np.float32], sigma: int) -> Pixels:
    soft = cv2.GaussianBlur(hidden, (0, 0), sigma)
    blurred = cv2.GaussianBlur(image, (0, 0), sigma)
    return np.asarray(cv2.blendLinear(blurred, image, soft, 1 - soft), np.uint8)


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
