"""The charts of a report: those that fit the scores of a dataset, for the models that were compared on it."""

from collections.abc import Mapping, Sequence
from typing import Any

from diptych.folder import BuiltFolder
from diptych.metrics import ModelComparison, scoring
from diptych.report._chart import Chart
from diptych.report._chart_answers import calibration_chart, change_charts, coverage_chart, floor_chart, rules_chart
from diptych.report._chart_data import ChartData, gather_data
from diptych.report._chart_scores import gap_chart, noise_chart, rad_chart, rarity_chart

BASELINES = ("always-yes", "majority")


def report_charts(
    folder: BuiltFolder,
    comparison: ModelComparison,
    predictions: Mapping[str, Any] | None = None,
    baselines: Sequence[str] = BASELINES,
) -> tuple[Chart, ...]:
    """The charts that fit the dataset of a folder, whose models were compared with `compare_models`.

    `predictions` are the files of the models, by the same names: calibration is drawn from the log-probabilities in
    them. `baselines` names the degenerate models that stand beside the others. A chart whose scores no model has is
    left out, and so is one that the dataset's family of scores does not ask for.
    """
    if not comparison.reports or not next(iter(comparison.reports.values())).coverage.scored:
        return ()
    with scoring(folder.location):
        return draw_charts(gather_data(folder, comparison, predictions, baselines))


def draw_charts(data: ChartData) -> tuple[Chart, ...]:
    """All charts that fit, those of the papers first."""
    charts = [rad_chart(data), gap_chart(data), noise_chart(data), *change_charts(data), rules_chart(data)]
    charts += [rarity_chart(data), coverage_chart(data), floor_chart(data), calibration_chart(data)]
    return tuple(chart for chart in charts if chart is not None)
