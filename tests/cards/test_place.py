"""Where a card says that its dataset is: in a folder before it is published, then in a repository at a tag."""

from pathlib import Path

import pytest
from datasets import load_dataset

from diptych.cards import CARD, card_content, check_card, is_own_card, keep_sections, render_card
from diptych.cards._place import CardPlace
from diptych.errors import BadInputError
from diptych.folder import BuiltFolder, open_folder
from tests.folders import make_folder, some_pairs
from tests.publishing.conftest import stamped

SECTION = "<!-- diptych:keep news -->\nMine.\n<!-- diptych:end -->"


@pytest.fixture
def folder(tmp_path: Path) -> BuiltFolder:
    return make_folder(tmp_path / "OUT", some_pairs(8))


@pytest.fixture
def card(folder: BuiltFolder) -> str:
    return (folder.path / CARD).read_text(encoding="utf-8")


@pytest.fixture
def published(folder: BuiltFolder) -> BuiltFolder:
    return stamped(folder.path, "v1.2.0", "real/repo")


def first_code(card: str) -> str:
    return card.split("```python\n")[1].split("```")[0]


def test_before_it_is_published_a_card_says_so(card: str) -> None:
    assert "**Not published yet.**" in card
    assert " org/" not in card.replace('"org/', " org/")


def test_the_code_of_an_unpublished_card_loads_the_folder(
    folder: BuiltFolder, card: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.path.parent)
    namespace: dict[str, object] = {}
    code = first_code(card).replace('load_dataset("OUT"', f'load_dataset("OUT", cache_dir={str(tmp_path / "cache")!r}')
    exec(code, namespace)
    assert namespace["load_dataset"] is load_dataset
    assert namespace["pairs"]["validation"].num_rows == 8  # type: ignore[index]


@pytest.mark.parametrize(
    "part",
    [
        "# RAD-CADs 1.2.0\n",
        "Published as `real/repo` at the tag `v1.2.0`.",
        'load_dataset("real/repo", revision="v1.2.0")',
        'load_dataset("real/repo", "NAME", revision="v1.2.0")',
        "diptych score real/repo@v1.2.0 predictions.jsonl",
        "@misc{rad-cads-1.2.0,\n  title = {RAD-CADs},\n  note = {version 1.2.0},",
        "url = {hf://datasets/real/repo@v1.2.0}",
        "as `rad-cads` from the files below",
        "- **1.2.0**: First release: the paper's three tests",
    ],
)
def test_a_published_card_names_repository_version_and_tag(part: str, published: BuiltFolder) -> None:
    assert part in render_card(published)


def test_the_longest_name_of_a_repository_fits_into_the_column() -> None:
    call = CardPlace(f"{'a' * 40}/{'b' * 55}", "v1.2.0").load_call("yn_from_what_kind")
    assert max(map(len, call.splitlines())) <= 104
    assert compile(call, "card", "eval")


def test_a_card_says_the_same_wherever_it_is(folder: BuiltFolder, published: BuiltFolder, card: str) -> None:
    assert card_content(published, render_card(published)) == card_content(folder, card)
    assert is_own_card(published, render_card(published))
    assert is_own_card(folder, card)


def test_a_card_of_another_place_is_not_that_of_the_folder(
    folder: BuiltFolder, published: BuiltFolder, card: str
) -> None:
    assert not is_own_card(folder, render_card(published))
    assert not is_own_card(published, card)


def test_hand_written_sections_go_along(folder: BuiltFolder, published: BuiltFolder, card: str) -> None:
    mine = card.replace("## Limits", f"{SECTION}\n\n## Limits")
    theirs = keep_sections(render_card(published), mine)
    assert SECTION in theirs
    assert is_own_card(published, theirs)
    assert card_content(published, theirs) == card_content(folder, mine)


def test_what_is_written_outside_of_sections_is_seen(folder: BuiltFolder, card: str) -> None:
    assert not is_own_card(folder, f"{card}\nMore.\n")


def test_the_check_of_the_card_accepts_both_places(folder: BuiltFolder, published: BuiltFolder) -> None:
    assert check_card(folder).level == "ok"
    (folder.path / CARD).write_text(render_card(published), encoding="utf-8")
    assert check_card(published).level == "ok"


def test_a_manifest_that_names_two_versions_is_refused(folder: BuiltFolder, published: BuiltFolder) -> None:
    published.manifest.model_copy(update={"version": "1.1.0"}).write(folder.path)
    with pytest.raises(BadInputError, match=r"its version 1\.1\.0 is not that of its tag v1\.2\.0"):
        open_folder(folder.path)
