"""Scoring built folders: from predictions to a report as data and as text, and how scores change between versions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diptych.errors import BadInputError
from diptych.files import read_text
from diptych.folder import BuiltFolder, Selection, drop_pairs
from diptych.metrics import _tables
from diptych.metrics._predictions import read_predictions, scoring
from diptych.metrics.paired_vqa import summary
from diptych.metrics.paired_vqa.families import get_family
from diptych.metrics.paired_vqa.outcomes import Options, count_unread
from diptych.metrics.paired_vqa.references import encode_references
from diptych.metrics.paired_vqa.scoring import Differences, ModelScores, Score, compare, score_pairs, settings
from diptych.pairs import check_seed

_MOST_ROUNDS = 1_000_000
_RULES_IN_TEXT = 20


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """The scores of a model on one config and split."""

    selection: Selection
    left_out: int  # how many pairs were left out as errata
    options: Options
    model: ModelScores
    explanations: tuple[Mapping[str, Any], ...] = ()  # pairs whose answer changed
    differences: Differences | None = None  # how the scores differ from those of another model

    @property
    def scores(self) -> Mapping[str, Score]:
        """The overall scores by name."""
        return self.model.overall

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data; an undefined value is NaN."""
        report: dict[str, Any] = asdict(self.selection) | {"left_out": self.left_out}
        report |= summary.summarize(self.model, self.options)
        if get_family(self.options.family).paper_tables:
            report["paper_tables"] = _tables.paper_tables(self.model)
        if self.explanations:
            report["explanations"] = list(self.explanations)
        if self.differences is not None:
            report["against"] = {
                test: {name: asdict(difference) for name, difference in scores.items()}
                for test, scores in self.differences.items()
            }
        return report

    def as_text(self) -> str:
        """Tables for a terminal."""
        references = self.model.references
        values = settings(references, self.options)
        pairs = f"{len(references):,} pairs of {self.selection.config}/{self.selection.split}"
        left_out = f" ({self.left_out:,} errata left out)" if self.left_out else ""
        reader = f"reader {values['reader']} {values['reader_version']}"
        parts = [
            f"{pairs}{left_out}; normalizer {values['normalizer']}; {reader}; {values['right_means']}",
            _unread_line(count_unread(references, self.model.outcome)),
            _tables.score_table(self.model.overall, summary.baseline_scores(references, self.options)),
            *(_tables.group_table(column, groups) for column, groups in self.model.groups.items()),
        ]
        if "fold" in self.model.groups:
            parts += _tables.fold_lines(summary.mean_over_folds(self.model.groups["fold"]))
            parts += _tables.fold_lines(summary.originating_accuracy(references, self.model.outcome))
        if get_family(self.options.family).paper_tables:
            parts.append(_tables.paper_table(_tables.paper_tables(self.model)))
            rules = summary.model_rules(references, self.model.outcome)[:_RULES_IN_TEXT]
            parts += ["\n".join(rule.sentence() for rule in rules)] if rules else []
        if self.explanations:
            parts.append(_tables.explanation_table(self.explanations))
        if self.differences is not None:
            parts.append(_tables.comparison_table(self.differences))
        return "\n\n".join(parts)


def _unread_line(counts: Mapping[str, Mapping[str, tuple[int, int]]]) -> str:
    """How many replies could not be read, by side and kind of question."""
    parts = []
    for side, kinds in counts.items():
        unread, total = (sum(count[index] for count in kinds.values()) for index in (0, 1))
        details = ", ".join(f"{kind} {count[0]:,} of {count[1]:,}" for kind, count in kinds.items() if count[0])
        parts.append(f"{side} {unread:,} of {total:,}{f' ({details})' if details else ''}")
    return f"unread replies: {'; '.join(parts)}"


