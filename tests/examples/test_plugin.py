"""The example dataset, installed as a package of its own: everything that works on our datasets works on it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diptych.demo import make_world
from diptych.folder import Manifest, read_manifest
from tests.hub import LoopbackHub, WarmClient, run_client

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "choice_order"
SWAPPED = "choice_order.swapped"

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Installation:
    """A folder of installed packages that holds the example, and a client of a Hub that sees it."""

    packages: Path
    hub: LoopbackHub
    client: WarmClient

    def run(self, *args: str | Path, expect: int = 0) -> CompletedProcess[str]:
        """Run `diptych ARGS` where the example is installed."""
        done = self.client.run(_command(*args), check=False)
        assert done.returncode == expect, done.stdout + done.stderr
        return done


def _command(*args: str | Path) -> str:
    return f"from diptych.cli import main\nmain({[str(arg) for arg in args]!r})"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """The example, installed by pip from a copy, because building leaves files in the source folder."""
    folder = tmp_path_factory.mktemp("example")
    packages = folder / "packages"
    shutil.copytree(EXAMPLE, folder / "source")
    options = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", str(packages))
    command = [sys.executable, "-m", "pip", "install", *options, str(folder / "source")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    preload = f"import sys; sys.path.append({str(packages)!r}); import datasets, huggingface_hub, diptych.cli._app"
    with LoopbackHub() as hub, WarmClient(hub, preload) as client:
        yield Installation(packages, hub, client)
        assert not hub.crashes, "\n".join(hub.crashes)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "data"
    make_world(folder, 600, pictures=False)
    return folder


@pytest.fixture(scope="module")
def built(example: Installation, world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "choice-order"
    example.run("build", "choice-order", "--data", world, "--out", folder)
    return folder


def build_with(example: Installation, data: Path, out: Path, *settings: str) -> Manifest:
    options = [option for setting in settings for option in ("--set", setting)]
    example.run("build", "choice-order", "--data", data, "--out", out, *options)
    return read_manifest(out)


def pairs(folder: Path) -> list[dict[str, object]]:
    tables = [pq.read_table(path) for path in sorted(folder.glob("data/vqa_v2/*.parquet"))]
    return pa.concat_tables(tables).to_pylist()


def test_the_example_has_at_most_150_lines() -> None:
    files = [path for path in EXAMPLE.rglob("*") if path.suffix in {".py", ".toml"}]
    assert sum(path.read_text(encoding="utf-8").count("\n") for path in files) <= 150


def test_it_is_listed_where_its_package_is_on_the_path(example: Installation) -> None:
    env = {"PYTHONPATH": f"{ROOT}{os.pathsep}{example.packages}"}
    assert "choice-order" in run_client(_command("ls"), example.hub, env=env).stdout
    assert "choice-order" not in run_client(_command("ls"), example.hub).stdout


def test_help_lists_its_configs_and_parameters(example: Installation) -> None:
    text = example.run("build", "choice-order", "--help").stdout
    assert "vqa_v2  Choice questions of VQA v2." in text
    assert "--set min_agreement=" in text


def test_every_question_is_asked_again_in_the_other_order(built: Path) -> None:
    rows = pairs(built)
    assert rows
    for row in rows:
        original, perturbed = str(row["original_question"]), str(row["perturbed_question"])
        assert original != perturbed
        assert sorted(original.rstrip("?").split()) == sorted(perturbed.rstrip("?").split())
        assert row["original_answers"] == row["perturbed_answers"]
        assert row["expectation"] == "same"


def test_every_question_is_in_the_ledger(built: Path) -> None:
    ledger = read_manifest(built).configs["vqa_v2"].ledger["validation"][SWAPPED]
    assert ledger.seen == ledger.paired + sum(ledger.skipped.values())
    assert ledger.paired == len(pairs(built))


def test_its_parameters_are_typed_and_decide_what_is_kept(
    example: Installation, world: Path, built: Path, tmp_path: Path
) -> None:
    manifest = build_with(example, world, tmp_path / "out", "most_alike=1")
    skipped = manifest.configs["vqa_v2"].ledger["validation"][SWAPPED].skipped
    choices = [tuple(sorted(json.loads(str(row["bindings"]))["choices"])) for row in pairs(built)]
    assert skipped["enough pairs have the same alternatives"] == len(choices) - len(set(choices))
    assert manifest.recipes["vqa_v2"].parameters == {"most_alike": 1}
    refused = example.run(
        "build", "choice-order", "--data", world, "--out", tmp_path / "no", "--set", "most_alike=-1", expect=2
    )
    assert refused.stderr == "error: most_alike=-1: must be at least 0\n"


def test_its_audit_and_card_are_in_order(example: Installation, built: Path) -> None:
    example.run("check", built)
    card = (built / "README.md").read_text(encoding="utf-8")
    assert "# Choice order 1.0.0" in card
    assert "Choice questions of VQA v2, each paired with itself in the other order" in card
    assert "not a choice between two words of one form" in card
    example.run("card", built)
    assert (built / "README.md").read_text(encoding="utf-8") == card


def test_a_baseline_is_scored(example: Installation, built: Path, tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.jsonl"
    example.run("baseline", built, "copy-original", "--out", predictions)
    report = json.loads(example.run("score", built, predictions, "--json", "--bootstrap", "0").stdout)
    score = report["scores"]["overall"]["comprehensive_accuracy"]
    assert (score["value"], score["n"]) == (1.0, len(pairs(built)))


def test_it_is_built_again_from_its_recipe(example: Installation, world: Path, built: Path) -> None:
    assert "bit-identical" in example.run("build", built, "--data", world).stdout


def test_it_is_published(example: Installation, built: Path) -> None:
    done = example.run("push", built, "org/choice-order", "--tag", "v1.0.0")
    assert "verified: org/choice-order@v1.0.0" in done.stdout
    files = example.hub.repo("dataset", "org/choice-order").files("v1.0.0")
    assert b'load_dataset("org/choice-order", revision="v1.0.0")' in files["README.md"]


def test_a_built_folder_needs_its_package_only_to_be_built(example: Installation, built: Path, tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.jsonl"
    example.run("baseline", built, "majority", "--out", predictions)
    run_client(_command("check", built), example.hub)
    run_client(_command("score", built, predictions, "--bootstrap", "0"), example.hub)
    build = _command("build", "choice-order", "--data", built, "--out", tmp_path / "out")
    refused = run_client(build, example.hub, check=False)
    assert refused.returncode == 2
    assert "unknown dataset 'choice-order'" in refused.stderr


@pytest.mark.real_data
def test_people_s_questions_are_swapped(example: Installation, real_data: Path, tmp_path: Path) -> None:
    build_with(example, real_data, tmp_path / "out")
    swapped = {row["original_question"]: row["perturbed_question"] for row in pairs(tmp_path / "out")}
    assert swapped["Is this an ocean or a lake?"] == "Is this a lake or an ocean?"
    assert swapped["Is the door on the left open or closed?"] == "Is the door on the left closed or open?"
    assert len(swapped) > 50
    assert not any(" or not" in str(question) for question in swapped)
