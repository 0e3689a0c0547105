"""Power: how many pairs show a difference between two models, and what a dataset or a sample of it can show.

A score is linearized: what each pair adds to it has a variance, and pairs of one group or image are alike. Two models
are compared on the same pairs, so the variance is that of the difference of what a pair adds to either.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from math import ceil, isnan, nan, sqrt
from typing import Any

from diptych.errors import BadInputError
from diptych.folder import BuiltFolder, Selection
from diptych.metrics._predictions import scoring
from diptych.metrics._rendering import grid
from diptych.metrics._report import load_answers
from diptych.metrics._spread import (
    IN_GROUP,
    IN_IMAGE,
    Crowding,
    Design,
    Range,
    Spread,
    Spreads,
    default_spreads,
    pilot_spreads,
)
from diptych.metrics.paired_vqa.families import DESCRIPTIVE_RATES
from diptych.metrics.paired_vqa.outcomes import Options
from diptych.metrics.paired_vqa.references import References, encode_references
from diptych.metrics.paired_vqa.scoring import ModelScores, reported_scores
from diptych.progress import progress

LEVEL, POWER = 0.05, 0.8
FEWEST = 10  # independent pairs for which the normal law is taken to hold
_Z_LEVEL, _Z_POWER = 1.959963984540054, 0.8416212335729143  # the normal quantiles of both


def pairs_to_detect(difference: float, variance: float, exact: bool = False) -> float:
    """How many independent pairs show a difference of two models, at 5 % two-sided with a power of 80 %.

    `variance` is that of the difference from pair to pair: for a score that is right or wrong, the share of pairs that
    only one model has right, less the square of the difference. That is the sample size of McNemar's test; the `exact`
    one needs about 2 / difference pairs more, because it counts whole pairs.

    >>> [round(pairs_to_detect(0.02, 0.5 - 0.02**2, exact)) for exact in (False, True)]
    [9809, 9908]
    """
    root = (_Z_LEVEL * sqrt(variance + difference**2) + _Z_POWER * sqrt(variance)) / difference
    return ((root + sqrt(root**2 + 4 / difference)) / 2) ** 2 if exact else root**2


def detectable_difference(pairs: float, variance: float, exact: bool = False) -> float:
    """The smallest difference that so many independent pairs show; NaN where they show none.

    >>> round(detectable_difference(9809, 0.5 - 0.02**2), 4)
    0.02
    """
    if pairs < FEWEST:
        return nan
    rest = pairs - _Z_LEVEL**2
    shift = _Z_POWER * sqrt(variance) + (1 / sqrt(pairs) if exact else 0.0)
    root = pairs * shift**2 - rest * (shift**2 - _Z_LEVEL**2 * variance)
    difference = (sqrt(pairs) * shift + sqrt(root)) / rest
    return difference if difference <= 1 else nan


def needed_pairs(crowding: Crowding, spread: Spread, difference: float) -> int:
    """How many pairs show a difference: in a sample of whole groups or, beyond all pairs, in more of their kind."""
    independent = pairs_to_detect(difference, spread.variance, spread.exact)
    everything = independent * crowding.design_effect(spread)
    if everything > crowding.pairs:
        return ceil(everything)
    slope = independent * (crowding.image - crowding.group) * spread.in_image / crowding.pairs
    return ceil(independent * crowding.design_effect(spread, 0.0) / (1 - slope))


def shown_difference(crowding: Crowding, spread: Spread, pairs: float) -> float:
    """The smallest difference that a sample of so many pairs shows."""
    independent = pairs / crowding.design_effect(spread, pairs / crowding.pairs)
    return detectable_difference(independent, spread.variance, spread.exact)


def half_width(crowding: Crowding, spread: Spread, pairs: float) -> float:
    """Half the width of the 95 % interval of a score in a sample of so many pairs; NaN where they are too few."""
    independent = pairs / crowding.design_effect(spread, pairs / crowding.pairs)
    return nan if independent < FEWEST else _Z_LEVEL * sqrt(spread.variance / independent)


@dataclass(frozen=True, slots=True)
class ScorePower:
    """What the pairs of one test show of one score; ranges are over the assumed correlations."""

    pairs: int
    variance: float = nan  # of the difference of two models from pair to pair
    in_group: Range = (nan, nan)
    in_image: Range = (nan, nan)
    needed: tuple[int, int] = (0, 0)
    detectable: Range = (nan, nan)  # with all pairs
    half_width: Range = (nan, nan)  # of the interval of one model, with all pairs
    sample: int = 0  # the expected number of pairs of a sample
    sample_detectable: Range = (nan, nan)
    sample_half_width: Range = (nan, nan)
    reason: str = ""  # why there is no plan


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """How many pairs are needed to see a difference, by test and score."""

    selection: Selection
    pairs: int
    difference: float
    sample: int | None
    models: int  # how many models the pilot has
    scores: Mapping[str, Mapping[str, ScorePower]]  # by test and score

    def assumptions(self) -> list[str]:
        """The assumptions behind the numbers, as sentences."""
        lines = ["Two models on the same pairs, two-sided 5 %, power 80 %; one test, not corrected for many."]
        correlations = f"two pairs of a group {_range(IN_GROUP)}, of an image {_range(IN_IMAGE)}"
        if not self.models:
            lines.append(
                "No pilot, so conservative assumptions: a rate of one half, RAD on half of the pairs, models that err"
                f" independently (real models often err on the same pairs); correlation of {correlations}."
            )
        else:
            two = "the difference of the models of the pilot" if self.models > 1 else "the model of the pilot"
            other = "" if self.models > 1 else "; a second model is assumed to err independently, which is conservative"
            lines.append(
                f"Variance and correlations are those of {two}{other}. Where the pilot has no pairs that belong "
                f"together, the correlation is assumed: {correlations}."
            )
        rest = f"–: fewer than {FEWEST} independent pairs, or no difference that is possible."
        return [*lines, f"Ranges are over these correlations. {rest}"]

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        scores = {part: {name: asdict(power) for name, power in powers.items()} for part, powers in self.scores.items()}
        settings = {"difference": self.difference, "sample": self.sample, "level": LEVEL, "power": POWER}
        pilot = {"pilot_models": self.models, "assumptions": self.assumptions()}
        return {**asdict(self.selection), "pairs": self.pairs, **settings, **pilot, "scores": scores}

    def as_text(self) -> str:
        """A table for a terminal, with its assumptions."""
        points = f"{100 * self.difference:g}"
        header = ["of", "score", "pairs", f"needed for {points} points", "all pairs show", "one model ±"]
        header += ["sample", "it shows", "one model ±"] if self.sample else []
        plans = [(part, name, power) for part, powers in self.scores.items() for name, power in powers.items()]
        rows = [[part, name, *_cells(power, bool(self.sample))] for part, name, power in plans if not power.reason]
        rows = [[row[0] if row[0] != last[0] else "", *row[1:]] for last, row in pairwise([[""], *rows])]
        planned = {row[1] for row in rows}
        reasons = {name: power.reason for _, name, power in plans if name not in planned}
        lines = [f"{self.pairs:,} pairs of {self.selection.config}/{self.selection.split}; differences in points"]
        lines += [grid(header, rows, 2), *self.assumptions()]
        return "\n".join([*lines, *(f"No plan for {name}: it {reason}." for name, reason in reasons.items())])


def _cells(power: ScorePower, has_sample: bool) -> list[str]:
    needed = " … ".join(dict.fromkeys(f"{count:,}" for count in power.needed))
    cells = [f"{power.pairs:,}", needed, *(_range(bounds, 100) for bounds in (power.detectable, power.half_width))]
    sample = (power.sample_detectable, power.sample_half_width)
    return cells + ([f"{power.sample:,}", *(_range(bounds, 100) for bounds in sample)] if has_sample else [])


def _range(bounds: Range, factor: float = 1) -> str:
    """Both ends of a range, or one where they are the same.

    >>> _range((0.0123, 0.02), 100), _range((0.5, 0.5)), _range((nan, nan))
    ('1.23 … 2', '0.5', '–')
    """
    texts = ["–" if isnan(bound) else f"{factor * bound:.3g}" for bound in bounds]
    return " … ".join(dict.fromkeys(texts))


def plan_power(
    folder: BuiltFolder,
    difference: float = 0.02,
    sample: int | None = None,
    predictions: Sequence[Any] = (),
    config: str | None = None,
    split: str | None = None,
    family: str | None = None,
) -> PowerPlan:
    """How many pairs of a built folder show a difference between two models, in every score by test.

    `difference` is a share of one; `sample` is the number of pairs of a sample as `diptych predict --sample` draws it.
    `predictions` are those of a pilot: of one model or, better, of several, of some pairs or of all.
    """
    if not 0 < difference < 1:
        raise BadInputError(f"--detect {100 * difference:g}: must be more than 0 and less than 100 points")
    selection = folder.select(config, split)
    options = Options(family or folder.manifest.score_family, bootstrap=0)
    with scoring(folder.location):
        references = encode_references(folder.pairs(selection))
    if sample is not None and not 0 < sample <= len(references):
        raise BadInputError(f"--sample {sample}: {selection.config} has {len(references):,} pairs")
    pilot = []
    if predictions:
        answers = load_answers(
            folder, list(predictions), selection.config, selection.split, allow_missing=True, family=family, bootstrap=0
        )
        pilot = [replace(answers, columns=()).score(number, "pilot").model for number in range(len(predictions))]
    with scoring():
        scores = plan_scores(references, options, difference, sample, pilot)
    return PowerPlan(selection, len(references), difference, sample, len(pilot), scores)


def plan_scores(
    references: References,
    options: Options,
    difference: float,
    sample: int | None = None,
    pilot: Sequence[ModelScores] = (),
) -> dict[str, dict[str, ScorePower]]:
    """The plan of every score by test; the models of a pilot are scored on some of the pairs."""
    names = [name for name in reported_scores(options) if name not in DESCRIPTIVE_RATES]
    dataset = Design.of(references, options)
    measured = Design.of(pilot[0].references, options) if pilot else dataset
    parts, plans = dataset.parts(), dict[str, dict[str, ScorePower]]()
    with progress("power", len(parts)) as advance:
        for part in parts:
            plans[part] = {}
            for name in names:
                rows, pilot_rows = dataset.rows(part, name), measured.rows(part, name)
                size = round(sample * len(rows) / len(references)) if sample else 0
                crowding, share = dataset.crowding(name, rows)
                if pilot and len(pilot_rows):
                    pair, single, reason = pilot_spreads(measured, pilot, name, pilot_rows, options)
                else:
                    pair, single, reason = default_spreads(name, share)
                plans[part][name] = _plan(crowding, pair, single, difference, size, reason)
            advance(1)
    return plans


def _plan(
    crowding: Crowding, pair: Spreads, single: Spreads, difference: float, sample: int, reason: str
) -> ScorePower:
    if reason:
        return ScorePower(crowding.pairs, reason=reason)

    def both(function: Callable[[Crowding, Spread, float], Any], spreads: Spreads, number: float) -> Any:
        return tuple(function(crowding, spread, number) for spread in spreads)

    plan = ScorePower(
        crowding.pairs,
        pair[0].variance,
        (pair[0].in_group, pair[1].in_group),
        (pair[0].in_image, pair[1].in_image),
        both(needed_pairs, pair, difference),
        both(shown_difference, pair, crowding.pairs),
        both(half_width, single, crowding.pairs),
    )
    if not sample:
        return plan
    widths = both(half_width, single, sample)
    return replace(
        plan, sample=sample, sample_detectable=both(shown_difference, pair, sample), sample_half_width=widths
    )
