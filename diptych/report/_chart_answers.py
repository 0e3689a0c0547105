"""The charts of what answers do: before and after a substitution, rules, coverage, calibration and the noise floor."""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan

from diptych.metrics._calibration import Calibration, calibrate
from diptych.metrics._floor import ScoreFloor
from diptych.metrics._paper_tables import make_tables
from diptych.metrics._rendering import Cell, Table, score_cell
from diptych.metrics.paired_vqa.families import RATES, TableLayout, higher_is_better
from diptych.metrics.paired_vqa.intervals import wilson
from diptych.metrics.paired_vqa.summary import Rule, model_rules
from diptych.report._chart import Chart, DataTable
from diptych.report._chart_data import (
    PERCENT,
    ChartData,
    Subject,
    cell_text,
    fit_axis,
    has_marks,
    row_mark,
    signed,
    undefined_notes,
)
from diptych.report._chart_table import tabulate
from diptych.report._marks import LINES, MATRIX, MODEL, PAPER, ROWS, RULE, Axis, Mark, Panel, Plot, Series

_INTERVALS = "Lines through the marks are 95 % intervals."
_MOST_RULES = 8


def change_charts(data: ChartData) -> list[Chart]:
    """The counterfactual tables: accuracy before and after, by test, one chart for each table of the paper."""
    return [
        _change_chart(data, layout, table)
        for layout in data.family.tables
        if layout.parts == "test"
        for table in make_tables(data.models, data.options, [layout.name])
    ]


def _change_chart(data: ChartData, layout: TableLayout, table: Table) -> Chart:
    is_accuracy = [column.score.startswith("accuracy_") for column in layout.columns]
    measures = tuple(column.header for column, drawn in zip(layout.columns, is_accuracy, strict=True) if drawn)
    styles = {subject.name: subject.style for subject in data.subjects if subject.role == MODEL}
    tests = {data.label(test): test for test in data.groups("test")}
    panels: dict[str, list[Series]] = {}
    undefined = []
    for row in table.rows:
        label, name = row.names
        cells = [cell for cell, drawn in zip(row.cells, is_accuracy, strict=False) if drawn and cell]
        undefined += [(label, name, cell) for cell in cells]
        marks = tuple(
            row_mark(cell, measure, data.pairs(tests.get(label, ""), name, "right_to_wrong" if place else ""))
            for place, (cell, measure) in enumerate(zip(cells, measures, strict=False))
        )
        panels.setdefault(label, []).append(Series(name, marks, MODEL, styles[name], _reduction(marks)))
    drawn = tuple(
        Panel(label, (*series, *_printed_changes(data, layout, tests.get(label, ""))))
        for label, series in panels.items()
    )
    x = fit_axis("accuracy, %", drawn, "x", ROWS)
    plot = Plot(ROWS, x, Axis(""), drawn, measures)
    caption = (
        "Accuracy before and after the substitution, both compared with the answers to the original "
        f"question; the number after a row is the largest relative change. {_INTERVALS}"
    )
    notes = (
        *undefined_notes(undefined),
        *data.citations(drawn, (tests.get(label, "") for label in panels), "accuracy_perturbed"),
    )
    chart = tabulate(plot, "test", text="change, %")
    title = layout.title.partition(" (")[0].replace(" in %", "")  # the table is named below, where it is cited
    return Chart(data.key(layout.name), title, caption, plot, chart, notes)


def _printed_changes(data: ChartData, layout: TableLayout, test: str) -> list[Series]:
    """The paper's own row of a table, where all of its accuracies are printed."""
    columns = [column for column in layout.columns if column.score.startswith("accuracy_")]
    values: dict[str, list[Mark]] = {}
    for column in columns:
        for printed in data.printed_marks(test, column.score, column=column.column, value=column.value):
            value = printed.values[column.score]
            values.setdefault(printed.name, []).append(Mark(value, text=f"{column.header} {100 * value:.1f}"))
    return [
        Series(f"{name} (paper)", tuple(marks), PAPER, text=_reduction(marks))
        for name, marks in values.items()
        if len(marks) == len(columns)
    ]


