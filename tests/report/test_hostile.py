"""Hostile text in everything that a report shows: it is text, and does nothing."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import diptych
from diptych.pairs import Pair, Side
from diptych.report._columns import visible
from tests.folders import make_folder, make_pair
from tests.report.browser import ReportBrowser

TEXTS = (
    "<script>document.title = 'broken'</script>",
    "</script><script>document.title = 'broken'</script>",
    '"><img src=x onerror="document.title = 1">',
    "<svg/onload=alert(1)>",
    "javascript:alert(1)",
    "[click](javascript:alert(1)) ![picture](https://example.com/x.png)",
    "{{ 7 * 7 }} {% raw %} ${7 * 7}",
    "abc\u202egnp.exe \u2066x\u2069 \u200f\u200b\ufeff",
    "'\"`\\ \0 \x1b[31m \x7f \u2028",
    "x" * 5000,
    "مرحبا שלום 😀 é",
    "__proto__",
)


def hostile_pairs() -> Iterator[Pair]:
    for number, text in enumerate(TEXTS):
        storable = text.replace("\0", "")
        pair = make_pair(number)
        yield replace(
            pair,
            original=Side(
                storable, f"What is {storable}?", storable, (storable,) * 10, image_file=f"{storable[:80]}.jpg"
            ),
            perturbed=Side(storable, f"Is it {storable}?", "yes"),
            question_type=storable,
            source_id=storable,
            template_id=storable,
            template_hash=storable,
            bindings={storable: storable, "fact": [storable, storable, storable], "things": [storable], "objects": []},
        )


@pytest.fixture(scope="module")
def hostile_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hostile")
    pairs = list(hostile_pairs())
    folder = make_folder(root / "built", pairs)
    files = []
    for number, text in enumerate(("<img src=x onerror=alert(1)>", "\u202emodel", "a=b & \"c\" 'd' <!--")):
        path = root / f"{number}.jsonl"
        rows = [{"pair_id": pair.pair_id, "original": pair.original.question, "perturbed": text} for pair in pairs]
        header = {"diptych": "predictions", "model": text, "dataset": "rad-cads"}
        path.write_text("".join(json.dumps(row) + "\n" for row in (header, *rows)), encoding="utf-8")
        files.append(path)
    title = "<script>document.title = 'broken'</script>"
    return diptych.write_report(folder.path, files, root / "report", title=title).page


def test_the_source_holds_no_stranger(hostile_report: Path) -> None:
    page = hostile_report.read_text(encoding="utf-8")
    assert page.count("<script") == 3
    assert "<img" not in page
    assert "\u202e" not in page
    assert "</title>" in page.partition("<link")[0]


def test_the_readme_is_front_matter_and_text(hostile_report: Path) -> None:
    import yaml

    text = (hostile_report.parent / "README.md").read_text(encoding="utf-8")
    header = yaml.safe_load(text.split("---\n")[1])
    assert header["title"] == "<script>document.title = 'broken'</script>"
    assert "# <script>" not in text


@pytest.mark.slow
def test_nothing_of_it_runs(browser: ReportBrowser, hostile_report: Path, shots: Path) -> None:
    browser.messages.clear()
    browser.show(hostile_report, "#pairs")
    browser.run("document.getElementById('list').focus()")
    for _ in TEXTS:
        browser.press("ArrowDown")
    browser.screenshot(shots / "report-hostile.png")
    strangers = "main script, main iframe, main object, [onerror], [onload], a[href^=javascript], img:not([loading])"
    assert browser.run(f"document.querySelectorAll({json.dumps(strangers)}).length") == 0
    assert browser.run("document.scripts.length") <= 3
    assert not browser.run(r"/[\u202a-\u202e\u2066-\u2069]/.test(document.body.textContent)")
    assert browser.text("title") == "<script>document.title = 'broken'</script>"
    assert browser.outside_requests() == []
    assert browser.problems() == []
    assert browser.overflow() == 0


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_every_text_is_shown_as_it_is(browser: ReportBrowser, hostile_report: Path, number: int) -> None:
    pair = list(hostile_pairs())[number]
    browser.show(hostile_report, f"#pairs?pair={pair.pair_id}", width=390)
    browser.click(".item[aria-selected=true]")
    assert browser.text("#pair .question") == visible(" ".join(pair.original.question.split()))
    assert browser.overflow() == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "link",
    [
        "#pairs?pair=<script>",
        "#pairs?q=%E0%A4%A",
        "#pairs?test=__proto__&model=constructor&outcome=a,b&column=__proto__&value=x",
        "#<img src=x>",
    ],
)
def test_a_hostile_link_does_nothing(browser: ReportBrowser, hostile_report: Path, link: str) -> None:
    browser.messages.clear()
    browser.show(hostile_report, link)
    assert browser.problems() == []
    assert "of 12 pairs" in browser.text("#count")
