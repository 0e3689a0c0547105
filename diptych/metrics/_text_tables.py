"""Scores as text: tables that fit a terminal, with n, intervals, baselines and reasons."""

from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from typing import Any

from diptych.metrics.paired_vqa.comparison import Difference
from diptych.metrics.paired_vqa.scoring import Interval, Scores
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


def comparison_table(differences: Mapping[str, Mapping[str, Difference]]) -> str:
    """One line per test and score: both models, their difference with its interval, and the p-values."""
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
    return _grid(header, rows)


def paper_table(rows: Iterable[Mapping[str, Any]]) -> str:
    """The knowledge-based paper's Tables 2 and 3: one line per test, accuracies and the reduction in percent."""
    cells = [
        [f"{row['test']} ({row['colors']})" if row["colors"] else row["test"], f"{row['pairs']:,}"]
        + [_number("", row[name]) for name in ("before", "after", "reduction")]
        for row in rows
    ]
    return _grid(["accuracy", "pairs", "before", "after", "reduction"], cells)


def explanation_table(explanations: Iterable[Mapping[str, Any]]) -> str:
    """Pairs whose answer changed, side by side: question and answer before, question and answer after."""
    names = ("test", "image_id", "question_before", "answer_before", "question_after", "answer_after")
    rows = [[entry[name] for name in names] for entry in explanations]
    return _grid(["test", "image", "before", "answer", "after", "answer"], rows)


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
