"""Predictions: of a model, from files in any of the formats of `_formats` or from rows; and of baselines.

Answers by `question_id` become answers by pair: an id is `PAIR_ID-original` or `PAIR_ID-perturbed`, or one under which
others released the question, which the bindings of the pair name.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from diptych.errors import BadInputError, MissingFileError
from diptych.files import atomic_writer, write_json_lines, write_text
from diptych.folder import BuiltFolder, Selection, read_bindings, recipe_templates
from diptych.metrics._formats import BY_PAIR, BY_QUESTION, BY_SIDE, read_header, read_table
from diptych.metrics.paired_vqa.columns import SIDES, CodedColumn, ScoringError, answer_text, as_table
from diptych.metrics.paired_vqa.outcomes import Options
from diptych.metrics.paired_vqa.references import GROUP_COLUMNS, OPTIONAL, QUESTION_IDS, REQUIRED, encode_references
from diptych.metrics.paired_vqa.scoring import score_answers
from diptych.metrics.paired_vqa.summary import baseline_answers, baseline_scores
from diptych.pairs import check_seed

ORACLE = "oracle"  # the name of the baseline that answers from the source files

SCORED_COLUMNS = (*REQUIRED, *OPTIONAL, *GROUP_COLUMNS, *QUESTION_IDS)
"""The columns that the scores of a degenerate model rest on, besides the choices among the bindings."""

Oracle = Callable[[Sequence[Mapping[str, Any]], str, Path, Path | None], Iterator[tuple[int, tuple[str | None, ...]]]]

Predictions = dict[str, list[str]]  # columns of predictions: `pair_id`, `original`, `perturbed`


class UnscorableError(BadInputError, ScoringError):
    """A scoring error that the command line reports in one line."""


@contextmanager
def scoring(place: object = None) -> Iterator[None]:
    """Raise the errors of scoring as errors of the package, which name the file or folder, where `place` is one."""
    try:
        yield
    except ScoringError as error:
        prefix = f"{place}: " if isinstance(place, str | Path) else ""
        raise UnscorableError(f"{prefix}{error}") from None


def read_predictions(predictions: Any, pairs: pa.Table | None = None) -> pa.Table:
    """Predictions as an Arrow table by pair or by side, from a file or from rows of any shape that the scores take.

    The content of a file decides its format. `pairs` are needed for answers by the ids of released questions.
    """
    if not isinstance(predictions, str | Path):
        table, place = as_table(predictions, "predictions"), "the predictions"
    else:
        path = Path(predictions)
        if not path.is_file():
            raise MissingFileError(f"{path}: not found")
        table, place = read_table(path), str(path)
    if "question_id" not in table.column_names or "pair_id" in table.column_names:
        return table
    return _resolve_questions(place, table, pairs)


def predictions_header(predictions: Any) -> dict[str, Any]:
    """The header of a file of predictions; empty where it has none, and for rows."""
    is_file = isinstance(predictions, str | Path) and Path(predictions).is_file()
    return dict(read_header(Path(predictions)) or {}) if is_file else {}


def model_name(predictions: Any) -> str:
    """The name of the model behind predictions: that of the header with its arm, or the name of the file."""
    header = predictions_header(predictions)
    if header.get("model"):
        arm = header.get("arm", "full")
        return str(header["model"]) if arm == "full" else f"{header['model']} ({arm})"
    return Path(predictions).stem if isinstance(predictions, str | Path) else "model"


def write_predictions(path: Path, predictions: Predictions) -> None:
    """Write one row per pair, in the format that the suffix of the file names."""
    suffix, rows = _suffix(path), zip(*predictions.values(), strict=True)
    if suffix == ".parquet":
        with atomic_writer(path) as file:
            pq.write_table(pa.table(predictions), file)
    elif suffix == ".csv":
        text = StringIO(newline="")
        csv.writer(text).writerows([tuple(predictions), *rows])
        write_text(path, text.getvalue())
    else:
        write_json_lines(path, (dict(zip(predictions, row, strict=True)) for row in rows))


def _resolve_questions(place: str, table: pa.Table, pairs: pa.Table | None) -> pa.Table:
    """Answers by the questions of pairs; the same answer twice counts once."""
    answers: dict[str, str] = {}
    for question_id, value in zip(*(table.column(name).to_pylist() for name in BY_QUESTION), strict=True):
        answer = answer_text(value)
        if answer is not None and answers.setdefault(str(question_id), answer) != answer:
            raise BadInputError(f"{place}: question {question_id} has two different answers")
    parts = [question_id.rpartition("-") for question_id in answers]
    if all(side in SIDES for *_, side in parts):
        by_side = ([pair_id for pair_id, *_ in parts], [side for *_, side in parts], list(answers.values()))
        return _string_table(dict(zip(BY_SIDE, by_side, strict=True)))
    if pairs is None:
        raise BadInputError(f"{place}: has answers by question_id; answers by pair_id are needed here")
    columns: dict[str, list[str | None]] = {name: [] for name in BY_PAIR}
    for row in pairs.select(["pair_id", "bindings"]).to_pylist():
        bindings = read_bindings(row)
        columns["pair_id"].append(row["pair_id"])
        for side in SIDES:
            columns[side].append(_find_answer(place, answers, row["pair_id"], bindings.get(f"{side}_questions")))
    return _string_table(columns)


def _find_answer(place: str, answers: Mapping[str, str], pair_id: str, question_ids: object) -> str | None:
    if not isinstance(question_ids, list) or not question_ids:
        remedy = "answers by pair_id, or by PAIR_ID-original and PAIR_ID-perturbed, are needed here"
        raise BadInputError(f"{place}: pair {pair_id} has no question_id; {remedy}")
    return next((answers[question_id] for question_id in map(str, question_ids) if question_id in answers), None)


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in (".jsonl", ".json", ".csv", ".parquet"):
        raise BadInputError(f"{path}: predictions are .jsonl, .csv or .parquet files")
    return suffix


def _string_table(columns: Mapping[str, Any]) -> pa.Table:
    return pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})


@scoring()
def score_baselines(
    table: pa.Table, family: str, answers: Mapping[str, Sequence[Sequence[str]]] | None = None
) -> dict[str, dict[str, float]]:
    """The scores of every degenerate model on a table of pairs, by model and score.

    `answers` are those of further models that answer in bare words: of the original sides, and of the perturbed ones.
    """
    references, options = encode_references(table), Options(family, bootstrap=0, reader="strict")
    scores = baseline_scores(references, options)
    for name, sides in (answers or {}).items():
        columns = [CodedColumn.encode(pa.array(side, pa.string())) for side in sides]
        scores[name] = score_answers(references, columns[0], columns[1], options).values()
    return scores


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
        raise BadInputError("the oracle reads the source files: pass --data DIR")
    dataset = folder.manifest.dataset
    name = get_dataset(dataset).spec.oracle
    if not name:
        raise BadInputError(f"{folder.location}: {dataset} has no oracle; its answers come from people")
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
