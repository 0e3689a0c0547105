"""Scores that rest on what the bindings tell of a pair's words."""

import json
from typing import Any

import pytest

from diptych.metrics.paired_vqa.outcomes import Options
from diptych.metrics.paired_vqa.scoring import score_pairs

CARETS = Options("carets", bootstrap=0)


def row(number: int, test: str, answers: tuple[str, str], **bindings: str) -> dict[str, Any]:
    original, perturbed = answers
    expectation = "same" if original == perturbed else "different"
    sides = {"original_answers": [original], "perturbed_answers": [perturbed]}
    return {"pair_id": str(number), "test": test, "expectation": expectation, "bindings": json.dumps(bindings), **sides}


def opposites(number: int, attribute: str, opposite: str) -> dict[str, Any]:
    return row(number, "carets.antonym", ("yes", "no"), **{"class": "color", "attribute": attribute}, opposite=opposite)


def predict(*answers: str) -> list[dict[str, str]]:
    return [
        {"pair_id": str(number), "original": original, "perturbed": perturbed}
        for number, (original, perturbed) in enumerate(answer.split("/") for answer in answers)
    ]


def test_every_pair_of_opposites_counts_alike_however_often_it_is_asked() -> None:
    rows = [opposites(0, "white", "black"), opposites(1, "black", "white"), opposites(2, "white", "black")]
    rows.append(opposites(3, "large", "small"))
    score = score_pairs(predict("yes/no", "yes/no", "yes/no", "no/no"), rows, CARETS).overall["opposites_accuracy"]
    assert (score.value, score.n) == (pytest.approx(0.5), 2)


def test_without_opposites_the_macro_average_is_undefined() -> None:
    score = score_pairs(predict("yes/yes"), [row(0, "carets.order", ("yes", "yes"))], CARETS)
    assert score.overall["opposites_accuracy"].reason == "no pair names opposites"


@pytest.mark.parametrize(
    ("implied", "answers", "share"),
    [
        ("perturbed", "yes/no", 0.0),
        ("perturbed", "no/yes", 1.0),
        ("original", "yes/no", 1.0),
        ("original", "no/yes", 0.0),
    ],
)
def test_what_contradicts_the_ontology_depends_on_the_side_that_is_implied(
    implied: str, answers: str, share: float
) -> None:
    rows = [row(0, "carets.ontological", ("yes", "yes"), implied=implied)]
    assert score_pairs(predict(answers), rows, CARETS).values()["ontological_consistency"] == share
