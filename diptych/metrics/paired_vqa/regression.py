"""RAD's regression: whether accuracy and RAD of many models predict their accuracy on an unseen augmentation."""

from collections.abc import Mapping
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ScoringError
from .scores import rad

Rights = Mapping[str, tuple[ArrayLike, ArrayLike]]
"""By test: which pairs a model has right on the original and on the perturbed side."""

FEATURES: dict[str, tuple[int, ...]] = {
    "accuracy, rad_forward, rad_backward": (0, 1, 2),
    "accuracy": (0,),
    "rad_forward": (1,),
    "rad_backward": (2,),
}
"""The regressions of RAD's Table 4."""


def rad_regression(models: Mapping[str, Rights]) -> dict[str, tuple[float, float]]:
    """RAD's Table 4: the mean and standard deviation of R² over the tests, each in turn the unseen one.

    For every unseen test, `Accuracy(D)`, `RAD(D, D')` and `RAD(D', D)` are taken over the other tests together, and
    explain the accuracy on the unseen test's perturbed side over all models.
    """
    tests = sorted({test for rights in models.values() for test in rights})
    if len(tests) < 2 or any(set(rights) != set(tests) for rights in models.values()):
        raise ScoringError("the regression needs two tests or more, and every model on all of them")
    r2_values: dict[str, list[float]] = {name: [] for name in FEATURES}
    for test in tests:
        features = np.array([_features(rights, test) for rights in models.values()])
        target = np.array([np.mean(np.asarray(rights[test][1], dtype=np.float64)) for rights in models.values()])
        for name, columns in FEATURES.items():
            r2_values[name].append(regression_r2(features[:, columns], target))
    return {name: (float(np.mean(values)), float(np.std(values, ddof=1))) for name, values in r2_values.items()}


def regression_r2(features: ArrayLike, target: ArrayLike) -> float:
    """R² of a linear regression with intercept: how much of the target the features explain over many models.

    RAD's Table 4 explains the accuracy on an unseen augmentation by `Accuracy(D)`, `RAD(D, D')` and `RAD(D', D)`.

    >>> round(regression_r2([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]), 6)
    1.0
    """
    x, y = np.asarray(features, dtype=np.float64), np.asarray(target, dtype=np.float64)
    if x.ndim != 2 or len(x) != len(y):
        raise ScoringError("the features must be one row per model, as many as targets")
    design = np.column_stack([np.ones(len(x)), x])
    residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    total = float(((y - y.mean()) ** 2).sum())
    return 1.0 - float((residual**2).sum()) / total if total else nan


def _features(rights: Rights, unseen_test: str) -> tuple[float, float, float]:
    original, perturbed = (_concatenate(rights, unseen_test, side) for side in (0, 1))
    return float(original.mean()), rad(original, perturbed), rad(perturbed, original)


def _concatenate(rights: Rights, unseen_test: str, side: int) -> NDArray[np.bool_]:
    return np.concatenate(
        [np.asarray(sides[side], dtype=np.bool_) for test, sides in sorted(rights.items()) if test != unseen_test]
    )
