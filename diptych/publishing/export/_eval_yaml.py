"""`eval.yaml`: how the Hub registers a dataset as a benchmark, read by Inspect as `hf/org/name`."""

from pathlib import Path
from typing import Any

import yaml

from diptych.cards.export.tasks import Exported, HarnessTask, tasks_of
from diptych.cards.releases import releases_of

_YES_NO = r"(?i)\b(yes|no)\b"
_PROMPT = "{prompt}\nAnswer the question with a word or a short phrase."


def write_eval_yaml(built: Exported, out: Path) -> list[Path]:
    """One task a config on its perturbed questions; the Hub's form knows neither pairs nor image ids."""
    told = {
        "name": releases_of(built.manifest["dataset"]).title,
        "description": (
            "Perturbed questions of a paired dataset. This form asks one question at a time and carries no image ids; "
            "the scores of pairs come from `diptych score` or the exported harness tasks."
        ),
        "evaluation_framework": "inspect-ai",
        "tasks": [_task(built, task) for task in tasks_of(built.manifest)],
    }
    path = out / "eval.yaml"
    path.write_text(yaml.safe_dump(told, sort_keys=False, allow_unicode=True, width=1000), encoding="utf-8")
    return [path]


def _task(built: Exported, task: HarnessTask) -> dict[str, Any]:
    scorer = {"name": "pattern", "args": {"pattern": _YES_NO}} if _is_yes_no(built, task) else {"name": "exact"}
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


def _is_yes_no(built: Exported, task: HarnessTask) -> bool:
    """Whether every answer that the manifest counts for the task's tests is yes or no."""
    answers = {
        answer
        for config in built.manifest["configs"].values()
        for split in config["splits"].values()
        for test, numbers in split["statistics"].items()
        if test in task.tests
        for answer in numbers["perturbed_answers"]
    }
    return bool(answers) and answers <= {"yes", "no"}
