"""All scores of a model at once, overall and by any column, each with its n and intervals."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import SIDES, CodedColumn, Codes, align
from .families import (
    DERIVED,
    DERIVED_FROM,
    GROUP_SCORES,
    NO_GROUPS,
    RATES,
    SIDE_SCORES,
    UNIT_SCORES,
    get_family,
    score_names,
)
from .intervals import Floats, bootstrap_sums, percentile_interval, wilson
from .opposites import implies_original, opposite_weights
from .outcomes import PARTS, RIGHTS, Flags, Options, Outcome, choose_averaging, judge
from .reader import READER_VERSION, READERS
from .references import YES_OR_NO, References, encode_references
from .side_rates import SideRecord, record_sides, tally_sides

Interval = tuple[float, float]

Tallies = dict[str, NDArray[Any]]
"""Every rate, pair by pair: a row of numerators in parts of `PARTS`, and a row of denominators.

No pair adds more than twice `PARTS`, so small integers hold them, which a million pairs are faster to go through.
"""

_SMALL = np.int16

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
class Scope:
    """The pairs that are scored: where a family compares parts, the same questions in every part."""

    rows: Codes
    headline: Codes  # the pairs that the overall scores rest on: those of the first part
    sentence: str = ""  # what that leaves out, where a family compares parts


@dataclass(frozen=True, slots=True)
class ModelScores:
    """The scores of a model, with what is needed to compare it with another."""

    references: References
    outcome: Outcome
    tallies: Tallies
    scope: Scope
    sides: SideRecord | None  # for scores of groups, where any is reported
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
    outcome, references = judge(references, original, perturbed, options), group_pairs(references, options)
    names, scope = reported_scores(options), find_scope(references, options.family)
    sides = None if references.grouping is None else record_sides(references, outcome, options.prior)
    overall = {name: Score(nan, 0, reason="there are no pairs") for name in names}
    model = ModelScores(references, outcome, tally_rates(references, outcome), scope, sides, overall, {})
    if not len(references):
        return model
    overall = score_rows(model, scope.headline, options, names)
    if len(scope.headline) < len(scope.rows):  # a group has sides in every part
        overall |= score_rows(model, scope.rows, options, [name for name in names if name in SIDE_SCORES])
    groups = {
        name: {group: score_rows(model, rows, options, names) for group, rows in column.groups(scope.rows).items()}
        for name, column in ((name, references.column(name)) for name in by)
    }
    return replace(model, overall=overall, groups=groups)


def find_scope(references: References, family: str) -> Scope:
    """The pairs to score: all, or those of questions that have a pair in every part, such as every partition."""
    rows, column = np.arange(len(references)), get_family(family).parts
    if not (column and len(rows) and references.has_column(column) and references.has_column("source_id")):
        return Scope(rows, rows)
    parts = references.column(column).groups()
    questions = _question_codes(references)
    counts = np.bincount(np.concatenate([np.unique(questions[part]) for part in parts.values()]))
    complete_rows = np.flatnonzero(counts[questions] == len(parts))
    first = min(parts, key=lambda part: (len(part), part))
    base = f"the overall scores are those of {column} {first}"
    if not len(complete_rows):
        return Scope(rows, parts[first], f"{base}; no question is in every {column}, so each has questions of its own")
    total, left_out = int((counts > 0).sum()), len(rows) - len(complete_rows)
    questions_left_out = total - len(np.unique(questions[complete_rows]))
    sentence = f"{base}; {questions_left_out:,} of {total:,} questions ({left_out:,} pairs) are not in every {column}"
    return Scope(complete_rows, np.intersect1d(complete_rows, parts[first]), f"{sentence} and are left out")


def _question_codes(references: References) -> Codes:
    """A code for the question behind each pair, within its test."""
    tests, sources = references.tests(), references.column("source_id")
    return tests.codes * len(sources.values) + sources.codes


def group_pairs(references: References, options: Options) -> References:
    """The pairs with their groups, if a score over groups is reported; models that are scored later need not do so."""
    if not len(references) or set(SIDE_SCORES).isdisjoint(_needed_rates(reported_scores(options))):
        return references
    return references.grouped(options.groups)


def reported_scores(options: Options) -> tuple[str, ...]:
    """The scores of the family, those of groups if a column of groups is named, and that of a prior if one is.

    >>> reported_scores(Options("kb", prior="original_answer"))[-1]
    'prior_error_share'
    """
    further = (*(GROUP_SCORES if options.groups else ()), *(("prior_error_share",) if options.prior else ()))
    return tuple(dict.fromkeys((*score_names(options.family), *further)))


def _needed_rates(names: Iterable[str]) -> tuple[str, ...]:
    """The rates that some scores are made of, each once."""
    return tuple(dict.fromkeys(rate for name in names for rate in DERIVED_FROM.get(name, (name,))))


def select_tallies(model: ModelScores, rows: Codes, names: Iterable[str], by_pair: bool = True) -> Tallies:
    """The rates that some scores are made of, over some pairs; groups are cut down to these pairs."""
    needed_rates = _needed_rates(names)
    is_part = len(rows) < len(model.references)
    own_rates = {name: model.tallies[name] for name in needed_rates if name in model.tallies}
    tallies = {name: tally[:, rows] if is_part else tally for name, tally in own_rates.items()}
    if model.sides is not None and model.references.grouping is not None:
        tallies |= tally_sides(model.sides, model.references.grouping, rows, needed_rates, by_pair)
    return {name: tallies[name] for name in needed_rates}


def settings(references: References, options: Options) -> dict[str, Any]:
    """What was counted as right, and how: to be shown beside every score."""
    normalizer = references.codebook.normalizer
    reader = options.reader_under(normalizer)
    values = asdict(options) | {"normalizer": normalizer, "averaging": choose_averaging(options.averaging)}
    values |= {"reader": reader, "reader_version": READER_VERSION, "reader_means": READERS[reader]}
    return values | {"right_means": RIGHTS[options.right]}


def tally_rates(references: References, outcome: Outcome) -> Tallies:
    """Every rate of a model, pair by pair, in the order of `RATES`."""
    is_known, every_pair = ~references.expects("open"), np.ones(len(references), dtype=_SMALL)
    original, perturbed = outcome.original, outcome.perturbed
    both_right = original.right & perturbed.right
    keeps, changes = references.expects("same"), references.expects("different")
    is_consistent = (keeps & outcome.same) | (changes & outcome.changed)
    # CARETS compares the answers as they are: one that nobody can read is consistent with itself.
    is_text_consistent = (keeps & outcome.same_text) | (changes & ~outcome.same_text)
    # A right original implies the perturbed answer (see `self_consistency`), or the other way round where the pair says
    # so; an unread answer implies nothing.
    is_ontological = references.tests().map(lambda test: "ontolog" in test).astype(np.bool_) & outcome.parsed
    is_reversed = implies_original(references)
    is_contradiction = np.where(is_reversed, perturbed.right & ~original.right, original.right & ~perturbed.right)
    is_comprehensive = both_right & (is_consistent | references.expects("given"))
    opposites = opposite_weights(references)
    yes_no = _add(references.original.choices == YES_OR_NO, references.perturbed.choices == YES_OR_NO)
    yes, no = _add(original.yes, perturbed.yes), _add(original.no, perturbed.no)
    unread = _add(~original.parsed, ~perturbed.parsed)
    return {
        "accuracy": _pack((original.accuracy + perturbed.accuracy) * is_known // 2, is_known),
        "accuracy_original": _pack(original.accuracy, every_pair),
        "accuracy_perturbed": _pack(perturbed.accuracy, every_pair),
        "accuracy_both": _tally(both_right, is_known),
        "rad_forward": _tally(both_right, original.right & is_known),
        "rad_backward": _tally(both_right, perturbed.right & is_known),
        "self_consistency": _tally(is_text_consistent, keeps | changes),
        "self_consistency_read": _tally(is_consistent, keeps | changes),
        "comprehensive_accuracy": _tally(is_comprehensive, is_known),
        "ontological_consistency": _tally(~is_contradiction, is_ontological),
        "opposites_accuracy": np.stack([is_comprehensive * opposites * PARTS, opposites]),
        "answer_change_rate": _tally(outcome.changed, outcome.parsed),
        "yes_rate": _pack(yes * PARTS, yes_no),
        "no_rate": _pack(no * PARTS, yes_no),
        "other_rate": _pack((yes_no - yes - no) * PARTS, yes_no),
        "unread_rate": _pack(unread * PARTS, 2 * every_pair),
    }


def _pack(numerators: NDArray[Any], denominators: NDArray[Any]) -> NDArray[np.int16]:
    return np.stack([numerators, denominators], dtype=_SMALL, casting="unsafe")


def _tally(hits: Flags, base: Flags) -> NDArray[np.int16]:
    return _pack((hits & base).astype(_SMALL) * PARTS, base)


def _add(original: Flags, perturbed: Flags) -> NDArray[np.int16]:
    return original.astype(_SMALL) + perturbed


def score_rows(model: ModelScores, rows: Codes, options: Options, names: Sequence[str]) -> Scores:
    """Some scores of some pairs, as those of all pairs are made."""
    tallies = select_tallies(model, rows, names, by_pair=options.bootstrap > 0)
    sums = {name: tally.sum(axis=1) for name, tally in tallies.items()}
    resamples = resample_models([tallies], model.references.clusters[rows], options)
    scores = {name: make_score(name, sums, resamples[0] if resamples else None, options) for name in names}
    if model.references.grouping is not None and not model.references.grouping.name:
        return scores | {name: replace(scores[name], reason=NO_GROUPS) for name in UNIT_SCORES if name in scores}
    return scores


def make_score(name: str, sums: Sums, resampled_sums: Sums | None, options: Options) -> Score:
    """A score from the sums of the rates it rests on, with the bootstrap's interval where there are resampled sums."""
    value = float(score_values(name, sums, options))
    n = round(float(sums[_needed_rates([name])[0]][1]))
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
        if name == "f1":  # the harmonic mean of precision and recall, whose numerators are the same
            return np.asarray(2 * sums["recall"][0] / (PARTS * (sums["precision"][1] + sums["recall"][1])))
        original, perturbed = (score_values(f"accuracy_{side}", sums, options) for side in SIDES)
        drop = original - perturbed
        if name == "accuracy_drop":
            return drop
        if name == "relative_reduction":
            return np.where(original > 0, drop / original, nan)
        limit, tolerance = sqrt(options.m), sqrt(options.t)
        return np.clip((limit - np.sqrt(np.abs(drop))) / (limit - tolerance), 0.0, 1.0)


def resample_models(models: Sequence[Tallies], clusters: Codes, options: Options) -> list[Sums]:
    """The sums of every model in the same resampled images; nothing without a bootstrap."""
    if not options.bootstrap:
        return []
    columns = np.concatenate([tally for tallies in models for tally in tallies.values()])
    sums = bootstrap_sums(columns, clusters, options.bootstrap, options.seed)
    parts = sums.reshape(len(models), -1, 2, options.bootstrap)
    return [dict(zip(tallies, part, strict=True)) for tallies, part in zip(models, parts, strict=True)]
