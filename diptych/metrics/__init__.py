"""Scores for paired datasets: of a built folder, and the code of the `evaluate` module in `paired_vqa` as functions."""

from pathlib import Path

from diptych.metrics._contrast import Contrast, contrast_models, contrast_table
from diptych.metrics._explanations import OUTCOMES, classify_pairs
from diptych.metrics._formats import is_header
from diptych.metrics._power import PowerPlan, plan_power
from diptych.metrics._predictions import (
    ORACLE,
    SCORED_COLUMNS,
    load_oracle,
    model_name,
    predict_baseline,
    predictions_header,
    read_predictions,
    score_baselines,
    scoring,
    write_predictions,
)
from diptych.metrics._rendering import format_number, score_cell
from diptych.metrics._report import (
    ModelComparison,
    ScoreChanges,
    ScoreReport,
    compare_models,
    score_changes,
    score_predictions,
)
from diptych.metrics._tables import baseline_table
from diptych.metrics.paired_vqa.columns import ScoringError
from diptych.metrics.paired_vqa.families import FAMILIES, get_family, higher_is_better, score_names
from diptych.metrics.paired_vqa.groups import (
    all_right,
    consensus_score,
    prior_error_share,
    worst_of_group,
    yes_no_scores,
)
from diptych.metrics.paired_vqa.intervals import wilson
from diptych.metrics.paired_vqa.normalization import normalize
from diptych.metrics.paired_vqa.outcomes import Options, vqa_accuracy
from diptych.metrics.paired_vqa.reader import parse_answer, read_answer
from diptych.metrics.paired_vqa.scores import (
    accuracy_drop,
    comprehensive_accuracy,
    coverage_matrix,
    r_score,
    rad,
    rad_regression,
    relative_reduction,
    self_consistency,
)
from diptych.metrics.paired_vqa.scoring import score_pairs
from diptych.metrics.paired_vqa.summary import BASELINES

__all__ = ["BASELINES", "FAMILIES", "ORACLE", "SCORED_COLUMNS", "Options", "ScoringError"]
__all__ += ["OUTCOMES", "classify_pairs", "get_family"]
__all__ += ["Contrast", "ModelComparison", "compare_models", "contrast_models", "contrast_table"]
__all__ += ["ScoreChanges", "ScoreReport", "score_changes", "score_names", "score_pairs", "score_predictions"]
__all__ += ["accuracy_drop", "comprehensive_accuracy", "coverage_matrix", "r_score", "rad", "rad_regression"]
__all__ += ["relative_reduction", "self_consistency", "vqa_accuracy", "wilson"]
__all__ += ["all_right", "consensus_score", "prior_error_share", "worst_of_group", "yes_no_scores"]
__all__ += ["baseline_table", "higher_is_better", "load_oracle", "normalize", "parse_answer", "path", "read_answer"]
__all__ += [
    "PowerPlan",
    "format_number",
    "is_header",
    "model_name",
    "plan_power",
    "predict_baseline",
    "predictions_header",
    "read_predictions",
    "score_baselines",
    "score_cell",
    "scoring",
    "write_predictions",
]


def path() -> Path:
    """The folder of the `evaluate` module, from wherever Python runs: `evaluate.load(str(path()), "rad")`.

    >>> (path() / "paired_vqa.py").is_file()
    True
    """
    return Path(__file__).parent / "paired_vqa"
