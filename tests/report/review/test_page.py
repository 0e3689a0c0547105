"""The review pages in a real browser, from files, with no server."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from diptych.folder import BuiltFolder
from diptych.images import open_images
from diptych.pairs import pairs_table
from diptych.report.review import PagePictures, choose_items, write_folder
from tests.commands import run
from tests.folders import make_folder, some_pairs
from tests.report.review.chromium import CHROMIUM, Browser
from tests.report.review.conftest import CONFIG

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")]

# One of each kind of trouble that a text can make where it is taken for more than text.
HOSTILE = (
    "</script><script>window.bad = 1</script>",
    "<img src=x onerror='window.bad = 1'>",
    "javascript:window.bad=1",
    "![x](http://example.org/x.png)",
    "\u202eright to left\u202c \u2066\"' & ' \u2028 end",
    "${window.bad = 1} {{ 7 * 7 }} <!--",
)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    """A browser that saves into the test's folder; at its end, nothing was fetched from outside and nothing failed."""
    with open_browser(tmp_path, "profile") as opened:
        yield opened
        check_quiet(opened)


def open_browser(tmp_path: Path, profile: str) -> Browser:
    opened = Browser(tmp_path / profile)
    for domain in ("Log", "Runtime", "Network"):
        opened.call(f"{domain}.enable")
    opened.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    return opened


def check_quiet(browser: Browser) -> None:
    """Nothing in the console, and no address but files of this machine."""
    browser.run("1")
    methods = {"Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"}
    assert [event for event in browser.events if event["method"] in methods] == []
    urls = [e["params"]["request"]["url"] for e in browser.events if e["method"] == "Network.requestWillBeSent"]
    assert [url for url in urls if not url.startswith(("file:", "data:", "blob:"))] == []


def wait(browser: Browser, script: str) -> None:
    """Wait until an expression is true."""
    for _ in range(200):
        if browser.run(f"Boolean({script})"):
            return
        time.sleep(0.05)
    raise AssertionError(f"never true: {script}; {browser.run('document.body.innerText')}")


def text_of(browser: Browser, selector: str) -> str:
    return str(browser.run(f"(document.querySelector({json.dumps(selector)}) || {{}}).textContent"))


def wait_for_sheet(folder: Path, name: str = "") -> Path:
    """The file that the browser saves."""
    for _ in range(100):
        sheets = list(folder.glob(f"review-*{name}.json"))
        if sheets:
            return sheets[0]
        time.sleep(0.1)
    raise AssertionError("the browser saved nothing")


def save(browser: Browser, folder: Path, name: str) -> Path:
    browser.type_into("#annotator", name)
    browser.run("document.activeElement.blur()")
    browser.run("document.getElementById('save').click()")
    return wait_for_sheet(folder, name)


def load(browser: Browser, *files: Path) -> None:
    """Choose files in the page's dialog."""
    node = browser.call("Runtime.evaluate", expression="document.getElementById('file')")["result"]["objectId"]
    browser.call("DOM.setFileInputFiles", files=list(map(str, files)), objectId=node)
    wait(browser, "document.getElementById('note').textContent")


@pytest.fixture
def page(folder: BuiltFolder, world: Path, tmp_path: Path) -> Path:
    """One page of four items."""
    path, sample = tmp_path / "review.html", tmp_path / "sample.jsonl"
    assert run("review", "sample", folder.path, "--to", sample, "--per-test", 4) == 0
    lines = sample.read_text().splitlines()[:4]
    sample.write_text("\n".join(lines))
    args = ("--only", sample, "--images", world / "images")
    assert run("review", "export", folder.path, "--to", path, *args) == 0
    return path


@pytest.fixture
def built(tmp_path: Path) -> BuiltFolder:
    """Sixty pairs of two tests, on four facts, with pictures."""
    (tmp_path / "images").mkdir()
    for number in range(60):
        Image.new("RGB", (64, 48), (number * 4, 99, 99)).save(tmp_path / "images" / f"{number}.jpg")
    pairs = [replace(pair, test=f"toy.{n % 2}", template_id=f"t{n % 4}") for n, pair in enumerate(some_pairs(60))]
    return make_folder(tmp_path / "built", pairs)


