"""A build on the Hub: opened at a revision, its data fetched when it is read."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from diptych.errors import MissingFileError
from diptych.folder.hub import HubDataset, hub_dataset
from tests.folders import CONFIG, SPLIT, make_folder, some_pairs
from tests.hub import LoopbackHub, WarmClient

PRELOAD = "import huggingface_hub, diptych.folder"
PUBLISH = """
from huggingface_hub import HfApi
api = HfApi()
api.create_repo("org/pairs", repo_type="dataset", exist_ok=True)
api.upload_folder(repo_id="org/pairs", repo_type="dataset", folder_path={folder!r})
api.create_tag("org/pairs", tag={tag!r}, repo_type="dataset")
"""


@dataclass(frozen=True)
class HubSite:
    """A Hub with two versions of a build on it, and a client."""

    hub: LoopbackHub
    client: WarmClient

    def run(self, code: str, check: bool = True) -> CompletedProcess[str]:
        return self.client.run(f"from diptych.folder import open_folder\n{code}", check=check)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubSite]:
    path = tmp_path_factory.mktemp("builds")
    with LoopbackHub() as hub, WarmClient(hub, PRELOAD) as client:
        for tag, pairs in (("v1.0.0", 8), ("v2.0.0", 16)):
            folder = make_folder(path / tag, some_pairs(pairs))
            client.run(PUBLISH.format(folder=str(folder.path), tag=tag))
        yield HubSite(hub, client)
        assert not hub.crashes, "\n".join(hub.crashes)


@pytest.mark.parametrize(
    ("location", "dataset"),
    [
        ("org/rad-cads", HubDataset("org/rad-cads")),
        ("org/rad-cads@v1.0.0", HubDataset("org/rad-cads", "v1.0.0")),
        ("hf://datasets/org/rad_cads@refs/pr/1", HubDataset("org/rad_cads", "refs/pr/1")),
    ],
)
def test_a_dataset_on_the_hub_is_named_with_its_revision(location: str, dataset: HubDataset) -> None:
    assert hub_dataset(location) == dataset


@pytest.mark.parametrize("location", ["rad-cads", "a/b/c", "/tmp/x", "../a", ".a/b", "hf://models/org/name", "org/"])
def test_other_places_are_not_on_the_hub(location: str) -> None:
    with pytest.raises(MissingFileError, match="neither a built folder nor a Hub dataset"):
        hub_dataset(location)


@pytest.mark.parametrize(
    ("location", "rows"), [("org/pairs", 16), ("org/pairs@v1.0.0", 8), ("hf://datasets/org/pairs@v2.0.0", 16)]
)
def test_a_revision_is_opened(location: str, rows: int, site: HubSite) -> None:
    code = f"folder = open_folder({location!r}); print(folder.table({CONFIG!r}, {SPLIT!r}).num_rows)"
    assert site.run(code).stdout == f"{rows}\n"


def test_a_revision_may_be_given_beside_the_name(site: HubSite) -> None:
    code = "print(open_folder('org/pairs', 'v1.0.0').manifest.configs['yn_from_color'].splits['validation'].rows)"
    assert site.run(code).stdout == "8\n"


def test_opening_fetches_no_data(site: HubSite) -> None:
    site.hub.requests.clear()
    site.run("open_folder('org/pairs@v1.0.0')")
    assert not [request for request in site.hub.requests if "parquet" in request.path]


def test_reading_fetches_only_the_files_of_the_split(site: HubSite, tmp_path: Path) -> None:
    code = f"folder = open_folder('org/pairs@v1.0.0'); print(folder.files({CONFIG!r}, {SPLIT!r})[0].is_file())"
    assert site.run(code).stdout == "True\n"


def test_its_location_is_what_load_dataset_takes(site: HubSite) -> None:
    assert site.run("print(open_folder('org/pairs@v1.0.0').location)").stdout == "org/pairs\n"


@pytest.mark.parametrize(
    ("location", "message"),
    [("org/none", "the Hub has no such repository"), ("org/pairs@v9.9.9", "the Hub has no such revision")],
)
def test_what_the_hub_does_not_have_is_one_line(location: str, message: str, site: HubSite) -> None:
    process = site.run(f"open_folder({location!r})", check=False)
    assert message in process.stderr.splitlines()[-1]


def test_a_folder_of_that_name_comes_before_the_hub(site: HubSite, tmp_path: Path) -> None:
    make_folder(tmp_path / "org" / "pairs", some_pairs(4))
    code = f"import os; os.chdir({str(tmp_path)!r}); print(open_folder('org/pairs').hub)"
    assert site.run(code).stdout == "None\n"
