"""The charts of the papers' scores: RAD against accuracy, ACC and C-ACC, accuracy by noise and by rarity of answers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, isnan, nan

import numpy as np

from diptych.metrics._rendering import Cell
from diptych.metrics.paired_vqa.columns import Codes
from diptych.metrics.paired_vqa.summary import standard_rows
from diptych.report._chart import Chart
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
from diptych.report._marks import LINES, PAPER, ROWS, SCATTER, Axis, Mark, PairFilter, Panel, Plot, Series

_INTERVALS = "Lines through the marks are 95 % intervals."
_Undefined = list[tuple[str, str, Cell]]


def rad_chart(data: ChartData) -> Chart | None:
    """RAD against the accuracy on the original side, over all pairs and by test."""
    if "rad_forward" not in data.family.scores:
        return None
    tests = data.groups("test")
    parts = {"": data.first.scope.headline, **tests} if len(tests) > 1 else tests
    undefined: _Undefined = []
    panels = tuple(_rad_panel(data, test, rows, undefined) for test, rows in parts.items())
    if not has_marks(panels, SCATTER):
        return None
    x = fit_axis("accuracy on the original, %", panels, "x", SCATTER)
    plot = Plot(SCATTER, x, fit_axis("RAD, %", panels, "y", SCATTER), panels)
    caption = (
        "RAD(D, D'), the share of pairs that are right on both sides among those right on the original, against the "
        f"accuracy on the original. {_INTERVALS}"
    )
    notes = (*undefined_notes(undefined), *data.citations(panels, tests, "rad_forward", "accuracy_original"))
    return Chart(data.key("rad"), "RAD against accuracy", caption, plot, tabulate(plot, "test"), notes)


def _rad_panel(data: ChartData, test: str, rows: Codes, undefined: _Undefined) -> Panel:
    title = data.label(test) if test else "all tests"
    series = []
    for subject in data.subjects:
        cells = data.cells(subject, rows, ("accuracy_original", "rad_forward"), test)
        undefined += [(title, subject.name, cell) for cell in cells.values()]
        accuracy, rad = cells["accuracy_original"], cells["rad_forward"]
        text = f"accuracy {cell_text(accuracy)}, RAD {cell_text(rad)}"
        pairs = data.pairs(test, subject.name, "right_to_wrong")
        mark = Mark(accuracy.value, rad.value, accuracy.interval, rad.interval, accuracy.n, text, pairs)
        series.append(Series(subject.name, (mark,), subject.role, subject.style))
    for printed in data.printed_marks(test, "accuracy_original", "rad_forward"):
        x, y = printed.values["accuracy_original"], printed.values["rad_forward"]
        text = f"accuracy {100 * x:.1f}, RAD {100 * y:.1f} (paper)"
        series.append(Series(printed.name, (Mark(x, y, text=text),), PAPER))
    return Panel(title, tuple(series), _count(rows))


def _count(rows: Sequence[int] | Codes) -> str:
    return f"{len(rows):,} pairs"


def gap_chart(data: ChartData) -> Chart | None:
    """CARETS' Fig. 2: accuracy and comprehensive accuracy by test, and the gap between them."""
    names = ("accuracy", "comprehensive_accuracy")
    if not set(names) <= set(data.family.scores):
        return None
    tests = data.groups("test")
    panels: list[Panel] = []
    undefined: _Undefined = []
    for test, rows in tests.items():
        series = []
        for subject in data.subjects:
            cells = data.cells(subject, rows, names, test)
            undefined += [(data.label(test), subject.name, cell) for cell in cells.values()]
            outcomes = ("", "right_to_wrong")
            marks = tuple(
                row_mark(cells[name], measure, data.pairs(test, subject.name, outcome))
                for name, measure, outcome in zip(names, ("ACC", "C-ACC"), outcomes, strict=True)
            )
            series.append(Series(subject.name, marks, subject.role, subject.style, _gap(marks)))
        for printed in data.printed_marks(test, *names):
            marks = tuple(
                Mark(printed.values[name], text=f"{measure} {100 * printed.values[name]:.1f}")
                for name, measure in zip(names, ("ACC", "C-ACC"), strict=True)
            )
            series.append(Series(f"{printed.name} (paper)", marks, PAPER, text=_gap(marks)))
        panels.append(Panel(data.label(test), tuple(series), _count(rows)))
    if not has_marks(panels, ROWS):
        return None
    measures = ("right on average (ACC)", "right on both sides and consistent (C-ACC)")
    plot = Plot(ROWS, replace(PERCENT, label="share of answers, %"), Axis(""), tuple(panels), measures, bars=True)
    caption = (
        "Accuracy over both sides, and comprehensive accuracy, for which a pair counts only if both sides are right; "
        f"the number after a row is the gap in points. {_INTERVALS}"
    )
    notes = (*undefined_notes(undefined), *data.citations(panels, tests, *names))
    table = tabulate(plot, "test", text="gap, points")
    return Chart(data.key("gap"), "Right on average and right on both sides", caption, plot, table, notes)


def _gap(marks: Sequence[Mark]) -> str:
    gap = marks[-1].x - marks[0].x
    return "" if isnan(gap) else signed(100 * gap, 1)


