"""All scores of a model at once: overall, by test and by any column, each with its n, its intervals or its reason."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan, sqrt
from typing import Any

import numpy as np

from .columns import SIDES, CodedColumn, Codes, align, constant_column, ranks
from .families import DERIVED, RATES, score_names
from .intervals import Floats, bootstrap_sums, percentile_interval, wilson
from .outcomes import PARTS, RIGHTS, Flags, Options, Outcome, choose_averaging, judge
from .references import YES_OR_NO, References, encode_references

Interval = tuple[float, float]

Tallies = dict[str, Codes]
"""Every rate, pair by pair: a row of numerators in parts of `PARTS`, and a row of denominators."""

Sums = Mapping[str, Any]
"""The sums of the numerators and denominators of rates: two numbers, or two arrays of resampled sums."""


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
        names = ("wilson_low", "wilson_high", "bootstrap_low", "bootstrap_high")
        bounds = zip(names, (*self.wilson, *self.bootstrap), strict=True)
        defined_bounds = {name: bound for name, bound in bounds if not isnan(bound)}
        return {"value": self.value, "n": self.n, **defined_bounds, **({"reason": self.reason} if self.reason else {})}


Scores = dict[str, Score]


@dataclass(frozen=True, slots=True)
class ModelScores:
    """The scores of a model, with what is needed to compare it with another."""

    references: References
    outcome: Outcome
    tallies: Tallies
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
    """Score the predictions of a model; rows may come in any order and any shape that `columns` takes.

    >>> rows = [{"pair_id": "a", "original_answers": ["red"], "perturbed_answers": ["yes"]}]
    >>> predictions = [{"pair_id": "a", "original": "red", "perturbed": "No."}]
    >>> score_pairs(predictions, rows, by=()).values()["rad_forward"]
    0.0
    """
    if not isinstance(references, References):
        references = encode_references(references, normalizer, nodes)
    return score_answers(references, *align(predictions, references.ids), options or Options(), by)


def score_answers(
    references: References, original: CodedColumn, perturbed: CodedColumn, options: Options, by: Sequence[str] = ()
) -> ModelScores:
    """Score answers that are already in the order of the references."""
    outcome = judge(references, original, perturbed, options)
    tallies = tally_rates(references, outcome)
    one_group = constant_column("overall", len(references))
    no_scores = {name: Score(nan, 0, reason="there are no pairs") for name in score_names(options.family)}
    overall = _score_groups(references, tallies, one_group, options).get("overall", no_scores)
    groups = {name: _score_groups(references, tallies, references.column(name), options) for name in by}
    return ModelScores(references, outcome, tallies, overall, groups)


def settings(references: References, options: Options) -> dict[str, Any]:
    """What was counted as right, and how: to be shown beside every score."""
    normalizer = references.codebook.normalizer
    return {
        "family": options.family,
        "normalizer": normalizer,
        "right": options.right,
        "right_means": RIGHTS[options.right],
        "averaging": choose_averaging(normalizer, options.averaging),
        "parsed": options.parses(normalizer),
        "t": options.t,
        "m": options.m,
        "bootstrap": options.bootstrap,
        "seed": options.seed,
    }


def tally_rates(references: References, outcome: Outcome) -> Tallies:
    """Every rate of a model, pair by pair, in the order of `RATES`."""
    is_known, every_pair = ~references.expects("open"), np.ones(len(references), dtype=np.int64)
    original, perturbed = outcome.original, outcome.perturbed
    both_right = original.right & perturbed.right
    is_consistent = (references.expects("same") & outcome.same) | (references.expects("different") & outcome.changed)
    # A right original implies the perturbed answer (see `self_consistency`); an unparsed answer implies nothing.
    is_ontological = references.tests().map(lambda test: "ontolog" in test).astype(np.bool_) & outcome.parsed
    is_contradiction = original.right & ~perturbed.right
    yes_no = _add(references.original.choices == YES_OR_NO, references.perturbed.choices == YES_OR_NO)
    unparsed = _add(original.closed & ~original.parsed, perturbed.closed & ~perturbed.parsed)
    return {
        "accuracy": np.stack([(original.accuracy + perturbed.accuracy) * is_known // 2, is_known]),
        "accuracy_original": np.stack([original.accuracy, every_pair]),
        "accuracy_perturbed": np.stack([perturbed.accuracy, every_pair]),
        "accuracy_both": _tally(both_right, is_known),
        "rad_forward": _tally(both_right, original.right & is_known),
        "rad_backward": _tally(both_right, perturbed.right & is_known),
        "self_consistency": _tally(is_consistent, references.expects("same", "different")),
        "comprehensive_accuracy": _tally(both_right & (is_consistent | references.expects("given")), is_known),
        "ontological_consistency": _tally(~is_contradiction, is_ontological),
        "answer_change_rate": _tally(outcome.changed, outcome.parsed),
        "yes_rate": np.stack([_add(original.yes, perturbed.yes) * PARTS, yes_no]),
        "no_rate": np.stack([_add(original.no, perturbed.no) * PARTS, yes_no]),
        "unparsed_rate": np.stack([unparsed * PARTS, _add(original.closed, perturbed.closed)]),
    }


def _tally(hits: Flags, base: Flags) -> Codes:
    return np.stack([(hits & base).astype(np.int64) * PARTS, base])


def _add(original: Flags, perturbed: Flags) -> Codes:
    return original.astype(np.int64) + perturbed


def _score_groups(references: References, tallies: Tallies, column: CodedColumn, options: Options) -> dict[str, Scores]:
    """The scores of every group of pairs, groups in alphabetical order."""
    codes, groups = ranks(column)
    sums = {
        name: np.stack([np.bincount(codes, weights=part, minlength=len(groups)) for part in tally])
        for name, tally in tallies.items()
    }
    resamples = _resample_groups(references, tallies, codes, len(groups), options)
    scores = {}
    for number, (group, resampled_sums) in enumerate(zip(groups, resamples, strict=True)):
        group_sums = {name: parts[:, number] for name, parts in sums.items()}
        names = score_names(options.family)
        scores[group] = {name: _score(name, group_sums, resampled_sums, options) for name in names}
    return scores


def _score(name: str, sums: Sums, resampled_sums: Sums | None, options: Options) -> Score:
    value = float(score_values(name, sums, options))
    n = int(sums[name if name in RATES else "accuracy_original"][1])
    if isnan(value):
        return Score(nan, n, reason=(RATES | DERIVED)[name])
    wilson_interval = wilson(min(value, 1.0), n) if name in RATES else (nan, nan)
    if resampled_sums is None:
        return Score(value, n, wilson_interval)
    return Score(value, n, wilson_interval, percentile_interval(score_values(name, resampled_sums, options)))


def score_values(name: str, sums: Sums, options: Options) -> Floats:
    """A score from the sums of the rates: one number, or one for every resampled set of images."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if name in RATES:
            return np.asarray(sums[name][0] / (PARTS * sums[name][1]))
        original, perturbed = (score_values(f"accuracy_{side}", sums, options) for side in SIDES)
        drop = original - perturbed
        if name == "accuracy_drop":
            return drop
        if name == "relative_reduction":
            return np.where(original > 0, drop / original, nan)
        limit, tolerance = sqrt(options.m), sqrt(options.t)
        return np.clip((limit - np.sqrt(np.abs(drop))) / (limit - tolerance), 0.0, 1.0)


def _resample_groups(
    references: References, tallies: Tallies, codes: Codes, count: int, options: Options
) -> Iterator[Sums | None]:
    """The resampled sums of each group; None without a bootstrap."""
    if not options.bootstrap or not count:
        yield from (None for _ in range(count))
        return
    names = set(score_names(options.family))
    base_rates = {"accuracy_original", "accuracy_perturbed"} if names & set(DERIVED) else set()
    rates = [name for name in RATES if name in names | base_rates]
    order = np.argsort(codes, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(codes, minlength=count))[:-1]):
        columns = np.concatenate([tallies[name][:, rows] for name in rates])
        sums = bootstrap_sums(columns, references.clusters[rows], options.bootstrap, options.seed)
        yield dict(zip(rates, sums.reshape(len(rates), 2, -1), strict=True))
