"""Mean and standard deviation over folds, as FVQA reports its accuracy."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan

import numpy as np

from .outcomes import Outcome
from .references import References
from .scoring import Scores


@dataclass(frozen=True, slots=True)
class FoldMean:
    """The mean of a score over folds and its standard deviation between them."""

    mean: float
    sd: float
    folds: int


def mean_over_folds(by_fold: Mapping[str, Scores]) -> dict[str, FoldMean]:
    """The mean and the sample standard deviation of every score over the folds; undefined folds are left out."""
    names = list(next(iter(by_fold.values()), {}))
    return {name: _mean([scores[name].value for scores in by_fold.values()]) for name in names}


def originating_accuracy(references: References, outcome: Outcome) -> dict[str, FoldMean]:
    """Accuracy on originating questions and on the adversarial pairs made from them, over folds (the paper's Table 2).

    A question from which several pairs were made counts once; the answers of the model to it are averaged.
    """
    if not (references.has_column("fold") and references.has_column("source_id")):
        return {}
    folds, sources = references.column("fold"), references.column("source_id")
    accuracies: dict[str, list[float]] = {"originating": [], "adversarial": [], "gap": []}
    for fold in sorted(set(folds.values)):
        rows = np.flatnonzero(folds.codes == folds.values.index(fold))
        if not len(rows):
            continue
        _, questions = np.unique(sources.codes[rows], return_inverse=True)
        by_question = np.bincount(questions, weights=outcome.original.right[rows]) / np.bincount(questions)
        originating, adversarial = float(by_question.mean()), float(outcome.perturbed.right[rows].mean())
        accuracies["originating"].append(originating)
        accuracies["adversarial"].append(adversarial)
        accuracies["gap"].append(originating - adversarial)
    return {name: _mean(values) for name, values in accuracies.items()}


def _mean(values: list[float]) -> FoldMean:
    defined_values = np.array([value for value in values if not np.isnan(value)])
    sd = float(defined_values.std(ddof=1)) if len(defined_values) > 1 else nan
    return FoldMean(float(defined_values.mean()) if len(defined_values) else nan, sd, len(defined_values))