@pytest.fixture
def pages(built: BuiltFolder, tmp_path: Path) -> Path:
    """Pages of twenty-five items."""
    args = ("--to", tmp_path / "pages", "--images", tmp_path / "images", "--page-size", 25)
    assert run("review", "export", built.path, *args) == 0
    return tmp_path / "pages" / "index.html"


def test_a_person_judges_with_the_keyboard_and_saves(
    browser: Browser, page: Path, folder: BuiltFolder, tmp_path: Path
) -> None:
    browser.open(page)
    assert browser.run("document.querySelectorAll('#item img').length") == 2
    wait(browser, "[...document.images].every(i => i.complete && i.naturalWidth > 0)")
    assert text_of(browser, "#count") == "1 of 4, 0 done"
    for key in ("a", "r", "2", "ArrowRight", "f"):
        browser.press(key)
    browser.type_into("#fixed", "Is this better?")
    browser.type_into("#answers", "dog / cat")
    browser.run("document.activeElement.blur()")
    browser.press("ArrowLeft")
    browser.press("ArrowRight")
    assert text_of(browser, "#count") == "3 of 4, 3 done"
    browser.run("document.getElementById('save').click()")
    assert text_of(browser, "#note") == "Enter your name first."
    browser.type_into("#annotator", "Ann <b>")
    browser.run("document.getElementById('save').click()")
    sheet = wait_for_sheet(tmp_path)
    content = json.loads(sheet.read_text())
    assert content["annotator"] == "Ann <b>"
    assert [entry["verdict"] for entry in content["verdicts"]] == ["accepted", "rejected", "fixed"]
    assert content["verdicts"][1]["reasons"] == ["the image does not show it"]
    assert content["verdicts"][2]["question"] == "Is this better?"
    assert content["verdicts"][2]["answers"] == ["dog", "cat"]
    out = tmp_path / "verdicts.jsonl"
    assert run("review", "merge", folder.path, sheet, "--to", out, "--agree", 1) == 0
    assert {"accepted", "rejected", "fixed"} == {json.loads(line)["verdict"] for line in out.read_text().splitlines()}


def test_progress_is_kept_in_the_browser(browser: Browser, page: Path) -> None:
    browser.open(page)
    for key in ("a", "r", "ArrowRight", "f"):
        browser.press(key)
    browser.type_into("#fixed", "Is this better?")
    browser.call("Page.navigate", url="about:blank")
    browser.open(page)
    assert text_of(browser, "#count") == "3 of 4, 3 done"
    assert browser.run("document.getElementById('fixed').value") == "Is this better?"


def test_the_index_tells_the_progress_by_test_and_page(browser: Browser, pages: Path) -> None:
    browser.open(pages)
    assert text_of(browser, "#count") == "0 of 60 done"
    browser.press("Enter")
    wait(browser, "document.querySelector('#item img')")
    assert text_of(browser, "#count") == "1 of 60, 0 done, page 1 of 3"
    for key in "aar":
        browser.press(key)
    browser.press("i")
    rows = browser.run("[...document.querySelectorAll('#index tbody tr')].map(row => row.innerText)")
    assert [row.split("\t")[-1] for row in rows] == [
        "3 of 30, 1 rejected", "0 of 30", "3 of 60, 1 rejected", "3 of 25, 1 rejected", "0 of 25", "0 of 10",
    ]  # fmt: skip


def test_items_go_on_from_page_to_page(browser: Browser, pages: Path) -> None:
    browser.open(pages)
    browser.run("location.hash = '#25'")
    wait(browser, "document.querySelector('#item img')")
    browser.press("a")
    wait(browser, "document.querySelector('#item img')")
    assert text_of(browser, "#count") == "26 of 60, 1 done, page 2 of 3"
    browser.press("n")
    assert text_of(browser, "#count") == "27 of 60, 1 done, page 2 of 3"


