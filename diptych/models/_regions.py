"""Regions of a picture: evenly colored areas, and the figures that stand out from the largest of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from diptych.images import image_size

LONGEST_SIDE = 320  # pixels of the side to which a picture is scaled

_EDGE = 24  # how much a channel changes within three pixels at the edge of an area, of 255
_BACKGROUND = 0.04  # an area with a larger share of the picture is background, not a part of a figure
_LEAST_PIXELS, _MOST_REGIONS = 24, 300
_GRID = 8  # cells across the outline of a region
_LAYOUT = (4, 3)  # columns and rows of the cells whose colors describe the whole picture
_SMALL_KERNEL, _LARGE_KERNEL = np.ones((3, 3), np.uint8), np.ones((5, 5), np.uint8)


@dataclass(frozen=True, slots=True)
class Regions:
    """What is looked at in a picture; shapes and colors have a row per region."""

    shapes: Any
    """Outline, edges inside, size, and whether it is a figure: numbers whose distances say how alike two shapes are."""
    colors: Any  # the median color, in Lab
    layout: Any  # the colors of the whole picture, cell by cell
    size: tuple[int, int]  # width and height of the picture as it was looked at


def find_regions(content: bytes) -> Regions | None:
    """The regions of an encoded picture; None if it is no picture, or a huge one.

    An area is a connected set of pixels without an edge near them. A figure is a connected set of pixels outside the
    large areas: in a simple picture often a whole thing, whose parts are areas.
    """
    picture = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR) if image_size(content) else None
    if picture is None:
        return None
    scale = LONGEST_SIDE / max(picture.shape[:2])
    width, height = (max(1, round(scale * side)) for side in picture.shape[1::-1])
    picture = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    change = cv2.morphologyEx(picture, cv2.MORPH_GRADIENT, _SMALL_KERNEL).max(axis=2)
    lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)
    shapes, colors = [np.zeros((0, 2 * _GRID**2 + 3))], [np.zeros((0, 3))]
    for window, inside, is_figure in _find_masks(change):
        even = inside & (change[window] < _EDGE)
        shapes.append(_shape(inside, change[window], is_figure)[None])
        colors.append(np.median(lab[window][even if even.any() else inside], axis=0)[None])
    layout = cv2.resize(lab, _LAYOUT, interpolation=cv2.INTER_AREA).ravel().astype(np.float64)
    return Regions(np.concatenate(shapes), np.concatenate(colors), layout, (width, height))


def _find_masks(change: Any) -> Iterator[tuple[Any, Any, bool]]:
    """The window of every region, the pixels inside it, and whether it is a figure; the largest regions first."""
    even = (change < _EDGE).astype(np.uint8)
    _, areas, boxes, _ = cv2.connectedComponentsWithStats(even, connectivity=4)
    is_large = boxes[:, 4] > _BACKGROUND * change.size
    foreground = (~is_large[areas] | (even == 0)).astype(np.uint8)
    foreground = cv2.morphologyEx(foreground, cv2.MORPH_OPEN, _LARGE_KERNEL)  # without lines
    _, figures, figure_boxes, _ = cv2.connectedComponentsWithStats(foreground, connectivity=8)
    regions = [(*box, label, True) for label, box in enumerate(figure_boxes.tolist()) if label]
    regions += [(*box, label, False) for label, box in enumerate(boxes.tolist()) if label and not is_large[label]]
    # By size and place: labels may depend on the number of threads.
    ordered = sorted(regions, key=lambda region: (-region[4], region[:4], region[6]))[:_MOST_REGIONS]
    for x, y, width, height, pixels, label, is_figure in ordered:
        if pixels < _LEAST_PIXELS:
            break
        window = np.s_[y : y + height, x : x + width]
        yield window, (figures if is_figure else areas)[window] == label, is_figure


def _shape(inside: Any, change: Any, is_figure: bool) -> Any:
    height, width = inside.shape
    edges = np.minimum(change, 4 * _EDGE) / np.float32(4 * _EDGE)
    texture = _shrink(edges * inside) if is_figure else np.zeros(_GRID**2)
    size = 0.35 * np.log([width, height])
    return np.concatenate([_shrink(inside.astype(np.float32)), 1.5 * texture, size, [0.0 if is_figure else 2.0]])


def _shrink(mask: Any) -> Any:
    return cv2.resize(mask, (_GRID, _GRID), interpolation=cv2.INTER_AREA).ravel() / _GRID
