"""All scores of a model at once, overall and by any column, each with its n and intervals; and two models compared."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, nan, sqrt
from typing import Any

import numpy as np

from .columns import SIDES, CodedColumn, Codes, ScoringError, align
from .families import DERIVED, RATES, get_family, score_names
from .intervals import Floats, bootstrap_sums, holm, mcnemar, percentile_interval, wilson
from .outcomes import PARTS, RIGHTS, Flags, Options, Outcome, choose_averaging, judge
from .reader import READER_VERSION, READERS
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
    reason: str = ""  # why the value is undefined, where it is

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
    groups: Mapping[str, Mapping[str, Scores]]  # by column and group

    def values(self) -> dict[str, float]:
        """The overall scores as plain numbers."""
        return {name: score.value for name, score in self.overall.items()}

    def as_dict(self) -> dict[str, Any]:
        """All scores with their n, intervals and reasons, as plain data."""
        by = {name: {group: _plain(scores) for group, scores in groups.items()} for name, groups in self.groups.items()}
        return {"overall": _plain(self.overall), "by": by}


def _plain(scores: Scores) -> dict[str, Any]:
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
    overall = {name: Score(nan, 0, reason="there are no pairs") for name in score_names(options.family)}
    if len(references):
        overall = _score_rows(references, tallies, np.arange(len(references)), options)
    groups = {
        name: {group: _score_rows(references, tallies, rows, options) for group, rows in column.groups().items()}
        for name, column in ((name, references.column(name)) for name in by)
    }
    return ModelScores(references, outcome, tallies, overall, groups)


def settings(references: References, options: Options) -> dict[str, Any]:
    """What was counted as right, and how: to be shown beside every score."""
    normalizer = references.codebook.normalizer
    reader = options.reader_under(normalizer)
    values = asdict(options) | {"normalizer": normalizer, "averaging": choose_averaging(normalizer, options.averaging)}
    values |= {"reader": reader, "reader_version": READER_VERSION, "reader_means": READERS[reader]}
    return values | {"right_means": RIGHTS[options.right]}


def tally_rates(references: References, outcome: Outcome) -> Tallies:
    """Every rate of a model, pair by pair, in the order of `RATES`."""
    is_known, every_pair = ~references.expects("open"), np.ones(len(references), dtype=np.int64)
    original, perturbed = outcome.original, outcome.perturbed
    both_right = original.right & perturbed.right
    is_consistent = (references.expects("same") & outcome.same) | (references.expects("different") & outcome.changed)
    # A right original implies the perturbed answer (see `self_consistency`); an unread answer implies nothing.
    is_ontological = references.tests().map(lambda test: "ontolog" in test).astype(np.bool_) & outcome.parsed
    is_contradiction = original.right & ~perturbed.right
    yes_no = _add(references.original.choices == YES_OR_NO, references.perturbed.choices == YES_OR_NO)
    unread = _add(~original.parsed, ~perturbed.parsed)
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
        "unread_rate": np.stack([unread * PARTS, 2 * every_pair]),
    }


def _tally(hits: Flags, base: Flags) -> Codes:
    return np.stack([(hits & base).astype(np.int64) * PARTS, base])


def _add(original: Flags, perturbed: Flags) -> Codes:
    return original.astype(np.int64) + perturbed


def _score_rows(references: References, tallies: Tallies, rows: Codes, options: Options) -> Scores:
    """The scores of some pairs."""
    names = score_names(options.family)
    base_rates = {"accuracy_original", "accuracy_perturbed"} if DERIVED.keys() & names else set()
    tallies = {name: tallies[name][:, rows] for name in RATES if name in {"accuracy_original", *base_rates, *names}}
    resampled_tallies = {name: tally for name, tally in tallies.items() if name in base_rates.union(names)}
    sums = {name: tally.sum(axis=1) for name, tally in tallies.items()}
    resamples = _resample([resampled_tallies], references.clusters[rows], options)
    return {name: _score(name, sums, resamples[0] if resamples else None, options) for name in names}


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


def _resample(models: Sequence[Tallies], clusters: Codes, options: Options) -> list[Sums]:
    """The sums of every model in the same resampled images; nothing without a bootstrap."""
    if not options.bootstrap:
        return []
    columns = np.concatenate([tally for tallies in models for tally in tallies.values()])
    sums = bootstrap_sums(columns, clusters, options.bootstrap, options.seed)
    parts = sums.reshape(len(models), -1, 2, options.bootstrap)
    return [dict(zip(tallies, part, strict=True)) for tallies, part in zip(models, parts, strict=True)]


@dataclass(frozen=True, slots=True)
class Difference:
    """One score of two models, and whether they differ."""

    first: float
    second: float
    difference: float  # the first minus the second
    low: float
    high: float
    p_bootstrap: float
    p_mcnemar: float  # naN where the score is not right or wrong for every pair
    p_holm: float = nan  # mcNemar's p (the bootstrap's where there is none), corrected over all tests


Differences = dict[str, dict[str, Difference]]  # by test and score


def compare(first: ModelScores, second: ModelScores, options: Options) -> Differences:
    """Two models on the same pairs: every score by test, Holm-corrected over the tests."""
    references = first.references
    if not references.ids.equals(second.references.ids):
        raise ScoringError("the two models were not scored on the same pairs")
    tests = references.tests().groups()
    differences = {test: _compare_rows(first, second, rows, options) for test, rows in tests.items()}
    for name in get_family(options.family).scores:
        of_score = [scores[name] for scores in differences.values()]
        p_values = holm([entry.p_bootstrap if isnan(entry.p_mcnemar) else entry.p_mcnemar for entry in of_score])
        for scores, entry, p in zip(differences.values(), of_score, p_values, strict=True):
            scores[name] = replace(entry, p_holm=p)
    return differences


def _compare_rows(first: ModelScores, second: ModelScores, rows: Codes, options: Options) -> dict[str, Difference]:
    tallies = [{name: tally[:, rows] for name, tally in model.tallies.items()} for model in (first, second)]
    sums = [{name: tally.sum(axis=1) for name, tally in of_model.items()} for of_model in tallies]
    resamples = _resample(tallies, first.references.clusters[rows], options)
    differences = {}
    for name in get_family(options.family).scores:
        first_value, second_value = (float(score_values(name, of_model, options)) for of_model in sums)
        low, high, p = _bootstrap_test(name, resamples, options)
        p_mcnemar = _mcnemar_test(tallies[0][name], tallies[1][name]) if name in RATES else nan
        differences[name] = Difference(first_value, second_value, first_value - second_value, low, high, p, p_mcnemar)
    return differences


def _bootstrap_test(name: str, resamples: Sequence[Sums], options: Options) -> tuple[float, float, float]:
    """The interval of the difference of two models, and the p-value that there is none."""
    if not resamples:
        return nan, nan, nan
    first, second = (score_values(name, sums, options) for sums in resamples)
    gaps = (first - second)[~np.isnan(first - second)]
    if not len(gaps):
        return nan, nan, nan
    beyond_zero = min(int((gaps <= 0).sum()), int((gaps >= 0).sum()))
    return *percentile_interval(gaps), min(1.0, 2 * (beyond_zero + 1) / (len(gaps) + 1))


def _mcnemar_test(first: Codes, second: Codes) -> float:
    """The test of one rate of two models; NaN where the rate is not right or wrong for the same pairs."""
    base = first[1]
    if base.max() != 1 or not np.array_equal(base, second[1]):
        return nan
    # A graded accuracy is cut where a side begins to count as right.
    return mcnemar(*(tally[0][base == 1] >= PARTS // 2 for tally in (first, second)))
