"""Run exported tasks in the evaluation harnesses, and compare every score with that of `diptych score`.

    python -m scripts.run_harnesses --envs DIR                    # all of them, on the miniature world
    python -m scripts.run_harnesses --envs DIR --harness lm-eval --built out --images images

Each harness is installed into an environment of its own below DIR. The model is a recording: `diptych predict` asks a
made-up model, and in the harness its replies are looked up by the prompt and the pixels of the picture. A harness that
sends any other prompt or picture therefore ends with an error, and scores that differ in their last digit are shown.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Any

from diptych import build, open_folder
from diptych.demo import make_world
from diptych.folder import BuiltFolder
from diptych.metrics import score_predictions
from diptych.models import PredictOptions, Query, Reply, predict
from diptych.publishing.export import export_folder
from diptych.publishing.export._tasks import harness_tasks
from scripts.harnesses.replies import REPLIES, RESULTS, reply_key

DRIVERS = Path(__file__).parent / "harnesses"
_TORCH = "torch==2.13.0"  # an earlier step than the rest, so that no other build of it is chosen

HARNESSES: dict[str, tuple[tuple[str, ...], ...]] = {
    "lm-eval": ((_TORCH,), ("lm-eval==0.4.13", "pillow")),
    "lmms-eval": ((_TORCH,), (_TORCH, "lmms-eval==0.7.3"), ("--uninstall", "torchvision")),
    "inspect": (("inspect-ai==0.3.285", "datasets", "pillow"),),
    "vlmevalkit": ((_TORCH,), (_TORCH, "ms-vlmeval==0.0.20")),
}
"""What is installed for each harness, step by step. `ms-vlmeval` is VLMEvalKit as a package of the index."""

CROISSANT = "croissant"
ENVIRONMENTS = {**HARNESSES, CROISSANT: (("mlcroissant[parquet]==1.1.1", "pillow"),)}

DATASETS: dict[str, dict[str, str]] = {
    "rad-cads": {},
    "bqd": {},
    "carets": {"images": "file"},  # the pictures that operations make are in the rows
    "kb-counterfactuals": {},
    "fvqa2": {},
    "paired-benchmarks": {"images": "embed"},  # NaturalBench's pictures have no files
}
"""The datasets that are run, and the parameters of their builds."""


class HarnessError(RuntimeError):
    """A harness that ended with an error, and the end of what it said."""


Scores = dict[str, dict[str, float]]  # by task and score


@dataclass
class MixedModel:
    """A model that is right, wrong, wordy or silent by a hash of what it is sent, and whose replies are kept."""

    answers: Mapping[str, Sequence[str]]  # right answers by question
    name: str = "mixed"
    replies: dict[str, str] = field(default_factory=dict)

    def header(self) -> dict[str, Any]:
        """Nothing else decides its replies."""
        return {}

    def ask(self, queries: Iterable[Query]) -> Iterator[tuple[Query, Reply]]:
        """Reply to queries."""
        for query in queries:
            key = reply_key(query.prompt, query.picture() if query.picture else None)
            self.replies[key] = self._reply(query, int(key[:8], 16))
            yield query, Reply(self.replies[key])

    def _reply(self, query: Query, number: int) -> str:
        right = self.answers[query.question]
        answer, other = right[number % len(right)], (*(query.choices or ("red", "2", "no")),)[number // 7 % 2]
        forms = (answer, answer, f"The answer is {answer}.", f"{answer.capitalize()}!", other, other, "I cannot tell.")
        return forms[number // 64 % len(forms)] or "unknown"


@dataclass(frozen=True)
class Recording:
    """The replies of a model to all questions of a dataset, and its scores by `diptych score`."""

    folder: BuiltFolder
    replies: Path
    scores: Scores


def record(folder: BuiltFolder, images: Path | None, work: Path) -> Recording:
    """Ask the mixed model every question of every task, and score what it says."""
    work.mkdir(parents=True, exist_ok=True)
    model, scores = MixedModel(right_answers(folder)), {}
    for task in harness_tasks(folder):
        out, options = work / f"{task.name}.jsonl", {"config": task.config, "split": task.split}
        predict(folder, model, PredictOptions(out, images=images, overwrite=True, **options))
        report = score_predictions(folder, out, bootstrap=0, **options)
        scores[task.name] = {name: score.value for name, score in report.scores.items()}
    (work / "replies.json").write_text(json.dumps(model.replies), encoding="utf-8")
    return Recording(folder, work / "replies.json", scores)


def right_answers(folder: BuiltFolder) -> dict[str, list[str]]:
    """The right answers of every question, whatever the picture."""
    answers: dict[str, list[str]] = {}
    for task in harness_tasks(folder):
        for row in folder.table(task.config, task.split).to_pylist():
            for side in ("original", "perturbed"):
                answers.setdefault(row[f"{side}_question"], []).append(row[f"{side}_answer"])
    return answers


def run_harness(harness: str, python: Path, recording: Recording, images: Path | None, out: Path) -> Scores:
    """Export a dataset and run all its tasks in a harness, in a process of the harness's environment."""
    export_folder(recording.folder, harness, out)
    places = {REPLIES: str(recording.replies), **({"DIPTYCH_IMAGES": str(images)} if images else {})}
    results = _drive(harness, python, out, [str(out), *recording.scores], places)
    return {task: values for task, values in results.items() if task in recording.scores}


