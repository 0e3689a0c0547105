"""The tables of the report on one model: scores with n and intervals, and differences."""

from collections.abc import Mapping
from math import isnan

from diptych.metrics._comparison import Difference
from diptych.metrics._rendering import Table, TableRow, drop_undefined, format_number, grid, score_cell, text_table
from diptych.metrics.paired_vqa.scoring import Interval, Scores
from diptych.metrics.paired_vqa.summary import FoldMean


def score_table(scores: Scores, baselines: Mapping[str, Mapping[str, float]]) -> str:
    """One line per score: its value, n and intervals, and the scores of degenerate models."""
    header = ["score", "value", "n", "Wilson 95 %", "bootstrap 95 %", *baselines]
    rows, reasons = [], []
    for name, score in scores.items():
        intervals = [_interval(name, score.wilson), _interval(name, score.bootstrap)]
        baseline_values = [format_number(name, values[name]) for values in baselines.values()]
        rows.append([name, format_number(name, score.value), f"{score.n:,}", *intervals, *baseline_values])
        if score.reason:
            reasons.append(f"  {name} is undefined: {score.reason}")
    return "\n".join([grid(header, rows), *reasons])


def baseline_table(baselines: Mapping[str, Mapping[str, float]]) -> str:
    """One line per degenerate model, one column per score."""
    names = list(next(iter(baselines.values()), {}))
    rows = [[model, *(format_number(name, values[name]) for name in names)] for model, values in baselines.items()]
    return grid(["baseline", *names], rows)


def group_table(column: str, groups: Mapping[str, Scores]) -> str:
    """One line per group, one column per score, each with its interval and n below it."""
    names = list(next(iter(groups.values()), {}))
    rows = [
        TableRow((group or "(empty)",), tuple(score_cell(name, scores[name]) for name in names))
        for group, scores in groups.items()
    ]
    table = Table(column, f"By {column}", (column,), tuple(("", name) for name in names), tuple(rows))
    return text_table(drop_undefined(table))


def fold_lines(means: Mapping[str, FoldMean]) -> list[str]:
    """Scores as FVQA reports them: the mean and the standard deviation over folds, on one line."""
    means = {name: mean for name, mean in means.items() if not isnan(mean.mean)}
    if not means:
        return []
    texts = [
        f"{name} {format_number(name, mean.mean)} ± {format_number(name, mean.sd)}" for name, mean in means.items()
    ]
    return [f"mean ± sd over {max(mean.folds for mean in means.values())} folds: {', '.join(texts)}"]


_P_VALUES = """\
p McNemar: the exact test on the pairs that only one model has right, where a score is right or wrong on the same pairs
  for both; it assumes independent pairs.
p bootstrap: the test that goes with the interval: images are resampled, and the pairs of an image stay together.
  It exists for every score. Where the two disagree because images have many pairs, prefer this one.
p Holm: McNemar's p, or the bootstrap's where there is none, corrected for the number of tests."""


def comparison_table(differences: Mapping[str, Mapping[str, Difference]]) -> str:
    """One line per test and score: both models, their difference with its interval, the p-values, what these are."""
    header = ["test", "score", "first", "second", "difference", "95 %", "p McNemar", "p bootstrap", "p Holm"]
    rows = [
        [
            test,
            name,
            *(format_number(name, value) for value in (entry.first, entry.second, entry.difference)),
            _interval(name, (entry.low, entry.high)),
            *("–" if isnan(p) else f"{p:.2g}" for p in (entry.p_mcnemar, entry.p_bootstrap, entry.p_holm)),
        ]
        for test, scores in differences.items()
        for name, entry in scores.items()
        if not isnan(entry.difference)
    ]
    return f"{grid(header, rows)}\n\n{_P_VALUES}"


def _interval(name: str, interval: Interval) -> str:
    low, high = interval
    return "" if isnan(low) else f"{format_number(name, low)} … {format_number(name, high)}"
