"""`diptych images`: which pictures a dataset needs, which are missing, and how they come."""

import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import diptych
from diptych import downloads
from diptych.demo import make_world
from diptych.images import _names
from diptych.sources import _catalog
from tests.commands import run
from tests.publisher import Publisher, publisher


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictured") / "data"
    make_world(folder, 24)
    return folder


@pytest.fixture(scope="module")
def out(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built") / "out"
    diptych.build("rad-cads", world, path, configs=("convqa_cs", "convqa_l", "visdial"))
    return path


@pytest.fixture
def server(world: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    """COCO and Visual Genome on this machine, with the pictures of the miniature world."""
    monkeypatch.setattr(downloads.time, "sleep", lambda seconds: None)
    with publisher() as state:
        monkeypatch.setattr(_names, "COCO_URL", state.url)
        monkeypatch.setattr(_names, "VG_URL", state.url)
        for path in (world / "images").glob("*.jpg"):
            folder = path.name.split("_")[1] if path.name.startswith("COCO") else "VG_100K_2"
            state.files[f"/{folder}/{path.name}"] = path.read_bytes()
        yield state


def report(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, object]]:
    code = run("images", *arguments, "--json")
    return code, json.loads(capsys.readouterr().out)


def test_a_folder_that_has_all_is_said_so(out: Path, world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = report(capsys, out, "--images", world)
    assert (code, told["missing"]) == (0, 0)
    assert told["needed"] > 10  # type: ignore[operator]


def test_what_is_missing_is_told_with_its_archive(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("images", out, "--images", tmp_path, "--config", "convqa_cs") == 1
    text = capsys.readouterr().out
    assert "coco/val2014.zip" in text
    assert "6.6 GB" in text
    assert "missing: COCO_val2014_000000000001.jpg" in text


def test_nothing_is_fetched_unless_it_is_asked_for(out: Path, tmp_path: Path, server: Publisher) -> None:
    assert run("images", out, "--images", tmp_path) == 1
    assert server.requests == []
    assert list(tmp_path.iterdir()) == []


def test_missing_pictures_are_fetched_once(
    out: Path, world: Path, tmp_path: Path, server: Publisher, capsys: pytest.CaptureFixture[str]
) -> None:
    images = tmp_path / "new" / "images"
    server.cuts = [50, 500, 5]
    for config in ("convqa_cs", "convqa_l"):
        code, told = report(capsys, out, "--images", images, "--config", config, "--download")
        assert (code, told["missing"]) == (0, 0)
    server.requests.clear()
    assert report(capsys, out, "--images", images, "--config", "convqa_l", "--download")[0] == 0
    assert server.requests == []
    pairs = diptych.load_pairs(out, "convqa_l", images=images)
    assert pairs[0]["original_image"] == diptych.load_pairs(out, "convqa_l", images=world)[0]["original_image"]


def test_what_cannot_be_fetched_is_told(
    out: Path, tmp_path: Path, server: Publisher, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("images", out, "--images", tmp_path / "images", "--config", "visdial", "--download") == 1
    assert "it has no URL of its own: download the archive" in capsys.readouterr().out


@pytest.fixture
def archive(world: Path, server: Publisher, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """COCO's official archive, as the catalog names it, on this machine."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        for path in sorted((world / "images").glob("COCO_val2014_*.jpg")):
            zipped.write(path, f"val2014/{path.name}")
    content = server.files["/val2014.zip"] = file.getvalue()
    source = _catalog.get_source("coco")
    (entry,) = (entry for entry in source.downloads if entry.name == "val2014.zip")
    digest = hashlib.sha256(content).hexdigest()
    entry = replace(entry, url=f"{server.url}/val2014.zip", size=len(content), sha256=digest)
    monkeypatch.setattr(_catalog, "catalog", lambda: {"coco": replace(source, downloads=(entry,))})
    return content


def test_whole_archives_are_fetched_and_read_in_place(
    out: Path, tmp_path: Path, server: Publisher, archive: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    server.cuts = [10_000]
    code, told = report(capsys, out, "--images", tmp_path, "--config", "convqa_cs", "--download", "--archives")
    assert (code, told["missing"]) == (0, 0)
    assert (tmp_path / "coco" / "val2014.zip").read_bytes() == archive
    assert [path for path, _ in server.requests] == ["/val2014.zip"] * 2
    assert server.requests[1][1] == "bytes=10000-"


def test_an_archive_of_another_checksum_is_refused(
    out: Path, tmp_path: Path, server: Publisher, archive: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    server.files["/val2014.zip"] = archive[:-1] + b"\1"
    assert run("images", out, "--images", tmp_path, "--config", "convqa_cs", "--download", "--archives") == 2
    assert "wrong checksum" in capsys.readouterr().err
    assert list((tmp_path / "coco").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--images", "none"), "no such folder of images"),
        (("--images", ".", "--archives"), "--archives needs --download"),
        (("--images", ".", "--config", "other"), "unknown config 'other'"),
        (("--images", ".", "--config", "visdial", "--split", "test"), "unknown split of visdial 'test'"),
    ],
)
def test_bad_input_is_one_line(
    arguments: tuple[str, ...], message: str, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("images", out, *arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_what_rows_carry_is_not_needed(world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parameters = {"images": "embed"}
    diptych.build("rad-cads", world, tmp_path / "out", configs=("convqa_cs",), parameters=parameters)
    (tmp_path / "none").mkdir()
    assert report(capsys, tmp_path / "out", "--images", tmp_path / "none")[1]["needed"] == 0
    shutil.rmtree(tmp_path / "out")
    diptych.build("carets", world, tmp_path / "out", configs=("visual", "negation"), parameters={"pairs": 5})
    code, told = report(capsys, tmp_path / "out", "--images", tmp_path / "none")
    assert code == 1
    splits = [diptych.load_pairs(tmp_path / "out", "negation", split) for split in ("train", "validation")]
    assert told["needed"] == len({name for pairs in splits for name in pairs["original_image_file"]})
