"""Partial runs, and predictions about more pairs than those that are scored."""

from pathlib import Path
from typing import Any

import pytest

from diptych.errors import BadInputError
from diptych.folder import BuiltFolder
from diptych.metrics import score_predictions
from tests.metrics.folders import make_folder
from tests.metrics.rows import pair, prediction

FIRST = [pair(f"f{number}", "red", "yes") for number in range(4)]
SECOND = [pair(f"s{number}", "red", "no") for number in range(4)]
LONELY = [pair("l0", "red", "no")]
UNION = {"both": {"description": "Both.", "unites": ["first", "second"], "splits": ["test"]}}


def right(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [prediction(row["pair_id"], "red", row["perturbed_answers"][0]) for row in rows]


@pytest.fixture
def folder(tmp_path: Path) -> BuiltFolder:
    configs = {
        "first": {"train": [pair("t0", "red", "no")], "test": FIRST},
        "second": {"test": SECOND},
        "lonely": {"test": LONELY},
    }
    return make_folder(tmp_path / "out", configs, unions=UNION, default="both")


def test_a_partial_run_is_scored_on_what_is_there_with_the_share(folder: BuiltFolder) -> None:
    report = score_predictions(folder, right(FIRST[1:]), "first", allow_missing=True)
    assert report.as_dict()["coverage"] == {"pairs": 4, "scored": 3, "share": 0.75}
    assert (report.as_dict()["n"], report.scores["accuracy_both"].value) == (3, 1.0)
    assert report.as_text().startswith("3 of 4 pairs (75.0 %; the others lack an answer) of first/test;")


def test_without_the_flag_the_error_counts_what_is_missing_and_names_it(folder: BuiltFolder) -> None:
    with pytest.raises(BadInputError, match=r"no answer to 3 of 4 pairs: 'f1', 'f2', 'f3'; .*--allow-missing"):
        score_predictions(folder, right(FIRST[:1]), "first")


def test_a_whole_run_says_so_with_and_without_the_flag(folder: BuiltFolder) -> None:
    reports = [score_predictions(folder, right(FIRST), "first", allow_missing=flag) for flag in (False, True)]
    assert [report.as_dict()["coverage"]["share"] for report in reports] == [1.0, 1.0]
    assert reports[0].as_text() == reports[1].as_text()
    assert reports[0].as_text().startswith("4 pairs of first/test;")


@pytest.mark.parametrize("answer", [None, float("nan")])
def test_half_a_pair_is_not_scored(folder: BuiltFolder, answer: Any) -> None:
    rows = right(FIRST)
    rows[2]["perturbed"] = answer
    sides = [{"pair_id": row["pair_id"], "side": side, "answer": row[side]} for row in rows for side in list(row)[1:]]
    for predictions in (rows, sides):
        report = score_predictions(folder, predictions, "first", allow_missing=True)
        assert report.as_dict()["coverage"]["scored"] == 3


def test_an_empty_answer_is_unread_and_not_missing(folder: BuiltFolder) -> None:
    rows = right(FIRST)
    rows[2]["perturbed"] = ""
    report = score_predictions(folder, rows, "first")
    assert report.as_dict()["coverage"]["share"] == 1.0
    assert report.scores["accuracy_perturbed"].value == 0.75


def test_a_run_of_nothing_is_refused(folder: BuiltFolder) -> None:
    with pytest.raises(BadInputError, match="no pair is answered on both sides"):
        score_predictions(folder, [prediction("f0", "red", None)], "first", allow_missing=True)  # type: ignore[arg-type]


def test_two_models_are_compared_on_the_pairs_that_both_answer(folder: BuiltFolder) -> None:
    options: dict[str, Any] = {"against": right(FIRST[1:]), "allow_missing": True, "bootstrap": 10}
    report = score_predictions(folder, right(FIRST[:3]), "first", **options)
    assert report.as_dict()["coverage"] == {"pairs": 4, "scored": 2, "share": 0.5}
    with pytest.raises(BadInputError, match="no answer to 1 of 4 pairs: 'f0'"):
        score_predictions(folder, right(FIRST), "first", against=right(FIRST[1:]))


@pytest.mark.parametrize("config", ["first", "second"])
def test_the_predictions_for_a_union_are_scored_on_its_configs(folder: BuiltFolder, config: str) -> None:
    assert score_predictions(folder, right(FIRST + SECOND), config).as_dict()["n"] == 4
    assert score_predictions(folder, right(FIRST + SECOND), "both").as_dict()["n"] == 8


def test_the_predictions_for_a_config_are_a_part_of_its_union(folder: BuiltFolder) -> None:
    report = score_predictions(folder, right(FIRST), "both", allow_missing=True)
    assert report.as_dict()["coverage"]["share"] == 0.5


def test_unknown_pairs_are_refused_even_in_a_partial_run(folder: BuiltFolder) -> None:
    for rows in (right(FIRST + LONELY), [*right(FIRST), prediction("x", "red", "no")]):
        for allow_missing in (False, True):
            with pytest.raises(BadInputError, match=r"pairs that are not in first of .*out, .*: '(l0|x)'; .*--config"):
                score_predictions(folder, rows, "first", allow_missing=allow_missing)


def test_rows_without_a_pair_are_counted(folder: BuiltFolder) -> None:
    rows = [*right(FIRST), prediction(None, "red", "no"), prediction("x", "red", "no")]  # type: ignore[arg-type]
    with pytest.raises(BadInputError, match="1 rows of the predictions have no pair_id"):
        score_predictions(folder, rows, "first", allow_missing=True)
