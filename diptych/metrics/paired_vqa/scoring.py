"""All scores of a model at once: overall, by test and by any column, each with its n, its intervals or its reason."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .accuracy import PARTS, RIGHTS, choose_averaging
from .alignment import align
from .columns import CodedColumn, constant_column, ranks
from .families import score_names
from .intervals import Floats, bootstrap_sums, percentile_interval, wilson
from .outcomes import Criteria, Outcome, judge
from .rates import DENOMINATOR, DERIVED, DERIVED_FROM, NUMERATOR, RATES, Sums, Tally, derive_scores, tally_rates
from .references import References, encode_references

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Score:
    """One number with what it rests on."""

    value: float
    n: int
    wilson: Interval = (nan, nan)
    bootstrap: Interval = (nan, nan)
    reason: str = ""
    """Why the value is undefined, where it is."""

    def as_dict(self) -> dict[str, Any]:
        """The score as plain data."""
        bounds = {
            "wilson_low": self.wilson[0],
            "wilson_high": self.wilson[1],
            "bootstrap_low": self.bootstrap[0],
            "bootstrap_high": self.bootstrap[1],
        }
        defined_bounds = {name: bound for name, bound in bounds.items() if not isnan(bound)}
        return {"value": self.value, "n": self.n, **defined_bounds, **({"reason": self.reason} if self.reason else {})}


Scores = dict[str, Score]


@dataclass(frozen=True, slots=True)
class Options:
    """Which scores are computed, and how."""

    family: str = "all"
    criteria: Criteria = field(default_factory=Criteria)
    t: float = 5e-4
    m: float = 0.2
    bootstrap: int = 1000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ModelScores:
    """The scores of a model, with what is needed to compare it with another."""

    references: References
    outcome: Outcome
    tallies: Mapping[str, Tally]
    overall: Scores
    groups: Mapping[str, Mapping[str, Scores]]
    """By column and group."""

    def values(self) -> dict[str, float]:
        """The overall scores as plain numbers."""
        return {name: score.value for name, score in self.overall.items()}

    def as_dict(self) -> dict[str, Any]:
        """All scores with their n, intervals and reasons, as plain data."""
        by_column = {
            column: {group: _plain_scores(scores) for group, scores in groups.items()}
            for column, groups in self.groups.items()
        }
        return {"overall": _plain_scores(self.overall), "by": by_column}


def _plain_scores(scores: Scores) -> dict[str, Any]:
    return {name: score.as_dict() for name, score in scores.items()}


def score_pairs(
    predictions: Any,
    references: Any,
    options: Options | None = None,
    by: Sequence[str] = ("test",),
    normalizer: str = "vqa",
    nodes: Sequence[str] = (),
) -> ModelScores:
    """Score the predictions of a model; rows may come in any order and any shape that `alignment` takes.

    >>> rows = [{"pair_id": "a", "original_answers": ["red"], "perturbed_answers": ["yes"]}]
    >>> predictions = [{"pair_id": "a", "original": "red", "perturbed": "No."}]
    >>> score_pairs(predictions, rows, by=()).values()["rad_forward"]
    0.0
    """
    if not isinstance(references, References):
        references = encode_references(references, normalizer, nodes)
    original, perturbed = align(predictions, references.ids, is_checked=True)
    return score_answers(references, original, perturbed, options or Options(), by)


def score_answers(
    references: References, original: CodedColumn, perturbed: CodedColumn, options: Options, by: Sequence[str] = ()
) -> ModelScores:
    """Score answers that are already in the order of the references."""
    outcome = judge(references, original, perturbed, options.criteria)
    tallies = tally_rates(references, outcome)
    one_group = constant_column("overall", len(references))
    overall = score_groups(references, tallies, one_group, options).get("overall") or _undefined_scores(options)
    groups = {name: score_groups(references, tallies, references.column(name), options) for name in by}
    return ModelScores(references, outcome, tallies, overall, groups)


def _undefined_scores(options: Options) -> Scores:
    return {name: Score(nan, 0, reason="there are no pairs") for name in score_names(options.family)}


def score_groups(
    references: References, tallies: Mapping[str, Tally], column: CodedColumn, options: Options
) -> dict[str, Scores]:
    """The scores of every group of pairs, groups in alphabetical order."""
    codes, groups = ranks(column)
    sums = sum_groups(tallies, codes, len(groups))
    names = score_names(options.family)
    resamples = _resample_groups(references, tallies, codes, len(groups), options)
    return {
        group: {name: _score(name, _group_sums(sums, number), resampled_sums, options) for name in names}
        for number, (group, resampled_sums) in enumerate(zip(groups, resamples, strict=True))
    }


def sum_groups(tallies: Mapping[str, Tally], codes: NDArray[np.int64], count: int) -> dict[tuple[str, int], Floats]:
    """The sums of the numerators and denominators of every rate in each of so many groups."""
    return {
        (name, part): np.bincount(codes, weights=column, minlength=count).astype(np.float64)
        for name, tally in tallies.items()
        for part, column in ((NUMERATOR, tally.numerator), (DENOMINATOR, tally.denominator))
    }


def settings(references: References, options: Options) -> dict[str, Any]:
    """What was counted as right, and how: to be shown beside every score."""
    normalizer, criteria = references.codebook.normalizer, options.criteria
    return {
        "family": options.family,
        "normalizer": normalizer,
        "right": criteria.right,
        "right_means": RIGHTS[criteria.right],
        "averaging": choose_averaging(normalizer, criteria.averaging),
        "parsed": criteria.parses(normalizer),
        "t": options.t,
        "m": options.m,
        "bootstrap": options.bootstrap,
        "seed": options.seed,
    }


def _score(name: str, sums: Sums, resampled_sums: Sums | None, options: Options) -> Score:
    value, n = score_value(name, sums, options)
    if isnan(value):
        return Score(nan, n, reason=(RATES | DERIVED)[name])
    wilson_interval = wilson(min(value, 1.0), n) if name in RATES else (nan, nan)
    if resampled_sums is None:
        return Score(value, n, wilson_interval)
    return Score(value, n, wilson_interval, percentile_interval(resampled_values(name, resampled_sums, options)))


def score_value(name: str, sums: Sums, options: Options) -> tuple[float, int]:
    """A score and its n, from the sums of the rates."""
    if name in RATES:
        count = sums[name, DENOMINATOR]
        return (sums[name, NUMERATOR] / (PARTS * count) if count else nan), int(count)
    return float(derive_scores(sums, options.t, options.m)[name]), int(sums["accuracy_original", DENOMINATOR])


def resampled_values(name: str, sums: Sums, options: Options) -> Floats:
    """A score in every resampled set of images."""
    if name in DERIVED:
        return np.asarray(derive_scores(sums, options.t, options.m)[name], dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[name, NUMERATOR] / (PARTS * sums[name, DENOMINATOR]), dtype=np.float64)


def _resample_groups(
    references: References, tallies: Mapping[str, Tally], codes: NDArray[np.int64], count: int, options: Options
) -> Iterator[Sums | None]:
    """The resampled sums of each group; None without a bootstrap."""
    if not options.bootstrap or not count:
        yield from (None for _ in range(count))
        return
    names = set(score_names(options.family))
    base_rates = DERIVED_FROM if names & set(DERIVED) else ()
    rates = [name for name in RATES if name in names or name in base_rates]
    order = np.argsort(codes, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(codes, minlength=count))[:-1]):
        columns = rate_columns({name: tallies[name] for name in rates}, rows)
        yield bootstrap_sums(columns, references.clusters[rows], options.bootstrap, options.seed)


def rate_columns(tallies: Mapping[str, Tally], rows: NDArray[np.int64]) -> dict[tuple[str, int], Floats]:
    """The numerators and denominators of rates in some rows."""
    return {
        (name, part): column[rows].astype(np.float64)
        for name, tally in tallies.items()
        for part, column in ((NUMERATOR, tally.numerator), (DENOMINATOR, tally.denominator))
    }


def _group_sums(sums: Mapping[tuple[str, int], Floats], number: int) -> dict[tuple[str, int], float]:
    return {key: float(column[number]) for key, column in sums.items()}
