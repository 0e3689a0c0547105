"""A build is a folder: complete, loadable, the same bytes every time, and nothing left behind by a failure."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.builders.conftest import run

BUILD = "import sys; from diptych.cli import main; main(sys.argv[1:])"


def digest(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def build(data: Path, out: Path, *more: str) -> int:
    return run("build", "rad-cads", "--data", str(data), "--out", str(out), *more)


def copy_of(data: Path, tmp_path: Path) -> Path:
    """VQA's files alone, to be damaged."""
    shutil.copytree(data / "vqa", tmp_path / "data" / "vqa")
    return tmp_path / "data"


def only_line(capsys: pytest.CaptureFixture[str]) -> str:
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def test_the_folder_is_a_complete_dataset_repository(built: Path) -> None:
    assert {path.name for path in built.iterdir()} == {
        "README.md",
        "assets",
        "data",
        "manifest.json",
        "recipe",
    }
    manifest = json.loads((built / "manifest.json").read_text())
    for config in manifest["configs"].values():
        for split in config["splits"].values():
            for name, file in split["files"].items():
                assert hashlib.sha256((built / name).read_bytes()).hexdigest() == file["sha256"]
    assert sorted(path.name for path in (built / "recipe" / "templates" / "rad-cads").iterdir())[0].endswith(".toml")


def test_every_input_is_in_the_ledger(built: Path, data: Path) -> None:
    manifest = json.loads((built / "manifest.json").read_text())
    questions = json.loads((data / "vqa" / "v2_OpenEnded_mscoco_val2014_questions.json").read_text())["questions"]
    for name in ("yn_from_color", "yn_from_how_many", "yn_from_what_kind", "matched"):
        for counts in manifest["configs"][name]["ledger"]["validation"].values():
            assert counts["seen"] == len(questions)
            assert counts["seen"] == counts["paired"] + sum(counts["skipped"].values())


def test_load_dataset_opens_the_folder_and_each_config(built: Path, tmp_path: Path) -> None:
    from datasets import get_dataset_config_names, load_dataset

    manifest = json.loads((built / "manifest.json").read_text())
    default = load_dataset(str(built), cache_dir=str(tmp_path))
    parts = [
        manifest["configs"][name]["splits"]["validation"]["rows"] for name in manifest["unions"]["vqa_v2"]["unites"]
    ]
    assert default["validation"].num_rows == sum(parts)
    assert set(get_dataset_config_names(str(built))) == {"vqa_v2", *manifest["configs"]}
    for name, config in manifest["configs"].items():
        loaded = load_dataset(str(built), name, cache_dir=str(tmp_path))
        assert {split: rows.num_rows for split, rows in loaded.items()} == {
            split: entry["rows"] for split, entry in config["splits"].items()
        }


def test_the_builder_is_what_hugging_face_users_know(data: Path, tmp_path: Path) -> None:
    from diptych.builders import get_builder

    builder = get_builder("rad-cads")(data_dir=str(data), cache_dir=str(tmp_path))
    builder.download_and_prepare()
    pairs = builder.as_dataset(split="validation")
    assert builder.config.name == "vqa_v2"
    assert set(pairs["test"]) == {"rad.yn_from_color", "rad.yn_from_how_many", "rad.yn_from_what_kind"}


