"""Pictures on cards: three examples, small, listed with their hashes, and only where their pictures are at hand."""

import io
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import diptych
from diptych.audit import audit_folder
from diptych.cards import CARD, draw_pictures
from diptych.cards._pictures import MOST_BYTES
from diptych.demo import make_world
from diptych.files import file_digest
from diptych.folder import BuiltFolder, Manifest, open_folder
from tests.commands import run

CONFIGS = ("yn_from_color", "yn_from_how_many", "yn_from_what_kind")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictured") / "data"
    make_world(folder, 30)
    return folder


@pytest.fixture(scope="module")
def built(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """rad-cads with its pictures in files; tests that change it work on a copy."""
    return diptych.build("rad-cads", world, tmp_path_factory.mktemp("built") / "out", configs=CONFIGS).path


@pytest.fixture
def copy(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "copy"))


def pictures(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "assets").glob("pair-*"))}


def manifest(folder: Path) -> Manifest:
    return open_folder(folder).manifest


def test_three_examples_of_different_tests_are_drawn(built: Path) -> None:
    entries = manifest(built).pictures or {}
    ids = {entry.pair_id for entry in entries.values()}
    examples = [row for *_, split in manifest(built).own_splits() for row in split.examples]
    assert list(entries) == [f"assets/pair-{number}.jpg" for number in (1, 2, 3)]
    assert len({row.test for row in examples if row.pair_id in ids}) == 3


def test_pictures_are_small_and_listed_with_their_hashes(built: Path) -> None:
    for name, entry in (manifest(built).pictures or {}).items():
        assert entry.sha256 == file_digest(built / name)
        assert entry.bytes == (built / name).stat().st_size <= MOST_BYTES
        with Image.open(built / name) as image:
            assert (image.format, image.size) == ("JPEG", (entry.width, entry.height))
            assert not image.getexif()


def test_the_card_says_in_words_what_a_picture_shows_and_where_it_comes_from(built: Path) -> None:
    card = (built / CARD).read_text(encoding="utf-8")
    for name, entry in (manifest(built).pictures or {}).items():
        (file,) = entry.names
        assert f"![The picture {file}, which both questions are about]({name})" in card
        assert f"| picture | {file} | the same |" in card
    assert "The pictures belong to their owners" in card


def test_the_same_bytes_come_from_every_number_of_workers(world: Path, built: Path, tmp_path: Path) -> None:
    diptych.build("rad-cads", world, tmp_path / "again", configs=CONFIGS, num_proc=2)
    assert pictures(tmp_path / "again") == pictures(built)
    assert (tmp_path / "again" / CARD).read_bytes() == (built / CARD).read_bytes()
    assert (tmp_path / "again" / "manifest.json").read_bytes() == (built / "manifest.json").read_bytes()


def test_without_the_images_there_are_no_pictures(tmp_path: Path) -> None:
    make_world(tmp_path / "data", 30, pictures=False)
    folder = diptych.build("rad-cads", tmp_path / "data", tmp_path / "out", configs=CONFIGS[:1])
    assert folder.manifest.pictures is None
    assert "assets/pair" not in (tmp_path / "out" / CARD).read_text(encoding="utf-8")


def test_no_pictures_leaves_them_out_of_a_build(world: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("build", "rad-cads", "--data", world, "--out", out, "--config", CONFIGS[0], "--no-pictures") == 0
    assert pictures(out) == {}
    assert manifest(out).pictures is None


def test_a_card_that_is_rendered_again_keeps_its_pictures(copy: Path, built: Path) -> None:
    assert run("card", copy) == 0
    assert pictures(copy) == pictures(built)
    assert (copy / CARD).read_bytes() == (built / CARD).read_bytes()


def test_pictures_are_taken_off_and_drawn_again(copy: Path, built: Path, world: Path) -> None:
    assert run("card", copy, "--no-pictures") == 0
    assert pictures(copy) == {}
    assert "assets/pair" not in (copy / CARD).read_text(encoding="utf-8")
    assert run("card", copy, "--images", world / "images") == 0
    assert pictures(copy) == pictures(built)
    assert (copy / "manifest.json").read_bytes() == (built / "manifest.json").read_bytes()


def test_images_and_no_pictures_is_one_line(copy: Path, world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("card", copy, "--images", world, "--no-pictures") == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_picture_that_cannot_be_read_is_not_drawn(copy: Path, world: Path, tmp_path: Path) -> None:
    (first, *_) = (entry.names[0] for entry in (manifest(copy).pictures or {}).values())
    images = Path(shutil.copytree(world / "images", tmp_path / "images"))
    (images / first).write_bytes(b"no picture")
    folder = draw_pictures(open_folder(copy), images)
    names = [entry.names for entry in (folder.manifest.pictures or {}).values()]
    assert len(names) == 3
    assert (first,) not in names


def test_a_large_photograph_becomes_a_small_picture(copy: Path, world: Path, tmp_path: Path) -> None:
    images = Path(shutil.copytree(world / "images", tmp_path / "images"))
    noise = np.random.default_rng(0).integers(0, 256, (1500, 2000, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, "JPEG")
    for entry in (manifest(copy).pictures or {}).values():
        (images / entry.names[0]).write_bytes(file.getvalue())
    folder = draw_pictures(open_folder(copy), images)
    assert all(entry.bytes <= MOST_BYTES for entry in (folder.manifest.pictures or {}).values())


@pytest.mark.parametrize("images", ["recipe", "file"])
def test_both_views_are_side_by_side_with_their_boxes(images: str, world: Path, tmp_path: Path) -> None:
    """From a recipe, and from the pictures that the rows carry."""
    parameters = {"pairs": 15, "images": images}
    folder = diptych.build("carets", world, tmp_path / "out", configs=("visual",), parameters=parameters)
    entry = next(iter((folder.manifest.pictures or {}).values()))
    assert entry.operation
    assert entry.boxes
    with Image.open(tmp_path / "out" / "assets" / "pair-1.jpg") as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    yellow = (pixels[..., 0] > 200) & (pixels[..., 1] > 170) & (pixels[..., 2] < 90)
    assert yellow[:, : image.width // 2].any(), "the box"
    card = (tmp_path / "out" / CARD).read_text(encoding="utf-8")
    assert f"right, what the operation {entry.operation} makes of it](assets/pair-1.jpg)" in card


def test_embedded_pictures_need_no_folder(world: Path, tmp_path: Path) -> None:
    parameters = {"images": "embed"}
    out = tmp_path / "out"
    diptych.build("rad-cads", world, out, configs=CONFIGS[:1], parameters=parameters, pictures=False)
    assert run("card", out) == 0
    assert len(pictures(out)) == 3


def changed(folder: Path) -> BuiltFolder:
    (folder / "assets" / "pair-2.jpg").write_bytes(b"another")
    return open_folder(folder)


def test_the_audit_sees_a_changed_picture(copy: Path) -> None:
    findings = audit_folder(changed(copy)).findings
    (hashes,) = (entry for entry in findings if entry.name == "file hashes")
    assert (hashes.level, "assets/pair-2.jpg" in hashes.message) == ("error", True)
