"""The harnesses' own loaders take what we export and give our scores; each test skips where its harness is absent."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

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
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    process = subprocess.run(
        [sys.executable, "-c", f"FOLDER = {str(out)!r}\n{code}"],
        env={**os.environ, **offline},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert f"SCORE {score}" in process.stdout, process.stderr[-2000:]