def test_pictures_are_loaded_when_they_are_looked_at(browser: Browser, pages: Path) -> None:
    browser.open(pages)
    browser.press("Enter")
    wait(browser, "[...document.images].length && [...document.images].every(i => i.complete && i.naturalWidth > 0)")
    urls = [e["params"]["request"]["url"] for e in browser.events if e["method"] == "Network.requestWillBeSent"]
    assert 1 <= sum("/pictures/" in url for url in urls) <= 4
    assert sum("/page-" in url for url in urls) == 1


def test_a_template_is_rejected_for_all_its_pairs_and_that_is_undone(
    browser: Browser, pages: Path, built: BuiltFolder, tmp_path: Path
) -> None:
    browser.open(pages)
    browser.press("Enter")
    wait(browser, "document.querySelector('#item img')")
    assert "Reject this template for all its 15 pairs: t" in text_of(browser, "#item")
    browser.press("a")
    browser.press("ArrowLeft")
    browser.press("q")
    assert "all its 15 pairs (15 items here, 1 of them with a different earlier verdict)" in text_of(browser, "#note")
    assert "15 done" in text_of(browser, "#count")
    assert text_of(browser, "#item .covered").startswith("Rejected with its template: t")
    browser.press("u")
    assert "1 done" in text_of(browser, "#count")
    assert browser.run("document.querySelector('[aria-pressed=true]').dataset.verdict") == "accepted"
    browser.press("q")
    browser.press("a")  # an exception
    browser.press("i")
    assert "15 pairs, 15 items here" in text_of(browser, "#index")
    sheet = save(browser, tmp_path, "Ann")
    content = json.loads(sheet.read_text())
    assert [cause["undone"] for cause in content["causes"]] == [False]
    assert len(content["verdicts"]) == 1
    out = tmp_path / "verdicts.jsonl"
    assert run("review", "merge", built.path, sheet, "--to", out, "--agree", 1) == 0
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert sorted(line["verdict"] for line in lines) == ["accepted", *["rejected"] * 14]
    assert sum("covered_by" in line for line in lines) == 14


