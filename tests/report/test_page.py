"""The report in a real browser, from a file, with no server."""

import json
from pathlib import Path

import pytest

import diptych
from diptych.metrics import OUTCOMES, classify_pairs
from diptych.publishing import read_errata
from diptych.report import ReportPart, compare_parts
from tests.commands import run
from tests.report.browser import ReportBrowser

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def parts(datasets: dict[str, Path], predictions: list[Path]) -> dict[str, ReportPart]:
    compared = compare_parts(list(datasets.values()), predictions, bootstrap=0)
    return {part.name: part for part in compared}


def count(browser: ReportBrowser) -> int:
    return int(browser.text("#count").split()[0].replace(",", ""))


def outcomes(part: ReportPart, model: str) -> list[str]:
    names = list(OUTCOMES)
    return [names[code] for code in classify_pairs(part.comparison.reports[model].model)[0]]


LOOKS = {
    "light": {},
    "dark": {"dark": True},
    "phone": {"width": 390, "height": 844},
    "phone-dark": {"width": 390, "height": 844, "dark": True},
}


@pytest.mark.parametrize("look", LOOKS)
def test_it_looks_and_reads_well(browser: ReportBrowser, report: Path, shots: Path, look: str) -> None:
    for place in ("", "#charts", "#pairs?test=carets.negation&model=small"):
        browser.messages.clear()
        browser.show(report, place, **LOOKS[look])  # type: ignore[arg-type]
        browser.screenshot(shots / f"report-{look}-{place.strip('#').partition('?')[0] or 'top'}.png")
        assert browser.overflow() == 0
        assert browser.axe() == []
        assert browser.problems() == []
        assert browser.outside_requests() == []


@pytest.mark.parametrize("width", [320, 600, 861, 1024, 1920])
def test_no_width_makes_it_scroll_sideways(browser: ReportBrowser, report: Path, width: int) -> None:
    browser.show(report, "#pairs", width=width)
    assert browser.overflow() == 0


def test_every_pair_is_there(browser: ReportBrowser, report: Path, parts: dict[str, ReportPart]) -> None:
    browser.show(report)
    assert count(browser) == sum(len(part.references) for part in parts.values())


@pytest.mark.parametrize("outcome", ["both_right", "right_to_wrong", "wrong_to_right", "both_wrong", "unread"])
def test_an_outcome_is_filtered(
    browser: ReportBrowser, report: Path, parts: dict[str, ReportPart], outcome: str
) -> None:
    browser.show(report, f"#pairs?dataset=carets&model=small&outcome={outcome}")
    assert count(browser) == outcomes(parts["carets"], "small").count(outcome) > 0


def test_outcomes_are_joined(browser: ReportBrowser, report: Path, parts: dict[str, ReportPart]) -> None:
    browser.show(report, "#pairs?dataset=carets&model=small")
    browser.click("[data-code=unread]")
    browser.click("[data-code=both_wrong]")
    of_model = outcomes(parts["carets"], "small")
    assert count(browser) == of_model.count("unread") + of_model.count("both_wrong")
    assert browser.hash()["outcome"] == "unread,both_wrong"


def test_answers_that_should_have_changed_are_filtered(
    browser: ReportBrowser, report: Path, parts: dict[str, ReportPart]
) -> None:
    browser.show(report, "#pairs?dataset=carets&model=small&outcome=kept")
    assert count(browser) == int(classify_pairs(parts["carets"].comparison.reports["small"].model)[1].sum()) > 0


def test_two_models_are_compared(browser: ReportBrowser, report: Path, parts: dict[str, ReportPart]) -> None:
    browser.show(report, "#pairs?dataset=carets&model=large")
    browser.select("versus", "small")
    browser.click("[data-code=only_first]")
    both = zip(outcomes(parts["carets"], "large"), outcomes(parts["carets"], "small"), strict=True)
    assert count(browser) == sum(first == "both_right" != second for first, second in both) > 0


def test_tests_and_question_types_are_chosen(
    browser: ReportBrowser, report: Path, parts: dict[str, ReportPart]
) -> None:
    rows = parts["carets"].references.table.select(["test", "question_type"]).to_pylist()
    browser.show(report, "#pairs")
    browser.select("test", "carets.negation")
    assert count(browser) == sum(row["test"] == "carets.negation" for row in rows) > 0
    browser.select("type", "object")
    assert count(browser) == rows.count({"test": "carets.negation", "question_type": "object"}) > 0
    assert browser.hash()["test"] == "carets.negation"


