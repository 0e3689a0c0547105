"""The numbers of a chart as a table of text, for whoever cannot see it or wants to copy them."""

from collections.abc import Iterator
from math import isnan

from diptych.report._chart import DataTable
from diptych.report._marks import LINES, MATRIX, PAPER, ROWS, SCATTER, Axis, Interval, Plot, Series, is_drawn


def tabulate(plot: Plot, part: str = "part", name: str = "model", text: str = "") -> DataTable:
    """Every mark of a plot: what its panel and its series are called, its numbers with intervals in %, and n.

    `text` is the header of what is written behind the name of a series.
    """
    headers = {
        SCATTER: (plot.x.label, plot.y.label, "n"),
        LINES: (plot.x.label, plot.y.label, "n"),
        ROWS: (*plot.measures, "n"),
        MATRIX: (plot.x.label, plot.y.label, "n"),
    }[plot.form]
    has_parts, further = len(plot.panels) > 1 or bool(plot.panels and plot.panels[0].title), (text,) if text else ()
    rows = [
        ((panel.title,) if has_parts else ())
        + (_name(series), *numbers)
        + ((series.detail or series.text,) if text else ())
        for panel in plot.panels
        for series in panel.series
        for numbers in _numbers(plot, series)
    ]
    return DataTable((*((part,) if has_parts else ()), name, *headers, *further), tuple(rows))


def _name(series: Series) -> str:
    return f"{series.name} (paper)" if series.role == PAPER and not series.name.endswith("(paper)") else series.name


def _numbers(plot: Plot, series: Series) -> Iterator[tuple[str, ...]]:
    if plot.form == ROWS:
        n = max((mark.n for mark in series.marks), default=0)
        yield *(_number(mark.x, mark.x_interval) for mark in series.marks), _count(n)
        return
    for mark in series.marks:
        if plot.form == SCATTER:
            yield _number(mark.x, mark.x_interval), _number(mark.y, mark.y_interval), _count(mark.n)
        elif is_drawn(mark, plot.form):
            yield _place(plot.x, mark.x), _number(mark.y, mark.y_interval), _count(mark.n)


def _number(value: float, interval: Interval) -> str:
    if isnan(value):
        return "–"
    bounds = "" if isnan(interval[0]) else f" [{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]"
    return f"{100 * value:.1f}{bounds}"


def _count(n: int) -> str:
    return f"{n:,}" if n else ""


def _place(axis: Axis, value: float) -> str:
    """The name of a place on an axis, or its number where it has none."""
    return next(
        (text for place, text in axis.ticks if place == value and not axis.label.endswith("%")), f"{100 * value:.1f}"
    )
