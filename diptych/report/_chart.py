"""A chart: what it is about, what is drawn, and the same numbers as a table for whoever cannot see it."""

from dataclasses import dataclass
from pathlib import Path

from diptych.files import read_text
from diptych.report._marks import Plot
from diptych.report._svg import Link, key_html, panel_svg


@dataclass(frozen=True, slots=True)
class DataTable:
    """The numbers of a chart as text: percentages with intervals, as they are printed elsewhere."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of a report; the page and the figures for papers are drawn from the same marks."""

    key: str  # `dataset/config/name of the chart`, which its file is called after
    title: str
    caption: str
    plot: Plot
    table: DataTable
    notes: tuple[str, ...] = ()  # what was left out and why, and where the numbers of papers are from

    def svgs(self, link: Link | None = None) -> tuple[str, ...]:
        """One inline SVG for every panel, to be put beside or below each other as the page is wide.

        Colors are those of the classes in `chart_style()`. Marks whose pairs are known lead to where `link` says.
        """
        return tuple(panel_svg(self.plot, panel, self.title, link) for panel in self.plot.panels)

    def svg(self, link: Link | None = None) -> str:
        """All panels as inline SVG below what their marks mean, in one `<div class="chart">`, which wraps them."""
        panels = f'<div class="panels">{"".join(self.svgs(link))}</div>'
        return f'<div class="chart {self.plot.form}">{key_html(self.plot)}{panels}</div>'


def chart_style() -> str:
    """The style sheet of all charts, for a page that shows them: light and dark go by `color-scheme`."""
    return read_text(Path(__file__).parent / "charts.css")