def _reduction(marks: Sequence[Mark]) -> str:
    """The largest change from the first mark, as a share of it."""
    shares = [mark.x / marks[0].x - 1 for mark in marks[1:] if marks[0].x > 0 and not isnan(mark.x)]
    return f"{signed(100 * max(shares, key=abs))} %" if shares else ""


def rules_chart(data: ChartData) -> Chart | None:
    """The rules of each model that were mined from where its answers change."""
    if not data.family.mines_rules:
        return None
    panels, rows, counts = [], [], {}
    for name, model in data.models.items():
        rules = model_rules(model.references, model.outcome)
        total = int(model.outcome.parsed.sum())
        if rules:
            first_rules = rules[:_MOST_RULES]
            series = tuple(_rule_series(data, rule, total) for rule in first_rules)
            panels.append(Panel(name, series, f"{total:,} pairs"))
            counts[name] = len(rules)
            rows += [(name, rule.sentence(), f"{rule.support:,}", f"{rule.p_corrected:.2g}") for rule in first_rules]
    if not panels:
        return None
    measures = ("elsewhere", "where the question has it")
    x = fit_axis("share of changed answers, %", panels, "x", ROWS)
    plot = Plot(ROWS, x, Axis(""), tuple(panels), measures)
    numbers = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    notes = (f"The {_MOST_RULES} rules of each model with the smallest p are drawn, of: {numbers}.",)
    caption = (
        "How often the answer changes for questions that contain a concept, belong to a family or have a substitution, "
        f"and for all other questions; p-values are corrected over all rules of a model. {_INTERVALS}"
    )
    table = DataTable(("model", "rule", "support", "corrected p"), tuple(rows))
    return Chart(data.key("rules"), "Where answers change", caption, plot, table, notes)


def _rule_series(data: ChartData, rule: Rule, total: int) -> Series:
    subject = data.label(rule.subject)
    label = subject if rule.kind == "substitution" else f"{rule.kind}: {subject}"
    rest = total - rule.support
    elsewhere = Cell("answer_change_rate", rule.elsewhere, rest, wilson(rule.elsewhere, rest))
    here = Cell("answer_change_rate", rule.rate, rule.support, (rule.low, rule.high))
    marks = row_mark(elsewhere, "elsewhere"), replace(row_mark(here, ""), text=rule.sentence())
    return Series(label, marks, RULE, text=f"n {rule.support:,}")


def coverage_chart(data: ChartData) -> Chart | None:
    """CARETS' Tables 13 to 17: of what one model has right, the share that another has right."""
    if "comprehensive_accuracy" not in data.family.scores or len(data.models) < 2:
        return None
    tables = make_tables(data.models, data.options, ["coverage"])
    names, panels = list(data.models), []
    for test, table in zip(data.groups("test"), tables, strict=True):
        series = []
        for row in table.rows:
            marks = tuple(
                Mark(
                    place, cell.value, y_interval=cell.interval, n=cell.n, text=f"of {names[place]}: {cell_text(cell)}"
                )
                for place, cell in enumerate(row.cells)
                if cell is not None
            )
            series.append(Series(row.names[0], marks, MODEL, names.index(row.names[0])))
        panels.append(Panel(data.label(test), tuple(series)))
    if not has_marks(panels, MATRIX):
        return None
    x = Axis(
        "of what this model has right", 0, len(names), tuple((float(place), name) for place, name in enumerate(names))
    )
    plot = Plot(MATRIX, x, replace(PERCENT, label="share, %"), tuple(panels))
    caption = (
        "Of the questions that the model of a column answers correctly, the share in % that the model of a row also "
        "answers correctly, with its 95 % interval below."
    )
    table_text = tabulate(plot, "test", "model")
    return Chart(data.key("coverage"), "What models have right in common", caption, plot, table_text)


