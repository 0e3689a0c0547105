"""The review page in a real browser, from a file, with no server."""

import json
import time
from pathlib import Path

import pytest

from diptych.folder import BuiltFolder
from diptych.report.review import ReviewItem, write_page
from tests.commands import run
from tests.report.review.chromium import CHROMIUM, Browser
from tests.report.review.conftest import CONFIG

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")


@pytest.fixture
def page(folder: BuiltFolder, world: Path, tmp_path: Path) -> Path:
    path = tmp_path / "review.html"
    assert run("review", "export", folder.path, "--to", path, "--sample", 4, "--images", world / "images") == 0
    return path


def wait_for_sheet(folder: Path) -> Path:
    """The file that the browser saves."""
    for _ in range(100):
        sheets = list(folder.glob("review-*.json"))
        if sheets:
            return sheets[0]
        time.sleep(0.1)
    raise AssertionError("the browser saved nothing")


def test_the_page_asks_for_nothing_from_elsewhere(page: Path) -> None:
    html = page.read_text()
    assert "http://" not in html
    assert "https://" not in html
    assert html.count("data:image/jpeg;base64,") == 8


@needs_browser
@pytest.mark.slow
def test_a_person_judges_with_the_keyboard_and_saves(page: Path, folder: BuiltFolder, tmp_path: Path) -> None:
    with Browser(tmp_path / "profile") as browser:
        browser.open(page)
        assert browser.run("document.querySelectorAll('#item img').length") == 2
        assert browser.run("[...document.images].every(i => i.complete && i.naturalWidth > 0)")
        assert browser.run("document.getElementById('count').textContent") == "1 of 4, 0 done"
        browser.press("a")
        browser.press("r")
        browser.press("2")
        browser.press("ArrowRight")
        browser.press("f")
        browser.type_into("#fixed", "Is this better?")
        browser.type_into("#answers", "dog / cat")
        browser.run("document.activeElement.blur()")
        assert browser.run("document.getElementById('count').textContent") == "3 of 4, 3 done"
        browser.open(page)  # progress is kept
        assert browser.run("document.getElementById('count').textContent") == "3 of 4, 3 done"
        assert browser.run("document.getElementById('fixed').value") == "Is this better?"
        browser.run("document.getElementById('save').click()")
        assert browser.run("document.getElementById('note').textContent") == "Write your name first."
        browser.type_into("#annotator", "Ann <b>")
        browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
        browser.run("document.getElementById('save').click()")
        sheet = wait_for_sheet(tmp_path)
    content = json.loads(sheet.read_text())
    assert content["annotator"] == "Ann <b>"
    assert [entry["verdict"] for entry in content["verdicts"]] == ["accepted", "rejected", "fixed"]
    assert content["verdicts"][1]["reasons"] == ["the image does not show it"]
    assert (content["verdicts"][2]["question"], content["verdicts"][2]["answers"]) == (
        "Is this better?",
        ["dog", "cat"],
    )
    out = tmp_path / "verdicts.jsonl"
    assert run("review", "merge", folder.path, sheet, "--to", out, "--agree", 1) == 0
    assert {"accepted", "rejected", "fixed"} == {json.loads(line)["verdict"] for line in out.read_text().splitlines()}


@needs_browser
@pytest.mark.slow
def test_a_question_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    row = {"test": "t", "expectation": "same", "bindings": "{}"}
    for side in ("original", "perturbed"):
        row |= {f"{side}_image_id": "1", f"{side}_question": "</script><b id=bad>?", f"{side}_answer": "<i>"}
        row[f"{side}_answers"] = ["<i>"]  # type: ignore[assignment]
    write_page(tmp_path / "p.html", "a <title>", "judge", [ReviewItem("i", ("p",), row).as_json(None)])
    with Browser(tmp_path / "profile") as browser:
        browser.open(tmp_path / "p.html")
        assert browser.run("document.getElementById('bad')") is None
        assert browser.run("document.querySelector('.question').textContent") == "</script><b id=bad>?"
        assert browser.run("document.title") == "a <title>"


@needs_browser
@pytest.mark.slow
def test_the_gold_questions_of_a_task_must_be_right(folder: BuiltFolder, world: Path, tmp_path: Path) -> None:
    tasks = tmp_path / "tasks"
    args = ("--to", tasks, "--hits", "--gold", world, "--config", CONFIG)
    assert run("review", "export", folder.path, *args) == 0
    with Browser(tmp_path / "profile") as browser:
        browser.open(tasks / "task-001.html")
        assert "ambiguous" in browser.run("document.getElementById('item').textContent")
        browser.type_into("#annotator", "Ann")
        browser.run("page.items.forEach(i => { kept.given[i.id] = {answer: 'ambiguous'}; }); keep(); save()")
        assert "look at this question again" in browser.run("document.getElementById('note').textContent")
        assert browser.run("page.items[kept.at].gold !== undefined")
        browser.run(
            "page.items.filter(i => i.gold !== undefined).forEach(i => { kept.given[i.id] = "
            "{answer: i.choices.find(c => hash(i.id + '|' + c) === i.gold)}; })"
        )
        browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
        browser.run("save()")
        sheet = wait_for_sheet(tmp_path)
    out = tmp_path / "human.jsonl"
    assert run("review", "merge", folder.path, sheet, "--to", out, "--hits", "--config", CONFIG) == 0
