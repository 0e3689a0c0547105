"""Paired VQA: every score of five papers on paired visual question answering, as an `evaluate` metric."""

from collections.abc import Sequence
from typing import Any

import datasets
import evaluate

from .accuracy import vqa_accuracy
from .alignment import SIDES
from .baselines import baseline_answers
from .batches import LIST_COLUMNS, PREDICTION_COLUMNS, pack_rows, paused_garbage_collection, unpack_columns
from .columns import CodedColumn
from .comparison import mcnemar
from .errors import ScoringError
from .families import get_family
from .folds import mean_over_folds
from .intervals import wilson
from .normalization import normalize
from .outcomes import Criteria
from .parsing import parse_answer
from .rates import tally_rates
from .references import OPTIONAL, REQUIRED, encode_references
from .regression import rad_regression
from .rules import mine_rules
from .scores import rad
from .scoring import Options, score_pairs
from .summary import group_columns, summarize

# `evaluate` copies only the files that this one imports from, so it names also those that only its siblings need.
__all__ = [
    "SIDES",
    "CodedColumn",
    "PairedVqa",
    "ScoringError",
    "baseline_answers",
    "encode_references",
    "mcnemar",
    "mean_over_folds",
    "mine_rules",
    "normalize",
    "parse_answer",
    "rad",
    "rad_regression",
    "tally_rates",
    "vqa_accuracy",
    "wilson",
]

_DESCRIPTION = """\
Scores visual-question-answering models on pairs of questions whose answers are tied: RAD, self-consistency,
comprehensive accuracy, R_score, accuracy drop, answer-change rate and FVQA accuracy, each with n and 95 % intervals.
"""

_INPUTS = """
Args:
    predictions: one row per pair (`pair_id`, `original`, `perturbed`) or per side (`pair_id`, `side`, `answer`).
    references: rows of a paired dataset: `pair_id`, `original_answers`, `perturbed_answers`, and where present `test`,
        `expectation`, `original_image_id`, `original_answer`, `perturbed_answer`, `answer_type`, `question_type`.
        The order of rows does not matter; rows are matched by `pair_id`.
    normalizer: `vqa` (default), `vqa-official` or `exact`.
    right: what counts as right: `vqa` (default), `vqa-full`, `any` or `shown`.
    averaging: `eq2` or `leave-one-out` over ten annotators; by default the one that goes with the normalizer.
    parse: whether free-form answers to closed questions are parsed; by default only under the normalizer `vqa`.
    by: columns to break the scores down by, besides `test` (and `partition` for `bqd`, `fold` and
        `answer_in_train` for `fvqa2`).
    bootstrap: rounds of the image-clustered bootstrap (default 1000; 0 for none); `seed` seeds it.
    t, m: the tolerance and the limit of R_score.
    nodes: names of knowledge-graph nodes; every right answer is replaced by the closest of them.
Returns:
    every score of the configuration by its name, `n` (pairs), `scores` (overall and by column, each with n and
    intervals or the reason why it is undefined), `baselines` (the scores of degenerate models), `settings`, for `kb`
    and `all` the mined `rules`, for `fvqa2` and `all` the mean and standard deviation over `folds`, and `originating`:
    the accuracy on the questions that adversarial pairs come from, each counted once, and that on the pairs.
"""


class PairedVqa(evaluate.Metric):  # type: ignore[misc]
    """The scores of paired VQA datasets; a configuration is a score family.

    `columns` names further columns of the references to keep, to group by.
    """

    def __init__(self, config_name: str | None = None, columns: Sequence[str] = (), **options: Any) -> None:
        family = get_family("all" if config_name in (None, "default") else str(config_name))
        self._columns = tuple(dict.fromkeys((*REQUIRED, *OPTIONAL, *family.columns, *columns)))
        super().__init__(config_name=family.name, **options)

    def _info(self) -> Any:
        text = datasets.Value("string")
        references = {name: datasets.Sequence(text) if name in LIST_COLUMNS else text for name in self._columns}
        predictions = dict.fromkeys(PREDICTION_COLUMNS, text)
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": predictions, "references": references}),
        )

    def add_batch(self, *, predictions: Any = None, references: Any = None, **options: Any) -> None:
        """Store a batch of predictions and references until `compute`; they need not be of the same pairs."""
        with paused_garbage_collection():
            answers, pairs = pack_rows(predictions, references, self._columns)
            super().add_batch(predictions=answers, references=pairs, **options)

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Compute all scores of the family, for these rows and those that were added before."""
        with paused_garbage_collection():
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
        right: str = "vqa",
        averaging: str | None = None,
        parse: bool | None = None,
        **counting: Any,
    ) -> dict[str, Any]:
        options = Options(family=self.config_name, criteria=Criteria(right, averaging, parse), **counting)
        pairs = encode_references(unpack_columns(references, REQUIRED), normalizer, nodes)
        answers = unpack_columns(predictions, PREDICTION_COLUMNS)
        model = score_pairs(answers, pairs, options, group_columns(pairs, options.family, by))
        return summarize(model, options)
