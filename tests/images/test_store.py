"""A folder of pictures: every layout that the publishers use, and none of what an attacker would like."""

import os
import pickle
import struct
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from diptych.errors import BadInputError, MissingFileError
from diptych.images import ImageStore, MissingImageError, image_file_name, image_size, open_images

COCO = "COCO_val2014_000000001264.jpg"
DIALOG = "VisualDialog_val2018_000000001264.jpg"
ILSVRC = "ILSVRC2012_test_00050748.JPEG"


def write_files(root: Path, *names: str) -> None:
    """Files whose content is their own path."""
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)


def write_zip(path: Path, members: Mapping[str, bytes | str] | tuple[str, ...], compression: int = 0) -> None:
    """An archive; members that are given by name alone hold it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    contents = members if isinstance(members, Mapping) else {name: name for name in members}
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        (COCO, COCO),
        (COCO, f"val2014/{COCO}"),
        (COCO, f"coco/images/val2014/{COCO}"),
        ("COCO_train2014_000000458752.jpg", "train2014/COCO_train2014_000000458752.jpg"),
        ("COCO_test2015_000000262144.jpg", "test2015/COCO_test2015_000000262144.jpg"),
        ("2407890.jpg", "2407890.jpg"),
        ("2407890.jpg", "VG_100K/2407890.jpg"),
        ("2407890.jpg", "vg/VG_100K_2/2407890.jpg"),
        ("n161313.jpg", "gqa/images/n161313.jpg"),
        ("VG_100K/2407890.jpg", "VG_100K/2407890.jpg"),
        ("VG_100K/2407890.jpg", "images/2407890.jpg"),
        (DIALOG, f"visdial/VisualDialog_val2018/{DIALOG}"),
        (ILSVRC, f"fvqa/new_dataset_release/images/{ILSVRC}"),
        (COCO, f"fvqa/new_dataset_release/images/{COCO}"),
        ("MMVP Images/1.jpg", "mmvp/MMVP Images/1.jpg"),
        ("VD/figure/0_1.png", "hallusion_bench/VD/figure/0_1.png"),
    ],
)
def test_a_picture_is_found_where_its_publisher_puts_it(name: str, place: str, tmp_path: Path) -> None:
    write_files(tmp_path, place)
    store = open_images(tmp_path)
    found = store.find(name)
    assert found is not None
    assert (found.path, found.member) == (tmp_path / place, "")
    assert store.read(name).decode() == place


@pytest.mark.parametrize(
    ("name", "archive", "member"),
    [
        (COCO, "val2014.zip", f"val2014/{COCO}"),
        (COCO, "coco/val2014.zip", f"val2014/{COCO}"),
        ("2407890.jpg", "images.zip", "VG_100K/2407890.jpg"),
        ("2407890.jpg", "vg/images2.zip", "VG_100K_2/2407890.jpg"),
        ("2407890.jpg", "gqa/images.zip", "images/2407890.jpg"),
        ("VG_100K/2407890.jpg", "images.zip", "VG_100K/2407890.jpg"),
        (DIALOG, "visdial/VisualDialog_val2018.zip", f"VisualDialog_val2018/{DIALOG}"),
        (ILSVRC, "fvqa/new_dataset_release.zip", f"new_dataset_release/images/{ILSVRC}"),
        ("VD/figure/0_1.png", "hallusion_bench.zip", "hallusion_bench/VD/figure/0_1.png"),
    ],
)
def test_an_official_archive_is_read_in_place(name: str, archive: str, member: str, tmp_path: Path) -> None:
    write_zip(tmp_path / archive, (member,))
    store = open_images(tmp_path)
    assert store.read(name).decode() == member
    assert str(store.find(name)) == f"{tmp_path / archive}:{member}"
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == [archive.rpartition("/")[2]]


@pytest.mark.parametrize("place", ["val2014/1264.jpg", "coco/1264.jpg", "train2017/1264.jpg", "MMVP Images/1264.jpg"])
@pytest.mark.parametrize("is_zipped", [False, True])
def test_a_number_in_a_folder_of_somebody_else_is_not_visual_genomes(
    place: str, is_zipped: bool, tmp_path: Path
) -> None:
    if is_zipped:
        write_zip(tmp_path / "images.zip", (place,))
        write_zip(tmp_path / f"{place.partition('/')[0]}.zip", ("1264.jpg",))
    else:
        write_files(tmp_path, place)
    assert open_images(tmp_path).find("1264.jpg") is None
    write_files(tmp_path, "VG_100K_2/1264.jpg")
    assert open_images(tmp_path).read("1264.jpg") == b"VG_100K_2/1264.jpg"


def test_a_number_in_cocos_own_folder_is_not_visual_genomes(tmp_path: Path) -> None:
    write_files(tmp_path / "val2014", "1264.jpg", COCO)
    store = open_images(tmp_path / "val2014")
    assert store.find("1264.jpg") is None
    assert store.find(COCO) is not None


def test_the_same_number_leads_to_the_picture_of_its_source(tmp_path: Path) -> None:
    write_files(tmp_path, "1264.jpg", f"val2014/{COCO}", f"VisualDialog_val2018/{DIALOG}", "MMVP Images/1264.jpg")
    store = open_images(tmp_path)
    names = ("1264.jpg", COCO, DIALOG, "MMVP Images/1264.jpg")
    assert [store.read(name).decode().rpartition("/")[2] for name in names] == ["1264.jpg", COCO, DIALOG, "1264.jpg"]
    assert store.read("MMVP Images/1264.jpg") == b"MMVP Images/1264.jpg"


def test_a_benchmarks_picture_is_not_another_of_that_number(tmp_path: Path) -> None:
    write_files(tmp_path, "1.jpg", "VG_100K/1.jpg")
    assert open_images(tmp_path).find("MMVP Images/1.jpg") is None


def test_a_split_of_coco_is_not_taken_for_another(tmp_path: Path) -> None:
    write_files(tmp_path, "train2014/COCO_train2014_000000001264.jpg")
    assert open_images(tmp_path).find(COCO) is None


def test_official_folders_come_before_loose_files(tmp_path: Path) -> None:
    write_files(tmp_path, "7.jpg", "VG_100K/7.jpg")
    assert open_images(tmp_path).read("7.jpg") == b"VG_100K/7.jpg"


def test_a_missing_picture_is_one_line_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(MissingImageError) as caught:
        open_images(tmp_path).read(COCO)
    message = str(caught.value)
    assert "\n" not in message
    assert all(part in message for part in (COCO, str(tmp_path), "val2014/", "http://images.cocodataset.org/val2014/"))


def test_missing_pictures_are_listed_once(tmp_path: Path) -> None:
    write_files(tmp_path, "1.jpg")
    assert open_images(tmp_path).missing(["3.jpg", "1.jpg", "2.jpg", "3.jpg"]) == ["3.jpg", "2.jpg"]


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="no such folder of images"):
        open_images(tmp_path / "none")


# Hostile names and files.


ODD_NAMES = ("images", "VG_100K//7.jpg", ".hidden.jpg", "x" * 300, "a/" * 150, "\u0661.jpg", " 7.jpg")


@pytest.mark.parametrize(
    "name",
    [
        *ODD_NAMES,
        "",
        ".",
        "..",
        "../secret.jpg",
        "images/../../secret.jpg",
        "/etc/passwd",
        "a\\b.jpg",
        "a\x00b",
        "*.jpg",
    ],
)
def test_a_name_that_leads_elsewhere_finds_nothing(name: str, tmp_path: Path) -> None:
    write_files(tmp_path, "secret.jpg", "images/7.jpg", "images/images/7.jpg", "images/.hidden.jpg")
    assert open_images(tmp_path / "images").find(name) is None
    with pytest.raises(MissingImageError):
        open_images(tmp_path / "images").read(name)


def test_members_of_an_archive_that_climb_are_only_names(tmp_path: Path) -> None:
    write_zip(tmp_path / "images.zip", ("../../1.jpg", "/2.jpg", "images/3.jpg"))
    store = open_images(tmp_path)
    assert store.find("1.jpg") is None
    assert store.read("3.jpg") == b"images/3.jpg"
    assert sorted(os.listdir(tmp_path)) == ["images.zip"]


def test_links_that_go_round_end(tmp_path: Path) -> None:
    write_files(tmp_path, "images/7.jpg")
    (tmp_path / "images" / "images").symlink_to(tmp_path)
    (tmp_path / "images" / "8.jpg").symlink_to("8.jpg")
    store = open_images(tmp_path)
    assert store.read("7.jpg") == b"images/7.jpg"
    assert store.find("8.jpg") is None


def test_a_pipe_is_no_picture(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "7.jpg")
    os.mkfifo(tmp_path / "images.zip")
    assert open_images(tmp_path).find("7.jpg") is None


def bomb(path: Path) -> None:
    write_zip(path, {"images/7.jpg": b"\0" * 30_000_000}, zipfile.ZIP_DEFLATED)


def boasting(path: Path) -> None:
    """The directory of the archive promises four gigabytes."""
    write_zip(path, {"images/7.jpg": b"small"}, zipfile.ZIP_DEFLATED)
    content = bytearray(path.read_bytes())
    start = content.rindex(b"PK\x01\x02")
    content[start + 24 : start + 28] = struct.pack("<I", 0xFFFFFFF0)
    path.write_bytes(content)


def understating(path: Path) -> None:
    """The directory of the archive promises five bytes of thirty million."""
    bomb(path)
    content = bytearray(path.read_bytes())
    start = content.rindex(b"PK\x01\x02")
    content[start + 24 : start + 28] = struct.pack("<I", 5)
    path.write_bytes(content)


def spoiled(path: Path) -> None:
    write_zip(path, {"images/7.jpg": b"some content that is spoiled"})
    path.write_bytes(path.read_bytes().replace(b"that is", b"that XX"))


@pytest.mark.parametrize("write", [bomb, boasting, understating, spoiled])
def test_a_member_that_is_no_picture_is_one_line(write: Callable[[Path], None], tmp_path: Path) -> None:
    write(tmp_path / "images.zip")
    with pytest.raises(BadInputError, match=r"images\.zip:images/7\.jpg: ") as caught:
        open_images(tmp_path).read("7.jpg")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_too_large_is_one_line(tmp_path: Path) -> None:
    with (tmp_path / "7.jpg").open("wb") as file:
        file.truncate(200_000_000)
    with pytest.raises(BadInputError, match="larger than"):
        open_images(tmp_path).read("7.jpg")


def test_a_truncated_archive_is_an_error_only_for_what_is_nowhere_else(tmp_path: Path) -> None:
    write_zip(tmp_path / "images.zip", ("images/7.jpg", "images/8.jpg"))
    content = (tmp_path / "images.zip").read_bytes()
    (tmp_path / "images.zip").write_bytes(content[: len(content) // 2])
    write_files(tmp_path, "8.jpg")
    store = open_images(tmp_path)
    assert store.read("8.jpg") == b"8.jpg"
    with pytest.raises(BadInputError, match=r"images\.zip: a damaged or incomplete \.zip file .*; download it again"):
        store.find("7.jpg")


# Processes and threads.

NAMES = [f"{number}.jpg" for number in range(200)]


def zipped_store(tmp_path: Path) -> ImageStore:
    write_zip(tmp_path / "images.zip", {f"images/{name}": name * 2000 for name in NAMES}, zipfile.ZIP_DEFLATED)
    return open_images(tmp_path)


def test_threads_read_one_archive_at_once(tmp_path: Path) -> None:
    store = zipped_store(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        contents = list(pool.map(store.read, NAMES * 4))
    assert contents == [(name * 2000).encode() for name in NAMES * 4]


def test_forked_processes_read_one_archive_at_once(tmp_path: Path) -> None:
    store = zipped_store(tmp_path)
    assert store.read(NAMES[0])  # the handle is open before the fork
    with ProcessPoolExecutor(4, mp_context=get_context("fork")) as pool:
        contents = list(pool.map(store.read, NAMES))
    assert contents == [(name * 2000).encode() for name in NAMES]


def test_a_store_is_sent_by_its_folder(tmp_path: Path) -> None:
    store = zipped_store(tmp_path)
    store.read(NAMES[0])
    again = pickle.loads(pickle.dumps(store))
    assert again == store
    assert again.read(NAMES[1]) == store.read(NAMES[1])


def test_real_photographs_are_found_by_their_official_names(real_data: Path) -> None:
    store = open_images(real_data)
    names = [path.name for path in (real_data / "images").iterdir()]
    assert {image_file_name("vqa_v2", "262148", coco_split="val2014"), image_file_name("gqa", "n578564")} <= set(names)
    assert all(image_size(store.read(name)) for name in names)
    assert store.find("262148.jpg") is None  # COCO's number, and no picture of Visual Genome
