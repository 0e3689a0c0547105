"""`diptych push` against the loopback Hub: what it uploads, what it leaves alone and what it refuses."""

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.hub import rate_limited, run_client
from tests.publishing.conftest import HASTE, Site, make_build, published_files


def add_section(folder: Path) -> None:
    """Write something by hand into the card of a folder."""
    card = (folder / "README.md").read_text(encoding="utf-8")
    section = "<!-- diptych:keep more -->\nMore.\n<!-- diptych:end -->"
    (folder / "README.md").write_text(f"{card}\n{section}\n", encoding="utf-8")


def uploads(site: Site) -> set[str]:
    routes = {"store_object", "commit", "lfs_batch", "create_repo"}
    return {request.route for request in site.hub.requests} & routes


def test_the_folder_is_published_in_one_commit_and_tagged(site: Site, small_build: Path) -> None:
    process = site.run("push", small_build, "org/rad", "--tag", "v1.0.0")
    repo = site.hub.repo("dataset", "org/rad")
    assert repo.files("v1.0.0") == published_files(small_build)
    assert len(repo.history()) == 2
    assert repo.tags == {"v1.0.0": repo.branches["main"]}
    assert not repo.private
    assert "verified: org/rad@v1.0.0" in process.stdout


def test_the_plan_is_told_before_it_is_carried_out(site: Site, small_build: Path) -> None:
    lines = site.run("push", small_build, "org/rad", "--tag", "v1.0.0").stdout.splitlines()
    assert lines[0] == "org/rad: a new public dataset repository"
    assert f"  new       recipe/recipe.json ({(small_build / 'recipe/recipe.json').stat().st_size} B)" in lines
    assert lines.index("then the tag v1.0.0") < lines.index("tagged v1.0.0")


def test_a_dry_run_changes_nothing(site: Site, small_build: Path) -> None:
    assert "then the tag v1.0.0" in site.run("push", small_build, "org/rad", "--tag", "v1.0.0", "--dry-run").stdout
    assert site.hub.store.repos == {}
    assert {request.method for request in site.hub.requests} == {"GET"}


def test_a_second_push_uploads_nothing_and_makes_no_commit(site: Site, small_build: Path) -> None:
    site.run("push", small_build, "org/rad", "--tag", "v1.0.0")
    history = site.hub.repo("dataset", "org/rad").history()
    for tag in ([], ["--tag", "v1.0.0"]):
        site.hub.requests.clear()
        assert "nothing to upload" in site.run("push", small_build, "org/rad", *tag).stdout
        assert uploads(site) == set()
        assert {request.method for request in site.hub.requests} == {"GET", "HEAD"}
    assert site.hub.repo("dataset", "org/rad").history() == history


def test_the_same_content_can_have_a_higher_version(site: Site, small_build: Path) -> None:
    site.run("push", small_build, "org/rad")
    lines = site.run("push", small_build, "org/rad", "--tag", "v1.1.0").stdout.splitlines()
    states = [line.split()[:2] for line in lines if line.startswith("  ")]
    assert states[:2] == [["changed", "README.md"], ["changed", "manifest.json"]]
    repo = site.hub.repo("dataset", "org/rad")
    assert repo.tags == {"v1.0.0": repo.at("v1.0.0").id, "v1.1.0": repo.branches["main"]}
    assert repo.files("v1.0.0") == published_files(small_build)
    assert [entry.version for entry in site.manifest("org/rad").history or ()] == ["1.1.0", "1.0.0"]


def test_a_tag_never_moves_and_the_next_version_is_proposed(site: Site, small_build: Path, edited_build: Path) -> None:
    site.run("push", small_build, "org/rad", "--tag", "v1.0.0")
    tags = dict(site.hub.repo("dataset", "org/rad").tags)
    add_section(edited_build)
    process = site.run("push", edited_build, "org/rad", "--tag", "v1.0.0", exit_code=2)
    assert "tags never move; the next version is v1.0.1" in process.stderr
    assert process.stderr.count("\n") == 1
    assert site.hub.repo("dataset", "org/rad").tags == tags
    assert len(site.hub.repo("dataset", "org/rad").history()) == 2


def test_an_old_tag_pushed_again_leaves_newer_content_alone(site: Site, small_build: Path, edited_build: Path) -> None:
    site.run("push", small_build, "org/rad", "--tag", "v1.0.0")
    add_section(edited_build)
    site.run("push", edited_build, "org/rad", "--tag", "v1.0.1")
    site.run("push", small_build, "org/rad", "--tag", "v1.0.0")
    history = site.manifest("org/rad", "v1.0.1").history or ()
    assert [entry.notes for entry in history][:1] == ["The same pairs; changed beside them: README.md."]
    assert site.files("org/rad") == published_files(edited_build, "v1.0.1", history=history)


