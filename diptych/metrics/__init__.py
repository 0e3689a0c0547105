"""Scores for paired datasets: the code of the `evaluate` module in `paired_vqa`, as plain functions."""

from diptych.metrics.paired_vqa.answers import NORMALISERS, normalise
from diptych.metrics.paired_vqa.errors import ScoringError
from diptych.metrics.paired_vqa.intervals import wilson
from diptych.metrics.paired_vqa.parsing import parse_answer
from diptych.metrics.paired_vqa.rightness import vqa_accuracy
from diptych.metrics.paired_vqa.scores import comprehensive_accuracy, r_score, rad, self_consistency
from diptych.metrics.paired_vqa.scoring import Options, score_pairs

__all__ = [
    "NORMALISERS",
    "Options",
    "ScoringError",
    "comprehensive_accuracy",
    "normalise",
    "parse_answer",
    "r_score",
    "rad",
    "score_pairs",
    "self_consistency",
    "vqa_accuracy",
    "wilson",
]
