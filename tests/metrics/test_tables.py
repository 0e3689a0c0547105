"""The papers' tables: rows, columns and numbers as they are printed, in every format."""

import csv
import re
from io import StringIO
from typing import Any

import pytest

from diptych.metrics import Options, ScoringError, r_score, score_pairs
from diptych.metrics._paper_tables import make_tables
from diptych.metrics._rendering import FORMATS, Cell, Table, TableRow, escape_latex, render, text_table
from diptych.metrics.paired_vqa.scoring import ModelScores
from tests.metrics.rows import pair, prediction

Rows = list[dict[str, Any]]


def score(rows: Rows, family: str, answers: dict[str, Any], **options: Any) -> tuple[dict[str, ModelScores], Options]:
    """Models by name; each is a function from a row to its two answers."""
    by = options.pop("by", ("test",))
    chosen = Options(family, bootstrap=options.pop("bootstrap", 0), **options)
    models = {
        name: score_pairs([prediction(row["pair_id"], *answer(row)) for row in rows], rows, chosen, by)
        for name, answer in answers.items()
    }
    return models, chosen


def right(row: dict[str, Any]) -> tuple[str, str]:
    original, perturbed = row["original_answers"][0], row["perturbed_answers"][0]
    return original, perturbed or original


def column(table: Table, header: str) -> list[float]:
    place = [" ".join(names).strip() for names in table.columns].index(header)
    return [cell.value for row in table.rows if (cell := row.cells[place])]


RAD_TESTS = ("rad.yn_from_color", "rad.yn_from_how_many", "rad.own")
RAD_ROWS = [
    pair(f"{test}{number}", "red", "yes" if number % 2 else "no", test=test)
    for test in RAD_TESTS
    for number in range(4)
]
RAD_MODELS = {"right": right, "yes": lambda row: ("red" if "color" in row["test"] else "blue", "yes")}

GOLDEN = """\
RAD(D, D') in %, by test (RAD, Table 2)
model               Y/N←C              Y/N←HM             rad.own                 Acc.             unread
---------------------------------------------------------------------------------------------------------
right            100.00 a              100.00              100.00             100.00 a               0.00
       [51.0, 100.0] of 4  [51.0, 100.0] of 4  [51.0, 100.0] of 4  [75.8, 100.0] of 12  [0.0, 13.8] of 24
yes               50.00 a                   –                   –              33.33 b               0.00
        [15.0, 85.0] of 4                                           [13.8, 60.9] of 12  [0.0, 13.8] of 24
Below each score: its 95 % interval (Wilson) and n.
"""
LETTERS = "Models that share a letter in a column do not differ "


def test_a_table_is_laid_out_with_denominators_intervals_and_letters() -> None:
    models, options = score(RAD_ROWS, "rad", RAD_MODELS)
    (table,) = make_tables(models, options, ["rad"])
    *lines, note = text_table(table).splitlines()
    assert lines == GOLDEN.splitlines()
    assert note.startswith(LETTERS)


def test_columns_line_up_whatever_stands_in_them() -> None:
    cells = (
        (Cell("accuracy", 0.5, 10, (0.2, 0.8), letters="ab"), None),
        (Cell("accuracy", 1.0, 10, letters="c"), Cell("r2", 0.3)),
    )
    rows = tuple(TableRow((name, "1"), of_row) for name, of_row in zip("xx", cells, strict=True))
    table = Table("t", "Title", ("model", "part"), (("Both", "one"), ("", "two")), rows, ("A note.",))
    assert text_table(table).splitlines() == [
        "Title",
        "model  part            Both one    two",
        "--------------------------------------",
        "x      1               50.00 ab",
        "             [20.0, 80.0] of 10",
        "       1              100.00 c   0.300",
        "                          of 10",
        "A note.",
    ]


def test_rads_tables_have_a_column_for_every_test_in_the_papers_order() -> None:
    models, options = score(RAD_ROWS, "rad", RAD_MODELS)
    forward, accuracy = make_tables(models, options, ["rad", "accuracy"])
    assert [header for _, header in forward.columns] == ["Y/N←C", "Y/N←HM", "rad.own", "Acc.", "unread"]
    assert column(accuracy, "Y/N←C") == [1.0, 1.0]
    assert column(accuracy, "Y/N←HM") == [1.0, 0.0]


