"""Charts as figures for papers, drawn by Matplotlib, and the tables of scores as LaTeX and Markdown.

A figure is as wide as a column, or as a page where it has many panels. The same charts make the same bytes: nothing in
a file tells when or by which release of Matplotlib it was made.
"""

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diptych.errors import MissingExtraError, look_up
from diptych.files import atomic_writer, write_text
from diptych.metrics import ModelComparison
from diptych.report._chart import Chart
from diptych.report._drawing import CROSS, WIDTH, Box, Group, Item, Line, Point, Shape, Text, draw_panel, key_entries
from diptych.report._layout import GAP, clean_text, text_width
from diptych.report._marks import ROWS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMS: dict[str, dict[str, Any]] = {
    "pdf": {"metadata": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None}},
    "png": {"metadata": {"Software": None}, "dpi": 300},
    "svg": {"metadata": {"Date": None, "Creator": None}},
}
"""The forms of figures, and what keeps dates and versions out of them."""
TABLE_FORMS = {"latex": "tex", "markdown": "md"}

COLUMN = 3.35  # inches: a column of a paper of two columns
_COLUMNS, _SPACE, _MARGIN = 2, 20.0, 3.0  # panels side by side where there are many, and the space around them
_POINTS = 72 * COLUMN / WIDTH  # of one unit of a drawing
_SETTINGS: Any = {
    "font.family": "DejaVu Sans",  # the one that comes with Matplotlib
    "font.size": 12 * _POINTS,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "diptych",
    "text.parse_math": False,
    "text.usetex": False,
}
_INK, _SOFT, _GRID, _BASE = "#1d1c1a", "#5d5a54", "#dedad2", "#77736c"
_COLORS = dict(enumerate((_INK, "#0072b2", "#007f5f", "#c24e00", "#a3548a", "#7a5c00", "#4b5fc4")))
_COLORS_BY_CLASS = {**{f"s{number}": color for number, color in _COLORS.items()}, "base": _BASE, "paper": _BASE}
_MARKERS = {"0": "o", "1": "s", "2": "^", "3": "D", "4": "v", "5": "P", "6": "p", CROSS: "x"}
_LINES: dict[str, dict[str, Any]] = {
    "grid": {"color": _GRID, "linewidth": 0.5},
    "leader": {"color": _GRID, "linewidth": 0.5},
    "diagonal": {"color": _SOFT, "linewidth": 0.6, "linestyle": (0, (3, 3))},
    "whisker": {"linewidth": 0.8},
    "line": {"linewidth": 1.0},
    "gap": {"linewidth": 1.4, "alpha": 0.45},
}
_TOPMOST = 1e6  # texts are above everything
_LIGHT = 0.32  # how much of its color the first measure of a row has


def write_figures(charts: Iterable[Chart], folder: Path, form: str) -> list[Path]:
    """Write one figure for every chart into a folder, in a form of `FORMS`; returns the files.

    `diptych report --figures FORM` calls it with `figures/` of the report. Needs Matplotlib: without it, the error says
    how to install the extra `report`.
    """
    options = look_up("form of figures", form, FORMS)
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError.for_extra("Matplotlib", "report") from None
    files: list[Path] = []
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # a name in a script that the font lacks
        for chart in charts:
            content = BytesIO()
            _draw_figure(chart).savefig(content, format=form, **options)
            files.append(_new_file(folder / f"{file_stem(chart.key)}.{form}", files))
            folder.mkdir(parents=True, exist_ok=True)
            with atomic_writer(files[-1]) as file:
                file.write(content.getvalue())
    return files


def write_tables(comparisons: Mapping[str, ModelComparison], folder: Path) -> list[Path]:
    """Write the tables of `diptych score` as LaTeX and Markdown, one file of each for every comparison, by its name.

    `diptych report --figures FORM` calls it with `tables/` of the report and the comparisons by dataset.
    """
    files: list[Path] = []
    folder.mkdir(parents=True, exist_ok=True)
    for name, comparison in comparisons.items():
        for form, suffix in TABLE_FORMS.items():
            files.append(_new_file(folder / f"{file_stem(name)}.{suffix}", files))
            write_text(files[-1], comparison.render(form) + "\n")
    return files


def _new_file(path: Path, files: Sequence[Path]) -> Path:
    """A file that is none of those already written: with a number where two would have the same name."""
    names = (path.with_stem(f"{path.stem}-{number}") if number > 1 else path for number in count(1))
    return next(name for name in names if name not in files)


