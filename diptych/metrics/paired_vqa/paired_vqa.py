"""Paired VQA: every score of five papers on paired visual question answering, as an `evaluate` metric."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import datasets
import evaluate

from .alignment import align
from .colors import read_color
from .columns import ABSENT, SIDES, Coverage, ScoringError, answer_text, as_table, keep_answered
from .comparisons import read_swapped
from .conjunctions import read_conjunction
from .counts import read_count
from .denials import is_ruled_out
from .families import get_family
from .frames import read_framed
from .groups import consensus_score
from .intervals import mcnemar, wilson
from .normalization import normalize
from .opposites import opposite_weights
from .options import read_choice
from .outcomes import Options, vqa_accuracy
from .phrases import read_phrase
from .propositions import proposition
from .quantities import read_number
from .reader import read_answer
from .references import GROUP_COLUMNS, OPTIONAL, REQUIRED, encode_references
from .repetitions import read_words
from .scores import rad
from .scoring import score_pairs
from .sentences import split_sentences
from .side_rates import SideRecord
from .statements import read_statement
from .substitutions import read_substitution
from .summary import baseline_answers, group_columns, mine_rules, summarize
from .trimming import trim_phrase
from .unwrapping import unwrap
from .verdicts import read_yes_no
from .words import stem

# `evaluate` copies only the files that this one imports from, so it names also those that only its siblings need.
__all__ = ["PairedVqa", "SideRecord", "baseline_answers", "consensus_score", "mcnemar", "mine_rules", "normalize"]
__all__ += ["rad", "read_framed", "vqa_accuracy", "wilson"]
__all__ += ["read_answer", "read_choice", "read_color", "read_count", "read_phrase", "read_statement", "read_yes_no"]
__all__ += ["proposition", "read_conjunction", "read_swapped", "split_sentences", "stem", "trim_phrase", "unwrap"]
__all__ += ["align", "is_ruled_out", "opposite_weights", "read_number", "read_substitution", "read_words"]

_LIST_COLUMNS = frozenset({"original_answers", "perturbed_answers"})
_PREDICTION_COLUMNS = ("pair_id", *SIDES)

_DESCRIPTION = """\
Scores visual-question-answering models on pairs of questions whose answers are tied: RAD, self-consistency,
comprehensive accuracy, R_score, accuracy drop, answer-change rate and FVQA accuracy, and on groups of questions: all
right, worst side, consensus, by question and by image; each with n and 95 % intervals.
"""

_INPUTS = """
Args:
    predictions: one row per pair (`pair_id`, `original`, `perturbed`) or per side (`pair_id`, `side`, `answer`).
    references: rows of a paired dataset: `pair_id`, `original_answers`, `perturbed_answers`, and where present `test`,
        `expectation`, `original_image_id`, `original_question`, `perturbed_question`, `original_answer`,
        `perturbed_answer`, `answer_type`, `question_type`. Replies are read in view of the questions.
        The order of rows does not matter; rows are matched by `pair_id`.
    normalizer: `vqa` (default), `vqa-official` or `exact`.
    right: what counts as right: `vqa` (default), `vqa-full`, `any` or `shown`.
    averaging: `leave-one-out` (default), as leaderboards have it, or `eq2`, over ten annotators.
    reader: how replies are read: `standard` (what the reply means, given its question) or `strict` (as it stands);
        by default `standard` under the normalizer `vqa` and `strict` otherwise.
    by: columns to break the scores down by, besides `test` (and `partition` for `bqd`, `fold` and
        `answer_in_train` for `fvqa2`).
    bootstrap: rounds of the image-clustered bootstrap (default 1000; 0 for none); `seed` seeds it.
    t, m: the tolerance and the limit of R_score.
    groups: the column that names the groups of pairs (default `group_id`); with it, the scores of groups are computed
        whatever the configuration.
    prior: the column that names a prior answer (default `bindings.prior`), for `prior_error_share`.
    nodes: names of knowledge-graph nodes; every right answer is replaced by the closest of them.
    allow_missing: whether pairs without an answer on both sides are left out; `coverage` is then the share scored.
Returns:
    every score of the configuration by its name, `n` (pairs), `scores` (overall and by column, each with n and
    intervals or the reason why it is undefined), `baselines` (the scores of degenerate models), `settings` (with the
    reader and its version), `unread` (replies that could not be read, and of how many, by side and kind of
    question), for `kb`
    and `all` the mined `rules`, for `fvqa2` and `all` the mean and standard deviation over `folds`, and `originating`:
    the accuracy on standard questions, on those that adversarial pairs come from, each counted once, and on the pairs.
