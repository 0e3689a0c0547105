"""What annotators see: each pair once, with its images where they are."""

import base64
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from diptych.images import open_images
from diptych.pairs import pairs_table
from diptych.report.review import choose_items, missing_images
from diptych.report.review._items import image_data
from tests.folders import some_pairs

ROWS = pairs_table(some_pairs(12)).to_pylist()


def test_equal_pairs_of_several_folds_are_one_item() -> None:
    folds = [replace(pair, source_id=f"{pair.source_id}-{fold}") for fold in range(3) for pair in some_pairs(4)]
    items = choose_items(pairs_table(folds).to_pylist())
    assert [len(item.pair_ids) for item in items] == [3] * 4


def test_pairs_of_two_tests_are_two_items() -> None:
    pairs = [replace(pair, test=test) for test in ("toy.a", "toy.b") for pair in some_pairs(1)]
    assert len(choose_items(pairs_table(pairs).to_pylist())) == 2


def test_a_sample_has_its_size() -> None:
    assert len(choose_items(ROWS, 5, seed=3)) == 5


def test_a_sample_is_the_same_in_any_order() -> None:
    assert choose_items(ROWS, 5, seed=3) == choose_items(ROWS[::-1], 5, seed=3)


def test_another_seed_draws_another_sample() -> None:
    assert choose_items(ROWS, 5, seed=3) != choose_items(ROWS, 5, seed=4)


def test_a_sample_of_more_than_there_are_is_all() -> None:
    assert choose_items(ROWS, 100) == choose_items(ROWS)


def data_of(images: Path, image_id: str, **columns: str) -> str:
    return image_data({"original_image_id": image_id, **columns}, "original", open_images(images))


def base64_of(path: Path) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(path.read_bytes()).decode()}"


@pytest.mark.parametrize("name", ["7.jpg", "COCO_val2014_000000000007.jpg"])
def test_an_image_is_put_into_the_page(name: str, tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / name)
    assert data_of(tmp_path, "7") == base64_of(tmp_path / name)


def test_an_image_is_taken_by_the_name_of_its_file(tmp_path: Path) -> None:
    """Visual Genome has a picture 7 too."""
    coco = "COCO_val2014_000000000007.jpg"
    for name, color in (("7.jpg", "red"), (coco, "blue")):
        Image.new("RGB", (4, 4), color).save(tmp_path / name)
    assert data_of(tmp_path, "7", original_image_file=coco) == base64_of(tmp_path / coco)
    (tmp_path / coco).unlink()
    assert data_of(tmp_path, "7", original_image_file=coco) == ""


@pytest.mark.parametrize("name", ["../secret.jpg", "/etc/passwd", "8", ""])
def test_an_image_that_is_not_in_the_folder_is_left_out(name: str, tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    Image.new("RGB", (4, 4)).save(tmp_path / "secret.jpg")
    assert data_of(tmp_path / "images", name) == ""


def test_sides_without_their_image_are_counted(tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "0.jpg")
    entries = [item.as_json(open_images(tmp_path)) for item in choose_items(ROWS[:2])]
    assert missing_images(entries) == 2
