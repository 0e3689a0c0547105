"""Task folders of evaluation harnesses: both sides of a pair are asked, and scored together by our own scoring code."""

import json
import shutil
from importlib.resources import as_file, files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from diptych.files import write_text
from diptych.publishing.export._tasks import ExportedFolder, HarnessTask, harness_tasks, identifier

_environment = Environment(
    loader=PackageLoader("diptych.publishing.export"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    autoescape=False,
)
_environment.filters["py"] = repr
_environment.filters["yaml"] = json.dumps  # a JSON string is a YAML scalar, whatever it holds


def write_lm_eval(exported: ExportedFolder, out: Path) -> list[Path]:
    """A folder for `lm_eval --include_path`: every config with images, and once more without, for text models."""
    tasks = list(harness_tasks(exported.folder))
    paths = [_write_task(exported, out, "lm-eval", task, blind) for task in tasks for blind in (False, True)]
    return [*paths, *_write_shared(exported, out, "lm-eval", tasks)]


def write_lmms_eval(exported: ExportedFolder, out: Path) -> list[Path]:
    """A folder for `lmms_eval --include_path`."""
    tasks = list(harness_tasks(exported.folder))
    paths = [_write_task(exported, out, "lmms-eval", task, blind=False) for task in tasks]
    return [*paths, *_write_shared(exported, out, "lmms-eval", tasks)]


def write_inspect(exported: ExportedFolder, out: Path) -> list[Path]:
    """A module of Inspect tasks, one per config: `inspect eval tasks.py@NAME`."""
    path = out / "tasks.py"
    tasks = list(harness_tasks(exported.folder))
    text = _render("inspect.py.jinja", built=exported, m=exported.manifest, tasks=tasks)
    write_text(path, text + _render("sides.py.jinja"))
    return [path, _copy_scoring(out)]


def _write_task(exported: ExportedFolder, out: Path, harness: str, task: HarnessTask, blind: bool) -> Path:
    name = f"{task.name}_blind" if blind else task.name
    path = out / f"{name}.yaml"
    context = {"built": exported, "m": exported.manifest, "task": task, "name": name, "blind": blind}
    write_text(path, _render(f"{harness}.yaml.jinja", **context))
    return path


def _write_shared(exported: ExportedFolder, out: Path, harness: str, tasks: list[HarnessTask]) -> list[Path]:
    """The group of all tasks, the functions that the tasks name, and the scoring code."""
    group, module = out / f"_{identifier(exported.manifest.dataset)}.yaml", out / "utils.py"
    write_text(group, _render("group.yaml.jinja", m=exported.manifest, tasks=tasks))
    scores = {task.family: task.scores for task in tasks}
    context = {"harness": harness, "m": exported.manifest, "scores": scores, "lmms": harness == "lmms-eval"}
    write_text(module, _render("harness.py.jinja", **context) + _render("sides.py.jinja"))
    return [group, module, _copy_scoring(out)]


def _render(template: str, **context: object) -> str:
    return _environment.get_template(template).render(context)


def _copy_scoring(out: Path) -> Path:
    """Copy the scoring code, so that a task folder needs only numpy and pyarrow, which every harness has."""
    target = out / "paired_vqa"
    target.mkdir(exist_ok=True)
    with as_file(files("diptych.metrics") / "paired_vqa") as source:
        for file in sorted(source.glob("*.py")):
            if file.name not in {"app.py", "paired_vqa.py"}:
                shutil.copyfile(file, target / file.name)
    return target
