"""`diptych sources` shows what exists, what is missing and where to get it."""

from pathlib import Path

import orjson
import pytest

from tests import commands
from tests.sources.official import ANNOTATIONS, QUESTIONS, write_gz, write_plain


def run(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert commands.run("sources", *args) == 0
    return capsys.readouterr().out


def line_with(output: str, text: str) -> str:
    return next(line for line in output.splitlines() if text in line)


def test_without_a_folder_all_sources_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    output = run(capsys)
    assert "CC-BY-SA-4.0" in line_with(output, "ConceptNet")
    assert "https://s3.amazonaws.com/cvmlp/vqa/mscoco/vqa/v2_Annotations_Val_mscoco.zip" in output


def test_what_is_there_and_what_is_missing_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_gz(tmp_path / "vqa", QUESTIONS, b"[]")
    output = run(capsys, "--data", str(tmp_path))
    assert " gz " in line_with(output, f" vqa/{QUESTIONS}")
    missing = line_with(output, f" vqa/{ANNOTATIONS}")
    assert "missing" in missing
    assert "v2_Annotations_Val_mscoco.zip" in missing


def test_a_damaged_archive_is_told_and_does_not_stop_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_plain(tmp_path / "gqa", "sceneGraphs.zip", b"half an archive")
    output = run(capsys, "--data", str(tmp_path))
    assert "damaged" in line_with(output, "gqa/val_sceneGraphs.json")


def test_a_log_has_no_color_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b" not in run(capsys)


def test_json_is_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_gz(tmp_path / "vqa", QUESTIONS, b"[]")
    report = {source["source"]: source for source in orjson.loads(run(capsys, "--data", str(tmp_path), "--json"))}
    states = {file["name"]: file["state"] for file in report["vqa_v2"]["files"]}
    assert (states[QUESTIONS], states[ANNOTATIONS]) == ("there", "missing")
    assert report["vqa_v2"]["citation"].startswith("@inproceedings")


def test_a_folder_that_is_not_there_is_one_line_and_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.run("sources", "--data", tmp_path / "none") == 2
    assert capsys.readouterr().err.endswith("no such folder\n")
