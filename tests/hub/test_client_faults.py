"""What the real clients do when the Hub fails: where they try again, and where it is for the caller to do so."""

from pathlib import Path

import pytest

from tests.hub import Fault, dropped, rate_limited, server_error, slow, truncated
from tests.hub.conftest import PublishedSite, publish, write_dataset

# The clients wait a second before they try again, so each of these tests takes that long.


def outcome(site: PublishedSite, repo: str) -> tuple[int, bool, list[str]]:
    """How many uploads were committed, whether the data is there, and the tags."""
    repository = site.hub.repo("dataset", repo)
    commits = [commit for commit in repository.history() if commit.title != "initial commit"]
    return len(commits), len(repository.files()) == 3, list(repository.tags)


@pytest.mark.parametrize(
    ("method", "part", "fault"),
    [
        ("POST", "/preupload/", server_error(503)),
        ("POST", "/objects/batch", rate_limited(retry_after=0)),
        ("PUT", "/lfs/", dropped()),
        ("POST", "/objects/verify", dropped(processed=True)),
    ],
    ids=["503 before the upload", "429 at the batch", "dropped upload", "dropped verification"],
)
def test_an_upload_is_tried_again(site: PublishedSite, tmp_path: Path, method: str, part: str, fault: Fault) -> None:
    repo = f"org/again-{part.strip('/').replace('/', '-')}"
    # Bytes of its own: what the Hub has already is not uploaded.
    dataset = write_dataset(tmp_path, salt=part)
    site.hub.faults.on(method, part, fault)
    publish(site.client, "dataset", repo, dataset, "v1")
    assert site.hub.faults.pending() == 0
    assert outcome(site, repo) == (1, True, ["v1"])


@pytest.mark.parametrize(
    ("part", "fault", "remainder"),
    [
        ("/commit/", server_error(), (0, False, [])),
        ("/commit/", dropped(), (0, False, [])),
        ("/commit/", dropped(processed=True), (1, True, [])),
        ("/commit/", server_error(504, processed=True), (1, True, [])),
        ("/tag/", rate_limited(), (1, True, [])),
        ("/tag/", truncated(), (1, True, ["v1"])),
    ],
    ids=lambda value: value.name if isinstance(value, Fault) else None,
)
def test_a_commit_or_tag_is_not_tried_again_and_a_second_run_ends_well(
    site: PublishedSite, part: str, fault: Fault, remainder: tuple[int, bool, list[str]]
) -> None:
    repo = f"org/once{part.replace('/', '-')}{fault.name.replace(' ', '-')}"
    site.hub.faults.on("POST", part, fault)
    first = publish(site.client, "dataset", repo, site.dataset, "v1", check=False)
    assert first.returncode == 1
    assert outcome(site, repo) == remainder
    publish(site.client, "dataset", repo, site.dataset, "" if remainder[2] else "v1")
    assert outcome(site, repo) == (1, True, ["v1"])


def test_a_truncated_download_is_tried_again_until_it_is_whole(site: PublishedSite, tmp_path: Path) -> None:
    site.hub.requests.clear()
    site.hub.faults.on("GET", "/lfs/", truncated(0.25))
    site.client.run(f"""
        from huggingface_hub import hf_hub_download
        path = "data/counts/test-00000-of-00001.parquet"
        hf_hub_download("org/tiny", path, repo_type="dataset", local_dir={str(tmp_path)!r})
    """)
    path = "data/counts/test-00000-of-00001.parquet"
    content = site.hub.repo("dataset", "org/tiny").files()[path]
    assert (tmp_path / path).read_bytes() == content
    downloads = [request for request in site.hub.requests if request.storage]
    assert [request.fault for request in downloads] == ["truncated", ""]


def test_a_slow_answer_is_waited_for_or_given_up_as_the_client_chooses(site: PublishedSite) -> None:
    site.hub.faults.on("HEAD", "README.md", slow(0.5), times=2)
    site.client.run("""
        from huggingface_hub import get_hf_file_metadata, hf_hub_url
        import pytest
        url = hf_hub_url("org/tiny", "README.md", repo_type="dataset")
        with pytest.raises(Exception, match="timed out"):
            get_hf_file_metadata(url, timeout=0.1)
        assert get_hf_file_metadata(url, timeout=10).size > 0
    """)