def noise_chart(data: ChartData) -> Chart | None:
    """The basic-questions paper's Figs 2 and 3: accuracy as noise grows, with R_score."""
    column = data.family.parts
    if not column or not data.first.references.has_column(column):
        return None
    tests, parts = data.groups("test"), list(data.groups(column))
    panels: list[Panel] = []
    undefined: _Undefined = []
    for test, rows in tests.items():
        groups = data.groups(column, rows)
        series = [_noise_series(data, subject, test, groups, parts, undefined) for subject in data.subjects]
        panels.append(Panel(data.label(test), (*series, *_printed_noise(data, test, parts)), _count(rows)))
    if not has_marks(panels, LINES):
        return None
    ticks = tuple((float(place), name) for place, name in enumerate(("0", *parts)))
    x = Axis(f"{column} of the added questions (0: none)", -0.2, len(parts) + 0.2, ticks)
    plot = Plot(LINES, x, fit_axis("accuracy, %", panels, "y", LINES), tuple(panels), numbers="R_score")
    caption = (
        f"Accuracy without noise and by {column}, the first being the most similar; after a name: R_score on {column} "
        f"{parts[0]}. {_INTERVALS}"
    )
    notes = (*undefined_notes(undefined), *data.citations(panels, tests, "accuracy_perturbed"))
    table = tabulate(plot, "test", text=plot.numbers)
    return Chart(data.key("noise"), f"Accuracy by {column}", caption, plot, table, notes)


def _noise_series(
    data: ChartData,
    subject: Subject,
    test: str,
    groups: Mapping[str, Codes],
    parts: Sequence[str],
    undefined: _Undefined,
) -> Series:
    marks: list[Mark] = []
    r_score = Cell("r_score", nan)
    for part, rows in groups.items():
        cells = data.cells(subject, rows, ("accuracy_original", "accuracy_perturbed", "r_score"))
        place = parts.index(part) + 1
        if not marks:  # the original side is the same question in every part
            r_score = cells["r_score"]
            marks.append(_place_mark(cells["accuracy_original"], 0, data.pairs(test, subject.name)))
        pairs = data.pairs(test, subject.name, "right_to_wrong", data.family.parts, part)
        marks.append(_place_mark(cells["accuracy_perturbed"], place, pairs))
        undefined += [(data.label(test), subject.name, cell) for cell in cells.values()]
    text = "" if isnan(r_score.value) else f"{r_score.value:.2f}"
    return Series(subject.name, tuple(marks), subject.role, subject.style, text, cell_text(r_score))


def _place_mark(cell: Cell, place: int, pairs: PairFilter) -> Mark:
    return Mark(place, cell.value, y_interval=cell.interval, n=cell.n, text=cell_text(cell), pairs=pairs)


def _printed_noise(data: ChartData, test: str, parts: Sequence[str]) -> list[Series]:
    marks: dict[str, list[Mark]] = {}
    for place, part in enumerate(("", *parts)):
        where = {"column": data.family.parts, "value": part} if part else {}
        score = "accuracy_perturbed" if part else "accuracy_original"
        for printed in data.printed_marks(test, score, **where):
            value = printed.values[score]
            marks.setdefault(printed.name, []).append(Mark(place, value, text=f"{100 * value:.1f} (paper)"))
    scores = {printed.name: printed.values["r_score"] for printed in data.printed_marks(test, "r_score")}
    return [
        Series(name, tuple(entries), PAPER, text=f"{scores[name]:.2f}" if name in scores else "")
        for name, entries in marks.items()
    ]


def rarity_chart(data: ChartData) -> Chart | None:
    """FVQA 2.0's Fig. 3: accuracy on adversarial questions by how often their answer occurs in training."""
    column, references = data.family.rarity, data.first.references
    if not column or not references.has_column(column):
        return None
    rows = data.first.scope.rows
    classes = data.groups(column, rows[~standard_rows(references)[rows]])
    classes = {name: classes[name] for name in sorted(filter(None, classes), key=_least_count)}
    if not classes:
        return None
    undefined: _Undefined = []
    series = []
    for subject in data.subjects:
        marks = []
        for place, (name, class_rows) in enumerate(classes.items()):
            cell = data.cells(subject, class_rows, ("accuracy_perturbed",))["accuracy_perturbed"]
            undefined.append((name, subject.name, cell))
            marks.append(_place_mark(cell, place, data.pairs("", subject.name, "", column, name)))
        series.append(Series(subject.name, tuple(marks), subject.role, subject.style))
    ticks = tuple((float(place), name) for place, name in enumerate(classes))
    x = Axis("occurrences of the answer in training", -0.3, len(classes) - 0.7, ticks)
    total = int(np.sum([len(class_rows) for class_rows in classes.values()]))
    panel = Panel("", tuple(series), f"{total:,} pairs")
    plot = Plot(LINES, x, fit_axis("accuracy, %", (panel,), "y", LINES), (panel,))
    caption = (
        "Accuracy on the perturbed questions by how often their answer occurs among the training questions "
        f"({total:,} pairs; standard questions are left out). {_INTERVALS}"
    )
    notes = tuple(undefined_notes(undefined))
    return Chart(data.key("rarity"), "Accuracy by rarity of the answer", caption, plot, tabulate(plot), notes)


def _least_count(name: str) -> tuple[float, str]:
    """The place of a class of counts among others: that of its first number.

    >>> sorted(["50+", "10-49", "0", "3-9"], key=_least_count)
    ['0', '3-9', '10-49', '50+']
    """
    count = re.search(r"\d+", name)
    return float(count[0]) if count else inf, name
