"""The real clients over HTTP: huggingface_hub, datasets and evaluate find on the loopback Hub what they ask for."""

from pathlib import Path

import pytest

from tests.hub import LoopbackHub, WarmClient, run_client
from tests.hub.conftest import PublishedSite, publish


@pytest.fixture(scope="module")
def client(site: PublishedSite) -> WarmClient:
    return site.client


def test_a_folder_is_published_as_it_is(site: PublishedSite) -> None:
    files = {
        str(path.relative_to(site.dataset)): path.read_bytes() for path in site.dataset.rglob("*") if path.is_file()
    }
    repo = site.hub.repo("dataset", "org/tiny")
    assert repo.files("v1.0.0") == files
    assert [entry.lfs for path, entry in repo.at("v1.0.0").files.items() if path.endswith(".parquet")] == [True, True]


def test_no_token_goes_to_the_storage_host(site: PublishedSite) -> None:
    downloads = [request for request in site.hub.requests if request.storage]
    assert downloads
    assert not any(request.authorized for request in downloads)


def test_the_same_folder_again_uploads_and_commits_nothing(site: PublishedSite, client: WarmClient) -> None:
    history = site.hub.repo("dataset", "org/tiny").history()
    site.hub.requests.clear()
    client.run(f"""
        from huggingface_hub import HfApi
        HfApi().upload_folder(repo_id="org/tiny", repo_type="dataset", folder_path={str(site.dataset)!r})
    """)
    assert site.hub.repo("dataset", "org/tiny").history() == history
    assert {"store_object", "commit"}.isdisjoint(request.route for request in site.hub.requests)


def test_load_dataset_finds_each_config_at_a_tag_and_in_a_stream(client: WarmClient) -> None:
    client.run("""
        import pytest
        from datasets import get_dataset_config_names, load_dataset
        assert get_dataset_config_names("org/tiny") == ["colours", "counts"]
        assert load_dataset("org/tiny")["test"]["answer"][:] == ["red", "blue", "red"]
        assert load_dataset("org/tiny", "counts", split="test")["answer"][:] == ["1", "2"]
        at_tag = load_dataset("org/tiny", "counts", split="test", revision="v1.0.0", streaming=True)
        assert [row["answer"] for row in at_tag] == ["1", "2"]
        with pytest.raises(Exception, match="v9"):
            load_dataset("org/tiny", revision="v9")
    """)


def test_a_dataset_once_loaded_loads_offline(site: PublishedSite) -> None:
    load = "from datasets import load_dataset; print(load_dataset('org/tiny', 'counts', split='test')['answer'][:])"
    site.client.run(load)
    site.hub.requests.clear()
    assert run_client(load, site.hub, offline=True).stdout == "['1', '2']\n"
    assert site.hub.requests == []


def test_snapshot_download_brings_every_file(site: PublishedSite, tmp_path: Path) -> None:
    site.client.run(f"""
        from huggingface_hub import snapshot_download
        snapshot_download("org/tiny", repo_type="dataset", revision="v1.0.0", local_dir={str(tmp_path)!r})
    """)
    files = site.hub.repo("dataset", "org/tiny").files("v1.0.0")
    assert {path: (tmp_path / path).read_bytes() for path in files} == files


def test_the_file_system_reads_ranges_and_lists_folders(site: PublishedSite) -> None:
    site.hub.requests.clear()
    site.client.run("""
        from huggingface_hub import HfFileSystem
        import pyarrow.parquet as pq
        fs = HfFileSystem()
        path = "datasets/org/tiny@v1.0.0/data/counts/test-00000-of-00001.parquet"
        with fs.open(path, block_size=16) as file:
            file.seek(-4, 2)
            assert file.read() == b"PAR1"
        assert pq.read_table(path, filesystem=fs, columns=["answer"]).num_rows == 2
        assert [item.rsplit("/")[-1] for item in fs.ls("datasets/org/tiny/data", detail=False)] == ["colours", "counts"]
        assert len(fs.glob("datasets/org/tiny/**/*.parquet")) == 2
    """)
    assert any(request.range and request.status == 206 for request in site.hub.requests)


