"""A card that does not agree with the manifest is an error of the audit."""

from pathlib import Path

import pytest

from diptych.cards import CARD, check_card
from diptych.folder import BuiltFolder
from tests.folders import make_folder, some_pairs


@pytest.fixture
def folder(tmp_path: Path) -> BuiltFolder:
    return make_folder(tmp_path, some_pairs(8))


def test_a_card_that_agrees_is_ok(folder: BuiltFolder) -> None:
    finding = check_card(folder)
    assert (finding.name, finding.level, finding.message) == ("card", "ok", "its YAML agrees with the manifest")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("num_examples: 8", "num_examples: 7", "differ in dataset_info"),
        ("config_name: yn_from_color", "config_name: other", "differ in configs"),
        ("license: cc-by-4.0", "license: mit", "differ in license"),
        ("license: cc-by-4.0", "license: [", "cannot be read"),
        ("---\n", "", "differ in configs, dataset_info, license"),
    ],
)
def test_a_card_that_says_something_else_is_an_error(old: str, new: str, message: str, folder: BuiltFolder) -> None:
    path = folder.path / CARD
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    finding = check_card(folder)
    assert finding.level == "error"
    assert message in finding.message


def test_a_missing_card_is_an_error(folder: BuiltFolder) -> None:
    (folder.path / CARD).unlink()
    assert check_card(folder).message == "README.md is missing: run `diptych card` to write it"
