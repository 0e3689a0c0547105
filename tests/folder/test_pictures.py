"""The pictures of a pair: in its row, as a file, or made by a recipe."""

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import diptych
from diptych.errors import BadInputError
from diptych.folder import SIDES, PairImages, picture_key
from diptych.images import MissingImageError, open_images


def picture(color: str, size: tuple[int, int] = (64, 48)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, color).save(file, "JPEG")
    return file.getvalue()


def row_of(**columns: Any) -> dict[str, Any]:
    sides = {f"{side}_image_{part}": value for side in SIDES for part, value in (("id", "7"), ("file", "7.jpg"))}
    return {"pair_id": "p", "source": "gqa", **sides, **columns}


@pytest.fixture
def images(tmp_path: Path) -> PairImages:
    (tmp_path / "7.jpg").write_bytes(picture("red"))
    return PairImages(open_images(tmp_path))


RECIPE = {"operation": "mask", "boxes": [[0, 0, 40, 40]], "means": [1.0, 2.0, 3.0]}


def test_a_named_file_is_read(images: PairImages) -> None:
    assert [images.read(row_of(), side) for side in SIDES] == [picture("red")] * 2


def test_an_embedded_picture_comes_before_a_file(images: PairImages) -> None:
    row = row_of(perturbed_image={"bytes": picture("blue"), "path": "7.jpg"}, original_image=None)
    assert [images.read(row, side) for side in SIDES] == [picture("red"), picture("blue")]


def test_an_embedded_picture_needs_no_folder() -> None:
    assert PairImages(None).read(row_of(original_image={"bytes": b"x", "path": None}), "original") == b"x"


def test_a_recipe_is_applied_to_the_original(images: PairImages) -> None:
    row = row_of(**RECIPE)
    assert images.read(row, "original") == picture("red")
    assert images.read(row, "perturbed") == diptych.render(row, picture("red")) != picture("red")


def test_a_recipe_is_applied_to_an_embedded_original() -> None:
    row = row_of(**RECIPE, original_image={"bytes": picture("blue"), "path": "7.jpg"}, perturbed_image=None)
    assert PairImages(None).read(row, "perturbed") == diptych.render(row, picture("blue"))


def test_a_row_that_names_no_picture_has_none(images: PairImages) -> None:
    row = row_of(original_image_file="", original_image_id="")
    assert images.read(row, "original") is None
    assert PairImages(None).read({"pair_id": "p"}, "perturbed") is None


def test_a_picture_without_a_folder_says_what_to_do() -> None:
    with pytest.raises(MissingImageError, match=r"7\.jpg: .*--images DIR"):
        PairImages(None).read(row_of(), "original")


def test_a_recipe_that_cannot_be_followed_is_one_line(images: PairImages) -> None:
    with pytest.raises(BadInputError, match="pair p: its row does not describe how to make the image"):
        images.read(row_of(**(RECIPE | {"boxes": [["a"]]})), "perturbed")


def test_equal_pictures_have_equal_keys() -> None:
    assert picture_key(row_of(), "original") == picture_key(row_of(), "perturbed") == "7.jpg"
    assert picture_key(row_of(**RECIPE), "perturbed") == picture_key(row_of(**RECIPE), "perturbed")


@pytest.mark.parametrize("change", [{"operation": "blur-3"}, {"boxes": [[0, 0, 40, 41]]}, {"means": [1.0, 2.0, 4.0]}])
def test_other_recipes_have_other_keys(change: dict[str, Any]) -> None:
    keys = {picture_key(row_of(**RECIPE), side) for side in SIDES}
    assert len(keys | {picture_key(row_of(**(RECIPE | change)), "perturbed")}) == 3


def test_an_image_without_a_file_name_is_known_by_its_source() -> None:
    row = row_of(original_image_file="")
    assert picture_key(row, "original") == "gqa:7"
    assert picture_key(row_of(original_image_file="", original_image_id=""), "original") == ""
