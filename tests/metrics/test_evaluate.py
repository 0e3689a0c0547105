"""The metric through `evaluate`, without a network."""

import ast
import os
import subprocess
import sys
from math import nan
from pathlib import Path
from typing import Any

import datasets
import evaluate
import pytest

import diptych.metrics
from diptych.metrics import Options, score_pairs
from tests.metrics.rows import pair, prediction

FOLDER = diptych.metrics.path()
REFERENCES = [
    pair("a", "red", "yes", original_answers=["red"] * 10, box=[1, 2]),
    pair("b", "blue", "no"),
    pair("c", "two", "no"),
]
PREDICTIONS = [prediction("c", "2", "No."), prediction("a", "red", "no"), prediction("b", "blue", "I cannot tell")]


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_EVALUATE_OFFLINE", "1")
    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", str(tmp_path))


def load(config: str | None = None, **options: Any) -> Any:
    return evaluate.load(str(FOLDER), config, **options)


def by_side() -> list[dict[str, str]]:
    return [
        {"pair_id": row["pair_id"], "side": side, "answer": row[side]}
        for row in PREDICTIONS
        for side in ("perturbed", "original")
    ]


def test_gives_what_the_plain_functions_give() -> None:
    result = load("rad").compute(predictions=PREDICTIONS, references=REFERENCES)
    model = score_pairs(PREDICTIONS, REFERENCES, Options("rad"))
    assert result["rad_forward"] == pytest.approx(1 / 3)
    assert result["scores"]["overall"] == model.as_dict()["overall"]
    assert result["unread_rate"] == pytest.approx(1 / 6)
    assert result["n"] == 3


