"""Pictures in rows: every dataset can carry them, and a pair that lacks one is skipped with its reason."""

import io
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from PIL import Image

import diptych
from diptych.builders import _assembly, dataset_names, get_dataset
from diptych.demo import make_world
from diptych.errors import BadInputError, MissingFileError
from diptych.folder import SIDES, BuiltFolder, PairImages
from diptych.images import open_images
from tests.commands import run

CONFIGS = {
    "bqd": {"configs": ("shuffled",)},
    "carets": {"parameters": {"pairs": 20}},
    "fvqa2": {"configs": ("fold_0",)},
    "kb-counterfactuals": {},
    "paired-benchmarks": {"configs": ("hallusionbench", "mmvp", "pope", "mme")},
    "rad-cads": {"configs": ("yn_from_color", "visdial", "convqa_l", "convqa_cs")},
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictured") / "data"
    make_world(folder, 40)
    return folder


def build(name: str, data: Path, out: Path, images: str = "", **options: Any) -> BuiltFolder:
    chosen = {**CONFIGS[name], **options}
    chosen["images"] = chosen.pop("images_folder", None)
    parameters = {**chosen.pop("parameters", {}), **({"images": images} if images else {})}
    return diptych.build(name, data, out, parameters=parameters, **chosen)


def rows_of(folder: BuiltFolder) -> list[dict[str, Any]]:
    splits = [(config, split) for config, split, _ in folder.manifest.own_splits()]
    return [row for config, split in splits for batch in folder.batches(config, split) for row in batch.to_pylist()]


def pixels(content: bytes | None) -> bytes:
    assert content
    with Image.open(io.BytesIO(content)) as image:
        return image.convert("RGB").tobytes()


@pytest.fixture(scope="module", params=sorted(CONFIGS))
def builds(request: pytest.FixtureRequest, world: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A dataset with names of files, and with pictures."""
    root = tmp_path_factory.mktemp("builds")
    return build(request.param, world, root / "file"), build(request.param, world, root / "embed", "embed"), world


def test_every_dataset_of_ours_is_tried() -> None:
    assert {name for name in dataset_names() if get_dataset(name).__module__.startswith("diptych.")} == set(CONFIGS)


def test_every_pair_of_any_dataset_carries_its_pictures(builds: Any) -> None:
    named, embedded, world = builds
    rows = rows_of(embedded)
    assert {row["pair_id"] for row in rows} == {row["pair_id"] for row in rows_of(named)}
    images = PairImages(open_images(world))
    for row in rows:
        plain = {name: value for name, value in row.items() if name not in ("original_image", "perturbed_image")}
        for side in SIDES:
            assert row[f"{side}_image"]["bytes"] == images.read(plain, side)
            assert pixels(row[f"{side}_image"]["bytes"])


def test_pictures_are_images_to_the_library_and_to_the_audit(builds: Any) -> None:
    _, embedded, _ = builds
    config = embedded.manifest.default
    features = {feature["name"]: feature for feature in embedded.features(config)}
    assert features["original_image"]["dtype"] == features["perturbed_image"]["dtype"] == "image"
    findings = {finding.name: finding for finding in diptych.check(embedded.path).findings}
    assert findings["images"].level == findings["content hashes"].level == "ok"
    assert sum(entry.images for _, _, entry in embedded.manifest.own_splits()) == findings["images"].numbers["images"]


def test_names_of_files_are_the_default(world: Path, tmp_path: Path) -> None:
    first, second = (build("rad-cads", world, tmp_path / str(n), images) for n, images in enumerate(("", "file")))
    third = build("rad-cads", world, tmp_path / "recipe", "recipe")
    for _, _, entry in (*first.manifest.own_splits(), *second.manifest.own_splits(), *third.manifest.own_splits()):
        assert entry.images == 0
    hashes = [[entry.content_hash for _, _, entry in each.manifest.own_splits()] for each in (first, second, third)]
    assert hashes[0] == hashes[1] == hashes[2]


def test_the_visual_test_carries_what_no_file_holds(world: Path, tmp_path: Path) -> None:
    """As names of files only the pictures that the build makes are carried; as recipes none."""
    named, carried, recipes = (
        build("carets", world, tmp_path / (images or "default"), images, configs=("visual", "negation"))
        for images in ("", "embed", "recipe")
    )
    counts = [
        {
            config: sum(split.images > 0 for split in entry.splits.values())
            for config, entry in each.manifest.configs.items()
        }
        for each in (named, carried, recipes)
    ]
    assert counts == [{"visual": 2, "negation": 0}, {"visual": 2, "negation": 2}, {"visual": 0, "negation": 0}]
    splits = [each.manifest.configs["visual"].splits["validation"].content_hash for each in (named, carried)]
    assert splits[0] == splits[1]


def test_pictures_come_out_of_official_archives(world: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(world, data, ignore=lambda folder, names: {"images"} & set(names))
    (data / "coco").mkdir()
    for part in ("train2014", "val2014"):
        with zipfile.ZipFile(data / "coco" / f"{part}.zip", "w") as archive:
            for path in (world / "images").glob(f"COCO_{part}_*.jpg"):
                archive.write(path, f"{part}/{path.name}")
    with zipfile.ZipFile(data / "vg" / "images.zip", "w") as archive:
        for path in (world / "images").glob("[0-9]*.jpg"):
            archive.write(path, f"VG_100K/{path.name}")
    configs = ("yn_from_color", "convqa_l", "convqa_cs")
    zipped = build("rad-cads", data, tmp_path / "zipped", "embed", configs=configs)
    plain = build("rad-cads", world, tmp_path / "plain", "embed", configs=configs)
    for one, other in zip(zipped.manifest.own_splits(), plain.manifest.own_splits(), strict=True):
        assert one[2].content_hash == other[2].content_hash


def test_a_pair_without_its_picture_is_skipped_with_a_reason(world: Path, tmp_path: Path) -> None:
    images = tmp_path / "images"
    shutil.copytree(world / "images", images)
    whole = build("rad-cads", world, tmp_path / "whole", configs=("yn_from_color",))
    names = sorted({row["original_image_file"] for row in rows_of(whole) if "val2014" in row["original_image_file"]})
    for name in names[:2]:
        for path in images.rglob(name):
            path.unlink()
    (images / names[1]).write_bytes(b"no picture")
    part = build("rad-cads", world, tmp_path / "part", "embed", configs=("yn_from_color",), images_folder=images)
    before, after = (
        each.manifest.configs["yn_from_color"].ledger["validation"]["rad.yn_from_color"] for each in (whole, part)
    )
    gone, spoiled = (sum(row["original_image_file"] == name for row in rows_of(whole)) for name in names[:2])
    assert after.skipped["the image is missing"] == gone
    assert after.skipped["the image cannot be read"] == spoiled
    assert after.first["the image is missing"] == (names[0],)
    assert (after.seen, after.paired) == (before.seen, before.paired - gone - spoiled)
    assert {row["original_image_file"] for row in rows_of(whole)} - {
        row["original_image_file"] for row in rows_of(part)
    } == {*names[:2]}


def test_an_image_whose_file_nobody_names_is_skipped(world: Path, tmp_path: Path) -> None:
    folder = build("paired-benchmarks", world, tmp_path / "out", "embed", configs=("naturalbench", "pope"))
    counts = folder.manifest.configs["naturalbench"].ledger["test"]["benchmarks.same_question"]
    assert counts.skipped == {"the source does not name the file of the image": counts.seen}
    assert folder.manifest.configs["naturalbench"].splits == {}
    assert not (folder.path / "data" / "naturalbench").exists()


def test_a_question_without_an_image_keeps_its_pair(world: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(world / "images", data / "images")
    shutil.copytree(world / "hallusionbench", data / "hallusionbench")
    path = data / "hallusionbench" / "HallusionBench.json"
    path.write_text(path.read_text().replace('"visual_input": "1"', '"visual_input": "0"'))
    rows = rows_of(build("paired-benchmarks", data, tmp_path / "out", "embed", configs=("hallusionbench",)))
    assert rows
    assert all(row["original_image"] is None and row["perturbed_image"]["bytes"] for row in rows)


def test_row_groups_stay_small(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_assembly, "ROW_GROUP_BYTES", 200_000)
    folder = build("rad-cads", world, tmp_path / "out", "embed", configs=("convqa_l",))
    metadata = pq.ParquetFile(folder.files("convqa_l", "validation")[0]).metadata
    sizes = [metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)]
    assert len(sizes) > 2
    assert max(sizes) < 1_500_000  # a group ends once it is full: with the rows that are embedded at once


def test_embedding_does_not_depend_on_workers(world: Path, tmp_path: Path) -> None:
    one, two = (build("rad-cads", world, tmp_path / str(n), "embed", num_proc=n) for n in (1, 2))
    for first, second in zip(one.manifest.own_splits(), two.manifest.own_splits(), strict=True):
        assert first[2].files == second[2].files


def test_a_build_with_pictures_is_built_again(world: Path, tmp_path: Path) -> None:
    build("rad-cads", world, tmp_path / "out", "embed", configs=("convqa_cs",))
    assert diptych.rebuild(tmp_path / "out", world).differences == ()
    shutil.copytree(world / "images", tmp_path / "images")
    for path in (tmp_path / "images").glob("COCO_*.jpg"):
        path.unlink()
        Image.new("RGB", (8, 8)).save(path)
    (difference,) = diptych.rebuild(tmp_path / "out", world, images=tmp_path / "images").differences
    assert "different pairs" in difference


def test_a_world_without_pictures_cannot_be_embedded(world: Path, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    with pytest.raises(BadInputError, match="no input produced a pair"):
        build("rad-cads", world, tmp_path / "out", "embed", configs=("convqa_cs",), images_folder=tmp_path / "none")


def test_a_folder_of_images_that_is_not_there_is_one_line(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(MissingFileError, match="no such folder of images"):
        build("rad-cads", world, tmp_path / "out", images_folder=tmp_path / "none")
    arguments = ("--data", world, "--out", tmp_path / "out", "--images", tmp_path / "none")
    assert run("build", "rad-cads", *arguments) == 2
    assert capsys.readouterr().err.endswith("none: no such folder of images\n")


def test_a_damaged_archive_ends_the_build(world: Path, tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "val2014.zip").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(BadInputError, match=r"val2014\.zip: a damaged or incomplete \.zip file"):
        build("rad-cads", world, tmp_path / "out", "embed", images_folder=tmp_path / "images")
