"""The configs of a built folder as tasks of evaluation harnesses, and in `eval.yaml`, by which the Hub registers them.

Both sides of a pair are asked, and scored together by our own scoring code.
"""

import json
import re
from collections.abc import Mapping
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from diptych.cards import dataset_title, text_environment
from diptych.files import read_package_toml, write_text
from diptych.folder import BuiltFolder
from diptych.metrics import higher_is_better, score_names, scoring
from diptych.metrics.paired_vqa.normalization import YES_NO
from diptych.metrics.paired_vqa.reader import READER_VERSION
from diptych.models import ANSWER_TYPES, CHOICE, OPEN, YES_OR_NO, EndpointSettings, load_prompts
from diptych.publishing.export._copies import copy_code

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


def task_groups(folder: BuiltFolder) -> dict[str, list[HarnessTask]]:
    """Groups that hold no pair twice by way of a union: with the unions, and with the configs that they unite."""
    tasks, name = harness_tasks(folder), _identifier(folder.manifest.dataset)
    unions = {config: parts for config, parts in folder.configs.items() if config in folder.manifest.unions}
    united = {part for parts in unions.values() for part in parts}
    groups = {name: [task for task in tasks if task.config not in united]}
    if unions:
        groups[f"{name}_parts"] = [task for task in tasks if task.config not in unions]
    return groups


def _identifier(name: str) -> str:
    """A name that Python and the harnesses take."""
    return re.sub(r"\W", "_", name)


def revision(folder: BuiltFolder, repo: str | None) -> str | None:
    """The tag to load from the Hub; a folder has none."""
    return f"v{folder.manifest.version}" if repo else None


def write_harness(harness: str, folder: BuiltFolder, out: Path, repo: str | None) -> list[Path]:
    """A folder for `--include_path`; that of lm-eval has every config once more without images, for text models."""
    context = task_context(folder, repo)
    texts = {}
    for task, ending in product(context["tasks"], ("", "_blind") if harness == "lm-eval" else ("",)):
        more = {"task": task, "name": f"{task.name}{ending}", "blind": bool(ending)}
        texts[out / f"{task.name}{ending}.yaml"] = render(f"{harness}.yaml.jinja", context, **more)
    for name, tasks in task_groups(folder).items():
        texts[out / f"_{name}.yaml"] = render("group.yaml.jinja", context, name=name, tasks=tasks)
    texts[out / "utils.py"] = render("utils.py.jinja", context, harness=harness, lmms=harness == "lmms-eval")
    return write_with_code(texts, out, context)


def write_inspect(folder: BuiltFolder, out: Path, repo: str | None) -> list[Path]:
    """A module of Inspect tasks, one per config: `inspect eval tasks.py@NAME`."""
    context = task_context(folder, repo)
    return write_with_code({out / "tasks.py": render("inspect.py.jinja", context)}, out, context)


def task_context(folder: BuiltFolder, repo: str | None) -> dict[str, Any]:
    """What every template may name: the manifest, what `load_dataset` is given, the scores, the prompts."""
    manifest, prompts, family = folder.manifest, load_prompts(), folder.manifest.score_family
    tasks = harness_tasks(folder)
    first, second = "{first}", "{second}"
    separator = prompts.render("", CHOICE, (first, second)).partition(first)[2].partition(second)[0]
    with scoring(folder.location):
        scores = score_names(family)
    return {
        "m": manifest,
        "tasks": tasks,
        "path": repo or "parquet",
        "revision": revision(folder, repo),
        "files": {} if repo else {task.config: _files(folder, task) for task in tasks},
        "family": family,
        "scores": scores,
        "prompts": {kind: prompts.render("{question}", kind, ("{choices}",)) for kind in ANSWER_TYPES},
        "prompt_version": prompts.version,
        "separator": separator,
        "reader_version": READER_VERSION,
        "max_tokens": EndpointSettings().max_tokens,
        "package": f"{_identifier(manifest.dataset)}_pairs",
    }


def _files(folder: BuiltFolder, task: HarnessTask) -> list[str]:
    return [str(folder.path.resolve() / name) for name in folder.splits(task.config)[task.split]]


def render(template: str, context: dict[str, Any], **more: object) -> str:
    """A template with what every template may name, and more."""
    return _environment.get_template(template).render({**context, **more})


def write_with_code(texts: Mapping[Path, str], out: Path, context: Mapping[str, Any]) -> list[Path]:
    """Write files and the code that they need."""
    for path, text in texts.items():
        write_text(path, text)
    return [*texts, copy_code(out, context["package"])]


def write_eval_yaml(folder: BuiltFolder, out: Path, repo: str | None) -> list[Path]:
    """One task per config on its perturbed questions; the Hub's form knows neither pairs nor names of image files."""
    content = read_package_toml(__package__, "eval.toml")
    form, without, tasks, prompts = content.pop("task"), content.pop("without_pictures"), [], load_prompts()
    blind = []
    for task in harness_tasks(folder):
        kind = YES_OR_NO if _is_yes_no(folder, task) else OPEN
        scorer = {"name": "pattern", "args": {"pattern": _YES_NO}} if kind == YES_OR_NO else {"name": "exact"}
        fields, place = deepcopy(form["field_spec"]), {"id": task.name, "config": task.config, "split": task.split}
        if _holds_pictures(folder, task):
            fields["input_image"] = "perturbed_image"
        else:
            blind.append(task.config)
        prompt = {"name": "prompt_template", "args": {"template": prompts.render("{prompt}", kind, YES_NO)}}
        solvers = [prompt, *deepcopy(form["solvers"])]
        tasks.append({**place, "field_spec": fields, "solvers": solvers, "scorers": [scorer]})
    if blind:
        content["description"] += f" {without.format(configs=', '.join(blind))}"
    content = {"name": dataset_title(folder.manifest.dataset), **content, "tasks": tasks}
    write_text(out / "eval.yaml", yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1000))
    return [out / "eval.yaml"]


def _holds_pictures(folder: BuiltFolder, task: HarnessTask) -> bool:
    """Whether every row of a task holds the pictures of both its sides."""
    splits = [part.splits[task.split] for part in folder.parts(task.config) if task.split in part.splits]
    return all(split.images >= 2 * split.rows for split in splits)


def _is_yes_no(folder: BuiltFolder, task: HarnessTask) -> bool:
    """Whether all perturbed answers of a task are yes or no."""
    splits = [part.splits[task.split] for part in folder.parts(task.config) if task.split in part.splits]
    answers = {
        answer for split in splits for of_test in split.statistics.values() for answer in of_test.perturbed_answers
    }
    return bool(answers) and answers <= set(YES_NO)
