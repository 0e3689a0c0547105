"""Mean and standard deviation over folds, as FVQA reports its accuracy."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

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


def _spread(values: list[float]) -> OverFolds:
    known = np.array([value for value in values if not np.isnan(value)])
    sd = float(known.std(ddof=1)) if len(known) > 1 else nan
    return OverFolds(float(known.mean()) if len(known) else nan, sd, len(known))
