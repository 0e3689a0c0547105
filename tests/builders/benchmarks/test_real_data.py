"""HallusionBench itself: every question is there, and its three accuracies are those of an independent count."""

import json
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import pytest

import diptych
from diptych.folder import BuiltFolder

pytestmark = pytest.mark.real_data

Record = dict[str, Any]


@pytest.fixture(scope="module")
def records(real_data: Path) -> list[Record]:
    path = real_data / "hallusionbench" / "HallusionBench.json"
    if not path.is_file():
        pytest.skip("no HallusionBench")
    questions: list[Record] = json.loads(path.read_text(encoding="utf-8"))
    return questions


@pytest.fixture(scope="module")
def built(real_data: Path, records: list[Record], tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    return diptych.build("paired-benchmarks", real_data, tmp_path_factory.mktemp("real") / "out")


def place(record: Record, *names: str) -> str:
    return "/".join(record[name] for name in ("category", "subcategory", "set_id", *names))


def count_accuracies(records: list[Record], right: dict[str, bool]) -> dict[str, float]:
    """The authors' three accuracies: of all questions, of the question ids of a set, and of the figures."""
    questions, figures = defaultdict(list), defaultdict(list)
    for record in records:
        is_right = right[place(record, "figure_id", "question_id")]
        questions[place(record, "question_id")].append(is_right)
        if not (record["category"] == "VS" and record["figure_id"] == "0"):
            figures[place(record, "figure_id")].append(is_right)
    return {
        "side_accuracy": sum(right.values()) / len(records),
        "question_accuracy": sum(map(all, questions.values())) / len(questions),
        "image_accuracy": sum(map(all, figures.values())) / len(figures),
    }


@pytest.mark.parametrize("skill", [0.0, 0.5, 0.9, 1.0])
def test_the_three_accuracies_equal_an_independent_count(
    skill: float, records: list[Record], built: BuiltFolder, tmp_path: Path
) -> None:
    rng, right, lines = Random(3), {}, []
    for record in records:
        key, truth = place(record, "figure_id", "question_id"), "yes" if record["gt_answer"] == "1" else "no"
        right[key] = rng.random() < skill
        answer = truth if right[key] else {"yes": "no", "no": "yes"}[truth]
        lines.append(json.dumps({"question_id": key, "answer": answer}))
    predictions = tmp_path / "answers.jsonl"
    predictions.write_text("\n".join(lines))
    report = diptych.score(built.path, predictions, bootstrap=0)
    for name, value in count_accuracies(records, right).items():
        assert report.scores[name].value == pytest.approx(value, abs=1e-12), name
    counts = [report.scores[name].n for name in ("side_accuracy", "question_accuracy", "image_accuracy")]
    assert counts == [1129, 455, 346]


def test_by_subcategory_the_accuracies_are_those_of_its_questions(
    records: list[Record], built: BuiltFolder, tmp_path: Path
) -> None:
    predictions = tmp_path / "answers.jsonl"
    right = {place(record, "figure_id", "question_id"): record["gt_answer"] == "1" for record in records}
    predictions.write_text("\n".join(json.dumps({"question_id": key, "answer": "yes"}) for key in right))
    by_type = diptych.score(built.path, predictions, bootstrap=0).model.groups["question_type"]
    for kind in {f"{record['category']}/{record['subcategory']}" for record in records}:
        own = [record for record in records if place(record).startswith(f"{kind}/")]
        counts = count_accuracies(own, {key: flag for key, flag in right.items() if key.startswith(f"{kind}/")})
        assert {name: by_type[kind][name].value for name in counts} == pytest.approx(counts)


def test_every_question_is_in_a_pair_or_alone(records: list[Record], built: BuiltFolder) -> None:
    rows = built.table("hallusionbench", "test").to_pylist()
    sides = {
        key for row in rows for side in json.loads(row["bindings"]).items() if "questions" in side[0] for key in side[1]
    }
    assert sides == {place(record, "figure_id", "question_id") for record in records}
    assert sum(row["test"] == "benchmarks.single" for row in rows) == 3
    assert all(row["expectation"] == ("same" if row["test"] == "benchmarks.single" else "given") for row in rows)
    assert len({row["group_id"] for row in rows}) == 167


def test_a_question_without_a_figure_names_no_image(built: BuiltFolder) -> None:
    rows = built.table("hallusionbench", "test").to_pylist()
    without = [row for row in rows if not row["original_image_id"]]
    assert {row["question_type"].split("/")[0] for row in without} == {"VS"}
    assert all(not row["original_image_file"] for row in without)
