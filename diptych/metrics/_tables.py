"""The tables of a report: scores with n and intervals, and the knowledge-based paper's tables."""

from collections.abc import Iterable, Mapping, Sequence
from math import isnan, nan
from typing import Any

import numpy as np

from diptych.metrics.paired_vqa.outcomes import PARTS
from diptych.metrics.paired_vqa.scoring import Difference, Interval, ModelScores, Scores
from diptych.metrics.paired_vqa.summary import FoldMean


def score_table(scores: Scores, baselines: Mapping[str, Mapping[str, float]]) -> str:
    """One line per score: its value, n and intervals, and the scores of degenerate models."""
    header = ["score", "value", "n", "Wilson 95 %", "bootstrap 95 %", *baselines]
    rows, reasons = [], []
    for name, score in scores.items():
        intervals = [_interval(name, score.wilson), _interval(name, score.bootstrap)]
        baseline_values = [_number(name, values[name]) for values in baselines.values()]
        rows.append([name, _number(name, score.value), f"{score.n:,}", *intervals, *baseline_values])
        if score.reason:
            reasons.append(f"  {name} is undefined: {score.reason}")
    return "\n".join([_grid(header, rows), *reasons])


def baseline_table(baselines: Mapping[str, Mapping[str, float]]) -> str:
    """One line per degenerate model, one column per score."""
    names = list(next(iter(baselines.values()), {}))
    rows = [[model, *(_number(name, values[name]) for name in names)] for model, values in baselines.items()]
    return _grid(["baseline", *names], rows)


def group_table(column: str, groups: Mapping[str, Scores]) -> str:
    """One line per group, one column per score, with the n of the group."""
    names = list(next(iter(groups.values()), {}))
    rows = []
    for group, scores in groups.items():
        pairs = max(score.n for name, score in scores.items() if name.startswith("accuracy"))
        rows.append([group or "(empty)", f"{pairs:,}", *(_number(name, scores[name].value) for name in names)])
    return _grid([column, "pairs", *names], rows)


def fold_lines(means: Mapping[str, FoldMean]) -> list[str]:
    """Scores as FVQA reports them: the mean and the standard deviation over folds, on one line."""
    means = {name: mean for name, mean in means.items() if not isnan(mean.mean)}
    if not means:
        return []
    texts = [f"{name} {_number(name, mean.mean)} ± {_number(name, mean.sd)}" for name, mean in means.items()]
    return [f"mean ± sd over {max(mean.folds for mean in means.values())} folds: {', '.join(texts)}"]


_P_VALUES = """\
p McNemar: the exact test on the pairs that only one model has right, where a score is right or wrong on the same pairs
  for both; it takes pairs as independent.
p bootstrap: the test that belongs to the interval: images are drawn again, and the pairs of an image stay together.
  It exists for every score. Where the two disagree because images have many pairs, trust this one.
p Holm: McNemar's p, or the bootstrap's where there is none, corrected for the number of tests."""


def comparison_table(differences: Mapping[str, Mapping[str, Difference]]) -> str:
    """One line per test and score: both models, their difference with its interval, the p-values, what these are."""
    header = ["test", "score", "first", "second", "difference", "95 %", "p McNemar", "p bootstrap", "p Holm"]
    rows = [
        [
            test,
            name,
            *(_number(name, value) for value in (entry.first, entry.second, entry.difference)),
            _interval(name, (entry.low, entry.high)),
            *("–" if isnan(p) else f"{p:.2g}" for p in (entry.p_mcnemar, entry.p_bootstrap, entry.p_holm)),
        ]
        for test, scores in differences.items()
        for name, entry in scores.items()
        if not isnan(entry.difference)
    ]
    return f"{_grid(header, rows)}\n\n{_P_VALUES}"


def paper_table(rows: Iterable[Mapping[str, Any]]) -> str:
    """The knowledge-based paper's Tables 2 and 3: one line per test, accuracies and the reduction in percent."""
    cells = [
        [f"{row['test']} ({row['colors']})" if row["colors"] else row["test"], f"{row['pairs']:,}"]
        + [_number("", row[name]) for name in ("before", "after", "reduction")]
        for row in rows
    ]
    return _grid(["accuracy", "pairs", "before", "after", "reduction"], cells)


def _number(name: str, value: float) -> str:
    if isnan(value):
        return "–"
    return f"{value:.3f}" if name == "r_score" else f"{100 * value:.2f}"


def _interval(name: str, interval: Interval) -> str:
    low, high = interval
    return "" if isnan(low) else f"{_number(name, low)} … {_number(name, high)}"


def _grid(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns of equal width: the first is aligned to the left, the others to the right."""
    lines = [list(header), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    texts = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines]
    return "\n".join([texts[0], "-" * len(texts[0]), *texts[1:]])


def paper_tables(model: ModelScores) -> list[dict[str, Any]]:
    """Tables 2 and 3 of the paper for one model: the accuracy before and after, and the share of it that is lost.

    The color tests come first, one line each for common and uncommon new colors (Table 2).
    """
    table = model.references.table
    tests = model.references.tests().to_list()
    colors = table.column("colors").to_pylist() if model.references.has_column("colors") else [""] * len(tests)
    keys = [(test, kind or "") for test, kind in zip(tests, colors, strict=True)]
    table_rows = []
    for key in sorted(set(keys), key=lambda key: (key[1] not in ("common", "uncommon"), key)):
        rows = np.array([row_key == key for row_key in keys])
        sides = (model.outcome.original, model.outcome.perturbed)
        before, after = (float(side.accuracy[rows].mean() / PARTS) for side in sides)
        reduction = (before - after) / before if before else nan
        numbers = {"pairs": int(rows.sum()), "before": before, "after": after, "reduction": reduction}
        table_rows.append({"test": key[0], "colors": key[1], **numbers})
    return table_rows