def test_information_about_a_repository(site: PublishedSite) -> None:
    site.client.run("""
        from huggingface_hub import HfApi
        api = HfApi()
        assert api.whoami()["name"] == "tester"
        info = api.dataset_info("org/tiny", revision="v1.0.0", files_metadata=True)
        sizes = {file.rfilename: file.size for file in info.siblings}
        assert sizes["data/counts/test-00000-of-00001.parquet"] > 0 and "README.md" in sizes
        assert info.card_data.license == "mit"
        assert [ref.name for ref in api.list_repo_refs("org/tiny", repo_type="dataset").tags] == ["v1.0.0"]
        assert api.list_repo_commits("org/tiny", repo_type="dataset")[-1].title == "initial commit"
        assert api.space_info("org/paired_score").sdk == "static"
        assert [found.id for found in api.list_datasets(author="org")] == ["org/tiny"]
        assert api.file_exists("org/tiny", "README.md", repo_type="dataset")
        assert not api.file_exists("org/tiny", "none", repo_type="dataset")
        assert not api.revision_exists("org/tiny", "v9", repo_type="dataset")
        assert not api.repo_exists("org/none", repo_type="dataset")
        [found] = api.get_paths_info("org/tiny", ["data", "none"], repo_type="dataset", expand=True)
        assert found.last_commit.title.startswith("Upload folder")
        assert api.verify_repo_checksums("org/tiny", repo_type="dataset", revision="v1.0.0")
    """)


def test_repositories_branches_and_files_come_and_go(site: PublishedSite) -> None:
    site.client.run("""
        import pytest
        from huggingface_hub import CommitOperationCopy, CommitOperationDelete, HfApi
        from huggingface_hub.errors import HfHubHTTPError, RemoteEntryNotFoundError
        api = HfApi()
        api.create_repo("passing")
        api.create_repo("passing", exist_ok=True)
        with pytest.raises(HfHubHTTPError, match="409"):
            api.create_repo("passing")
        api.upload_file(path_or_fileobj=b"one", path_in_repo="a/one.txt", repo_id="tester/passing")
        api.create_branch("tester/passing", branch="side")
        api.create_commit("tester/passing", revision="side", commit_message="move", operations=[
            CommitOperationCopy("a/one.txt", "two.txt"), CommitOperationDelete("a/", is_folder=True)])
        assert api.list_repo_files("tester/passing", revision="side") == [".gitattributes", "two.txt"]
        assert api.list_repo_files("tester/passing") == [".gitattributes", "a/one.txt"]
        with pytest.raises(RemoteEntryNotFoundError, match="doesn't exist"):
            api.delete_file("none", "tester/passing")
        api.delete_branch("tester/passing", branch="side")
        api.delete_repo("tester/passing")
        assert not api.repo_exists("tester/passing")
    """)


def test_a_tag_that_exists_and_a_parent_that_is_stale_are_refused(client: WarmClient) -> None:
    client.run("""
        import pytest
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError
        api = HfApi()
        api.create_repo("tester/moving", repo_type="dataset")
        first = api.dataset_info("tester/moving").sha
        api.create_tag("tester/moving", tag="v1", repo_type="dataset")
        upload = dict(path_in_repo="a.txt", repo_id="tester/moving", repo_type="dataset", parent_commit=first)
        api.upload_file(path_or_fileobj=b"one", **upload)
        with pytest.raises(HfHubHTTPError, match="409"):
            api.create_tag("tester/moving", tag="v1", repo_type="dataset")
        with pytest.raises(HfHubHTTPError, match="412"):
            api.upload_file(path_or_fileobj=b"two", **upload)
        api.create_tag("tester/moving", tag="v1", repo_type="dataset", exist_ok=True)
        assert api.list_repo_refs("tester/moving", repo_type="dataset").tags[0].target_commit == first
    """)


PROPOSE = """
from huggingface_hub import CommitOperationAdd, HfApi
api = HfApi()
def propose(path, text, **options):
    operations = [CommitOperationAdd(path, text.encode())]
    return api.create_commit("tester/model", operations, commit_message=f"Add {path}", create_pr=True, **options)
"""


