from pathlib import Path

import cv2
import numpy as np
import pytest

from diptych.errors import BadInputError
from diptych.scenegraphs.image_operations import Pixels, channel_means, decode, encode, foreground, obfuscate

BOX = (40, 30, 40, 40)


@pytest.fixture
def noise() -> Pixels:
    return np.random.default_rng(0).integers(0, 256, (120, 160, 3), np.uint8)


@pytest.mark.parametrize(
    ("box", "grown"),
    [((50, 50, 10, 10), (39, 39, 32, 32)), ((158, 118, 2, 2), (128, 88, 32, 32)), ((5, 5, 60, 60), (5, 5, 60, 60))],
)
def test_a_foreground_has_at_least_32_by_32_pixels(box: tuple[int, ...], grown: tuple[int, ...]) -> None:
    assert foreground([box], 160, 120) == [grown]  # type: ignore[list-item]


def test_an_image_smaller_than_that_is_all_foreground() -> None:
    assert foreground([(2, 2, 3, 3)], 20, 10) == [(0, 0, 20, 10)]


def test_a_mask_leaves_the_boxes_and_paints_the_rest(noise: Pixels) -> None:
    masked = obfuscate(noise, [BOX], "mask", (10, 20, 30))
    assert (masked[30:70, 40:80] == noise[30:70, 40:80]).all()
    assert (masked[:30] == (30, 20, 10)).all()


@pytest.mark.parametrize(("operation", "sigma"), [("blur-3", 3), ("blur-6", 6), ("blur-9", 9)])
def test_far_from_the_boxes_a_blur_is_gaussian_and_deep_inside_nothing_changes(
    noise: Pixels, operation: str, sigma: int
) -> None:
    blurred = obfuscate(noise, [(0, 0, 80, 120)], operation)
    expected = cv2.GaussianBlur(noise, (0, 0), sigma)
    assert np.abs(blurred[:, 130:].astype(int) - expected[:, 130:]).max() <= 1
    assert np.abs(blurred[:, :20].astype(int) - noise[:, :20]).max() <= 1


def test_a_crop_is_the_smallest_rectangle_around_all_boxes(noise: Pixels) -> None:
    assert (obfuscate(noise, [BOX, (100, 10, 20, 20)], "crop") == noise[10:70, 40:120]).all()


def test_what_is_no_image_decodes_to_nothing() -> None:
    assert decode(b"") is None
    assert decode(b"not an image") is None


def test_channel_means_are_red_green_blue(tmp_path: Path) -> None:
    for name, color in (("a", (30, 20, 10)), ("b", (50, 40, 30))):
        (tmp_path / f"{name}.jpg").write_bytes(encode(np.full((16, 16, 3), color, np.uint8)))
    assert channel_means(sorted(tmp_path.iterdir())) == pytest.approx((20, 30, 40), abs=1.5)


def test_channel_means_of_nothing_are_refused() -> None:
    with pytest.raises(BadInputError, match="no readable images"):
        channel_means([])
