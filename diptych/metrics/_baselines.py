"""Baselines: the predictions and scores of degenerate models, and the predictions of a dataset's oracle."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa

from diptych.errors import BadInputError
from diptych.folder import BuiltFolder, Selection, recipe_templates
from diptych.metrics._predictions import Predictions, scoring
from diptych.metrics.paired_vqa.baselines import baseline_answers, baseline_scores
from diptych.metrics.paired_vqa.columns import SIDES
from diptych.metrics.paired_vqa.outcomes import Options
from diptych.metrics.paired_vqa.references import OPTIONAL, REQUIRED, encode_references
from diptych.pairs import check_seed

ORACLE = "oracle"
"""The name of the baseline that answers from the source files."""

SCORED_COLUMNS = (*REQUIRED, *OPTIONAL)
"""The columns that the scores of a degenerate model rest on, besides the choices among the bindings."""

Oracle = Callable[[Sequence[Mapping[str, Any]], str, Path, Path | None], Iterator[tuple[int, tuple[str | None, ...]]]]


@scoring()
def score_baselines(table: pa.Table, family: str) -> dict[str, dict[str, float]]:
    """The scores of every degenerate model on a table of pairs, by model and score."""
    return baseline_scores(encode_references(table), Options(family, bootstrap=0))


@scoring()
def predict_baseline(
    folder: BuiltFolder,
    name: str,
    config: str | None = None,
    split: str | None = None,
    seed: int = 0,
    data: Path | None = None,
) -> Predictions:
    """The predictions of a degenerate model, or of the dataset's oracle, which reads the source files in `data`."""
    check_seed(seed)
    selection = folder.select(config, split)
    if name == ORACLE:
        return _oracle_predictions(folder, selection, data)
    with scoring(folder.location):
        references = encode_references(folder.pairs(selection))
    answers = baseline_answers(references, name, seed)
    columns = {side: column.to_list() for side, column in zip(SIDES, answers, strict=True)}
    return {"pair_id": references.ids.to_pylist(), **columns}


def _oracle_predictions(folder: BuiltFolder, selection: Selection, data: Path | None) -> Predictions:
    from diptych.builders import get_dataset  # a dataset brings its whole tool chain, which no other baseline needs

    if data is None:
        raise BadInputError("the oracle reads the source files: say where they are (--data DIR)")
    name = get_dataset(folder.manifest.dataset).spec.oracle
    if not name:
        raise BadInputError(
            f"{folder.location}: {folder.manifest.dataset} has no oracle; its truth is people's answers"
        )
    rows = folder.pairs(selection).to_pylist()
    predictions: Predictions = {"pair_id": [row["pair_id"] for row in rows]}
    predictions |= {side: [""] * len(rows) for side in SIDES}
    open_indices = set(range(len(rows)))
    for index, answers in load_oracle(name)(rows, selection.split, data, recipe_templates(folder.path)):
        open_indices.discard(index)
        for side, answer in zip(SIDES, answers, strict=True):
            if answer is None:
                question = rows[index][f"{side}_question"]
                raise BadInputError(f"pair {rows[index]['pair_id']}: the oracle cannot read {question!r}")
            predictions[side][index] = answer
    if open_indices:
        pair_id = rows[min(open_indices)]["pair_id"]
        raise BadInputError(f"{folder.location}: the oracle cannot answer pair {pair_id} of {selection.config}")
    return predictions


def load_oracle(name: str) -> Oracle:
    """An oracle by its name in the spec of its dataset, `module:function`."""
    module, _, attribute = name.partition(":")
    oracle: Oracle = getattr(import_module(module), attribute)
    return oracle
