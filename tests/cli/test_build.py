"""`diptych build`: what it prints, what it lists, and one line for every wrong word."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from diptych.demo import make_world
from diptych.folder import open_folder
from tests.commands import run

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "data"
    make_world(folder, 30, pictures=False)
    return folder


@pytest.fixture(scope="module")
def visdial_build(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "rad"
    assert run("build", "rad-cads", "--data", data, "--out", out, "--config", "visdial") == 0
    return out


def only_line(capsys: Capture) -> str:
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def test_a_build_tells_what_it_made(data: Path, tmp_path: Path, capsys: Capture) -> None:
    assert run("build", "rad-cads", "--data", data, "--out", tmp_path / "out", "--config", "visdial") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("visdial validation: ")
    assert " pairs from " in lines[0]
    assert lines[-2].startswith("audit: 0 errors, ")
    assert lines[-1] == f"wrote {tmp_path}/out"


def test_parameters_and_seed_are_passed_on(data: Path, tmp_path: Path) -> None:
    options = ("--config", "yn_from_color", "--set", "values=matched", "--seed", 3)
    assert run("build", "rad-cads", "--data", data, "--out", tmp_path / "out", *options) == 0
    recipe = open_folder(tmp_path / "out").manifest.recipes["yn_from_color"]
    assert (recipe.seed, recipe.parameters) == (3, {"values": "matched"})


@pytest.mark.parametrize(
    ("dataset", "parts"),
    [
        ("rad-cads", ["--set values=", "--set zero=", "One of frequency, matched.", "Default: frequency."]),
        ("bqd", ["--set ranker=", "--set k="]),
        ("fvqa2", ["--set least_weight=", "--set graph="]),
        ("carets", ["Parameters of carets"]),
        ("kb-counterfactuals", ["Configs of kb-counterfactuals"]),
    ],
)
def test_help_lists_the_parameters_of_a_dataset(dataset: str, parts: list[str], capsys: Capture) -> None:
    assert run("build", dataset, "--help") == 0
    output = " ".join(capsys.readouterr().out.split())
    assert [part for part in parts if part not in output] == []


def test_help_lists_the_configs_of_a_dataset(capsys: Capture) -> None:
    assert run("build", "rad-cads", "--help") == 0
    output = capsys.readouterr().out
    assert "Configs of rad-cads" in output
    assert "exactly" in output


def test_help_without_a_dataset_lists_the_options_alone(capsys: Capture) -> None:
    assert run("build", "--help") == 0
    output = capsys.readouterr().out
    assert "--num-proc" in output
    assert "Parameters of" not in output


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("rad-cad --data {data} --out {out}/o", "did you mean 'rad-cads'"),
        ("rad-cads --data {out}/none --out {out}/o", "no such data folder"),
        ("rad-cads --data {data}", "pass the folder to create: --out OUT"),
        ("rad-cads --data {data} --out {out}/o --config vqa_v3", "did you mean 'vqa_v2'"),
        ("rad-cads --data {data} --out {out}/o --config rephrasings", "no source files for"),
        ("rad-cads --data {data} --out {out}/o --tagger no_such", "spacy download no_such"),
        ("rad-cads --data {data} --out {data}", "already exists"),
        ("rad-cads --data {data} --out {data}/vqa/x.json/o", "cannot be written"),
        ("rad-cads --data {data} --out {out}/o --set zero", "must be KEY=VALUE"),
        ("rad-cads --data {data} --out {out}/o --set zero=perhaps", "'perhaps' is not true or false"),
        ("rad-cads --data {data} --out {out}/o --set zeros=1", "did you mean 'zero'"),
        ("rad-cads --data {data} --out {out}/o --verdicts {out}/none", "no such file"),
        ("rad-cads --data {data} --out {out}/o --unreviewed drop", "needs --verdicts FILE"),
        ("rad-cads --data {data} --out {out}/o --verdicts x --unreviewed kep", "did you mean 'keep'?"),
        ("rad-cads --data {data} --out {out}/o --export vqaa", "did you mean 'vqa'"),
    ],
)
def test_a_wrong_word_is_one_line_and_leaves_nothing(
    args: str, message: str, data: Path, tmp_path: Path, capsys: Capture
) -> None:
    (data / "vqa" / "x.json").touch()
    assert run("build", *args.format(data=data, out=tmp_path).split()) == 2
    assert message in only_line(capsys)
    assert not (tmp_path / "o").exists()


# From a recipe.


def test_a_folder_is_built_again(visdial_build: Path, data: Path, tmp_path: Path, capsys: Capture) -> None:
    assert run("build", visdial_build, "--data", data, "--out", tmp_path / "again") == 0
    assert capsys.readouterr().out.endswith(f"{visdial_build}: bit-identical (1 configs, 1 files)\n")


def test_a_folder_that_comes_out_different_is_exit_1(
    visdial_build: Path, data: Path, tmp_path: Path, capsys: Capture
) -> None:
    edited_build = Path(shutil.copytree(visdial_build, tmp_path / "edited"))
    recipe = edited_build / "recipe" / "recipe.json"
    recipe.write_text(recipe.read_text().replace('"seed": 0', '"seed": 1'))
    assert run("build", edited_build, "--data", data) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "seed 0, now 1 (visdial)"
    assert lines[-1] == f"{edited_build}: not bit-identical"


@pytest.mark.parametrize(
    "option",
    [
        ("--seed", "1"),
        ("--config", "visdial"),
        ("--templates", "."),
        ("--set", "zero=1"),
        ("--verdicts", "x"),
        ("--unreviewed", "drop"),
        ("--reject", "x"),
    ],
)
def test_a_recipe_is_followed_not_overruled(
    option: tuple[str, str], visdial_build: Path, data: Path, capsys: Capture
) -> None:
    assert run("build", visdial_build, "--data", data, *option) == 2
    assert f"leave out {option[0]}" in only_line(capsys)


def test_a_seed_of_zero_does_not_overrule_a_recipe_either(visdial_build: Path, data: Path, capsys: Capture) -> None:
    assert run("build", visdial_build, "--data", data, "--seed", 0) == 2
    assert "leave out --seed" in only_line(capsys)


# Interrupted.


def test_an_interrupted_build_is_one_line(data: Path, tmp_path: Path) -> None:
    code = (
        "import os, signal, threading; from diptych.cli import main;"
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start();"
        f"main(['build', 'rad-cads', '--data', {str(data)!r}, '--out', {str(tmp_path / 'out')!r}])"
    )
    root = str(Path(__file__).resolve().parents[2])
    process = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
        check=False,
    )
    assert process.returncode == 130
    assert process.stderr.splitlines()[-1].startswith("interrupted; finished work is kept")
    assert "Traceback" not in process.stderr
