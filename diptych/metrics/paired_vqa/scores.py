"""The papers' scores, by the papers' names: each a plain function of arrays, NaN where its denominator is empty."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ScoringError, unknown
from .outcomes import Flags, Outcome
from .references import EXPECTATIONS, References
from .rightness import PARTS

RULES: tuple[str, ...] = ("same", "different", "ontological")
"""What self-consistency may ask for."""


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
    """CARETS' CONS: the share of pairs whose two answers hang together as the test asks.

    `same` asks for equal answers and `different` for unequal ones. `ontological` asks only that the answers do not
    contradict the ontology: right answers are `yes` where the perturbed question names a kind that includes the
    original's, and `no` where it names a kind included in it, so that a right original obliges the perturbed answer.

    >>> self_consistency(["yes", "no"], ["yes", "yes"])
    0.5
    >>> self_consistency(["yes", "no"], ["yes", "yes"], rule="different")
    0.5
    >>> self_consistency(["no", "yes"], ["yes", "no"], rule="ontological", right_answers=["yes", "yes"])
    0.5
    """
    if rule not in RULES:
        raise unknown("rule", rule, RULES)
    original, perturbed = np.asarray(original_answers, dtype=object), np.asarray(perturbed_answers, dtype=object)
    if original.shape != perturbed.shape:
        raise ScoringError(f"the sides have different lengths: {len(original)} and {len(perturbed)}")
    equal = original == perturbed
    if rule == "ontological":
        if right_answers is None:
            raise ScoringError("the ontological rule needs right_answers")
        right = np.asarray(right_answers, dtype=object)
        return _share(~((original == right) & (perturbed != right)), np.ones(len(equal), dtype=np.bool_))
    return _share(equal if rule == "same" else ~equal, np.ones(len(equal), dtype=np.bool_))


def comprehensive_accuracy(
    original_right: ArrayLike, perturbed_right: ArrayLike, consistent: ArrayLike | None = None
) -> float:
    """CARETS' C-ACC: the share of pairs right on both sides (and consistent, where that is given).

    >>> comprehensive_accuracy([True, True], [True, False])
    0.5
    """
    original, perturbed = _flags(original_right, perturbed_right)
    both = original & perturbed
    if consistent is not None:
        both = both & _flags(consistent, original)[0]
    return _share(both, np.ones(len(both), dtype=np.bool_))


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
    """How many points of accuracy the perturbation costs."""
    return original_accuracy - perturbed_accuracy


def relative_reduction(original_accuracy: float, perturbed_accuracy: float) -> float:
    """The share of the original accuracy that the perturbation costs.

    >>> round(relative_reduction(0.768, 0.641), 3)
    0.165
    """
    return accuracy_drop(original_accuracy, perturbed_accuracy) / original_accuracy if original_accuracy else nan


@dataclass(frozen=True, slots=True)
class Tally:
    """One rate, pair by pair: how much each pair adds above and below the line."""

    above: NDArray[np.int64]
    """In parts of `PARTS`."""
    below: NDArray[np.int64]


RATES: dict[str, str] = {
    "accuracy": "no pair has a known perturbed answer",
    "accuracy_original": "there are no pairs",
    "accuracy_perturbed": "there are no pairs",
    "accuracy_both": "no pair has a known perturbed answer",
    "rad_forward": "no pair is right on the original side",
    "rad_backward": "no pair is right on the perturbed side",
    "self_consistency": "no pair expects the same or a different answer",
    "comprehensive_accuracy": "no pair has a known perturbed answer",
    "ontological_consistency": "no pair belongs to an ontological test",
    "answer_change_rate": "no pair has two answers that could be read",
    "yes_rate": "no question is a yes/no question",
    "no_rate": "no question is a yes/no question",
    "unparsed_rate": "no question leaves choices",
}
"""Every rate, and why it is undefined where it is."""


def tallies(references: References, outcome: Outcome) -> dict[str, Tally]:
    """Every rate of a model, pair by pair."""
    known = ~references.expects("open")
    every = np.ones(len(references), dtype=np.bool_)
    original, perturbed = outcome.original, outcome.perturbed
    both = original.right & perturbed.right
    held = _consistent(references, outcome)
    ontological, contradicted = _ontological(references, outcome)
    yes_no = (references.original.choices == 1).astype(np.int64) + (references.perturbed.choices == 1)
    unread = (original.closed & ~original.read).astype(np.int64) + (perturbed.closed & ~perturbed.read)
    return {
        "accuracy": Tally((original.accuracy + perturbed.accuracy) * known // 2, known.astype(np.int64)),
        "accuracy_original": Tally(original.accuracy, every.astype(np.int64)),
        "accuracy_perturbed": Tally(perturbed.accuracy, every.astype(np.int64)),
        "accuracy_both": _tally(both, known),
        "rad_forward": _tally(both, original.right & known),
        "rad_backward": _tally(both, perturbed.right & known),
        "self_consistency": _tally(held, references.expects("same", "different")),
        "comprehensive_accuracy": _tally(both & (held | references.expects("given")), known),
        "ontological_consistency": _tally(~contradicted, ontological),
        "answer_change_rate": _tally(outcome.changed, outcome.read),
        "yes_rate": Tally((original.yes.astype(np.int64) + perturbed.yes) * PARTS, yes_no),
        "no_rate": Tally((original.no.astype(np.int64) + perturbed.no) * PARTS, yes_no),
        "unparsed_rate": Tally(unread * PARTS, original.closed.astype(np.int64) + perturbed.closed),
    }


Sums = Mapping[tuple[str, int], Any]


def derived(sums: Sums, t: float, m: float) -> dict[str, Any]:
    """The scores that are no rates, from the sums of the accuracies (numbers, or arrays of resampled sums)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        count = np.asarray(sums["accuracy_original", 1], dtype=np.float64) * PARTS
        original, perturbed = sums["accuracy_original", 0] / count, sums["accuracy_perturbed", 0] / count
        drop = original - perturbed
        reduction = np.where(original > 0, drop / original, nan)
        score = np.clip((sqrt(m) - np.sqrt(np.abs(drop))) / (sqrt(m) - sqrt(t)), 0.0, 1.0)
    return {"accuracy_drop": drop, "relative_reduction": reduction, "r_score": score}


