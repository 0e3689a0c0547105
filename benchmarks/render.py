"""Render what benchmarks recorded: RESULTS.md with a table for each benchmark, and the curves as SVG files."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from results import FOLDER, FULL_SIZE, RESULTS, Claim, Point, Record, Run, read_records
from scale import fill_in, growth, scale_tables

PAGE, PLOTS, SCALE = FOLDER / "RESULTS.md", FOLDER / "plots", FOLDER.parent / "docs" / "scale.md"
INTRODUCTION = """# Benchmark results

Every number about speed, memory or rates that the documentation refers to, as it was measured. `make bench` runs the
benchmarks and writes this page; `make bench ONLY="lasso kb"` runs some and replaces their rows alone. Do not edit it:
`benchmarks/render.py` renders it from `results.jsonl` and `full_size.jsonl`, and a test compares them.

*Ours* and *other* are both sides of a ratio, measured in the same run; a bound is on the ratio or, without one, on the
value. **missed** marks a bound that was not reached. What could not be measured is *not run*, with the reason. *Load*
is the load average of the machine in the minute before a run: what ran just before it, or beside it.
"""


FULL_SIZE_COLUMNS = {
    **{"case": "build", "size": "records", "unit": "of", "engine": "engine", "workers": "workers", "wall_s": "s"},
    **{"cpu_s": "s of the processors", "peak_mb": "peak MB", "input_mb": "input MB", "output_mb": "output MB"},
    **{"pairs": "pairs", "alone": "alone", "date": "date", "note": "note"},
}
"""What the table of full-size builds shows of a line of `full_size.jsonl`, and under which head."""


@dataclass(frozen=True)
class Axes:
    """The title of a plot and what its axes are."""

    title: str
    size: str
    value: str


AXES = {
    "build-memory": Axes("rad-cads: peak memory of a build", "questions", "MB, all processes"),
    "carets-cost": Axes("carets: processor time of an image", "images", "ms per image"),
    "conceptnet-memory": Axes("ConceptNet's dump: peak memory of reading", "lines", "MB"),
    "lasso": Axes("LASSO ranker: processor time of a question", "basic questions", "s per question, one core"),
    "plans-memory": Axes("Plans: peak memory above the start", "records", "MB"),
    "plans-time": Axes("Plans: processor time", "records", "s"),
    "plans-facts": Axes("Plans: size of the facts", "records", "MB"),
    "full-size-seconds": Axes("Whole builds: processor time", "records", "s"),
    "full-size-memory": Axes("Whole builds: peak memory of all processes", "records", "MB"),
}


@dataclass
class Results:
    """What is recorded of one benchmark."""

    runs: list[Run] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)

    def add(self, entry: Record) -> None:
        """Put a record where it belongs."""
        part: list[Any] = {Run: self.runs, Claim: self.claims, Point: self.points}[type(entry)]
        part.append(entry)


def load_results(path: Path = RESULTS) -> dict[str, Results]:
    """The records of each benchmark."""
    results: defaultdict[str, Results] = defaultdict(Results)
    for name, entry in read_records(path):
        results[name].add(entry)
    return dict(sorted(results.items()))


def load_full_size(path: Path = FULL_SIZE) -> list[dict[str, Any]]:
    """The builds at full size, if they were measured."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def number(value: float | None, unit: str = "") -> str:
    """A number with three significant digits, or all that stand before the point.

    >>> number(1234.5, "s"), number(0.012345), number(2.0, "×")
    ('1,234 s', '0.0123', '2 ×')
    """
    if value is None:
        return ""
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{text} {unit}".strip()


def render_page(results: dict[str, Results], full_size: Sequence[dict[str, Any]]) -> str:
    """The whole page."""
    sections = [INTRODUCTION, *_runs(results), *_missed(results)]
    for name, part in results.items():
        sections += [f'<a id="{name}"></a>\n\n## {name}\n', *_claims(part.claims)]
    for name in sorted(_benchmark_names() - results.keys()):
        sections.append(f'<a id="{name}"></a>\n\n## {name}\n\nNot run yet: `make bench ONLY={name}`.\n')
    sections += [*_full_size(full_size), *_plots(results, full_size)]
    return "\n".join(sections)


