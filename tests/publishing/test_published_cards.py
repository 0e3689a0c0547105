"""The card of every dataset as a push publishes it: metadata that the Hub takes, one version, one repository."""

import re
from collections.abc import Iterator

import pytest
import yaml
from huggingface_hub import DatasetCardData

from diptych.builders import dataset_names
from diptych.cards import CARD
from diptych.folder import MANIFEST, Manifest
from tests.commands import run
from tests.hub import LoopbackHub, WarmClient
from tests.hub.metadata import check
from tests.publishing.conftest import PRELOAD, Site

pytestmark = pytest.mark.slow

TAG = "v7.6.5"
# Fields of the public specification that the class of the client has no name for.
FIELDS = {"license_name", "license_link", "tags", "configs", "dataset_info"}
VERSION = re.compile(r"(?<![\w.])v?\d+\.\d+\.\d+(?![\w.])")
PLACE = re.compile(r"(?:load_dataset\(|score\(|hf://datasets/|diptych (?:score|export) )\W*([\w.-]+/[\w.-]+)")


@pytest.fixture(scope="module")
def published_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Every dataset of a small miniature world on a Hub."""
    out = tmp_path_factory.mktemp("demo") / "out"
    assert run("demo", "--out", out, "--images", 40, "--num-proc", 1) == 0
    with LoopbackHub() as hub, WarmClient(hub, PRELOAD) as client:
        site = Site(hub, client)
        for name in dataset_names():
            site.run("push", out / name, f"tester/{name}", "--tag", TAG, "--share-pictures")
        yield site
        assert not hub.crashes, "\n".join(hub.crashes)
        assert hub.unknown == []


@pytest.fixture(params=dataset_names())
def dataset(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def card(published_site: Site, dataset: str) -> str:
    return published_site.files(f"tester/{dataset}", TAG)[CARD].decode()


@pytest.fixture
def manifest(published_site: Site, dataset: str) -> Manifest:
    return published_site.manifest(f"tester/{dataset}", TAG)


def test_the_metadata_is_what_the_hub_takes(card: str) -> None:
    assert check(card, "dataset") == ([], [])
    header = yaml.safe_load(card.split("---\n")[1])
    assert set(header) <= FIELDS | set(vars(DatasetCardData()))
    assert header["language"] == ["en"]
    assert header["task_categories"] == ["visual-question-answering"]


def test_the_client_finds_nothing_wrong_with_the_card(published_site: Site, dataset: str) -> None:
    published_site.client.run(f"""
        from huggingface_hub import DatasetCard
        card = DatasetCard.load("tester/{dataset}", ignore_metadata_errors=False)
        card.validate()
        assert card.data.license and card.data.configs
    """)


def test_the_card_names_its_own_version_and_no_other(card: str, manifest: Manifest) -> None:
    makers = {manifest.diptych, *(recipe.tagger for recipe in manifest.recipes.values() if recipe.tagger)}
    for maker in makers:
        card = card.replace(maker, "")
    assert set(VERSION.findall(card)) == {"v7.6.5", "7.6.5"}


def test_the_card_names_its_own_repository_and_no_other(card: str, dataset: str) -> None:
    assert set(PLACE.findall(card)) == {f"tester/{dataset}"}
    assert "org/" not in re.sub(r"https?://\S+", "", card)


def test_the_card_names_its_own_dataset_and_no_other(card: str, dataset: str) -> None:
    others = [name for name in dataset_names() if name != dataset]
    assert not [name for name in others if f"`{name}`" in card or f"@misc{{{name}-" in card]
    assert f"@misc{{{dataset}-7.6.5," in card


def test_the_manifest_names_version_repository_and_tag(manifest: Manifest, dataset: str) -> None:
    assert manifest.version == "7.6.5"
    assert manifest.published
    assert (manifest.published.repo, manifest.published.tag) == (f"tester/{dataset}", TAG)
    assert [entry.version for entry in manifest.history or ()] == ["7.6.5"]


def test_the_terms_of_pictures_are_on_the_card(card: str, manifest: Manifest) -> None:
    text = card.replace("\\", "")
    for source in manifest.sources.values():
        assert source.picture_terms in text


def test_the_snippet_of_the_card_loads_the_dataset(published_site: Site, card: str) -> None:
    code = card.split("```python\n")[1].split("```")[0]
    published_site.client.run(f"{code}\nassert sum(rows.num_rows for rows in pairs.values())")


def test_no_file_but_the_data_names_a_stale_version_or_place(published_site: Site, dataset: str) -> None:
    files = published_site.files(f"tester/{dataset}", TAG)
    texts = {name: text.decode() for name, text in files.items() if name.endswith((".md", ".yaml", ".toml", ".json"))}
    assert not [name for name, text in texts.items() if '"org/' in text or "`org/" in text]
    assert '"version": "7.6.5"' in texts[MANIFEST]
