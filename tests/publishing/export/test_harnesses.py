"""The harnesses take what we export and give our scores, and we score their logs; each is skipped where absent."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from diptych.metrics import score_predictions
from diptych.publishing.export import FORMATS, export_folder
from tests.folders import make_folder, some_pairs

pytestmark = pytest.mark.slow

LM_EVAL = """
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

class Yes(LM):
    def generate_until(self, requests, **_): return ["yes"] * len(requests)
    def loglikelihood(self, requests, **_): raise NotImplementedError
    loglikelihood_rolling = loglikelihood

tasks = TaskManager(include_path=FOLDER, include_defaults=False)
name = "rad_cads_yn_from_color_blind"
scores = simple_evaluate(model=Yes(), tasks=[name], task_manager=tasks, bootstrap_iters=0)["results"][name]
print("SCORE", scores["accuracy_perturbed,none"], scores["accuracy_original,none"])
"""

LMMS_EVAL = """
from lmms_eval.tasks import TaskManager, get_task_dict

(task,) = get_task_dict(["rad_cads_yn_from_color"], TaskManager(include_path=FOLDER)).values()
answers = [task.process_results(doc, ["yes"]) for doc in task.eval_docs]
scores = {name: task.aggregation()[name]([answer[name] for answer in answers]) for name in answers[0]}
print("SCORE", scores["accuracy_perturbed"], scores["accuracy_original"])
"""

INSPECT = """
from inspect_ai import eval as evaluate
from inspect_ai.model import ModelAPI, ModelOutput, modelapi

@modelapi(name="yes")
class Yes(ModelAPI):
    async def generate(self, input, tools, tool_choice, config): return ModelOutput.from_content("yes", "yes")
    async def count_tokens(self, *args, **kwargs): return 1
    async def count_text_tokens(self, *args, **kwargs): return 1

(log,) = evaluate(f"{FOLDER}/tasks.py@rad_cads_yn_from_color", model="yes/x", display="none", log_dir=f"{FOLDER}/logs")
scores = {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}
print("SCORE", scores["accuracy_perturbed"], scores["accuracy_original"])
"""

EVAL_YAML = """
from pathlib import Path
from inspect_ai._eval.task.hf import HFTask, _load_eval_yaml

content = _load_eval_yaml(Path(FOLDER) / "eval.yaml")
print("SCORE", *[HFTask.model_validate(task).id for task in content["tasks"]])
"""

CROISSANT = """
import mlcroissant

dataset = mlcroissant.Dataset(jsonld=f"{FOLDER}/croissant.json")
print("SCORE", len(dataset.metadata.issues.errors), sum(1 for _ in dataset.records("yn_from_color/validation")))
"""


def run_offline(code: str, out: Path) -> subprocess.CompletedProcess[str]:
    """Run code about an exported folder in a process of its own."""
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(out / "home")}
    return subprocess.run(
        [sys.executable, "-c", f"FOLDER = {str(out)!r}\n{code}"],
        env={**os.environ, **offline},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "package", "code", "score"),
    [
        ("lm-eval", "lm_eval", LM_EVAL, "0.5 0.0"),
        ("lmms-eval", "lmms_eval", LMMS_EVAL, "0.5 0.0"),
        ("inspect", "inspect_ai", INSPECT, "0.5 0.0"),
        ("eval-yaml", "inspect_ai", EVAL_YAML, "rad_cads_yn_from_color"),
        ("croissant", "mlcroissant", CROISSANT, "0 384"),
    ],
    ids=lambda value: value if value in FORMATS else "",
)
def test_the_harness_takes_it(name: str, package: str, code: str, score: str, tmp_path: Path) -> None:
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    folder = make_folder(tmp_path / "built", some_pairs())
    out = folder.path if name == "croissant" else tmp_path / "out"  # Croissant's paths are relative to the folder
    export_folder(folder, name, out)
    process = run_offline(code, out)
    assert f"SCORE {score}" in process.stdout, process.stderr[-2000:]


# The log of a run is scored as it is.

LM_EVAL_LOG = """
from lm_eval.loggers import EvaluationTracker

tracker = EvaluationTracker(output_path=f"{FOLDER}/logs")
results = simple_evaluate(model=Yes(), tasks=[name], task_manager=tasks, bootstrap_iters=0, log_samples=True,
                          evaluation_tracker=tracker)
samples = results.pop("samples")
tracker.save_results_aggregated(results=results, samples=samples)
tracker.save_results_samples(task_name=name, samples=samples[name])
"""

INSPECT_LOG = """
evaluate(f"{FOLDER}/tasks.py@rad_cads_yn_from_color", model="yes/x", display="none", log_dir=f"{FOLDER}/logs",
         log_format=FORM)
"""


@pytest.mark.parametrize(
    ("name", "package", "code", "pattern"),
    [
        ("lm-eval", "lm_eval", LM_EVAL + LM_EVAL_LOG, "samples_*.jsonl"),
        ("inspect", "inspect_ai", INSPECT, "*.eval"),
        ("inspect", "inspect_ai", INSPECT + INSPECT_LOG.replace("FORM", "'json'"), "*.json"),
    ],
    ids=["lm-eval", "inspect-eval", "inspect-json"],
)
def test_the_log_of_a_harness_is_scored(name: str, package: str, code: str, pattern: str, tmp_path: Path) -> None:
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    folder = make_folder(tmp_path / "built", some_pairs(64))
    export_folder(folder, name, tmp_path / "out")
    process = run_offline(code, tmp_path / "out")
    assert process.returncode == 0, process.stderr[-2000:]
    (log,) = (tmp_path / "out" / "logs").rglob(pattern)
    scores = score_predictions(folder, log, bootstrap=0).scores
    assert (scores["accuracy_perturbed"].value, scores["yes_rate"].value) == (0.5, 1.0)
