"""The card: YAML that the Hub's own classes read, everything a reader needs, and a page that a browser shows."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from datasets import load_dataset
from huggingface_hub import DatasetCard, DatasetCardData
from PIL import Image

from diptych.audit import audit_folder
from diptych.builders import dataset_names, get_dataset
from diptych.cards import CARD, render_card, write_card
from diptych.cards._card import answers_chart
from diptych.cards._header import card_header, read_releases
from diptych.cards._markdown import cell
from diptych.folder import BuiltFolder, open_folder
from tests.cards.page import browser, html_of, screenshot
from tests.folders import CONFIG, SOURCE, change_manifest, make_folder, make_pair, some_pairs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    """A folder with its audit in the manifest, as a build leaves it."""
    folder = make_folder(tmp_path_factory.mktemp("card") / "built", some_pairs())
    folder.manifest.model_copy(update={"audit": audit_folder(folder)}).write(folder.path)
    folder = open_folder(folder.path)
    write_card(folder)
    return folder


def card_text(folder: BuiltFolder) -> str:
    return (folder.path / CARD).read_text(encoding="utf-8")


# The header.


@pytest.fixture(scope="module")
def header(folder: BuiltFolder) -> DatasetCardData:
    data = DatasetCard(card_text(folder)).data
    assert isinstance(data, DatasetCardData)
    return data


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("license", "cc-by-4.0"),
        ("size_categories", ["n<1K"]),
        ("source_datasets", ["extended|other-vqa-v2"]),
        ("pretty_name", "RAD-CADs"),
        ("task_categories", ["visual-question-answering"]),
    ],
)
def test_the_hubs_classes_read_the_header(name: str, value: object, header: DatasetCardData) -> None:
    assert getattr(header, name) == value


def test_the_header_has_the_size_of_every_split(header: DatasetCardData) -> None:
    (info,) = header.dataset_info
    assert info["splits"][0]["num_examples"] == 384


def test_the_header_has_no_yaml_anchors(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs(8))
    union = {"all": {"description": "All.", "unites": [CONFIG]}}
    text = render_card(change_manifest(folder, lambda content: content.update(unions=union))).split("---\n")[1]
    assert "&id" not in text
    assert [entry["config_name"] for entry in yaml.safe_load(text)["configs"]] == ["all", CONFIG]


@pytest.fixture
def partly_empty(tmp_path: Path) -> BuiltFolder:
    """A folder with a config and a union that have no rows."""

    def add_empty(content: dict[str, Any]) -> None:
        content["configs"]["empty"] = {**content["configs"][CONFIG], "splits": {}, "ledger": {}}
        content["recipes"]["empty"] = content["recipes"][CONFIG]
        content["unions"] = {"none": {"description": "None.", "unites": ["empty"]}}

    return change_manifest(make_folder(tmp_path, some_pairs(8)), add_empty)


@pytest.mark.parametrize("part", ["configs", "dataset_info"])
def test_a_config_without_pairs_is_not_in_the_header(part: str, partly_empty: BuiltFolder) -> None:
    assert [entry["config_name"] for entry in card_header(partly_empty)[part]] == [CONFIG]


def test_a_folder_with_a_config_without_pairs_has_a_card(partly_empty: BuiltFolder) -> None:
    assert "## Load it" in render_card(partly_empty)


def test_load_dataset_checks_itself_against_the_header(folder: BuiltFolder, tmp_path: Path) -> None:
    pairs = load_dataset(str(folder.path), cache_dir=str(tmp_path))["validation"]
    assert pairs.num_rows == 384
    assert pairs.features["original_answers"].feature.dtype == "string"


@pytest.fixture
def without_license(tmp_path: Path) -> BuiltFolder:
    """A folder with a source whose license has no name on the Hub."""
    source = {**SOURCE, "title": "FVQA", "license": "not stated", "license_url": ""}
    folder = make_folder(tmp_path, some_pairs(8))
    folder = change_manifest(folder, lambda content: content["sources"].update(fvqa=source))
    write_card(folder)
    return folder


def test_a_license_without_a_name_on_the_hub_is_called_other(without_license: BuiltFolder) -> None:
    header = card_header(without_license)
    assert (header["license"], header["license_link"]) == ("other", "LICENSE.md")


def test_a_license_without_a_name_on_the_hub_has_a_file(without_license: BuiltFolder) -> None:
    assert "**FVQA**: not stated" in (without_license.path / "LICENSE.md").read_text(encoding="utf-8")


# The page.


@pytest.mark.parametrize(
    "part",
    [
        "| `rad.yn_from_color` | What color is the cat? |",
        "**Not published yet.**",
        'load_dataset("OUT")',
        "diptych score OUT predictions.jsonl",
        "no \\| color: 1",
        "| true ids | ok | all | every id is the hash of its pair |",
        "| `yn_from_color: rad.yn_from_color` | 384 | 50.0 % (45.0\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}55.0) |",
        "| `yn_from_color` | always-yes |",
        "@inproceedings{goyal2017making}",
        "https://creativecommons.org/licenses/by/4.0/",
        "## Limits",
    ],
)
def test_the_card_says(part: str, folder: BuiltFolder) -> None:
    assert part in card_text(folder)


def test_every_table_of_the_card_is_whole(folder: BuiltFolder) -> None:
    page = html_of(card_text(folder))
    cells = "".join(table.split("</table>")[0] for table in page.split("<table>")[1:])
    assert page.count("<table>") == 8
    assert "|" not in cells.replace("no | color", "")
    assert "<p>|" not in page


def test_the_card_comes_from_the_manifest_alone(folder: BuiltFolder, tmp_path: Path) -> None:
    elsewhere = BuiltFolder(tmp_path, folder.manifest)
    assert render_card(elsewhere) == card_text(folder)


def test_text_from_people_cannot_break_a_table() -> None:
    assert cell("a|b\n<img>") == "a\\|b &lt;img&gt;"


def test_a_card_without_an_audit_says_nothing_of_one(tmp_path: Path) -> None:
    assert "## The audit" not in card_text(make_folder(tmp_path, [make_pair(1)]))


def test_a_dataset_whose_package_is_not_installed_has_a_plain_card(tmp_path: Path) -> None:
    card = card_text(make_folder(tmp_path, some_pairs(8), dataset="somebodys-own"))
    assert "# somebodys-own 1.0.0" in card
    assert "Paired questions for visual question answering." in card


def test_a_card_that_is_written_again_keeps_hand_written_sections(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs(8))
    section = "<!-- diptych:keep news -->\nRead this.\n<!-- diptych:end -->"
    (folder.path / CARD).write_text(card_text(folder).replace("## Limits", f"{section}\n\n## Limits"))
    write_card(folder)
    assert section in card_text(folder)


@pytest.mark.parametrize("dataset", dataset_names())
def test_every_dataset_has_notes_for_its_version(dataset: str) -> None:
    assert read_releases(dataset)["release"][0]["version"] == get_dataset(dataset).spec.version


# The chart.


def test_the_chart_shows_the_share_of_yes(folder: BuiltFolder) -> None:
    picture = ElementTree.fromstring((folder.path / "assets" / "answers.svg").read_text(encoding="utf-8"))
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "50.0 % yes of 384" in texts


def test_the_chart_is_always_the_same(folder: BuiltFolder) -> None:
    assert answers_chart(folder.manifest) == answers_chart(open_folder(folder.path).manifest)


@pytest.mark.slow
@pytest.mark.skipif(browser() is None, reason="no Chromium to look with")
def test_a_browser_shows_the_card(folder: BuiltFolder, shots: Path) -> None:
    page = folder.path / "card.html"
    page.write_text(html_of(card_text(folder)), encoding="utf-8")
    screenshot(page, shots / "card.png", height=4000)
    page.unlink()
    with Image.open(shots / "card.png") as picture:
        colors = {color for _, color in picture.convert("RGB").getcolors(1 << 24) or []}
    assert (42, 120, 181) in colors, "the bars of the chart are to be seen"
    assert (31, 41, 55) in colors, "so is the text"