def test_two_people_resume_elsewhere_and_are_merged(pages: Path, built: BuiltFolder, tmp_path: Path) -> None:
    sheets = {}
    for name, keys in (("Ann", "aaar"), ("Ben", "ara")):
        with open_browser(tmp_path, name) as browser:
            browser.open(pages)
            browser.press("Enter")
            wait(browser, "document.querySelector('#item img')")
            for key in keys:
                browser.press(key)
                if key == "r":
                    browser.press("ArrowRight")
            sheets[name] = save(browser, tmp_path, name)
            check_quiet(browser)
    with open_browser(tmp_path, "elsewhere") as browser:
        browser.open(pages)
        load(browser, sheets["Ann"])
        assert text_of(browser, "#note") == "Loaded 4 verdicts of Ann."
        assert browser.run("document.getElementById('annotator').value") == "Ann"
        browser.press("n")
        wait(browser, "document.querySelector('#item img')")
        assert text_of(browser, "#count") == "5 of 60, 4 done, page 1 of 3"
        browser.press("a")
        load(browser, sheets["Ben"])
        browser.press("i")
        heads = browser.run("[...document.querySelectorAll('#index th')].map(cell => cell.textContent)")
        assert heads[:3] == ["test", "Ann", "Ben"]
        sheets["Ann"].unlink()
        sheets["Ann"] = save(browser, tmp_path, "Ann")
        check_quiet(browser)
    out = tmp_path / "verdicts.jsonl"
    assert run("review", "merge", built.path, *sheets.values(), "--to", out) == 0
    counts = sorted(json.loads(line)["verdict"] for line in out.read_text().splitlines())
    assert counts == ["accepted", "accepted", "disputed"]


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "null",
        '{"diptych_review": 2, "mode": "judge", "verdicts": [1, null], "annotator": "x", "causes": 7}',
        '{"diptych_review": 2, "mode": "judge", "annotator": "x", "verdicts": [{"item": "__proto__", "verdict": "a"}]}',
    ],
)
def test_a_file_that_no_page_saved_is_refused(text: str, browser: Browser, pages: Path, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    browser.open(pages)
    load(browser, tmp_path / "x.json")
    assert text_of(browser, "#note").startswith(("x.json was not saved by", "x.json belongs to"))
    assert text_of(browser, "#count") == "0 of 60 done"


@pytest.mark.parametrize("place", ["folder", "page"])
def test_hostile_text_is_shown_as_text(place: str, browser: Browser, tmp_path: Path) -> None:
    pairs = [
        replace(pair, test=f"toy.{text}", template_id=text, original=replace(pair.original, question=text, answer=text))
        for pair, text in zip(some_pairs(len(HOSTILE)), HOSTILE, strict=True)
    ]
    pairs = [replace(pair, perturbed=replace(pair.original, answer=f"no {pair.original.answer}")) for pair in pairs]
    items = choose_items(pairs_table([*pairs, *(replace(p, source_id="2") for p in pairs)]).to_pylist(), CAUSES)
    title = "a <title> </script><b id=bad>"
    if place == "folder":
        write_folder(tmp_path / "p", title, items, PagePictures(), 3)
        browser.open(tmp_path / "p" / "index.html")
        assert all(item.test in text_of(browser, "#index") for item in items)
    else:
        from diptych.report.review import write_page

        write_page(tmp_path / "p.html", title, items, PagePictures())
        browser.open(tmp_path / "p.html")
    assert browser.run("document.title") == title
    for number, item in enumerate(items):
        browser.run(f"location.hash = '#{number + 1}'")
        wait(browser, f"document.getElementById('count').textContent.startsWith('{number + 1} of')")
        wait(browser, "document.querySelector('.question')")
        assert text_of(browser, ".question") == item.row["original_question"]
        assert item.causes["template"] in text_of(browser, "#item")
        browser.press("q")
    browser.type_into("#annotator", HOSTILE[0])
    browser.run("document.activeElement.blur()")
    browser.press("i")
    assert browser.run("window.bad") is None
    assert browser.run("document.getElementById('bad')") is None
    assert browser.run("document.querySelectorAll('main script, main img, main b, a[href^=javascript]').length") == 0


CAUSES = {"template": ("template_id",)}


def test_five_thousand_items_with_pictures_open(browser: Browser, tmp_path: Path) -> None:
    """How long that takes is what `benchmarks/bench_review.py` prints."""
    pairs = some_pairs(5000)
    (tmp_path / "images").mkdir()
    for number in range(0, 5000, 10):
        Image.new("RGB", (64, 48), (number % 251, number % 83, 99)).save(tmp_path / "images" / f"{number}.jpg")
    pictures = PagePictures(open_images(tmp_path / "images"))
    items = choose_items(pairs_table(pairs).to_pylist(), CAUSES)
    assert write_folder(tmp_path / "p", "t", items, pictures) == 25
    browser.open(tmp_path / "p" / "index.html")
    assert text_of(browser, "#count") == "0 of 5000 done"
    browser.run("location.hash = '#4001'")
    wait(browser, "document.querySelector('.question')")
    browser.press("a")
    assert text_of(browser, "#count") == "4002 of 5000, 1 done, page 21 of 25"


def test_the_gold_questions_of_a_task_must_be_right(
    browser: Browser, folder: BuiltFolder, world: Path, tmp_path: Path
) -> None:
    tasks = tmp_path / "tasks"
    args = ("--to", tasks, "--hits", "--gold", world, "--config", CONFIG)
    assert run("review", "export", folder.path, *args) == 0
    browser.open(tasks / "task-001.html")
    assert "ambiguous" in text_of(browser, "#item")
    browser.type_into("#annotator", "Ann")
    browser.run("task.ids.forEach(id => { me.own[id] = {answer: 'ambiguous'}; }); keep(); save()")
    assert "check this question again" in text_of(browser, "#note")
    assert browser.run("itemAt(me.at).gold !== undefined")
    browser.run(
        "loaded.get(0).filter(i => i.gold !== undefined).forEach(i => { me.own[i.id] = "
        "{answer: i.choices.find(c => hash(i.id + '|' + c) === i.gold)}; })"
    )
    browser.run("save()")
    sheet = wait_for_sheet(tmp_path)
    out = tmp_path / "human.jsonl"
    assert run("review", "merge", folder.path, sheet, "--to", out, "--hits", "--config", CONFIG) == 0