def test_the_path_of_the_module_works_from_any_folder(tmp_path: Path) -> None:
    code = "import evaluate, diptych.metrics; print(evaluate.load(str(diptych.metrics.path()), 'rad').config_name)"
    variables = {"HF_EVALUATE_OFFLINE": "1", "HF_MODULES_CACHE": str(tmp_path / "modules")}
    process = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, **variables, "PYTHONPATH": str(FOLDER.parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stdout.strip() == "rad", process.stderr


def test_truth_values_are_yes_and_no() -> None:
    rows = [prediction("c", 2.0, False), prediction("a", "red", True), prediction("b", "blue", "no")]  # type: ignore[arg-type]
    result = load("rad").compute(predictions=rows, references=REFERENCES, bootstrap=0)
    assert result["accuracy_both"] == 1.0
    assert score_pairs(rows, REFERENCES, Options("rad", bootstrap=0)).values()["accuracy_both"] == 1.0


@pytest.mark.parametrize("answer", [None, nan])
def test_what_is_missing_is_left_out_where_that_is_allowed(answer: Any) -> None:
    rows = [PREDICTIONS[0], prediction("a", answer, "no")]
    with pytest.raises(ValueError, match="have no answer for pair 'a', 'b'"):
        load("rad").compute(predictions=rows, references=REFERENCES)
    result = load("rad").compute(predictions=rows, references=REFERENCES, allow_missing=True, bootstrap=0)
    assert result["coverage"] == {"pairs": 3, "scored": 1, "share": pytest.approx(1 / 3)}
    assert (result["n"], result["accuracy_both"]) == (1, 1.0)


def test_unknown_pairs_are_refused_also_where_some_may_be_missing() -> None:
    with pytest.raises(ValueError, match="the references do not have: 'z'"):
        load("rad").compute(
            predictions=[*PREDICTIONS, prediction("z", "a", "b")], references=REFERENCES, allow_missing=True
        )


@pytest.mark.parametrize("config", ["rad", "carets", "bqd", "kb", "fvqa2", "grouped", "all", None])
def test_every_configuration_loads_and_computes(config: str | None) -> None:
    result = load(config).compute(predictions=PREDICTIONS, references=REFERENCES, bootstrap=0)
    assert result["settings"]["family"] == (config or "all")
    assert set(result["baselines"]) == {"always-yes", "always-no", "majority", "first-choice", "copy-original"}


def test_groups_are_scored_through_evaluate() -> None:
    columns = {"group_id": "g", "perturbed_image_id": "i", "original_image_id": "i"}
    words = [{"original_question": "What?", "perturbed_question": f"Is it {number}?"} for number in (1, 2)]
    references = [pair(str(n), "red", "yes", **columns, **questions) for n, questions in enumerate(words)]
    predictions = [prediction("0", "red", "yes"), prediction("1", "red", "no")]
    result = load("grouped").compute(predictions=predictions, references=references, bootstrap=0)
    assert (result["side_accuracy"], result["group_accuracy"]) == (pytest.approx(2 / 3), 0.0)
    assert result["scores"]["overall"]["side_accuracy"]["n"] == 3
    result = load("kb", columns=["kind"]).compute(predictions=PREDICTIONS, references=REFERENCES, groups="test")
    assert result["scores"]["overall"]["group_accuracy"]["n"] == 1


def test_an_unknown_configuration_is_named() -> None:
    with pytest.raises(ValueError, match=r"unknown score family 'radd'; known: rad, .*, fvqa2, grouped, all"):
        load("radd")


def test_one_row_per_side_gives_the_same() -> None:
    metric = load("rad")
    expected = metric.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert repr(metric.compute(predictions=by_side(), references=REFERENCES)) == repr(expected)


def test_batches_may_split_sides_and_pairs_anyhow() -> None:
    metric = load("rad")
    expected = metric.compute(predictions=PREDICTIONS, references=REFERENCES)
    metric.add_batch(predictions=by_side()[:1], references=REFERENCES[:2])
    metric.add_batch(predictions=by_side()[1:], references=REFERENCES[2:])
    assert repr(metric.compute()) == repr(expected)
    for answers, reference in zip(PREDICTIONS, REFERENCES, strict=True):
        metric.add(prediction=answers, reference=reference)
    assert repr(metric.compute()) == repr(expected)


def test_a_dataset_serves_as_references() -> None:
    rows = datasets.Dataset.from_list(REFERENCES)
    metric = load("rad")
    expected = metric.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert repr(metric.compute(predictions=PREDICTIONS, references=rows)) == repr(expected)


def test_further_columns_can_be_grouped_by() -> None:
    rows = [row | {"synset": f"s{number}"} for number, row in enumerate(REFERENCES)]
    result = load("kb", columns=["synset"]).compute(predictions=PREDICTIONS, references=rows, by=["synset"])
    assert sorted(result["scores"]["by"]["synset"]) == ["s0", "s1", "s2"]


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        (PREDICTIONS[:2], "no answer for pair 'b'"),
        ([*PREDICTIONS, prediction("z", "a", "b")], "that the references do not have: 'z'"),
        ([*PREDICTIONS, PREDICTIONS[0]], "have pair_id 'c' more than once"),
        (by_side()[1:], "(perturbed side) have no answer for pair 'c'"),
        ([*by_side(), by_side()[0]], "have pair_id 'c' more than once"),
        ([{"pair_id": "a", "original": "x"}], "a prediction has pair_id, original, perturbed or"),
        ([prediction("a", "x", None)], "(original side) have no answer for pair 'b', 'c'"),  # type: ignore[arg-type]
        ([{"original": "x", "perturbed": "y"}], "row 1 of the predictions has no pair_id"),
    ],
)
def test_ids_and_rows_that_do_not_fit_are_named(predictions: list[Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below, without regular expressions
        load("rad").compute(predictions=predictions, references=REFERENCES)
    assert message in str(caught.value)


def test_many_missing_ids_are_counted() -> None:
    references = [pair(f"{number:02}", "yes", "no") for number in range(20)]
    with pytest.raises(ValueError, match=r"'00', '01', '02', … \(20 in all\)"):
        score_pairs([prediction("x", "yes", "no")][:0] or {"pair_id": [], "original": [], "perturbed": []}, references)


def test_repeated_references_are_refused() -> None:
    with pytest.raises(ValueError, match="the references have pair_id 'a' more than once"):
        score_pairs(PREDICTIONS, [*REFERENCES, REFERENCES[0]])


def test_two_configurations_combine() -> None:
    combined = evaluate.combine({"first": load("rad"), "second": load("carets")})
    result = combined.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert result["rad_forward"] == pytest.approx(1 / 3)
    assert result["first_accuracy_original"] == result["second_accuracy_original"] == 1.0
    assert "comprehensive_accuracy" in result


def test_partitions_are_scored_on_the_same_questions_and_the_first_is_the_headline() -> None:
    places = [("a", "1"), ("a", "2"), ("b", "1")]  # b is not in partition 2
    ids = [f"{source_id}{partition}" for source_id, partition in places]
    rows = [
        {"pair_id": pair_id, "expectation": "same", "original_answers": ["red"], "perturbed_answers": ["red"]}
        | {"source_id": source_id, "partition": partition}
        for pair_id, (source_id, partition) in zip(ids, places, strict=True)
    ]
    answers = [
        {"pair_id": pair_id, "original": "red", "perturbed": "red" if pair_id == "a1" else "blue"} for pair_id in ids
    ]
    result = load("bqd").compute(predictions=answers, references=rows, bootstrap=0)
    assert (result["r_score"], result["n"]) == (1.0, 1)
    assert result["scores"]["by"]["partition"]["2"]["r_score"]["value"] == 0.0
    assert "1 of 2 questions (1 pairs) are not in every partition" in result["scope"]


def test_folds_are_reported_with_mean_and_spread() -> None:
    rows = [row | {"fold": str(number % 2)} for number, row in enumerate(REFERENCES)]
    result = load("fvqa2").compute(predictions=PREDICTIONS, references=rows)
    # Fold 0 holds pairs a (perturbed side wrong) and c (right); fold 1 holds b (perturbed side unread).
    assert result["folds"]["accuracy_perturbed"] == pytest.approx({"mean": 0.25, "sd": 0.25, "folds": 2})


def test_r_score_is_given_by_partition() -> None:
    rows = [row | {"partition": 1 + number // 2} for number, row in enumerate(REFERENCES)]
    result = load("bqd").compute(predictions=PREDICTIONS, references=rows)
    assert sorted(result["scores"]["by"]["partition"]) == ["1", "2"]
    assert result["scores"]["by"]["partition"]["2"]["r_score"]["value"] == 1.0


def test_the_script_names_every_sibling_and_nothing_of_the_package() -> None:
    imports = set()
    for node in ast.walk(ast.parse((FOLDER / "paired_vqa.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            imports.add(node.module)
    siblings = {path.stem for path in FOLDER.glob("*.py")} - {"__init__", "app", "paired_vqa"}
    assert imports == siblings
    for path in FOLDER.glob("*.py"):
        assert "diptych" not in path.read_text(encoding="utf-8"), path
