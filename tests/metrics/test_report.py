"""Scoring a built folder from Python: what is chosen, what is left out, what the report holds."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from diptych.errors import BadInputError, DiptychError, UnknownNameError
from diptych.folder import BuiltFolder
from diptych.metrics import (
    BASELINES,
    ScoringError,
    baseline_table,
    compare_models,
    predict_baseline,
    score_baselines,
    score_predictions,
)
from tests.metrics.folders import make_folder
from tests.metrics.rows import pair, prediction

ROWS = [
    pair(f"p{number}", "red", "yes" if number % 2 else "no", test=f"rad.{number % 2}", kind="ab"[number // 3])
    for number in range(6)
]
PREDICTIONS = [prediction(row["pair_id"], "red", "yes") for row in ROWS]


@pytest.fixture
def folder(tmp_path: Path) -> BuiltFolder:
    configs = {"first": {"train": ROWS[:2], "test": ROWS}, "second": {"train": ROWS[:2]}}
    return make_folder(tmp_path / "out", configs, group_columns=("kind", "absent"))


def test_the_default_config_is_scored_on_its_judged_split_with_the_family_of_the_dataset(folder: BuiltFolder) -> None:
    report = score_predictions(folder, PREDICTIONS)
    assert (report.selection.config, report.selection.split) == ("first", "test")
    assert report.options.family == "rad"
    assert report.scores["rad_forward"].value == 0.5
    assert report.as_dict()["n"] == 6


def test_another_config_and_family_can_be_named(folder: BuiltFolder) -> None:
    report = score_predictions(folder, PREDICTIONS[:2], "second", "train", family="bqd")
    assert report.as_dict()["settings"]["family"] == "bqd"
    assert report.scores["accuracy_drop"].value == 0.5


def test_scores_are_grouped_by_the_columns_of_the_dataset_where_present(folder: BuiltFolder) -> None:
    report = score_predictions(folder, PREDICTIONS, by=("choices",))
    assert list(report.model.groups) == ["test", "kind", "choices"]
    assert list(report.model.groups["kind"]) == ["a", "b"]


def test_errata_are_left_out_and_counted(folder: BuiltFolder) -> None:
    report = score_predictions(folder, PREDICTIONS, errata={"p0", "p2", "unknown"})
    assert (report.left_out, report.as_dict()["n"]) == (2, 4)
    assert report.as_text().startswith("4 pairs of first/test (2 errata left out); normalizer vqa;")


def test_errata_need_no_prediction(folder: BuiltFolder) -> None:
    assert score_predictions(folder, PREDICTIONS[1:], errata={"p0"}).left_out == 1


def test_a_report_without_another_model_has_no_comparison(folder: BuiltFolder) -> None:
    right = [prediction(row["pair_id"], "red", row["perturbed_answers"][0]) for row in ROWS]
    assert "against" not in score_predictions(folder, PREDICTIONS).as_dict()
    report = score_predictions(folder, right, against=PREDICTIONS, bootstrap=50)
    assert report.as_dict()["against"]["rad.0"]["accuracy_perturbed"]["difference"] == 1.0


def test_node_names_are_given_or_read_from_a_file(folder: BuiltFolder, tmp_path: Path) -> None:
    file = tmp_path / "nodes.txt"
    file.write_text("reds\nyes\nno\n", encoding="utf-8")
    answers = [prediction(row["pair_id"], "reds", "yes") for row in ROWS]
    for nodes in (file, ["reds", "yes", "no"]):
        assert score_predictions(folder, answers, nodes=nodes).scores["accuracy_original"].value == 1.0


def knowledge_rows() -> list[dict[str, Any]]:
    questions = {"original_question": "Is there a dog?", "perturbed_question": "Is there an animal?"}
    return [
        pair(f"k{number}", "red", "", expectation="open", test="kb.hypernym_noun", colors="", **questions)
        for number in range(12)
    ]


def test_the_knowledge_family_reports_the_papers_tables_rules_and_changed_pairs(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, {"vqa": {"test": knowledge_rows()}}, score_family="kb")
    answers = [prediction(f"k{number}", "red", "blue" if number else "red") for number in range(12)]
    report = score_predictions(folder, answers, explain=2, bootstrap=0)
    data = report.as_dict()
    assert data["tables"][0]["rows"][0]["cells"]["reduction"]["value"] == pytest.approx(11 / 12)
    assert data["rules"][0]["subject"] == "kb.hypernym_noun"
    assert [entry["question_after"] for entry in data["explanations"]] == ["Is there [an animal]?"] * 4
    assert "Is there [a dog]?" in report.as_text()
    assert "kb.hypernym_noun, the answer changes in 92 %" in report.as_text()


def test_a_scoring_error_is_an_error_of_the_package(folder: BuiltFolder) -> None:
    with pytest.raises(
        DiptychError, match="no answer to 1 of 6 pairs: 'p5'; pass --allow-missing to score the others"
    ) as caught:
        score_predictions(folder, PREDICTIONS[:5])
    assert isinstance(caught.value, ScoringError)
    with pytest.raises(DiptychError, match="unknown score family 'bleu'"):
        score_baselines(folder.pairs(folder.select()), "bleu")


def test_rows_that_are_not_pairs_are_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, {"questions": {"test": [{"test": "", "question": "Why?"}]}})
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    manifest["configs"]["questions"]["tests"] = []
    folder = BuiltFolder(folder.path, type(folder.manifest).model_validate(manifest))
    with pytest.raises(BadInputError, match="the rows of config questions are not pairs"):
        score_predictions(folder, PREDICTIONS)


def test_baselines_answer_every_pair(folder: BuiltFolder) -> None:
    predictions = predict_baseline(folder, "majority", split="train")
    assert predictions == {"pair_id": ["p0", "p1"], "original": ["red", "red"], "perturbed": ["no", "yes"]}
    assert score_baselines(folder.pairs(folder.select()), "rad")["always-yes"]["accuracy_perturbed"] == 0.5


def test_an_oracle_needs_the_source_files_and_a_dataset_that_has_one(folder: BuiltFolder, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="--data DIR"):
        predict_baseline(folder, "oracle")
    with pytest.raises(UnknownNameError, match="unknown dataset 'tiny'"):
        predict_baseline(folder, "oracle", data=tmp_path)
    rad = make_folder(tmp_path / "rad", {"vqa": {"test": ROWS}}, dataset="rad-cads")
    with pytest.raises(BadInputError, match="rad-cads has no oracle"):
        predict_baseline(rad, "oracle", data=tmp_path)


def answer_from_sources(rows: list[dict[str, Any]], split: str, data: Path, templates: Path | None) -> Any:
    """An oracle that knows the answers of one image and cannot read one question."""
    for index, row in enumerate(rows):
        if row["original_image_id"] != "unknown":
            yield index, ("red", None if row["perturbed_question"] == "Whence?" else "yes")


@pytest.fixture
def oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = SimpleNamespace(oracle=f"{__name__}:answer_from_sources")
    monkeypatch.setattr("diptych.builders.get_dataset", lambda name: SimpleNamespace(spec=spec))


def question_pair(pair_id: str, question: str, image_id: str = "1") -> dict[str, Any]:
    return pair(
        pair_id, "red", "yes", original_image_id=image_id, original_question="What?", perturbed_question=question
    )


@pytest.mark.usefixtures("oracle")
def test_the_oracle_of_the_dataset_answers_both_sides(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, {"first": {"test": [question_pair("a", "Is it?")]}})
    predictions = predict_baseline(folder, "oracle", data=tmp_path)
    assert predictions == {"pair_id": ["a"], "original": ["red"], "perturbed": ["yes"]}


@pytest.mark.usefixtures("oracle")
@pytest.mark.parametrize(
    ("row", "message"),
    [
        (question_pair("a", "Whence?"), "pair a: the oracle cannot read 'Whence\\?'"),
        (question_pair("a", "Is it?", "unknown"), "the oracle cannot answer pair a of first"),
    ],
)
def test_what_the_oracle_cannot_answer_is_named(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    folder = make_folder(tmp_path, {"first": {"test": [row]}})
    with pytest.raises(BadInputError, match=message):
        predict_baseline(folder, "oracle", data=tmp_path)


def test_folds_are_reported_with_mean_and_standard_deviation(tmp_path: Path) -> None:
    rows = [row | {"fold": f"fold_{number % 2}", "source_id": str(number)} for number, row in enumerate(ROWS)]
    folder = make_folder(tmp_path, {"default": {"test": rows}}, score_family="fvqa2")
    report = score_predictions(folder, PREDICTIONS, bootstrap=0)
    lines = [line for line in report.as_text().splitlines() if line.startswith("mean ± sd over 2 folds")]
    assert "accuracy_perturbed 50.00 ± 50.00" in lines[0]
    assert "originating 100.00 ± 0.00, adversarial 50.00 ± 50.00, gap 50.00 ± 50.00" in lines[1]


def test_baselines_are_shown_one_per_line(folder: BuiltFolder) -> None:
    lines = baseline_table(score_baselines(folder.pairs(folder.select()), "rad")).splitlines()
    assert [line.split()[0] for line in lines[2:]] == [name for name in BASELINES if name != "random"]


def test_two_splits_are_scored_together(folder: BuiltFolder) -> None:
    with pytest.raises(DiptychError, match="more than once"):  # here the splits share pairs
        score_predictions(folder, PREDICTIONS, split="train+test")
    with pytest.raises(UnknownNameError, match="unknown split of first 'dev'"):
        score_predictions(folder, PREDICTIONS, split="train+dev")


def test_a_column_that_a_table_cannot_group_by_is_an_error_of_the_package(tmp_path: Path) -> None:
    rows = [row | {"test": "kb.color_minimal", "colors": [["common"]]} for row in ROWS]
    folder = make_folder(tmp_path, {"vqa": {"test": rows}}, score_family="kb")
    report = score_predictions(folder, PREDICTIONS, bootstrap=0)
    with pytest.raises(DiptychError, match="has no values to group by"):
        report.as_text()


def test_many_models_are_compared_on_the_same_pairs(folder: BuiltFolder) -> None:
    right = [prediction(row["pair_id"], "red", row["perturbed_answers"][0]) for row in ROWS]
    comparison = compare_models(folder, {"yes": PREDICTIONS, "right": right}, by=("kind",), bootstrap=0)
    assert comparison.reports["right"].scores["rad_forward"].value == 1.0
    assert [table.name for table in comparison.tables] == ["scores", "rad", "accuracy", "kind"]
    assert comparison.render("csv").count("\nrad,yes,") == 4
    assert "tables" not in comparison.as_dict()["models"]["yes"]
    with pytest.raises(BadInputError, match="no models to compare"):
        compare_models(folder, {})
    with pytest.raises(BadInputError, match="no pair of first belongs to the table visual"):
        compare_models(folder, {"yes": PREDICTIONS}, tables=["visual"], family="carets", bootstrap=0)


def test_every_rate_of_a_group_has_its_denominator_and_interval(folder: BuiltFolder) -> None:
    text = score_predictions(folder, PREDICTIONS, bootstrap=0).as_text()
    by_test = text.partition("By test\n")[2].splitlines()
    assert by_test[0].split()[:5] == ["test", "accuracy_original", "accuracy_perturbed", "accuracy_both", "rad_forward"]
    assert by_test[2].split()[:5] == ["rad.0", "100.00", "0.00", "0.00", "0.00"]
    assert re.findall(r"\[.*?\] of \d+", by_test[3])[3] == "[0.0, 56.1] of 3"
