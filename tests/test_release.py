"""What a release needs: one version, a citation, and workflows that call what exists."""

import re
import shlex
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

import diptych

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
PAPERS = {"rad-cads": "Rosenberg", "bqd": "Huang", "carets": "Jimenez", "kb-counterfactuals": "Stoikou", "fvqa2": "Lin"}
_RELEASE = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<date>\S+))?$", re.MULTILINE)

every_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)


def read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def citation() -> dict[str, Any]:
    return dict(read_yaml(ROOT / "CITATION.cff"))


def released() -> list[tuple[str, str]]:
    """The versions and dates of the changelog, the newest first."""
    return _RELEASE.findall((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))


def commands(workflow: dict[str, Any]) -> list[list[str]]:
    lines = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
    return [shlex.split(line) for text in lines for line in text.splitlines()]


def test_the_changelog_begins_with_what_is_unreleased_and_this_version() -> None:
    (unreleased, no_date), (version, day), *_ = released()
    assert (unreleased, no_date, version) == ("Unreleased", "", diptych.__version__)
    assert date.fromisoformat(day)


def test_the_citation_is_of_this_version(citation: dict[str, Any]) -> None:
    assert (diptych.__version__, citation["date-released"]) == (citation["version"], released()[1][1])


def test_the_papers_are_cited_as_on_the_cards(citation: dict[str, Any]) -> None:
    references = {
        reference["notes"].removeprefix("The dataset ").rstrip("."): reference for reference in citation["references"]
    }
    assert {name: entry["authors"][0]["family-names"] for name, entry in references.items()} == PAPERS
    for name, entry in references.items():
        card = (ROOT / "diptych" / "cards" / "templates" / f"{name}.md.jinja").read_text(encoding="utf-8")
        text = re.sub(r"[{}]", "", card)
        assert re.search(rf"title = +{re.escape(entry['title'])}", text), name
        assert " and ".join(f"{a['family-names']}, {a['given-names']}" for a in entry["authors"]) in text
        assert f"year = {entry['year']}" in text


@every_workflow
def test_a_workflow_calls_what_exists(path: Path) -> None:
    workflow = read_yaml(path)
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    called = commands(workflow)
    assert called
    for command in called:
        if command[0] == "make":
            assert command[1] in targets
        else:
            assert command[0] == "test" or (ROOT / command[0]).is_file(), command
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 120
        assert all(re.fullmatch(r"[\w/-]+@[\w/.-]+", step["uses"]) for step in job["steps"] if "uses" in step)


def test_the_steps_of_the_supply_workflow_are_all_there_are() -> None:
    (job,) = read_yaml(ROOT / ".github" / "workflows" / "supply.yml")["jobs"].values()
    script = (ROOT / "scripts" / "check_supply.py").read_text(encoding="utf-8")
    assert job["strategy"]["matrix"]["step"] == re.findall(r'^    "(\w+)": check_\w+,$', script, re.MULTILINE)


def test_changes_are_checked_with_every_python_that_is_supported() -> None:
    (job,) = read_yaml(ROOT / ".github" / "workflows" / "ci.yml")["jobs"].values()
    named = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert job["strategy"]["matrix"]["python"] == named == ["3.11", "3.12", "3.13"]
    assert {"run": ".ci/run"} in job["steps"]


@every_workflow
def test_only_a_release_can_publish(path: Path) -> None:
    workflow = read_yaml(path)
    events = workflow[True]  # YAML 1.1 reads the key `on` as a truth value
    publishes = [name for name, job in workflow["jobs"].items() if "id-token" in job.get("permissions", {})]
    assert workflow["permissions"] == {"contents": "read"}
    assert publishes == (["publish"] if list(events) == ["release"] else [])
    assert "secrets." not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_an_issue_form_asks_something(path: Path) -> None:
    form = read_yaml(path)
    if path.stem != "config":
        assert {"name", "description", "body"} <= set(form)
        assert len({field["id"] for field in form["body"]}) == len(form["body"])


def test_the_scripts_that_are_called_may_be_run() -> None:
    listing = subprocess.run(
        ["git", "ls-files", "-s", ".ci/run"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert not listing.stdout or listing.stdout.startswith("100755")