DERIVED: dict[str, str] = {
    "accuracy_drop": "there are no pairs",
    "relative_reduction": "the accuracy on the original side is zero",
    "r_score": "there are no pairs",
}
"""Every score that is no rate, and why it is undefined where it is."""

SCORES_OF: dict[str, tuple[str, ...]] = {
    "rad": ("accuracy_original", "accuracy_perturbed", "accuracy_both", "rad_forward", "rad_backward"),
    "carets": (
        "accuracy",
        "accuracy_original",
        "accuracy_perturbed",
        "self_consistency",
        "comprehensive_accuracy",
        "ontological_consistency",
    ),
    "bqd": ("accuracy_original", "accuracy_perturbed", "accuracy_drop", "r_score", "answer_change_rate"),
    "kb": (
        "accuracy_original",
        "accuracy_perturbed",
        "accuracy_drop",
        "relative_reduction",
        "answer_change_rate",
    ),
    "fvqa2": (
        "accuracy_original",
        "accuracy_perturbed",
        "accuracy_drop",
        "accuracy_both",
        "rad_forward",
        "rad_backward",
    ),
    "all": (*(name for name in RATES if name not in {"yes_rate", "no_rate", "unparsed_rate"}), *DERIVED),
}
"""The scores of each configuration; the yes-rate, the no-rate and the unparsed share belong to all of them."""

ALWAYS: tuple[str, ...] = ("yes_rate", "no_rate", "unparsed_rate")
"""The rates that every configuration reports."""


def score_names(config: str) -> tuple[str, ...]:
    """The names of all scores of a configuration."""
    if config not in SCORES_OF:
        raise unknown("config", config, SCORES_OF)
    return (*SCORES_OF[config], *ALWAYS)


def _consistent(references: References, outcome: Outcome) -> Flags:
    wants = references.expectation
    same, different = EXPECTATIONS.index("same"), EXPECTATIONS.index("different")
    held: Flags = ((wants == same) & outcome.same) | ((wants == different) & outcome.changed)
    return held


def _ontological(references: References, outcome: Outcome) -> tuple[Flags, Flags]:
    if "test" not in references.table.column_names:
        nowhere = np.zeros(len(references), dtype=np.bool_)
        return nowhere, nowhere
    asked = references.column("test").map(lambda test: "ontolog" in test).astype(np.bool_)
    # A right original obliges the perturbed answer (see `self_consistency`); an unread answer obliges to nothing.
    contradicted = outcome.original.right & ~outcome.perturbed.right
    return asked & outcome.read, contradicted


def _tally(hit: Flags, asked: Flags) -> Tally:
    return Tally((hit & asked).astype(np.int64) * PARTS, asked.astype(np.int64))


def _flags(first: ArrayLike, second: ArrayLike) -> tuple[Flags, Flags]:
    one, other = np.asarray(first, dtype=np.bool_), np.asarray(second, dtype=np.bool_)
    if one.shape != other.shape:
        raise ScoringError(f"the sides have different lengths: {one.size} and {other.size}")
    return one, other


def _share(hit: Flags, asked: Flags) -> float:
    count = int(asked.sum())
    return int((hit & asked).sum()) / count if count else nan
