"""Every harness takes every dataset as it is exported, and gives the scores of `diptych score`, digit for digit.

A harness is run in the environment that `python -m scripts.run_harnesses --envs DIR` made, if `DIPTYCH_HARNESSES` names
that folder, or in this one, if it has the harness; otherwise its tests are skipped.
"""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import diptych
from diptych.demo import make_world
from diptych.metrics import score_predictions
from diptych.publishing.export import export_folder
from scripts.run_harnesses import DATASETS, HARNESSES, Recording, check_croissant, compare, record, run_harness

pytestmark = pytest.mark.slow

PACKAGES = {
    "lm-eval": "lm_eval",
    "lmms-eval": "lmms_eval",
    "inspect": "inspect_ai",
    "vlmevalkit": "vlmeval",
    "croissant": "mlcroissant",
}
LOGS = {"lm-eval": "logs/**/samples_{}_*.jsonl", "inspect": "logs/*_{}_*.eval", "vlmevalkit": "work/recorded_{}.xlsx"}


def find_python(harness: str) -> Path | None:
    """The Python that has a harness."""
    folder = os.environ.get("DIPTYCH_HARNESSES")
    if folder and (python := Path(folder, harness, "bin", "python")).exists():
        return python
    return Path(sys.executable) if find_spec(PACKAGES[harness]) else None


PYTHONS = {harness: find_python(harness) for harness in PACKAGES}


def needs(harness: str) -> pytest.MarkDecorator:
    """Skips where a harness is not."""
    remedy = "set DIPTYCH_HARNESSES to the --envs of scripts/run_harnesses.py"
    return pytest.mark.skipif(PYTHONS[harness] is None, reason=f"no {PACKAGES[harness]} here: {remedy}")


@pytest.fixture(scope="session")
def harness_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("harnesses") / "world"
    make_world(data, 20)
    return data


@pytest.fixture(scope="session", params=DATASETS)
def recording(
    request: pytest.FixtureRequest, harness_world: Path, tmp_path_factory: pytest.TempPathFactory
) -> Recording:
    """A dataset of the miniature world, and what a model said to all its questions."""
    work, name = tmp_path_factory.mktemp("recording"), str(request.param)
    built = diptych.build(name, harness_world, work / name, parameters=DATASETS[name])
    return record(built, harness_world / "images", work / "recorded")


@pytest.mark.parametrize("harness", [pytest.param(name, marks=needs(name)) for name in HARNESSES])
def test_a_harness_gives_the_scores_of_diptych_score(
    harness: str, recording: Recording, harness_world: Path, tmp_path: Path
) -> None:
    python = PYTHONS[harness]
    assert python is not None
    scores = run_harness(harness, python, recording, harness_world / "images", tmp_path)
    assert compare(recording.scores, scores) == []
    task = next(iter(recording.scores))
    assert len({value for values in recording.scores.values() for value in values.values()}) > 5
    if harness in LOGS:  # the log of a run is scored as it is
        (log,) = tmp_path.glob(LOGS[harness].format(task if harness != "inspect" else task.replace("_", "-")))
        report = score_predictions(recording.folder, log, bootstrap=0)
        assert compare({task: recording.scores[task]}, {task: report.model.values()}) == []


@needs("croissant")
def test_croissant_is_valid_and_its_records_load(recording: Recording, tmp_path: Path) -> None:
    python = PYTHONS["croissant"]
    assert python is not None
    assert check_croissant(python, recording.folder, tmp_path) == []


EVAL_YAML = """
import json, sys
from pathlib import Path
from inspect_ai._eval.task.hf import HFTask, _load_eval_yaml

tasks = [HFTask.model_validate(task) for task in _load_eval_yaml(Path(sys.argv[1]))["tasks"]]
print(json.dumps({task.id: [task.config, task.split] for task in tasks}))
"""


@needs("inspect")
def test_inspect_takes_the_benchmark_of_the_hub(recording: Recording, tmp_path: Path) -> None:
    (path,) = export_folder(recording.folder, "eval-yaml", tmp_path)
    command = [str(PYTHONS["inspect"]), "-c", EVAL_YAML, path]
    process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert process.returncode == 0, process.stderr[-2000:]
    assert list(json.loads(process.stdout)) == list(recording.scores)
