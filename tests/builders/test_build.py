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

import diptych
from diptych.demo import make_world
from diptych.errors import BadInputError, DiptychError, MissingFileError
from diptych.folder import BuiltFolder, open_folder
from diptych.templates import export_templates
from tests.builders.conftest import digest

ROOT = Path(__file__).resolve().parents[2]
BUILD = "import sys; from diptych.cli import main; main(sys.argv[1:])"
COLORS = "data/yn_from_color/validation-00000-of-00001.parquet"


@pytest.fixture(scope="session")
def folder(rad_build: Path) -> BuiltFolder:
    return open_folder(rad_build)


def copy_vqa(data: Path, tmp_path: Path) -> Path:
    """VQA's files alone, to be damaged."""
    shutil.copytree(data / "vqa", tmp_path / "data" / "vqa")
    return tmp_path / "data"


def build_command(data: Path, out: Path, *options: str) -> list[str]:
    return [sys.executable, "-c", BUILD, "build", "rad-cads", "--data", str(data), "--out", str(out), *options]


def test_the_folder_is_a_complete_dataset_repository(rad_build: Path) -> None:
    assert {path.name for path in rad_build.iterdir()} == {"README.md", "assets", "data", "manifest.json", "recipe"}


def test_the_manifest_lists_every_data_file_with_its_hash(folder: BuiltFolder) -> None:
    entries = {name: entry.sha256 for *_, split in folder.manifest.own_splits() for name, entry in split.files.items()}
    files = {path.relative_to(folder.path).as_posix(): path for path in folder.path.glob("data/*/*")}
    assert entries == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


def test_the_templates_are_kept_with_the_build(rad_build: Path) -> None:
    names = sorted(path.name for path in (rad_build / "recipe" / "templates" / "rad-cads").iterdir())
    assert names == ["yn_from_color.toml", "yn_from_colors.toml", "yn_from_how_many.toml", "yn_from_what_kind.toml"]


@pytest.mark.parametrize("config", ["yn_from_color", "yn_from_how_many", "yn_from_what_kind", "matched"])
def test_every_question_is_in_the_ledger(config: str, folder: BuiltFolder, data: Path) -> None:
    questions = json.loads((data / "vqa" / "v2_OpenEnded_mscoco_val2014_questions.json").read_text())["questions"]
    for counts in folder.manifest.configs[config].ledger["validation"].values():
        assert counts.seen == len(questions) == counts.paired + sum(counts.skipped.values())


def test_load_dataset_opens_the_default_config(folder: BuiltFolder, tmp_path: Path) -> None:
    from datasets import load_dataset

    pairs = load_dataset(str(folder.path), split="validation", cache_dir=str(tmp_path))
    tests = ("yn_from_color", "yn_from_colors", "yn_from_how_many", "yn_from_what_kind")
    assert set(pairs["test"]) == {f"rad.{name}" for name in tests}
    assert pairs.num_rows == folder.table("vqa_v2", "validation").num_rows


def test_load_dataset_opens_every_config(folder: BuiltFolder, tmp_path: Path) -> None:
    from datasets import get_dataset_config_names, load_dataset

    location, cache = str(folder.path), str(tmp_path)
    names = get_dataset_config_names(location)
    loaded = {name: load_dataset(location, name, cache_dir=cache) for name in names}
    assert {(name, split): rows.num_rows for name, splits in loaded.items() for split, rows in splits.items()} == {
        (name, split): folder.table(name, split).num_rows for name in folder.configs for split in folder.splits(name)
    }


def test_configs_and_splits_without_pairs_do_not_keep_the_rest_from_loading(tmp_path: Path) -> None:
    from datasets import load_dataset

    make_world(tmp_path / "data", 2, pictures=False)
    folder = diptych.build("rad-cads", tmp_path / "data", tmp_path / "out")
    empty = set(folder.manifest.configs) - set(folder.configs)
    assert empty
    assert all(folder.manifest.configs[name].ledger for name in empty)
    for name in folder.configs:
        assert load_dataset(str(folder.path), name, cache_dir=str(tmp_path / "cache"))


@pytest.mark.parametrize("options", [("--num-proc", "2"), ()], ids=["two workers", "another hash seed"])
def test_the_same_files_byte_for_byte(rad_build: Path, data: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}
    subprocess.run(build_command(data, tmp_path / "again", *options), check=True, env=environment, capture_output=True)
    assert digest(tmp_path / "again") == digest(rad_build)


def test_another_seed_throws_other_coins(rad_build: Path, data: Path, tmp_path: Path) -> None:
    diptych.build("rad-cads", data, tmp_path / "other", seed=1, configs=("yn_from_color",))
    assert (tmp_path / "other" / COLORS).read_bytes() != (rad_build / COLORS).read_bytes()


