"""The noise floor: what asking the very same question twice already costs every score of consistency.

Asked again, an original side makes a pair whose perturbation is nothing: its first answer and its second. A score S of
the pairs (A, B) falls short of S(A, A), its value were every second side answered as the first; S(A, A) − S(A, A'),
with the second asking A' in the place of the perturbed side, is the part of it that noise alone explains.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from diptych.errors import BadInputError
from diptych.folder import picture_key
from diptych.metrics._predictions import predictions_header
from diptych.metrics._rendering import Cell, Table, TableRow, score_cell
from diptych.metrics.paired_vqa.columns import SIDES, CodedColumn, Codes, Coverage, align
from diptych.metrics.paired_vqa.families import CONSISTENCIES, higher_is_better
from diptych.metrics.paired_vqa.intervals import percentile_interval, wilson
from diptych.metrics.paired_vqa.outcomes import Flags, Options, Outcome, SideOutcome, judge, relate_sides
from diptych.metrics.paired_vqa.references import EXPECTATIONS, References
from diptych.metrics.paired_vqa.scoring import (
    ModelScores,
    Score,
    find_scope,
    group_pairs,
    make_score,
    reported_scores,
    resample_models,
    score_values,
    select_tallies,
    tally_rates,
)

ARM = "repeat"  # the arm of `diptych predict` that asks everything once more
_FULL = "full"
_SAME = ("model", "revision", "server_model", "decoding", "image_rule", "prompt_hash", "dataset", "dataset_version")
_SAME_PAIRS = ("content_hash", "config", "split")
_PICTURE_COLUMNS = ("operation", "boxes", "means", "source")


@dataclass(frozen=True, slots=True)
class ScoreFloor:
    """A score on the pairs that were asked twice, and how much of its shortfall is noise."""

    score: Score
    shortfall: float  # from what the score would be if every second side were answered as the first
    floor: Score  # the shortfall of the same questions, asked twice
    above: float  # the shortfall beyond the floor
    low: float
    high: float

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        above = {"value": self.above, "bootstrap_low": self.low, "bootstrap_high": self.high}
        defined = {name: number for name, number in above.items() if name == "value" or not isnan(number)}
        parts = {"score": self.score.as_dict(), "shortfall": self.shortfall, "floor": self.floor.as_dict()}
        return {**parts, "above_floor": defined}


@dataclass(frozen=True, slots=True)
class AnswerChanges:
    """How many distinct questions of one side have another answer when they are asked again."""

    changed: int
    read: int  # the questions whose reply could be read both times
    unread_once: int
    unread_twice: int

    @property
    def share(self) -> float:
        """The share of changed answers among those that could be read both times."""
        return self.changed / self.read if self.read else nan

    def as_dict(self) -> dict[str, Any]:
        """The counts, the share and its Wilson interval, as plain data."""
        low, high = wilson(self.share, self.read)
        interval = {} if isnan(low) else {"wilson_low": low, "wilson_high": high}
        return {**asdict(self), "share": self.share, **interval}

    def __str__(self) -> str:
        """The share with its interval and n, and the replies that could not be read.

        >>> print(AnswerChanges(3, 120, 2, 1))
        3 of 120 (2.5 %, 0.9 … 7.1 %; in addition, 2 unread once and 1 twice)
        """
        if not self.read:
            return f"of none ({self.unread_once:,} unread once and {self.unread_twice:,} twice)"
        low, high = (100 * bound for bound in wilson(self.share, self.read))
        unread = f"; in addition, {self.unread_once:,} unread once and {self.unread_twice:,} twice"
        shares = f"{100 * self.share:.1f} %, {low:.1f} … {high:.1f} %"
        return f"{self.changed:,} of {self.read:,} ({shares}{unread if self.unread_once + self.unread_twice else ''})"


Floors = dict[str, ScoreFloor]  # by score


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """The noise floor of a model: of its scores, overall and by group, and how many of its answers change."""

    coverage: Coverage  # the pairs that were asked twice
    changes: Mapping[str, AnswerChanges]  # by side
    overall: Floors
    groups: Mapping[str, Mapping[str, Floors]]  # by column and group

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        changes = {side: counts.as_dict() for side, counts in self.changes.items()}
        by = {
            column: {group: _plain(floors) for group, floors in groups.items()}
            for column, groups in self.groups.items()
        }
        return {"coverage": self.coverage.as_dict(), "changed": changes, "overall": _plain(self.overall), "by": by}

    def sentences(self) -> list[str]:
        """How many answers changed, and of how many pairs the floor is."""
        sides = "; ".join(f"{side} {counts}" for side, counts in self.changes.items())
        partial = self.coverage.scored < self.coverage.pairs
        pairs = f" Asked twice: {self.coverage.scored:,} of {self.coverage.pairs:,} pairs." if partial else ""
        return [f"Answers that changed when asked again, over distinct questions: {sides}.{pairs}"]

    def parts(self) -> dict[str, Floors]:
        """All floors by what they are of: all pairs, a test, or a value of another column."""
        parts = {"all": self.overall}
        for column, groups in self.groups.items():
            parts |= {group if column == "test" else f"{column} {group}": floors for group, floors in groups.items()}
        return parts


def _plain(floors: Floors) -> dict[str, Any]:
    return {name: floor.as_dict() for name, floor in floors.items()}


def check_repeat(predictions: Any, repeat: Any) -> None:
    """Refuse a file that does not say that it holds the same model's answers to the same questions, asked again."""
    if isinstance(repeat, str | Path) and (problem := find_mismatch(predictions, repeat)):
        raise BadInputError(problem)


