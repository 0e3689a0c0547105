"""`diptych diff`, `export` and `errata`: thin words around the API."""

import json
import shutil
from pathlib import Path

import pytest

from diptych.folder import BuiltFolder, open_folder
from tests.commands import run
from tests.folders import CONFIG, SPLIT, make_folder, some_pairs

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    return make_folder(tmp_path_factory.mktemp("built") / "out", some_pairs(8))


@pytest.fixture
def edited_build(folder: BuiltFolder, tmp_path: Path) -> Path:
    """A copy with another card."""
    path = Path(shutil.copytree(folder.path, tmp_path / "edited"))
    (path / "README.md").write_text("# Another\n")
    return path


def test_equal_builds_are_exit_0(folder: BuiltFolder, capsys: Capture) -> None:
    assert run("diff", folder.path, folder.path) == 0
    assert capsys.readouterr().out == "no difference\n"


def test_different_builds_are_exit_1_with_the_next_version(
    folder: BuiltFolder, edited_build: Path, capsys: Capture
) -> None:
    assert run("diff", folder.path, edited_build) == 1
    assert "next version: v1.0.1 (patch" in capsys.readouterr().out


def test_a_difference_as_json_can_be_read_by_a_program(
    folder: BuiltFolder, edited_build: Path, capsys: Capture
) -> None:
    assert run("diff", folder.path, edited_build, "--json") == 1
    difference = json.loads(capsys.readouterr().out)
    assert (difference["level"], difference["next_version"], difference["changes"]) == ("patch", "v1.0.1", [])


def test_a_folder_that_is_no_build_is_one_line(folder: BuiltFolder, tmp_path: Path, capsys: Capture) -> None:
    assert run("diff", folder.path, tmp_path) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_an_export_tells_what_it_wrote(folder: BuiltFolder, tmp_path: Path, capsys: Capture) -> None:
    assert run("export", folder.path, "--to", "eval-yaml", "--out", tmp_path / "out") == 0
    assert capsys.readouterr().out == f"wrote {tmp_path}/out/eval.yaml\n"


def test_an_unknown_format_lists_the_known_ones(folder: BuiltFolder, tmp_path: Path, capsys: Capture) -> None:
    assert run("export", folder.path, "--to", "lmeval", "--out", tmp_path / "out") == 2
    assert "did you mean 'lm-eval'" in capsys.readouterr().err


def test_an_erratum_is_added_and_listed(edited_build: Path, capsys: Capture) -> None:
    pair_id = str(open_folder(edited_build).table(CONFIG, SPLIT)["pair_id"][0])
    assert run("errata", "add", edited_build, pair_id, "--reason", "the cat is black") == 0
    assert run("errata", "ls", edited_build) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{pair_id} is listed in {edited_build}/errata.jsonl",
        f"{pair_id}  since 1.0.0  the cat is black",
    ]


def test_an_erratum_about_an_unknown_pair_is_one_line(edited_build: Path, capsys: Capture) -> None:
    assert run("errata", "add", edited_build, "none", "--reason", "wrong") == 2
    assert "no pair none" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("push", "{folder}"), "say where to publish: diptych push OUT org/name"),
        (("push", "{folder}", "org/rad", "--tag", "1.0"), "a tag is a version like v1.0.0"),
        (("push", "{folder}", "org/rad@v1"), "name the version with --tag"),
        (("push", "--metric", "org/paired_vqa", "org/more"), "--metric takes a repository alone"),
        (("push", "--metric", "org/metric"), "call it …/paired_vqa"),
    ],
)
def test_a_push_to_nowhere_is_one_line(
    args: tuple[str, ...], message: str, folder: BuiltFolder, capsys: Capture
) -> None:
    assert run(*(arg.format(folder=folder.path) for arg in args)) == 2
    line = capsys.readouterr().err
    assert message in line
    assert line.count("\n") == 1
