"""A panel as lines, texts and shapes at places: what the page and the figures for papers have in common."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from diptych.report._layout import GAP, clip_text, spread, text_width
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
STYLES = 7  # colors and shapes, one after the other; models beyond them have those of the first again, hollow
CROSS = "cross"  # the shape of a model of a paper
MEASURES = ("0", "0", "3")  # the shapes of the measures of a row
_TOP, _BOTTOM, _LEFT, _NAMES = 42, 44, 38, 121
_ROW, _TALL_ROW, _CELL = 22, 36, 34
_BOLD = 1.15  # how much wider a title is than other texts

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points; its style is what it is for: `grid`, `leader`, `diagonal`, `whisker`, `line` or `gap`."""

    points: tuple[Point, ...]
    style: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text at a point; `whole` is what was cut off for lack of room."""

    x: float
    y: float
    text: str
    style: str = "soft"  # `soft`, `who`, `small` or `title`
    anchor: str = "start"  # `start`, `middle` or `end`
    angle: float = 0.0
    whole: str = ""


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a mark, by its number; its style is `mark`, `hollow`, `cross` or `measure` with a number."""

    kind: str
    x: float
    y: float
    style: str


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle: a bar of a measure, or a cell with a shade between none and one."""

    x: float
    y: float
    width: float
    height: float
    style: str
    shade: float = 1.0


@dataclass(frozen=True, slots=True)
class Group:
    """What belongs together and has one color: a mark with its interval, what it says, and the pairs behind it."""

    color: str  # `s` with a number, `base`, `paper` or nothing
    items: tuple["Item", ...]
    label: str = ""
    pairs: PairFilter | None = None
    place: Point = (0.0, 0.0)  # where its own origin is


Item = Line | Text | Shape | Box | Group


@dataclass(frozen=True, slots=True)
class Drawing:
    """Everything of a panel, and how high it is."""

    height: float
    items: tuple[Item, ...]


def draw_panel(plot: Plot, panel: Panel) -> Drawing:
    """A panel with its title, axes, marks and names."""
    height, items = _DRAWERS[plot.form](plot, panel)
    title = clip_text(panel.title, (WIDTH - 16 - text_width(panel.subtitle)) / _BOLD)
    heading = Text(0, 13, title, "title", whole=panel.title), Text(WIDTH, 13, panel.subtitle, anchor="end")
    return Drawing(height, (*heading, *items) if panel.title else tuple(items))


def key_entries(plot: Plot) -> list[tuple[Item, str]]:
    """What the marks mean: the measures of rows, and whom hollow marks and crosses are of; of 16 × 10 units each."""
    entries: list[tuple[Item, str]] = []
    for number, measure in enumerate(plot.measures):
        kind = number % len(MEASURES)
        bar, point = Box(0, 1, 16, 8, f"measure{kind}"), Shape(MEASURES[kind], 8, 5, f"measure{kind}")
        entries.append((Group("s1", (bar if plot.bars else point,)), measure))
    roles = {series.role for panel in plot.panels for series in panel.series} if plot.form != ROWS else set()
    if BASELINE in roles:
        entries.append((Group("base", (Shape("0", 8, 5, "hollow"),)), "a degenerate baseline"))
    if PAPER in roles:
        entries.append((Group("paper", (Shape(CROSS, 8, 5, CROSS),)), "the paper's own models"))
    return entries


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

    def x_axis(self, with_grid: bool = False) -> Iterator[Item]:
        """The ticks and the name of the horizontal axis."""
        for value, text in self.plot.x.ticks:
            if with_grid:
                yield Line(((self.x(value), self.top), (self.x(value), self.bottom)), "grid")
            yield Text(self.x(value), self.bottom + 16, text, anchor="middle")
        half = text_width(self.plot.x.label) / 2
        middle = min(max((self.left + self.right) / 2, half), WIDTH - half)  # a long name is not cut off
        yield Text(middle, self.bottom + 34, self.plot.x.label, anchor="middle")

    def y_axis(self) -> Iterator[Item]:
        """The ticks and the name of the vertical axis, which stands above it."""
        for value, text in self.plot.y.ticks:
            yield Line(((self.left, self.y(value)), (self.right, self.y(value))), "grid")
            yield Text(self.left - 6, self.y(value) + 4, text, anchor="end")
        yield Text(0, self.top - 11, self.plot.y.label)

    def whiskers(self, mark: Mark, x: float, y: float) -> Iterator[Line]:
        """The intervals of a mark that is drawn at some point."""
        if not isnan(mark.x_interval[0]):
            yield Line(((self.x(mark.x_interval[0]), y), (self.x(mark.x_interval[1]), y)), "whisker")
        if not isnan(mark.y_interval[0]):
            yield Line(((x, self.y(mark.y_interval[0])), (x, self.y(mark.y_interval[1]))), "whisker")


def _color(series: Series) -> str:
    return {BASELINE: "base", PAPER: "paper", RULE: "s1"}.get(series.role, f"s{series.style % STYLES}")


def _shape(series: Series, x: float, y: float) -> Shape:
    if series.role == PAPER:
        return Shape(CROSS, x, y, CROSS)
    is_hollow = series.role == BASELINE or series.style >= STYLES
    return Shape(str(series.style % STYLES), x, y, "hollow" if is_hollow else "mark")


def _label(series: Series, mark: Mark) -> str:
    return ": ".join(filter(None, (series.name, mark.text)))


# Points and lines: the names stand at the right, each at the height of its last mark or as near as there is room.


def _draw_points(plot: Plot, panel: Panel) -> tuple[float, list[Item]]:
    named = [
        series
        for series in panel.series
        if series.role != PAPER and any(is_drawn(mark, plot.form) for mark in series.marks)
    ]
    widths = [
        (text_width(clip_text(series.name, _NAMES)), text_width(series.text) + 8 if series.text else 0.0)
        for series in plot.series()
        if series.role != PAPER
    ]
    names, numbers = (max(column, default=0.0) for column in zip((0.0, 0.0), *widths, strict=True))
    top = _TOP + (18 if panel.title else -8)
    frame = _Frame(plot, _LEFT, top, WIDTH - 18 - names - numbers, top + max(210, GAP * len(named) + 8))
    items: list[Item] = [*frame.y_axis(), *frame.x_axis(), Text(WIDTH, top - 11, plot.numbers, anchor="end")]
    if plot.diagonal:
        low, high = max(plot.x.low, plot.y.low), min(plot.x.high, plot.y.high)
        items.append(Line(((frame.x(low), frame.y(low)), (frame.x(high), frame.y(high))), "diagonal"))
    names_and_leaders = list(_draw_names(frame, named))
    items += [item for item in names_and_leaders if isinstance(item, Line)]  # below the marks
    for series in reversed(panel.series):  # the first model is drawn above the others
        shift = 0.0
        if plot.form == LINES and series in named and not plot.diagonal:
            shift = (named.index(series) - (len(named) - 1) / 2) * min(2.0, 10 / len(named))
        items.append(_draw_series(frame, series, shift))
    return frame.bottom + _BOTTOM, [*items, *(item for item in names_and_leaders if isinstance(item, Text))]


def _draw_series(frame: _Frame, series: Series, shift: float) -> Group:
    marks = [mark for mark in series.marks if is_drawn(mark, frame.plot.form)]
    places = [(frame.x(mark.x) + shift, frame.y(mark.y)) for mark in marks]
    items: list[Item] = []
    if frame.plot.form == LINES and len(places) > 1:
        items.append(Line(tuple(places), "line"))
    for mark, (x, y) in zip(marks, places, strict=True):
        shapes: tuple[Item, ...] = (*frame.whiskers(mark, x, y), _shape(series, x, y))
        items.append(Group("", shapes, _label(series, mark), mark.pairs))
    return Group(_color(series), tuple(items))


def _draw_names(frame: _Frame, named: Sequence[Series]) -> Iterator[Item]:
    ends = [[mark for mark in series.marks if is_drawn(mark, frame.plot.form)][-1] for series in named]
    heights = spread([frame.y(mark.y) for mark in ends], GAP, frame.top, frame.bottom)
    for series, mark, height in zip(named, ends, heights, strict=True):
        x, y = frame.x(mark.x) + 8, frame.y(mark.y)
        yield Line(((x, y), (max(frame.right - 4, x), y), (frame.right + 8, height)), "leader")
        style = "soft" if series.role == BASELINE else "who"
        yield Text(frame.right + 12, height + 4, clip_text(series.name, _NAMES), style, whole=series.name)
        yield Text(WIDTH, height + 4, series.text, anchor="end")


# Rows: a name, the marks of its measures, and what is written behind them.


def _draw_rows(plot: Plot, panel: Panel) -> tuple[float, list[Item]]:
    is_tall = any(text_width(series.name) > _NAMES for series in plot.series())
    step, left = (_TALL_ROW, 8.0) if is_tall else (_ROW, _NAMES + 6.0)
    top = 26.0 if panel.title else 6.0
    numbers = max((text_width(series.text) for series in plot.series()), default=0.0) + 12
    frame = _Frame(plot, left, top, WIDTH - max(numbers, 14), top + step * len(panel.series))
    items: list[Item] = list(frame.x_axis(with_grid=True))
    for number, series in enumerate(panel.series):
        middle = top + step * number + (26 if is_tall else step / 2)
        name = clip_text(series.name, WIDTH - 8 if is_tall else _NAMES)
        style = "soft" if series.role in (BASELINE, PAPER) else "who"
        items.append(Text(0, middle - 13 if is_tall else middle + 4, name, style, whole=series.name))
        items.append(_draw_row(frame, series, middle))
        items.append(Text(WIDTH, middle + 4, series.text, anchor="end"))
    return frame.bottom + _BOTTOM, items


def _draw_row(frame: _Frame, series: Series, middle: float) -> Group:
    """The marks of a row: bars from zero, the second in the first, or points with the way between them."""
    center = (len(series.marks) - 1) / 2
    step = 7.0 if len(series.marks) < 3 else 5.0
    drawn = [
        (number, mark, (frame.x(mark.x), middle + step * (number - center)))
        for number, mark in enumerate(series.marks)
        if is_drawn(mark, ROWS)
    ]  # at heights of their own, so that their intervals keep off each other
    items: list[Item] = []
    if len(drawn) > 1 and not frame.plot.bars:
        items.append(Line((drawn[0][2], drawn[-1][2]), "gap"))
    for number, mark, (x, y) in drawn:
        style = f"measure{number % len(MEASURES)}"
        shape: Item = Shape(MEASURES[number % len(MEASURES)], x, y, style)
        if frame.plot.bars:
            shape = Box(frame.left, middle - 7, x - frame.left, 14, style)
        items.append(Group("", (shape, *frame.whiskers(mark, x, y)), _label(series, mark), mark.pairs))
    return Group("s1" if series.role == MODEL else _color(series), tuple(items))


# A matrix: rows against columns, each cell with its number and, below it, the interval.


def _draw_matrix(plot: Plot, panel: Panel) -> tuple[float, list[Item]]:
    names = [clip_text(text, _NAMES) for _, text in plot.x.ticks]
    top = (26.0 if panel.title else 8.0) + 0.72 * max(map(text_width, names), default=0.0) + 12
    left, width = _NAMES + 6, min((WIDTH - _NAMES - 40) / max(len(names), 1), 52.0)
    items: list[Item] = [Text(0, top - 8, plot.y.label)]
    for (place, whole), name in zip(plot.x.ticks, names, strict=True):
        items.append(Text(left + width * (place + 0.5), top - 8, name, angle=46, whole=whole))
    for row, series in enumerate(panel.series):
        y = top + _CELL * row
        items.append(Text(0, y + _CELL / 2 + 4, clip_text(series.name, _NAMES), "who", whole=series.name))
        marks = (mark for mark in series.marks if is_drawn(mark, MATRIX))
        items += [_draw_cell(plot, series, mark, left + width * mark.x, y, width) for mark in marks]
    bottom = top + _CELL * len(panel.series)
    items.append(Text(left + width * len(names) / 2, bottom + 16, plot.x.label, anchor="middle"))
    return bottom + 26, items


def _draw_cell(plot: Plot, series: Series, mark: Mark, x: float, y: float, width: float) -> Group:
    low, high = (100 * bound for bound in mark.y_interval)
    middle, bounds = x + width / 2 - 1, "" if isnan(low) else f"{low:.0f}–{high:.0f}"
    cell = Box(x, y, width - 2, _CELL - 2, "cell", 0.06 + 0.5 * plot.y.fraction(mark.y))
    number = Text(middle, y + _CELL / 2 - 1, f"{100 * mark.y:.0f}", "who", "middle")
    interval = Text(middle, y + _CELL / 2 + 10, bounds, "small", "middle")
    return Group("", (cell, number, interval), _label(series, mark), mark.pairs)


_DRAWERS: dict[str, Callable[[Plot, Panel], tuple[float, list[Item]]]] = {
    SCATTER: _draw_points,
    LINES: _draw_points,
    ROWS: _draw_rows,
    MATRIX: _draw_matrix,
}
