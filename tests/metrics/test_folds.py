"""FVQA's own way of scoring: closest nodes, several answers, folds, how often an answer occurs in training."""

from pathlib import Path
from typing import Any

import evaluate
import pytest
from hypothesis import given
from hypothesis import strategies as st

import diptych.metrics
from diptych.metrics import Options, score_pairs
from diptych.metrics.paired_vqa.normalization import closest_nodes
from diptych.metrics.paired_vqa.scoring import Score
from diptych.metrics.paired_vqa.summary import FoldMean, fold_accuracies, mean_over_folds
from diptych.sources import read_folds, read_fvqa
from tests.metrics.rows import pair, prediction

FOLDER = Path(diptych.metrics.__file__).parent / "paired_vqa"


def adversarial(pair_id: str, test: str, fold: str, source: str, in_train: str, *answers: str) -> dict[str, Any]:
    return {
        **pair(pair_id, "cup", answers[0], perturbed_answers=list(answers)),
        "test": test,
        "fold": fold,
        "source_id": f"{fold}/{source}",
        "answer_in_train": in_train,
    }


ROWS = [
    adversarial("a", "fvqa2.fix_q", "fold_0", "1", "0", "sofa", "couch"),
    adversarial("b", "fvqa2.fix_a", "fold_0", "1", "10-49", "cup"),
    adversarial("c", "fvqa2.fix_a", "fold_0", "2", "10-49", "cup"),
    adversarial("d", "fvqa2.fix_q", "fold_1", "3", "0", "fire hydrants"),
]
# Questions 1 (twice) and 3 are answered rightly, 2 wrongly; of the pairs a and c are right.
PREDICTIONS = [
    prediction("a", "cup", "couch"),
    prediction("b", "cup", "plate"),
    prediction("c", "mug", "cup"),
    prediction("d", "cup", "fire hydrant"),
]


@pytest.fixture
def metric(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", str(tmp_path))
    return evaluate.load(str(FOLDER), "fvqa2")


def test_any_of_several_answers_is_right(metric: Any) -> None:
    result = metric.compute(predictions=PREDICTIONS, references=ROWS, bootstrap=0)
    assert result["scores"]["by"]["test"]["fvqa2.fix_q"]["accuracy_perturbed"]["value"] == 0.5
    assert result["scores"]["by"]["test"]["fvqa2.fix_a"]["accuracy_perturbed"]["value"] == 0.5


def test_the_right_answer_is_the_closest_node(metric: Any) -> None:
    result = metric.compute(
        predictions=PREDICTIONS, references=ROWS, bootstrap=0, nodes=["couch", "cup", "fire hydrant"]
    )
    assert result["scores"]["by"]["fold"]["fold_1"]["accuracy_perturbed"]["value"] == 1.0


def test_scores_by_how_often_the_answer_occurs_in_training(metric: Any) -> None:
    result = metric.compute(predictions=PREDICTIONS, references=ROWS, bootstrap=0)
    groups = result["scores"]["by"]["answer_in_train"]
    assert {
        name: (scores["accuracy_perturbed"]["value"], scores["accuracy_perturbed"]["n"])
        for name, scores in groups.items()
    } == {"0": (0.5, 2), "10-49": (0.5, 2)}


def test_originating_questions_count_once_against_their_pairs(metric: Any) -> None:
    result = metric.compute(predictions=PREDICTIONS, references=ROWS, bootstrap=0)["originating"]
    # Fold 0: one of two questions, two of three pairs; fold 1: its question, but not its pair.
    assert result["originating"] == pytest.approx({"mean": 0.75, "sd": 0.25, "folds": 2})
    assert result["adversarial"]["mean"] == pytest.approx(1 / 3)
    assert result["gap"]["mean"] == pytest.approx(0.75 - 1 / 3)


SIZES = [2778, 2928, 2929, 2984, 2875]
"""How many questions each of FVQA's five test sets has; the paper's Table 1 prints 2,899 ± 69."""


@pytest.mark.real_data
def test_the_sizes_are_those_of_the_official_folds(real_data: Path) -> None:
    images = [question.image for question in read_fvqa(real_data)]
    assert [sum(image in fold.test for image in images) for fold in read_folds(real_data)] == SIZES


def test_the_standard_deviation_is_that_of_the_population() -> None:
    # That of a sample would be 77.8.
    by_fold = {str(number): {"questions": Score(size, 1)} for number, size in enumerate(SIZES)}
    mean = mean_over_folds(by_fold)["questions"]
    assert (round(mean.mean), int(mean.sd), mean.folds) == (2899, 69, 5)


def test_standard_questions_are_averaged_over_folds_beside_the_adversarial_pairs() -> None:
    standard = [adversarial(f"s{n}", "fvqa2.standard", f"fold_{n % 2}", str(n), "0", "cup") for n in range(4)]
    answers = [prediction(f"s{n}", text, text) for n, text in enumerate(("cup", "cup", "mug", "cup"))]
    model = score_pairs([*PREDICTIONS, *answers], [*ROWS, *standard], Options("fvqa2", bootstrap=0))
    means = fold_accuracies(model.references, model.outcome)
    assert means["standard"] == FoldMean(0.75, 0.25, 2)
    assert means["originating"].mean == 0.75
    assert means["adversarial"].mean == pytest.approx(1 / 3)
    only_standard = score_pairs(answers, standard, Options("fvqa2", bootstrap=0))
    assert list(fold_accuracies(only_standard.references, only_standard.outcome)) == ["standard"]


def test_the_plain_functions_give_the_same(metric: Any) -> None:
    result = metric.compute(predictions=PREDICTIONS, references=ROWS, bootstrap=0)
    model = score_pairs(PREDICTIONS, ROWS, Options("fvqa2", bootstrap=0), ("test", "fold", "answer_in_train"))
    assert result["scores"] == model.as_dict()


def distance(first: str, second: str) -> int:
    """Levenshtein's distance, as it is defined."""
    if not first or not second:
        return len(first) + len(second)
    return min(
        distance(first[1:], second) + 1,
        distance(first, second[1:]) + 1,
        distance(first[1:], second[1:]) + (first[0] != second[0]),
    )


words = st.text("abc", min_size=1, max_size=4)


@given(words, st.lists(words, min_size=1, max_size=6))
def test_no_node_is_closer_than_the_closest(answer: str, nodes: list[str]) -> None:
    result = closest_nodes([answer], nodes)[answer]
    distance_to_closest = min(distance(answer, node) for node in nodes)
    assert result == min(node for node in nodes if distance(answer, node) == distance_to_closest)
