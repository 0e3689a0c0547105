"""`diptych check`: the findings of the audit, and an exit code that tells."""

import json
from pathlib import Path

import networkx as nx
import pytest

from diptych.folder import BuiltFolder
from tests.commands import run
from tests.folders import data_file, make_folder, make_pair, some_pairs


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


def test_the_graph_behind_a_pair_is_printed_in_three_forms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pair = make_pair(7, bindings={"fact": ["dog", "IsA", "pet"]})
    folder = make_folder(tmp_path / "built", [pair])
    outputs = {}
    for form in ("text", "json", "graphml"):
        assert run("explain", folder.path, pair.pair_id, "--format", form) == 0
        outputs[form] = capsys.readouterr().out
    assert outputs["text"].endswith("  dog —IsA→ pet\n")
    assert nx.node_link_graph(json.loads(outputs["json"])["graph"], edges="edges").has_edge("dog", "pet")
    assert nx.parse_graphml(outputs["graphml"]).has_edge("dog", "pet")
    assert run("explain", folder.path, pair.pair_id, "--format", "svg") == 2
    assert "'svg' is not one of 'text', 'json', 'graphml'" in capsys.readouterr().err
