"""The groups of our own datasets: five image operations, seven partitions and rephrasings come out of one engine."""

from collections import defaultdict
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import pytest

import diptych
from diptych.folder import BuiltFolder
from diptych.metrics import consensus_score
from tests.sources.official import annotation, framed, question, write_plain

REPHRASINGS = "v2_OpenEnded_mscoco_valrep2014_humans_og_questions.json"
REPHRASED_ANSWERS = "v2_mscoco_valrep2014_humans_og_annotations.json"


def guess(rows: list[dict[str, Any]]) -> tuple[list[dict[str, str]], dict[str, dict[tuple[str, str], bool]]]:
    """Answers that are right at random, the same for a side in all its pairs, and which sides of a group are right."""
    rng, predictions = Random(4), []
    right: dict[str, dict[tuple[str, str], bool]] = defaultdict(dict)
    for row in rows:
        prediction = {"pair_id": row["pair_id"]}
        for side in ("original", "perturbed"):
            place = row[f"{side}_image_id"], row[f"{side}_question"]
            is_right = right[row["group_id"]].setdefault(place, rng.random() < 0.85)
            prediction[side] = row[f"{side}_answer"] if is_right else "none of these"
        predictions.append(prediction)
    return predictions, right


def check_groups(folder: BuiltFolder, config: str, sides: int) -> None:
    rows = folder.pairs(folder.select(config)).to_pylist()
    predictions, right = guess(rows)
    assert {len(group) for group in right.values()} == {sides}
    scores = diptych.score(folder.path, predictions, config=config, bootstrap=0, groups="group_id").scores
    assert scores["group_accuracy"].n == len(right)
    assert scores["group_accuracy"].value == pytest.approx(mean(all(group.values()) for group in right.values()))
    flags = [(flag, name) for name, group in right.items() for flag in group.values()]
    for k in (1, 2, 3, 4):
        expected = consensus_score([flag for flag, _ in flags], [name for _, name in flags], k)
        assert scores[f"consensus_{k}"].value == pytest.approx(expected, abs=1e-9)


def test_the_five_image_operations_of_a_question_are_a_group(data: Path, tmp_path: Path) -> None:
    parameters = {"images": "recipe", "pairs": 60}
    folder = diptych.build("carets", data, tmp_path / "out", configs=("visual",), parameters=parameters)
    check_groups(folder, "visual", sides=6)


def test_the_seven_partitions_of_a_main_question_are_a_group(data: Path, tmp_path: Path) -> None:
    parameters = {"ranker": "cider", "limit": 20}
    folder = diptych.build("bqd", data, tmp_path / "out", configs=("gbqd",), parameters=parameters)
    check_groups(folder, "gbqd", sides=8)


def test_a_question_and_its_rephrasings_are_a_group(tmp_path: Path) -> None:
    originals = [question(number * 1000) for number in range(1, 9)]
    rephrasings = [
        question(row["question_id"] * 10 + number, image_id=row["image_id"], rephrasing_of=row["question_id"])
        for row in originals
        for number in (1, 2, 3)
    ]
    rows = [*originals, *rephrasings]
    annotations = [annotation(row["question_id"], image_id=row["image_id"]) for row in rows]
    write_plain(tmp_path / "data" / "rephrasings", REPHRASINGS, framed("questions", rows))
    write_plain(tmp_path / "data" / "rephrasings", REPHRASED_ANSWERS, framed("annotations", annotations))
    folder = diptych.build("rad-cads", tmp_path / "data", tmp_path / "out", configs=("rephrasings",))
    check_groups(folder, "rephrasings", sides=4)
