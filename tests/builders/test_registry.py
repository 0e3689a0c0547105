"""Datasets by name: ours, and those of installed packages."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import diptych
from diptych.builders import Dataset, dataset_names, get_dataset
from diptych.errors import BadInputError, UnknownNameError
from diptych.folder import BuiltFolder
from tests.builders.plugins import MODULE, write_plugin
from tests.builders.toys import write_things
from tests.commands import run

OWN = ("bqd", "carets", "rad-cads", "kb-counterfactuals", "fvqa2", "paired-benchmarks")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages that Python looks into."""
    monkeypatch.syspath_prepend(tmp_path / "site")
    yield tmp_path / "site"
    sys.modules.pop("fruit", None)


@pytest.fixture
def plugin(site: Path) -> Dataset:
    write_plugin(site)
    return get_dataset("fruit")


@pytest.fixture
def fruit_build(plugin: Dataset, tmp_path: Path) -> BuiltFolder:
    return diptych.build("fruit", data=write_things(tmp_path / "data"), out=tmp_path / "out")


def test_our_datasets_come_first() -> None:
    assert dataset_names()[: len(OWN)] == OWN


@pytest.mark.parametrize("name", OWN)
def test_a_dataset_has_the_name_it_is_found_by(name: str) -> None:
    assert get_dataset(name).spec.name == name


@pytest.mark.parametrize("name", OWN)
def test_the_default_config_is_one_of_the_configs(name: str) -> None:
    spec = get_dataset(name).spec
    assert spec.config(spec.default_config)


@pytest.mark.parametrize("name", OWN)
def test_configs_unite_configs_that_exist(name: str) -> None:
    spec = get_dataset(name).spec
    assert all(spec.config(part) for config in spec.configs for part in config.unites)


@pytest.mark.parametrize("name", OWN)
def test_the_parameters_of_a_config_are_parameters_of_the_dataset(name: str) -> None:
    spec = get_dataset(name).spec
    for config in spec.configs:
        assert spec.check_parameters(config.parameters) == dict(config.parameters)


@pytest.mark.parametrize("name", OWN)
def test_the_default_of_a_parameter_is_a_value_it_may_have(name: str) -> None:
    for parameter in get_dataset(name).spec.parameters:
        assert parameter.check(parameter.default) == parameter.default


def test_an_unknown_dataset_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'rad-cads'"):
        get_dataset("radcads")


def test_listing_names_imports_no_dataset() -> None:
    code = (
        "import sys; from diptych.builders import dataset_names; dataset_names();"
        "print([name for name in sys.modules if name.startswith('diptych.builders.') and '._' not in name])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_dataset_of_a_package_is_listed(plugin: Dataset) -> None:
    assert dataset_names()[-1] == "fruit"


def test_the_dataset_of_a_package_is_listed_by_the_command_line(
    plugin: Dataset, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("ls") == 0
    assert "\nfruit 1.0.0\n" in capsys.readouterr().out


def test_the_dataset_of_a_package_is_built_with_its_templates(fruit_build: BuiltFolder) -> None:
    questions = fruit_build.table("bright", "train")["perturbed_question"].to_pylist()
    assert all(" of the color " in question for question in questions)


def test_the_templates_of_a_package_are_kept_with_the_build(fruit_build: BuiltFolder) -> None:
    assert (fruit_build.path / "recipe" / "templates" / "fruit" / "bright.toml").is_file()


def test_the_dataset_of_a_package_is_audited(fruit_build: BuiltFolder) -> None:
    audit = diptych.check(fruit_build.path)
    assert {finding.name for finding in audit.findings} >= {"schema", "answer balance", "card"}


def test_the_dataset_of_a_package_has_a_card_of_its_own(fruit_build: BuiltFolder) -> None:
    assert "# Fruit\n\nA card of its own with 4 rows.\n" in (fruit_build.path / "README.md").read_text()


def test_the_dataset_of_a_package_is_scored(fruit_build: BuiltFolder, tmp_path: Path) -> None:
    rows = fruit_build.table("dark", "train").to_pylist()
    lines = [f'{{"pair_id": "{row["pair_id"]}", "original": "black", "perturbed": "yes"}}' for row in rows]
    (tmp_path / "predictions.jsonl").write_text("\n".join(lines))
    report = diptych.score(fruit_build.path, tmp_path / "predictions.jsonl", config="dark", bootstrap=0)
    assert report


def test_the_dataset_of_a_package_is_built_again_from_its_recipe(fruit_build: BuiltFolder, tmp_path: Path) -> None:
    assert diptych.rebuild(fruit_build.path, tmp_path / "data").differences == ()


def test_a_build_is_read_where_its_package_is_not_installed(
    fruit_build: BuiltFolder, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != str(site)])
    assert diptych.check(fruit_build.path).findings


@pytest.mark.parametrize(
    ("module", "entry", "message"),
    [
        (MODULE, "other = fruit:Fruit", "not a Dataset named 'other'"),
        ("class Fruit: pass", "fruit = fruit:Fruit", "not a Dataset named 'fruit'"),
        ("Fruit = 3", "fruit = fruit:Fruit", "not a Dataset named 'fruit'"),
        ("", "fruit = fruit:Fruit", "cannot be loaded"),
        ("import no_such_module", "fruit = fruit:Fruit", "cannot be loaded: No module named 'no_such_module'"),
        ("1 / 0", "fruit = fruit:Fruit", "cannot be loaded: division by zero"),
    ],
)
def test_a_package_that_brings_no_dataset_is_one_line(module: str, entry: str, message: str, site: Path) -> None:
    write_plugin(site, module, entry)
    with pytest.raises(BadInputError, match=message):
        get_dataset(entry.partition(" ")[0])
