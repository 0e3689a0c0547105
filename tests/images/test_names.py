"""Images: from an id to the official file name and to its address."""

import pytest

from diptych.images import image_file_name, image_url, is_plain_name


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


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("COCO_val2014_000000262148.jpg", "http://images.cocodataset.org/val2014/COCO_val2014_000000262148.jpg"),
        ("COCO_test2015_000000262144.jpg", "http://images.cocodataset.org/test2015/COCO_test2015_000000262144.jpg"),
        ("VG_100K_2/2407890.jpg", "https://cs.stanford.edu/people/rak248/VG_100K_2/2407890.jpg"),
        ("MMVP Images/1.jpg", "https://huggingface.co/datasets/MMVP/MMVP/resolve/main/MMVP%20Images/1.jpg"),
        ("2407890.jpg", ""),  # in one of two folders
        ("n161313.jpg", ""),
        ("VisualDialog_val2018_000000185565.jpg", ""),
        ("ILSVRC2012_test_00050748.JPEG", ""),
        ("../2407890.jpg", ""),
        ("VG_100K/../2407890.jpg", ""),
        ("", ""),
    ],
)
def test_a_picture_has_its_official_address_where_one_is_known(name: str, url: str) -> None:
    assert image_url(name) == url
