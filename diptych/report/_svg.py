"""Panels of charts as inline SVG: colors are classes, every text is escaped, and nothing needs a script."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import isnan

from diptych.report._layout import GAP, clean_text, clip_text, spread, text_width
from diptych.report._marks import (
    BASELINE,
    LINES,
    MATRIX,
    MODEL,
    PAPER,
    ROWS,
    RULE,
    SCATTER,
    Mark,
    PairFilter,
    Panel,
    Plot,
    Series,
    is_drawn,
)

WIDTH = 380  # of a panel in its own units, which are pixels on a phone
_TOP, _BOTTOM, _LEFT, _NAMES, _NUMBERS = 42, 44, 38, 116, 58
_ROW, _TALL_ROW, _CELL = 26, 38, 34
STYLES = 7  # colors and shapes, one after the other; models beyond them have those of the first again
_SHAPES = (
    "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0z",
    "M-4.4,-4.4h8.8v8.8h-8.8z",
    "M0,-5.6L5.4,4.2H-5.4z",
    "M0,-6L6,0L0,6L-6,0z",
    "M0,5.6L5.4,-4.2H-5.4z",
    "M-2,-5.6h4v3.6h3.6v4h-3.6v3.6h-4v-3.6h-3.6v-4h3.6z",
    "M0,-6L5.7,-1.9L3.5,4.9H-3.5L-5.7,-1.9z",
)
MEASURES = (_SHAPES[0], _SHAPES[0], _SHAPES[3])  # the shapes of the measures of a row
_CROSS = "M-3.2,-3.2L3.2,3.2M-3.2,3.2L3.2,-3.2"  # a model of a paper

Link = Callable[[PairFilter], str]
"""The address of the pairs behind a mark, such as the hash of a page."""


def draw_panel(plot: Plot, panel: Panel, title: str, link: Link | None = None) -> str:
    """A panel as one `<svg>` element; with `link`, marks whose pairs are known lead to them."""
    draw = {SCATTER: _draw_points, LINES: _draw_points, ROWS: _draw_rows, MATRIX: _draw_matrix}[plot.form]
    height, parts = draw(plot, panel, link)
    name = _attribute(f"{title}: {panel.title}" if panel.title else title)
    heading = _text(0, 13, panel.title, "panel") + _text(WIDTH, 13, panel.subtitle, "soft end") if panel.title else ""
    role = "img" if link is None else "group"  # what is inside an image cannot be reached by keyboard
    size = f'viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}"'
    return f'<svg class="panel" role="{role}" aria-label="{name}" {size}>{heading}{"".join(parts)}</svg>'


def draw_key(plot: Plot, roles: Iterable[str]) -> str:
    """What the marks of a plot mean, as inline HTML: the measures of rows, and whom hollow marks and crosses are of."""
    entries = []
    for number, measure in enumerate(plot.measures):
        shape = (
            '<rect y="1" width="16" height="8"/>'
            if plot.bars
            else f'<path d="{MEASURES[number % len(MEASURES)]}" transform="translate(8,5)"/>'
        )
        entries.append((f'<g class="s1 measure{number}">{shape}</g>', measure))
    if BASELINE in roles and plot.form != ROWS:
        entries.append((f'<path class="hollow" d="{_SHAPES[0]}" transform="translate(8,5)"/>', "a degenerate baseline"))
    if PAPER in roles and plot.form != ROWS:
        entries.append((f'<path class="cross" d="{_CROSS}" transform="translate(8,5)"/>', "the paper's own models"))
    texts = (
        f'<span><svg aria-hidden="true" width="16" height="10">{shape}</svg> {escape(text)}</span>'
        for shape, text in entries
    )
    return f'<p class="key">{" ".join(texts)}</p>' if entries else ""


def _attribute(text: str) -> str:
    return escape(clean_text(text), quote=True)


def _text(x: float, y: float, text: str, style: str = "") -> str:
    style = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{style}>{escape(clean_text(text))}</text>' if text else ""


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    return f'<line class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


@dataclass(frozen=True, slots=True)
class _Frame:
    """The rectangle of the axes, and where their values are in it."""

    plot: Plot
    left: float
    top: float
    right: float
    bottom: float

    def x(self, value: float) -> float:
        return self.left + (self.right - self.left) * self.plot.x.fraction(value)

    def y(self, value: float) -> float:
        return self.bottom - (self.bottom - self.top) * self.plot.y.fraction(value)

    def x_axis(self, with_grid: bool = False) -> Iterator[str]:
        """The ticks and the name of the horizontal axis."""
        for value, text in self.plot.x.ticks:
            yield _line(self.x(value), self.top, self.x(value), self.bottom, "grid") if with_grid else ""
            yield _text(self.x(value), self.bottom + 16, text, "mid")
        yield _text((self.left + self.right) / 2, self.bottom + 34, self.plot.x.label, "mid axis")

    def y_axis(self) -> Iterator[str]:
        """The ticks and the name of the vertical axis, which stands above it."""
        for value, text in self.plot.y.ticks:
            yield _line(self.left, self.y(value), self.right, self.y(value), "grid")
            yield _text(self.left - 6, self.y(value) + 4, text, "end")
        yield _text(0, self.top - 11, self.plot.y.label, "axis")


def _color(series: Series) -> str:
    return {BASELINE: "base", PAPER: "paper", RULE: "s1"}.get(series.role, f"s{series.style % STYLES}")


def _shape(series: Series, x: float, y: float) -> str:
    if series.role == PAPER:
        return f'<path class="cross" d="{_CROSS}" transform="translate({x:.1f},{y:.1f})"/>'
    style = "hollow" if series.role == BASELINE or series.style >= STYLES else "mark"
    return f'<path class="{style}" d="{_SHAPES[series.style % STYLES]}" transform="translate({x:.1f},{y:.1f})"/>'


def _linked(content: str, mark: Mark, label: str, link: Link | None) -> str:
    """A mark with what it says on hovering, in a link to its pairs where there are any."""
    named = f"<title>{escape(clean_text(label))}</title>{content}"
    if link is None or mark.pairs is None:
        return f"<g>{named}</g>"
    return f'<a href="{_attribute(link(mark.pairs))}" aria-label="{_attribute(label)}">{named}</a>'


def _whisker(frame: _Frame, mark: Mark, x: float, y: float) -> str:
    parts = []
    if not isnan(mark.x_interval[0]):
        parts.append(_line(frame.x(mark.x_interval[0]), y, frame.x(mark.x_interval[1]), y, "whisker"))
    if not isnan(mark.y_interval[0]):
        parts.append(_line(x, frame.y(mark.y_interval[0]), x, frame.y(mark.y_interval[1]), "whisker"))
    return "".join(parts)


# Points and lines: the names stand at the right, each at the height of its last mark or as near as there is room.


def _draw_points(plot: Plot, panel: Panel, link: Link | None) -> tuple[float, list[str]]:
    named = [
        series
        for series in panel.series
        if series.role != PAPER and any(is_drawn(mark, plot.form) for mark in series.marks)
    ]
    widths = (
        text_width(clip_text(series.name, _NAMES)) + text_width(series.text) + 8 * bool(series.text) for series in named
    )
    right = WIDTH - 18 - min(max(widths, default=0), _NAMES + 44)
    top = _TOP + (18 if panel.title else -8)
    bottom = top + max(210, GAP * len(named) + 8)
    frame = _Frame(plot, _LEFT, top, right, bottom)
    parts = [*frame.y_axis(), *frame.x_axis()]
    if plot.diagonal:
        low, high = max(plot.x.low, plot.y.low), min(plot.x.high, plot.y.high)
        parts.append(_line(frame.x(low), frame.y(low), frame.x(high), frame.y(high), "diagonal"))
    for number, series in enumerate(reversed(panel.series)):  # the first model is drawn above the others
        place = len(panel.series) - 1 - number
        is_shifted = plot.form == LINES and not plot.diagonal and series.role != PAPER
        shift = (place - (len(named) - 1) / 2) * min(2.0, 10 / len(named)) if is_shifted else 0.0
        parts.append(_draw_series(frame, series, shift, link))
    return bottom + _BOTTOM, parts + _draw_names(frame, named)


def _draw_series(frame: _Frame, series: Series, shift: float, link: Link | None) -> str:
    marks = [mark for mark in series.marks if is_drawn(mark, frame.plot.form)]
    places = [(frame.x(mark.x) + shift, frame.y(mark.y)) for mark in marks]
    parts = []
    if frame.plot.form == LINES and len(places) > 1:
        parts.append(f'<path class="line" d="M{"L".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>')
    for mark, (x, y) in zip(marks, places, strict=True):
        label = ": ".join(filter(None, (series.name, mark.text)))
        parts.append(_linked(_whisker(frame, mark, x, y) + _shape(series, x, y), mark, label, link))
    return f'<g class="{_color(series)}">{"".join(parts)}</g>'


def _draw_names(frame: _Frame, named: Sequence[Series]) -> list[str]:
    ends = [[mark for mark in series.marks if is_drawn(mark, frame.plot.form)][-1] for series in named]
    heights = spread([frame.y(mark.y) for mark in ends], GAP, frame.top, frame.bottom)
    parts = []
    for series, mark, height in zip(named, ends, heights, strict=True):
        x, y = frame.x(mark.x), frame.y(mark.y)
        points = f"{x + 8:.1f},{y:.1f} {max(frame.right - 4, x + 8):.1f},{y:.1f} {frame.right + 8:.1f},{height:.1f}"
        parts.append(f'<polyline class="leader" points="{points}"/>')
        name = clip_text(series.name, _NAMES)
        number = f'<tspan class="soft" dx="6">{escape(series.text)}</tspan>' if series.text else ""
        style = _color(series)
        text = f"{escape(clean_text(name))}{number}<title>{escape(clean_text(series.name))}</title>"
        parts.append(f'<text class="name {style}" x="{frame.right + 12:.1f}" y="{height + 4:.1f}">{text}</text>')
    return parts


# Rows: a name, the marks of its measures, and what is written behind them.


def _draw_rows(plot: Plot, panel: Panel, link: Link | None) -> tuple[float, list[str]]:
    is_tall = any(text_width(series.name) > _NAMES for series in panel.series)
    step, left = (_TALL_ROW, 4.0) if is_tall else (_ROW, _NAMES + 6.0)
    top = 26.0 if panel.title else 6.0
    numbers = max((text_width(series.text) for series in panel.series), default=0.0) + 12
    frame = _Frame(plot, left, top, WIDTH - max(numbers, 14), top + step * len(panel.series))
    parts = list(frame.x_axis(with_grid=True))
    for number, series in enumerate(panel.series):
        middle = top + step * number + (26 if is_tall else step / 2)
        name = clip_text(series.name, WIDTH - 8 if is_tall else _NAMES)
        named = f"{escape(clean_text(name))}<title>{escape(clean_text(series.name))}</title>"
        style = "who soft" if series.role == BASELINE else "who"
        parts.append(f'<text class="{style}" x="0" y="{middle - 13 if is_tall else middle + 4:.1f}">{named}</text>')
        parts.append(_draw_row(frame, series, middle, link))
        parts.append(_text(WIDTH, middle + 4, series.text, "end soft"))
    return frame.bottom + _BOTTOM, parts


def _draw_row(frame: _Frame, series: Series, middle: float, link: Link | None) -> str:
    """The marks of a row: bars from zero, the second in the first, or points with the way between them."""
    last = max(len(series.marks) - 1, 1)
    drawn = [
        (number, mark, frame.x(mark.x), middle + 7 * (number / last - 0.5) * (len(series.marks) > 1))
        for number, mark in enumerate(series.marks)
        if is_drawn(mark, ROWS)
    ]  # at heights of their own, so that their intervals keep off each other
    parts = []
    if len(drawn) > 1 and not frame.plot.bars:
        parts.append(_line(*drawn[0][2:], *drawn[-1][2:], "gap"))
    for number, mark, x, y in drawn:
        shape = f'<path d="{MEASURES[number % len(MEASURES)]}" transform="translate({x:.1f},{y:.1f})"/>'
        if frame.plot.bars:
            shape = f'<rect x="{frame.left:.1f}" y="{middle - 7:.1f}" width="{x - frame.left:.1f}" height="14"/>'
        label = ": ".join(filter(None, (series.name, mark.text)))
        content = f'<g class="measure{number}">{shape}</g>{_whisker(frame, mark, x, y)}'
        parts.append(_linked(content, mark, label, link))
    return f'<g class="{"s1" if series.role == MODEL else _color(series)}">{"".join(parts)}</g>'


# A matrix: rows against columns, each cell with its number.


def _draw_matrix(plot: Plot, panel: Panel, link: Link | None) -> tuple[float, list[str]]:
    columns = len(plot.x.ticks)
    names = [clip_text(text, _NAMES) for _, text in plot.x.ticks]
    top = (26.0 if panel.title else 8.0) + 0.72 * max((text_width(name) for name in names), default=0) + 12
    width = min((WIDTH - _NAMES - 40) / max(columns, 1), 52.0)
    parts = [_text(0, top - 8, plot.y.label, "axis")]
    for column, name in enumerate(names):
        x = _NAMES + 6 + width * (column + 0.5)
        parts.append(
            f'<text transform="translate({x:.1f},{top - 8:.1f}) rotate(-46)">{escape(clean_text(name))}</text>'
        )
    for row, series in enumerate(panel.series):
        y = top + _CELL * row
        parts.append(_text(0, y + _CELL / 2 + 4, clip_text(series.name, _NAMES), "who"))
        for mark in series.marks:
            if is_drawn(mark, MATRIX):
                cell = _draw_cell(plot, mark, _NAMES + 6 + width * mark.x, y, width)
                parts.append(_linked(cell, mark, f"{series.name}: {mark.text}", link))
    bottom = top + _CELL * len(panel.series)
    parts.append(_text(_NAMES + 6 + width * columns / 2, bottom + 16, plot.x.label, "mid axis"))
    return bottom + 26, parts


def _draw_cell(plot: Plot, mark: Mark, x: float, y: float, width: float) -> str:
    """A shaded cell with its number and, below it, the interval."""
    shade = f'fill-opacity="{0.06 + 0.5 * plot.y.fraction(mark.y):.3f}"'
    size = f'width="{width - 2:.1f}" height="{_CELL - 2}"'
    low, high = (100 * bound for bound in mark.y_interval)
    bounds = "" if isnan(low) else f"{low:.0f}–{high:.0f}"
    number = _text(x + width / 2 - 1, y + _CELL / 2 - 1, f"{100 * mark.y:.0f}", "mid who")
    interval = _text(x + width / 2 - 1, y + _CELL / 2 + 10, bounds, "mid small")
    return f'<rect class="cell" x="{x:.1f}" y="{y:.1f}" {size} {shade}/>{number}{interval}'
