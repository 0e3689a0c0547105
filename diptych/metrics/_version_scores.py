"""How the scores of one model change between two versions of a dataset."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diptych.folder import BuiltFolder
from diptych.metrics._errors import readable_errors
from diptych.metrics._predictions import read_predictions
from diptych.metrics.paired_vqa.scoring import ModelScores, Options, Scores, score_pairs


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """One score on those pairs of two versions that have predictions."""

    test: str
    """The test, or `all`."""
    score: str
    before: float
    before_n: int
    after: float
    after_n: int


@dataclass(frozen=True, slots=True)
class ScoreChanges:
    """Every score before and after, and how many pairs had no prediction."""

    changes: tuple[ScoreChange, ...]
    before_unpredicted: int
    after_unpredicted: int


@readable_errors
def score_changes(before: BuiltFolder, after: BuiltFolder, predictions: Any) -> ScoreChanges:
    """Score the same predictions on the pairs of two versions that were predicted, each pair once.

    `predictions` is a file, or rows in any of the shapes that the scores take.
    """
    answers = read_predictions(predictions)
    pairs = [_distinct_pairs(folder) for folder in (before, after)]
    predicted_pairs = [_with_predictions(table, answers) for table in pairs]
    before_scores, after_scores = (_score(table, answers, before.manifest.score_family) for table in predicted_pairs)
    changes = tuple(_changes("all", before_scores.overall, after_scores.overall))
    before_tests, after_tests = before_scores.groups["test"], after_scores.groups["test"]
    for test in sorted({*before_tests, *after_tests}):
        changes += tuple(_changes(test, before_tests.get(test, {}), after_tests.get(test, {})))
    missing_counts = [table.num_rows - part.num_rows for table, part in zip(pairs, predicted_pairs, strict=True)]
    return ScoreChanges(changes, *missing_counts)


def _distinct_pairs(folder: BuiltFolder) -> pa.Table:
    """The pairs of all configs as one table, each pair once however many configs hold it."""
    tables = [
        folder.table(config, split)
        for config, split, _ in folder.manifest.own_splits()
        if folder.manifest.configs[config].tests
    ]
    table = pa.concat_tables(tables, promote_options="default")
    first_rows: dict[str, int] = {}
    for row, pair_id in enumerate(table["pair_id"].to_pylist()):
        first_rows.setdefault(pair_id, row)
    return table.take(pa.array(first_rows.values(), pa.int64()))


def _changes(test: str, before_scores: Scores, after_scores: Scores) -> Iterator[ScoreChange]:
    for name in {**before_scores, **after_scores}:
        yield ScoreChange(test, name, *_value(before_scores, name), *_value(after_scores, name))


def _value(scores: Scores, name: str) -> tuple[float, int]:
    return (scores[name].value, scores[name].n) if name in scores else (nan, 0)


def _with_predictions(table: pa.Table, predictions: pa.Table) -> pa.Table:
    return table.filter(pc.is_in(table["pair_id"], value_set=pc.unique(predictions["pair_id"])))


def _score(table: pa.Table, predictions: pa.Table, family: str) -> ModelScores:
    answers = predictions.filter(pc.is_in(predictions["pair_id"], value_set=table["pair_id"].combine_chunks()))
    return score_pairs(answers, table, Options(family, bootstrap=0), ("test",))
