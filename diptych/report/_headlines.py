"""The first tables of a report: the headline score of every model on every dataset, and by test."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

from diptych.metrics import BASELINES, higher_is_better, score_cell
from diptych.metrics._floor import ScoreFloor
from diptych.metrics._rendering import Cell, format_number
from diptych.metrics.paired_vqa.families import get_family
from diptych.metrics.paired_vqa.summary import score_baseline
from diptych.report._links import pair_link
from diptych.report._marks import PairFilter
from diptych.report._parts import BASELINE, MODEL, ROLES, ReportPart

_ACCURACY, _UNREAD = "accuracy_original", "unread_rate"


@dataclass(frozen=True, slots=True)
class HeadlineCell:
    """A score of one model on one dataset: what is written, how far along its bar it is, and what stands below."""

    text: str
    value: float = nan  # as a share of the bar
    low: float = nan
    high: float = nan
    letters: str = ""
    n: int = 0
    is_best: bool = False
    accuracy: str = ""
    unread: str = ""
    floor: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class HeadlineRow:
    """A model or a baseline, and its cell for every part; None where it was not asked."""

    name: str
    role: str
    cells: tuple[HeadlineCell | None, ...]


def headline_rows(parts: Sequence[ReportPart]) -> list[HeadlineRow]:
    """Models in the order of their files, controls, and then the degenerate baselines."""
    columns = [dict(_part_cells(part)) for part in parts]
    roles = {name: file.role for part in parts for name, file in part.files.items()}
    roles |= {name: BASELINE for name in BASELINES if any(name in column for column in columns)}
    names = sorted(roles, key=lambda name: ROLES.index(roles[name]))
    return [HeadlineRow(name, roles[name], tuple(column.get(name) for column in columns)) for name in names]


def headline_numbers(part: ReportPart) -> list[tuple[str, str]]:
    """What a paper prints for all pairs, by model; of a config with one test, what it prints for that."""
    tests = part.references.tests().groups()
    numbers = printed_scores(part, "", *(tests if len(tests) == 1 else ()))
    return [(name, format_number(part.headline.score, value, 1)) for name, value in numbers]


def _part_cells(part: ReportPart) -> Iterator[tuple[str, HeadlineCell]]:
    headline = part.headline
    letters = _tie_letters(part)
    cells = {
        name: score_cell(headline.score, report.scores[headline.score], letters.get(name, ""))
        for name, report in part.comparison.reports.items()
    }
    best = _best_value(part, cells)
    for name, cell in cells.items():
        report = part.comparison.reports[name]
        texts = {score: format_number(score, report.scores[score].value, 1) for score in (_ACCURACY, _UNREAD)}
        yield (
            name,
            _make_cell(
                cell,
                is_best=cell.value == best and part.files[name].role == MODEL,
                accuracy=texts[_ACCURACY] if headline.score != _ACCURACY else "",
                unread=texts[_UNREAD],
                floor=_floor_text(headline.score, report.floor.overall.get(headline.score)) if report.floor else "",
                link=pair_link(PairFilter(part.name, model=name, outcome=",".join(headline.failures))),
            ),
        )
    for name in BASELINES:
        if name not in cells:
            overall = score_baseline(part.references, name, part.comparison.pairs.options).overall
            accuracy = format_number(_ACCURACY, overall[_ACCURACY].value, 1)
            yield name, _make_cell(score_cell(headline.score, overall[headline.score]), accuracy=accuracy)


def _tie_letters(part: ReportPart) -> dict[str, str]:
    """The letters that models which do not differ in the headline score share, by model."""
    scores = next(table for table in part.comparison.tables if table.name == "scores")
    headers = [header for _, header in scores.columns]
    if part.headline.score not in headers:
        return {}
    place = headers.index(part.headline.score)
    return {row.names[0]: cell.letters for row in scores.rows if (cell := row.cells[place]) is not None}


def _best_value(part: ReportPart, cells: Mapping[str, Cell]) -> float:
    """The best score of several models that are no controls; none where neither direction of the score is better."""
    values = [cell.value for name, cell in cells.items() if part.files[name].role == MODEL]
    defined = [value for value in values if not isnan(value)]
    direction = higher_is_better(part.headline.score)
    if direction is None or len(defined) < 2:
        return nan
    return max(defined) if direction else min(defined)


def _make_cell(cell: Cell, **facts: Any) -> HeadlineCell:
    text = format_number(cell.score, cell.value, 1)
    return HeadlineCell(text, cell.value, *cell.interval, cell.letters, cell.n, **facts)


def _floor_text(score: str, floor: ScoreFloor | None) -> str:
    return format_number(score, floor.floor.value, 1) if floor else ""


@dataclass(frozen=True, slots=True)
class TestRow:
    """The headline score of every model on one test, or on one part such as a level of noise."""

    name: str
    label: str  # what the paper calls it, where it does
    pairs: int
    cells: tuple[HeadlineCell, ...]
    printed: tuple[tuple[str, str], ...]  # models of the paper, and the score of each as it is printed


@dataclass(frozen=True, slots=True)
class TestTable:
    """The tests of one dataset, or the parts that it compares, and the row where the score of a model is lowest."""

    part: ReportPart
    column: str  # `test`, or the column of the parts
    rows: tuple[TestRow, ...]
    lowest: tuple[str, ...]  # by model; empty where no score is better than another
    citation: str  # whom the printed scores are of; empty where there are none


def make_test_table(part: ReportPart) -> TestTable:
    """The headline score by test, each cell leading to the pairs that lower it."""
    headline, family = part.headline, get_family(part.folder.manifest.score_family)
    models = {name: report.model for name, report in part.comparison.reports.items()}
    column = family.parts if all(family.parts in model.groups for model in models.values()) else "test"
    rows = []
    for group, places in part.references.column(column).groups(next(iter(models.values())).scope.rows).items():
        subject = {"test": group} if column == "test" else {"column": column, "value": group}
        cells = []
        for name, model in models.items():
            pairs = PairFilter(part.name, model=name, outcome=",".join(headline.failures), **subject)
            score = model.groups[column][group][headline.score]
            cells.append(_make_cell(score_cell(headline.score, score), link=pair_link(pairs)))
        numbers = printed_scores(part, group) if column == "test" else ()
        printed = tuple((name, format_number(headline.score, value, 1)) for name, value in numbers)
        rows.append(TestRow(group, family.labels.get(group, ""), len(places), tuple(cells), printed))
    is_ranked = higher_is_better(headline.score) and len(rows) > 1
    lowest = [_lowest(rows, place) if is_ranked else "" for place in range(len(models))]
    citations = dict.fromkeys(table.citation for table in part.printed) if any(row.printed for row in rows) else ()
    return TestTable(part, column, tuple(rows), tuple(lowest), "; ".join(citations))


def printed_scores(part: ReportPart, *tests: str) -> Iterator[tuple[str, float]]:
    """The models for which the paper prints the headline score of some tests, or of all together as the empty one."""
    for table in part.printed:
        for number in table.numbers():
            place = number.column
            if place.score == part.headline.score and place.test in tests and not place.column:
                yield number.model, number.value


def _lowest(rows: Sequence[TestRow], place: int) -> str:
    defined = [row for row in rows if not isnan(row.cells[place].value)]
    return min(defined, key=lambda row: row.cells[place].value).name if defined else ""
