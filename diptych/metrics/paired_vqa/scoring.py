"""All scores of a model at once: overall, by test and by any column, each with its n, its intervals or its reason."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .alignment import align
from .coding import Coded, constant, ranks
from .intervals import bootstrap_sums, percentile_interval, wilson
from .outcomes import Outcome, Rules, judge
from .references import References, encode_references
from .rightness import PARTS, RIGHTS, averaging_of
from .scores import DERIVED, RATES, Tally, derived, score_names, tallies

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Score:
    """One number with what it rests on."""

    value: float
    n: int
    wilson: Interval = (nan, nan)
    bootstrap: Interval = (nan, nan)
    why: str = ""
    """Why the value is not a number, where it is not."""

    def as_dict(self) -> dict[str, Any]:
        """The score as plain data."""
        low, high = self.wilson
        boot_low, boot_high = self.bootstrap
        bounds = {"wilson_low": low, "wilson_high": high, "bootstrap_low": boot_low, "bootstrap_high": boot_high}
        known = {name: bound for name, bound in bounds.items() if not isnan(bound)}
        return {"value": self.value, "n": self.n, **known, **({"why": self.why} if self.why else {})}


Scores = dict[str, Score]


@dataclass(frozen=True, slots=True)
class Options:
    """What is counted, and how sure we want to be."""

    config: str = "all"
    rules: Rules = field(default_factory=Rules)
    t: float = 5e-4
    m: float = 0.2
    bootstrap: int = 1000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Scored:
    """A model's scores, with what is needed to compare it with another."""

    references: References
    outcome: Outcome
    tallies: Mapping[str, Tally]
    overall: Scores
    by: Mapping[str, Mapping[str, Scores]]

    def values(self) -> dict[str, float]:
        """The overall scores as plain numbers."""
        return {name: score.value for name, score in self.overall.items()}

    def as_dict(self) -> dict[str, Any]:
        """All scores with their n, intervals and reasons, as plain data."""
        by = {column: {name: _plain(scores) for name, scores in groups.items()} for column, groups in self.by.items()}
        return {"overall": _plain(self.overall), "by": by}


def _plain(scores: Scores) -> dict[str, Any]:
    return {name: score.as_dict() for name, score in scores.items()}


def score_pairs(
    predictions: Any,
    references: Any,
    options: Options | None = None,
    by: Sequence[str] = ("test",),
    normaliser: str = "vqa",
    nodes: Sequence[str] = (),
) -> Scored:
    """Score what a model said; rows may come in any order and any shape that `alignment` takes.

    >>> rows = [{"pair_id": "a", "original_answers": ["red"], "perturbed_answers": ["yes"]}]
    >>> said = [{"pair_id": "a", "original": "red", "perturbed": "No."}]
    >>> score_pairs(said, rows, by=()).values()["rad_forward"]
    0.0
    """
    known = references if isinstance(references, References) else encode_references(references, normaliser, nodes)
    original, perturbed = align(predictions, known.ids, checked=True)
    return score_outcome(known, original, perturbed, options or Options(), by)


def score_outcome(
    references: References, original: Coded, perturbed: Coded, options: Options, by: Sequence[str] = ()
) -> Scored:
    """Score answers that are already in the order of the references."""
    outcome = judge(references, original, perturbed, options.rules)
    counted = tallies(references, outcome)
    everything = constant("overall", len(references))
    overall = group_scores(references, counted, everything, options).get("overall") or _of_nothing(options)
    grouped = {name: group_scores(references, counted, references.column(name), options) for name in by}
    return Scored(references, outcome, counted, overall, grouped)


def _of_nothing(options: Options) -> Scores:
    return {name: Score(nan, 0, why="there are no pairs") for name in score_names(options.config)}


def group_scores(
    references: References, counted: Mapping[str, Tally], groups: Coded, options: Options
) -> dict[str, Scores]:
    """The scores of every group of pairs, groups in alphabetical order."""
    codes, names = ranks(groups)
    sums = group_sums(counted, codes, len(names))
    wanted = score_names(options.config)
    drawn = _bootstraps(references, counted, codes, len(names), wanted, options)
    return {
        name: {score: _score(score, _at(sums, group), boot, options) for score in wanted}
        for group, (name, boot) in enumerate(zip(names, drawn, strict=True))
    }


def group_sums(
    counted: Mapping[str, Tally], codes: NDArray[np.int64], groups: int
) -> dict[tuple[str, int], NDArray[np.float64]]:
    """What every rate sums to in every group, above the line (0) and below it (1)."""
    return {
        (name, line): np.bincount(codes, weights=column, minlength=groups).astype(np.float64)
        for name, tally in counted.items()
        for line, column in enumerate((tally.above, tally.below))
    }


def settings(references: References, options: Options) -> dict[str, Any]:
    """What was counted as right, and how: to be shown beside every score."""
    normaliser = references.book.normaliser
    return {
        "config": options.config,
        "normaliser": normaliser,
        "right": options.rules.right,
        "right_means": RIGHTS[options.rules.right],
        "averaging": averaging_of(normaliser, options.rules.averaging),
        "parsed": options.rules.parses(normaliser),
        "t": options.t,
        "m": options.m,
        "bootstrap": options.bootstrap,
        "seed": options.seed,
    }


def _score(name: str, sums: Mapping[Any, float], drawn: Mapping[Any, Any] | None, options: Options) -> Score:
    value, n = value_of(name, sums, options)
    if isnan(value):
        return Score(nan, n, why=(RATES | DERIVED)[name])
    interval = wilson(min(value, 1.0), n) if name in RATES else (nan, nan)
    return Score(value, n, interval, _interval(name, drawn, options))


def value_of(name: str, sums: Mapping[Any, float], options: Options) -> tuple[float, int]:
    """A score and its n, from what the rates sum to."""
    if name in RATES:
        below = sums[name, 1]
        return (sums[name, 0] / (PARTS * below) if below else nan), int(below)
    return float(derived(sums, options.t, options.m)[name]), int(sums["accuracy_original", 1])


def _interval(name: str, drawn: Mapping[Any, Any] | None, options: Options) -> Interval:
    if drawn is None:
        return nan, nan
    return percentile_interval(resampled(name, drawn, options))


def resampled(name: str, drawn: Mapping[Any, Any], options: Options) -> NDArray[np.float64]:
    """A score in every resampled set of images."""
    if name in DERIVED:
        return np.asarray(derived(drawn, options.t, options.m)[name], dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(drawn[name, 0] / (PARTS * drawn[name, 1]), dtype=np.float64)


def _bootstraps(
    references: References,
    counted: Mapping[str, Tally],
    codes: NDArray[np.int64],
    groups: int,
    wanted: Sequence[str],
    options: Options,
) -> Iterator[dict[Any, Any] | None]:
    if not options.bootstrap or not groups:
        yield from (None for _ in range(groups))
        return
    used = [name for name in RATES if name in wanted or (name in _UNDER_DERIVED and set(wanted) & set(DERIVED))]
    order = np.argsort(codes, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(codes, minlength=groups))[:-1]):
        columns = {
            (name, line): column[rows].astype(np.float64)
            for name in used
            for line, column in enumerate((counted[name].above, counted[name].below))
        }
        yield bootstrap_sums(columns, references.clusters[rows], options.bootstrap, options.seed)


_UNDER_DERIVED = ("accuracy_original", "accuracy_perturbed")


def _at(sums: Mapping[Any, NDArray[np.float64]], group: int) -> dict[Any, float]:
    return {name: float(column[group]) for name, column in sums.items()}
