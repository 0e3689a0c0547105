"""`diptych check`: the findings of the audit, and an exit code that tells."""

import json
from pathlib import Path

import pytest

from diptych.folder import BuiltFolder
from tests.commands import run
from tests.folders import data_file, make_folder, some_pairs


@pytest.fixture
def folder(tmp_path: Path) -> BuiltFolder:
    return make_folder(tmp_path / "built", some_pairs())


def test_a_sound_folder_is_a_table_and_exit_0(folder: BuiltFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", folder.path) == 0
    output = capsys.readouterr().out
    assert "true ids" in output
    assert output.splitlines()[-1].endswith("0 warning, 0 error")


def test_a_log_has_no_color_codes(folder: BuiltFolder, capsys: pytest.CaptureFixture[str]) -> None:
    run("check", folder.path)
    assert "\x1b" not in capsys.readouterr().out


def test_a_torn_file_is_exit_1_without_a_traceback(folder: BuiltFolder, capsys: pytest.CaptureFixture[str]) -> None:
    data_file(folder).write_bytes(b"PAR1")
    assert run("check", folder.path) == 1
    captured = capsys.readouterr()
    assert "error" in captured.out
    assert "Traceback" not in captured.out + captured.err


def test_faults_alone_are_shown_when_asked(folder: BuiltFolder, capsys: pytest.CaptureFixture[str]) -> None:
    data_file(folder).unlink()
    run("check", folder.path, "--faults")
    output = capsys.readouterr().out
    assert "file hashes" in output
    assert "true ids" not in output


def test_json_can_be_read_by_a_program(folder: BuiltFolder, capsys: pytest.CaptureFixture[str]) -> None:
    data_file(folder).unlink()
    assert run("check", folder.path, "--json") == 1
    audit = json.loads(capsys.readouterr().out)
    assert audit["errors"] == sum(finding["level"] == "error" for finding in audit["findings"]) == 2


@pytest.mark.parametrize("options", [("--oracle",), ("--data", ".")])
def test_the_oracle_and_its_source_files_go_together(
    options: tuple[str, ...], folder: BuiltFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", folder.path, *options) == 2
    assert "pass both --oracle and --data DIR, or neither" in capsys.readouterr().err


@pytest.mark.parametrize("command", [("check",), ("card",), ("export", "--to", "vqa", "--out", "x"), ("errata", "ls")])
def test_a_folder_that_was_not_built_is_one_line_and_exit_2(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*command, tmp_path) == 2
    line = capsys.readouterr().err
    assert "not a built folder" in line
    assert line.count("\n") == 1
