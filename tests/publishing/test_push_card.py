"""The card of a push, as real clients get it back: its title, snippets and citation are those of the push."""

import shutil
from pathlib import Path

import orjson
import pytest

import diptych
from diptych.cards import CARD, render_card
from diptych.demo import make_world
from diptych.folder import open_folder
from tests.publishing.conftest import Site, published_files, stamped

READ_CARD = """
    from huggingface_hub import DatasetCard, hf_hub_download
    path = hf_hub_download({repo!r}, "README.md", repo_type="dataset", revision={revision!r})
    print(open(path, encoding="utf-8").read())
"""


def card_at(site: Site, repo: str, revision: str) -> str:
    """The card of a repository, by its client."""
    return site.client.run(READ_CARD.format(repo=repo, revision=revision)).stdout


@pytest.mark.parametrize(
    "part",
    [
        "# RAD-CADs 1.2.0\n",
        "Published as `org/robust` at the tag `v1.2.0`.",
        'load_dataset("org/robust", revision="v1.2.0")',
        "diptych score org/robust@v1.2.0 predictions.jsonl",
        "note = {version 1.2.0}",
        "url = {hf://datasets/org/robust@v1.2.0}",
    ],
)
def test_the_card_names_what_was_pushed_where(part: str, site: Site, small_build: Path) -> None:
    site.run("push", small_build, "org/robust", "--tag", "v1.2.0")
    assert part in card_at(site, "org/robust", "v1.2.0")


def test_the_code_of_the_card_loads_what_was_built(site: Site, small_build: Path) -> None:
    site.run("push", small_build, "org/robust", "--tag", "v1.2.0")
    code = card_at(site, "org/robust", "v1.2.0").split("```python\n")[1].split("```")[0]
    counts = site.client.run(f"{code}\nprint({{split: rows.num_rows for split, rows in pairs.items()}})").stdout
    folder = open_folder(small_build)
    config = folder.manifest.default
    expected = {split: folder.table(config, split).num_rows for split in folder.splits(config)}
    assert counts == f"{expected}\n"


def test_the_scores_of_the_card_are_computed_at_the_tag(site: Site, small_build: Path, tmp_path: Path) -> None:
    site.run("push", small_build, "org/robust", "--tag", "v1.2.0")
    command = card_at(site, "org/robust", "v1.2.0").split("```\ndiptych ")[1].split("\n")[0]
    predictions = tmp_path / "predictions.jsonl"
    site.run("baseline", "org/robust@v1.2.0", "majority", "--out", predictions)
    arguments = [str(predictions) if part == "predictions.jsonl" else part for part in command.split()]
    assert "accuracy_perturbed" in site.run(*arguments).stdout


def test_a_card_that_is_pushed_to_two_repositories_names_the_right_one_in_each(site: Site, small_build: Path) -> None:
    for repo in ("org/first", "org/second"):
        site.run("push", small_build, repo, "--tag", "v1.0.0")
    first, second = (card_at(site, repo, "v1.0.0") for repo in ("org/first", "org/second"))
    assert first.replace("org/first", "org/second") == second
    assert "org/second" not in first


def test_a_published_card_that_is_pushed_elsewhere_names_its_new_place(site: Site, edited_build: Path) -> None:
    """A snapshot of a repository is a built folder like any other."""
    published = stamped(edited_build, "v1.0.0", "org/first")
    published.manifest.write(edited_build)
    (edited_build / CARD).write_text(render_card(published), encoding="utf-8")
    output = site.run("push", edited_build, "org/second", "--tag", "v2.0.0").stdout
    assert "rendered again" not in output
    assert "org/first" not in card_at(site, "org/second", "v2.0.0")


def test_the_folder_keeps_its_own_card(site: Site, edited_build: Path) -> None:
    card = (edited_build / CARD).read_bytes()
    site.run("push", edited_build, "org/robust", "--tag", "v1.2.0")
    assert (edited_build / CARD).read_bytes() == card


