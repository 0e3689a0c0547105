"""`diptych build FOLDER`: the recipe makes the same bytes, and what is other is said."""

import shutil
from pathlib import Path

import orjson
import pytest
from datasets import load_dataset

from diptych.cli import main
from diptych.demo import make_world
from tests.publishing.conftest import make_build

Capture = pytest.CaptureFixture[str]


def run(*args: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(["build", *map(str, args)])
    return int(stopped.value.code or 0)


def test_a_folder_is_built_again_bit_for_bit(small: Path, world: Path, tmp_path: Path, capsys: Capture) -> None:
    assert run(small, "--data", world, "--out", tmp_path / "again") == 0
    assert capsys.readouterr().out.endswith(f"{small}: bit-identical (2 configs, 2 files)\n")
    again = {path.relative_to(tmp_path / "again"): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert again == {path.relative_to(small): path.read_bytes() for path in small.rglob("*") if path.is_file()}


def test_an_edited_recipe_is_noticed(mine: Path, world: Path, capsys: Capture) -> None:
    recipe = mine / "recipe" / "recipe.json"
    recipe.write_text(recipe.read_text().replace('"seed": 0', '"seed": 1'))
    assert run(mine, "--data", world) == 1
    said = capsys.readouterr().out
    assert "seed 0, now 1 (visdial, convqa_cs)" in said
    assert "visdial/validation: other pairs" in said
    assert "convqa_cs/validation" not in said


def test_a_source_that_differs_is_said_first(small: Path, world: Path, tmp_path: Path, capsys: Capture) -> None:
    data = Path(shutil.copytree(world, tmp_path / "data"))
    file = next((data / "visdial").glob("*.json*"))
    file.write_text(file.read_text().replace("}", "} ", 1))
    assert run(small, "--data", data) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"source {file}: SHA-256 ")
    assert lines[-1] == f"{small}: not bit-identical"
    assert not any("other pairs" in line for line in lines)


@pytest.mark.parametrize("option", [("--seed", "1"), ("--config", "visdial"), ("--templates", ".")])
def test_a_recipe_is_followed_not_overruled(small: Path, world: Path, option: tuple[str, str], capsys: Capture) -> None:
    assert run(small, "--data", world, *option) == 2
    assert f"leave out {option[0]}" in capsys.readouterr().err


def test_a_folder_without_or_with_a_broken_recipe_is_one_line(mine: Path, world: Path, capsys: Capture) -> None:
    recipe = mine / "recipe" / "recipe.json"
    for text, message in (('{"seed": "x"}', "missing or of another type"), ("{", "broken JSON")):
        recipe.write_text(text)
        assert run(mine, "--data", world) == 2
        assert message in capsys.readouterr().err
    recipe.unlink()
    assert run(mine, "--data", world) == 2
    assert "without its recipe" in capsys.readouterr().err


def test_a_plain_build_still_needs_a_place(world: Path, capsys: Capture) -> None:
    assert run("rad-cads", "--data", world) == 2
    assert "--out" in capsys.readouterr().err


def test_configs_and_splits_without_pairs_do_not_keep_the_others_from_loading(tmp_path: Path) -> None:
    make_world(tmp_path / "data", 2, 0, False, None, False)
    out = make_build(tmp_path / "data", tmp_path / "out")
    manifest = orjson.loads((out / "manifest.json").read_bytes())
    filled = [name for name, config in manifest["configs"].items() if config["splits"]]
    assert set(manifest["configs"]) > set(filled)
    assert manifest["default"] == filled[0]
    assert manifest["configs"]["yn_from_color"]["ledger"]
    for name in filled:
        assert load_dataset(str(out), name, cache_dir=str(tmp_path / "cache")).num_rows == {
            split: entry["rows"] for split, entry in manifest["configs"][name]["splits"].items()
        }
