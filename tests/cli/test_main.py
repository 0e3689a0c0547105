"""The command line as a whole: `--version`, `ls`, and failures in one line."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

import diptych
from diptych import cli
from diptych.builders import dataset_names, get_dataset
from diptych.cli._app import app
from diptych.errors import BadInputError
from tests.commands import run

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("args", [("--version",), ("--version", "ls")])
def test_the_version_is_told(args: tuple[str, ...], capsys: Capture) -> None:
    assert run(*args) == 0
    assert capsys.readouterr().out == f"diptych {diptych.__version__}\n"


def test_the_commands_are_listed(capsys: Capture) -> None:
    run("--help")
    output = capsys.readouterr().out
    commands = "ls sources templates build check diff card push score report review export rank demo".split()
    assert [name for name in commands if f"  {name} " not in output] == []


def test_the_commands_are_listed_by_task(capsys: Capture) -> None:
    run("--help")
    _, *tasks = re.split(r"^(\w+):\n", capsys.readouterr().out.partition("Options:")[2], flags=re.MULTILINE)
    commands = {
        title: re.findall(r"^  (\w+) ", text, re.MULTILINE) for title, text in zip(tasks[::2], tasks[1::2], strict=True)
    }
    assert list(commands) == ["Build", "Look", "Publish", "Score"]
    assert all(name in commands[task] for name, task in {"build": "Build", "push": "Publish", "score": "Score"}.items())
    assert sorted(name for names in commands.values() for name in names) == sorted(get_command(app).commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "completions"),
    [
        (["diptych", "sco"], ["score"]),
        (["diptych", "build", "rad"], ["rad-cads"]),
        (["diptych", "build", "rad-cads", "--config", "mat"], ["matched"]),
        (["diptych", "build", "no-dataset", "--config", "m"], []),
    ],
    ids=" ".join,
)
def test_the_shell_completes_commands_datasets_and_configs(words: list[str], completions: list[str]) -> None:
    variables = {"_DIPTYCH_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(words), "COMP_CWORD": f"{len(words) - 1}"}
    command = [sys.executable, "-m", "diptych"]
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=True)
    assert done.stdout.split() == completions


def test_an_unknown_command_is_exit_2(capsys: Capture) -> None:
    assert run("biuld") == 2
    assert "biuld" in capsys.readouterr().err


def test_ls_names_every_dataset_and_config(capsys: Capture) -> None:
    assert run("ls") == 0
    lines = capsys.readouterr().out.splitlines()
    assert {f"{name} {get_dataset(name).spec.version}" for name in dataset_names()} <= set(lines)
    assert any(line.startswith("  vqa_v2 (default) ") for line in lines)


@pytest.fixture
def rad(capsys: Capture) -> dict[str, object]:
    """What `ls --json` tells of rad-cads."""
    assert run("ls", "--json") == 0
    (entry,) = [entry for entry in json.loads(capsys.readouterr().out) if entry["dataset"] == "rad-cads"]
    return dict(entry)


def test_ls_as_json_names_the_default_config(rad: dict[str, object]) -> None:
    assert rad["default"] == "vqa_v2"


def test_ls_as_json_names_the_configs(rad: dict[str, dict[str, dict[str, object]]]) -> None:
    assert {"matched", "vqa_cp_v2", "visdial", "convqa_l", "convqa_cs", "rephrasings"} <= set(rad["configs"])
    assert rad["configs"]["visdial"]["tests"] == ["rad.yn_from_color", "rad.yn_from_how_many"]


def test_ls_as_json_names_the_parameters(rad: dict[str, object]) -> None:
    parameters = {"values": "frequency", "min_agreement": 0.6, "zero": True, "counts": "plain", "images": "file"}
    assert rad["parameters"] == parameters


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (BadInputError("file: broken; mend it"), 2, "error: file: broken; mend it"),
        (KeyboardInterrupt(), 130, "interrupted; finished work is kept"),
        (OSError(28, "No space left on device", "/out/x"), 2, "error: /out/x: No space left on device"),
        (MemoryError(), 2, "error: out of memory"),
        (ZeroDivisionError("division by zero"), 70, "internal error: ZeroDivisionError: division by zero; "),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_every_failure_is_one_line(
    error: BaseException, code: int, line: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture, tmp_path: Path
) -> None:
    def fail(arguments: list[str]) -> None:
        raise error

    monkeypatch.setattr("diptych.cli._app.run", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert run("ls") == code
    output = capsys.readouterr().err
    assert output.startswith(line)
    assert output.count("\n") == 1


def test_the_traceback_of_a_defect_is_kept_in_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, tmp_path: Path
) -> None:
    monkeypatch.setattr("diptych.cli._app.run", lambda arguments: 1 / 0)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert run("ls") == cli.INTERNAL_ERROR
    (file,) = tmp_path.iterdir()
    assert str(file) in capsys.readouterr().err
    assert "ZeroDivisionError" in file.read_text()
