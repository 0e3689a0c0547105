"""The charts of a report: their numbers are those of the scores, and what has no number is left out with a note."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from math import isnan
from pathlib import Path
from xml.etree import ElementTree

import pytest

from diptych.folder import BuiltFolder
from diptych.metrics import compare_models
from diptych.metrics._floor import measure_floor
from diptych.metrics._paper_tables import make_tables
from diptych.metrics._rendering import score_cell
from diptych.metrics.paired_vqa.summary import model_rules
from diptych.report import Chart, PairFilter, chart_style, report_charts
from diptych.report._chart_data import gather_data
from diptych.report._drawing import draw_panel
from diptych.report._marks import BASELINE, MODEL, PAPER, Mark, Series
from tests.report.scored import Scored, pairs, predictions, score, two_models

HOSTILE = """<script>alert(1)</script>"'&$x_1$ [a](javascript:alert(2)) \u202egnp.exe"""


def marks(chart: Chart, panel: int, name: str) -> tuple[Mark, ...]:
    return next(series.marks for series in chart.plot.panels[panel].series if series.name == name)


def of_role(chart: Chart, role: str) -> list[Series]:
    return [series for panel in chart.plot.panels for series in panel.series if series.role == role]


def parse(chart: Chart) -> ElementTree.Element:
    """The page's part of a chart, which is also well-formed XML."""
    return ElementTree.fromstring(chart.svg(link))


def link(pairs: PairFilter) -> str:
    return f"#{pairs.dataset}&{pairs.test}&{pairs.model}&{pairs.outcome}"


