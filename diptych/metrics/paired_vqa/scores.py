"""The papers' scores, by the papers' names: each a plain function of arrays, NaN where its denominator is empty."""

from collections.abc import Mapping
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .columns import ScoringError, unknown_name

Rights = Mapping[str, tuple[ArrayLike, ArrayLike]]
"""By test: which pairs a model has right on the original and on the perturbed side."""


def rad(original_right: ArrayLike, perturbed_right: ArrayLike) -> float:
    """RAD(D, D'): of the pairs right on the original, the share right on both sides; swap the arguments for RAD(D', D).

    >>> rad([True, True, False], [True, False, True])
    0.5
    """
    original, perturbed = _sides(original_right, perturbed_right, np.bool_)
    return _share(perturbed[original])


def self_consistency(
    original_answers: ArrayLike,
    perturbed_answers: ArrayLike,
    rule: str = "same",
    right_answers: ArrayLike | None = None,
) -> float:
    """CARETS' CONS: the share of pairs whose two answers are related as the test requires.

    `same` requires equal answers and `different` unequal ones. `ontological` requires only that the answers do not
    contradict the ontology: right answers are `yes` where the perturbed question names a kind that includes the
    original's, and `no` where it names a kind included in it, so that a right original implies the perturbed answer.

    >>> self_consistency(["no", "yes"], ["yes", "no"], rule="ontological", right_answers=["yes", "yes"])
    0.5
    """
    original, perturbed = _sides(original_answers, perturbed_answers, object)
    if rule in ("same", "different"):
        return _share((original == perturbed) == (rule == "same"))
    if rule != "ontological":
        raise unknown_name("rule", rule, ("same", "different", "ontological"))
    if right_answers is None:
        raise ScoringError("the ontological rule needs right_answers")
    right = np.asarray(right_answers, dtype=object)
    return _share((original != right) | (perturbed == right))


def comprehensive_accuracy(
    original_right: ArrayLike, perturbed_right: ArrayLike, is_consistent: ArrayLike | None = None
) -> float:
    """CARETS' C-ACC: the share of pairs right on both sides (and consistent, where that is given).

    >>> comprehensive_accuracy([True, True], [True, False])
    0.5
    """
    original, perturbed = _sides(original_right, perturbed_right, np.bool_)
    consistent, _ = _sides(original if is_consistent is None else is_consistent, original, np.bool_)
    return _share(original & perturbed & consistent)


def r_score(difference: float, t: float = 5e-4, m: float = 0.2) -> float:
    """The basic-questions paper's R_score (Eq. 3) of a difference of accuracies between 0 and 1.

    >>> round(r_score(0.1020), 2)
    0.3
    """
    if not 0 <= t < m <= 1:
        raise ScoringError(f"R_score needs 0 <= t < m <= 1, not t = {t}, m = {m}")
    return float(np.clip((sqrt(m) - sqrt(abs(difference))) / (sqrt(m) - sqrt(t)), 0.0, 1.0))


def accuracy_drop(original_accuracy: float, perturbed_accuracy: float) -> float:
    """The accuracy that the perturbation costs, in points."""
    return original_accuracy - perturbed_accuracy


def relative_reduction(original_accuracy: float, perturbed_accuracy: float) -> float:
    """The share of the original accuracy that the perturbation costs.

    >>> round(relative_reduction(0.768, 0.641), 3)
    0.165
    """
    return (original_accuracy - perturbed_accuracy) / original_accuracy if original_accuracy else nan


def coverage_matrix(right: Mapping[str, ArrayLike]) -> dict[str, dict[str, float]]:
    """CARETS' model coverage: entry (i, j) is the share of model j's right pairs that model i has right too.

    >>> coverage_matrix({"a": [True, True], "b": [True, False]})["b"]
    {'a': 0.5, 'b': 1.0}
    """
    return {row: {column: rad(right[column], right[row]) for column in right} for row in right}


def rad_regression(models: Mapping[str, Rights]) -> dict[str, tuple[float, float]]:
    """RAD's Table 4: the mean and standard deviation of R² over the tests, each in turn the unseen one.

    For every unseen test, `Accuracy(D)`, `RAD(D, D')` and `RAD(D', D)` are taken over the other tests together, and
    explain the accuracy on the unseen test's perturbed side over all models.
    """
    tests = sorted({test for rights in models.values() for test in rights})
    if len(tests) < 2 or any(set(rights) != set(tests) for rights in models.values()):
        raise ScoringError("the regression needs two tests or more, and every model on all of them")
    names = ("accuracy", "rad_forward", "rad_backward")
    feature_columns = {", ".join(names): [0, 1, 2], **{name: [column] for column, name in enumerate(names)}}
    r2_values: dict[str, list[float]] = {name: [] for name in feature_columns}
    for test in tests:
        features = np.array([_features(rights, test) for rights in models.values()])
        for model, row in zip(models, features, strict=True):
            if np.isnan(row).any():
                raise ScoringError(f"{model} is right on no original or no perturbed side: its RAD is undefined")
        target = np.array([np.mean(np.asarray(rights[test][1], dtype=np.float64)) for rights in models.values()])
        for name, columns in feature_columns.items():
            r2_values[name].append(regression_r2(features[:, columns], target))
    return {name: (float(np.mean(values)), float(np.std(values, ddof=1))) for name, values in r2_values.items()}


def regression_r2(features: NDArray[np.float64], target: NDArray[np.float64]) -> float:
    """R² of a linear regression with intercept: how much of the target the features explain over many models."""
    design = np.column_stack([np.ones(len(features)), features])
    residual = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
    total = float(((target - target.mean()) ** 2).sum())
    return 1.0 - float((residual**2).sum()) / total if total else nan


def _features(rights: Rights, unseen_test: str) -> tuple[float, float, float]:
    others = [sides for test, sides in sorted(rights.items()) if test != unseen_test]
    original, perturbed = (np.concatenate([np.asarray(sides[i], np.bool_) for sides in others]) for i in (0, 1))
    return float(original.mean()), rad(original, perturbed), rad(perturbed, original)


def _sides(original: ArrayLike, perturbed: ArrayLike, dtype: type) -> tuple[NDArray[Any], NDArray[Any]]:
    first: NDArray[Any] = np.asarray(original, dtype=dtype)
    second: NDArray[Any] = np.asarray(perturbed, dtype=dtype)
    if first.shape != second.shape:
        raise ScoringError(f"the sides have different lengths: {first.size} and {second.size}")
    return first, second


def _share(hits: NDArray[Any]) -> float:
    return int(hits.sum()) / len(hits) if len(hits) else nan
