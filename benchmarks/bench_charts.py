"""Claim: every chart of a report takes made-up models seconds; each is drawn once, as a page and as a figure.

The pairs and the models are those of `bench_tables`, and two models more. `--out` names the folder for pages with all
charts and for the figures, which are otherwise thrown away, `--form` the form of these, `--pairs` how many pairs each
family has.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from bench_tables import FAMILIES, MODELS, made_up
from results import Claim, record

from diptych.builders import dataset_names, get_dataset
from diptych.folder import Selection
from diptych.metrics import Options, ScoreReport, score_pairs
from diptych.metrics._floor import measure_floor
from diptych.metrics.paired_vqa.columns import Coverage
from diptych.metrics.paired_vqa.references import References
from diptych.metrics.paired_vqa.summary import score_baseline
from diptych.report import Chart, PairFilter, chart_style, write_figures
from diptych.report._chart_data import ChartData, Subject
from diptych.report._charts import BASELINES, draw_charts
from diptych.report._marks import BASELINE

MODELS |= {"a model with a rather long name-72B-Instruct": (0.7, 0.8, 0.3, 0.02), "seventh": (0.75, 0.85, 0.6, 0.0)}
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Charts</title><style>:root {{ color-scheme: {scheme}; }}
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 20px; background: light-dark(#fbfaf7, #131417);
color: light-dark(#1d1c1a, #ecebe7); }} figure {{ margin: 0 0 48px; }} {style}</style>{figures}</html>
"""


def chart_data(family: str, pairs: int, models: int) -> ChartData:
    """Made-up models on made-up pairs, each asked twice and sure of its replies."""
    references, predictions = made_up(family, pairs)
    predictions = dict(list(predictions.items())[:models])
    options, reports = Options(family), {}
    spec = next(spec for spec in map(_spec, dataset_names()) if spec.score_family == family)
    selection = Selection(spec.default_config, "test")
    coverage = Coverage(len(references), len(references))
    for name, rows in predictions.items():
        model = score_pairs(rows, references, options)
        report = ScoreReport(selection, 0, coverage, options, model, name)
        floor = measure_floor(references, rows, asked_again(rows), options) if len(reports) < 2 else None
        reports[name] = replace(report, floor=floor)
    subjects = [Subject(name, report.model, style=number) for number, (name, report) in enumerate(reports.items())]
    baselines = (score_baseline(references, name, options) for name in BASELINES)
    subjects += [
        Subject(name, model, BASELINE, number)
        for number, (name, model) in enumerate(zip(BASELINES, baselines, strict=True))
    ]
    sure = {name: list(with_logprobs(references, rows)) for name, rows in list(predictions.items())[:3]}
    printed = tuple(table for table in spec.printed if table.fits(spec.default_config))
    return ChartData(spec.name, selection, options, reports, tuple(subjects), printed, sure)


def _spec(name: str) -> Any:
    return get_dataset(name).spec


def asked_again(rows: pa.Table) -> pa.Table:
    """The same replies, every tenth of them another."""
    answers = rows.to_pylist()
    for row, other in zip(answers[::10], answers[1::10], strict=False):
        row["original"] = other["original"]
    return pa.Table.from_pylist(answers)


def with_logprobs(references: References, rows: pa.Table) -> Iterator[dict[str, Any]]:
    """The replies by side, each with a log-probability that knows a little of whether it is right."""
    rng = np.random.default_rng(0)
    right = dict(zip(references.ids.to_pylist(), references.table["original_answer"].to_pylist(), strict=True))
    for row in rows.to_pylist():
        for side in ("original", "perturbed"):
            base = 0.25 if row[side] == right[row["pair_id"]] else 0.8
            yield {"pair_id": row["pair_id"], "side": side, "logprob": -float(rng.exponential(base))}


def link(pairs: PairFilter) -> str:
    """A hash as a viewer may have it."""
    return f"#{pairs.dataset}/{pairs.test}/{pairs.model}/{pairs.outcome}"


def figure(chart: Chart) -> str:
    """A chart as a page shows it."""
    lines = "".join(f"<p>{escape(text)}</p>" for text in (chart.caption, *chart.notes))
    return f"<figure><figcaption><h2>{escape(chart.title)}</h2>{lines}</figcaption>{chart.svg(link)}</figure>"


def main() -> None:
    """Draw every chart of every family, and print how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=4_000)
    parser.add_argument("--models", type=int, default=5)
    parser.add_argument("--form", default="pdf")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    with TemporaryDirectory() as scratch:
        draw_all(arguments, arguments.out or Path(scratch))


def draw_all(arguments: argparse.Namespace, out: Path) -> None:
    """Write the pages and the figures of every family."""
    out.mkdir(parents=True, exist_ok=True)
    for family in FAMILIES:
        data, start = chart_data(family, arguments.pairs, arguments.models), time.perf_counter()
        charts = draw_charts(data)
        drawn = time.perf_counter() - start
        figures = "".join(map(figure, charts))
        for scheme in ("light", "dark"):
            page = PAGE.format(scheme=scheme, style=chart_style(), figures=figures)
            (out / f"{family}-{scheme}.html").write_text(page, encoding="utf-8")
        names, start = ", ".join(chart.key for chart in charts), time.perf_counter()
        write_figures(charts, out, arguments.form)
        figures_time = time.perf_counter() - start
        counts = f"{arguments.pairs:,} pairs, {arguments.models} models"
        record(
            Claim(f"charts-{family}", f"{family}: every chart of a page", drawn, "s", size=counts),
            Claim(f"charts-{family}-figures", f"{family}: the same as figures", figures_time, "s", size=counts),
        )
        print(f"{family:<8} {counts}: {drawn:.2f} s, figures {figures_time:.2f} s: {names}")


if __name__ == "__main__":
    main()
