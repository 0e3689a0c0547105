"""Where a card says that its dataset is: in a folder before it is published, then in a repository at a tag."""

from pathlib import Path

import pytest
from datasets import load_dataset

from diptych.cards import CARD, CardPlace, card_content, check_card, is_own_card, published_card, read_place
from diptych.folder import BuiltFolder
from tests.folders import make_folder, some_pairs

TAGGED, UNTAGGED = CardPlace("real/repo", "v1.2.0"), CardPlace("real/repo")
SECTION = "<!-- diptych:keep news -->\nMine.\n<!-- diptych:end -->"


@pytest.fixture
def folder(tmp_path: Path) -> BuiltFolder:
    return make_folder(tmp_path / "OUT", some_pairs(8))


@pytest.fixture
def card(folder: BuiltFolder) -> str:
    return (folder.path / CARD).read_text(encoding="utf-8")


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
        "as `rad-cads` 1.0.0 from the files below",
    ],
)
def test_a_published_card_names_repository_version_and_tag(part: str, folder: BuiltFolder, card: str) -> None:
    assert part in published_card(folder, TAGGED, card)


def test_without_a_tag_a_card_pins_none(folder: BuiltFolder, card: str) -> None:
    published = published_card(folder, UNTAGGED, card)
    assert "Published as `real/repo`, without a tag" in published
    assert 'pairs = load_dataset("real/repo")\n' in published
    assert "revision=" not in published


def test_the_longest_name_of_a_repository_fits_into_the_column() -> None:
    call = CardPlace(f"{'a' * 40}/{'b' * 55}", "v1.2.0").load_call("yn_from_what_kind")
    assert max(map(len, call.splitlines())) <= 104
    assert compile(call, "card", "eval")


@pytest.mark.parametrize("place", [TAGGED, UNTAGGED, CardPlace()])
def test_a_card_tells_its_place(place: CardPlace, folder: BuiltFolder, card: str) -> None:
    assert read_place(published_card(folder, place, card)) == place


@pytest.mark.parametrize("place", [TAGGED, UNTAGGED, CardPlace()])
def test_a_card_says_the_same_wherever_it_is(place: CardPlace, folder: BuiltFolder, card: str) -> None:
    published = published_card(folder, place, card)
    assert card_content(folder, published) == card_content(folder, card)
    assert is_own_card(folder, published)


def test_hand_written_sections_go_along(folder: BuiltFolder, card: str) -> None:
    mine = card.replace("## Limits", f"{SECTION}\n\n## Limits")
    published = published_card(folder, TAGGED, mine)
    assert SECTION in published
    assert is_own_card(folder, published)
    assert card_content(folder, published) == card_content(folder, mine)


def test_what_is_written_outside_of_sections_is_seen(folder: BuiltFolder, card: str) -> None:
    assert not is_own_card(folder, f"{card}\nMore.\n")


@pytest.mark.parametrize("place", [TAGGED, UNTAGGED, CardPlace()])
def test_the_check_of_the_card_accepts_every_place(place: CardPlace, folder: BuiltFolder, card: str) -> None:
    (folder.path / CARD).write_text(published_card(folder, place, card), encoding="utf-8")
    assert check_card(folder).level == "ok"
