"""What charts are drawn from: the scores of models, of degenerate baselines, and the numbers that a paper prints."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, isnan
from typing import Any

from diptych.builders import PrintedTable, get_dataset
from diptych.errors import DiptychError
from diptych.folder import BuiltFolder, Selection
from diptych.metrics import ModelComparison, ScoreReport
from diptych.metrics._paper_tables import group_rows, value_label
from diptych.metrics._rendering import Cell, format_number, score_cell
from diptych.metrics.paired_vqa.columns import Codes
from diptych.metrics.paired_vqa.families import ScoreFamily, get_family
from diptych.metrics.paired_vqa.outcomes import Options
from diptych.metrics.paired_vqa.scoring import ModelScores, reported_scores, score_rows
from diptych.metrics.paired_vqa.summary import score_baseline
from diptych.report._marks import BASELINE, MODEL, PAPER, Axis, Mark, PairFilter, Panel, is_drawn

_STEPS = (0.02, 0.05, 0.1, 0.2, 0.25)
_LEAST_SPAN, _MOST_TICKS, _MOST_NOTED = 0.1, 8, 6
PERCENT = Axis("", 0.0, 1.0, tuple((share / 100, str(share)) for share in (0, 25, 50, 75, 100)))
"""All shares, from none to all; charts name it."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A model that charts show: one of the reader's, or a degenerate one."""

    name: str
    model: ModelScores
    role: str = MODEL
    style: int = 0


@dataclass(frozen=True, slots=True)
class PrintedMark:
    """The numbers of one model that a paper prints for some pairs, by score."""

    name: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ChartData:
    """A dataset, the models that were scored on it, and what stands beside them."""

    dataset: str
    selection: Selection
    options: Options
    reports: Mapping[str, ScoreReport]
    subjects: tuple[Subject, ...]
    printed: tuple[PrintedTable, ...]
    predictions: Mapping[str, Any]

    @property
    def family(self) -> ScoreFamily:
        """The family of scores, which decides what fits."""
        return get_family(self.options.family)

    def key(self, name: str) -> str:
        """The key of a chart."""
        return f"{self.dataset}/{self.selection.config}/{name}"

    @property
    def models(self) -> dict[str, ModelScores]:
        """The reader's models by name."""
        return {subject.name: subject.model for subject in self.subjects if subject.role == MODEL}

    @property
    def first(self) -> ModelScores:
        """The first model, for what all have in common."""
        return self.subjects[0].model

    def groups(self, column: str, rows: Codes | None = None) -> dict[str, Codes]:
        """The scored pairs by the values of a column, in the order of the paper."""
        return group_rows(self.first, column, self.first.scope.rows if rows is None else rows, self.options)

    def label(self, value: str) -> str:
        """What the paper calls a value."""
        return value_label(value, self.options)

    def cells(self, subject: Subject, rows: Codes, names: Sequence[str], test: str = "") -> dict[str, Cell]:
        """Some scores of a model on some pairs (all those of a test where one is named), as its report has them."""
        scores = subject.model.groups.get("test", {}).get(test)
        if rows is self.first.scope.headline:
            scores = subject.model.overall
        if scores is None:  # all at once: what is resampled depends on what is scored
            options = replace(self.options, bootstrap=0) if subject.role == BASELINE else self.options
            scores = score_rows(subject.model, rows, options, reported_scores(options))
        return {name: score_cell(name, scores[name]) for name in names}

    def pairs(
        self, test: str = "", model: str = "", outcome: str = "", column: str = "", value: str = ""
    ) -> PairFilter:
        """The pairs behind a mark."""
        selection = self.selection
        return PairFilter(self.dataset, selection.config, selection.split, test, model, outcome, column, value)

    def printed_marks(self, test: str, *names: str, column: str = "", value: str = "") -> list[PrintedMark]:
        """The models of the paper for which all of some scores are printed for a test."""
        values: dict[str, dict[str, float]] = {}
        for table in self.printed:
            for number in table.numbers():
                place = number.column
                if place.score in names and (place.test, place.column, place.value) == (test, column, value):
                    values.setdefault(number.model, {}).setdefault(place.score, number.value)
        return [PrintedMark(name, scores) for name, scores in values.items() if set(names) <= set(scores)]

    def citations(self, panels: Iterable[Panel], tests: Iterable[str], *names: str) -> list[str]:
        """The tables that numbers of the paper are from, where any are drawn, with what a reader must know of them."""
        places = set(tests)
        tables = [
            table
            for table in self.printed
            if any(column.test in places and column.score in names for column in table.columns)
        ]
        if not any(series.role == PAPER for panel in panels for series in panel.series):
            return []
        numbers = list(dict.fromkeys(table.name.removeprefix("Table ") for table in tables))
        names_of_tables = f"Table{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"
        notes = [f"{table.name}: {table.note}" for table in tables if table.note]
        return [
            f"The paper's own numbers are from {names_of_tables} of {tables[0].citation}; they have no intervals.",
            *notes,
        ]


