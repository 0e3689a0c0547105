"""A build from the recipe of another: the same bytes, and what is different is said."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import diptych
from diptych import __version__
from diptych.builders import BuildOptions, build_differences, get_dataset, recipe_options, source_differences
from diptych.errors import BadInputError, DiptychError
from diptych.folder import BuiltFolder, open_folder
from tests.builders.conftest import digest
from tests.builders.toys import ToyColors, build_toy, write_things

CONFIGS = ("visdial", "convqa_cs")


@pytest.fixture(scope="module")
def small_build(data: Path, tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    """Two configs of rad-cads: one with templates and a coin, one without."""
    return diptych.build("rad-cads", data, tmp_path_factory.mktemp("small") / "rad", configs=CONFIGS)


@pytest.fixture
def edited_build(small_build: BuiltFolder, tmp_path: Path) -> BuiltFolder:
    """A copy of the build, to be changed."""
    return open_folder(shutil.copytree(small_build.path, tmp_path / "copy"))


def change_recipe(folder: BuiltFolder, **changes: Any) -> None:
    file = folder.path / "recipe" / "recipe.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def test_a_folder_is_built_again_bit_for_bit(small_build: BuiltFolder, data: Path, tmp_path: Path) -> None:
    result = diptych.rebuild(small_build.path, data, tmp_path / "again")
    assert result.differences == ()
    assert digest(tmp_path / "again") == digest(small_build.path)


def test_without_an_output_nothing_is_kept(small_build: BuiltFolder, data: Path, tmp_path: Path) -> None:
    files = digest(small_build.path)
    diptych.rebuild(small_build.path, data)
    assert digest(small_build.path) == files
    assert list(tmp_path.iterdir()) == []


def test_another_seed_in_the_recipe_is_noticed(edited_build: BuiltFolder, data: Path) -> None:
    change_recipe(edited_build, seed=1)
    seed, pairs = diptych.rebuild(edited_build.path, data).differences
    assert seed == "seed 0, now 1 (visdial, convqa_cs)"
    assert pairs.startswith("visdial/validation: different pairs (")


def test_a_source_that_differs_is_said_first(small_build: BuiltFolder, data: Path, tmp_path: Path) -> None:
    other_data = Path(shutil.copytree(data, tmp_path / "data"))
    file = next((other_data / "visdial").glob("*.json*"))
    file.write_text(file.read_text().replace("}", "} ", 1))
    (line,) = diptych.rebuild(small_build.path, other_data).differences
    assert line.startswith(f"source {file}: SHA-256 ")


def test_a_source_that_is_missing_is_named(small_build: BuiltFolder, tmp_path: Path) -> None:
    lines = list(source_differences(small_build.manifest, tmp_path))
    assert lines == sorted(lines)
    assert all(line.startswith("source ") and line.endswith(f": missing under {tmp_path}") for line in lines)


def manifest_changes(small_build: BuiltFolder) -> list[tuple[dict[str, Any], str]]:
    visdial = small_build.manifest.configs["visdial"]
    (split, entry), *_ = visdial.splits.items()
    name, file = next(iter(entry.files.items()))
    other_file = entry.model_copy(update={"files": {name: file.model_copy(update={"sha256": "0" * 64})}})
    other_bytes = visdial.model_copy(update={"splits": {**visdial.splits, split: other_file}})
    recipe = small_build.manifest.recipes["visdial"].model_copy(update={"tagger": "other"})
    return [
        ({"diptych": "9.9.9"}, f"diptych {__version__}, now 9.9.9"),
        ({"configs": {"visdial": visdial}}, "convqa_cs/validation: missing in this build"),
        (
            {"configs": {**small_build.manifest.configs, "visdial": other_bytes}},
            "the same pairs in files of different bytes",
        ),
        ({"recipes": {"visdial": recipe}}, "tagger "),
    ]


@pytest.mark.parametrize("number", range(4))
def test_each_difference_is_one_line(number: int, small_build: BuiltFolder) -> None:
    update, message = manifest_changes(small_build)[number]
    (line,) = build_differences(small_build.manifest, small_build.manifest.model_copy(update=update))
    assert message in line


def test_a_split_that_is_new_is_said(small_build: BuiltFolder) -> None:
    before = small_build.manifest.model_copy(update={"configs": {"visdial": small_build.manifest.configs["visdial"]}})
    assert build_differences(before, small_build.manifest) == ["convqa_cs/validation: new in this build"]


def test_a_build_does_not_differ_from_itself(small_build: BuiltFolder) -> None:
    assert build_differences(small_build.manifest, small_build.manifest) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"configs": ["vqa_v3"]}, "did you mean 'vqa_v2'"),
        ({"parameters": {"zero": "yes"}}, "zero='yes': must be true or false"),
        ({"parameters": {"values": "random"}}, "unknown value of values 'random'"),
        ({"parameters": {"nothing": 1}}, "unknown parameter of rad-cads 'nothing'"),
        ({"tagger": "no_such_model"}, "to load that package, pass --tagger no_such_model"),
        ({"verdicts": "../../secret"}, "verdicts: string should match pattern"),
        ({"verdicts": "verdicts.jsonl"}, "not found, but listed in the recipe"),
        ({"seed": "x"}, "not a recipe of a build: seed"),
    ],
)
def test_a_recipe_is_not_trusted(changes: dict[str, Any], message: str, edited_build: BuiltFolder, data: Path) -> None:
    change_recipe(edited_build, **changes)
    with pytest.raises(DiptychError, match=message):
        diptych.rebuild(edited_build.path, data)


@pytest.mark.parametrize(
    "link",
    [
        lambda recipe, outside: (recipe / "verdicts.jsonl").symlink_to(outside),
        lambda recipe, outside: (recipe / "templates" / "rad-cads" / "more.toml").symlink_to(outside),
    ],
    ids=["verdicts", "templates"],
)
def test_a_recipe_that_links_elsewhere_is_refused(
    link: Callable[[Path, Path], None], edited_build: BuiltFolder, data: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("secret")
    link(edited_build.path / "recipe", tmp_path / "secret")
    change_recipe(
        edited_build, verdicts="verdicts.jsonl" if (edited_build.path / "recipe" / "verdicts.jsonl").exists() else None
    )
    with pytest.raises(BadInputError, match="a link to a place outside the"):
        diptych.rebuild(edited_build.path, data)


def test_a_tagger_that_the_user_names_too_is_accepted(edited_build: BuiltFolder, data: Path) -> None:
    change_recipe(edited_build, tagger="some_model")
    options = recipe_options(edited_build, get_dataset("rad-cads"), data, tagger="some_model")
    assert options.tagger == "some_model"


def test_a_recipe_says_all_that_was_chosen(tmp_path: Path) -> None:
    data = write_things(tmp_path / "data")
    folder = build_toy(ToyColors(), data, tmp_path, "loud", seed=5, parameters={"most": 3})
    options = recipe_options(folder, ToyColors(), data)
    assert options == BuildOptions(data, ("loud",), seed=5, parameters={"most": 3})


@pytest.mark.parametrize("unreviewed", ["keep", "drop"])
def test_verdicts_are_followed_again(unreviewed: str, tmp_path: Path) -> None:
    data = write_things(tmp_path / "data")
    pairs = build_toy(ToyColors(), data, tmp_path / "first", "dark").table("dark", "train")["pair_id"].to_pylist()
    (tmp_path / "verdicts.jsonl").write_text(json.dumps({"pair_id": pairs[0], "verdict": "accepted"}))
    choices = {"verdicts": tmp_path / "verdicts.jsonl", "unreviewed": unreviewed}
    folder = build_toy(ToyColors(), data, tmp_path / "second", "dark", **choices)
    (tmp_path / "verdicts.jsonl").unlink()
    options = recipe_options(folder, ToyColors(), data)
    assert options.unreviewed == unreviewed
    choices["verdicts"] = options.verdicts
    again = build_toy(ToyColors(), data, tmp_path / "third", *options.configs, **choices)
    assert build_differences(folder.manifest, again.manifest) == []
