"""The tasks of a folder: one per config with pairs, on the split that is judged."""

from pathlib import Path

import pytest
import yaml

from diptych.folder import BuiltFolder, Manifest
from diptych.publishing.export import export_folder
from diptych.publishing.export._tasks import harness_tasks
from tests.folders import fold_manifest


@pytest.fixture
def fold_build(tmp_path: Path) -> BuiltFolder:
    """A build like that of fvqa2, whose default config has only adversarial questions."""
    return BuiltFolder(tmp_path, Manifest.model_validate(fold_manifest(tmp_path)))


def test_every_config_is_judged_on_the_split_that_the_manifest_prefers(fold_build: BuiltFolder) -> None:
    assert {task.config: task.split for task in harness_tasks(fold_build)} == {
        "default": "adversarial",
        "fold_0": "adversarial",
        "fold_1": "adversarial",
    }


def test_names_of_tasks_are_identifiers(fold_build: BuiltFolder) -> None:
    assert all(task.name.isidentifier() for task in harness_tasks(fold_build))


def test_a_config_of_other_rows_is_no_task(fold_build: BuiltFolder) -> None:
    content = fold_manifest(fold_build.path)
    content["configs"]["fold_1"]["tests"] = []
    folder = BuiltFolder(fold_build.path, Manifest.model_validate(content))
    assert "fold_1" not in [task.config for task in harness_tasks(folder)]


@pytest.mark.parametrize("harness", ["lm-eval", "lmms-eval"])
def test_exported_tasks_name_that_split(harness: str, fold_build: BuiltFolder, tmp_path: Path) -> None:
    export_folder(fold_build, harness, tmp_path / "tasks")
    lines = (tmp_path / "tasks" / "folded_default.yaml").read_text(encoding="utf-8").splitlines()
    assert "test_split: adversarial" in lines


def test_the_inspect_module_names_that_split(fold_build: BuiltFolder, tmp_path: Path) -> None:
    export_folder(fold_build, "inspect", tmp_path / "tasks")
    code = (tmp_path / "tasks" / "tasks.py").read_text(encoding="utf-8")
    assert "'adversarial'" in code
    assert "'test'" not in code


def test_the_benchmark_of_the_hub_names_that_split(fold_build: BuiltFolder, tmp_path: Path) -> None:
    export_folder(fold_build, "eval-yaml", tmp_path)
    tasks = yaml.safe_load((tmp_path / "eval.yaml").read_text(encoding="utf-8"))["tasks"]
    assert {task["split"] for task in tasks} == {"adversarial"}
