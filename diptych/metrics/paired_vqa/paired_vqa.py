"""Paired VQA: every score of five papers on paired visual question answering, as an `evaluate` metric."""

from collections.abc import Sequence
from typing import Any

import datasets
import evaluate

from .alignment import SIDES
from .answers import NORMALISERS
from .baselines import baseline
from .coding import Coded
from .comparing import mcnemar
from .errors import unknown
from .folds import over_folds
from .intervals import wilson
from .nodes import closest_nodes
from .outcomes import Rules
from .parsing import parse_answer
from .references import NEEDED, OPTIONAL, encode_references
from .regression import rad_regression
from .rightness import vqa_accuracy
from .rules import mine_rules
from .scores import SCORES_OF
from .scoring import Options, score_pairs
from .storing import LISTS, restored, stored, uncollected
from .summaries import groupings, summary

# `evaluate` copies only the files that this one names, so the imports above name also those that others need.
__all__ = [
    "NORMALISERS",
    "Coded",
    "PairedVqa",
    "baseline",
    "closest_nodes",
    "encode_references",
    "mcnemar",
    "mine_rules",
    "over_folds",
    "parse_answer",
    "rad_regression",
    "vqa_accuracy",
    "wilson",
]

_DESCRIPTION = """\
Scores visual-question-answering models on pairs of questions whose answers are tied: RAD, self-consistency,
comprehensive accuracy, R_score, accuracy drop, answer-change rate and FVQA accuracy, each with n and 95 % intervals.
"""

_INPUTS = """
Args:
    predictions: one row a pair (`pair_id`, `original`, `perturbed`) or one row a side (`pair_id`, `side`, `answer`).
    references: rows of a paired dataset: `pair_id`, `original_answers`, `perturbed_answers`, and where present `test`,
        `expectation`, `original_image_id`, `original_answer`, `perturbed_answer`, `answer_type`, `question_type`.
        The order of rows does not matter; rows are matched by `pair_id`.
    normaliser: `vqa` (default), `vqa-official` or `exact`.
    right: what counts as right: `vqa` (default), `vqa-full`, `any` or `shown`.
    averaging: `eq2` or `leave-one-out` over ten annotators; the normaliser decides if it is not given.
    parse: whether free-form answers to closed questions are read; by default only under the normaliser `vqa`.
    by: columns to break the scores down by, besides `test` (and `partition` for `bqd`, `fold` and
        `answer_in_train` for `fvqa2`).
    bootstrap: rounds of the image-clustered bootstrap (default 1000; 0 for none); `seed` seeds it.
    t, m: the tolerance and the limit of R_score.
    nodes: names of knowledge-graph nodes; every right answer is replaced by the closest of them.
Returns:
    every score of the configuration by its name, `n` (pairs), `scores` (overall and by column, each with n and
    intervals or the reason why it is undefined), `baselines` (what degenerate models score), `settings`, for `kb` and
    `all` the mined `rules`, for `fvqa2` and `all` the mean and standard deviation over `folds`, and `originating`: the
    accuracy on the questions that adversarial pairs come from, each counted once, against that on the pairs.
"""

_EXTRA: dict[str, tuple[str, ...]] = {
    "rad": (),
    "carets": ("bindings",),
    "bqd": ("partition",),
    "kb": ("bindings",),
    "fvqa2": ("fold", "answer_in_train", "source_id"),
    "all": ("bindings", "partition", "fold", "answer_in_train", "source_id"),
}


class PairedVqa(evaluate.Metric):  # type: ignore[misc]
    """The scores of paired VQA datasets; `columns` names further columns of the references to keep, to group by."""

    def __init__(self, config_name: str | None = None, columns: Sequence[str] = (), **options: Any) -> None:
        config = "all" if config_name in (None, "default") else str(config_name)
        if config not in SCORES_OF:
            raise unknown("config", config, SCORES_OF)
        self._columns = tuple(dict.fromkeys((*NEEDED, *OPTIONAL, *_EXTRA[config], *columns)))
        super().__init__(config_name=config, **options)

    def _info(self) -> Any:
        text = datasets.Value("string")
        references = {name: datasets.Sequence(text) if name in LISTS else text for name in self._columns}
        predictions = dict.fromkeys(("pair_id", *SIDES), text)
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": predictions, "references": references}),
        )

    def add_batch(self, *, predictions: Any = None, references: Any = None, **others: Any) -> None:
        """Keep a batch of predictions and references until `compute`; they need not be of the same pairs."""
        with uncollected():
            said, asked = stored(predictions, references, self._columns)
            super().add_batch(predictions=said, references=asked, **others)

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Compute all scores of the configuration, of what is given here and what was added before."""
        with uncollected():
            return super().compute(predictions=predictions, references=references, **options)

    def add(self, *, prediction: Any = None, reference: Any = None, **others: Any) -> None:
        """Keep one prediction and one reference until `compute`; either may be left out."""
        self.add_batch(
            predictions=None if prediction is None else [prediction],
            references=None if reference is None else [reference],
            **others,
        )

    def _compute(
        self,
        predictions: list[dict[str, Any]],
        references: list[dict[str, Any]],
        normaliser: str = "vqa",
        by: Sequence[str] = (),
        nodes: Sequence[str] = (),
        right: str = "vqa",
        averaging: str | None = None,
        parse: bool | None = None,
        **counting: Any,
    ) -> dict[str, Any]:
        options = Options(config=self.config_name, rules=Rules(right, averaging, parse), **counting)
        asked = encode_references(restored(references, NEEDED), normaliser, nodes)
        said = restored(predictions, ("pair_id", *SIDES))
        return summary(score_pairs(said, asked, options, groupings(asked, options, by)), options)
