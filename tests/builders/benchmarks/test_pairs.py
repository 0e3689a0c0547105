"""paired-benchmarks: which pairs and groups are made, and that their scores are the benchmarks' own."""

import json
from collections import defaultdict
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import pytest

import diptych
from diptych.builders import get_dataset
from diptych.folder import BuiltFolder
from diptych.sources import BENCHMARKS, BenchmarkGroup, BenchmarkQuestion, benchmark_files, read_benchmark
from tests.builders.conftest import digest
from tests.sources.benchmark_files import write_all

FLIPPED = {"yes": "no", "no": "yes"}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    """All five from a little of each."""
    data = tmp_path_factory.mktemp("made") / "data"
    write_all(data)
    return diptych.build("paired-benchmarks", data, data.parent / "out")


@pytest.fixture(scope="module")
def world(data: Path, tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    """All five from the miniature world."""
    return diptych.build("paired-benchmarks", data, tmp_path_factory.mktemp("built") / "out")


def rows_of(folder: BuiltFolder, config: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = folder.table(config, "test").to_pylist()
    return rows


def couples(folder: BuiltFolder, config: str) -> list[tuple[str, ...]]:
    names = ("test", "expectation", "original_answer", "perturbed_answer")
    return [tuple(row[name] for name in names) for row in rows_of(folder, config)]


def test_a_figure_is_paired_with_every_changed_one(small: BuiltFolder) -> None:
    rows = rows_of(small, "hallusionbench")
    pairs = [(row["original_image_id"], row["perturbed_image_id"]) for row in rows]
    assert pairs.count(("VD/figure/0_0", "VD/figure/0_1")) == pairs.count(("VD/figure/0_0", "VD/figure/0_2")) == 2
    assert ("", "VS/chart/0_1") in pairs


def test_a_question_without_a_partner_is_a_row_of_its_own_test(small: BuiltFolder) -> None:
    (row,) = [row for row in rows_of(small, "hallusionbench") if row["test"] == "benchmarks.single"]
    assert row["original_question"] == row["perturbed_question"] == "Is it alone?"
    assert (row["expectation"], row["original_image_id"]) == ("same", row["perturbed_image_id"])


def test_options_are_the_choices_of_a_pair(small: BuiltFolder) -> None:
    (row,) = rows_of(small, "mmvp")
    assert json.loads(row["bindings"])["choices"] == ["Open", "Closed"]
    assert (row["original_answer"], row["perturbed_answer"]) == ("Open", "Closed")


def test_naturalbench_makes_a_pair_of_each_question(small: BuiltFolder) -> None:
    assert couples(small, "naturalbench")[:2] == [
        ("benchmarks.same_question", "given", "yes", "no"),
        ("benchmarks.same_question", "given", "no", "yes"),
    ]


def test_yes_is_paired_with_no_on_one_image_and_the_last_yes_is_alone(small: BuiltFolder) -> None:
    assert sorted(couple[0] for couple in couples(small, "pope")) == [
        *["benchmarks.same_image"] * 2,
        "benchmarks.single",
    ]
    assert all({row[2], row[3]} == {"yes", "no"} for row in couples(small, "mme"))


def test_the_side_does_not_tell_the_answer(world: BuiltFolder) -> None:
    answers = [row["original_answer"] for row in rows_of(world, "pope")]
    assert 0.4 < answers.count("yes") / len(answers) < 0.6


def test_rows_of_mmvp_with_different_options_are_not_paired() -> None:
    questions = [
        BenchmarkQuestion(str(n), "1", str(n), "", "Which?", choices[0], choices)
        for n, choices in enumerate([("a dog", "a cat"), ("a cat", "a dog")])
    ]
    group = BenchmarkGroup("mmvp", "1", "", tuple(questions))
    dataset = get_dataset("paired-benchmarks")
    items: list[Any] = list(dataset.read(group, dataset.tools(None)))
    assert [item.test for item in items] == ["benchmarks.single"] * 2
    assert len({item.pair().group_id for item in items}) == 1


@pytest.mark.parametrize("config", BENCHMARKS)
def test_every_question_is_published_and_its_group_is_the_benchmarks(
    config: str, data: Path, world: BuiltFolder
) -> None:
    groups = list(read_benchmark(config, benchmark_files(data, config)))
    sides = defaultdict(set)
    for row in rows_of(world, config):
        bindings = json.loads(row["bindings"])
        sides[row["group_id"]] |= {*bindings["original_questions"], *bindings["perturbed_questions"]}
    assert sorted(map(sorted, sides.values())) == sorted(sorted(q.key for q in group.questions) for group in groups)


def share(flags: list[Any]) -> float:
    return mean(map(bool, flags))


def count_scores(groups: list[BenchmarkGroup], answers: dict[str, str]) -> dict[str, float]:
    """The benchmarks' scores in the plainest way."""
    questions = [question for group in groups for question in group.questions]
    right = {question.key: answers[question.key] == question.answer for question in questions}
    rows, columns = defaultdict(list), defaultdict(list)
    for group in groups:
        for question in group.questions:
            rows[group.group_id, question.question_id].append(right[question.key])
            if question.image_id:
                columns[group.group_id, question.image_id].append(right[question.key])
    said, true = ([q for q in questions if word(q) == "yes"] for word in (lambda q: answers[q.key], lambda q: q.answer))
    hits = len([question for question in said if question.answer == "yes"])
    scores = {
        "side_accuracy": share(list(right.values())),
        "question_accuracy": share([all(flags) for flags in rows.values()]),
        "image_accuracy": share([all(flags) for flags in columns.values()]),
        "group_accuracy": share([all(right[q.key] for q in group.questions) for group in groups]),
    }
    if true:
        precision, recall = hits / len(said), hits / len(true)
        scores |= {"precision": precision, "recall": recall, "yes_ratio": len(said) / len(questions)}
        scores["f1"] = 2 * precision * recall / (precision + recall)
    return scores


@pytest.mark.parametrize("config", BENCHMARKS)
def test_the_scores_equal_an_independent_count(config: str, data: Path, world: BuiltFolder, tmp_path: Path) -> None:
    groups, rng = list(read_benchmark(config, benchmark_files(data, config))), Random(5)
    answers = {
        question.key: question.answer if rng.random() < 0.8 else rng.choice(question.choices or ("yes", "no"))
        for group in groups
        for question in group.questions
    }
    predictions = tmp_path / "answers.jsonl"
    lines = [json.dumps({"question_id": key, "answer": answer}) for key, answer in answers.items()]
    predictions.write_text("\n".join(lines))
    scores = diptych.score(world.path, predictions, config=config, bootstrap=50).scores
    expected = count_scores(groups, answers)
    assert {name: scores[name].value for name in expected} == pytest.approx(expected, abs=1e-12)
    assert scores["group_accuracy"].n == len(groups)
    assert all(scores[name].bootstrap[0] <= scores[name].value <= scores[name].bootstrap[1] for name in expected)


def test_a_build_has_a_clean_audit_and_a_card(world: BuiltFolder) -> None:
    audit = diptych.check(world.path)
    assert [finding for finding in audit.findings if finding.level == "error"] == []
    assert "HallusionBench" in (world.path / "README.md").read_text(encoding="utf-8")


def test_builds_are_the_same_on_any_number_of_workers(data: Path, world: BuiltFolder, tmp_path: Path) -> None:
    again = diptych.build("paired-benchmarks", data, tmp_path / "out", num_proc=2)
    assert digest(again.path / "data") == digest(world.path / "data")


def test_a_model_that_says_yes_to_all_is_found_out(world: BuiltFolder) -> None:
    rows = rows_of(world, "mme")
    predictions = [{"pair_id": row["pair_id"], "original": "Yes.", "perturbed": "yes"} for row in rows]
    scores = diptych.score(world.path, predictions, config="mme", bootstrap=0).scores
    assert (scores["side_accuracy"].value, scores["group_accuracy"].value) == (0.5, 0.0)
    assert (scores["recall"].value, scores["yes_ratio"].value) == (1.0, 1.0)
