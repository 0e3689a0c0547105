"""Everything that is reported about the answers of one model, as plain data, with FVQA's means over folds."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import nan
from typing import Any

import numpy as np

from .baselines import baseline_scores
from .columns import ranks
from .families import get_family
from .outcomes import Options, Outcome
from .references import References
from .rules import model_rules
from .scoring import ModelScores, Scores, settings


def group_columns(references: References, family: str, by: Sequence[str] = ()) -> tuple[str, ...]:
    """The columns to break scores down by: `test` and those of the family, where present, and the columns in `by`."""
    own_columns = [name for name in ("test", *get_family(family).groups) if references.has_column(name)]
    return tuple(dict.fromkeys((*own_columns, *by)))


def summarize(model: ModelScores, options: Options) -> dict[str, Any]:
    """The scores by name, with n, intervals, reasons, baselines, settings, and rules and folds where they apply."""
    references = model.references
    summary: dict[str, Any] = model.values() | {
        "n": len(references),
        "scores": model.as_dict(),
        "baselines": baseline_scores(references, options),
        "settings": settings(references, options),
    }
    if get_family(options.family).mines_rules:
        summary["rules"] = [rule.as_dict() for rule in model_rules(references, model.outcome)]
    if "fold" in model.groups:
        means = {
            "folds": mean_over_folds(model.groups["fold"]),
            "originating": originating_accuracy(references, model.outcome),
        }
        summary |= {key: {name: asdict(mean) for name, mean in scores.items()} for key, scores in means.items()}
    return summary


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
    folds, names = ranks(references.column("fold"))
    sources = references.column("source_id").codes
    accuracies: dict[str, list[float]] = {"originating": [], "adversarial": [], "gap": []}
    for fold in range(len(names)):
        rows = np.flatnonzero(folds == fold)
        _, questions = np.unique(sources[rows], return_inverse=True)
        by_question = np.bincount(questions, weights=outcome.original.right[rows]) / np.bincount(questions)
        originating, adversarial = float(by_question.mean()), float(outcome.perturbed.right[rows].mean())
        for name, value in zip(accuracies, (originating, adversarial, originating - adversarial), strict=True):
            accuracies[name].append(value)
    return {name: _mean(values) for name, values in accuracies.items()}


def _mean(values: list[float]) -> FoldMean:
    defined_values = np.array([value for value in values if not np.isnan(value)])
    sd = float(defined_values.std(ddof=1)) if len(defined_values) > 1 else nan
    return FoldMean(float(defined_values.mean()) if len(defined_values) else nan, sd, len(defined_values))