def test_sections_written_in_the_folder_and_on_the_hub_survive(site: Site, edited_build: Path) -> None:
    card = (edited_build / CARD).read_text(encoding="utf-8")
    local, remote = (f"<!-- diptych:keep {name} -->\n{name}.\n<!-- diptych:end -->" for name in ("local", "remote"))
    (edited_build / CARD).write_text(card.replace("## Limits", f"{local}\n\n## Limits"), encoding="utf-8")
    site.run("push", edited_build, "org/robust", "--tag", "v1.0.0")
    site.client.run(f"""
        from huggingface_hub import HfApi, hf_hub_download
        text = open(hf_hub_download("org/robust", "README.md", repo_type="dataset")).read() + "\\n" + {remote!r} + "\\n"
        HfApi().upload_file(path_or_fileobj=text.encode(), path_in_repo="README.md", repo_id="org/robust",
                            repo_type="dataset")
    """)
    site.run("push", edited_build, "org/robust", "--tag", "v1.0.1")
    card = card_at(site, "org/robust", "v1.0.1")
    assert local in card
    assert remote in card
    assert 'revision="v1.0.1"' in card
    assert 'revision="v1.0.0"' not in card


def test_what_is_written_outside_of_sections_is_said_to_be_left_out(site: Site, edited_build: Path) -> None:
    with (edited_build / CARD).open("a", encoding="utf-8") as card:
        card.write("\nMore.\n")
    output = site.run("push", edited_build, "org/robust", "--tag", "v1.0.0").stdout
    assert "only its <!-- diptych:keep … --> sections are kept" in output
    assert "More." not in card_at(site, "org/robust", "v1.0.0")


def test_a_push_without_a_tag_leaves_the_tagged_card_alone(site: Site, small_build: Path) -> None:
    site.run("push", small_build, "org/robust", "--tag", "v1.2.0")
    assert "nothing to upload" in site.run("push", small_build, "org/robust").stdout
    assert 'revision="v1.2.0"' in card_at(site, "org/robust", "main")


def test_check_and_diff_accept_the_card_in_both_places(site: Site, small_build: Path) -> None:
    site.run("push", small_build, "org/robust", "--tag", "v1.2.0")
    for location in (small_build, "org/robust@v1.2.0"):
        findings = orjson.loads(site.run("check", location, "--json", exit_code=None).stdout)["findings"]
        assert [entry["level"] for entry in findings if entry["name"] == "card"] == ["ok"]
    assert site.run("diff", small_build, "org/robust@v1.2.0").stdout == "no difference\n"


def test_a_card_that_comes_back_changed_is_told(site: Site, small_build: Path, tmp_path: Path) -> None:
    """Somebody changes the card between the commit and the look at what came back."""
    code = f"""
        from pathlib import Path
        import diptych
        from diptych import publishing
        diptych.push({str(small_build)!r}, "org/robust", "v1.2.0")
        folder = diptych.open_folder({str(small_build)!r})
        choice = publishing.VersionChoice("v1.2.0")
        publication = publishing.dataset_publication(folder, "org/robust", Path({str(tmp_path)!r}), choice, print)
        assert publishing.differing_files(publication, "v1.2.0") == []
        assert publishing.differing_files(publication, "main") == []
        from huggingface_hub import HfApi
        HfApi().upload_file(path_or_fileobj=b"# Another", path_in_repo="README.md", repo_id="org/robust",
                            repo_type="dataset")
        print(publishing.differing_files(publication, "main"))
    """
    assert site.client.run(code).stdout == "['README.md']\n"


# Pictures.


@pytest.fixture(scope="module")
def pictured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("pictured")
    make_world(root / "data", 30)
    return diptych.build("rad-cads", root / "data", root / "out", configs=("convqa_cs",)).path


def test_pictures_go_along_and_are_replaced_and_removed(site: Site, pictured: Path, tmp_path: Path) -> None:
    site.run("push", pictured, "org/rad", "--tag", "v1.0.0")
    assert site.files("org/rad", "v1.0.0") == published_files(pictured)
    assert "assets/pair-3.jpg" in site.files("org/rad")
    copy = Path(shutil.copytree(pictured, tmp_path / "copy"))
    site.run("card", copy, "--no-pictures")
    site.run("push", copy, "org/rad", "--tag", "v1.0.1", "--yes")
    assert not [name for name in site.files("org/rad") if "pair-" in name]


def test_a_picture_that_is_not_the_one_of_the_manifest_is_refused(site: Site, pictured: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(pictured, tmp_path / "copy"))
    (copy / "assets" / "pair-1.jpg").write_bytes(b"another")
    assert "not the file that the manifest lists" in site.run("push", copy, "org/rad", exit_code=2).stderr


def test_pictures_on_the_hub_are_checked(site: Site, pictured: Path) -> None:
    site.run("push", pictured, "org/rad", "--tag", "v1.0.0")
    findings = orjson.loads(site.run("check", "org/rad@v1.0.0", "--json", exit_code=None).stdout)["findings"]
    assert [entry["level"] for entry in findings if entry["name"] == "file hashes"] == ["ok"]
