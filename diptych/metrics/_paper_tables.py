"""The tables of the papers for one or many models: their rows and columns, as the family of scores lays them out."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from diptych.metrics._comparison import LEVEL, Tied, score_together
from diptych.metrics._rendering import Cell, Table, TableRow, drop_undefined, score_cell
from diptych.metrics.paired_vqa.columns import Codes, ScoringError, unknown_name
from diptych.metrics.paired_vqa.families import SIDE_SCORES, TableColumn, TableLayout, get_family
from diptych.metrics.paired_vqa.intervals import wilson
from diptych.metrics.paired_vqa.outcomes import Flags, Options
from diptych.metrics.paired_vqa.scores import coverage_matrix, rad_regression
from diptych.metrics.paired_vqa.scoring import ModelScores, reported_scores
from diptych.metrics.paired_vqa.summary import fold_accuracies, standard_rows

Models = Mapping[str, ModelScores]  # by name

SCORES, FOLDS, REGRESSION = "scores", "folds", "regression"
COVERAGES = {"coverage": "questions", "pair-coverage": "pairs"}
_UNREAD = TableColumn("unread", "unread_rate")
_FEWEST_MODELS = 5  # with fewer, three features and a constant fit everything
_FEATURES = {"accuracy": "Accuracy(D)", "rad_forward": "RAD(D, D')", "rad_backward": "RAD(D', D)"}
_FOLD_COLUMNS = {
    "standard": ("Standard Test Set", "accuracy_original"),
    "originating": ("Originating Question Set", "accuracy_original"),
    "adversarial": ("Adversarial Test Set", "accuracy_perturbed"),
}


def make_tables(models: Models, options: Options, names: Sequence[str] = (), by: Sequence[str] = ()) -> list[Table]:
    """The tables of these names, or those of the family; and one for each column in `by`."""
    references = _first(models).references
    all_scores = _all_scores(SCORES, "All scores", options)
    layouts = {layout.name: layout for layout in (all_scores, *get_family(options.family).tables)}
    has_folds = references.has_column("fold") and references.has_column("source_id")
    known_names = (*layouts, *((FOLDS,) if has_folds else ()), REGRESSION, *COVERAGES)
    tables: list[Table] = []
    for name in names or [name for name in known_names if name in layouts or name == FOLDS]:
        if name not in known_names:
            raise unknown_name("table", name, known_names)
        if name in layouts:
            tables += _score_tables(models, layouts[name], options)
        elif name == FOLDS:
            tables.append(_fold_table(models, options))
        elif name == REGRESSION:
            tables.append(_regression_table(models, options))
        else:
            tables += _coverage_tables(models, options, name)
    for column in by:
        tables += _score_tables(models, _all_scores(column, f"Scores by {column}", options, column), options)
    return tables


def _first(models: Models) -> ModelScores:
    return next(iter(models.values()))


def _all_scores(name: str, title: str, options: Options, parts: str = "") -> TableLayout:
    # A group has sides in every part of a family that compares parts, and no score of one part is about groups.
    is_left_out = SIDE_SCORES if get_family(options.family).parts else ()
    names = [score for score in reported_scores(options) if score not in is_left_out]
    return TableLayout(name, title, tuple(TableColumn(score, score) for score in names), parts=parts)


def _score_tables(models: Models, layout: TableLayout, options: Options) -> Iterator[Table]:
    """The table of a layout, one for each value of the column it is repeated for; none where it has no pairs."""
    model = _first(models)
    if layout.original_part and not model.references.has_column(layout.parts):
        return
    rows = model.scope.headline if layout.name == SCORES else model.scope.rows
    if layout.tests:
        is_of_test = model.references.tests().map(lambda test: any(part in test for part in layout.tests))
        rows = rows[is_of_test[rows] > 0]
    for value, table_rows in group_rows(model, layout.repeat, rows, options).items() if len(rows) else ():
        title = f"{layout.title}: {value_label(value, options)}" if value else layout.title
        yield _score_table(models, layout, table_rows, title, options)


def _score_table(models: Models, layout: TableLayout, rows: Codes, title: str, options: Options) -> Table:
    columns = _expand(models, layout.columns, rows, options)
    if all(column.score != _UNREAD.score for column in columns):
        columns.append(_UNREAD)
    parts = group_rows(_first(models), layout.parts, rows, options)
    cells = {part: _cells(models, columns, part_rows, options) for part, part_rows in parts.items()}
    if layout.original_part:
        originals = [_of_original(column) for column in columns]
        cells[layout.original_part] = _cells(models, originals, next(iter(parts.values())), options)
    stub, table_rows = ("model", layout.parts) if layout.parts else ("model",), []
    for (number, name), part in product(enumerate(models), cells):
        table_rows.append(TableRow((name, value_label(part, options) or "(empty)")[: len(stub)], cells[part][number]))
    if layout.parts and not layout.original_part:  # models that are compared stand together
        order = [row for place in range(len(cells)) for row in table_rows[place :: len(cells)]]
        stub, table_rows = stub[::-1], [TableRow(row.names[::-1], row.cells) for row in order]
    headers = tuple((column.group, column.header) for column in columns)
    table = Table(layout.name, title, stub, headers, tuple(table_rows), _footnotes(models, options))
    return table if layout in get_family(options.family).tables else drop_undefined(table)


def _has_column(models: Models, name: str) -> bool:
    """Whether pairs have a column; they always have a test, and all of them are the group of no column."""
    return name in ("", "test") or _first(models).references.has_column(name)


def _expand(models: Models, columns: Sequence[TableColumn], rows: Codes, options: Options) -> list[TableColumn]:
    """The columns of a table, those for every value of a column one by one."""
    expanded: list[TableColumn] = []
    for column in columns:
        if column.value or not column.column:
            expanded.append(column)
        elif _has_column(models, column.column):
            values = group_rows(_first(models), column.column, rows, options)
            expanded += [
                TableColumn(value_label(value, options), column.score, column.column, value) for value in values
            ]
    return expanded


def _of_original(column: TableColumn) -> TableColumn | None:
    """A column about the original side, in the place of one about the perturbed side."""
    if column.score != "accuracy_perturbed":
        return None
    return TableColumn(column.header, "accuracy_original", column.column, column.value)


def _cells(
    models: Models, columns: Sequence[TableColumn | None], rows: Codes, options: Options
) -> list[tuple[Cell | None, ...]]:
    """The cells of a row for every model; a column whose value no pair has is empty."""
    filters = dict.fromkeys((column.column, column.value) for column in columns if column)
    scores = {}
    for name, value in filters:
        groups = group_rows(_first(models), name, rows, options) if _has_column(models, name) else {}
        names = [column.score for column in columns if column and (column.column, column.value) == (name, value)]
        if value in groups:
            scores[name, value] = score_together(list(models.values()), groups[value], names, options)
    return [
        tuple(
            _cell(scores[column.column, column.value], column.score, number)
            if column and (column.column, column.value) in scores
            else None
            for column in columns
        )
        for number in range(len(models))
    ]


def _cell(scores: Mapping[str, list[Tied]], name: str, number: int) -> Cell:
    tied = scores[name][number]
    return score_cell(name, tied.score, tied.letters)


def group_rows(model: ModelScores, column: str, rows: Codes, options: Options) -> dict[str, Codes]:
    """Some rows by the values of a column, those that the paper names first and in its order; all without a column."""
    if not column:
        return {"": rows}
    labels = list(get_family(options.family).labels)
    groups = (model.references.tests() if column == "test" else model.references.column(column)).groups(rows)

    def rank(value: str) -> tuple[int, int, str]:
        return labels.index(value) if value in labels else len(labels), len(value) * value.isdecimal(), value

    return {value: groups[value] for value in sorted(groups, key=rank)}


def value_label(value: str, options: Options) -> str:
    """What the paper of a family calls a value, such as the name of a test; the value itself where it does not."""
    return get_family(options.family).labels.get(value, value)


def _footnotes(models: Models, options: Options) -> tuple[str, ...]:
    bootstrap = f"bootstrap over images, {options.bootstrap:,} rounds; Wilson where that has no width"
    interval = bootstrap if options.bootstrap else "Wilson"
    footnotes = [f"Below each score: its 95 % interval ({interval}) and n."]
    if len(models) > 1:
        tests = "paired tests on the same pairs, Holm-corrected over all pairs of models"
        footnotes.append(f"Models that share a letter in a column do not differ ({tests}, {LEVEL:.0%} level).")
    return tuple(footnotes)


def _fold_table(models: Models, options: Options) -> Table:
    """FVQA 2.0's Table 2: accuracy on standard, originating and adversarial questions, over folds."""
    references = _first(models).references
    is_standard = standard_rows(references)
    means = [fold_accuracies(references, model.outcome) for model in models.values()]
    columns = [name for name in _FOLD_COLUMNS if name in means[0]]
    cells = []
    for name in columns:
        score = _FOLD_COLUMNS[name][1]
        rows = np.flatnonzero(is_standard if name == "standard" else ~is_standard)
        ties = score_together(list(models.values()), rows, [score], options)[score]
        of_models = zip(ties, means, strict=True)
        cells.append(
            [Cell(score, mean[name].mean, len(rows), sd=mean[name].sd, letters=tie.letters) for tie, mean in of_models]
        )
    unread = score_together(list(models.values()), np.arange(len(references)), [_UNREAD.score], options)
    cells.append([score_cell(_UNREAD.score, tie.score) for tie in unread[_UNREAD.score]])
    folds = max((mean.folds for mean in means[0].values()), default=0)
    title = f"Accuracy in %, mean ± standard deviation over {folds} folds (FVQA 2.0, Table 2)"
    table_rows = [TableRow((name,), row) for name, row in zip(models, zip(*cells, strict=True), strict=True)]
    base = "Below each score: how many pairs all folds have; the letters are based on these."
    footnotes = (base, *_footnotes(models, options)[1:])
    headers = tuple(("", header) for header in (*(_FOLD_COLUMNS[name][0] for name in columns), _UNREAD.header))
    return Table(FOLDS, title, ("model",), headers, tuple(table_rows), footnotes)


