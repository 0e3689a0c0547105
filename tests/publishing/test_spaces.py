"""What stands beside a dataset on the Hub: the report as a static Space, and a collection of all of it."""

from pathlib import Path

import pytest

import diptych
from tests.folders import make_folder, some_pairs
from tests.hub import dropped, server_error
from tests.publishing.conftest import Site, folder_files

TITLE = "Robust pairs"


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("built") / "out", some_pairs(64)).path


@pytest.fixture(scope="module")
def report(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("report")
    diptych.predict(build, "majority", root / "majority.jsonl")
    diptych.write_report(build, [root / "majority.jsonl"], root / "report")
    return root / "report"


# The report.


def test_a_report_is_a_static_space(site: Site, report: Path) -> None:
    output = site.run("push", "--report", report, "org/rad-report").stdout
    space = site.hub.repo("space", "org/rad-report")
    assert space.sdk == "static"
    assert space.files() == folder_files(report)
    assert "verified: org/rad-report gives back what was sent" in output
    assert "nothing to upload" in site.run("push", "--report", report, "org/rad-report").stdout
    assert len(space.history()) == 2


def test_the_card_of_a_report_is_what_the_hub_takes(site: Site, report: Path) -> None:
    site.run("push", "--report", report, "org/rad-report")
    site.client.run("""
        from huggingface_hub import RepoCard, space_info
        card = RepoCard.load("org/rad-report", repo_type="space")
        card.validate(repo_type="space")
        assert (card.data["sdk"], card.data["app_file"]) == ("static", "index.html")
        assert space_info("org/rad-report").sdk == "static"
    """)


def test_pages_of_an_earlier_report_are_deleted_only_where_that_is_said(
    site: Site, report: Path, tmp_path: Path
) -> None:
    older = tmp_path / "older"
    (older / "pictures").mkdir(parents=True)
    for name in ("README.md", "index.html"):
        (older / name).write_bytes((report / name).read_bytes())
    (older / "pictures" / "old.jpg").write_bytes(b"a picture")
    site.run("push", "--report", older, "org/rad-report")
    refusal = site.run("push", "--report", report, "org/rad-report", exit_code=2).stderr
    assert "this deletes pictures/old.jpg there; pass --yes" in refusal
    site.run("push", "--report", report, "org/rad-report", "--yes")
    assert site.hub.repo("space", "org/rad-report").files() == folder_files(report)


def test_what_is_no_report_is_one_line(site: Site, build: Path, report: Path, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("---\nsdk: gradio\n---\n")
    (tmp_path / "index.html").write_text("<p>")
    cases = {
        (build, "org/report"): "name the folder that `diptych report` wrote",
        (tmp_path, "org/report"): "is not the card of a static Space",
        (report,): "say where to publish: diptych push --report REPORT org/name",
        (report, "org/report", "--metric"): "publish different things",
        (report, "org/report", "--force-version", "x"): "about the push of a built folder alone",
    }
    for args, message in cases.items():
        process = site.run("push", "--report", *args, exit_code=2)
        assert message in process.stderr
        assert process.stderr.count("\n") == 1
    assert site.hub.requests == []


def test_the_card_of_the_metric_names_the_space(site: Site) -> None:
    site.run("push", "--metric", "tester/paired_vqa")
    card = site.hub.repo("space", "tester/paired_vqa").files()["README.md"].decode()
    assert 'evaluate.load("tester/paired_vqa", "rad")' in card
    assert "org/" not in card


# The collection.


@pytest.fixture
def stocked(site: Site, build: Path, report: Path) -> Site:
    site.run("push", build, "org/rad")
    site.run("push", "--metric", "org/paired_vqa")
    site.run("push", "--report", report, "org/rad-report")
    return site


ITEMS = ("datasets/org/rad", "spaces/org/paired_vqa", "spaces/org/rad-report")
HELD = [("dataset", "org/rad"), ("space", "org/paired_vqa"), ("space", "org/rad-report")]


def test_a_collection_is_created_and_extended(stocked: Site) -> None:
    stocked.run("push", "--collection", TITLE, *ITEMS[:2])
    output = stocked.run("push", "--collection", TITLE, *ITEMS).stdout
    (collection,) = stocked.hub.store.collections.values()
    assert collection.items == HELD
    assert (collection.title, collection.owner, collection.private) == (TITLE, "org", False)
    assert f"collections/{collection.slug} holds all of them" in output


def test_a_collection_can_be_read_by_its_client(stocked: Site) -> None:
    stocked.run("push", "--collection", TITLE, *ITEMS, "--to", "tester", "--private")
    (slug,) = stocked.hub.store.collections
    output = stocked.client.run(f"""
        from huggingface_hub import get_collection
        collection = get_collection({slug!r})
        print(collection.private, [item.item_id for item in collection.items])
    """).stdout
    assert output == f"True {[repo for _, repo in HELD]}\n"


@pytest.mark.parametrize("fault", [server_error(503), dropped(), dropped(processed=True)], ids=lambda fault: fault.name)
def test_a_fault_at_any_request_of_a_collection_is_overcome(stocked: Site, fault: object) -> None:
    stocked.hub.requests.clear()
    stocked.run("push", "--collection", TITLE, *ITEMS)
    for number in range(1, len(stocked.hub.requests) + 1):
        stocked.hub.store.collections.clear()
        stocked.hub.faults.clear()
        stocked.hub.requests.clear()
        stocked.hub.faults.at(number, fault)  # type: ignore[arg-type]
        stocked.run("push", "--collection", TITLE, *ITEMS)
        (collection,) = stocked.hub.store.collections.values()
        assert collection.items == HELD, number


def test_a_collection_that_cannot_be_is_one_line(stocked: Site) -> None:
    cases = {
        ("org/rad",): "say of which kind it is: datasets/org/rad or spaces/org/rad",
        ("datasets/org/none",): "the Hub has no such repository",
        ("datasets/org/rad", "--tag", "v1.0.0"): "a collection has no versions",
        ("datasets/org/rad", "--to", "stranger"): "the token may not write there",
    }
    for args, message in cases.items():
        process = stocked.run("push", "--collection", TITLE, *args, exit_code=2)
        assert message in process.stderr
        assert process.stderr.count("\n") == 1
    assert "a title has 1 to 59" in stocked.run("push", "--collection", "x" * 60, ITEMS[0], exit_code=2).stderr
    stocked.run("push", "--collection", TITLE, *ITEMS, "--dry-run")
    assert stocked.hub.store.collections == {}
