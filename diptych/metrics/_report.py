"""Scoring built folders: from predictions to reports and tables, and how scores change between versions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
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
from diptych.metrics._comparison import Differences, check_same_pairs, compare
from diptych.metrics._coverage import cover_pairs
from diptych.metrics._explanations import Explanations, explain_pairs
from diptych.metrics._floor import NoiseFloor, check_repeat, floor_table, match_repeats, measure_floor
from diptych.metrics._paper_tables import make_tables
from diptych.metrics._predictions import model_name, predictions_header, read_predictions, scoring
from diptych.metrics._rendering import Table, render
from diptych.metrics.paired_vqa import summary
from diptych.metrics.paired_vqa.columns import Coverage, has_answers
from diptych.metrics.paired_vqa.families import get_family
from diptych.metrics.paired_vqa.outcomes import Options, count_unread
from diptych.metrics.paired_vqa.references import References, encode_references
from diptych.metrics.paired_vqa.scoring import ModelScores, Score, score_pairs, settings
from diptych.pairs import check_seed

_MOST_ROUNDS = 1_000_000
_RULES_IN_TEXT = 20


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """The scores of a model on one config and split."""

    selection: Selection
    left_out: int  # how many pairs were left out as errata
    coverage: Coverage
    options: Options
    model: ModelScores
    name: str = "model"
    source: Mapping[str, Any] = field(default_factory=dict)  # the header of the predictions, which says how
    explanations: Explanations | None = None  # pairs of each kind, where they were asked for
    rival: str = ""  # the name of another model that it was compared with
    differences: Differences | None = None  # how the scores differ from those of that model
    floor: NoiseFloor | None = None  # how much of a shortfall is noise, where everything was asked twice

    @property
    def scores(self) -> Mapping[str, Score]:
        """The overall scores by name."""
        return self.model.overall

    def tables(self) -> list[Table]:
        """The tables of the family's paper for this one model."""
        names = [layout.name for layout in get_family(self.options.family).tables]
        with scoring():  # a column of the pairs may be of a type that has no values to group by
            return make_tables({self.name: self.model}, self.options, names) if names else []

    def as_dict(self, *, with_tables: bool = True) -> dict[str, Any]:
        """Everything as plain data; an undefined value is NaN."""
        report: dict[str, Any] = asdict(self.selection) | {"left_out": self.left_out}
        report["coverage"] = self.coverage.as_dict()
        report |= {"predictions": dict(self.source)} if self.source else {}
        report |= summary.summarize(self.model, self.options)
        if with_tables and (tables := self.tables()):
            report["tables"] = [table.as_dict() for table in tables]
        if self.floor is not None:
            report["floor"] = self.floor.as_dict()
        if self.explanations is not None:
            report |= self.explanations.as_dict()
        if self.differences is not None:
            report["against"] = {
                test: {name: asdict(difference) for name, difference in scores.items()}
                for test, scores in self.differences.items()
            }
        return report

    def as_text(self) -> str:
        """Tables for a terminal."""
        references = self.model.references
        parts = [
            *([line] if (line := self.origin()) else []),
            self.header(),
            _unread_line(count_unread(references, self.model.outcome)),
            _tables.score_table(self.model.overall, summary.baseline_scores(references, self.options)),
            *(_tables.group_table(column, groups) for column, groups in self.model.groups.items()),
        ]
        if "fold" in self.model.groups:
            parts += _tables.fold_lines(summary.mean_over_folds(self.model.groups["fold"]))
            parts += _tables.fold_lines(summary.fold_accuracies(references, self.model.outcome))
        parts += [render(tables, "table")] if (tables := self.tables()) else []
        if get_family(self.options.family).mines_rules:
            rules = summary.model_rules(references, self.model.outcome)[:_RULES_IN_TEXT]
            parts += ["\n".join(rule.sentence() for rule in rules)] if rules else []
        if self.floor is not None:
            parts.append(render([floor_table({self.name: self.floor}, named=False)], "table"))
        if self.explanations is not None:
            parts.append(self.explanations.as_text())
        if self.differences is not None:
            parts.append(f"first: {self.name}; second: {self.rival}")
            parts.append(_tables.comparison_table(self.differences))
        return "\n\n".join(parts)

    def origin(self) -> str:
        """What the header of the predictions says of the model and of how it was asked; empty where there is none."""
        if not self.source:
            return ""
        names = {"server_model": "server's name", "revision": "revision", "prompt_version": "prompt", "arm": "arm"}
        details = [f"{label} {self.source[name]}" for name, label in names.items() if self.source.get(name)]
        return f"model {self.source['model']}; {', '.join(details)}"

    def header(self) -> str:
        """What was scored, and what counts as right."""
        values = settings(self.model.references, self.options)
        pairs = f"{self.coverage} of {self.selection.config}/{self.selection.split}"
        left_out = f" ({self.left_out:,} errata left out)" if self.left_out else ""
        reader = f"reader {values['reader']} {values['reader_version']}"
        rules = f"normalizer {values['normalizer']}; {reader}; averaging {values['averaging']}; {values['right_means']}"
        scope = f"\n{self.model.scope.sentence}" if self.model.scope.sentence else ""
        return f"{pairs}{left_out}; {rules}{scope}"


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """Many models on one config and split, and the tables that show them side by side."""

    reports: Mapping[str, ScoreReport]  # by the name of the model
    tables: tuple[Table, ...]
    pairs: "LoadedAnswers"  # what they were scored on, and their replies in the order of the reports

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data: the report on every model, and the tables with intervals and letters of ties."""
        models = {name: report.as_dict(with_tables=False) for name, report in self.reports.items()}
        return {"models": models, "tables": [table.as_dict() for table in self.tables]}

    def render(self, form: str = "table") -> str:
        """The tables as `table`, for a terminal, `markdown`, `latex` or `csv`."""
        header = next(iter(self.reports.values())).header()
        with scoring():
            return render(self.tables, form, header)


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
    averaging: str | None = None,
    reader: str | None = None,
    nodes: Path | Sequence[str] = (),
    bootstrap: int = 1000,
    seed: int = 0,
    groups: str = "",
    prior: str = "",
    explain: int = 0,
    against: Any = None,
    repeat: Any = None,
    errata: Collection[str] = frozenset(),
    allow_missing: bool = False,
) -> ScoreReport:
    """Score the predictions of a model on one config and split of a built folder.

    `predictions` and `against`, those of another model to compare with, are files or rows in any of the shapes that
    the scores take. The family of scores is that of the dataset unless `family` names another; `by` names further
    columns to break the scores down by, `A,B` those of both together. `averaging` is `leave-one-out`, as the released
    VQA evaluation has it and leaderboards report it, or `eq2`. `nodes` are names of knowledge-graph nodes, or a file
    with one per line, for FVQA's rule. `groups` names a column of groups and asks for their scores, which families that
    have them take from `group_id`; `prior` names a column of prior answers, for `prior_error_share`. `reader` says how
    replies are read: `standard`, or `strict` for replies as they stand; by default the one that goes with the
    normalizer. `repeat` are the predictions of the same model asked again, for the noise floor (see `NoiseFloor`).
    `explain` is the number of pairs of each kind to show (see `Explanations`); pairs whose ids are in `errata` are left
    out, and with `allow_missing` also those not answered on both sides.
    """
    rules: dict[str, Any] = {"family": family, "right": right, "normalizer": normalizer, "averaging": averaging}
    rules |= {"nodes": nodes, "bootstrap": bootstrap, "seed": seed, "groups": groups, "prior": prior, "reader": reader}
    rules |= {"config": config, "split": split, "by": by, "errata": errata, "allow_missing": allow_missing}
    if repeat is not None:
        check_repeat(predictions, repeat)
    pairs = load_answers(folder, [predictions, *([] if against is None else [against])], **rules)
    report = pairs.score(0, model_name(predictions))
    if against is not None:
        rival = replace(pairs, columns=()).score(1, model_name(against))
        differences = compare(report.model, rival.model, report.options)
        report = replace(report, rival=rival.name, differences=differences)
    if repeat is not None:
        report = replace(report, floor=load_answers(folder, [predictions, repeat], **rules).measure_floor())
    return replace(report, explanations=explain_pairs(report.model, pairs.answers[0], explain) if explain else None)


def compare_models(
    folder: BuiltFolder,
    models: Mapping[str, Any],
    config: str | None = None,
    split: str | None = None,
    *,
    tables: Sequence[str] = (),
    by: Sequence[str] = (),
    repeat: Sequence[Any] = (),
    **options: Any,
) -> ModelComparison:
    """Score the predictions of many models, by name, on the same pairs, and lay them out as the papers' tables.

    `tables` names the tables to make: `scores`, those of the family, `folds`, `regression`, `coverage` or
    `pair-coverage`; by default those of the family. `repeat` are files of models that were asked again, each told by
    its header, for a table of noise floors. `options` are those of `score_predictions`.
    """
    if not models:
        raise BadInputError("no models to compare: pass at least one file of predictions")
    repeats = match_repeats(models, repeat)
    pairs = load_answers(folder, list(models.values()), config, split, by=by, **options)
    reports = {name: pairs.score(number, name) for number, name in enumerate(models)}
    for name, again in repeats.items():
        both = load_answers(folder, [models[name], again], config, split, by=by, **options)
        reports[name] = replace(reports[name], floor=both.measure_floor())
    scores = {name: report.model for name, report in reports.items()}
    with scoring(folder.location):
        check_same_pairs(list(scores.values()))
        table_list = make_tables(scores, pairs.options, tables, by)
    if empty_names := set(tables) - {table.name for table in table_list}:
        raise BadInputError(
            f"{folder.location}: no pair of {pairs.selection.config} belongs to the table {min(empty_names)}"
        )
    floors = {name: report.floor for name, report in reports.items() if report.floor is not None}
    table_list += [floor_table(floors)] if floors else []
    return ModelComparison(reports, tuple(table_list), pairs)


@dataclass(frozen=True, slots=True)
class LoadedAnswers:
    """The pairs of a selection that all models answer, and their answers."""

    selection: Selection
    left_out: int
    coverage: Coverage
    references: References
    options: Options
    columns: tuple[str, ...]  # to break scores down by
    places: Sequence[Any]  # the files of the models, or rows
    answers: Sequence[pa.Table]

    def score(self, number: int, name: str) -> ScoreReport:
        """The scores of a model, by its number."""
        with scoring(self.places[number]):
            model = score_pairs(self.answers[number], self.references, self.options, self.columns)
        source = predictions_header(self.places[number])
        return ScoreReport(self.selection, self.left_out, self.coverage, self.options, model, name, source)

    def measure_floor(self) -> NoiseFloor:
        """The noise floor of a model, where the second file repeats the first."""
        predictions, repeat = self.answers
        with scoring(self.places[1]):
            return measure_floor(self.references, predictions, repeat, self.options, self.columns, self.coverage)


def load_answers(
    folder: BuiltFolder,
    models: Sequence[Any],
    config: str | None = None,
    split: str | None = None,
    *,
    family: str | None = None,
    by: Sequence[str] = (),
    normalizer: str = "vqa",
    nodes: Path | Sequence[str] = (),
    errata: Collection[str] = frozenset(),
    allow_missing: bool = False,
    **rules: Any,
) -> LoadedAnswers:
    """The pairs of a config and split that all of some models answer; the rules are those of `score_predictions`."""
    options = Options(family or folder.manifest.score_family, **rules)
    check_seed(options.seed)
    with scoring():
        options.reader_under(normalizer)  # an unknown name is an error before anything is read
    if options.bootstrap > _MOST_ROUNDS:
        raise BadInputError(f"--bootstrap {options.bootstrap}: at most {_MOST_ROUNDS:,} rounds")
    selection = folder.select(*_default_selection(models, config, split))
    pairs = folder.pairs(selection)
    sound_pairs = drop_pairs(pairs, errata)
    predictions = []
    for place in models:
        with scoring(place):
            predictions.append((place, drop_pairs(read_predictions(place, sound_pairs), errata)))
    coverage, scored_pairs, answers = cover_pairs(folder, selection, sound_pairs, predictions, allow_missing)
    with scoring(folder.location):
        references = encode_references(scored_pairs, normalizer, _node_names(nodes))
        own_columns = [name for name in folder.manifest.group_columns if references.has_column(name)]
        columns = summary.group_columns(references, options.family, (*own_columns, *by))
    left_out = pairs.num_rows - sound_pairs.num_rows
    return LoadedAnswers(selection, left_out, coverage, references, options, columns, models, answers)


def _default_selection(models: Sequence[Any], config: str | None, split: str | None) -> tuple[str | None, str | None]:
    """The config and split that were named, or those that the headers of all predictions agree on."""
    headers = [predictions_header(place) for place in models]
    selections = {(header.get("config"), header.get("split")) for header in headers if header}
    own_config, own_split = selections.pop() if len(selections) == 1 else (None, None)
    config = config or own_config
    return config, split or (own_split if config == own_config else None)


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
        predicted_pairs = pairs.filter(has_answers(answers, pairs["pair_id"].combine_chunks()))
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
