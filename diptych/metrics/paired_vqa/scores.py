"""The papers' scores, by the papers' names: each a plain function of arrays, NaN where its denominator is empty."""

from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ScoringError, unknown_name

Flags = NDArray[np.bool_]

CONSISTENCY_RULES: tuple[str, ...] = ("same", "different", "ontological")
"""What self-consistency may require."""


def rad(original_right: ArrayLike, perturbed_right: ArrayLike) -> float:
    """RAD(D, D'): of the pairs right on the original, the share right on both sides; swap the arguments for RAD(D', D).

    >>> rad([True, True, False], [True, False, True])
    0.5
    >>> rad([False], [True])
    nan
    """
    original, perturbed = _flags(original_right, perturbed_right)
    return _share(original & perturbed, original)


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

    >>> self_consistency(["yes", "no"], ["yes", "yes"])
    0.5
    >>> self_consistency(["yes", "no"], ["yes", "yes"], rule="different")
    0.5
    >>> self_consistency(["no", "yes"], ["yes", "no"], rule="ontological", right_answers=["yes", "yes"])
    0.5
    """
    if rule not in CONSISTENCY_RULES:
        raise unknown_name("rule", rule, CONSISTENCY_RULES)
    original, perturbed = np.asarray(original_answers, dtype=object), np.asarray(perturbed_answers, dtype=object)
    if original.shape != perturbed.shape:
        raise ScoringError(f"the sides have different lengths: {len(original)} and {len(perturbed)}")
    every_pair = np.ones(len(original), dtype=np.bool_)
    if rule == "ontological":
        if right_answers is None:
            raise ScoringError("the ontological rule needs right_answers")
        right = np.asarray(right_answers, dtype=object)
        return _share(~((original == right) & (perturbed != right)), every_pair)
    is_equal = original == perturbed
    return _share(is_equal if rule == "same" else ~is_equal, every_pair)


def comprehensive_accuracy(
    original_right: ArrayLike, perturbed_right: ArrayLike, is_consistent: ArrayLike | None = None
) -> float:
    """CARETS' C-ACC: the share of pairs right on both sides (and consistent, where that is given).

    >>> comprehensive_accuracy([True, True], [True, False])
    0.5
    """
    original, perturbed = _flags(original_right, perturbed_right)
    both_right = original & perturbed
    if is_consistent is not None:
        both_right = both_right & _flags(is_consistent, original)[0]
    return _share(both_right, np.ones(len(both_right), dtype=np.bool_))


def r_score(difference: float, t: float = 5e-4, m: float = 0.2) -> float:
    """The basic-questions paper's R_score (Eq. 3) of a difference of accuracies between 0 and 1.

    >>> round(r_score(0.1020), 2)
    0.3
    """
    if not 0 <= t < m <= 1:
        raise ScoringError(f"R_score needs 0 <= t < m <= 1, not t = {t}, m = {m}")
    score = (sqrt(m) - sqrt(abs(difference))) / (sqrt(m) - sqrt(t))
    return score if np.isnan(score) else max(0.0, min(1.0, score))


def accuracy_drop(original_accuracy: float, perturbed_accuracy: float) -> float:
    """The accuracy that the perturbation costs, in points."""
    return original_accuracy - perturbed_accuracy


def relative_reduction(original_accuracy: float, perturbed_accuracy: float) -> float:
    """The share of the original accuracy that the perturbation costs.

    >>> round(relative_reduction(0.768, 0.641), 3)
    0.165
    """
    return accuracy_drop(original_accuracy, perturbed_accuracy) / original_accuracy if original_accuracy else nan


def _flags(original: ArrayLike, perturbed: ArrayLike) -> tuple[Flags, Flags]:
    original_flags, perturbed_flags = np.asarray(original, dtype=np.bool_), np.asarray(perturbed, dtype=np.bool_)
    if original_flags.shape != perturbed_flags.shape:
        raise ScoringError(f"the sides have different lengths: {original_flags.size} and {perturbed_flags.size}")
    return original_flags, perturbed_flags


def _share(hits: Flags, base: Flags) -> float:
    count = int(base.sum())
    return int((hits & base).sum()) / count if count else nan
