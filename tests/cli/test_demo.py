"""`diptych demo sources`: a miniature world in a folder."""

from pathlib import Path

import pytest

from tests.commands import run


def test_sources_writes_a_world_and_says_what(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "data"
    assert run("demo", "sources", str(folder), "--images", "6", "--seed", "2") == 0
    assert {path.name for path in folder.iterdir()} == {
        *("vqa", "vqacp", "visdial", "gqa", "vg", "fvqa", "conceptnet", "convqa", "images"),
        *("hallusionbench", "mme", "mmvp", "naturalbench", "pope"),
    }
    assert capsys.readouterr().out.startswith("6 images, ")


def test_a_taken_folder_is_one_line_and_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert run("demo", "sources", str(tmp_path)) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert "--force" in message


@pytest.mark.parametrize("images", ["0", "-5"])
def test_no_images_is_one_line_and_exit_2(images: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("demo", "sources", str(tmp_path / "data"), "--images", images) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert run("demo", "sources", str(tmp_path / "file" / "data"), "--images", "1") == 2
    assert capsys.readouterr().err.count("\n") == 1
