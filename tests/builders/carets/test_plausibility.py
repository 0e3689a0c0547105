"""How plausible an object is by what stands beside it."""

from random import Random

import pytest

from diptych.builders.carets._plausibility import Company

BATHROOM, STREET = ("toilet", "sink", "mirror"), ("car", "bus", "sidewalk")
IMAGES = [names for _ in range(20) for names in (BATHROOM, STREET)]


def test_an_object_is_more_plausible_in_the_scene_that_it_goes_with() -> None:
    images = [*IMAGES, ("sink", "mirror"), ("bus", "sidewalk")]
    in_bathroom, in_street = Company(images).measure(["toilet"], [len(images) - 2, len(images) - 1])[:, 0]
    assert in_bathroom > 1 > -1 > in_street


def test_an_image_is_left_out_of_its_own_score() -> None:
    """Names that occur together in one image alone tell nothing about it."""
    images = [*IMAGES, ("zebra", "kite")]
    assert abs(Company(images).measure(["zebra"], [len(images) - 1], is_own=True)[0, 0]) < 1
    assert Company(images).measure(["zebra"], [len(images) - 1])[0, 0] > 3


def test_what_is_related_to_an_object_is_no_company_of_it() -> None:
    images = [*IMAGES, ("bird", "parrot", "sink")]
    assert Company(images).measure(["bird"], [len(images) - 1])[0, 1] == 1


def test_images_that_are_not_learned_from_are_judged_by_the_others() -> None:
    company = Company(IMAGES, [number < 20 for number in range(len(IMAGES))])
    assert company.measure(["toilet"], [20])[0, 0] > 1 > -1 > company.measure(["toilet"], [21])[0, 0]


@pytest.mark.parametrize("count", [0, 1, 5])
def test_an_image_with_no_known_name_has_no_company(count: int) -> None:
    images = [*IMAGES, tuple(f"thing {Random(number).random()}" for number in range(count))]
    assert Company(images).measure(["toilet"], [len(images) - 1]).tolist() == [[0.0, 0.0]]
