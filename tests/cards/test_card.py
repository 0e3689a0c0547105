"""The card: YAML that the Hub's own classes read, everything a reader needs, and a page that a browser shows."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from datasets import load_dataset
from huggingface_hub import DatasetCard, DatasetCardData
from PIL import Image

from diptych.builders import DATASETS, get_builder
from diptych.cards import add_audit, render_card, write_card
from diptych.cards.chart import answers_chart
from diptych.cards.header import card_header
from diptych.cards.releases import releases_of
from tests.cards.folders import SOURCE, make_folder, make_pair, read_manifest, some_pairs
from tests.cards.page import browser, html_of, screenshot


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_folder(tmp_path_factory.mktemp("card") / "built", some_pairs())
    write_card(folder, add_audit(folder))
    return folder


def test_the_hubs_classes_read_the_header(built: Path) -> None:
    card = DatasetCard((built / "README.md").read_text(encoding="utf-8"))
    assert isinstance(card.data, DatasetCardData)
    assert card.data.license == "cc-by-4.0"
    assert card.data.size_categories == ["n<1K"]
    assert card.data.source_datasets == ["extended|other-vqa-v2"]
    assert card.data.pretty_name == "RAD-CADs"
    (info,) = card.data.dataset_info
    assert info["splits"][0]["num_examples"] == 384


def test_the_header_has_no_yaml_anchors(built: Path) -> None:
    manifest = read_manifest(built)
    manifest["unions"] = {"all": {"description": "All.", "unites": ["yn_from_color"]}}
    head = render_card(manifest).split("---\n")[1]
    assert "&id" not in head
    assert [entry["config_name"] for entry in yaml.safe_load(head)["configs"]] == ["all", "yn_from_color"]


def test_a_config_without_pairs_is_not_listed(built: Path) -> None:
    manifest = read_manifest(built)
    manifest["configs"]["empty"] = {**manifest["configs"]["yn_from_color"], "splits": {}, "ledger": {}}
    manifest["recipes"]["empty"] = manifest["recipes"]["yn_from_color"]
    manifest["unions"] = {"none": {"description": "None.", "unites": ["empty"]}}
    header = card_header(manifest)
    assert [entry["config_name"] for entry in header["configs"]] == ["yn_from_color"]
    assert [entry["config_name"] for entry in header["dataset_info"]] == ["yn_from_color"]
    assert "## Load it" in render_card(manifest)


def test_load_dataset_checks_itself_against_the_card(built: Path, tmp_path: Path) -> None:
    pairs = load_dataset(str(built), cache_dir=str(tmp_path))["validation"]
    assert pairs.num_rows == 384
    assert pairs.features["original_answers"].feature.dtype == "string"


def test_a_licence_without_a_name_on_the_hub_has_a_file(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs(8))
    manifest = read_manifest(folder)
    manifest["sources"]["fvqa"] = {**SOURCE, "title": "FVQA", "licence": "not stated", "licence_url": ""}
    write_card(folder, manifest)
    header = card_header(manifest)
    assert (header["license"], header["license_link"]) == ("other", "LICENSE.md")
    assert "**FVQA**: not stated" in (folder / "LICENSE.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "part",
    [
        "| `rad.yn_from_color` | What color is the cat? |",
        'revision="v1.0.0"',
        "diptych score OUT predictions.jsonl",
        "| no \\| colour: 1 |".strip("| "),
        "| true ids | ok | all | every id is the hash of its pair |",
        "| `yn_from_color: rad.yn_from_color` | 384 | 50.0 % (45.0 to 55.0) |",
        "| `yn_from_color` | always-yes |",
        "- **1.0.0**: First release",
        "@inproceedings{goyal2017making}",
        "https://creativecommons.org/licenses/by/4.0/",
        "## Limits",
    ],
)
def test_the_card_says(part: str, built: Path) -> None:
    assert part in (built / "README.md").read_text(encoding="utf-8")


def test_every_table_of_the_card_is_whole(built: Path) -> None:
    page = html_of((built / "README.md").read_text(encoding="utf-8"))
    rows = [row for table in page.split("<table>")[1:] for row in table.split("</table>")[0].split("<tr>")[1:]]
    assert page.count("<table>") == 7
    assert "|" not in "".join(rows).replace("no | colour", "")
    assert "<p>|" not in page


def test_the_card_is_the_manifests_alone(built: Path, tmp_path: Path) -> None:
    before = (built / "README.md").read_bytes()
    assert render_card(read_manifest(built)).encode() == before


def test_text_from_people_cannot_break_a_table() -> None:
    from diptych.cards.card import _cell

    assert _cell("a|b\n<img>") == "a\\|b &lt;img>"


def test_the_chart_is_sound_and_always_the_same(built: Path) -> None:
    manifest = read_manifest(built)
    picture = ElementTree.fromstring((built / "assets" / "answers.svg").read_text(encoding="utf-8"))
    assert "50.0 % yes of 384" in [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert answers_chart(manifest) == answers_chart(manifest)


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_dataset_has_notes_for_its_version(dataset: str) -> None:
    assert releases_of(dataset).releases[0].version == str(get_builder(dataset).VERSION)


def test_a_card_without_an_audit_says_nothing_of_one(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, [make_pair(1)])
    assert "## The audit" not in (folder / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(browser() is None, reason="no Chromium to look with")
def test_a_browser_shows_the_card(built: Path, tmp_path: Path) -> None:
    page = built / "card.html"
    page.write_text(html_of((built / "README.md").read_text(encoding="utf-8")), encoding="utf-8")
    screenshot(page, tmp_path / "card.png", height=4000)
    page.unlink()
    with Image.open(tmp_path / "card.png") as picture:
        colours = {colour for _, colour in picture.convert("RGB").getcolors(1 << 24) or []}
    assert (42, 120, 181) in colours, "the chart's bars are to be seen"
    assert (0, 0, 0) in colours
