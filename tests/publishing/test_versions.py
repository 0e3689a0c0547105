"""The version of a push: the next one by the rule, never a lower one without a reason or that of another dataset."""

import shutil
from pathlib import Path

import orjson
import pytest

import diptych
from diptych.cards import CARD
from diptych.folder import open_folder
from diptych.publishing import version_key
from tests.folders import make_folder, make_pair, some_pairs
from tests.publishing.conftest import Site, published_files


@pytest.fixture
def build(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "first", some_pairs(8)).path


@pytest.fixture
def longer(tmp_path: Path) -> Path:
    """The same pairs and more."""
    return make_folder(tmp_path / "longer", some_pairs(12)).path


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Other answers to the same questions."""
    pairs = some_pairs(8)
    return make_folder(tmp_path / "other", [make_pair(0, value="purple"), *pairs[1:]]).path


def tags(site: Site, repo: str = "org/rad") -> list[str]:
    return sorted(site.hub.repo("dataset", repo).tags, key=version_key)


def card(site: Site, revision: str = "main") -> str:
    return site.files("org/rad", revision)[CARD].decode()


# The rule.


def test_the_first_version_is_that_of_the_build(site: Site, build: Path) -> None:
    manifest = open_folder(build).manifest.model_copy(update={"version": "0.3.0"})
    manifest.write(build)
    site.run("card", build)
    assert "verified: org/rad@v0.3.0" in site.run("push", build, "org/rad").stdout
    assert tags(site) == ["v0.3.0"]


@pytest.mark.parametrize(
    ("change", "tag", "notes"),
    [
        ("longer", "v1.1.0", "Pairs: 4 added."),
        ("other", "v2.0.0", "Pairs: 1 reworded."),
        ("recipe", "v1.0.1", "The same pairs; changed beside them: recipe/notes.txt."),
    ],
)
def test_the_next_version_follows_from_what_changed(
    site: Site, build: Path, change: str, tag: str, notes: str, request: pytest.FixtureRequest
) -> None:
    site.run("push", build, "org/rad")
    if change == "recipe":
        (build / "recipe").mkdir()
        (build / "recipe" / "notes.txt").write_text("A change beside the pairs.")
        changed = build
    else:
        changed = request.getfixturevalue(change)
    output = site.run("push", changed, "org/rad").stdout
    assert f"org/rad: v1.0.0 is the newest version there; this is {tag}. {notes}" in output
    assert tags(site) == ["v1.0.0", tag]
    assert f"- **{tag[1:]}**: {notes}\n" in card(site, tag)
    assert f"# RAD-CADs {tag[1:]}\n" in card(site, tag)
    assert site.manifest("org/rad", tag).version == tag[1:]


def test_a_higher_version_of_the_build_itself_is_kept(site: Site, build: Path, longer: Path) -> None:
    site.run("push", build, "org/rad")
    open_folder(longer).manifest.model_copy(update={"version": "3.0.0"}).write(longer)
    site.run("card", longer)
    site.run("push", longer, "org/rad")
    assert tags(site) == ["v1.0.0", "v3.0.0"]


def test_the_same_content_makes_no_version(site: Site, build: Path) -> None:
    site.run("push", build, "org/rad")
    assert "org/rad: v1.0.0 already exists" in site.run("push", build, "org/rad").stdout
    assert tags(site) == ["v1.0.0"]
    assert len(site.hub.repo("dataset", "org/rad").history()) == 2


def test_only_data_that_changed_is_downloaded(site: Site, build: Path) -> None:
    site.run("push", build, "org/rad")
    site.hub.requests.clear()
    with (build / CARD).open("a", encoding="utf-8") as file:
        file.write("\n<!-- diptych:keep mine -->\nMine.\n<!-- diptych:end -->\n")
    assert "this is v1.0.1" in site.run("push", build, "org/rad", "--dry-run").stdout
    assert not [request for request in site.hub.requests if request.path.endswith(".parquet")]


@pytest.mark.parametrize("tag", ["v1.0.1", "1.9.9", "v0.9.0"])
def test_a_lower_version_is_refused_in_one_line(site: Site, build: Path, other: Path, tag: str) -> None:
    site.run("push", build, "org/rad")
    process = site.run("push", other, "org/rad", "--version", tag, exit_code=2)
    assert "the version after v1.0.0 is v2.0.0 (major: pairs removed or answers changed)" in process.stderr
    assert process.stderr.count("\n") == 1
    assert tags(site) == ["v1.0.0"]


def test_a_forced_version_tells_why(site: Site, build: Path, other: Path) -> None:
    site.run("push", build, "org/rad")
    site.run("push", other, "org/rad", "--tag", "v1.0.1", "--force-version", "one answer, found by\na *reader*")
    commit = site.hub.repo("dataset", "org/rad").at("v1.0.1")
    assert commit.title.startswith("rad-cads v1.0.1, built by diptych")
    assert commit.message == "The version is lower than the rule demands: one answer, found by a *reader*"
    line = next(line for line in card(site, "v1.0.1").splitlines() if line.startswith("- **1.0.1**"))
    assert "The number is lower than this rule demands: one answer, found by a \\*reader\\*" in line
    assert "nothing to upload" in site.run("push", other, "org/rad", "--tag", "v1.0.1").stdout
    site.run("push", build, "org/rad")  # the next one remembers
    assert tags(site) == ["v1.0.0", "v1.0.1", "v2.0.0"]
    assert "The number is lower than this rule demands" in card(site, "v2.0.0")


def test_a_reason_that_is_not_needed_is_not_told(site: Site, build: Path, longer: Path) -> None:
    site.run("push", build, "org/rad")
    site.run("push", longer, "org/rad", "--tag", "v1.1.0", "--force-version", "to be sure")
    assert "to be sure" not in card(site)
    assert "name it with --tag" in site.run("push", longer, "org/rad", "--force-version", "x", exit_code=2).stderr


def test_a_folder_stays_as_it_is(site: Site, build: Path, other: Path) -> None:
    before = {path: path.read_bytes() for path in other.rglob("*") if path.is_file()}
    site.run("push", build, "org/rad")
    site.run("push", other, "org/rad")
    assert before == {path: path.read_bytes() for path in other.rglob("*") if path.is_file()}


def test_a_push_whose_tag_was_lost_is_finished_under_the_same_version(site: Site, build: Path, other: Path) -> None:
    site.run("push", build, "org/rad")
    site.run("push", other, "org/rad")
    repo = site.hub.repo("dataset", "org/rad")
    commit = repo.tags.pop("v2.0.0")
    assert "tagged v2.0.0" in site.run("push", other, "org/rad").stdout
    assert repo.tags["v2.0.0"] == commit
    assert len(repo.history()) == 3


def test_what_was_left_half_published_is_put_right(site: Site, build: Path, other: Path) -> None:
    """The commit of another version was made and its tag was not; then the first content is pushed again."""
    site.run("push", build, "org/rad")
    site.run("push", other, "org/rad")
    del site.hub.repo("dataset", "org/rad").tags["v2.0.0"]
    site.run("push", build, "org/rad")
    history = site.manifest("org/rad").history or ()
    assert [entry.version for entry in history] == ["1.0.1", "1.0.0"]
    assert site.files("org/rad", "v1.0.1") == published_files(build, "v1.0.1", history=history)


# Another dataset.


def test_another_dataset_is_not_overwritten(site: Site, build: Path, tmp_path: Path) -> None:
    site.run("push", build, "org/rad")
    carets = make_folder(tmp_path / "carets", some_pairs(8), dataset="carets").path
    process = site.run("push", carets, "org/rad", exit_code=2)
    assert "org/rad: holds the dataset rad-cads, not carets; choose another repository" in process.stderr
    assert process.stderr.count("\n") == 1
    assert tags(site) == ["v1.0.0"]
    site.run("push", carets, "org/rad", "--replace-dataset", "--yes")
    assert tags(site) == ["v1.0.0", "v2.0.0"]
    new = card(site, "v2.0.0")
    assert "RAD-CADs" not in new
    assert "`rad-cads`" not in new
    assert "- **2.0.0**: Another dataset than before." in new


def test_hand_written_sections_about_another_dataset_do_not_stay(site: Site, build: Path, tmp_path: Path) -> None:
    with (build / CARD).open("a", encoding="utf-8") as file:
        file.write("\n<!-- diptych:keep mine -->\nOnly about colors.\n<!-- diptych:end -->\n")
    site.run("push", build, "org/rad")
    carets = make_folder(tmp_path / "carets", some_pairs(8), dataset="carets").path
    site.run("push", build, "org/rad", "--replace-dataset")  # the same dataset
    assert "Only about colors." in card(site)
    site.run("push", carets, "org/rad", "--replace-dataset", "--yes")
    assert "Only about colors." not in card(site)


def test_a_repository_of_something_else_is_not_overwritten(site: Site, build: Path) -> None:
    site.client.run("""
        from huggingface_hub import HfApi
        HfApi().create_repo("org/rad", repo_type="dataset")
        HfApi().upload_file(path_or_fileobj=b"a,b", path_in_repo="data.csv", repo_id="org/rad", repo_type="dataset")
    """)
    assert "holds something that Diptych did not build" in site.run("push", build, "org/rad", exit_code=2).stderr
    site.run("push", build, "org/rad", "--replace-dataset")
    assert site.files("org/rad", "v1.0.0")["data.csv"] == b"a,b"


def test_a_new_repository_with_a_license_alone_is_taken(site: Site, build: Path) -> None:
    site.client.run("""
        from huggingface_hub import HfApi
        HfApi().create_repo("org/rad", repo_type="dataset")
        HfApi().upload_file(path_or_fileobj=b"---\\nlicense: mit\\n---\\n", path_in_repo="README.md",
                            repo_id="org/rad", repo_type="dataset")
    """)
    site.run("push", build, "org/rad")
    assert tags(site) == ["v1.0.0"]


# Exports that say where the dataset is.


def test_exports_name_the_version_and_the_repository(site: Site, build: Path, longer: Path) -> None:
    for folder in (build, longer):
        for form in ("croissant", "lmms-eval", "inspect"):
            site.run("export", folder, "--to", form, "--out", folder / "export" / form)
    site.run("push", build, "org/rad")
    site.run("push", longer, "org/rad")
    for tag in ("v1.0.0", "v1.1.0"):
        files = site.files("org/rad", tag)
        assert orjson.loads(files["export/croissant/croissant.json"])["version"] == tag[1:]
        texts = {name: text.decode() for name, text in files.items() if name.startswith("export/")}
        assert not [name for name, text in texts.items() if str(build.parent) in text]
        assert tag in texts["export/inspect/tasks.py"]
        assert "org/rad" in texts["export/inspect/tasks.py"]
    assert "nothing to upload" in site.run("push", longer, "org/rad").stdout


# `build --version` and `--after`.


def test_a_build_has_the_version_it_is_given(world: Path, tmp_path: Path) -> None:
    options = {"configs": ("convqa_cs",), "pictures": False}
    folder = diptych.build("rad-cads", world, tmp_path / "out", version="v4.5.6", **options)
    assert folder.manifest.version == "4.5.6"
    text = (folder.path / CARD).read_text(encoding="utf-8")
    assert "# RAD-CADs 4.5.6\n" in text
    assert "note = {version 4.5.6, not published}" in text
    again = diptych.rebuild(folder.path, world, tmp_path / "again", pictures=False)
    assert again.differences == ()
    assert again.manifest.version == "4.5.6"


def test_a_build_after_a_repository_has_the_next_version(site: Site, world: Path, tmp_path: Path) -> None:
    args = ("build", "rad-cads", "--data", world, "--config", "convqa_cs", "--no-pictures", "--after", "org/rad")
    assert "version 1.0.0\n" in site.run(*args, "--out", tmp_path / "first").stdout
    site.run("push", tmp_path / "first", "org/rad")
    assert "version 1.0.0\n" in site.run(*args, "--out", tmp_path / "same").stdout
    assert "version 1.1.0\n" in site.run(*args, "--config", "visdial", "--out", tmp_path / "more").stdout
    assert "# RAD-CADs 1.1.0\n" in (tmp_path / "more" / CARD).read_text(encoding="utf-8")
    assert "verified: org/rad@v1.1.0" in site.run("push", tmp_path / "more", "org/rad").stdout
    site.run("build", "hf://datasets/org/rad@v1.1.0", "--data", world)  # bit-identical, by its exit code


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--version", "1.0"), "a version is three numbers"),
        (("--version", "1.0.0", "--after", "org/rad"), "say one of the two"),
        (("--after", "rad"), "neither a built folder nor a Hub dataset"),
        (("--after", "org/rad@v1.0.0"), "name the repository alone"),
    ],
)
def test_a_version_that_cannot_be_is_one_line(
    site: Site, world: Path, tmp_path: Path, args: tuple[str, ...], message: str
) -> None:
    process = site.run("build", "rad-cads", "--data", world, "--out", tmp_path / "out", *args, exit_code=2)
    assert message in process.stderr
    assert process.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()
    assert site.hub.requests == []


# The order of a comparison.


def test_the_older_build_comes_first(site: Site, build: Path, longer: Path) -> None:
    site.run("push", build, "org/rad")
    site.run("push", longer, "org/rad")
    first, second = "org/rad@v1.0.0", "org/rad@v1.1.0"
    process = site.run("diff", first, second, exit_code=1)
    assert "next version: v1.1.0 (minor" in process.stdout
    assert process.stderr == ""
    for swapped in ((second, first), (longer, first)):
        hint = site.run("diff", *swapped, exit_code=1).stderr
        assert hint.startswith("hint: ")
        assert hint.endswith("the older one comes first: diptych diff OLD NEW\n")
    assert site.run("diff", first, longer, exit_code=1).stderr == ""
    assert site.run("diff", longer, second).stderr == ""  # no difference, no hint


def test_a_manifest_of_an_earlier_diptych_is_read(build: Path) -> None:
    """`recipes` called the version of the definition `version`, which tests/folders.py still does."""
    assert open_folder(build).manifest.recipes["yn_from_color"].definition == "1.0.0"


def test_scores_on_the_card_of_a_downloaded_build_make_it_unpublished(site: Site, build: Path, tmp_path: Path) -> None:
    site.run("push", build, "org/rad")
    copy = tmp_path / "copy"
    shutil.copytree(build, copy)
    for name, content in site.files("org/rad", "v1.0.0").items():
        (copy / name).write_bytes(content)
    assert "Published as `org/rad`" in (copy / CARD).read_text(encoding="utf-8")
    site.run("baseline", copy, "majority", "--out", tmp_path / "majority.jsonl")
    site.run("card", copy, "--results", tmp_path / "majority.jsonl")
    assert "**Not published yet.**" in (copy / CARD).read_text(encoding="utf-8")
