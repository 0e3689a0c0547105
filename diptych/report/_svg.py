"""Panels of charts as inline SVG: colors are classes, every text is escaped, and nothing needs a script."""

from collections.abc import Callable
from html import escape

from diptych.report._drawing import CROSS, WIDTH, Box, Group, Item, Line, Shape, Text, draw_panel, key_entries
from diptych.report._layout import clean_text
from diptych.report._marks import PairFilter, Panel, Plot

_SHAPES = {
    "0": "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0z",
    "1": "M-4.4,-4.4h8.8v8.8h-8.8z",
    "2": "M0,-5.6L5.4,4.2H-5.4z",
    "3": "M0,-6L6,0L0,6L-6,0z",
    "4": "M0,5.6L5.4,-4.2H-5.4z",
    "5": "M-2,-5.6h4v3.6h3.6v4h-3.6v3.6h-4v-3.6h-3.6v-4h3.6z",
    "6": "M0,-6L5.7,-1.9L3.5,4.9H-3.5L-5.7,-1.9z",
    CROSS: "M-3.2,-3.2L3.2,3.2M-3.2,3.2L3.2,-3.2",
}

Link = Callable[[PairFilter], str]
"""The address of the pairs behind a mark, such as the hash of a page."""


def panel_svg(plot: Plot, panel: Panel, title: str, link: Link | None = None) -> str:
    """A panel as one `<svg>` element; with `link`, marks whose pairs are known lead to them."""
    drawing = draw_panel(plot, panel)
    content = "".join(_element(item, link) for item in drawing.items)
    name = _escape(f"{title}: {panel.title}" if panel.title else title)
    role = "img" if link is None else "group"  # what is inside an image cannot be reached by keyboard
    size = f'viewBox="0 0 {WIDTH} {drawing.height:g}" width="{WIDTH}" height="{drawing.height:g}"'
    return f'<svg class="panel" role="{role}" aria-label="{name}" {size}>{content}</svg>'


def key_html(plot: Plot) -> str:
    """What the marks of a plot mean, as inline HTML; nothing where they need no key."""
    entries = key_entries(plot)
    texts = (
        f'<span><svg aria-hidden="true" width="16" height="10">{_element(item)}</svg> {_escape(text)}</span>'
        for item, text in entries
    )
    return f'<p class="key">{" ".join(texts)}</p>' if entries else ""


def _escape(text: str) -> str:
    return escape(clean_text(text), quote=True)


def _element(item: Item, link: Link | None = None) -> str:
    match item:
        case Line(points, style):
            places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            return f'<polyline class="{style}" points="{places}"/>'
        case Shape(kind, x, y, style):
            return f'<path class="{style}" d="{_SHAPES[kind]}" transform="translate({x:.1f},{y:.1f})"/>'
        case Box():
            return _box(item)
        case Text():
            return _text(item)
        case Group():
            return _group(item, link)


def _box(box: Box) -> str:
    place = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
    shade = f' fill-opacity="{box.shade:.3f}"' if box.shade < 1 else ""
    return f'<rect class="{box.style}" {place}{shade}/>'


def _text(text: Text) -> str:
    if not text.text:
        return ""
    place = f'x="{text.x:.1f}" y="{text.y:.1f}"'
    if text.angle:
        place = f'transform="translate({text.x:.1f},{text.y:.1f}) rotate({-text.angle:g})"'
    title = f"<title>{_escape(text.whole)}</title>" if text.whole != text.text and text.whole else ""
    return f'<text class="{text.style} {text.anchor}" {place}>{_escape(text.text)}{title}</text>'


def _group(group: Group, link: Link | None) -> str:
    """A group with what it says on hovering, in a link to its pairs where there are any."""
    content = "".join(_element(item, link) for item in group.items)
    title = f"<title>{_escape(group.label)}</title>" if group.label else ""
    if link is None or group.pairs is None:
        style = f' class="{group.color}"' if group.color else ""
        return f"<g{style}>{title}{content}</g>"
    return f'<a href="{_escape(link(group.pairs))}" aria-label="{_escape(group.label)}">{title}{content}</a>'