def test_words_are_searched(browser: ReportBrowser, report: Path, parts: dict[str, ReportPart]) -> None:
    pair_id = parts["carets"].references.table["pair_id"][3].as_py()
    browser.show(report)
    browser.type_into("#q", pair_id)
    browser.wait("document.getElementById('count').textContent.startsWith('1 of')")
    browser.type_into("#q", "Well, it depends")
    browser.wait("!document.getElementById('count').textContent.startsWith('1 of')")
    assert count(browser) > 1
    browser.type_into("#q", "no such words")
    browser.wait("document.getElementById('count').textContent.startsWith('0 of')")
    assert "No pair matches" in browser.text("#pair")
    browser.click("#clear")
    assert count(browser) > 1


def test_a_column_is_filtered_by_a_link(browser: ReportBrowser, report: Path, parts: dict[str, ReportPart]) -> None:
    operations = parts["carets"].references.table["operation"].to_pylist()
    browser.show(report, "#pairs?column=operation&value=mask")
    assert count(browser) == operations.count("mask") > 0
    browser.click("[data-code=column]")
    assert count(browser) > len(operations)


def test_a_score_leads_to_the_pairs_that_lower_it(browser: ReportBrowser, report: Path) -> None:
    browser.show(report)
    browser.click(".tests .lowest a")
    browser.wait("location.hash.startsWith('#pairs?')")
    fields = browser.hash()
    assert {"dataset", "test", "model", "outcome"} <= set(fields)
    assert count(browser) > 0


def test_a_mark_of_a_chart_leads_to_its_pairs(browser: ReportBrowser, report: Path) -> None:
    browser.show(report)
    links = browser.run("[...document.querySelectorAll('.chart a')].map(a => a.getAttribute('href'))")
    assert links
    browser.show(report, links[0])
    assert browser.hash()["dataset"] in ("rad-cads", "carets")
    assert browser.problems() == []


def test_a_pair_has_a_permanent_link(browser: ReportBrowser, report: Path, parts: dict[str, ReportPart]) -> None:
    row = parts["carets"].references.table.slice(7, 1).to_pylist()[0]
    browser.show(report, f"#pairs?pair={row['pair_id']}&test=carets.antonym")
    assert row["pair_id"] in browser.text("#pair")
    assert row["original_question"] in browser.text("#pair .question")


def test_the_list_is_moved_through_by_keys(browser: ReportBrowser, report: Path) -> None:
    browser.show(report, "#pairs?dataset=carets")
    first = browser.hash()["pair"]
    browser.run("document.activeElement.blur()")
    browser.press("j")
    second = browser.hash()["pair"]
    assert second != first
    browser.press("k")
    assert browser.hash()["pair"] == first
    browser.run("document.getElementById('list').focus()")
    browser.press("ArrowDown")
    assert browser.hash()["pair"] == second
    browser.press("End")
    last = browser.hash()["pair"]
    browser.press("Home")
    assert (browser.hash()["pair"], last != first) == (first, True)
    browser.press("/")
    assert browser.run("document.activeElement.id") == "q"
    browser.press("Escape")
    assert browser.run("document.activeElement.id") == "list"


def test_keys_can_be_switched_off_for_good(browser: ReportBrowser, report: Path) -> None:
    browser.show(report, "#pairs?dataset=carets")
    browser.click("#keys")
    browser.show(report, "#pairs?dataset=carets")
    first = browser.hash()["pair"]
    browser.run("document.getElementById('list').focus()")
    browser.press("j")
    assert browser.hash()["pair"] == first
    browser.press("ArrowDown")
    assert browser.hash()["pair"] != first
    browser.click("#keys")


def test_only_what_is_on_the_screen_exists(browser: ReportBrowser, report: Path) -> None:
    browser.show(report, "#pairs")
    assert 5 < browser.run("document.querySelectorAll('.item').length") < 40


MARKS = """(() => {
    const [before, after] = markWords(BEFORE, AFTER).map(parts => h('p', null, parts));
    return [before.textContent, after.textContent, before.querySelector('del')?.textContent,
        after.querySelector('ins')?.textContent];
})()"""


