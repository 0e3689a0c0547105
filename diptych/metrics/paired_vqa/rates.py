"""Every rate of a model, pair by pair, as a numerator and a denominator; and the scores derived from their sums."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .accuracy import PARTS
from .outcomes import Flags, Outcome
from .references import YES_OR_NO, References

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
"""Every rate, and the reason where it is undefined."""

DERIVED: dict[str, str] = {
    "accuracy_drop": "there are no pairs",
    "relative_reduction": "the accuracy on the original side is zero",
    "r_score": "there are no pairs",
}
"""Every score that is derived from rates, and the reason where it is undefined."""

DERIVED_FROM: tuple[str, ...] = ("accuracy_original", "accuracy_perturbed")
"""The rates that the derived scores rest on."""

NUMERATOR, DENOMINATOR = 0, 1
"""The two parts of a rate, in the keys of sums."""

Sums = Mapping[tuple[str, int], Any]
"""The sums of the numerators and denominators of rates: numbers, or arrays of resampled sums."""


@dataclass(frozen=True, slots=True)
class Tally:
    """One rate, pair by pair."""

    numerator: NDArray[np.int64]
    """In parts of `PARTS`."""
    denominator: NDArray[np.int64]


def tally_rates(references: References, outcome: Outcome) -> dict[str, Tally]:
    """Every rate of a model, pair by pair."""
    is_known = ~references.expects("open")
    every_pair = np.ones(len(references), dtype=np.int64)
    original, perturbed = outcome.original, outcome.perturbed
    both_right = original.right & perturbed.right
    is_consistent = _consistent(references, outcome)
    # A right original implies the perturbed answer (see `self_consistency`); an unparsed answer implies nothing.
    is_ontological = _ontological(references) & outcome.parsed
    is_contradiction = original.right & ~perturbed.right
    yes_no = _add(references.original.choices == YES_OR_NO, references.perturbed.choices == YES_OR_NO)
    unparsed = _add(original.closed & ~original.parsed, perturbed.closed & ~perturbed.parsed)
    return {
        "accuracy": Tally((original.accuracy + perturbed.accuracy) * is_known // 2, is_known.astype(np.int64)),
        "accuracy_original": Tally(original.accuracy, every_pair),
        "accuracy_perturbed": Tally(perturbed.accuracy, every_pair),
        "accuracy_both": _tally(both_right, is_known),
        "rad_forward": _tally(both_right, original.right & is_known),
        "rad_backward": _tally(both_right, perturbed.right & is_known),
        "self_consistency": _tally(is_consistent, references.expects("same", "different")),
        "comprehensive_accuracy": _tally(both_right & (is_consistent | references.expects("given")), is_known),
        "ontological_consistency": _tally(~is_contradiction, is_ontological),
        "answer_change_rate": _tally(outcome.changed, outcome.parsed),
        "yes_rate": Tally(_add(original.yes, perturbed.yes) * PARTS, yes_no),
        "no_rate": Tally(_add(original.no, perturbed.no) * PARTS, yes_no),
        "unparsed_rate": Tally(unparsed * PARTS, _add(original.closed, perturbed.closed)),
    }


def derive_scores(sums: Sums, t: float, m: float) -> dict[str, Any]:
    """The scores that are derived from the sums of the accuracies."""
    with np.errstate(divide="ignore", invalid="ignore"):
        count = np.asarray(sums["accuracy_original", DENOMINATOR], dtype=np.float64) * PARTS
        original = sums["accuracy_original", NUMERATOR] / count
        perturbed = sums["accuracy_perturbed", NUMERATOR] / count
        drop = original - perturbed
        reduction = np.where(original > 0, drop / original, nan)
        score = np.clip((sqrt(m) - np.sqrt(np.abs(drop))) / (sqrt(m) - sqrt(t)), 0.0, 1.0)
    return {"accuracy_drop": drop, "relative_reduction": reduction, "r_score": score}


def _consistent(references: References, outcome: Outcome) -> Flags:
    is_same, is_different = (references.expects(name) for name in ("same", "different"))
    return (is_same & outcome.same) | (is_different & outcome.changed)


def _ontological(references: References) -> Flags:
    if not references.has_column("test"):
        return np.zeros(len(references), dtype=np.bool_)
    return references.column("test").map(lambda test: "ontolog" in test).astype(np.bool_)


def _tally(hits: Flags, base: Flags) -> Tally:
    return Tally((hits & base).astype(np.int64) * PARTS, base.astype(np.int64))


def _add(original: Flags, perturbed: Flags) -> NDArray[np.int64]:
    return original.astype(np.int64) + perturbed
