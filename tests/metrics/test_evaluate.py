"""The metric through `evaluate`, without a network."""

import ast
from pathlib import Path
from typing import Any

import datasets
import evaluate
import pytest

import diptych.metrics
from diptych.metrics import Options, score_pairs
from tests.metrics.rows import pair, prediction

FOLDER = Path(diptych.metrics.__file__).parent / "paired_vqa"
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


@pytest.mark.parametrize("config", ["rad", "carets", "bqd", "kb", "fvqa2", "all", None])
def test_every_configuration_loads_and_computes(config: str | None) -> None:
    result = load(config).compute(predictions=PREDICTIONS, references=REFERENCES, bootstrap=0)
    assert result["settings"]["family"] == (config or "all")
    assert set(result["baselines"]) == {"always-yes", "always-no", "majority", "first-choice", "copy-original"}


def test_an_unknown_configuration_is_named() -> None:
    with pytest.raises(ValueError, match="unknown score family 'radd'; known: rad, carets, bqd, kb, fvqa2, all"):
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
        ([prediction("a", "x", None)], "'a': the prediction has an empty answer"),  # type: ignore[arg-type]
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


def test_folds_are_reported_with_mean_and_spread() -> None:
    rows = [row | {"fold": str(number % 2)} for number, row in enumerate(REFERENCES)]
    result = load("fvqa2").compute(predictions=PREDICTIONS, references=rows)
    # Fold 0 holds pairs a (perturbed side wrong) and c (right); fold 1 holds b (perturbed side unread).
    assert result["folds"]["accuracy_perturbed"] == pytest.approx({"mean": 0.25, "sd": 0.353553, "folds": 2}, abs=1e-6)


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