def _benchmark_names() -> set[str]:
    """All benchmarks but that of full-size builds, which has a section of its own."""
    return {path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py")} - {"full_size"}


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [heads := [*heads], ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _runs(results: dict[str, Results]) -> Iterator[str]:
    yield "## Runs\n"
    every = [(name, run) for name, part in results.items() for run in part.runs]
    machines = list(dict.fromkeys(run.machine for _, run in every))
    versions = list(dict.fromkeys(run.versions for _, run in every))
    for number_, machine in enumerate(machines, start=1):
        yield f"- Machine {number_}: {machine}"
    for number_, packages in enumerate(versions, start=1):
        yield f"- Versions {number_}: {packages}"
    yield ""
    rows = (
        (
            *(f"[{name}](#{name})", run.date, f"{number(run.seconds)} s", f"`{run.command}`"),
            *(str(machines.index(run.machine) + 1), str(versions.index(run.versions) + 1), number(run.load)),
        )
        for name, run in every
    )
    yield table(("benchmark", "date", "took", "command", "machine", "versions", "load"), rows)


def _missed(results: dict[str, Results]) -> Iterator[str]:
    claims = [claim for part in results.values() for claim in part.claims]
    missed = [claim for claim in claims if claim.is_met is False]
    bounds = sum(claim.is_met is not None for claim in claims)
    absent = sum(claim.note.startswith("not run") for claim in claims)
    yield f"{len(claims)} claims; {bounds} have a bound, of which {len(missed)} are missed; {absent} were not run.\n"
    yield from (f"- **missed**: [{claim.name}](#{claim.name}): {claim.statement}" for claim in missed)
    if missed:
        yield ""


def _claims(claims: Iterable[Claim]) -> Iterator[str]:
    rows = (
        (
            f'<a id="{claim.name}"></a>`{claim.name}`',
            claim.statement + (f" ({claim.note})" if claim.note else ""),
            number(claim.ours, claim.unit),
            number(claim.other, claim.unit) + (f" {claim.beside}" if claim.other is not None else ""),
            number(claim.ratio, "×"),
            _bound(claim),
            claim.size,
            f"[{claim.document}](../{claim.document})" if claim.document else "",
        )
        for claim in claims
    )
    yield table(("claim", "what", "ours", "other", "ratio", "bound", "size", "in"), rows)


def _bound(claim: Claim) -> str:
    unit = "×" if claim.ratio is not None else claim.unit
    bounds = [f"≥ {number(claim.at_least, unit)}"] if claim.at_least is not None else []
    bounds += [f"≤ {number(claim.at_most, unit)}"] if claim.at_most is not None else []
    if claim.is_met is not None:
        bounds.append("met" if claim.is_met else "**missed**")
    return ", ".join(bounds)


def _full_size(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield '<a id="full-size"></a>\n\n## Full size\n'
    if not rows:
        yield "Not run: `benchmarks/full_size.jsonl` is not there; `python benchmarks/bench_full_size.py` writes it.\n"
        return
    yield table(FULL_SIZE_COLUMNS.values(), ((_cell(row.get(key)) for key in FULL_SIZE_COLUMNS) for row in rows))


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value)
    return "" if value is None else str(value).replace("|", "\\|")


def all_points(results: dict[str, Results], full_size: Sequence[dict[str, Any]]) -> dict[str, list[Point]]:
    """The points of every plot, those of full-size builds among them: the last run of each size."""
    plots: defaultdict[str, list[Point]] = defaultdict(list)
    for part in results.values():
        for point in part.points:
            plots[point.plot].append(point)
    runs = {(row["case"], row["size"]): row for row in full_size if (row["engine"], row["workers"]) == ("local", 2)}
    for (case, size), row in runs.items():
        plots["full-size-seconds"].append(Point("", case, size, row["cpu_s"]))
        plots["full-size-memory"].append(Point("", case, size, row["peak_mb"]))
    return {name: plots[name] for name in AXES if plots[name]}


def _plots(results: dict[str, Results], full_size: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield '<a id="curves"></a>\n\n## Curves\n'
    for name, points in all_points(results, full_size).items():
        axes = AXES[name]
        yield f'<a id="curve-{name}"></a>\n\n![{axes.title}](plots/{name}.svg)\n'
        rows = []
        for label in dict.fromkeys(point.series for point in points):
            series = sorted((point for point in points if point.series == label), key=lambda point: point.size)
            values = "; ".join(f"{point.size:,.0f}: {number(point.value)}" for point in series)
            rows.append((label, values, f"{growth(series):.2f}"))
        yield "Growth is the exponent between the two largest sizes: 0 is none, 1 linear.\n"
        yield table((axes.title, f"{axes.value}, by {axes.size}", "growth"), rows)


def draw_plot(name: str, points: Sequence[Point], path: Path) -> None:
    """One plot with logarithmic axes as an SVG file; the same points make the same bytes."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    axes, settings = AXES[name], {"svg.hashsalt": name, "svg.fonttype": "none", "font.size": 10}
    with mpl.rc_context(settings):
        figure, panel = pyplot.subplots(figsize=(6.4, 3.8), layout="constrained")
        series: defaultdict[str, list[Point]] = defaultdict(list)
        for point in points:
            series[point.series].append(point)
        for label, of_series in series.items():
            ordered = sorted(of_series, key=lambda point: point.size)
            panel.plot([p.size for p in ordered], [p.value for p in ordered], marker="o", markersize=4, label=label)
        panel.set(xscale="log", yscale="log", title=axes.title, xlabel=axes.size, ylabel=axes.value)
        panel.grid(True, which="major", alpha=0.3)
        panel.legend(frameon=False)
        figure.savefig(path, format="svg", metadata={"Date": None})
        pyplot.close(figure)


def render_scale(page: str, results: dict[str, Results]) -> str:
    """The page about scale with its tables computed anew."""
    claims = {claim.name: claim for part in results.values() for claim in part.claims}
    points = [point for part in results.values() for point in part.points if point.plot == "plans-memory"]
    return fill_in(page, scale_tables(claims, points))


def write_results() -> None:
    """Write the page and the plots."""
    results, full_size = load_results(), load_full_size()
    PAGE.write_text(render_page(results, full_size), encoding="utf-8")
    SCALE.write_text(render_scale(SCALE.read_text(encoding="utf-8"), results), encoding="utf-8")
    PLOTS.mkdir(exist_ok=True)
    plots = all_points(results, full_size)
    for path in PLOTS.glob("*.svg"):
        if path.stem not in plots:
            path.unlink()
    for name, points in plots.items():
        draw_plot(name, points, PLOTS / f"{name}.svg")