@pytest.mark.parametrize("more", [("--num-proc", "2"), ()], ids=["two workers", "another hash seed"])
def test_the_same_files_byte_for_byte(built: Path, data: Path, tmp_path: Path, more: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", BUILD, "build", "rad-cads", "--data", str(data), "--out", str(tmp_path / "again")]
    subprocess.run([*command, *more], check=True, env={**os.environ, "PYTHONHASHSEED": "7"}, capture_output=True)
    assert digest(tmp_path / "again") == digest(built)


def test_another_seed_throws_other_coins(built: Path, data: Path, tmp_path: Path) -> None:
    assert build(data, tmp_path / "other", "--seed", "1", "--config", "yn_from_color") == 0
    name = "data/yn_from_color/validation-00000-of-00001.parquet"
    assert (tmp_path / "other" / name).read_bytes() != (built / name).read_bytes()


@pytest.mark.slow
def test_a_killed_build_goes_on_where_it_was(built: Path, data: Path, tmp_path: Path) -> None:
    out, staging = tmp_path / "out", tmp_path / ".out.building"
    command = [sys.executable, "-c", BUILD, "build", "rad-cads", "--data", str(data), "--out", str(out)]
    process = subprocess.Popen([*command, "--num-proc", "2"], start_new_session=True)
    while not list(staging.glob(".work/shards/*/*/*.arrow")):
        assert process.poll() is None, "the build was over before it could be killed"
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kept = {path: path.stat().st_mtime_ns for path in staging.glob(".work/shards/*/*/*.arrow")}
    assert kept
    assert not out.exists()
    assert build(data, out) == 0
    assert digest(out) == digest(built)
    assert not staging.exists()


def test_truncated_json_is_one_line_and_leaves_nothing(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = copy_of(data, tmp_path)
    file = broken / "vqa" / "v2_mscoco_val2014_annotations.json"
    file.write_bytes(file.read_bytes()[:-2000])
    assert build(broken, tmp_path / "out") == 2
    assert str(file) in only_line(capsys)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_missing_annotation_file_is_one_line(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = copy_of(data, tmp_path)
    (broken / "vqa" / "v2_mscoco_val2014_annotations.json").unlink()
    assert build(broken, tmp_path / "out") == 2
    assert "v2_mscoco_val2014_annotations.json" in only_line(capsys)
    assert not (tmp_path / "out").exists()


def test_an_unwritable_output_is_one_line(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert build(data, tmp_path / "file" / "out") == 2
    assert "cannot be written" in only_line(capsys)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("{{ subject }} {{ value }}", "{{ subjekt }} {{ value }}", "unknown variable 'subjekt'"),
        ('text = "Is the color of {{ subject }} {{ value }}?"', 'text = "{{ subject[0] if false }}"', "color.of"),
    ],
    ids=["an unknown variable", "an empty question"],
)
def test_a_bad_template_is_one_line_with_its_place(
    old: str, new: str, said: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("templates", "export", str(tmp_path / "mine"), "rad-cads") == 0
    capsys.readouterr()
    file = tmp_path / "mine" / "rad-cads" / "yn_from_color.toml"
    file.write_text(file.read_text().replace(old, new, 1))
    assert build(data, tmp_path / "out", "--templates", str(tmp_path / "mine")) == 2
    line = only_line(capsys)
    assert said in line
    assert "yn_from_color.toml" in line
    assert not (tmp_path / "out").exists()


def test_own_templates_change_the_questions(data: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    run("templates", "export", str(tmp_path / "mine"), "rad-cads")
    file = tmp_path / "mine" / "rad-cads" / "yn_from_color.toml"
    file.write_text(
        file.read_text().replace("Is the color of {{ subject }} {{ value }}?", "Is {{ subject }} {{ value }}?")
    )
    args = ("--templates", str(tmp_path / "mine"), "--config", "yn_from_color")
    assert build(data, tmp_path / "out", *args) == 0
    asked = pq.read_table(tmp_path / "out" / "data" / "yn_from_color")["perturbed_question"].to_pylist()
    assert asked
    assert not any("color of" in question for question in asked)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("rad-cad --data {data} --out {out}", "did you mean 'rad-cads'"),
        ("rad-cads --data {out}/none --out {out}/o", "no such data folder"),
        ("rad-cads --data {data} --out {out}/o --config vqa_v3", "did you mean 'vqa_v2'"),
        ("rad-cads --data {data} --out {out}/o --config rephrasings", "no source files for"),
        ("rad-cads --data {data} --out {out}/o --tagger no_such", "spacy download no_such"),
        ("rad-cads --data {data} --out {data}", "already there"),
    ],
)
def test_a_wrong_word_on_the_command_line_is_one_line(
    args: str, said: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("build", *args.format(data=data, out=tmp_path).split()) == 2
    assert said in only_line(capsys)
    assert list(tmp_path.iterdir()) == []


def test_the_pairs_can_be_had_in_vqa_layout(data: Path, tmp_path: Path) -> None:
    args = ("--config", "yn_from_color", "--export", "vqa")
    assert build(data, tmp_path / "out", *args) == 0
    folder = tmp_path / "out" / "export" / "vqa" / "yn_from_color"
    questions = json.loads((folder / "yes-no_from_colors_val_questions.json").read_text())["questions"]
    annotations = json.loads((folder / "yes-no_from_colors_val_annotations.json").read_text())["annotations"]
    assert [each["question_id"] for each in questions] == [each["question_id"] for each in annotations]
    assert all(len(each["answers"]) == 10 for each in annotations)
    assert {each["multiple_choice_answer"] for each in annotations} == {"yes", "no"}


def test_ls_names_every_config(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ls", "--json") == 0
    (rad,) = [entry for entry in json.loads(capsys.readouterr().out) if entry["dataset"] == "rad-cads"]
    assert rad["default"] == "vqa_v2"
    assert {"matched", "vqa_cp_v2", "visdial", "convqa_l", "convqa_cs", "rephrasings"} <= set(rad["configs"])
