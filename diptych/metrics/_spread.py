"""How a score varies from pair to pair, and how alike pairs of one group or image are: assumed, or that of a pilot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan, nan, sqrt

import numpy as np

from diptych.metrics.paired_vqa.columns import Codes
from diptych.metrics.paired_vqa.families import DERIVED, DERIVED_FROM, RATES, SIDE_SCORES
from diptych.metrics.paired_vqa.groups import Units
from diptych.metrics.paired_vqa.intervals import Floats
from diptych.metrics.paired_vqa.outcomes import Options
from diptych.metrics.paired_vqa.references import GROUP_ID, References
from diptych.metrics.paired_vqa.scoring import ModelScores, group_pairs, score_answers, score_values, select_tallies

Range = tuple[float, float]

EVERYTHING = "all"  # the name of all pairs among the tests
_RATE_VARIANCE = 0.25  # of a rate of one half, the largest
_CONDITIONAL = frozenset({"rad_forward", "rad_backward", "precision"})  # their pairs are those a model has right
IN_GROUP, IN_IMAGE = (0.0, 0.5), (0.0, 0.2)  # correlations where no pilot tells them
_NO_PILOT = "depends on the accuracies: pass the predictions of a pilot (--predictions)"
_NO_BASE = "is undefined: no pairs count for it"
_CONSTANT = "does not vary in the pilot: use more pairs"
_BEND = "is not smooth where the drop is zero, as it may be in the pilot: plan by accuracy_drop"
_STEP = 1e-6


@dataclass(frozen=True, slots=True)
class Spread:
    """How a score varies from pair to pair, and how alike pairs are that belong together."""

    variance: float
    in_group: float  # the correlation of two pairs of a group
    in_image: float  # and of two pairs of an image that are of different groups
    exact: bool = False  # whether models are compared by McNemar's exact test


Spreads = tuple[Spread, Spread]  # with the lowest and with the highest correlations


@dataclass(frozen=True, slots=True)
class Crowding:
    """How many pairs of a dataset a pair shares its group and its image with, itself included, on average."""

    pairs: int
    group: float
    image: float

    @classmethod
    def count(cls, weights: Floats, groups: Codes, images: Codes) -> "Crowding":
        """The sizes of groups and images; a pair weighs as much as it adds to the base of a score."""
        total = float((weights**2).sum())
        sizes = (float((np.bincount(codes, weights=weights) ** 2).sum()) / total for codes in (groups, images))
        group, image = sizes if total else (1.0, 1.0)
        return cls(len(weights), group, max(group, image))

    def design_effect(self, spread: Spread, share: float = 1.0) -> float:
        """By how much likeness raises the variance, in a sample of a share of all groups."""
        in_image = min(share, 1.0) * (self.image - self.group) * spread.in_image
        return 1 + (self.group - 1) * spread.in_group + in_image


@dataclass(frozen=True, slots=True)
class Design:
    """The groups and images of pairs, and what a model that is always right has: the base of every score."""

    model: ModelScores
    groups: Codes
    tests: Mapping[str, Codes]  # the rows of each

    @classmethod
    def of(cls, references: References, options: Options) -> "Design":
        """The design of some pairs, for the scores of a family."""
        grouped = group_pairs(references, options)
        right = (references.original.shown_answers, references.perturbed.shown_answers)
        model = score_answers(grouped, *right, replace(options, bootstrap=0, reader="strict"))
        has_groups = references.has_column(GROUP_ID)
        groups = references.column(GROUP_ID).codes if has_groups else np.arange(len(references))
        # A group about several images counts as one group in each.
        return cls(model, Units.combine(groups, grouped.clusters).codes, references.tests().groups(model.scope.rows))

    def parts(self) -> list[str]:
        """The tests after all pairs; only the test where there is one."""
        scope, tests = self.model.scope, list(self.tests)
        return tests if len(tests) == 1 and len(scope.headline) == len(scope.rows) else [EVERYTHING, *tests]

    def rows(self, part: str, name: str) -> Codes:
        """The pairs that a score of a part rests on: overall, those of the first part that the family compares."""
        if part != EVERYTHING:
            return self.tests.get(part, np.arange(0))
        return self.model.scope.rows if name in SIDE_SCORES else self.model.scope.headline

    def crowding(self, name: str, rows: Codes) -> tuple[Crowding, float]:
        """How crowded the pairs of a score are, and how many of its units there are per pair."""
        rate = DERIVED_FROM.get(name, (name,))[0]
        weights = select_tallies(self.model, rows, [rate])[rate][1].astype(np.float64)
        crowding = Crowding.count(weights, self.groups[rows], self.model.references.clusters[rows])
        return crowding, float(weights.mean()) if len(weights) else 0.0


def default_spreads(name: str, share: float) -> tuple[Spreads, Spreads, str]:
    """The spread of the difference of two models and of one, in the worst case."""
    variance = nan
    if name == "accuracy_drop":
        variance = 2 * _RATE_VARIANCE  # two sides
    elif share and name not in DERIVED:
        variance = _RATE_VARIANCE / (share / 2 if name in _CONDITIONAL else share)
    reason = _NO_BASE if not share else _NO_PILOT if isnan(variance) else ""
    low, high = (Spread(variance, *ends, _is_exact(name)) for ends in zip(IN_GROUP, IN_IMAGE, strict=True))
    return (_double(low), _double(high)), (low, high), reason


def _double(spread: Spread) -> Spread:
    """The spread of the difference of two models that err independently."""
    return replace(spread, variance=2 * spread.variance)


def pilot_spreads(
    design: Design, pilot: Sequence[ModelScores], name: str, rows: Codes, options: Options
) -> tuple[Spreads, Spreads, str]:
    """The spread of the difference of two models and of one, of those of the pilot that vary most."""
    influences = [influence(model, name, rows, options) for model in pilot]
    reason = _NO_BASE if any(np.isnan(values).any() for values in influences) else ""
    if name == "r_score" and not reason:
        reason = _BEND if any(_has_no_drop(model, rows, options) for model in pilot) else ""
    singles = [_spreads(design, name, rows, values) for values in influences]
    pairs = [_spreads(design, name, rows, first - second) for first, second in combinations(influences, 2)]
    single = max(singles, key=lambda spreads: spreads[0].variance)
    pair = max(pairs or [(_double(single[0]), _double(single[1]))], key=lambda spreads: spreads[0].variance)
    return pair, single, reason or ("" if pair[0].variance > _STEP else _CONSTANT)


def _has_no_drop(model: ModelScores, rows: Codes, options: Options) -> bool:
    """Whether the accuracies of both sides differ by less than two standard errors."""
    values = influence(model, "accuracy_drop", rows, options)
    sums = {name: tally.sum(axis=1) for name, tally in select_tallies(model, rows, ["accuracy_drop"]).items()}
    drop = float(score_values("accuracy_drop", sums, options))
    error = sqrt(float((np.bincount(model.references.clusters[rows], weights=values) ** 2).sum())) / len(rows)
    return abs(drop) < 2 * error


def influence(model: ModelScores, name: str, rows: Codes, options: Options) -> Floats:
    """What each of some pairs adds to a score: their mean is zero, and the score in a sample moves by that of its own.

    A score is a function of sums over the pairs that does not change when all of them are doubled, so its slope along
    each sum, times what the pair adds to that sum and the number of pairs, is what the pair adds to the score.
    """
    tallies = select_tallies(model, rows, [name])
    sums = {rate: tally.sum(axis=1).astype(np.float64) for rate, tally in tallies.items()}
    if np.isnan(score_values(name, sums, options)):
        return np.full(len(rows), nan)
    results = np.zeros(len(rows))
    for rate, tally in tallies.items():
        for place in (0, 1):
            step = np.zeros(2)
            step[place] = _STEP * max(sums[rate][1], 1.0)
            ends = [score_values(name, {**sums, rate: sums[rate] + sign * step}, options) for sign in (1, -1)]
            results += len(rows) * float(ends[0] - ends[1]) / (2 * step[place]) * tally[place]
    return results


def _spreads(design: Design, name: str, rows: Codes, values: Floats) -> Spreads:
    """The variance and the correlations of what pairs add to a score; assumed where no pairs belong together."""
    crowding, _ = design.crowding(name, rows)
    codes = (design.groups[rows], design.model.references.clusters[rows])
    of_pairs = float((values**2).sum())
    of_groups, of_images = (float((np.bincount(code, weights=values) ** 2).sum()) for code in codes)
    in_group = _correlation(of_groups - of_pairs, of_pairs * (crowding.group - 1), IN_GROUP)
    in_image = _correlation(of_images - of_groups, of_pairs * (crowding.image - crowding.group), IN_IMAGE)
    ranges = zip(in_group, in_image, strict=True)
    low, high = (Spread(of_pairs / len(rows), *ends, _is_exact(name)) for ends in ranges)
    return low, high


def _is_exact(name: str) -> bool:
    """Whether a score is right or wrong on the same pairs for any two models."""
    return name in RATES and name not in _CONDITIONAL


def _correlation(covariance: float, scale: float, assumed: Range) -> Range:
    """A correlation, of which less than none counts as none."""
    if not scale > _STEP:
        return assumed
    value = min(max(covariance / scale, 0.0), 1.0)
    return value, value