"""


class PairedVqa(evaluate.Metric):  # type: ignore[misc]
    """The scores of paired VQA datasets; a configuration is a score family.

    `columns` names further columns of the references to keep, to group by.
    """

    def __init__(self, config_name: str | None = None, columns: Sequence[str] = (), **options: Any) -> None:
        family = get_family("all" if config_name in (None, "default") else str(config_name))
        own_columns = (*family.groups, *family.columns, *(GROUP_COLUMNS if family.uses_groups else ()))
        self._columns = tuple(dict.fromkeys((*REQUIRED, *OPTIONAL, *own_columns, *columns)))
        super().__init__(config_name=family.name, **options)

    def _info(self) -> Any:
        text = datasets.Value("string")
        references = {name: datasets.Sequence(text) if name in _LIST_COLUMNS else text for name in self._columns}
        predictions = dict.fromkeys(_PREDICTION_COLUMNS, text)
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": predictions, "references": references}),
        )

    def add_batch(self, *, predictions: Any = None, references: Any = None, **options: Any) -> None:
        """Store a batch of predictions and references until `compute`; they need not be of the same pairs."""
        with _paused_garbage_collection():
            answers, pairs = _pack_rows(predictions, references, self._columns)
            super().add_batch(predictions=answers, references=pairs, **options)

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Compute all scores of the family, for these rows and those that were added before."""
        with _paused_garbage_collection():
            return super().compute(predictions=predictions, references=references, **options)

    def add(self, *, prediction: Any = None, reference: Any = None, **options: Any) -> None:
        """Store one prediction and one reference until `compute`; either may be left out."""
        self.add_batch(
            predictions=None if prediction is None else [prediction],
            references=None if reference is None else [reference],
            **options,
        )

    def _compute(
        self,
        predictions: list[dict[str, Any]],
        references: list[dict[str, Any]],
        normalizer: str = "vqa",
        by: Sequence[str] = (),
        nodes: Sequence[str] = (),
        allow_missing: bool = False,
        **counting: Any,
    ) -> dict[str, Any]:
        options = Options(self.config_name, **counting)
        rows = as_table(_unpack_columns(references, REQUIRED), "references")
        answers = as_table(_unpack_columns(predictions, _PREDICTION_COLUMNS), "predictions")
        total = len(rows)
        if allow_missing:
            rows, answers = keep_answered(rows, answers)
        pairs = encode_references(rows, normalizer, nodes)
        model = score_pairs(answers, pairs, options, group_columns(pairs, options.family, by))
        coverage = {"coverage": Coverage(total, len(pairs)).as_dict()} if allow_missing else {}
        return summarize(model, options) | coverage


@contextmanager
def _paused_garbage_collection() -> Iterator[None]:
    """Pause the garbage collector, which would visit millions of small rows again and again without a cycle to find."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# `evaluate` requires as many predictions as references and takes no nulls. So a row about one side is stored as a row
# about a pair whose other side is absent, and the shorter of the two lists is filled up with absent rows.


def _pack_rows(predictions: Any, references: Any, columns: Sequence[str]) -> tuple[list[Any], list[Any]]:
    """Predictions and references as rows that `evaluate` can store; `columns` are those of the references."""
    answers = [_pack_prediction(row) for row in _rows(predictions, "predictions")]
    pairs = _pack_references(_rows(references, "references", columns), columns)
    absent_pair = {name: [] if name in _LIST_COLUMNS else ABSENT for name in columns}
    answers += [dict.fromkeys(_PREDICTION_COLUMNS, ABSENT)] * (len(pairs) - len(answers))
    pairs += [absent_pair] * (len(answers) - len(pairs))
    return answers, pairs


def _unpack_columns(rows: Sequence[Mapping[str, Any]], required_columns: Sequence[str]) -> dict[str, list[Any]]:
    """The columns of stored rows without absent rows; an optional column whose values are all empty was not given."""
    stored_rows = [row for row in rows if row["pair_id"] != ABSENT]
    names = list(rows[0]) if rows else list(required_columns)
    columns = {name: [row[name] for row in stored_rows] for name in names}
    return {name: column for name, column in columns.items() if name in required_columns or any(column)}


def _pack_prediction(row: Mapping[str, Any]) -> dict[str, str]:
    if "original" in row and "perturbed" in row:
        return {"pair_id": str(row["pair_id"]), **{side: _pack_answer(row[side]) for side in SIDES}}
    if "side" in row and "answer" in row:
        if row["side"] not in SIDES:
            raise ScoringError(f"pair {row['pair_id']!r}: a side is 'original' or 'perturbed'")
        answers = {**dict.fromkeys(SIDES, ABSENT), row["side"]: _pack_answer(row["answer"])}
        return {"pair_id": str(row["pair_id"]), **answers}
    raise ScoringError(f"a prediction has pair_id, original, perturbed or pair_id, side, answer; not {', '.join(row)}")


def _pack_answer(value: Any) -> str:
    text = answer_text(value)
    return ABSENT if text is None else text


def _pack_references(rows: list[Mapping[str, Any]], columns: Sequence[str]) -> list[Any]:
    """The named columns alone; only the first row must be free of nulls, which is all that `evaluate` looks at."""
    if not rows:
        return []
    blanks: dict[str, Any] = {name: [] if name in _LIST_COLUMNS else "" for name in columns}
    given = {name: rows[0][name] for name in columns if rows[0].get(name) is not None}
    first = blanks | {name: type(blanks[name])(value) for name, value in given.items()}
    return [first, *({name: row.get(name) for name in columns} for row in rows[1:])]


def _rows(rows: Any, kind: str, columns: Sequence[str] = ()) -> list[Mapping[str, Any]]:
    if rows is None:
        return []
    if hasattr(rows, "select_columns") and columns:
        rows = rows.select_columns([name for name in columns if name in rows.column_names])
    if not isinstance(rows, list | tuple) or (rows and not isinstance(rows[0], Mapping)):
        rows = as_table(rows, kind).to_pylist()
    for number, row in enumerate(rows, start=1):
        if "pair_id" not in row or row["pair_id"] is None:
            raise ScoringError(f"row {number} of the {kind} has no pair_id")
    return list(rows)
