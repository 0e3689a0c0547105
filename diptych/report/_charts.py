"""The charts of a report: which fit a dataset, from the scores of its models."""

from collections.abc import Mapping, Sequence
from typing import Any

from diptych.folder import BuiltFolder
from diptych.metrics import ModelComparison
from diptych.report._chart import Chart


def report_charts(
    folder: BuiltFolder,
    comparison: ModelComparison,
    predictions: Mapping[str, Any] | None = None,
    baselines: Sequence[str] = ("always-yes", "majority"),
) -> tuple[Chart, ...]:
    """The charts that fit the dataset of a folder, whose models were compared with `compare_models`.

    `predictions` are the files of the models, by the same names, whose log-probabilities the calibration is drawn from;
    `baselines` names the degenerate models that stand beside them.
    """
    return ()
