"""The pictures of review pages: found by name, each once, as large as a page shows them."""

from pathlib import Path

import pytest
from PIL import Image

from diptych.images import image_size, open_images
from diptych.pairs import pairs_table
from diptych.report.review import PagePictures, choose_items, write_folder
from diptych.report.review._pictures import for_reading, read_picture
from tests.folders import some_pairs


def picture_of(images: Path, image_id: str, **columns: str) -> bytes:
    return read_picture({"original_image_id": image_id, **columns}, "original", open_images(images))


@pytest.mark.parametrize("name", ["7.jpg", "COCO_val2014_000000000007.jpg"])
def test_an_image_is_found_by_its_id(name: str, tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / name)
    assert picture_of(tmp_path, "7") == (tmp_path / name).read_bytes()


def test_an_image_is_taken_by_the_name_of_its_file(tmp_path: Path) -> None:
    """Visual Genome has a picture 7 too."""
    coco = "COCO_val2014_000000000007.jpg"
    for name, color in (("7.jpg", "red"), (coco, "blue")):
        Image.new("RGB", (4, 4), color).save(tmp_path / name)
    assert picture_of(tmp_path, "7", original_image_file=coco) == (tmp_path / coco).read_bytes()
    (tmp_path / coco).unlink()
    assert picture_of(tmp_path, "7", original_image_file=coco) == b""


@pytest.mark.parametrize("name", ["../secret.jpg", "/etc/passwd", "8", ""])
def test_an_image_that_is_not_in_the_folder_is_left_out(name: str, tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    Image.new("RGB", (4, 4)).save(tmp_path / "secret.jpg")
    assert picture_of(tmp_path / "images", name) == b""


def test_sides_without_their_image_are_counted(tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "0.jpg")
    pictures = PagePictures(open_images(tmp_path))
    write_folder(tmp_path / "pages", "t", choose_items(pairs_table(some_pairs(2)).to_pylist()), pictures)
    assert pictures.missing == 2


def test_a_picture_of_several_sides_is_one_file(tmp_path: Path) -> None:
    for number in range(3):
        Image.new("RGB", (4, 4)).save(tmp_path / f"{number}.jpg")
    items = choose_items(pairs_table(some_pairs(3)).to_pylist())
    write_folder(tmp_path / "pages", "t", items, PagePictures(open_images(tmp_path)))
    assert len(list((tmp_path / "pages" / "pictures").iterdir())) == 1


def test_a_picture_that_fits_is_not_touched(tmp_path: Path) -> None:
    Image.new("RGB", (640, 480), "red").save(tmp_path / "a.png")
    content = (tmp_path / "a.png").read_bytes()
    assert for_reading(content) == content


def test_a_large_picture_is_made_smaller_and_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned
    Image.new("RGB", (3000, 1000), "red").save(tmp_path / "a.jpg", exif=exif)
    assert image_size(for_reading((tmp_path / "a.jpg").read_bytes())) == (341, 1024)
