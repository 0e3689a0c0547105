"""Scores for paired datasets: of a built folder, and the code of the `evaluate` module in `paired_vqa` as functions."""

from diptych.metrics._baselines import predict_baseline, score_baselines
from diptych.metrics._predictions import read_predictions, write_predictions
from diptych.metrics._report import ScoreReport, score_predictions
from diptych.metrics._text_tables import baseline_table
from diptych.metrics._version_scores import ScoreChange, ScoreChanges, score_changes
from diptych.metrics.paired_vqa.accuracy import vqa_accuracy
from diptych.metrics.paired_vqa.baselines import BASELINES
from diptych.metrics.paired_vqa.comparison import benjamini_hochberg, compare, coverage_matrix, holm, mcnemar
from diptych.metrics.paired_vqa.errors import ScoringError
from diptych.metrics.paired_vqa.families import FAMILIES, ScoreFamily, score_names
from diptych.metrics.paired_vqa.intervals import bootstrap_intervals, wilson
from diptych.metrics.paired_vqa.normalization import NORMALIZERS, closest_nodes, normalize
from diptych.metrics.paired_vqa.parsing import parse_answer
from diptych.metrics.paired_vqa.regression import rad_regression
from diptych.metrics.paired_vqa.rules import mine_rules
from diptych.metrics.paired_vqa.scores import (
    accuracy_drop,
    comprehensive_accuracy,
    r_score,
    rad,
    relative_reduction,
    self_consistency,
)
from diptych.metrics.paired_vqa.scoring import Options, score_pairs

__all__ = [
    "BASELINES",
    "FAMILIES",
    "NORMALIZERS",
    "Options",
    "ScoreChange",
    "ScoreChanges",
    "ScoreFamily",
    "ScoreReport",
    "ScoringError",
    "accuracy_drop",
    "baseline_table",
    "benjamini_hochberg",
    "bootstrap_intervals",
    "closest_nodes",
    "compare",
    "comprehensive_accuracy",
    "coverage_matrix",
    "holm",
    "mcnemar",
    "mine_rules",
    "normalize",
    "parse_answer",
    "predict_baseline",
    "r_score",
    "rad",
    "rad_regression",
    "read_predictions",
    "relative_reduction",
    "score_baselines",
    "score_changes",
    "score_names",
    "score_pairs",
    "score_predictions",
    "self_consistency",
    "vqa_accuracy",
    "wilson",
    "write_predictions",
]