def gather_data(
    folder: BuiltFolder, comparison: ModelComparison, predictions: Mapping[str, Any] | None, baselines: Sequence[str]
) -> ChartData:
    """Everything that charts of a folder are drawn from."""
    reports = comparison.reports
    report = next(iter(reports.values()))
    subjects = [Subject(name, entry.model, MODEL, number) for number, (name, entry) in enumerate(reports.items())]
    for number, name in enumerate(baselines):
        model = score_baseline(report.model.references, name, report.options)
        subjects.append(Subject(name, model, BASELINE, number))
    dataset, config = folder.manifest.dataset, report.selection.config
    printed = tuple(table for table in _printed_tables(dataset) if table.fits(config))
    return ChartData(
        dataset, report.selection, report.options, reports, tuple(subjects), printed, dict(predictions or {})
    )


def _printed_tables(dataset: str) -> tuple[PrintedTable, ...]:
    try:
        return get_dataset(dataset).spec.printed
    except DiptychError:  # a dataset of another package, which is not installed here
        return ()


def cell_text(cell: Cell) -> str:
    """A score with its interval and n, on one line.

    >>> cell_text(Cell("rad_forward", 0.64921, 1234, (0.62, 0.68)))
    '64.9 [62.0, 68.0] of 1,234'
    """
    return f"{format_number(cell.score, cell.value, 1)} {cell.base()}".strip()


def row_mark(cell: Cell, measure: str, pairs: PairFilter | None = None) -> Mark:
    """The mark of a score in a row."""
    return Mark(cell.value, x_interval=cell.interval, n=cell.n, text=f"{measure} {cell_text(cell)}", pairs=pairs)


def fit_axis(label: str, panels: Iterable[Panel], coordinate: str, form: str) -> Axis:
    """An axis of shares that holds all marks that are drawn with their intervals, no wider than it must be."""
    drawn = (mark for panel in panels for mark in panel.marks() if is_drawn(mark, form))
    values = [value for mark in drawn for value in _values(mark, coordinate)]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    margin = max(0.04 * (high - low), (_LEAST_SPAN - (high - low)) / 2)
    low, high = max(low - margin, 0.0), min(high + margin, 1.0)
    step = next((step for step in _STEPS if (high - low) / step <= _MOST_TICKS), _STEPS[-1])
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    ticks = tuple((number * step, f"{100 * number * step:.0f}") for number in range(first, last + 1))
    return Axis(label, ticks[0][0], ticks[-1][0], ticks)


def _values(mark: Mark, coordinate: str) -> Iterator[float]:
    yield getattr(mark, coordinate)
    yield from (bound for bound in getattr(mark, f"{coordinate}_interval") if not isnan(bound))


def undefined_notes(entries: Iterable[tuple[str, str, Cell]]) -> list[str]:
    """What is left out because it is undefined, from the part, the name and the score of everything."""
    gaps: dict[str, list[str]] = {}
    for part, name, cell in entries:
        if isnan(cell.value):
            gaps.setdefault(f"{cell.score} of {name}", []).append(part)
    texts = [f"{gap} ({', '.join(parts)})" if any(parts) else gap for gap, parts in gaps.items()]
    more = f" and {len(texts) - _MOST_NOTED:,} more" if len(texts) > _MOST_NOTED else ""
    return [f"Undefined, and therefore not drawn: {'; '.join(texts[:_MOST_NOTED])}{more}."] if texts else []


def has_marks(panels: Iterable[Panel], form: str) -> bool:
    """Whether there is anything of a model to draw; what a paper prints is no chart alone."""
    models = (series for panel in panels for series in panel.series if series.role != PAPER)
    return any(is_drawn(mark, form) for series in models for mark in series.marks)


def signed(value: float, decimals: int = 0) -> str:
    """A difference with its sign, which nothing has none of.

    >>> signed(-3.04, 1), signed(2), signed(-0.01)
    ('−3.0', '+2', '0')
    """
    text = f"{value:+.{decimals}f}"
    return text.replace("-", "−") if float(text) else text[1:]