def test_only_what_changed_is_uploaded_and_what_is_gone_is_deleted(
    site: Site, small_build: Path, tmp_path: Path
) -> None:
    site.run("push", small_build, "org/rad", "--tag", "v1.0.0")
    smaller_build = Path(shutil.copytree(small_build, tmp_path / "smaller"))
    gone = "recipe/templates/rad-cads/yn_from_colors.toml"
    (smaller_build / gone).unlink()
    for arguments, exit_code in ((), 2), (("--dry-run",), 0):
        process = site.run("push", smaller_build, "org/rad", *arguments, exit_code=exit_code)
        assert f"  deleted   {gone}" in process.stdout.splitlines()
        assert list(site.hub.repo("dataset", "org/rad").tags) == ["v1.0.0"]
    refusal = site.run("push", smaller_build, "org/rad", exit_code=2).stderr
    assert refusal == f"error: org/rad: this deletes {gone} there; pass --yes to allow it\n"
    site.hub.requests.clear()
    lines = site.run("push", smaller_build, "org/rad", "--yes").stdout.splitlines()
    states = [line.split()[0] for line in lines if line.startswith("  ")]
    assert states == ["changed", "changed", "deleted", "unchanged"]
    assert "store_object" not in uploads(site)
    history = site.manifest("org/rad").history or ()
    assert site.files("org/rad", "v1.0.1") == published_files(smaller_build, "v1.0.1", history=history)
    assert site.files("org/rad", "v1.0.0") == published_files(small_build)


def test_data_files_of_configs_no_longer_built_are_deleted_and_others_files_stay(
    site: Site, small_build: Path, world: Path, tmp_path: Path
) -> None:
    site.run("push", small_build, "org/rad")
    site.client.run("""
        from huggingface_hub import HfApi
        HfApi().upload_file(path_or_fileobj=b"x", path_in_repo="notes.txt", repo_id="org/rad", repo_type="dataset")
    """)
    single = make_build(world, tmp_path / "single", "convqa_cs")
    assert "verified: org/rad@v2.0.0" in site.run("push", single, "org/rad", "--yes").stdout  # pairs are removed
    files = published_files(single, "v2.0.0", history=site.manifest("org/rad").history or ())
    assert site.files("org/rad") == {**files, "notes.txt": b"x"}


def test_hand_written_sections_of_the_card_are_kept(site: Site, small_build: Path) -> None:
    site.run("push", small_build, "org/rad")
    section = "<!-- diptych:keep news -->\n**Read our blog post.**\n<!-- diptych:end -->"
    site.client.run(f"""
        from huggingface_hub import HfApi, hf_hub_download
        text = open(hf_hub_download("org/rad", "README.md", repo_type="dataset")).read()
        text = text.replace("## Limits", {section!r} + "\\n\\n## Limits") + "\\nA line outside of markers.\\n"
        HfApi().upload_file(path_or_fileobj=text.encode(), path_in_repo="README.md", repo_id="org/rad",
                            repo_type="dataset")
    """)
    site.run("push", small_build, "org/rad")
    card = site.files("org/rad", "v1.0.1")["README.md"].decode()
    assert section in card
    assert "outside of markers" not in card
    assert card.index("## The ledger") < card.index(section) < card.index("## Limits")
    for arguments in ((), ("--tag", "v1.0.1")):
        assert "nothing to upload" in site.run("push", small_build, "org/rad", *arguments).stdout


def test_a_private_repository_is_created_private_and_a_public_one_is_not_taken_for_it(
    site: Site, small_build: Path
) -> None:
    site.run("push", small_build, "org/secret", "--private", "--tag", "v1.0.0")
    assert site.hub.repo("dataset", "org/secret").private
    site.run("push", small_build, "org/open")
    assert "is public" in site.run("push", small_build, "org/open", "--private", exit_code=2).stderr


