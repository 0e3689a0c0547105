"""Gated and private repositories, and pictures that may not be published: one clear line, and what to do."""

from pathlib import Path
from typing import Any

import pytest

from diptych.folder import PictureEntry, open_folder
from diptych.sources import catalog
from tests.folders import make_folder, some_pairs
from tests.hub import TOKEN
from tests.publishing.conftest import Site

PICTURE = {
    "bytes": 3,
    "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "width": 1,
    "height": 1,
}


@pytest.fixture
def build(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "out", some_pairs(8)).path


def describe_source(folder: Path, **fields: Any) -> None:
    """Say something else of the source of a build."""
    manifest = open_folder(folder).manifest
    source = manifest.sources["vqa_v2"].model_copy(update=fields)
    manifest.model_copy(update={"sources": {"vqa_v2": source}}).write(folder)


def show_picture(folder: Path) -> None:
    """Put the picture of the first example on the card."""
    manifest = open_folder(folder).manifest
    pair_id = next(entry.examples[0].pair_id for _, _, entry in manifest.own_splits())
    (folder / "assets" / "pair-1.jpg").write_bytes(b"abc")
    entry = PictureEntry(pair_id=pair_id, names=("a.jpg",), **PICTURE)
    manifest.model_copy(update={"pictures": {"assets/pair-1.jpg": entry}}).write(folder)


def embed_pictures(folder: Path) -> None:
    """Say that the rows hold pictures."""
    manifest = open_folder(folder).manifest
    ((name, config),) = manifest.configs.items()
    splits = {split: entry.model_copy(update={"images": 8}) for split, entry in config.splits.items()}
    manifest.model_copy(update={"configs": {name: config.model_copy(update={"splits": splits})}}).write(folder)


# Pictures.


@pytest.mark.parametrize(("put", "place"), [(show_picture, "the card"), (embed_pictures, "yn_from_color/validation")])
@pytest.mark.parametrize("kind", ["restricted", "unknown"])
def test_pictures_that_may_not_be_published_are_not_without_a_word(
    site: Site, build: Path, put: Any, place: str, kind: str
) -> None:
    put(build)
    describe_source(build, pictures=kind, picture_terms="Not to be given away.")
    process = site.run("push", build, "org/rad", exit_code=2)
    assert f"{place} holds pictures of VQA v2 (Not to be given away); leave them out" in process.stderr
    assert process.stderr.count("\n") == 1
    assert site.hub.requests == []
    site.run("push", build, "org/rad", "--share-pictures")
    site.run("push", build, "org/secret", "--private")
    assert "Not to be given away." in site.files("org/rad")["README.md"].decode()


@pytest.mark.parametrize("put", [show_picture, embed_pictures])
def test_pictures_under_licenses_are_published(site: Site, build: Path, put: Any) -> None:
    put(build)
    describe_source(build, pictures="licensed")
    site.run("push", build, "org/rad")


def test_names_of_pictures_are_always_published(site: Site, build: Path) -> None:
    describe_source(build, pictures="restricted")
    site.run("push", build, "org/rad")


def test_a_source_without_a_license_is_noted(site: Site, build: Path) -> None:
    describe_source(build, license="not stated")
    assert "note: VQA v2 states no license; ask its authors" in site.run("push", build, "org/rad").stdout


def test_every_source_with_pictures_says_what_may_be_done_with_them() -> None:
    assert {source.pictures for source in catalog().values()} == {"licensed", "restricted", "unknown"}
    for source in catalog().values():
        has_pictures = any(download.images for download in source.downloads)
        assert source.picture_terms or not has_pictures, source.key
    assert catalog()["fvqa"].pictures == "restricted"  # ImageNet's
    assert catalog()["coco"].pictures == "licensed"


# Gated and private repositories.


def commands(repo: str, world: Path, build: Path) -> list[tuple[str | Path, ...]]:
    return [
        ("diff", f"{repo}@v1.0.0", build),
        ("build", f"hf://datasets/{repo}@v1.0.0", "--data", world),
        ("check", repo),
        ("score", f"{repo}@v1.0.0", "none.jsonl"),
    ]


@pytest.mark.parametrize("token", [None, "hf_stranger"])
def test_a_gated_dataset_says_where_its_terms_are(site: Site, world: Path, build: Path, token: str | None) -> None:
    site.hub.add_token("hf_stranger", "stranger")
    site.run("push", build, "org/rad")
    site.hub.repo("dataset", "org/rad").readers = set()
    for command in commands("org/rad", world, build):
        process = site.run(*command, token=token, exit_code=2)
        assert f"accept its terms at {site.hub.url}/datasets/org/rad and log in with `hf auth login`" in process.stderr
        assert process.stderr.count("\n") == 1
    load = "import diptych; diptych.load_pairs('org/rad@v1.0.0')"
    assert "the repository is gated" in site.client.run(load, token=token, check=False).stderr


def test_who_accepted_the_terms_reads_a_gated_dataset(site: Site, build: Path) -> None:
    site.hub.add_token("hf_stranger", "stranger")
    site.run("push", build, "org/rad")
    site.hub.repo("dataset", "org/rad").readers = {"stranger"}
    for token in ("hf_stranger", TOKEN):
        assert site.run("diff", build, "org/rad@v1.0.0", token=token).stdout == "no difference\n"


@pytest.mark.parametrize("token", [None, "hf_stranger"])
def test_a_private_dataset_says_what_to_do(site: Site, world: Path, build: Path, token: str | None) -> None:
    site.hub.add_token("hf_stranger", "stranger")
    repo = f"org/private-{token}"  # what the client has in its cache it would open without asking
    site.run("push", build, repo, "--private")
    for command in commands(repo, world, build):
        process = site.run(*command, token=token, exit_code=2)
        assert "or it is private and the token may not read it; look at the name, or log in" in process.stderr
        assert process.stderr.count("\n") == 1
