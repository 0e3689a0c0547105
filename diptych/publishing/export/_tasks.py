"""The configs of a built folder as tasks of evaluation harnesses, and in `eval.yaml`, by which the Hub registers them.

Both sides of a pair are asked, and scored together by our own scoring code.
"""

import json
import re
import shutil
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined

from diptych.cards import dataset_title
from diptych.files import write_text
from diptych.folder import BuiltFolder, Manifest
from diptych.metrics import score_names

_YES_NO = r"(?i)\b(yes|no)\b"
_PROMPT = "{prompt}\nAnswer the question with a word or a short phrase."

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


@dataclass(frozen=True, slots=True)
class ExportedFolder:
    """A built folder to export, and its repository on the Hub, where it has one."""

    folder: BuiltFolder
    repo: str | None = None

    @property
    def manifest(self) -> Manifest:
        """What the build says of itself."""
        return self.folder.manifest

    @property
    def path(self) -> str:
        """What `load_dataset` is given."""
        return self.repo or str(self.folder.path.resolve())

    @property
    def revision(self) -> str | None:
        """The tag to load from the Hub; a folder has none."""
        return f"v{self.manifest.version}" if self.repo else None


@dataclass(frozen=True, slots=True)
class HarnessTask:
    """One config as a task of a harness, on the split that models are judged on."""

    name: str
    config: str
    split: str
    description: str
    tests: tuple[str, ...]
    family: str

    @property
    def scores(self) -> tuple[str, ...]:
        """The scores of the family, as `diptych score` names them."""
        return score_names(self.family)


def harness_tasks(folder: BuiltFolder) -> list[HarnessTask]:
    """Every config with pairs as a task; names are identifiers, so that they can be functions too."""
    dataset, family = folder.manifest.dataset, folder.manifest.score_family
    tasks = []
    for config in folder.configs:
        if tests := folder.tests(config):
            name, split = _identifier(f"{dataset}_{config}"), folder.judged_split(config)
            tasks.append(HarnessTask(name, config, split, folder.description(config), tests, family))
    return tasks


def _identifier(name: str) -> str:
    """A name that Python and the harnesses take.

    >>> _identifier("rad-cads_vqa_v2")
    'rad_cads_vqa_v2'
    """
    return re.sub(r"\W", "_", name)


def write_lm_eval(exported: ExportedFolder, out: Path) -> list[Path]:
    """A folder for `lm_eval --include_path`: every config with images, and once more without, for text models."""
    return _write_harness(exported, out, "lm-eval", (False, True))


def write_lmms_eval(exported: ExportedFolder, out: Path) -> list[Path]:
    """A folder for `lmms_eval --include_path`."""
    return _write_harness(exported, out, "lmms-eval", (False,))


def _write_harness(exported: ExportedFolder, out: Path, harness: str, blinds: tuple[bool, ...]) -> list[Path]:
    """The tasks, the group of all of them, the functions that the tasks name, and the scoring code."""
    manifest, tasks = exported.manifest, harness_tasks(exported.folder)
    texts = {}
    for task in tasks:
        for blind in blinds:
            name = f"{task.name}_blind" if blind else task.name
            context = {"built": exported, "m": manifest, "task": task, "name": name, "blind": blind}
            texts[out / f"{name}.yaml"] = _render(f"{harness}.yaml.jinja", **context)
    texts[out / f"_{_identifier(manifest.dataset)}.yaml"] = _render("group.yaml.jinja", m=manifest, tasks=tasks)
    scores = {task.family: task.scores for task in tasks}
    functions = _render("harness.py.jinja", harness=harness, m=manifest, scores=scores, lmms=harness == "lmms-eval")
    texts[out / "utils.py"] = functions + _render("sides.py.jinja")
    for path, text in texts.items():
        write_text(path, text)
    return [*texts, _copy_scoring(out)]


def write_inspect(exported: ExportedFolder, out: Path) -> list[Path]:
    """A module of Inspect tasks, one per config: `inspect eval tasks.py@NAME`."""
    tasks = harness_tasks(exported.folder)
    text = _render("inspect.py.jinja", built=exported, m=exported.manifest, tasks=tasks)
    write_text(out / "tasks.py", text + _render("sides.py.jinja"))
    return [out / "tasks.py", _copy_scoring(out)]


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


def write_eval_yaml(exported: ExportedFolder, out: Path) -> list[Path]:
    """One task per config on its perturbed questions; the Hub's form knows neither pairs nor image ids."""
    content = {
        "name": dataset_title(exported.manifest.dataset),
        "description": (
            "Perturbed questions of a paired dataset. This form asks one question at a time and carries no image ids; "
            "the scores of pairs come from `diptych score` or the exported harness tasks."
        ),
        "evaluation_framework": "inspect-ai",
        "tasks": [_eval_task(exported.manifest, task) for task in harness_tasks(exported.folder)],
    }
    write_text(out / "eval.yaml", yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1000))
    return [out / "eval.yaml"]


def _eval_task(manifest: Manifest, task: HarnessTask) -> dict[str, Any]:
    answers = {
        answer
        for _, _, split in manifest.own_splits()
        for test, numbers in split.statistics.items()
        if test in task.tests
        for answer in numbers.perturbed_answers
    }
    is_yes_no = bool(answers) and answers <= {"yes", "no"}
    return {
        "id": task.name,
        "config": task.config,
        "split": task.split,
        "field_spec": {
            "input": "perturbed_question",
            "target": "perturbed_answer",
            "metadata": ["pair_id", "test", "perturbed_image_id"],
        },
        "solvers": [{"name": "prompt_template", "args": {"template": _PROMPT}}, {"name": "generate"}],
        "scorers": [{"name": "pattern", "args": {"pattern": _YES_NO}} if is_yes_no else {"name": "exact"}],
    }
