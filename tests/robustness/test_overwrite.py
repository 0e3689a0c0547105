"""`--overwrite` and `--force` replace what Diptych made, and nothing else."""

import shutil
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from tests.commands import run
from tests.folders import make_folder, some_pairs
from tests.robustness.kill import digests

Make = Callable[[Path], None]
Capture = pytest.CaptureFixture[str]


def build(data: Path, out: Path) -> int:
    return run("build", "rad-cads", "--data", data, "--out", out, "--config", "yn_from_color", "--overwrite")


def thesis(out: Path) -> None:
    (out / "chapters").mkdir(parents=True)
    (out / "chapters" / "one.tex").write_text("Ten years of work")


def app(out: Path) -> None:
    out.mkdir()
    (out / "manifest.json").write_text('{"name": "an app", "version": "1.0.0"}')


def imitation(out: Path) -> None:
    out.mkdir()
    (out / "manifest.json").write_bytes(orjson.dumps({"maker": "diptych", "configs": {}}))


def thesis_with_our_name(out: Path) -> None:
    thesis(out)
    (out / "manifest.json").write_text('{"maker": "diptych"}')


def file(out: Path) -> None:
    out.write_text("Ten years of work")


def data_folder(out: Path) -> None:
    (out / "vqa").mkdir(parents=True)
    (out / "vqa" / "v2_mscoco_val2014_annotations.json").write_text("{}")


@pytest.mark.parametrize("make", [thesis, app, imitation, thesis_with_our_name, file, data_folder])
def test_only_a_build_is_overwritten(make: Make, data: Path, tmp_path: Path, capsys: Capture) -> None:
    """Issue 14: --overwrite deletes folders that are no builds."""
    out = tmp_path / "out"
    make(out)
    before = digests(tmp_path)
    assert build(data, out) == 2
    message = capsys.readouterr().err
    assert "not a build of diptych" in message
    assert message.count("\n") == 1
    assert digests(tmp_path) == before


def test_a_build_is_overwritten(data: Path, tmp_path: Path) -> None:
    make_folder(tmp_path / "out", some_pairs(4))
    assert build(data, tmp_path / "out") == 0
    assert (tmp_path / "out" / "recipe" / "recipe.json").is_file()


def test_a_link_to_a_build_is_not_followed(data: Path, tmp_path: Path) -> None:
    """Renaming a link would leave the build and lose the link."""
    make_folder(tmp_path / "elsewhere", some_pairs(4))
    before = digests(tmp_path / "elsewhere")
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    assert build(data, tmp_path / "out") == 2
    assert digests(tmp_path / "elsewhere") == before
    assert (tmp_path / "out").is_symlink()


@pytest.mark.parametrize("make", [thesis, app])
def test_a_world_replaces_only_a_world(make: Make, tmp_path: Path) -> None:
    make(tmp_path / "out")
    before = digests(tmp_path)
    assert run("demo", "sources", tmp_path / "out", "--images", 1, "--no-pictures", "--force") == 2
    assert digests(tmp_path) == before


def test_a_world_is_replaced(tmp_path: Path) -> None:
    for images in (1, 2):
        assert run("demo", "sources", tmp_path / "out", "--images", images, "--no-pictures", "--force") == 0
    shutil.rmtree(tmp_path / "out" / "vqa")
    assert run("demo", "sources", tmp_path / "out", "--images", 1, "--no-pictures", "--force") == 0
