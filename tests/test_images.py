"""Images: from an id to the official file name, and to a file that lies inside its folder."""

from pathlib import Path

import pytest

from diptych.images import image_file_name, image_path, is_plain_name


@pytest.mark.parametrize(
    ("source", "image_id", "split", "coco_split", "name"),
    [
        ("vqa_v2", "1264", "val", "val2014", "COCO_val2014_000000001264.jpg"),
        ("vqa_v2", "1264", "test-dev", "test-dev2015", "COCO_test2015_000000001264.jpg"),
        ("vqa_v2", "1264", "val", "", ""),
        ("vqa_v2", "n1264", "val", "val2014", ""),
        ("visdial", "185565", "val", "", "VisualDialog_val2018_000000185565.jpg"),
        ("visdial", "185565", "train", "", ""),
        ("gqa", "2407890", "val", "", "2407890.jpg"),
        ("gqa", "n161313", "val", "", "n161313.jpg"),
        ("vg", "../2407890", "", "", ""),
    ],
)
def test_an_image_has_its_official_name(source: str, image_id: str, split: str, coco_split: str, name: str) -> None:
    assert image_file_name(source, image_id, split, coco_split) == name


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "a/b", "/etc/passwd", "a\\b", "a\n", "*", "x" * 300, " a"])
def test_a_name_that_could_lead_elsewhere_is_not_plain(name: str) -> None:
    assert not is_plain_name(name)


def test_an_image_is_found_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "7.jpg").touch()
    assert image_path(tmp_path, "7.jpg") == tmp_path / "7.jpg"


@pytest.mark.parametrize("name", ["8.jpg", "../secret.jpg", "folder"])
def test_an_image_that_is_not_there_is_none(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret.jpg").touch()
    (tmp_path / "images" / "folder").mkdir(parents=True)
    assert image_path(tmp_path / "images", name) is None