def find_mismatch(predictions: Any, repeat: Any) -> str:
    """Why one file does not repeat another, as a line for the user; empty where it does."""
    header, own_header = predictions_header(repeat), predictions_header(predictions)
    for place, arm, values in ((repeat, ARM, header), (predictions, _FULL, own_header)):
        if not values:
            return f"{place}: no header; the noise floor needs files written by `diptych predict`"
        if values.get("arm") != arm:
            own_arm = f"is of the arm {values.get('arm')}, not {arm}"
            return f"{place}: {own_arm}; the noise floor needs a file of the arm full and one of --arm repeat"
    for name in (*_SAME, *_SAME_PAIRS):
        first, second = (_comparable(name, values) for values in (own_header, header))
        is_untold = name == "server_model" and None in (first, second)  # not every server names its model
        if first != second and not is_untold:
            remedy = "run the same model with the same settings and --arm repeat"
            return f"{repeat}: {name} is {second!r}, but {first!r} in {predictions}; {remedy}"
    return ""


def _comparable(name: str, header: Mapping[str, Any]) -> Any:
    """An entry of a header; a seed may differ, and makes the floor that of other draws."""
    value = header.get(name)
    return {key: entry for key, entry in value.items() if key != "seed"} if isinstance(value, Mapping) else value


def match_repeats(models: Mapping[str, Any], repeats: Sequence[Any]) -> dict[str, Any]:
    """The files of repeated questions by the name of the model that each repeats."""
    matches: dict[str, Any] = {}
    for repeat in repeats:
        problems = {name: find_mismatch(predictions, repeat) for name, predictions in models.items()}
        names = [name for name, problem in problems.items() if not problem]
        if not names:
            own_model = predictions_header(repeat).get("model")
            alike = [name for name, place in models.items() if predictions_header(place).get("model") == own_model]
            raise BadInputError(problems[next(iter(alike or problems))])
        if names[0] in matches:
            raise BadInputError(f"{repeat}: {matches[names[0]]} also repeats {names[0]}; pass one of them")
        matches[names[0]] = repeat
    return matches


def measure_floor(
    references: References,
    predictions: Any,
    repeat: Any,
    options: Options,
    columns: Sequence[str] = (),
    coverage: Coverage | None = None,
) -> NoiseFloor:
    """The noise floor of every score of consistency that is reported, from two tables of answers to the same pairs."""
    replies, again = (align(answers, references.ids) for answers in (predictions, repeat))
    first, second = (judge(references, *sides, options) for sides in (replies, again))
    grouped, scope = group_pairs(references, options), find_scope(references, options.family)
    same = np.where(references.expects("different"), EXPECTATIONS.index("same"), references.expectation)
    unperturbed = replace(grouped, perturbed=references.original, expectation=same)

    def model(pairs: References, outcome: Outcome) -> ModelScores:
        return ModelScores(pairs, outcome, tally_rates(pairs, outcome), scope, None, {}, {})

    def asked_twice(side: SideOutcome, texts: CodedColumn) -> ModelScores:
        return model(unperturbed, relate_sides(first.original, side, replies[0], texts, references.codebook))

    models = [
        model(grouped, first), asked_twice(first.original, replies[0]), asked_twice(second.original, again[0])
    ]  # fmt: skip
    names = [name for name in reported_scores(options) if name in CONSISTENCIES]
    groups = {
        column: {
            group: _measure(models, rows, names, options)
            for group, rows in references.column(column).groups(scope.rows).items()
        }
        for column in columns
    }
    changes = {side: _count_changes(references, side, first, second) for side in SIDES}
    coverage = coverage or Coverage(len(references), len(references))
    return NoiseFloor(coverage, changes, _measure(models, scope.headline, names, options), groups)