def file_stem(key: str) -> str:
    """The name of a file for a chart or a table, of letters that every file system has.

    >>> file_stem("my-set/default/rad")
    'my-set-default-rad'
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "-", key).strip("-.") or "chart"


def _draw_figure(chart: Chart) -> "Figure":
    """All panels of a chart below what their marks mean; the title is left to the caption in the paper."""
    from matplotlib.figure import Figure

    drawings = [draw_panel(chart.plot, panel) for panel in chart.plot.panels]
    columns = 1 if len(drawings) == 1 else _COLUMNS
    rows = [drawings[start : start + columns] for start in range(0, len(drawings), columns)]
    key, key_height = _lay_out_key(chart, columns * WIDTH)
    width = columns * WIDTH + (columns - 1) * _SPACE
    heights = [max(drawing.height for drawing in row) + _SPACE for row in rows]
    height = sum(heights) + key_height
    figure = Figure(figsize=((width + 2 * _MARGIN) * _POINTS / 72, height * _POINTS / 72))
    axes = figure.add_axes(
        (0, 0, 1, 1), xlim=(-_MARGIN, width + _MARGIN), ylim=(height, 0), frame_on=False, xticks=[], yticks=[]
    )
    for item in key:
        _draw(axes, item, (0.0, 0.0))
    top = key_height
    for row, row_height in zip(rows, heights, strict=True):
        for column, drawing in enumerate(row):
            for item in drawing.items:
                _draw(axes, item, (column * (WIDTH + _SPACE), top), is_row=chart.plot.form == ROWS)
        top += row_height
    return figure


def _lay_out_key(chart: Chart, width: float) -> tuple[list[Item], float]:
    """What the marks mean, in as many lines as it takes, and how high they are."""
    items: list[Item] = []
    x, y = 0.0, 9.0
    entries = key_entries(chart.plot)
    for item, text in entries:
        room = 22 + text_width(text) + 12
        x, y = (0.0, y + GAP) if x and x + room > width else (x, y)
        items += [Group("", (item,), place=(x, y - 5)), Text(x + 22, y + 4, text)]
        x += room
    return items, y + 15 if entries else 0.0


def _draw(axes: "Axes", item: Item, origin: Point, color: str = "", is_row: bool = False) -> None:
    """Draw an item with its origin at a point; what a group holds has its color."""
    from matplotlib.patches import Rectangle

    left, top = origin
    tint = _COLORS_BY_CLASS.get(color, _INK)
    above: Any = {"zorder": 2 + len(axes.lines) + len(axes.patches)}
    match item:
        case Group():
            place = (left + item.place[0], top + item.place[1])
            for part in item.items:
                _draw(axes, part, place, item.color or color, is_row)
        case Line(points, style):
            xs, ys = zip(*points, strict=True)
            look = {"color": _INK if is_row and style == "whisker" else tint, **_LINES[style]}
            if style == "line" and color in ("base", "paper"):
                look |= {"linestyle": (0, (4, 3))} if color == "base" else {"linewidth": 0.6, "alpha": 0.5}
            axes.plot(
                [left + x for x in xs], [top + y for y in ys], clip_on=False, solid_capstyle="butt", **look, **above
            )
        case Shape(kind, x, y, style):
            look = {"marker": _MARKERS[kind], "color": tint, "markerfacecolor": _fill(style, tint)}
            look |= {"markeredgecolor": _fill(style, tint)} if style == "measure2" else {}
            axes.plot([left + x], [top + y], markersize=4.6, markeredgewidth=0.9, clip_on=False, **look, **above)
        case Box(x, y, width, height, style, shade):
            face: dict[str, Any] = {
                "facecolor": _COLORS_BY_CLASS["s1"] if style == "cell" else _fill(style, tint),
                "alpha": shade,
            }
            axes.add_patch(Rectangle((left + x, top + y), width, height, linewidth=0, **face, **above))
        case Text(x, y, text, style, anchor, angle):
            look = {"color": _SOFT if style == "soft" else _INK, "ha": _ANCHORS[anchor], "va": "baseline"}
            look |= {"rotation": angle, "rotation_mode": "anchor", "fontsize": _SIZES.get(style, 12) * _POINTS}
            look |= {"fontweight": "bold" if style == "title" else "normal"}
            axes.text(left + x, top + y, clean_text(text), **look, zorder=_TOPMOST)


_ANCHORS = {"start": "left", "middle": "center", "end": "right"}
_SIZES = {"small": 8.5, "title": 12.5}


def _fill(style: str, color: str) -> str:
    """The color that a shape or a bar is filled with."""
    if style == "measure0":
        parts = (int(color[place : place + 2], 16) for place in (1, 3, 5))
        return "#" + "".join(f"{round(255 - _LIGHT * (255 - part)):02x}" for part in parts)
    return {"hollow": "#ffffff", "measure2": _COLORS[3] if color != _BASE else _SOFT}.get(style, color)
