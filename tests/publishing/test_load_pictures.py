"""`load_pairs(images=DIR)`: columns of images that are decoded when they are read, from wherever they lie."""

import io
import pickle
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import datasets
import pytest
from PIL import Image

import diptych
from diptych.demo import make_world
from diptych.errors import BadInputError
from diptych.folder import SIDES, PairImages
from diptych.folder.filesystem import PictureFileSystem
from diptych.images import MissingImageError, open_images


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictured") / "data"
    make_world(folder, 24)
    return folder


@pytest.fixture(scope="module")
def builds(world: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("builds")
    carets = {"pairs": 15}
    diptych.build("rad-cads", world, root / "file", configs=("convqa_l", "convqa_cs"))
    diptych.build("rad-cads", world, root / "embed", configs=("convqa_cs",), parameters={"images": "embed"})
    diptych.build("carets", world, root / "made", configs=("visual", "negation"), parameters=carets)
    diptych.build("carets", world, root / "recipe", configs=("visual",), parameters={**carets, "images": "recipe"})
    return {path.name: path for path in root.iterdir() if path.is_dir()}


@pytest.fixture(scope="module")
def zipped(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pictures as the official archives have them."""
    folder = tmp_path_factory.mktemp("zipped")
    for name, inner, pattern in (
        ("val2014.zip", "val2014", "COCO_val2014_*.jpg"),
        ("train2014.zip", "train2014", "COCO_train2014_*.jpg"),
        ("images2.zip", "VG_100K_2", "[0-9]*.jpg"),
    ):
        with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted((world / "images").glob(pattern)):
                archive.write(path, f"{inner}/{path.name}")
    return folder


def check_pictures(pairs: Any, images: Path) -> None:
    """Every picture is the one that its row names."""
    reader = PairImages(open_images(images))
    plain = pairs.remove_columns([f"{side}_image" for side in SIDES])
    assert len(pairs) > 0
    for row, pictured in zip(plain, pairs, strict=True):
        for side in SIDES:
            content = reader.read(row, side)
            assert content is not None
            assert pictured[f"{side}_image"].tobytes() == Image.open(io.BytesIO(content)).convert("RGB").tobytes()


@pytest.mark.parametrize("config", ["convqa_l", "convqa_cs"])
@pytest.mark.parametrize("is_zipped", [False, True])
def test_pictures_of_files_are_images(
    config: str, is_zipped: bool, builds: dict[str, Path], world: Path, zipped: Path
) -> None:
    images = zipped if is_zipped else world / "images"
    pairs = diptych.load_pairs(builds["file"], config, images=images)
    assert pairs.features["original_image"] == pairs.features["perturbed_image"] == datasets.Image()
    check_pictures(pairs, world / "images")


@pytest.mark.parametrize("is_zipped", [False, True])
def test_recipes_are_followed(is_zipped: bool, builds: dict[str, Path], world: Path, zipped: Path) -> None:
    pairs = diptych.load_pairs(builds["recipe"], "visual", images=zipped if is_zipped else world)
    check_pictures(pairs, world)
    carried = diptych.load_pairs(builds["made"], "visual")
    by_id = {row["pair_id"]: row for row in carried}
    assert all(row["perturbed_image"] == by_id[row["pair_id"]]["perturbed_image"] for row in pairs)


def test_what_a_row_carries_is_left_as_it_is(builds: dict[str, Path], tmp_path: Path) -> None:
    """Pictures that are there already need no folder, and are not copied."""
    pairs = diptych.load_pairs(builds["embed"], images=tmp_path)
    assert pairs[0]["original_image"] == diptych.load_pairs(builds["embed"])[0]["original_image"]


def test_a_union_gets_the_pictures_that_it_lacks(builds: dict[str, Path], world: Path) -> None:
    """The visual test carries what it made, the test of words beside it has only names."""
    before = diptych.load_pairs(builds["made"])
    assert {row["original_image"] is None for row in before} == {True, False}
    pairs = diptych.load_pairs(builds["made"], images=world)
    assert all(row[f"{side}_image"] is not None for row in pairs for side in SIDES)
    assert {row["test"] for row in pairs} == {"carets.visual", "carets.negation"}
    check_pictures(pairs, world)


def test_nothing_is_read_before_it_is_asked_for(builds: dict[str, Path], world: Path, tmp_path: Path) -> None:
    images = tmp_path / "images"
    shutil.copytree(world / "images", images)
    pairs = diptych.load_pairs(builds["file"], "convqa_cs", images=images)
    last = pairs[len(pairs) - 1]["original_image_file"]
    for path in images.rglob("COCO_*.jpg"):
        if path.name != last:
            path.unlink()
    assert pairs[len(pairs) - 1]["original_image"].size
    with pytest.raises(FileNotFoundError):
        pairs[0]


def test_columns_slices_and_maps_work(builds: dict[str, Path], zipped: Path) -> None:
    pairs = diptych.load_pairs(builds["file"], "convqa_cs", images=zipped)
    assert pairs["original_image"][0].size == pairs[:2]["perturbed_image"][1].size
    sizes = pairs.map(lambda row: {"width": row["original_image"].width}, num_proc=2, load_from_cache_file=False)
    assert set(sizes["width"]) == {pairs[0]["original_image"].width}
    again = pickle.loads(pickle.dumps(pairs))
    assert again[0]["original_image"] == pairs[0]["original_image"]


def test_another_process_opens_them_without_being_told(builds: dict[str, Path], zipped: Path) -> None:
    """The addresses are known to fsspec wherever the package is installed."""
    pairs = diptych.load_pairs(builds["file"], "convqa_l", images=zipped)
    cell = pairs.cast_column("original_image", datasets.Image(decode=False))[0]["original_image"]
    assert cell["path"].startswith("diptych://")
    code = "import sys, datasets; print(datasets.Image().decode_example({'bytes': None, 'path': sys.argv[1]}).size)"
    command = [sys.executable, "-c", code, cell["path"]]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.stdout.strip() == "(320, 240)", process.stderr


def test_saved_pairs_hold_their_pictures(builds: dict[str, Path], world: Path, zipped: Path, tmp_path: Path) -> None:
    shutil.copytree(zipped, tmp_path / "images")
    diptych.load_pairs(builds["recipe"], "visual", images=tmp_path / "images").save_to_disk(tmp_path / "saved")
    shutil.rmtree(tmp_path / "images")
    check_pictures(datasets.load_from_disk(tmp_path / "saved"), world)


def test_errata_are_still_left_out(builds: dict[str, Path], world: Path, tmp_path: Path) -> None:
    shutil.copytree(builds["file"], tmp_path / "out")
    first = diptych.load_pairs(tmp_path / "out", "convqa_cs")["pair_id"][0]
    line = f'{{"pair_id": "{first}", "reason": "wrong", "since": "1.0.0"}}\n'
    (tmp_path / "out" / "errata.jsonl").write_text(line)
    pairs = diptych.load_pairs(tmp_path / "out", "convqa_cs", images=world)
    assert first not in pairs["pair_id"]
    check_pictures(pairs, world)


def test_a_missing_picture_is_one_line(builds: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(MissingImageError, match=r"COCO_\w+\.jpg: not below .*diptych images"):
        diptych.load_pairs(builds["file"], "convqa_cs", images=tmp_path)


@pytest.mark.parametrize("address", ["", "7.jpg", "bm8=/7.jpg", "WzFd/7.jpg", "e30=/7.jpg"])
def test_an_address_that_is_none_is_one_line(address: str) -> None:
    with pytest.raises(BadInputError, match="not the address of a picture"):
        PictureFileSystem().open(f"diptych://{address}")