def check_croissant(python: Path, folder: BuiltFolder, out: Path) -> list[str]:
    """What mlcroissant finds wrong with the description of a folder, and record sets that do not load whole."""
    copy = Path(shutil.copytree(folder.path, out / folder.path.name, dirs_exist_ok=True))
    export_folder(open_folder(copy), CROISSANT, copy)  # its paths are relative to the folder
    (result,) = _drive(CROISSANT, python, out, [str(copy)], {}).values()
    expected = {f"{config}/{split}": entry.rows for config, split, entry in folder.manifest.own_splits()}
    lines = [*result["errors"], *(line for line in result["warnings"] if "datePublished" not in line)]
    lines += [] if result["version"].endswith("/1.1") else [f"validated as {result['version']}"]
    return lines + [
        f"{name}: {result['records'].get(name)} records"
        for name, rows in expected.items()
        if result["records"].get(name) != rows
    ]


def _drive(
    harness: str, python: Path, out: Path, arguments: Sequence[str], places: Mapping[str, str]
) -> dict[str, Any]:
    """Run the driver of a harness in its environment, without the network, and read what it leaves."""
    driver, results = DRIVERS / f"run_{harness.replace('-', '_')}.py", out / "results.json"
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(out / "home"), "LMUData": str(out)}
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | offline | dict(places)
    process = subprocess.run(
        [str(python), str(driver), *arguments],
        env={**environment, RESULTS: str(results)},
        capture_output=True,
        text=True,
        check=False,
        timeout=3600,
    )
    if process.returncode or not results.is_file():
        raise HarnessError(f"{harness}: {arguments[0]}: {process.stderr[-3000:]}")
    content: dict[str, Any] = json.loads(results.read_text("utf-8"))
    return content


def compare(expected: Scores, scores: Scores) -> list[str]:
    """What differs, a line each: a score must be equal in every digit, or undefined in both."""
    lines = []
    for task, values in expected.items():
        for name, value in values.items():
            other = scores.get(task, {}).get(name)
            is_undefined = isnan(value) and (other is None or other != other)
            if other != value and not is_undefined:
                lines.append(f"{task} {name}: {value!r} here, {other!r} there")
    return lines


def make_environment(harness: str, envs: Path) -> Path:
    """The Python of the environment of a harness, which is installed if it is not there."""
    folder = envs / harness
    python = folder / "bin" / "python"
    if not (folder / ".ready").is_file():
        venv.create(folder, with_pip=True)
        for step in ENVIRONMENTS[harness]:
            action = ["uninstall", "-y"] if "--uninstall" in step else ["install", "--quiet"]
            packages = [package for package in step if not package.startswith("--")]
            subprocess.run([python, "-m", "pip", *action, *packages], check=True)
        (folder / ".ready").touch()
    return python


def main() -> None:
    """Run what the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=Path, required=True, help="The folder of the environments.")
    parser.add_argument("--harness", nargs="*", choices=list(ENVIRONMENTS), default=list(ENVIRONMENTS))
    parser.add_argument(
        "--built", nargs="*", type=Path, default=[], help="Built folders; by default a miniature world's."
    )
    parser.add_argument("--images", type=Path, help="The folder of their pictures.")
    parser.add_argument(
        "--work", type=Path, default=Path("harness-work"), help="The folder for everything that is made."
    )
    args = parser.parse_args()
    images, built = args.images, args.built
    if not built:
        make_world(args.work / "world", 60)
        images = args.work / "world" / "images"
        for name, parameters in DATASETS.items():
            built.append(args.work / "built" / name)
            build(name, args.work / "world", built[-1], parameters=parameters, overwrite=True)
    differences = 0
    for path in built:
        folder = open_folder(path)
        recording = record(folder, images, args.work / "recorded" / path.name)
        for harness in args.harness:
            python, out = make_environment(harness, args.envs), args.work / harness / path.name
            if harness == CROISSANT:
                lines, count = (
                    check_croissant(python, folder, out),
                    f"{len(list(folder.manifest.own_splits()))} record sets",
                )
            else:
                lines = compare(recording.scores, run_harness(harness, python, recording, images, out))
                count = f"{len(recording.scores)} tasks, {sum(map(len, recording.scores.values()))} scores"
            print(f"{path.name} in {harness}: {count}, {len(lines)} differ", *lines[:20], sep="\n  ", flush=True)
            differences += len(lines)
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