def score_predictions(
    folder: BuiltFolder,
    predictions: Any,
    config: str | None = None,
    split: str | None = None,
    *,
    family: str | None = None,
    by: Sequence[str] = (),
    right: str = "vqa",
    normalizer: str = "vqa",
    reader: str | None = None,
    nodes: Path | Sequence[str] = (),
    bootstrap: int = 1000,
    seed: int = 0,
    explain: int = 0,
    against: Any = None,
    errata: Collection[str] = frozenset(),
) -> ScoreReport:
    """Score the predictions of a model on one config and split of a built folder.

    `predictions` and `against`, those of another model to compare with, are files or rows in any of the shapes that
    the scores take. The family of scores is that of the dataset unless `family` names another; `by` names further
    columns to break the scores down by. `nodes` are names of knowledge-graph nodes, or a file with one per line, for
    FVQA's rule. `reader` says how replies are read: `standard`, or `strict` for the replies as they stand; by default
    the one that goes with the normalizer. `explain` is the number of pairs whose answer changed to report; pairs whose
    ids are in `errata`
    are left out.
    """
    check_seed(seed)
    if bootstrap > _MOST_ROUNDS:
        raise BadInputError(f"--bootstrap {bootstrap}: at most {_MOST_ROUNDS:,} rounds")
    selection = folder.select(config, split)
    pairs = folder.pairs(selection)
    scored_pairs = drop_pairs(pairs, errata)
    with scoring(folder.location):
        references = encode_references(scored_pairs, normalizer, _node_names(nodes))
        options = Options(family or folder.manifest.score_family, right, reader=reader, bootstrap=bootstrap, seed=seed)
        options.reader_under(normalizer)  # an unknown name is an error before anything is read
        own_columns = [name for name in folder.manifest.group_columns if references.has_column(name)]
        columns = summary.group_columns(references, options.family, (*own_columns, *by))
    with scoring(predictions):
        answers = drop_pairs(read_predictions(predictions, scored_pairs), errata)
        model = score_pairs(answers, references, options, columns)
    differences = None
    if against is not None:
        with scoring(against):
            other_answers = drop_pairs(read_predictions(against, scored_pairs), errata)
            differences = compare(model, score_pairs(other_answers, references, options, ()), options)
    explanations = tuple(_tables.explain_changes(model, answers, explain)) if explain else ()
    return ScoreReport(selection, pairs.num_rows - scored_pairs.num_rows, options, model, explanations, differences)


def _node_names(nodes: Path | Sequence[str]) -> list[str]:
    if not isinstance(nodes, Path):
        return list(nodes)
    return [line for line in read_text(nodes).splitlines() if line]


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """One score on those pairs of two versions that have predictions."""

    test: str  # the test, or `all`
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


@scoring()
def score_changes(before: BuiltFolder, after: BuiltFolder, predictions: Any) -> ScoreChanges:
    """Score the same predictions on the pairs of two versions that were predicted, each pair once.

    `predictions` is a file, or rows in any of the shapes that the scores take.
    """
    answers = read_predictions(predictions)
    options = Options(before.manifest.score_family, bootstrap=0)
    scores, unpredicted_counts = [], []
    for folder in (before, after):
        pairs = _distinct_pairs(folder)
        predicted_pairs = pairs.filter(pc.is_in(pairs["pair_id"], value_set=pc.unique(answers["pair_id"])))
        pair_ids = predicted_pairs["pair_id"].combine_chunks()
        own_answers = answers.filter(pc.is_in(answers["pair_id"], value_set=pair_ids))
        model = score_pairs(own_answers, predicted_pairs, options, ("test",))
        scores.append({"all": model.overall, **model.groups["test"]})
        unpredicted_counts.append(pairs.num_rows - predicted_pairs.num_rows)
    changes = []
    for test in ("all", *sorted((scores[0].keys() | scores[1].keys()) - {"all"})):
        old_scores, new_scores = (by_test.get(test, {}) for by_test in scores)
        for name in {**old_scores, **new_scores}:
            old, new = (of_version.get(name, Score(nan, 0)) for of_version in (old_scores, new_scores))
            changes.append(ScoreChange(test, name, old.value, old.n, new.value, new.n))
    return ScoreChanges(tuple(changes), *unpredicted_counts)


def _distinct_pairs(folder: BuiltFolder) -> pa.Table:
    """The pairs of all configs as one table, each pair once however many configs hold it."""
    tables = [
        folder.table(config, split)
        for config, split, _ in folder.manifest.own_splits()
        if folder.manifest.configs[config].tests
    ]
    table = pa.concat_tables(tables, promote_options="default")
    _, first_rows = np.unique(table["pair_id"].to_pylist(), return_index=True)
    return table.take(np.sort(first_rows))
