"""`diptych card`: the card once more, and nothing else."""

from pathlib import Path

import pytest

from diptych.folder import BuiltFolder
from tests.commands import run
from tests.folders import make_folder, some_pairs


@pytest.fixture
def folder(tmp_path: Path) -> BuiltFolder:
    return make_folder(tmp_path, some_pairs(8))


def test_the_same_card_is_rendered_again(folder: BuiltFolder, capsys: pytest.CaptureFixture[str]) -> None:
    card = folder.path / "README.md"
    content = card.read_bytes()
    card.unlink()
    assert run("card", folder.path) == 0
    assert card.read_bytes() == content
    assert capsys.readouterr().out == f"wrote {card}\n"


def test_what_was_written_by_hand_is_kept(folder: BuiltFolder) -> None:
    card = folder.path / "README.md"
    section = "<!-- diptych:keep thanks -->\nThanks to all annotators.\n<!-- diptych:end -->\n"
    card.write_text(card.read_text() + section)
    assert run("card", folder.path) == 0
    assert section in card.read_text()
