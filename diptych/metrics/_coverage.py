"""Which pairs are scored: those that every model answers on both sides, however many others it answers."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diptych.folder import BuiltFolder, Selection
from diptych.metrics._predictions import scoring
from diptych.metrics.paired_vqa.columns import (
    Coverage,
    ScoringError,
    as_table,
    as_texts,
    first_few,
    has_answers,
    keep_answered,
)


def cover_pairs(
    folder: BuiltFolder, selection: Selection, pairs: pa.Table, models: Sequence[tuple[Any, pa.Table]], partial: bool
) -> tuple[Coverage, pa.Table, list[pa.Table]]:
    """The pairs to score and the predictions about them; each of `models` is a file, or rows, and what it holds.

    Predictions about pairs of a union that the config is a part of are left out; those about unknown pairs are an
    error. So are pairs that a model does not answer on both sides, unless `partial` leaves them out.
    """
    pair_ids, tables = pairs["pair_id"].combine_chunks(), []
    for place, rows in models:
        with scoring(place):
            table = _drop_united(folder, selection, pair_ids, as_table(rows, "predictions", ["pair_id"]))
            is_missing = pc.invert(has_answers(table, pair_ids))
            if not partial and pc.any(is_missing).as_py():
                missing_ids = sorted(pair_ids.filter(is_missing).to_pylist())
                problem = f"no answer to {len(missing_ids):,} of {len(pair_ids):,} pairs"
                raise ScoringError(f"{problem}: {first_few(missing_ids)}; pass --allow-missing to score the others")
            tables.append(table)
    with scoring(models[0][0]):
        scored_pairs, *tables = keep_answered(pairs, *tables)
    return Coverage(len(pair_ids), scored_pairs.num_rows), scored_pairs, tables


def _drop_united(folder: BuiltFolder, selection: Selection, pair_ids: pa.Array, table: pa.Table) -> pa.Table:
    """The predictions about some pairs of a config, where the others are about other pairs of a union with it."""
    answer_ids = as_texts(table.column("pair_id"))
    if answer_ids.null_count:
        raise ScoringError(f"{answer_ids.null_count:,} rows of the predictions have no pair_id")
    is_own = pc.is_in(answer_ids, value_set=pair_ids)
    if pc.all(is_own).as_py():
        return table
    parts = set(folder.configs[selection.config])
    united_parts = {part for union in folder.configs.values() if parts & set(union) for part in union}
    unknown_ids = pc.unique(answer_ids.filter(pc.invert(is_own)))
    for config, split, _ in folder.manifest.own_splits():
        if config in united_parts and folder.manifest.configs[config].tests:
            ids = folder.table(config, split, ("pair_id",))["pair_id"].combine_chunks()
            unknown_ids = unknown_ids.filter(pc.invert(pc.is_in(unknown_ids, value_set=ids)))
    if len(unknown_ids):
        problem = f"the predictions are for pairs that are not in {selection.config} of {folder.location}"
        names = first_few(sorted(unknown_ids.to_pylist()))
        raise ScoringError(f"{problem}, nor in a union with it: {names}; choose another config with --config")
    return table.filter(is_own)