@pytest.fixture(scope="module")
def rad(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    return score(tmp_path_factory.mktemp("rad"), "rad")


@pytest.fixture(scope="module")
def carets(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    return score(tmp_path_factory.mktemp("carets"), "carets")


def test_rad_is_drawn_against_the_accuracy_of_all_pairs(rad: Scored) -> None:
    for name, report in rad.comparison.reports.items():
        (mark,) = marks(rad["rad"], 0, name)
        accuracy, score = report.scores["accuracy_original"], report.scores["rad_forward"]
        assert (mark.x, mark.y, mark.n) == (accuracy.value, score.value, accuracy.n)
        assert mark.x_interval == score_cell("accuracy_original", accuracy).interval
        assert mark.y_interval == score_cell("rad_forward", score).interval


def test_rad_is_drawn_for_every_test(rad: Scored) -> None:
    groups = rad.comparison.reports["poor"].model.groups["test"]
    panels = rad["rad"].plot.panels
    assert [panel.title for panel in panels] == ["all tests", "Y/N←C", "Y/N←HM"]
    for number, test in enumerate(("rad.yn_from_color", "rad.yn_from_how_many"), start=1):
        (mark,) = marks(rad["rad"], number, "poor")
        assert (mark.x, mark.y) == (groups[test]["accuracy_original"].value, groups[test]["rad_forward"].value)
        assert mark.pairs == PairFilter("tiny", "default", "test", test, "poor", "right_to_wrong")


def test_accuracy_and_comprehensive_accuracy_are_those_of_the_tests(carets: Scored) -> None:
    groups = carets.comparison.reports["poor"].model.groups["test"]
    for number, test in enumerate(("carets.rephrase", "carets.negation")):
        accuracy, both = marks(carets["gap"], number, "poor")
        assert accuracy.x == groups[test]["accuracy"].value
        assert both.x == groups[test]["comprehensive_accuracy"].value
        series = carets["gap"].plot.panels[number].series[1]
        assert float(series.text.replace("−", "-")) == pytest.approx(100 * (both.x - accuracy.x), abs=0.051)


def test_baselines_have_their_own_scores_with_intervals(carets: Scored) -> None:
    series = of_role(carets["gap"], BASELINE)[0]
    assert series.name == "always-yes"
    assert series.marks[0].x == 0.5
    assert not isnan(series.marks[0].x_interval[0])


def test_coverage_is_that_of_the_table(carets: Scored) -> None:
    reports = carets.comparison.reports
    models = {name: report.model for name, report in reports.items()}
    tables = make_tables(models, reports["good"].options, ["coverage"])
    for panel, table in zip(carets["coverage"].plot.panels, tables, strict=True):
        cells = [cell for row in table.rows for cell in row.cells if cell]
        assert [(mark.y, mark.y_interval) for mark in panel.marks()] == [(cell.value, cell.interval) for cell in cells]
        assert not any(isnan(mark.y_interval[0]) for mark in panel.marks())


def test_noise_is_drawn_by_partition_with_r_score(tmp_path: Path) -> None:
    scored = score(tmp_path, "bqd")
    model = scored.comparison.reports["poor"].model
    series = next(series for series in scored["noise"].plot.panels[0].series if series.name == "poor")
    by_partition = model.groups["partition"]
    values = [by_partition["1"]["accuracy_original"], *(by_partition[part]["accuracy_perturbed"] for part in "123")]
    assert [mark.y for mark in series.marks] == [score.value for score in values]
    r_score = by_partition["1"]["r_score"]
    assert series.text == f"{r_score.value:.2f}"
    assert series.detail == f"{r_score.value:.3f} [{r_score.bootstrap[0]:.3f}, {r_score.bootstrap[1]:.3f}] of 40"
    assert series.detail in {row[-1] for row in scored["noise"].table.rows}


def test_rarity_is_of_adversarial_pairs_in_the_order_of_counts(tmp_path: Path) -> None:
    scored = score(tmp_path, "fvqa2")
    chart = scored["rarity"]
    assert [text for _, text in chart.plot.x.ticks] == ["0", "3-9", "10-49"]
    outcome = scored.comparison.reports["poor"].model.outcome
    rows = [number for number, row in enumerate(pairs("fvqa2")) if row["answer_in_train"] == "0" and number % 2]
    assert marks(chart, 0, "poor")[0].y == pytest.approx(outcome.perturbed.right[rows].mean())
    assert marks(chart, 0, "poor")[0].n == len(rows)


def test_counterfactuals_are_those_of_the_papers_tables(tmp_path: Path) -> None:
    scored = score(tmp_path, "kb")
    for name, headers in {"colors": 3, "words": 2}.items():
        table = next(table for table in scored.comparison.tables if table.name == name)
        cells = {row.names: [cell.value for cell in row.cells[:headers] if cell] for row in table.rows}
        for panel in scored[name].plot.panels:
            for series in panel.series:
                assert [mark.x for mark in series.marks] == cells[panel.title, series.name]


def test_rules_are_those_that_were_mined(tmp_path: Path) -> None:
    scored = score(tmp_path, "kb")
    model = scored.comparison.reports["poor"].model
    rules = model_rules(model.references, model.outcome)
    series = scored["rules"].plot.panels[1].series
    assert [entry.marks[1].x for entry in series] == [rule.rate for rule in rules[: len(series)]]
    assert [row[1] for row in scored["rules"].table.rows if row[0] == "poor"] == [rule.sentence() for rule in rules]


def test_the_noise_floor_stands_beside_the_score(rad: Scored) -> None:
    rows = pairs("rad")
    report = rad.comparison.reports["good"]
    floor = measure_floor(report.model.references, predictions(rows, 7), predictions(rows, 5), report.options)
    reports = {"good": replace(report, floor=floor)}
    chart = next(
        chart
        for chart in report_charts(rad.folder, replace(rad.comparison, reports=reports, tables=()))
        if chart.key.endswith("/floor")
    )
    number = [panel.title for panel in chart.plot.panels].index("rad forward")
    twice, once = marks(chart, number, "good")
    entry = floor.overall["rad_forward"]
    assert once.x == entry.score.value
    assert twice.x == pytest.approx(entry.score.value + entry.above)
    assert twice.x_interval[0] <= twice.x <= twice.x_interval[1]


def test_calibration_is_drawn_where_there_are_log_probabilities(tmp_path: Path) -> None:
    rows = pairs("rad")
    by_side = [
        {"pair_id": answer["pair_id"], "side": side, "answer": answer[side], "logprob": -0.1}
        for answer in predictions(rows, 7)
        for side in ("original", "perturbed")
    ]
    scored = score(tmp_path, "rad", {"sure": by_side, "silent": predictions(rows, 3)}, rows)
    chart = scored["calibration"]
    assert [series.name for series in chart.plot.panels[0].series] == ["sure"]
    outcome = scored.comparison.reports["sure"].model.outcome
    (mark,) = marks(chart, 0, "sure")
    assert mark.y == pytest.approx((outcome.original.right.mean() + outcome.perturbed.right.mean()) / 2)
    assert chart.plot.panels[0].series[0].text == f"{100 * abs(mark.x - mark.y):.1f}"


@pytest.mark.parametrize(("family", "names"), {
    "rad": {"rad"},
    "carets": {"gap", "coverage"},
    "bqd": {"noise"},
    "kb": {"colors", "words", "rules"},
    "fvqa2": {"rad", "rarity"},
    "all": {"rad", "gap", "coverage", "rarity"},
}.items())  # fmt: skip
def test_the_family_of_scores_decides_which_charts_there_are(tmp_path: Path, family: str, names: set[str]) -> None:
    rows = pairs("fvqa2" if family == "all" else family)
    assert set(score(tmp_path, family, rows=rows).charts) - {"rules"} == names - {"rules"}


def test_an_undefined_score_is_left_out_with_a_note(tmp_path: Path) -> None:
    rows = pairs("rad")
    wrong = [{"pair_id": row["pair_id"], "original": "purple", "perturbed": "purple"} for row in rows]
    chart = score(tmp_path, "rad", two_models(rows) | {"lost": wrong}, rows)["rad"]
    assert isnan(marks(chart, 0, "lost")[0].y)
    assert "lost</text>" not in chart.svg()
    assert any("rad_forward of lost (all tests, Y/N←C, Y/N←HM)" in note for note in chart.notes)
    assert ("all tests", "lost", "0.0 [0.0, 3.1]", "–", "120") in chart.table.rows


def test_there_is_no_chart_where_no_model_has_a_score(tmp_path: Path) -> None:
    rows = pairs("rad")
    wrong = [{"pair_id": row["pair_id"], "original": "purple", "perturbed": "purple"} for row in rows]
    folder = score(tmp_path, "rad", {"lost": wrong}, rows).folder
    comparison = compare_models(folder, {"lost": wrong}, bootstrap=0)
    assert report_charts(folder, comparison, baselines=()) == ()


def test_there_is_no_chart_without_models_or_pairs(rad: Scored) -> None:
    report = rad.comparison.reports["good"]
    none = replace(report, coverage=replace(report.coverage, scored=0))
    assert report_charts(rad.folder, replace(rad.comparison, reports={}, tables=())) == ()
    assert report_charts(rad.folder, replace(rad.comparison, reports={"good": none}, tables=())) == ()


def test_one_model_has_charts_but_no_coverage(tmp_path: Path) -> None:
    rows = pairs("carets")
    scored = score(tmp_path, "carets", {"alone": predictions(rows, 3)}, rows)
    assert set(scored.charts) == {"gap"}
    assert {series.name for series in of_role(scored["gap"], MODEL)} == {"alone"}
    parse(scored["gap"])


def test_many_models_have_names_that_do_not_touch(tmp_path: Path) -> None:
    rows = pairs("rad")
    models = {f"model {number}": predictions(rows, 3 + number) for number in range(9)}
    panel = score(tmp_path, "rad", models, rows)["rad"].svgs()[0]
    heights = sorted(float(y) for y in re.findall(r'<text class="who start" x="[\d.]+" y="([\d.]+)">model', panel))
    assert len(heights) == 9
    assert all(below - above >= 15.9 for above, below in pairwise(heights))


def test_intervals_are_drawn_for_every_mark_of_a_model(rad: Scored, carets: Scored) -> None:
    for chart in (*rad.charts.values(), *carets.charts.values()):
        for mark in (mark for series in of_role(chart, MODEL) for mark in series.marks):
            bounds = mark.y_interval if isnan(mark.x_interval[0]) else mark.x_interval
            assert not isnan(bounds[0]), (chart.key, mark)


class _Tags(HTMLParser):
    """The tags and attributes of a page's part."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    handle_startendtag = handle_starttag


@pytest.mark.parametrize("family", ["rad", "carets", "bqd", "kb", "fvqa2"])
def test_hostile_names_are_shown_as_text(tmp_path: Path, family: str) -> None:
    rows = pairs(family)
    scored = score(tmp_path, family, {HOSTILE: predictions(rows, 3), "plain": predictions(rows, 7)}, rows)
    for chart in scored.charts.values():
        page = chart.svg(lambda pairs: f"#{pairs.model}")
        tags = _Tags(page).tags
        drawn = {"div", "p", "span", "svg", "g", "a", "text", "title", "path", "polyline", "rect"}
        assert {tag for tag, _ in tags} <= drawn
        assert not any(name.startswith("on") for _, attributes in tags for name in attributes)
        assert all((attributes.get("href") or "#").startswith("#") for _, attributes in tags)
        assert "\u202e" not in page
        assert "&lt;script&gt;" in page
        ElementTree.fromstring(page)


def test_a_mark_leads_to_its_pairs(rad: Scored) -> None:
    links = {anchor.get("href") for anchor in parse(rad["rad"]).iter("a")}
    assert "#tiny&rad.yn_from_color&poor&right_to_wrong" in links


def test_a_chart_without_links_is_an_image_with_a_name(rad: Scored) -> None:
    images = list(ElementTree.fromstring(rad["rad"].svg()).iter("svg"))
    names = [image.get("aria-label") for image in images if image.get("role") == "img"]
    assert names[:2] == ["RAD against accuracy: all tests", "RAD against accuracy: Y/N←C"]


def test_the_table_has_every_number_of_the_chart(rad: Scored) -> None:
    table = rad["rad"].table
    assert table.headers == ("test", "model", "accuracy on the original, %", "RAD, %", "n")
    series = [entry for panel in rad["rad"].plot.panels for entry in panel.series]
    assert len(table.rows) == len(series)
    (mark,) = marks(rad["rad"], 0, "good")
    assert table.rows[0][2].startswith(f"{100 * mark.x:.1f} [")


def test_nothing_is_drawn_outside_of_the_panel(rad: Scored, carets: Scored) -> None:
    for chart in (*rad.charts.values(), *carets.charts.values()):
        for panel, svg in zip(chart.plot.panels, chart.svgs(), strict=True):
            places = [(float(x), float(y)) for x, y in re.findall(r' x="(-?[\d.]+)" y="(-?[\d.]+)"', svg)]
            places += [(float(x), float(y)) for x, y in re.findall(r"translate\((-?[\d.]+),(-?[\d.]+)\)", svg)]
            height = draw_panel(chart.plot, panel).height
            assert places
            assert all(0 <= x <= 380 and 0 <= y <= height for x, y in places), (chart.key, panel.title)


def test_every_class_of_a_chart_has_a_style(rad: Scored, carets: Scored) -> None:
    style = chart_style()
    pages = "".join(chart.svg() for chart in (*rad.charts.values(), *carets.charts.values()))
    classes = {name for text in re.findall(r'class="([^"]+)"', pages) for name in text.split()}
    unstyled = {name for name in classes if f".{name}" not in style}
    assert unstyled <= {"soft", "start", "scatter", "lines", "matrix"}


def test_the_papers_own_numbers_stand_beside_those_of_the_models(tmp_path: Path) -> None:
    rows = pairs("rad")
    scored = score(tmp_path, "rad", rows=rows, dataset="rad-cads")
    folder: BuiltFolder = scored.folder
    assert gather_data(folder, scored.comparison, None, ()).printed == ()  # the config is none of the paper's
    scored = _score_config(tmp_path, rows, "vqa_v2")
    series = {entry.name: entry for entry in scored["rad"].plot.panels[1].series if entry.role == PAPER}
    assert set(series) == {"BUTD", "BAN", "Pythia", "VisualBERT"}
    assert (series["BAN"].marks[0].x, series["BAN"].marks[0].y) == pytest.approx((0.8072, 0.744))
    assert any("Tables 2, 3 of Rosenberg et al. 2021" in note for note in scored["rad"].notes)
    assert any(row[1] == "BAN (paper)" for row in scored["rad"].table.rows)


def _score_config(path: Path, rows: list[dict[str, object]], config: str) -> Scored:
    from tests.metrics.folders import make_folder

    folder = make_folder(path / config, {config: {"test": rows}}, score_family="rad", dataset="rad-cads")
    comparison = compare_models(folder, two_models(rows), bootstrap=50)
    charts = report_charts(folder, comparison)
    return Scored(folder, comparison, {chart.key.rpartition("/")[2]: chart for chart in charts})
