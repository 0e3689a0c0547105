"""Mean and standard deviation over folds, as FVQA reports its accuracy."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from .outcomes import Outcome
from .references import References
from .scoring import Scores


@dataclass(frozen=True, slots=True)
class OverFolds:
    """A score's mean over folds and how much it varies between them."""

    mean: float
    sd: float
    folds: int

    def as_dict(self) -> dict[str, Any]:
        """The score as plain data."""
        return {"mean": self.mean, "sd": self.sd, "folds": self.folds}


def over_folds(by_fold: Mapping[str, Scores]) -> dict[str, OverFolds]:
    """The mean and the sample standard deviation of every score over the folds; undefined folds are left out."""
    names = list(next(iter(by_fold.values()), {}))
    return {name: _spread([scores[name].value for scores in by_fold.values()]) for name in names}


def originating(references: References, outcome: Outcome) -> dict[str, OverFolds]:
    """Accuracy on originating questions and on the adversarial pairs made from them, over folds (the paper's Table 2).

    A question that several pairs come from counts once; what the model said to it is averaged over them.
    """
    table = references.table
    if not {"fold", "source_id"} <= set(table.column_names):
        return {}
    folds, sources = references.column("fold"), references.column("source_id")
    found: dict[str, list[float]] = {"originating": [], "adversarial": [], "gap": []}
    for fold in sorted(set(folds.values)):
        mine = np.flatnonzero(folds.codes == folds.values.index(fold))
        if not len(mine):
            continue
        _, once = np.unique(sources.codes[mine], return_inverse=True)
        asked = np.bincount(once, weights=outcome.original.right[mine]) / np.bincount(once)
        first, second = float(asked.mean()), float(outcome.perturbed.right[mine].mean())
        for name, value in zip(found, (first, second, first - second), strict=True):
            found[name].append(value)
    return {name: _spread(values) for name, values in found.items()}


def _spread(values: list[float]) -> OverFolds:
    known = np.array([value for value in values if not np.isnan(value)])
    sd = float(known.std(ddof=1)) if len(known) > 1 else nan
    return OverFolds(float(known.mean()) if len(known) else nan, sd, len(known))
