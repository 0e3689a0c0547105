"""`eval.yaml`: how the Hub registers a dataset as a benchmark, read by Inspect as `hf/org/name`."""

from pathlib import Path
from typing import Any

import yaml

from diptych.cards import dataset_title
from diptych.files import write_text
from diptych.publishing.export._tasks import ExportedFolder, HarnessTask, harness_tasks

_YES_NO = r"(?i)\b(yes|no)\b"
_PROMPT = "{prompt}\nAnswer the question with a word or a short phrase."


def write_eval_yaml(exported: ExportedFolder, out: Path) -> list[Path]:
    """One task per config on its perturbed questions; the Hub's form knows neither pairs nor image ids."""
    content = {
        "name": dataset_title(exported.manifest.dataset),
        "description": (
            "Perturbed questions of a paired dataset. This form asks one question at a time and carries no image ids; "
            "the scores of pairs come from `diptych score` or the exported harness tasks."
        ),
        "evaluation_framework": "inspect-ai",
        "tasks": [_task(exported, task) for task in harness_tasks(exported.folder)],
    }
    path = out / "eval.yaml"
    write_text(path, yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1000))
    return [path]


def _task(exported: ExportedFolder, task: HarnessTask) -> dict[str, Any]:
    scorer = {"name": "pattern", "args": {"pattern": _YES_NO}} if _is_yes_no(exported, task) else {"name": "exact"}
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
        "scorers": [scorer],
    }


def _is_yes_no(exported: ExportedFolder, task: HarnessTask) -> bool:
    """Whether every answer that the manifest counts for the tests of a task is yes or no."""
    answers = {
        answer
        for _, _, split in exported.manifest.own_splits()
        for test, numbers in split.statistics.items()
        if test in task.tests
        for answer in numbers.perturbed_answers
    }
    return bool(answers) and answers <= {"yes", "no"}
