"""Regions of a picture: evenly colored areas, and the figures that stand out from the largest of them."""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

LONGEST_SIDE = 320  # pixels of the side to which a picture is scaled

_EDGE = 24  # how much a channel changes within three pixels at the edge of an area, of 255
_BACKGROUND = 0.04  # an area with a larger share of the picture is a background, not a part of a figure
_LEAST_PIXELS = 24
_MOST_REGIONS = 400
_GRID = 8  # cells across the outline of a region
_LAYOUT = (4, 3)  # columns and rows of the cells whose colors describe the whole picture
_SMALL_KERNEL, _LARGE_KERNEL = np.ones((3, 3), np.uint8), np.ones((5, 5), np.uint8)


@dataclass(frozen=True, slots=True)
class Regions:
    """What is looked at in a picture, as arrays with one row per region."""

    shapes: Any  # the outline, the edges inside, the size, and whether it is a figure
    colors: Any  # the median color, in Lab
    layout: Any  # the colors of the whole picture, cell by cell
    size: tuple[int, int]  # width and height of the picture as it was looked at


def find_regions(content: bytes) -> Regions | None:
    """The regions of an encoded picture; None if it is no picture.

    An area is a connected set of pixels with no edge near them. A figure is a connected set of pixels that are not in
    a large area: in a simple picture often a whole thing, with the areas that it is made of as regions of their own.
    """
    picture = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR) if content else None
    if picture is None:
        return None
    scale = LONGEST_SIDE / max(picture.shape[:2])
    width, height = (max(1, round(scale * side)) for side in picture.shape[1::-1])
    picture = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    change = cv2.morphologyEx(picture, cv2.MORPH_GRADIENT, _SMALL_KERNEL).max(axis=2)
    even = (change < _EDGE).astype(np.uint8)
    areas, boxes = _components(even, 4)
    is_large = boxes[:, 4] > _BACKGROUND * width * height
    foreground = (~is_large[areas] | (even == 0)).astype(np.uint8)
    figures = _components(cv2.morphologyEx(foreground, cv2.MORPH_OPEN, _LARGE_KERNEL), 8)
    lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)
    edges = np.minimum(change, 4 * _EDGE).astype(np.float32) / (4 * _EDGE)
    shapes, colors = [], []
    for is_figure, (labels, of_kind) in ((True, figures), (False, (areas, np.where(is_large[:, None], 0, boxes)))):
        for label in [number for number in range(1, len(of_kind)) if of_kind[number, 4] >= _LEAST_PIXELS]:
            x, y, w, h, _ = of_kind[label]
            window = np.s_[y : y + h, x : x + w]
            inside = labels[window] == label
            shapes.append(_shape(inside, edges[window], is_figure))
            evenly = inside & (even[window] > 0)
            colors.append(np.median(lab[window][evenly if evenly.any() else inside], axis=0))
    layout = cv2.resize(lab, _LAYOUT, interpolation=cv2.INTER_AREA).ravel().astype(np.float64)
    size = 2 * _GRID**2 + 3
    return Regions(
        np.array(shapes[:_MOST_REGIONS], np.float64).reshape(-1, size),
        np.array(colors[:_MOST_REGIONS], np.float64).reshape(-1, 3),
        layout,
        (width, height),
    )


def _components(mask: Any, connectivity: int) -> tuple[Any, Any]:
    """The number of the connected set that each pixel is in, and left, top, width, height and pixels of each set."""
    _, labels, boxes, _ = cv2.connectedComponentsWithStats(mask, connectivity=connectivity)
    return labels, boxes


def _shape(inside: Any, edges: Any, is_figure: bool) -> Any:
    """A region as numbers whose distances are alike: outline, edges of a figure, size on a log scale, kind."""
    height, width = inside.shape
    outline = _shrink(inside.astype(np.float32))
    texture = _shrink(edges * inside) if is_figure else np.zeros(_GRID**2)
    return np.concatenate([outline, 1.5 * texture, 0.35 * np.log([width, height]), [0.0 if is_figure else 2.0]])


def _shrink(mask: Any) -> Any:
    return cv2.resize(mask, (_GRID, _GRID), interpolation=cv2.INTER_AREA).ravel() / _GRID
