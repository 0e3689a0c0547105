"""A recipe from elsewhere is untrusted: what it may say, and which files it may name."""

import json
from pathlib import Path
from typing import Any

import pytest

from diptych.errors import BadInputError, MissingFileError
from diptych.folder import Recipe, read_recipe, recipe_file, recipe_templates

RECIPE = {"dataset": "rad-cads", "configs": ["vqa_v2"], "seed": 0, "tagger": None, "parameters": {"zero": True}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A built folder of which only the recipe is there."""
    path = tmp_path / "built"
    (path / "recipe" / "templates" / "rad-cads").mkdir(parents=True)
    write_recipe(path, RECIPE)
    return path


def write_recipe(folder: Path, content: object) -> None:
    (folder / "recipe" / "recipe.json").write_text(content if isinstance(content, str) else json.dumps(content))


def test_what_was_written_is_read(tmp_path: Path) -> None:
    recipe = Recipe(dataset="rad-cads", configs=("matched",), seed=-3, parameters={"zero": True, "k": 2, "x": 0.5})
    recipe.write(tmp_path)
    assert read_recipe(tmp_path) == recipe


@pytest.mark.parametrize("value", [True, 1, 1.5, "1"])
def test_a_parameter_keeps_its_type(value: Any, folder: Path) -> None:
    write_recipe(folder, {**RECIPE, "parameters": {"k": value}})
    parameters = read_recipe(folder).parameters
    assert (parameters["k"], type(parameters["k"])) == (value, type(value))


def test_a_folder_without_a_recipe_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="cannot be built again without its recipe"):
        read_recipe(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "cannot be read"),
        ("[]", "the document"),
        ({}, "dataset: field required"),
        ({**RECIPE, "dataset": "../rad"}, "dataset: string should match pattern"),
        ({**RECIPE, "configs": []}, "configs: "),
        ({**RECIPE, "configs": ["../../x"]}, "configs.0: string should match pattern"),
        ({**RECIPE, "configs": ["a"] * 1000}, "configs: "),
        ({**RECIPE, "seed": "many"}, "seed: "),
        ({**RECIPE, "seed": 2**63}, "seed: "),
        ({**RECIPE, "seed": 1.5}, "seed: "),
        ({**RECIPE, "parameters": {"k": [1]}}, "parameters.k"),
        ({**RECIPE, "parameters": {"a b": 1}}, "parameters.a b"),
        ({**RECIPE, "verdicts": "../verdicts.jsonl"}, "verdicts: string should match pattern"),
        ({**RECIPE, "verdicts": "/etc/passwd"}, "verdicts: string should match pattern"),
        ({**RECIPE, "rejects": ".hidden"}, "rejects: string should match pattern"),
        ({**RECIPE, "rejects": "a/b"}, "rejects: string should match pattern"),
    ],
)
def test_a_recipe_that_says_something_else_is_one_line(content: object, message: str, folder: Path) -> None:
    write_recipe(folder, content)
    with pytest.raises(BadInputError) as refusal:
        read_recipe(folder)
    assert f"{folder}/recipe/recipe.json" in str(refusal.value)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_file_of_the_recipe_is_found(folder: Path) -> None:
    (folder / "recipe" / "verdicts.jsonl").touch()
    assert recipe_file(folder, "verdicts.jsonl") == folder / "recipe" / "verdicts.jsonl"


def test_a_recipe_without_the_file_needs_none(folder: Path) -> None:
    assert recipe_file(folder, None) is None


def test_a_file_that_the_recipe_names_and_lacks_is_one_line(folder: Path) -> None:
    with pytest.raises(MissingFileError, match="listed in the recipe"):
        recipe_file(folder, "verdicts.jsonl")


@pytest.mark.parametrize("name", ["../secret", "../../secret"])
def test_a_file_outside_the_recipe_is_refused(name: str, folder: Path) -> None:
    for path in (folder / "secret", folder.parent / "secret"):
        path.touch()
    with pytest.raises(BadInputError, match="points outside the recipe's folder"):
        recipe_file(folder, name)


def test_a_link_out_of_the_recipe_is_refused(folder: Path) -> None:
    (folder.parent / "secret").touch()
    (folder / "recipe" / "verdicts.jsonl").symlink_to(folder.parent / "secret")
    with pytest.raises(BadInputError, match="points outside the recipe's folder"):
        recipe_file(folder, "verdicts.jsonl")


def test_a_recipe_folder_that_is_a_link_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "recipe" / "verdicts.jsonl").touch()
    (folder / "recipe").rename(tmp_path / "elsewhere")
    (folder / "recipe").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInputError, match="points outside the recipe's folder"):
        recipe_file(folder, "verdicts.jsonl")


def test_templates_of_the_recipe_are_found(folder: Path) -> None:
    assert recipe_templates(folder) == folder / "recipe" / "templates"


def test_a_recipe_may_have_no_templates(tmp_path: Path) -> None:
    assert recipe_templates(tmp_path) is None


@pytest.mark.parametrize("place", ["templates", "templates/rad-cads", "templates/rad-cads/yn_from_color.toml"])
def test_templates_that_lead_out_of_the_recipe_are_refused(place: str, folder: Path, tmp_path: Path) -> None:
    path = folder / "recipe" / place
    (tmp_path / "elsewhere").mkdir()
    if path.is_dir():
        path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInputError, match="points outside the recipe's folder"):
        recipe_templates(folder)


def test_the_links_of_the_hubs_cache_are_followed(folder: Path, tmp_path: Path) -> None:
    snapshot = tmp_path / "datasets--org--rad" / "snapshots" / "0123"
    blob = tmp_path / "datasets--org--rad" / "blobs" / "4567"
    snapshot.parent.mkdir(parents=True)
    blob.parent.mkdir()
    blob.touch()
    folder.rename(snapshot)
    for name in ("verdicts.jsonl", "templates/rad-cads/yn_from_color.toml"):
        (snapshot / "recipe" / name).symlink_to(blob)
    assert recipe_file(snapshot, "verdicts.jsonl")
    assert recipe_templates(snapshot)