def carets_rows() -> Rows:
    rows = []
    for number in range(8):
        answer = "yes" if number % 2 else "no"
        rows.append(pair(f"o{number}", answer, answer, test="carets.ontological", expectation="same"))
        type_ = ("conjunction", "disjunction")[number // 4]
        rows.append(pair(f"r{number}", answer, answer, test="carets.order", expectation="same", question_type=type_))
        operation = ("blur-9", "mask", "crop", "blur-3")[number % 4]
        rows.append(pair(f"v{number}", answer, answer, test="carets.visual", expectation="same", operation=operation))
    return [{"question_type": "", "operation": "", "original_answer": row["original_answers"][0]} | row for row in rows]


def only_yes_stays(row: dict[str, Any]) -> tuple[str, str]:
    """Right, but says no to the second of two questions with the answer no, and cannot be read in a disjunction."""
    if row["question_type"] == "disjunction":
        return "both", "both"
    return row["original_answers"][0], "yes"


def test_the_ontological_table_splits_consistency_by_the_answer() -> None:
    models, options = score(carets_rows(), "carets", {"m": only_yes_stays})
    (table,) = make_tables(models, options, ["ontological"])
    assert {header: column(table, header) for _, header in table.columns[:4]} == {
        "Orig.": [1.0],
        "Pert.": [0.5],
        "Hyper-": [1.0],
        "Hypo-": [0.0],
    }


def test_the_order_table_has_the_share_of_yes_no_and_other_by_type() -> None:
    models, options = score(carets_rows(), "carets", {"m": only_yes_stays})
    (table,) = make_tables(models, options, ["order"])
    assert table.columns[0] == ("Conjunction", "ACC")
    assert [column(table, f"Conjunction {header}") for header in ("ACC", "Y", "N", "O")] == [
        [0.5],
        [0.75],
        [0.25],
        [0.0],
    ]
    assert [column(table, f"Disjunction {header}") for header in ("ACC", "Y", "N", "O")] == [[0.0], [0.0], [0.0], [1.0]]


def test_the_visual_table_has_the_papers_operations_in_its_order() -> None:
    models, options = score(carets_rows(), "carets", {"m": only_yes_stays})
    (table,) = make_tables(models, options, ["visual"])
    assert [header for _, header in table.columns] == ["O", "M", "C", "G3", "G9", "unread"]
    assert column(table, "O") == [1.0]
    assert column(table, "M") == [1.0]  # the pairs whose answer is yes
    assert column(table, "C") == [0.0]


def test_full_results_are_one_table_for_each_test_with_both_consistencies() -> None:
    models, options = score(carets_rows(), "carets", {"m": only_yes_stays})
    tables = make_tables(models, options, ["full"])
    assert [table.title.rpartition(": ")[2] for table in tables] == ["Order", "Onto.", "Vis."]
    assert column(tables[0], "CONS") == [0.75]
    assert column(tables[0], "CONS, read") == [0.25]


def bqd_rows() -> Rows:
    """Ten main questions in three partitions; the last is not in the third."""
    types = ("other", "number", "yes/no")
    return [
        pair(
            f"{question}.{partition}",
            answer := ("red", "2", "yes")[question % 3],
            answer,
            test="bqd.gbqd",
            expectation="same",
            source_id=str(question),
            partition=partition,
            answer_type=types[question % 3],
        )
        for question in range(10)
        for partition in (1, 2, 3)
        if (question, partition) != (9, 3)
    ]


def noise_hurts(row: dict[str, Any]) -> tuple[str, str]:
    """Wrong on so many of the main questions as the partition says, and always on the one that is not in all."""
    question = int(row["source_id"])
    return row["original_answers"][0], "wrong" if question < row["partition"] or question == 9 else row[
        "original_answers"
    ][0]


def test_partitions_hold_the_same_main_questions_and_the_first_is_the_headline() -> None:
    models, _ = score(bqd_rows(), "bqd", {"m": noise_hurts})
    model = models["m"]
    assert model.overall["accuracy_drop"].value == pytest.approx(1 / 9)
    assert model.overall["r_score"].value == pytest.approx(r_score(1 / 9))
    assert model.overall["r_score"].n == 9
    assert "1 of 10 questions (2 pairs) are not in every partition and are left out" in model.scope.sentence
    assert "the overall scores are those of partition 1" in model.scope.sentence


def test_the_table_of_partitions_ends_with_the_question_alone() -> None:
    models, options = score(bqd_rows(), "bqd", {"m": noise_hurts})
    (table,) = make_tables(models, options, ["partitions"])
    assert [row.names for row in table.rows] == [("m", "1"), ("m", "2"), ("m", "3"), ("m", "0")]
    assert column(table, "All") == pytest.approx([8 / 9, 7 / 9, 6 / 9, 1.0])
    assert column(table, "Diff") == pytest.approx([1 / 9, 2 / 9, 3 / 9])
    assert column(table, "R_score") == pytest.approx([r_score(1 / 9)])
    assert column(table, "Other") == pytest.approx([2 / 3, 2 / 3, 2 / 3, 1.0])
    assert column(table, "Y/N") == pytest.approx([1.0, 1.0, 2 / 3, 1.0])


def test_where_no_question_is_in_every_partition_all_are_scored() -> None:
    rows = [row for row in bqd_rows() if int(row["source_id"]) % 3 + 1 == row["partition"]]
    models, _ = score(rows, "bqd", {"m": noise_hurts})
    assert models["m"].overall["accuracy_original"].n == sum(row["partition"] == 1 for row in rows)
    assert "no question is in every partition" in models["m"].scope.sentence


def test_without_partitions_everything_is_the_headline() -> None:
    rows = [{name: value for name, value in row.items() if name != "partition"} for row in bqd_rows()]
    models, options = score(rows, "bqd", {"m": right})
    assert models["m"].overall["accuracy_original"].n == 29
    assert [table.name for table in make_tables(models, options)] == ["scores"]


def test_the_knowledge_tables_have_a_row_for_every_test_and_model() -> None:
    rows = [
        pair(f"{test}{colors}{number}", "red", "", expectation="open", test=test, colors=colors)
        for test, colors in (("kb.color_minimal", "common"), ("kb.color_minimal", "uncommon"), ("kb.sibling_noun", ""))
        for number in range(4)
    ]
    models, options = score(rows, "kb", {"a": right, "b": lambda row: ("red", "red" if row["colors"] else "blue")})
    colors, words = make_tables(models, options, ["colors", "words"])
    assert [row.names for row in colors.rows] == [("Color Minimal", "a"), ("Color Minimal", "b")]
    assert [header for _, header in colors.columns] == ["acc_Q", "acc_Q* (common)", "acc_Q* (uncommon)", "unread"]
    assert column(words, "reduction") == [0.0, 1.0]
    assert [row.cells[1].n for row in colors.rows if row.cells[1]] == [4, 4]


def fvqa_rows() -> Rows:
    return [
        pair(f"{test}{number}", "cup", "cup", test=f"fvqa2.{test}", fold=f"fold_{number % 2}", source_id=str(number))
        for test in ("standard", "fix_a")
        for number in range(4)
    ]


def test_folds_have_the_papers_three_sets_with_mean_and_deviation() -> None:
    def answer(row: dict[str, Any]) -> tuple[str, str]:
        return "cup", "cup" if row["fold"] == "fold_0" else "mug"

    models, options = score(fvqa_rows(), "fvqa2", {"m": answer})
    (table,) = make_tables(models, options, ["folds"])
    assert [header for _, header in table.columns] == [
        "Standard Test Set",
        "Originating Question Set",
        "Adversarial Test Set",
        "unread",
    ]
    assert [cell.text() for cell in table.rows[0].cells if cell][:3] == [
        "100.00 ± 0.00",
        "100.00 ± 0.00",
        "50.00 ± 50.00",
    ]


def test_coverage_counts_questions_and_pairs() -> None:
    rows = [pair(str(number), "yes", "yes", test="carets.rephrase", expectation="same") for number in range(4)]
    models, options = score(
        rows, "carets", {"all": right, "first": lambda row: ("yes", "yes" if row["pair_id"] in "01" else "no")}
    )
    questions, pairs = (make_tables(models, options, [name])[0] for name in ("coverage", "pair-coverage"))
    # The first model has all 8 questions right, the second 6 of them, and 2 of 4 pairs.
    assert [[cell.value if cell else None for cell in row.cells] for row in questions.rows] == [
        [None, 1.0],
        [0.75, None],
    ]
    assert [[cell.value if cell else None for cell in row.cells] for row in pairs.rows] == [[None, 1.0], [0.5, None]]
    assert questions.rows[1].cells[0] is not None
    assert questions.rows[1].cells[0].n == 8


@pytest.mark.parametrize(
    ("one_way", "other_way", "accuracies", "comprehensive"),
    [
        # BAN and LXMERT in Tables 15, 16 and 17, with ACC and C-ACC from Tables 10, 11 and 12.
        (81.91, 90.36, (85.69, 77.67), (77.43, 66.36)),
        (78.60, 87.98, (79.47, 71.02), (65.04, 49.42)),
        (66.06, 68.91, (52.31, 50.10), (17.00, 9.73)),
    ],
)
def test_the_printed_coverage_is_that_of_questions_and_not_of_pairs(
    one_way: float, other_way: float, accuracies: tuple[float, float], comprehensive: tuple[float, float]
) -> None:
    assert one_way * accuracies[0] == pytest.approx(other_way * accuracies[1], rel=2e-3)
    assert one_way * comprehensive[0] != pytest.approx(other_way * comprehensive[1], rel=2e-2)


def test_the_regression_needs_five_models_and_names_its_features() -> None:
    answers = {
        f"m{skill}": lambda row, skill=skill: (
            "red" if int(row["pair_id"][-1]) < 3 else "blue",
            right(row)[1] if int(row["pair_id"][-1]) < skill else "?",
        )
        for skill in range(1, 6)
    }
    models, options = score(RAD_ROWS, "rad", answers)
    (table,) = make_tables(models, options, ["regression"])
    assert [row.names[0] for row in table.rows] == [
        "Accuracy(D), RAD(D, D'), RAD(D', D)",
        "Accuracy(D)",
        "RAD(D, D')",
        "RAD(D', D)",
    ]
    with pytest.raises(ScoringError, match="never is right on no original or no perturbed side"):
        make_tables(models | score(RAD_ROWS, "rad", {"never": lambda row: ("?", "?")})[0], options, ["regression"])
    with pytest.raises(ScoringError, match="needs 5 models or more"):
        make_tables(dict(list(models.items())[:4]), options, ["regression"])


def test_a_cross_of_columns_groups_by_both_together() -> None:
    models, options = score(RAD_ROWS, "rad", {"m": right})
    rows = [row | {"kind": "ab"[number % 2]} for number, row in enumerate(RAD_ROWS)]
    models, options = score(rows, "rad", {"m": right, "n": right})
    table = make_tables(models, options, ["rad"], ["test,kind"])[1]
    assert table.stub == ("test,kind", "model")
    assert [row.names[0] for row in table.rows][::2] == [
        f"{test} × {kind}" for test in sorted(RAD_TESTS) for kind in "ab"
    ]


def test_parts_that_are_numbers_are_in_the_order_of_numbers_however_long() -> None:
    rows = [pair(value, "red", "yes", level=value) for value in ("10", "9", "1" * 5000, "x")]
    models, options = score(rows, "rad", {"m": right})
    table = make_tables(models, options, ["rad"], ["level"])[1]
    assert [row.names[0] for row in table.rows] == ["x", "9", "10", "1" * 5000]


def test_pairs_that_name_no_test_are_one_test() -> None:
    rows = [{name: value for name, value in row.items() if name != "test"} for row in RAD_ROWS]
    models, options = score(rows, "rad", {"m": right}, by=())
    (table,) = make_tables(models, options, ["rad"])
    assert column(table, "all") == [1.0]


def test_an_unknown_table_is_named() -> None:
    models, options = score(RAD_ROWS, "rad", {"m": right})
    with pytest.raises(
        ScoringError, match="unknown table 'visual'; known: scores, rad, accuracy, regression, coverage"
    ):
        make_tables(models, options, ["visual"])


# Formats.

NASTY = r"a_b | 50% & [c] {d} \e $f$ ~g^ <h>*"


def nasty_table() -> Table:
    rows = tuple(
        TableRow((name, "1"), (Cell("accuracy", 0.5, 1200, (0.25, 0.75), letters="ab"), None))
        for name in (NASTY, NASTY)
    )
    return Table(
        "nasty", f"Title of {NASTY}", ("model", "p|q"), (("G_1", "x"), ("", "R² ± ←")), rows, (f"Note {NASTY}",)
    )


def test_latex_escapes_everything_and_every_row_has_as_many_cells_as_columns() -> None:
    text = render([nasty_table()], "latex", "header\nof two lines")
    assert text.startswith("% header\n% of two lines\n% needs \\usepackage{booktabs}")
    body = text.partition("\\begin{tabular}{llrr}\n")[2].partition("\\end{tabular}")[0]
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 6
    for row in rows:
        spans = sum(int(width) - 1 for width in re.findall(r"\\multicolumn\{(\d+)\}", row))
        assert len(re.findall(r"(?<!\\)&", row)) + spans == 3
        assert not row.startswith(("[", "*"))
    plain = re.sub(r"\\[&%$#_{}\\]", "", text.partition("\\begin{table}")[2])
    assert plain.count("{") == plain.count("}")
    assert len(re.findall(r"(?<!\\)\$", text)) % 2 == 0
    assert not re.search(r"(?<!\\)[%#](?!.*booktabs)", text.partition("\\begin{table}")[2])
    assert r"50.00\textsuperscript{ab}" in text
    assert r"{\scriptsize {[}25.0, 75.0{]} of 1,200}" in text


@pytest.mark.parametrize("character", "&%$#_{}~^\\")
def test_no_special_character_of_latex_stays(character: str) -> None:
    assert escape_latex(character) != character


def test_markdown_escapes_pipes_and_has_one_line_for_every_row() -> None:
    lines = render([nasty_table()], "markdown", "a | b\nc").splitlines()
    assert lines[:3] == [r"a \| b", "", "c"]
    rows = [line for line in lines if line.startswith("| ")]
    assert len(rows) == 4
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}
    assert "50.00 <sup>ab</sup><br><sub>[25.0, 75.0] of 1,200</sub>" in rows[2]
    assert rows[3].startswith("|  | 1 |")  # the model is not said again


def test_csv_has_one_line_for_every_cell_with_numbers_as_they_are() -> None:
    (row, _) = csv.DictReader(StringIO(render([nasty_table()], "csv")))
    assert row == {
        "table": "nasty",
        "row": NASTY,
        "part": "1",
        "column": "G_1 x",
        "score": "accuracy",
        "value": "0.5",
        "low": "0.25",
        "high": "0.75",
        "sd": "",
        "n": "1200",
        "letters": "ab",
    }


def test_plain_data_holds_every_cell() -> None:
    (row, _) = nasty_table().as_dict()["rows"]
    cell = {"score": "accuracy", "value": 0.5, "low": 0.25, "high": 0.75, "n": 1200, "letters": "ab"}
    assert row == {"model": NASTY, "p|q": "1", "cells": {"G_1 x": cell}}


def test_notes_that_tables_share_are_printed_once_on_a_terminal() -> None:
    assert render([nasty_table(), nasty_table()], "table").count("\nNote ") == 1


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(ScoringError, match="unknown format 'html'; known: table, markdown, latex, csv, json"):
        render([nasty_table()], "html")
    assert set(FORMATS) == {"table", "markdown", "latex", "csv"}
