"""How scores move between two versions of a dataset, for one model's predictions."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diptych.metrics.built import read_plain
from diptych.metrics.paired_vqa.references import encode_references
from diptych.metrics.paired_vqa.scoring import Options, Scored, Scores, score_pairs


@dataclass(frozen=True, slots=True)
class Move:
    """One score on the pairs of two versions that have predictions."""

    test: str
    """The test, or `all`."""
    score: str
    before: float
    before_n: int
    after: float
    after_n: int


@dataclass(frozen=True, slots=True)
class Moves:
    """Every score before and after, and how many pairs had no prediction."""

    moves: tuple[Move, ...]
    before_unpredicted: int
    after_unpredicted: int


def distinct_pairs(paths: Iterable[Path]) -> Any:
    """The pairs of several files as one table, each pair once however many configs hold it."""
    table = pa.concat_tables([read_plain(path) for path in paths], promote_options="default")
    seen: set[str] = set()
    fresh = [not (pair_id in seen or seen.add(pair_id)) for pair_id in table["pair_id"].to_pylist()]  # type: ignore[func-returns-value]
    return table.filter(pa.array(fresh))


def score_moves(before: Any, after: Any, predictions: Any, config: str = "all") -> Moves:
    """Score the same predictions on two versions, each on those of its pairs that were predicted."""
    options = Options(config, bootstrap=0)
    known = [_predicted(table, predictions) for table in (before, after)]
    first, second = (_scored(table, predictions, options) for table in known)
    tests = sorted({*first.by["test"], *second.by["test"]})
    groups: list[tuple[str, Scores, Scores]] = [("all", first.overall, second.overall)]
    groups += [(test, first.by["test"].get(test, {}), second.by["test"].get(test, {})) for test in tests]
    moves = [
        Move(test, name, *_value(old, name), *_value(new, name)) for test, old, new in groups for name in {**old, **new}
    ]
    return Moves(tuple(moves), before.num_rows - known[0].num_rows, after.num_rows - known[1].num_rows)


def _value(scores: Scores, name: str) -> tuple[float, int]:
    return (scores[name].value, scores[name].n) if name in scores else (nan, 0)


def _predicted(table: Any, predictions: Any) -> Any:
    return table.filter(pc.is_in(table["pair_id"], value_set=pc.unique(predictions["pair_id"])))


def _scored(table: Any, predictions: Any, options: Options) -> Scored:
    said = predictions.filter(pc.is_in(predictions["pair_id"], value_set=table["pair_id"].combine_chunks()))
    return score_pairs(said, encode_references(table), options, ("test",))
