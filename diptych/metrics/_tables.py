"""The tables of the report on one model: scores with n and intervals, differences, and changed answers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from math import isnan
from operator import eq
from typing import Any

from diptych.metrics._comparison import Difference
from diptych.metrics._rendering import Table, TableRow, format_number, grid, score_cell, text_table
from diptych.metrics.paired_vqa.columns import align
from diptych.metrics.paired_vqa.scoring import Interval, ModelScores, Scores
from diptych.metrics.paired_vqa.summary import FoldMean

_COLUMNS = ("pair_id", "original_image_id", "relation", "original_question", "perturbed_question")


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
    return text_table(Table(column, f"By {column}", (column,), tuple(("", name) for name in names), tuple(rows)))


def fold_lines(means: Mapping[str, FoldMean]) -> list[str]:
    """Scores as FVQA reports them: the mean and the standard deviation over folds, on one line."""
    means = {name: mean for name, mean in means.items() if not isnan(mean.mean)}
    if not means:
        return []
    texts = [
        f"{name} {format_number(name, mean.mean)} ± {format_number(name, mean.sd)}" for name, mean in means.items()
    ]
    return [f"mean ± sd over {max(mean.folds for mean in means.values())} folds: {', '.join(texts)}"]


def comparison_table(differences: Mapping[str, Mapping[str, Difference]]) -> str:
    """One line per test and score: both models, their difference with its interval, and the p-values."""
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
    return grid(header, rows)


def explanation_table(explanations: Iterable[Mapping[str, Any]]) -> str:
    """Pairs whose answer changed, side by side: question and answer before, question and answer after."""
    names = ("test", "image_id", "question_before", "answer_before", "question_after", "answer_after")
    rows = [[entry[name] for name in names] for entry in explanations]
    return grid(["test", "image", "before", "answer", "after", "answer"], rows)


def _interval(name: str, interval: Interval) -> str:
    low, high = interval
    return "" if isnan(low) else f"{format_number(name, low)} … {format_number(name, high)}"


def explain_changes(model: ModelScores, predictions: Any, limit: int) -> list[dict[str, Any]]:
    """At most `limit` pairs whose answer changed, the tests in turn, those of a test in the order of the dataset.

    Each has both questions, the changed words in brackets, and both answers.
    """
    table = model.references.table
    changed_rows = [
        (turn, test, row)
        for test, rows in model.references.tests().groups().items()
        for turn, row in enumerate(rows[model.outcome.changed[rows]].tolist())
    ]
    original_answers, perturbed_answers = (side.to_list() for side in align(predictions, model.references.ids))
    explanations = []
    for _, test, row in sorted(changed_rows)[:limit]:
        values = {name: table.column(name)[row].as_py() for name in _COLUMNS if name in table.column_names}
        pair_id, image_id, relation, *questions = (values.get(name) or "" for name in _COLUMNS)
        before, after = mark_difference(*questions)
        explanation = {"pair_id": pair_id, "test": test, "image_id": image_id, "relation": relation}
        explanation |= {"question_before": before, "question_after": after}
        explanation |= {"answer_before": original_answers[row], "answer_after": perturbed_answers[row]}
        explanations.append(explanation | {"was_right": bool(model.outcome.original.right[row])})
    return explanations


def mark_difference(original_question: str, perturbed_question: str) -> tuple[str, str]:
    """Two questions with what differs in brackets; nothing is shown as `_`.

    >>> mark_difference("Is there a dog?", "Is there an animal?")
    ('Is there [a dog]?', 'Is there [an animal]?')
    """
    original, perturbed = list(_words(original_question)), list(_words(perturbed_question))
    start = _common_length(original, perturbed)
    rest = min(len(original), len(perturbed)) - start
    stop = min(_common_length(original[::-1], perturbed[::-1]), rest)
    return _bracket(original, start, stop), _bracket(perturbed, start, stop)


def _common_length(original: Sequence[str], perturbed: Sequence[str]) -> int:
    """How many words two lists have in common from their start."""
    return sum(takewhile(bool, map(eq, original, perturbed)))


def _words(text: str) -> Iterator[str]:
    for word in text.split():
        stem = word.rstrip("?.!,")
        yield from (part for part in (stem, word[len(stem) :]) if part)


def _bracket(words: list[str], start: int, stop: int) -> str:
    end = len(words) - stop
    difference = " ".join(words[start:end]) or "_"
    text = " ".join([*words[:start], f"[{difference}]", *words[end:]])
    return text.replace(" ?", "?").replace(" .", ".").replace(" ,", ",").replace(" !", "!")
