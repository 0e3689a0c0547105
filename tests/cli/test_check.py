"""`diptych check`, `card`, `export` and the audit of `build` on the command line."""

import json
from pathlib import Path

import pytest
from datasets import load_dataset

from diptych.cli import main
from diptych.demo import make_world
from tests.cards.folders import make_folder, read_manifest, some_pairs


def run(*args: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(args)
    return int(stopped.value.code or 0)


def test_check_of_a_sound_folder_is_a_table_and_exit_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", str(make_folder(tmp_path, some_pairs()))) == 0
    out = capsys.readouterr().out
    assert "true ids" in out
    assert "\x1b" not in out
    assert out.splitlines()[-1].endswith("0 note, 0 wanting")


def test_check_of_a_torn_file_is_exit_1_without_a_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_folder(tmp_path, some_pairs())
    next(tmp_path.glob("data/*/*.parquet")).write_bytes(b"PAR1")
    assert run("check", str(tmp_path), "--faults") == 1
    captured = capsys.readouterr()
    assert "wanting" in captured.out
    assert "true ids" not in captured.out
    assert "Traceback" not in captured.out + captured.err


def test_check_as_json_can_be_read_by_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_folder(tmp_path, some_pairs())
    next(tmp_path.glob("data/*/*.parquet")).unlink()
    assert run("check", str(tmp_path), "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["wanting"] == len([each for each in told["findings"] if each["level"] == "wanting"]) == 2


@pytest.mark.parametrize("command", [["check"], ["card"], ["export", "--to", "vqa", "--out", "x"]])
def test_a_folder_that_was_not_built_is_one_line_and_exit_2(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*command, str(tmp_path)) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "not a built folder" in said


def test_card_renders_the_same_card_again(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs())
    before = (folder / "README.md").read_bytes()
    (folder / "README.md").unlink()
    assert run("card", str(folder)) == 0
    assert (folder / "README.md").read_bytes() == before


def test_export_says_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_folder(tmp_path / "built", some_pairs())
    assert run("export", str(folder), "--to", "eval-yaml", "--out", str(tmp_path / "out")) == 0
    assert capsys.readouterr().out == f"wrote {tmp_path}/out/eval.yaml\n"


@pytest.mark.slow
def test_a_build_is_audited_and_its_bytes_do_not_depend_on_workers(tmp_path: Path) -> None:
    make_world(tmp_path / "data", images=40, pictures=False)
    for workers in ("1", "2"):
        out = tmp_path / workers
        assert run("build", "rad-cads", "--data", str(tmp_path / "data"), "--out", str(out), "--num-proc", workers) == 0
    names = ("manifest.json", "README.md", "assets/answers.svg")
    assert [(tmp_path / "1" / name).read_bytes() for name in names] == [
        (tmp_path / "2" / name).read_bytes() for name in names
    ]
    told = read_manifest(tmp_path / "1")
    assert told["audit"]["findings"]
    pairs = load_dataset(str(tmp_path / "1"), cache_dir=str(tmp_path / "cache"))
    rows = sum(told["configs"][part]["splits"]["validation"]["rows"] for part in told["unions"]["vqa_v2"]["unites"])
    assert pairs["validation"].num_rows == rows


def test_card_keeps_what_was_written_by_hand(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs())
    card = folder / "README.md"
    assert run("card", str(folder)) == 0
    mine = "<!-- diptych:keep thanks -->\nThanks to all annotators.\n<!-- diptych:end -->\n"
    card.write_text(card.read_text() + mine)
    assert run("card", str(folder)) == 0
    assert mine in card.read_text()