def _regression_table(models: Models, options: Options) -> Table:
    """RAD's Table 4: what predicts the accuracy on a test that was not seen."""
    if len(models) < _FEWEST_MODELS:
        reason = "three features and a constant fit four points exactly"
        raise ScoringError(f"the regression needs {_FEWEST_MODELS} models or more: {reason}")
    tests = _tests(models, options)
    rights = {
        name: {test: (model.outcome.original.right[rows], model.outcome.perturbed.right[rows]) for test, rows in tests}
        for name, model in models.items()
    }
    rows = [
        TableRow((", ".join(map(_FEATURES.__getitem__, features.split(", "))),), (Cell("r2", mean, sd=sd),))
        for features, (mean, sd) in rad_regression(rights).items()
    ]
    title = "R² of linear regressions on the accuracy of an unseen test, mean ± standard deviation (RAD, Table 4)"
    footnote = f"Over {len(models)} models; each of {len(tests)} tests is in turn the unseen one."
    return Table(REGRESSION, title, ("features",), (("", "R²"),), tuple(rows), (footnote,))


def _coverage_tables(models: Models, options: Options, name: str) -> Iterator[Table]:
    """CARETS' Tables 13 to 17: of what one model has right, the share that another has right."""
    for test, rows in _tests(models, options):
        right = {model: _right(scores, rows, name) for model, scores in models.items()}
        shares = coverage_matrix(right)
        cells = {
            row: tuple(
                None if row == column else _share_cell(shares[row][column], int(right[column].sum()))
                for column in models
            )
            for row in models
        }
        title = f"Model coverage in %: {value_label(test, options)} (CARETS, Tables 13 to 17)"
        units = COVERAGES[name]
        footnote = (
            f"Of the {units} that a column's model has right, the share that a row's model has right too (Wilson)."
        )
        headers = tuple(("", model) for model in models)
        table_rows = tuple(TableRow((row,), cells[row]) for row in models)
        yield Table(name, title, ("model",), headers, table_rows, (footnote,))


def _share_cell(share: float, n: int) -> Cell:
    return Cell("coverage", share, n, wilson(share, n))


def _right(model: ModelScores, rows: Codes, name: str) -> Flags:
    """Which questions of both sides a model has right, or which pairs.

    The paper's caption speaks of pairs, but its entries count questions: C(i, j) · ACC(j) = C(j, i) · ACC(i) holds for
    the printed ACC and not for the printed C-ACC.
    """
    if COVERAGES[name] == "pairs":
        return np.asarray(model.tallies["comprehensive_accuracy"][0][rows] > 0)
    return np.concatenate([side.right[rows] for side in (model.outcome.original, model.outcome.perturbed)])


def _tests(models: Models, options: Options) -> list[tuple[str, Codes]]:
    return list(group_rows(_first(models), "test", _first(models).scope.rows, options).items())