def test_errata_go_along(site: Site, edited_build: Path) -> None:
    pair_id = pq.read_table(next((edited_build / "data" / "visdial").iterdir()))["pair_id"][0].as_py()
    site.run("errata", "add", edited_build, pair_id, "--reason", "the shirt is blue")
    site.run("push", edited_build, "org/rad", "--tag", "v1.0.1")
    assert pair_id in site.files("org/rad")["errata.jsonl"].decode()
    assert pair_id in site.run("errata", "ls", "org/rad@v1.0.1").stdout
    output = site.client.run(f"""
        import diptych
        for errata in ("keep", "drop"):
            pairs = diptych.load_pairs("org/rad@v1.0.1", "visdial", "validation", errata=errata)
            print(pairs.num_rows, {pair_id!r} in pairs["pair_id"])
    """).stdout.split()
    assert int(output[0]) == int(output[2]) + 1
    assert output[1::2] == ["True", "False"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("{folder}", "org/rad", "--tag", "1.0"), "a tag is a version like v1.0.0"),
        (("{folder}", "rad"), "neither a built folder nor a Hub dataset"),
        (("{folder}",), "say where to publish"),
        (("{folder}/none", "org/rad"), "neither a built folder nor a Hub dataset"),
        (("{folder}", "stranger/rad"), "the token may not write there"),
        (("--metric", "org/metric"), "call it …/paired_vqa"),
    ],
)
def test_a_push_that_cannot_be_made_is_one_line(
    site: Site, edited_build: Path, args: tuple[str, ...], message: str
) -> None:
    process = site.run("push", *(arg.format(folder=edited_build) for arg in args), exit_code=2)
    assert message in process.stderr
    assert process.stderr.count("\n") == 1
    assert site.hub.store.repos == {}


def test_a_folder_that_is_not_what_its_manifest_says_is_refused(site: Site, edited_build: Path) -> None:
    file = next((edited_build / "data" / "visdial").iterdir())
    file.write_bytes(file.read_bytes() + b"x")
    assert "not the file that the manifest lists" in site.run("push", edited_build, "org/rad", exit_code=2).stderr
    file.unlink()
    assert "the manifest lists it" in site.run("push", edited_build, "org/rad", exit_code=2).stderr
    assert site.hub.requests == []


def test_errata_about_unknown_pairs_are_refused(site: Site, edited_build: Path) -> None:
    (edited_build / "errata.jsonl").write_text('{"pair_id": "none", "reason": "r", "since": "1.0.0"}\n')
    assert "no pair none" in site.run("push", edited_build, "org/rad", exit_code=2).stderr


def test_without_a_token_and_with_a_wrong_or_a_reading_one_it_is_one_line(site: Site, small_build: Path) -> None:
    site.hub.add_token("hf_reader", "tester", orgs=("org",), role="read")
    for token, message in ((None, "no token"), ("hf_wrong", "rejected the token"), ("hf_reader", "may not write")):
        process = site.run("push", small_build, "org/rad", token=token, exit_code=2)
        assert message in process.stderr
        assert process.stderr.count("\n") == 1
        assert (token or "none") not in process.stdout + process.stderr
    assert site.hub.store.repos == {}


def test_a_private_repository_is_not_loaded_without_a_token(site: Site, small_build: Path) -> None:
    site.run("push", small_build, "org/secret", "--private", "--tag", "v1.0.0")
    load = "from datasets import load_dataset; load_dataset('org/secret', 'visdial', revision='v1.0.0')"
    assert site.client.run(load, token=None, check=False).returncode == 1
    assert "private" in site.run("diff", small_build, "org/secret@v1.0.0", token=None, exit_code=2).stderr


def test_the_hub_is_asked_again_after_the_time_it_names(site: Site, small_build: Path) -> None:
    site.hub.faults.on("POST", "/commit/", rate_limited(retry_after=37))
    site.client.run(f"""
        import time
        waits = []
        time.sleep = waits.append
        from diptych.cli import main
        try:
            main(["push", {str(small_build)!r}, "org/rad"])
        except SystemExit as stop:
            assert not stop.code
        assert waits == [37.0], waits
    """)
    assert len(site.hub.repo("dataset", "org/rad").history()) == 2


def test_a_hub_that_cannot_be_reached_is_one_line(site: Site, small_build: Path) -> None:
    code = f"{HASTE}\nfrom diptych.cli import main\nmain(['push', {str(small_build)!r}, 'org/rad'])"
    process = run_client(code, site.hub, env={"HF_ENDPOINT": "http://127.0.0.1:9"}, check=False)
    assert process.returncode == 2
    assert "http://127.0.0.1:9 cannot be reached" in process.stderr
    assert process.stderr.count("\n") == 1


def test_the_metric_is_published_as_a_space(site: Site) -> None:
    site.run("push", "--metric", "org/paired_vqa")
    space = site.hub.repo("space", "org/paired_vqa")
    assert space.sdk == "gradio"
    assert {"paired_vqa.py", "app.py", "requirements.txt", "README.md", "scoring.py"} <= set(space.files())
    assert "nothing to upload" in site.run("push", "--metric", "org/paired_vqa").stdout
    assert len(space.history()) == 2
