"""The headline table: scores of the metrics, with baselines that are never best and numbers that papers print."""

from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

import diptych
from diptych.metrics import BASELINES
from diptych.report import ReportPart, compare_parts
from diptych.report._headlines import headline_rows, make_test_table, printed_scores
from diptych.report._parts import BASELINE, MODEL
from tests.report.conftest import Guesser


@pytest.fixture(scope="module")
def parts(datasets: dict[str, Path], predictions: list[Path]) -> list[ReportPart]:
    return compare_parts(list(datasets.values()), predictions)


def test_models_come_before_baselines(parts: list[ReportPart]) -> None:
    rows = headline_rows(parts)
    assert [row.name for row in rows if row.role == MODEL] == ["large", "small"]
    assert {row.name for row in rows if row.role == BASELINE} == set(BASELINES)


def test_values_and_intervals_are_those_of_the_scores(parts: list[ReportPart]) -> None:
    row = next(row for row in headline_rows(parts) if row.name == "large")
    for part, cell in zip(parts, row.cells, strict=True):
        score = part.comparison.reports["large"].scores[part.headline.score]
        assert cell is not None
        interval = score.bootstrap if score.bootstrap[0] < score.bootstrap[1] else score.wilson
        assert (cell.value, cell.low, cell.high) == (score.value, *interval)


def test_only_a_model_is_best(parts: list[ReportPart]) -> None:
    best = [row for row in headline_rows(parts[1:]) if (cell := row.cells[0]) and cell.is_best]
    assert [row.role for row in best] == [MODEL]


def test_one_model_alone_is_not_best(parts: list[ReportPart]) -> None:
    (part, *_) = parts
    files = {name: file for name, file in part.files.items() if name != "small"}
    reports = {name: report for name, report in part.comparison.reports.items() if name != "small"}
    tables = tuple(
        replace(table, rows=tuple(row for row in table.rows if row.names[0] != "small"))
        for table in part.comparison.tables
    )
    alone = replace(part, files=files, comparison=replace(part.comparison, reports=reports, tables=tables))
    assert not any(cell.is_best for row in headline_rows([alone]) for cell in row.cells if cell)


def test_a_repetition_measures_the_noise_floor(
    datasets: dict[str, Path], predictions: list[Path], world: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again.jsonl"
    diptych.predict(datasets["carets"], Guesser("large", 0.95), again, images=world / "images", arm="repeat")
    (part,) = compare_parts([datasets["carets"]], [again, *predictions[3:]], bootstrap=0)
    assert list(part.files) == ["large", "small", "majority"]
    cells = {row.name: row.cells[0] for row in headline_rows([part])}
    assert cells["large"] is not None
    assert (cells["large"].floor, cells["small"] and cells["small"].floor) == ("0.0", "")  # it answers alike each time


def test_the_lowest_test_of_a_model_is_marked(parts: list[ReportPart]) -> None:
    table = make_test_table(parts[1])
    for number, lowest in enumerate(table.lowest):
        values = {row.name: row.cells[number].value for row in table.rows if not isnan(row.cells[number].value)}
        assert values[lowest] == min(values.values())


def test_numbers_of_the_paper_are_as_printed(parts: list[ReportPart]) -> None:
    table = make_test_table(parts[1])
    negation = next(row for row in table.rows if row.name == "carets.negation")
    assert table.citation == "Jimenez et al. 2022"
    assert ("LXMERT", "17.0") in negation.printed
    assert dict(printed_scores(parts[1], "carets.negation"))["Human"] == pytest.approx(0.745)
