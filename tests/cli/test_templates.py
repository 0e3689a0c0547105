"""`diptych templates ls | export | check` on the command line."""

import json
from pathlib import Path

import pytest

from tests import commands


def run(*args: str) -> int:
    return commands.run("templates", *args)


def test_ls_shows_every_template_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ls") == 0
    output = capsys.readouterr().out
    assert "rad.yn_from_color\n    color.of       Is the color of the cat white?" in output


def test_ls_as_json_can_be_read_by_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ls", "rad-cads", "--json") == 0
    facts = {template["id"]: template for template in json.loads(capsys.readouterr().out)}
    assert facts["what_kind.attributive"]["example"] == "Is this a wood floor?"
    assert facts["color.of"]["file"] == "rad-cads/yn_from_color.toml"


def test_ls_of_an_unknown_dataset_is_one_line_and_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ls", "rad-cad") == 2
    assert capsys.readouterr().err.startswith(
        "error: unknown dataset with templates 'rad-cad'; did you mean 'rad-cads'?"
    )


def test_what_export_writes_is_sound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("export", str(tmp_path / "mine"), "rad-cads") == 0
    assert capsys.readouterr().out == f"wrote {tmp_path}/mine/rad-cads\n"
    assert run("check", str(tmp_path / "mine")) == 0
    assert capsys.readouterr().out.endswith("20 templates in 4 files are sound\n")


def test_export_refuses_to_overwrite_unless_forced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("export", str(tmp_path)) == 0
    assert run("export", str(tmp_path)) == 2
    assert "is not empty: choose another folder, or overwrite its files with --force" in capsys.readouterr().err
    assert run("export", str(tmp_path), "--force") == 0


def test_check_prints_every_mistake_and_exits_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("export", str(tmp_path), "rad-cads")
    folder = tmp_path / "rad-cads"
    for name, old, new in (("yn_from_color", "subject }}", "subjct }}"), ("yn_from_what_kind", "| a }}?", "| a }}")):
        file = folder / f"{name}.toml"
        file.write_text(file.read_text().replace(old, new, 1))
    assert run("check", str(tmp_path)) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == (
        f"{folder}/yn_from_color.toml:16: template 'color.of': unknown variable 'subjct'; "
        "did you mean 'subject'? known: are, aux, noun, rest, subject, value, verb"
    )
    assert lines[1].startswith(f"{folder}/yn_from_what_kind.toml:14: template 'what_kind.noun': no question mark")
    assert lines[2] == "2 mistakes in 4 files"


def test_check_of_a_missing_folder_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", str(tmp_path / "none")) == 2
    assert capsys.readouterr().err == f"error: no such folder: {tmp_path}/none\n"