@pytest.mark.slow
def test_a_killed_build_goes_on_where_it_was(rad_build: Path, data: Path, tmp_path: Path) -> None:
    out, staging = tmp_path / "out", tmp_path / ".out.building"
    process = subprocess.Popen(
        build_command(data, out, "--num-proc", "2"), start_new_session=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    while not list(staging.glob("work/*/*/*.arrow")):
        assert process.poll() is None, "the build was over before it could be killed"
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    finished = digest(staging / "work")
    assert finished
    assert not out.exists()
    diptych.build("rad-cads", data, out)
    assert digest(out) == digest(rad_build)
    assert not staging.exists()


def test_finished_shards_can_be_kept_elsewhere(rad_build: Path, data: Path, tmp_path: Path) -> None:
    for name in ("first", "second"):
        diptych.build("rad-cads", data, tmp_path / name, configs=("yn_from_color",), work=str(tmp_path / "work"))
        assert (tmp_path / name / COLORS).read_bytes() == (rad_build / COLORS).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second", "work"]


def test_truncated_json_names_the_file_and_leaves_only_finished_shards(data: Path, tmp_path: Path) -> None:
    broken = copy_vqa(data, tmp_path)
    file = broken / "vqa" / "v2_mscoco_val2014_annotations.json"
    file.write_bytes(file.read_bytes()[:-2000])
    with pytest.raises(BadInputError, match=str(file)):
        diptych.build("rad-cads", broken, tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"data", ".out.building"}
    assert [path.name for path in (tmp_path / ".out.building").iterdir()] == ["work"]


def test_a_missing_annotation_file_is_named(data: Path, tmp_path: Path) -> None:
    broken = copy_vqa(data, tmp_path)
    (broken / "vqa" / "v2_mscoco_val2014_annotations.json").unlink()
    with pytest.raises(DiptychError, match="v2_mscoco_val2014_annotations"):
        diptych.build("rad-cads", broken, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{{ subject }} {{ value }}", "{{ subjekt }} {{ value }}", "unknown variable 'subjekt'"),
        ('text = "Is the color of {{ subject }} {{ value }}?"', 'text = "{{ subject[0] if false }}"', "color.of"),
    ],
    ids=["an unknown variable", "an empty question"],
)
def test_a_bad_template_is_named_with_its_place(old: str, new: str, message: str, data: Path, tmp_path: Path) -> None:
    export_templates(tmp_path / "edited", ["rad-cads"])
    file = tmp_path / "edited" / "rad-cads" / "yn_from_color.toml"
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(DiptychError, match=message) as refusal:
        diptych.build("rad-cads", data, tmp_path / "out", templates=tmp_path / "edited")
    assert "yn_from_color.toml" in str(refusal.value)
    assert not (tmp_path / "out").exists()


def test_edited_templates_change_the_questions(data: Path, tmp_path: Path) -> None:
    export_templates(tmp_path / "edited", ["rad-cads"])
    file = tmp_path / "edited" / "rad-cads" / "yn_from_color.toml"
    file.write_text(
        file.read_text().replace("Is the color of {{ subject }} {{ value }}?", "Is {{ subject }} {{ value }}?")
    )
    folder = diptych.build(
        "rad-cads", data, tmp_path / "out", templates=tmp_path / "edited", configs=("yn_from_color",)
    )
    questions = folder.table("yn_from_color", "validation")["perturbed_question"].to_pylist()
    assert questions
    assert not any("color of" in question for question in questions)


def test_templates_are_refused_by_a_dataset_that_has_none(data: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="does not use templates; leave out --templates"):
        diptych.build("bqd", data, tmp_path / "out", templates=tmp_path, configs=("gbqd",))


def test_a_data_folder_without_the_source_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with pytest.raises(MissingFileError, match="no source files of rad-cads found"):
        diptych.build("rad-cads", tmp_path / "data", tmp_path / "out")


def test_an_earlier_build_is_overwritten_only_when_asked(data: Path, tmp_path: Path) -> None:
    diptych.build("rad-cads", data, tmp_path / "out", configs=("yn_from_color",))
    with pytest.raises(BadInputError, match="already exists"):
        diptych.build("rad-cads", data, tmp_path / "out", configs=("visdial",))
    folder = diptych.build("rad-cads", data, tmp_path / "out", configs=("visdial",), overwrite=True)
    assert set(open_folder(folder.path).configs) == {"visdial"}


def test_pairs_are_exported_in_the_layout_of_vqa(data: Path, tmp_path: Path) -> None:
    diptych.build("rad-cads", data, tmp_path / "out", configs=("yn_from_color",), export=("vqa",))
    folder = tmp_path / "out" / "export" / "vqa" / "yn_from_color"
    questions = json.loads((folder / "yes-no_from_colors_val_questions.json").read_text())["questions"]
    annotations = json.loads((folder / "yes-no_from_colors_val_annotations.json").read_text())["annotations"]
    assert [row["question_id"] for row in questions] == [row["question_id"] for row in annotations]
    assert {len(row["answers"]) for row in annotations} == {10}
    assert {row["multiple_choice_answer"] for row in annotations} == {"yes", "no"}
