"""The card of every dataset as a push publishes it: metadata that the Hub takes, one version, one repository."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
import yaml
from huggingface_hub import DatasetCardData

from diptych.builders import dataset_names, get_dataset
from diptych.cards import CARD, render_card
from diptych.folder import BuiltFolder, SourceEntry
from diptych.sources import catalog
from tests.folders import make_folder, some_pairs
from tests.hub.metadata import check
from tests.publishing.conftest import stamped

REPO, TAG = "people/some-pairs", "v7.6.5"
KEYS = {"license_name", "license_link", "license_details", "configs", "dataset_info", "tags", "language_details"}
VERSION = re.compile(r"(?<![\w.])v?\d+\.\d+\.\d+(?![\w.])")


@pytest.fixture(scope="module", params=dataset_names())
def published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    """A build of every dataset, with all sources that its configs name, as it is published."""
    path = make_folder(tmp_path_factory.mktemp("built") / "out", some_pairs(8), dataset=request.param).path
    folder = stamped(path, TAG, REPO)
    keys = sorted({config.source for config in get_dataset(request.param).spec.configs} & set(catalog()))
    entries = {
        key: SourceEntry(**{name: getattr(catalog()[key], name) for name in SourceEntry.model_fields}) for key in keys
    }
    manifest = folder.manifest.model_copy(update={"sources": entries, "diptych": "DIPTYCH"})
    return BuiltFolder(path, manifest)


def header(card: str) -> str:
    return card.split("---\n")[1]


def test_the_metadata_is_what_the_hub_takes(published: BuiltFolder) -> None:
    card = render_card(published)
    assert check(card, "dataset") == ([], [])
    known = KEYS | set(DatasetCardData(ignore_metadata_errors=False).__dict__)
    assert set(yaml.safe_load(header(card))) <= known


def test_the_card_names_its_own_version_and_no_other(published: BuiltFolder) -> None:
    card = render_card(published)
    versions = set(VERSION.findall(card))
    assert versions == {"v7.6.5", "7.6.5"}


def test_the_card_names_its_own_repository_and_no_other(published: BuiltFolder) -> None:
    card = render_card(published)
    places = re.findall(r"(?:load_dataset\(|score\(|datasets/|diptych (?:score|export) )\W*([\w.-]+/[\w.-]+)", card)
    assert set(places) == {REPO}
    assert "org/" not in re.sub(r"https?://\S+", "", card)


def test_the_card_names_its_own_dataset_and_no_other(published: BuiltFolder) -> None:
    others = set(dataset_names()) - {published.manifest.dataset}
    assert not [name for name in others if re.search(rf"`{name}`|@misc\{{{name}-", render_card(published))]


def test_terms_of_pictures_are_on_the_card_and_in_the_license_file(published: BuiltFolder) -> None:
    text = render_card(published).replace("\\", "")
    for source in published.manifest.sources.values():
        assert source.picture_terms in text or source.title.startswith("ConceptNet")
