"""The report as a folder: one page with everything in it, small pictures beside it, and the front matter of a Space."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from math import isnan
from pathlib import Path
from typing import Any

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from diptych import __version__
from diptych.cards import text_environment
from diptych.errors import BadInputError
from diptych.files import atomic_folder, format_bytes, read_json, write_json, write_text
from diptych.images import open_images
from diptych.report._chart import chart_style
from diptych.report._charts import report_charts
from diptych.report._columns import visible
from diptych.report._figures import write_figures, write_tables
from diptych.report._headlines import HeadlineRow, headline_numbers, headline_rows, make_test_table
from diptych.report._links import part_link
from diptych.report._pairs import order_rows, pack_pairs
from diptych.report._parts import BASELINE, CONTROL, MODEL, ReportPart
from diptych.report._pictures import Gallery, copy_pictures, embedded_rows, number_pictures

INDEX, FACTS = "index.html", "report.json"
_ASSETS = files("diptych.report") / "page"
_SCRIPTS = ("columns.js", "words.js", "graph.js", "filters.js", "pair.js", "viewer.js")
_NOTES = {MODEL: "", CONTROL: "control", BASELINE: "baseline"}


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """What was written: the page, and how many of the pictures that pairs show are beside it."""

    page: Path
    pairs: int
    pictures: int
    missing_pictures: int

    def lines(self) -> list[str]:
        """A summary for the command line."""
        size = format_bytes(self.page.stat().st_size)
        lines = [f"{self.pairs:,} pairs in {self.page} ({size}) with {self.pictures:,} pictures"]
        if self.missing_pictures:
            lines.append(f"{self.missing_pictures:,} pictures were not found and are shown by name; pass --images DIR")
        return lines


def write_parts(
    parts: Sequence[ReportPart],
    out: Path,
    *,
    title: str = "Diptych report",
    images: Path | None = None,
    data: Path | None = None,
    figures: str = "",
    picture_size: int = 360,
    num_proc: int = 1,
    overwrite: bool = False,
) -> WrittenReport:
    """Write the report of some parts into a new folder, whole or not at all; see `diptych.write_report`.

    `figures` is a form of figures for papers, such as `pdf`, which are written beside the page with all tables.
    """
    check_target(out, overwrite, figures)
    store = open_images(images) if images is not None else None
    rows = [order_rows(part) for part in parts]
    gallery, numbers, tasks = Gallery.empty(), [], []
    for part_rows in rows:
        part_numbers, part_tasks = number_pictures(gallery, part_rows.table)
        numbers.append(part_numbers)
        tasks.append((part_rows.part, part_tasks))
    with atomic_folder(out) as folder:
        own_tasks = (task for part, some in tasks for task in embedded_rows(part.folder, part.selection, some))
        copy_pictures(folder, gallery, own_tasks, store, picture_size, num_proc)
        packed = pack_pairs(rows, numbers, gallery, data)
        context = _context(parts, title, sum(len(part_rows.order) for part_rows in rows))
        write_text(folder / INDEX, _render_page(context, packed))
        write_text(folder / "README.md", _render_readme(context))
        write_json(folder / FACTS, _facts(parts, title))
        if figures:
            write_figures(context["charts"], folder / "figures", figures)
            write_tables({part.name: part.comparison for part in parts}, folder / "tables")
    pictures = len(gallery.sizes)
    return WrittenReport(out / INDEX, context["pairs"], pictures, len(gallery.names) - 1 - pictures)


def check_target(out: Path, overwrite: bool, figures: str = "") -> None:
    """Refuse to replace anything but an earlier report of ours, and figures that could not be drawn."""
    if figures:
        write_figures((), out, figures)  # which needs Matplotlib, and knows the forms
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    facts = read_json(out / FACTS) if (out / FACTS).is_file() else None
    if not isinstance(facts, dict) or facts.get("diptych") != "report":
        raise BadInputError(f"{out}: already exists and is not a report; choose another --out")
    if not overwrite:
        raise BadInputError(f"{out}: already has a report; pass --overwrite to replace it")


def _context(parts: Sequence[ReportPart], title: str, pairs: int) -> dict[str, Any]:
    rows = headline_rows(parts)
    charts = [chart for part in parts for chart in report_charts(part.folder, part.comparison, _paths(part))]
    models = sum(row.role in (MODEL, CONTROL) for row in rows)
    subjects = f"{models} model{'s' if models > 1 else ''} answered {pairs:,} pairs of questions"
    datasets = len({part.folder.manifest.dataset for part in parts})
    reports = [report for part in parts for report in part.comparison.reports.values()]
    return {
        "title": title,
        "lede": f"{subjects} from {datasets} dataset{'s' if datasets > 1 else ''}.",
        "version": __version__,
        "parts": parts,
        "headers": [next(iter(part.comparison.reports.values())).header().replace("\n", "; ") for part in parts],
        "row_groups": list(_row_groups(rows)),
        "test_tables": [make_test_table(part) for part in parts],
        "printed": [headline_numbers(part) for part in parts],
        "has_floor": any(report.floor is not None for report in reports),
        "charts": charts,
        "chart_svgs": [Markup(chart.svg(lambda pairs: part_link(parts, pairs))) for chart in charts],
        "pairs": pairs,
    }


def _paths(part: ReportPart) -> dict[str, Path]:
    return {name: file.path for name, file in part.files.items()}


def _row_groups(rows: Sequence[HeadlineRow]) -> Any:
    for role, group in groupby(rows, key=lambda row: row.role):
        yield {"role": role, "note": _NOTES[role], "rows": list(group)}


def _render_page(context: dict[str, Any], data: str) -> str:
    style = _read_asset("page.css") + chart_style()
    theme = _read_asset("theme.js")
    script = "'use strict';\n" + "".join(map(_read_asset, _SCRIPTS))
    hashes = [f"'sha256-{_sha256(text)}'" for text in (theme, script, style)]
    policy = (
        f"default-src 'none'; script-src {hashes[0]} {hashes[1]}; style-src {hashes[2]}; img-src 'self' file: data:; "
    )
    policy += "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    assets = {"style": Markup(style), "theme": Markup(theme), "script": Markup(script), "data": Markup(data)}
    return _environment.get_template("page.html.jinja").render(**context, **assets, policy=Markup(policy))


def _read_asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _render_readme(context: dict[str, Any]) -> str:
    title = visible(context["title"])
    environment = text_environment(__package__, "page")
    template = environment.get_template("readme.md.jinja")
    return template.render(**{**context, "title": orjson.dumps(title).decode(), "heading": title})


def _facts(parts: Sequence[ReportPart], title: str) -> dict[str, Any]:
    """What a program wants to know of a report: datasets, models and headline scores."""
    return {
        "diptych": "report",
        "version": 1,
        "title": title,
        "parts": [
            {
                "name": part.name,
                "dataset": part.folder.manifest.dataset,
                "dataset_version": part.folder.manifest.version,
                "config": part.selection.config,
                "split": part.selection.split,
                "pairs": len(part.references),
                "score": part.headline.score,
                "models": {
                    name: report.scores[part.headline.score].as_dict()
                    for name, report in part.comparison.reports.items()
                },
            }
            for part in parts
        ],
    }


def _finalize(value: Any) -> Any:
    return value if isinstance(value, Markup) or not isinstance(value, str) else visible(value)


_environment = Environment(
    loader=PackageLoader("diptych.report", "page"),
    undefined=StrictUndefined,
    autoescape=True,
    finalize=_finalize,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters["place"] = lambda share: f"{100 * min(max(share, 0.0), 1.0):.1f}"
_environment.filters["percent"] = lambda share: "–" if isnan(share) else f"{100 * share:.1f}"