def test_a_pull_request_is_opened_listed_and_merged(site: PublishedSite, client: WarmClient) -> None:
    client.run(f"""
{PROPOSE}
api.create_repo("tester/model")
first, second = propose("a.yaml", "a"), propose("b.yaml", "b")
assert (first.pr_num, first.pr_revision) == (1, "refs/pr/1")
assert first.pr_url == f"{{api.endpoint}}/tester/model/discussions/1"
assert api.list_repo_files("tester/model") == [".gitattributes"]
assert api.list_repo_files("tester/model", revision=second.pr_revision) == [".gitattributes", "b.yaml"]
assert open(api.hf_hub_download("tester/model", "b.yaml", revision="refs/pr/2")).read() == "b"
refs = api.list_repo_refs("tester/model", include_pull_requests=True)
assert [ref.ref for ref in refs.branches] == ["refs/heads/main"]
assert [(ref.ref, ref.target_commit) for ref in refs.pull_requests] == [
    ("refs/pr/1", first.oid), ("refs/pr/2", second.oid)]
assert api.list_repo_refs("tester/model").pull_requests is None
api.merge_pull_request("tester/model", 2)
assert api.list_repo_files("tester/model") == [".gitattributes", "b.yaml"]
api.change_discussion_status("tester/model", 1, "closed")
statuses = {{request.title: request.status for request in api.get_repo_discussions("tester/model")}}
assert statuses == {{"Add b.yaml": "merged", "Add a.yaml": "closed"}}
for number in range(12):
    propose(f"{{number}}.yaml", "x")
titles = [request.title for request in api.get_repo_discussions("tester/model", discussion_status="open")]
assert titles == [f"Add {{number}}.yaml" for number in reversed(range(12))]
assert [*api.get_repo_discussions("tester/model", discussion_type="discussion")] == []
api.delete_repo("tester/model")
    """)


def test_whoever_may_read_a_model_may_propose_a_change_and_nothing_more(
    site: PublishedSite, client: WarmClient
) -> None:
    site.hub.add_token("hf_stranger", "stranger")
    site.hub.add_token("hf_reader", "stranger", role="read")
    client.run("from huggingface_hub import HfApi; HfApi().create_repo('tester/model')")
    client.run(f"{PROPOSE}\nassert propose('a.yaml', 'a').pr_num == 1", token="hf_stranger")
    for code in ("api.merge_pull_request('tester/model', 1)", "api.delete_repo('tester/model')"):
        assert "403" in client.run(f"{PROPOSE}\n{code}", token="hf_stranger", check=False).stderr
    assert "403" in client.run(f"{PROPOSE}\npropose('b.yaml', 'b')", token="hf_reader", check=False).stderr
    repo = site.hub.repo("model", "tester/model")
    assert repo.files() == {}
    assert [(request.author, request.title) for request in repo.pull_requests.values()] == [("stranger", "Add a.yaml")]
    client.run("from huggingface_hub import HfApi; HfApi().delete_repo('tester/model')")


def test_a_card_is_loaded_validated_and_pushed(site: PublishedSite) -> None:
    site.client.run("""
        import pytest
        from huggingface_hub import DatasetCard, HfApi
        HfApi().create_repo("tester/carded", repo_type="dataset")
        card = DatasetCard.load("org/tiny")
        assert [config["config_name"] for config in card.data.to_dict()["configs"]] == ["colours", "counts"]
        card.validate()
        card.push_to_hub("tester/carded")
        card.data.license = "mine"
        for check in (card.validate, lambda: card.push_to_hub("tester/carded")):
            with pytest.raises(ValueError, match="license"):
                check()
    """)
    assert b"license: mit" in site.hub.repo("dataset", "tester/carded").files()["README.md"]


def test_a_private_dataset_needs_its_owners_token(site: PublishedSite) -> None:
    publish(site.client, "dataset", "org/secret", site.dataset)
    load = "from datasets import load_dataset; print(load_dataset('org/secret', 'counts', split='test').num_rows)"
    site.client.run("""
        from huggingface_hub import HfApi
        HfApi().update_repo_settings("org/secret", repo_type="dataset", private=True)
    """)
    site.hub.add_token("hf_stranger", "stranger")
    for token, error in ((None, "NotFound"), ("hf_stranger", "NotFound"), ("hf_unknown", "Invalid credentials")):
        process = site.client.run(load, token=token, check=False)
        assert process.returncode == 1
        assert error in process.stderr
    assert site.client.run(load).stdout == "2\n"


def test_a_metric_loads_from_a_space_with_its_siblings(site: PublishedSite) -> None:
    site.hub.requests.clear()
    process = run_client(
        """
        import evaluate
        metric = evaluate.load("org/paired_score")
        print(metric.compute(predictions=["a", "b"], references=["a", "c"]))
        """,
        site.hub,
    )
    assert process.stdout == "{'score': 0.5}\n"
    assert [request.route for request in site.hub.requests if request.status == 404] == ["resolve"]
    file_names = {request.path.rsplit("/")[-1] for request in site.hub.requests if request.method == "GET"}
    assert file_names >= {"paired_score.py", "counting.py", "rating.py"}


def test_a_client_that_fails_shows_what_it_said_and_asked(hub: LoopbackHub) -> None:
    with pytest.raises(AssertionError, match=r"(?s)exited with 1.*ZeroDivisionError"):
        run_client("1 / 0", hub)
    assert run_client("raise SystemExit(3)", hub, check=False).returncode == 3
