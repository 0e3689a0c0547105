"""Scores as text: tables that fit a terminal, with n, intervals, baselines and reasons."""

from collections.abc import Iterable, Mapping, Sequence
from math import isnan

from diptych.metrics.explanations import Explanation, TableRow
from diptych.metrics.paired_vqa.comparing import Difference
from diptych.metrics.paired_vqa.folds import OverFolds
from diptych.metrics.paired_vqa.scoring import Interval, Scores

_POINTS = frozenset({"r_score"})


def score_table(scores: Scores, baselines: Mapping[str, Mapping[str, float]] | None = None) -> str:
    """One line a score: its value, n and intervals, and what degenerate models score."""
    beside = baselines or {}
    heads = ["score", "value", "n", "Wilson 95 %", "bootstrap 95 %", *beside]
    rows, reasons = [], []
    for name, score in scores.items():
        degenerate = [_value(name, values[name]) for values in beside.values()]
        bounds = [_bounds(name, score.wilson), _bounds(name, score.bootstrap)]
        rows.append([name, _value(name, score.value), f"{score.n:,}", *bounds, *degenerate])
        if score.why:
            reasons.append(f"  {name} is undefined: {score.why}")
    return "\n".join([_grid(heads, rows), *reasons])


def baseline_table(baselines: Mapping[str, Mapping[str, float]]) -> str:
    """One line a degenerate model, one column a score."""
    names = list(next(iter(baselines.values()), {}))
    return _grid(
        ["baseline", *names],
        [[model, *(_value(name, values[name]) for name in names)] for model, values in baselines.items()],
    )


def group_table(column: str, groups: Mapping[str, Scores]) -> str:
    """One line a group, one column a score, with the group's n."""
    names = list(next(iter(groups.values()), {}))
    rows = [
        [group or "(empty)", f"{_pairs(scores):,}", *(_value(name, scores[name].value) for name in names)]
        for group, scores in groups.items()
    ]
    return _grid([column, "pairs", *names], rows)


def fold_lines(spreads: Mapping[str, OverFolds]) -> list[str]:
    """Scores as FVQA reports them: the mean and the standard deviation over folds, on one line."""
    known = {name: spread for name, spread in spreads.items() if not isnan(spread.mean)}
    if not known:
        return []
    said = ", ".join(f"{name} {_value(name, each.mean)} ± {_value(name, each.sd)}" for name, each in known.items())
    return [f"mean ± sd over {max(each.folds for each in known.values())} folds: {said}"]


def comparison_table(found: Mapping[str, Mapping[str, Difference]]) -> str:
    """One line a test and score: both models, their difference, and how sure it is."""
    heads = ["test", "score", "first", "second", "difference", "95 %", "p McNemar", "p bootstrap", "p Holm"]
    rows = [
        [
            test,
            name,
            _value(name, each.first),
            _value(name, each.second),
            _value(name, each.difference),
            _bounds(name, (each.low, each.high)),
            *map(_p, (each.p_mcnemar, each.p_bootstrap, each.p_holm)),
        ]
        for test, scores in found.items()
        for name, each in scores.items()
        if not isnan(each.difference)
    ]
    return _grid(heads, rows)


def paper_table(rows: Sequence[TableRow]) -> str:
    """The knowledge-based paper's Tables 2 and 3: one line a test, accuracies and the reduction in per cent."""
    shown = [
        [f"{row.test} ({row.colors})" if row.colors else row.test, f"{row.pairs:,}"]
        + [_value("", value) for value in (row.before, row.after, row.reduction)]
        for row in rows
    ]
    return _grid(["accuracy", "pairs", "before", "after", "reduction"], shown)


def explanation_table(found: Sequence[Explanation]) -> str:
    """Pairs whose answer changed, side by side: question and answer before, question and answer after."""
    heads = ["test", "image", "before", "answer", "after", "answer"]
    rows = [
        [each.test, each.image_id, each.before, each.answer_before, each.after, each.answer_after] for each in found
    ]
    return _grid(heads, rows)


def _pairs(scores: Scores) -> int:
    return max(score.n for name, score in scores.items() if name.startswith("accuracy"))


def _value(name: str, value: float) -> str:
    if isnan(value):
        return "–"
    return f"{value:.3f}" if name in _POINTS else f"{100 * value:.2f}"


def _bounds(name: str, interval: Interval) -> str:
    low, high = interval
    return "" if isnan(low) else f"{_value(name, low)} … {_value(name, high)}"


def _p(value: float) -> str:
    return "–" if isnan(value) else f"{value:.2g}"


def _grid(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [list(heads), *map(list, rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(heads))]
    texts = [
        "  ".join(cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(cells))
        for cells in ([*zip(line, widths, strict=True)] for line in lines)
    ]
    return "\n".join([texts[0], "-" * len(texts[0]), *texts[1:]])