def calibration_chart(data: ChartData) -> Chart | None:
    """The reliability curve of every model whose predictions hold log-probabilities."""
    series, notes = [], []
    for subject in data.subjects:
        if subject.role == MODEL and subject.name in data.predictions:
            calibration = calibrate(subject.model, data.predictions[subject.name], data.options)
            if calibration is not None:
                series.append(_reliability(data, subject, calibration))
                cell = score_cell("ece", calibration.ece)
                missing = f"; {calibration.missing:,} sides have no log-probability" if calibration.missing else ""
                notes.append(f"{subject.name}: ECE {cell_text(cell)} replies{missing}.")
    if not series:
        return None
    x = replace(PERCENT, label="confidence of the reply, %")
    plot = Plot(
        LINES, x, replace(PERCENT, label="right, %"), (Panel("", tuple(series)),), diagonal=True, numbers="ECE, %"
    )
    caption = (
        "The share of correct replies by the probability that the model gives to its reply, in ten bins; both are "
        f"equal on the dashed line. After a name: the expected calibration error (ECE) in %. {_INTERVALS}"
    )
    table = tabulate(plot, text=plot.numbers)
    return Chart(data.key("calibration"), "Calibration", caption, plot, table, tuple(notes))


def _reliability(data: ChartData, subject: Subject, calibration: Calibration) -> Series:
    marks = tuple(
        Mark(
            entry.confidence,
            entry.accuracy,
            y_interval=entry.interval,
            n=entry.n,
            text=f"confidence {100 * entry.confidence:.1f}, right {100 * entry.accuracy:.1f} of {entry.n:,}",
            pairs=data.pairs(model=subject.name),
        )
        for entry in calibration.bins
    )
    return Series(
        subject.name,
        marks,
        subject.role,
        subject.style,
        f"{100 * calibration.ece.value:.1f}",
        cell_text(score_cell("ece", calibration.ece)),
    )


def floor_chart(data: ChartData) -> Chart | None:
    """Scores of consistency beside what the same model reaches when it is asked the same question twice."""
    floors = {name: report.floor for name, report in data.reports.items() if report.floor is not None}
    styles = {subject.name: subject.style for subject in data.subjects if subject.role == MODEL}
    panels: dict[str, list[Series]] = {}
    for name, floor in floors.items():
        for score, entry in floor.overall.items():
            if score in RATES and not isnan(entry.above):
                marks = (
                    row_mark(_asked_twice(score, entry), "asked twice"),
                    row_mark(score_cell(score, entry.score), "perturbed", data.pairs(model=name)),
                )
                bounds = f" [{100 * entry.low:.1f}, {100 * entry.high:.1f}]" if not isnan(entry.low) else ""
                text = f"{100 * entry.above:.1f}{bounds}".replace("-", "−")
                panels.setdefault(score, []).append(Series(name, marks, MODEL, styles[name], text))
    if not panels:
        return None
    drawn = tuple(Panel(score.replace("_", " "), tuple(series)) for score, series in panels.items())
    x = fit_axis("score, %", drawn, "x", ROWS)
    plot = Plot(ROWS, x, Axis(""), drawn, ("the same question asked twice", "the pairs"))
    caption = (
        "Consistency scores, and their values for the original questions asked twice; after a row: the difference "
        f"beyond that noise in points, with its interval. {_INTERVALS}"
    )
    notes = tuple(f"{name}: {sentence}" for name, floor in floors.items() for sentence in floor.sentences())
    table = tabulate(plot, "score", text="beyond noise, points")
    return Chart(data.key("floor"), "Consistency and its noise floor", caption, plot, table, notes)


def _asked_twice(score: str, entry: ScoreFloor) -> Cell:
    """The score of the original questions, asked twice, with the interval of its floor."""
    sign = 1 if higher_is_better(score) is True else -1
    once = entry.score.value + sign * entry.shortfall
    floor = score_cell(score, entry.floor)
    low, high = sorted(once - sign * bound for bound in floor.interval)
    return Cell(score, entry.score.value + sign * entry.above, floor.n, (low, high))
