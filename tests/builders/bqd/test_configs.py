"""What is built by default, the paper's own setting, questions for a server, and multiple choice."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from diptych.builders import build_differences, build_into, get_dataset, recipe_options
from diptych.builders._rows import to_table
from diptych.builders.bqd._pairs import (
    INCOMPLETE,
    TOO_FEW,
    UNCERTIFIED,
    NoisyQuestion,
    noisy_pairs,
    noisy_questions,
    ranked_rows,
    server_rows,
)
from diptych.builders.bqd._rankings import RankedText, Rankings, published_order
from diptych.builders.bqd._records import MainQuestion
from diptych.builders.bqd._settings import Settings
from diptych.builders.bqd._variants import core_letters
from diptych.errors import DiptychError
from diptych.folder import open_folder
from diptych.pairs import Pair, Skip
from diptych.publishing.export import export_folder
from diptych.sources import VqaRow
from tests.builders.bqd.conftest import build, read_questions, read_rows, write_questions
from tests.commands import run

POOL = tuple(f"What is thing {number}?" for number in range(30))


def rankings(*lengths: int, certified: bool = True) -> Rankings:
    """Rankings of so many basic questions each."""
    rows = [
        RankedText(
            "bqd.gbqd", str(length), str(length), tuple(range(length)), (0.5,) * length, 1e-3, 1e-3, 40, certified
        )
        for length in lengths
    ]
    return Rankings(POOL, to_table(rows, RankedText))


def main_question(ranking: int = 0) -> MainQuestion:
    row = VqaRow("7", "42", "Why?", "why", "other", "because", ("because",) * 10, "val", "vqa_v2", "val2014")
    return MainQuestion("bqd.gbqd", "7", row, ranking)


# The same main questions in all partitions.


def test_every_partition_holds_the_same_main_questions(bqd: Path) -> None:
    for config in ("gbqd", "ynbqd"):
        pairs = read_rows(bqd, config)
        mains = [{pair["source_id"] for pair in pairs if pair["partition"] == number} for number in range(1, 8)]
        assert mains[0]
        assert all(of_partition == mains[0] for of_partition in mains)


def test_a_short_ranking_makes_no_pair() -> None:
    outcomes = list(noisy_pairs(main_question(), rankings(20), Settings()))
    assert outcomes == [INCOMPLETE] * 6 + [TOO_FEW]


def test_a_short_ranking_makes_what_it_can_where_partitions_need_not_be_complete() -> None:
    outcomes = list(noisy_pairs(main_question(), rankings(20), Settings(complete=False)))
    assert [isinstance(outcome, Pair) for outcome in outcomes] == [True] * 6 + [False]


def test_an_uncertified_ranking_is_in_the_ledger_with_its_gap() -> None:
    ranked = rankings(21, certified=False)
    reason = Skip(UNCERTIFIED, "question 7: relative duality gap 1e-03")
    assert list(noisy_pairs(main_question(), ranked, Settings())) == [reason] * 7
    assert list(ranked_rows(main_question(), ranked, Settings())) == [reason]


def test_scores_that_round_to_other_numbers_than_their_order_are_put_in_order() -> None:
    indices, scores = published_order([3, 1, 2], [0.12345678949, 0.12345678951, 4e-10])
    assert scores == tuple(sorted(scores, reverse=True))
    assert indices == (1, 3)


# Variants.


def test_no_basic_question_is_a_variant_of_another_or_of_the_main_question(bqd: Path) -> None:
    for row in read_rows(bqd, "gbqd_ranked"):
        letters = [core_letters(text) for text in (row["question"], *row["basic_questions"])]
        assert len(set(letters)) == len(letters)


@pytest.mark.parametrize(("variants", "count"), [("drop", 0), ("keep", 3)])
def test_variants_are_kept_where_that_is_set(tmp_path: Path, variants: str, count: int) -> None:
    write_questions(tmp_path / "data", "val", ["How old is this car?"])
    cars = ["How old is the car?", "How old is that car?", "How old is a car?"]
    write_questions(tmp_path / "data", "train", [*cars, "How old is the truck?"])
    build(tmp_path / "data", tmp_path / "out", "gbqd_ranked", variants=variants, ranker="bleu1")
    (row,) = read_rows(tmp_path / "out", "gbqd_ranked")
    assert "How old is the truck?" in row["basic_questions"]
    assert len(set(row["basic_questions"]) & set(cars)) == count


# The paper's setting.


def test_the_papers_setting_is_built_only_where_it_is_named(data: Path, tmp_path: Path, bqd: Path) -> None:
    assert set(open_folder(bqd).manifest.configs) == {"gbqd", "ynbqd", "gbqd_ranked", "ynbqd_ranked", "shuffled"}
    manifest = build(data, tmp_path / "out", "paper", "paper_ranked", complete=False)
    assert set(manifest.configs) == {"paper", "paper_ranked"}
    parameters = manifest.recipes["paper"].parameters
    assert (parameters["lam"], parameters["variants"], parameters["nonneg"]) == (1e-6, "keep", False)
    assert {pair["test"] for pair in read_rows(tmp_path / "out", "paper")} == {"bqd.gbqd"}


def test_the_card_says_how_many_rankings_are_degenerate(data: Path, tmp_path: Path) -> None:
    arguments = ("--config", "gbqd_ranked", "--config", "paper_ranked", "--set", "limit=60")
    assert run("build", "bqd", "--data", data, "--out", tmp_path / "out", *arguments) == 0
    configs = open_folder(tmp_path / "out").manifest.configs
    counts = {name: config.notes["rankings"] for name, config in configs.items()}
    assert counts["gbqd_ranked"]["degenerate"] < counts["paper_ranked"]["degenerate"]
    assert counts["gbqd_ranked"]["places"] == 21 * counts["gbqd_ranked"]["main questions"]
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    share = 100 * counts["paper_ranked"]["degenerate"] / counts["paper_ranked"]["main questions"]
    assert "| config | rankings | faint positions | degenerate | short | uncertified |" in card
    assert f" {share:.1f} % " in next(line for line in card.splitlines() if line.startswith("| `paper_ranked` | 5"))


# Questions for a server.


@pytest.fixture(scope="module")
def with_test_questions(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose test-dev questions are the miniature world's validation questions, without answers."""
    folder = tmp_path_factory.mktemp("server")
    vqa = folder / "vqa"
    vqa.mkdir()
    for name in ("v2_OpenEnded_mscoco_train2014_questions.json", "v2_mscoco_train2014_annotations.json"):
        (vqa / name).symlink_to(data / "vqa" / name)
    questions = json.loads((data / "vqa" / "v2_OpenEnded_mscoco_val2014_questions.json").read_text())
    questions["questions"] = questions["questions"][:40]
    (vqa / "v2_OpenEnded_mscoco_test-dev2015_questions.json").write_text(json.dumps(questions))
    return folder