@pytest.mark.parametrize(
    ("before", "after", "marks"),
    [
        ("Is there a dog?", "Is there no dog?", ["a", "no"]),
        ("Is the dog red?", "Is the dog?", ["red", None]),
        ("Is there a red dog here?", "Is there a small cat here?", ["red dog", "small cat"]),
        ("What color is it?", "Do two men walk here?", [None, None]),  # under a third is common
        ("Is it red?", "Is it red?", [None, None]),
    ],
)
def test_what_differs_between_questions_is_marked(
    browser: ReportBrowser, report: Path, before: str, after: str, marks: list[str | None]
) -> None:
    browser.show(report)
    script = MARKS.replace("BEFORE", json.dumps(before)).replace("AFTER", json.dumps(after))
    assert browser.run(script) == [before, after, *marks]


def test_replies_show_how_they_were_read(browser: ReportBrowser, report: Path) -> None:
    browser.show(report, "#pairs?model=small&outcome=unread")
    said = browser.text(".replies .now")
    assert "not readable" in said
    browser.show(report, "#pairs?model=large&outcome=both_right")
    assert "✓ right" in browser.text(".replies .now")


def test_a_graph_says_why_a_pair_is_so(browser: ReportBrowser, report: Path) -> None:
    browser.show(report, "#pairs?test=carets.negation&outcome=both_right,both_wrong,right_to_wrong")
    assert browser.run("document.querySelectorAll('.graph .node').length") > 1
    assert browser.run("document.querySelector('.graph').getAttribute('aria-label').length") > 5


def test_pictures_are_shown_with_their_boxes(browser: ReportBrowser, report: Path) -> None:
    browser.show(report, "#pairs?test=carets.visual")
    assert browser.run("document.querySelectorAll('.picture image').length") == 2
    assert browser.run("document.querySelectorAll('.picture .box').length") > 0
    browser.wait("[...document.querySelectorAll('.item img')].filter(i => i.complete).every(i => i.naturalWidth > 0)")


def test_a_copied_erratum_leaves_its_pair_out(
    browser: ReportBrowser, report: Path, datasets: dict[str, Path], predictions: list[Path]
) -> None:
    folder = diptych.open_folder(datasets["carets"])
    before = diptych.score(folder.path, predictions[3], bootstrap=0)
    browser.show(report, "#pairs?dataset=carets&model=small&outcome=right_to_wrong")
    browser.run("[...document.querySelectorAll('#pair button')].at(-1).click()")
    browser.type_into("#reason", 'the "dog" is no dog')
    line = browser.text("#line")
    browser.click("#erratum .primary")
    browser.wait("document.getElementById('toast').textContent")
    assert browser.text("#toast") == "Erratum copied"
    errata = folder.path / "errata.jsonl"
    try:
        errata.write_text(line + "\n", encoding="utf-8")
        (erratum,) = read_errata(folder)
        assert erratum == (browser.hash()["pair"], 'the "dog" is no dog', folder.manifest.version)
        after = diptych.score(folder.path, predictions[3], bootstrap=0, without_errata=True)
        assert (after.left_out, after.coverage.scored) == (1, before.coverage.scored - 1)
        assert run("score", folder.path, predictions[3], "--without-errata", "--bootstrap", 0) == 0
    finally:
        errata.unlink(missing_ok=True)


def test_the_theme_is_kept(browser: ReportBrowser, report: Path) -> None:
    browser.show(report)
    light = browser.run("getComputedStyle(document.body).backgroundColor")
    browser.click("#theme")
    browser.show(report)
    assert browser.run("getComputedStyle(document.body).backgroundColor") != light
    browser.click("#theme")


def test_on_a_phone_a_pair_covers_the_list(browser: ReportBrowser, report: Path, shots: Path) -> None:
    browser.show(report, "#pairs", width=390, height=844)
    assert browser.run("getComputedStyle(document.getElementById('pair')).display") == "none"
    browser.click(".item")
    assert browser.run("getComputedStyle(document.getElementById('pair')).display") == "block"
    browser.screenshot(shots / "report-phone-pair.png")
    assert (browser.axe(), browser.overflow()) == ([], 0)
    browser.press("Escape")
    assert browser.run("getComputedStyle(document.getElementById('pair')).display") == "none"


def test_an_older_browser_unpacks_too(browser: ReportBrowser, report: Path) -> None:
    script = browser.call("Page.addScriptToEvaluateOnNewDocument", source="delete Uint8Array.fromBase64")
    try:
        browser.show(report)
        assert count(browser) > 0
    finally:
        browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])
