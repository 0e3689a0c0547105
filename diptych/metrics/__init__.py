"""Scores for paired datasets: the code of the `evaluate` module in `paired_vqa`, as plain functions."""

from diptych.metrics.paired_vqa.answers import NORMALISERS, normalise
from diptych.metrics.paired_vqa.comparing import benjamini_hochberg, compare, coverage_matrix, holm, mcnemar
from diptych.metrics.paired_vqa.errors import ScoringError
from diptych.metrics.paired_vqa.intervals import bootstrap_intervals, wilson
from diptych.metrics.paired_vqa.nodes import closest_nodes
from diptych.metrics.paired_vqa.parsing import parse_answer
from diptych.metrics.paired_vqa.regression import rad_regression
from diptych.metrics.paired_vqa.rightness import vqa_accuracy
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
    "NORMALISERS",
    "Options",
    "ScoringError",
    "accuracy_drop",
    "benjamini_hochberg",
    "bootstrap_intervals",
    "closest_nodes",
    "compare",
    "comprehensive_accuracy",
    "coverage_matrix",
    "holm",
    "mcnemar",
    "mine_rules",
    "normalise",
    "parse_answer",
    "r_score",
    "rad",
    "rad_regression",
    "relative_reduction",
    "score_pairs",
    "self_consistency",
    "vqa_accuracy",
    "wilson",
]