def test_noisy_test_questions_are_written_for_the_server(with_test_questions: Path, tmp_path: Path) -> None:
    build(with_test_questions, tmp_path / "out", "gbqd_server", limit=0)
    rows = read_rows(tmp_path / "out", "gbqd_server")
    assert len(rows) == 40
    for row in rows:
        assert len(row["noisy_questions"]) == 7
        if len(row["basic_questions"]) == 21:
            assert row["noisy_questions"][6] == " ".join([row["question"], *row["basic_questions"][18:]])
        else:
            assert row["noisy_questions"][6] == row["question"]
    paths = export_folder(open_folder(tmp_path / "out"), "vqa", tmp_path / "files")
    name = "v2_OpenEnded_mscoco_test-dev2015_questions.json"
    folders = [f"gbqd_server/partition_{number}" for number in range(8)]
    assert [path.relative_to(tmp_path / "files").as_posix() for path in paths] == [f"{path}/{name}" for path in folders]
    official = json.loads((with_test_questions / "vqa" / name).read_text())["questions"]
    for number, path in enumerate(paths):
        questions = json.loads(path.read_text())["questions"]
        assert [record["question_id"] for record in questions] == [record["question_id"] for record in official]
        texts = [row["question"] if number == 0 else row["noisy_questions"][number - 1] for row in rows]
        assert [record["question"] for record in questions] == texts


def test_a_partition_that_cannot_be_made_asks_the_main_question_alone() -> None:
    (row,) = server_rows(main_question(), rankings(4), Settings())
    assert row.noisy_questions == (f"Why? {' '.join(POOL[:3])}", *["Why?"] * 6)
    (row,) = server_rows(main_question(), rankings(21, certified=False), Settings())
    assert row.noisy_questions == ("Why?",) * 7
    assert (row.row()["basic_questions"], row.row()["gap"]) == ((), None)


def test_pairs_of_test_questions_are_refused_in_one_line(with_test_questions: Path, tmp_path: Path) -> None:
    with pytest.raises(DiptychError, match="no source files for gbqd found"):
        build(with_test_questions, tmp_path / "out", "gbqd", main="test-dev")


def test_a_server_build_is_built_again_from_its_recipe(with_test_questions: Path, tmp_path: Path) -> None:
    before = build(with_test_questions, tmp_path / "out", "gbqd_server")
    options = recipe_options(open_folder(tmp_path / "out"), get_dataset("bqd"), with_test_questions)
    after = build_into(tmp_path / "again", get_dataset("bqd"), options, str(tmp_path / "work"))
    assert build_differences(before, after) == []


# Multiple choice.


def test_multiple_choice_questions_of_vqa_v1_have_their_options_in_the_rows(data: Path, tmp_path: Path) -> None:
    vqa = tmp_path / "data" / "vqa"
    vqa.mkdir(parents=True)
    choices = [f"answer {number}" for number in range(18)]
    for split in ("train", "val"):
        records: list[dict[str, Any]] = [{**row, "multiple_choices": choices} for row in read_questions(data, split)]
        name = f"MultipleChoice_mscoco_{split}2014_questions.json"
        (vqa / name).write_text(json.dumps({"questions": records}))
        shutil.copy(
            data / "vqa" / f"v2_mscoco_{split}2014_annotations.json", vqa / f"mscoco_{split}2014_annotations.json"
        )
    build(tmp_path / "data", tmp_path / "out", "gbqd", "gbqd_ranked", source="vqa_v1_mc", complete=False)
    for config in ("gbqd", "gbqd_ranked"):
        rows = read_rows(tmp_path / "out", config)
        assert {tuple(row["choices"]) for row in rows} == {tuple(choices)}
        assert {row["source"] for row in rows} == {"vqa_v1_mc"}
    assert open_folder(tmp_path / "out").manifest.sources["vqa_v1_mc"].title == "VQA v1"


def test_open_ended_questions_have_no_options(bqd: Path) -> None:
    assert {tuple(pair["choices"]) for pair in read_rows(bqd, "gbqd")} == {()}


def test_noisy_questions_are_one_per_partition() -> None:
    outcomes = noisy_questions(main_question(), rankings(21)[0], Settings())
    assert [outcome.partition for outcome in outcomes if isinstance(outcome, NoisyQuestion)] == [1, 2, 3, 4, 5, 6, 7]