def _measure(models: Sequence[ModelScores], rows: Codes, names: Sequence[str], options: Options) -> Floors:
    """The floors of some pairs; the score and both of its comparisons are of the same resampled images."""
    tallies = [select_tallies(model, rows, names) for model in models]
    sums = [{name: tally.sum(axis=1) for name, tally in of_model.items()} for of_model in tallies]
    resamples = resample_models(tallies, models[0].references.clusters[rows], options)
    floors = {}
    for name in names:
        score, once, twice = (
            make_score(name, own_sums, resamples[number] if resamples else None, options)
            for number, own_sums in enumerate(sums)
        )
        sign = -1 if higher_is_better(name) is not True else 1  # answers that change are a shortfall too
        bounds = [(nan, nan)] * 2
        if resamples:
            values = [sign * score_values(name, of_model, options) for of_model in resamples]
            bounds = [percentile_interval(values[1] - values[2]), percentile_interval(values[2] - values[0])]
        floor = sign * (once.value - twice.value) + 0.0
        own_wilson = wilson(floor, twice.n) if not isnan(twice.wilson[0]) else (nan, nan)
        floors[name] = ScoreFloor(
            score,
            sign * (once.value - score.value) + 0.0,
            Score(floor, twice.n, own_wilson, bounds[0], twice.reason),
            sign * (twice.value - score.value) + 0.0,
            *bounds[1],
        )
    return floors


def _count_changes(references: References, side: str, first: Outcome, second: Outcome) -> AnswerChanges:
    """How many answers to the distinct questions of a side changed: a question of many pairs was asked once a run."""
    rows = _distinct_sides(references, side)
    before, after = (getattr(outcome, side) for outcome in (first, second))
    read = _sum_flags(before.parsed[rows], after.parsed[rows])
    changed = (read == 2) & (before.answers[rows] != after.answers[rows])
    counts = np.bincount(read, minlength=3).tolist()
    return AnswerChanges(int(changed.sum()), counts[2], counts[1], counts[0])


def _sum_flags(first: Flags, second: Flags) -> Codes:
    return first.astype(np.int64) + second


def _distinct_sides(references: References, side: str) -> Codes:
    """The first row of every distinct question about a picture."""
    names = [f"{side}_question", *(f"{base}_image_{part}" for base in SIDES for part in ("id", "file"))]
    if not references.has_column(names[0]):
        return np.arange(len(references))
    columns = [name for name in (*names, *_PICTURE_COLUMNS) if references.has_column(name)]
    rows: pa.Table = references.table.select(columns)
    firsts: dict[tuple[str, str], int] = {}
    for number, row in enumerate(rows.to_pylist()):
        firsts.setdefault((row[names[0]], picture_key(row, side)), number)
    return np.array(list(firsts.values()), dtype=np.int64)


_TITLE = "The noise floor: the shortfall of a score, the part that asking twice explains, and the rest"
_COLUMNS = ("score", "shortfall", "floor", "above the floor by")
_RULE = (
    "Shortfall: the difference from the score if every second side were answered like the first. Floor: the shortfall "
    "of the original sides, asked twice. Above: the shortfall minus the floor, on the same resampled images."
)


def floor_table(floors: Mapping[str, NoiseFloor], named: bool = True) -> Table:
    """One row per model, part of the pairs and score; without the models unless they are `named`."""
    stub = ("model", "of", "score")[0 if named else 1 :]
    rows, footnotes = [], [_RULE]
    for model, floor in floors.items():
        for part, scores in floor.parts().items():
            rows += [
                TableRow((model, part, name)[-len(stub) :], _cells(name, entry))
                for name, entry in scores.items()
                if not isnan(entry.above)
            ]
        footnotes += [f"{model}: {line}" if named else line for line in floor.sentences()]
    return Table("floor", _TITLE, stub, tuple(("", name) for name in _COLUMNS), tuple(rows), tuple(footnotes))


def _cells(name: str, entry: ScoreFloor) -> tuple[Cell, ...]:
    above = Cell(name, entry.above, entry.score.n, (entry.low, entry.high))
    return score_cell(name, entry.score), Cell(name, entry.shortfall), score_cell(name, entry.floor), above
