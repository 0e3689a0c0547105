"""Task folders of evaluation harnesses: both sides of a pair are asked, and scored together by our own scoring code."""

import json
import shutil
from importlib.resources import as_file, files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from diptych.cards.export.tasks import Exported, HarnessTask, identifier, tasks_of

_environment = Environment(
    loader=PackageLoader("diptych.cards", "templates/export"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    autoescape=False,
)
_environment.filters["py"] = repr
_environment.filters["yaml"] = json.dumps  # a JSON string is a YAML scalar, whatever it holds


def write_lm_eval(built: Exported, out: Path) -> list[Path]:
    """A folder for `lm_eval --include_path`: every config with images, and once more without, for text models."""
    tasks = list(tasks_of(built.manifest))
    paths = [_task_file(built, out, "lm-eval", task, blind) for task in tasks for blind in (False, True)]
    return [*paths, *_shared(built, out, "lm-eval", tasks)]


def write_lmms_eval(built: Exported, out: Path) -> list[Path]:
    """A folder for `lmms_eval --include_path`."""
    tasks = list(tasks_of(built.manifest))
    paths = [_task_file(built, out, "lmms-eval", task, blind=False) for task in tasks]
    return [*paths, *_shared(built, out, "lmms-eval", tasks)]


def write_inspect(built: Exported, out: Path) -> list[Path]:
    """A module of Inspect tasks, one a config: `inspect eval tasks.py@NAME`."""
    tasks = list(tasks_of(built.manifest))
    path = out / "tasks.py"
    text = _environment.get_template("inspect.py.jinja").render(built=built, m=built.manifest, tasks=tasks)
    path.write_text(text + _environment.get_template("sides.py.jinja").render(), encoding="utf-8")
    return [path, _copy_scoring(out)]


def _task_file(built: Exported, out: Path, harness: str, task: HarnessTask, blind: bool) -> Path:
    name = f"{task.name}_blind" if blind else task.name
    path = out / f"{name}.yaml"
    template = _environment.get_template(f"{harness}.yaml.jinja")
    path.write_text(template.render(built=built, m=built.manifest, task=task, name=name, blind=blind), encoding="utf-8")
    return path


def _shared(built: Exported, out: Path, harness: str, tasks: list[HarnessTask]) -> list[Path]:
    """The group of all tasks, the functions the tasks name, and the scoring code."""
    group = out / f"_{identifier(built.manifest['dataset'])}.yaml"
    group.write_text(_environment.get_template("group.yaml.jinja").render(m=built.manifest, tasks=tasks))
    module = out / "utils.py"
    text = _environment.get_template("harness.py.jinja").render(
        harness=harness, m=built.manifest, scores=_families(tasks), lmms=harness == "lmms-eval"
    )
    module.write_text(text + _environment.get_template("sides.py.jinja").render(), encoding="utf-8")
    return [group, module, _copy_scoring(out)]


def _families(tasks: list[HarnessTask]) -> dict[str, tuple[str, ...]]:
    return {task.family: task.scores for task in tasks}


def _copy_scoring(out: Path) -> Path:
    """Copy the scoring code, so that a task folder needs numpy and pyarrow alone, which every harness has."""
    target = out / "paired_vqa"
    target.mkdir(exist_ok=True)
    with as_file(files("diptych.metrics") / "paired_vqa") as source:
        for file in sorted(source.glob("*.py")):
            if file.name not in {"app.py", "paired_vqa.py"}:
                shutil.copyfile(file, target / file.name)
    return target
