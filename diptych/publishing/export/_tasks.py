"""The configs of a built folder as tasks of evaluation harnesses, and in `eval.yaml`, by which the Hub registers them.

Both sides of a pair are asked, and scored together by our own scoring code.
"""

import json
import re
import shutil
from copy import deepcopy
from importlib.resources import as_file, files
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from diptych.cards import dataset_title, text_environment
from diptych.files import read_package_toml, write_text
from diptych.folder import BuiltFolder
from diptych.metrics import higher_is_better, score_names, scoring

_YES_NO = r"(?i)\b(yes|no)\b"

_environment = text_environment(__package__)
_environment.filters["py"] = repr
_environment.filters["higher_is_better"] = higher_is_better
_environment.filters["yaml"] = json.dumps  # a JSON string is a YAML scalar, whatever it holds


class HarnessTask(NamedTuple):
    """One config as a task of a harness, on the split that models are judged on."""

    name: str
    config: str
    split: str
    description: str


def harness_tasks(folder: BuiltFolder) -> list[HarnessTask]:
    """Every config with pairs as a task; names are identifiers, so that they can be functions too."""
    tasks = []
    for config in filter(folder.tests, folder.configs):
        name, split = _identifier(f"{folder.manifest.dataset}_{config}"), folder.judged_split(config)
        tasks.append(HarnessTask(name, config, split, folder.description(config)))
    return tasks


def _identifier(name: str) -> str:
    """A name that Python and the harnesses take."""
    return re.sub(r"\W", "_", name)


def revision(folder: BuiltFolder, repo: str | None) -> str | None:
    """The tag to load from the Hub; a folder has none."""
    return f"v{folder.manifest.version}" if repo else None


def write_harness(harness: str, folder: BuiltFolder, out: Path, repo: str | None) -> list[Path]:
    """A folder for `--include_path`; that of lm-eval has every config once more without images, for text models."""
    tasks, context = harness_tasks(folder), _context(folder, repo)
    texts = {}
    for task, ending in product(tasks, ("", "_blind") if harness == "lm-eval" else ("",)):
        more = {"task": task, "name": f"{task.name}{ending}", "blind": bool(ending)}
        texts[out / f"{task.name}{ending}.yaml"] = _render(f"{harness}.yaml.jinja", context, **more)
    texts[out / f"_{_identifier(folder.manifest.dataset)}.yaml"] = _render("group.yaml.jinja", context, tasks=tasks)
    functions = _render("harness.py.jinja", context, harness=harness, lmms=harness == "lmms-eval")
    texts[out / "utils.py"] = functions + _render("sides.py.jinja", context)
    for path, text in texts.items():
        write_text(path, text)
    return [*texts, _copy_scoring(out)]


def write_inspect(folder: BuiltFolder, out: Path, repo: str | None) -> list[Path]:
    """A module of Inspect tasks, one per config: `inspect eval tasks.py@NAME`."""
    context = _context(folder, repo)
    text = _render("inspect.py.jinja", context, tasks=harness_tasks(folder))
    write_text(out / "tasks.py", text + _render("sides.py.jinja", context))
    return [out / "tasks.py", _copy_scoring(out)]


def _context(folder: BuiltFolder, repo: str | None) -> dict[str, Any]:
    """What every template may name: the manifest, what `load_dataset` is given, and the scores of the family."""
    place = {"path": repo or str(folder.path.resolve()), "revision": revision(folder, repo)}
    family = folder.manifest.score_family
    with scoring(folder.location):
        return {"m": folder.manifest, "family": family, "scores": score_names(family), **place}


def _render(template: str, context: dict[str, Any], **more: object) -> str:
    return _environment.get_template(template).render(context, **more)


def _copy_scoring(out: Path) -> Path:
    """Copy the scoring code, so that a task folder needs only numpy and pyarrow, which every harness has."""
    target = out / "paired_vqa"
    target.mkdir(exist_ok=True)
    with as_file(files("diptych.metrics") / "paired_vqa") as source:
        for file in sorted(source.glob("*.py")):
            if file.name not in {"app.py", "paired_vqa.py"}:
                shutil.copyfile(file, target / file.name)
    return target


def write_eval_yaml(folder: BuiltFolder, out: Path, repo: str | None) -> list[Path]:
    """One task per config on its perturbed questions; the Hub's form knows neither pairs nor image ids."""
    content = read_package_toml(__package__, "eval.toml")
    form, tasks = content.pop("task"), []
    for task in harness_tasks(folder):
        scorer = {"name": "pattern", "args": {"pattern": _YES_NO}} if _is_yes_no(folder, task) else {"name": "exact"}
        place = {"id": task.name, "config": task.config, "split": task.split}
        tasks.append({**place, **deepcopy(form), "scorers": [scorer]})
    content = {"name": dataset_title(folder.manifest.dataset), **content, "tasks": tasks}
    write_text(out / "eval.yaml", yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1000))
    return [out / "eval.yaml"]


def _is_yes_no(folder: BuiltFolder, task: HarnessTask) -> bool:
    """Whether all perturbed answers of the tests of a task are yes or no."""
    tests = folder.tests(task.config)
    splits = [split.statistics for *_, split in folder.manifest.own_splits()]
    numbers = [statistics[test] for statistics in splits for test in tests if test in statistics]
    answers = {answer for of_test in numbers for answer in of_test.perturbed_answers}
    return bool(answers) and answers <= {"yes", "no"}
