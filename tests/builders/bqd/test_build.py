"""bqd: main questions with ranked basic questions, the same bytes however it is built, and what a user may set."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from diptych.builders.bqd.inputs import distinct_questions, key_of, yes_no_questions
from tests.builders.conftest import run, vqa_row


@pytest.fixture(scope="module")
def bqd(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bqd") / "bqd"
    assert run("build", "bqd", "--data", str(data), "--out", str(out), "--set", "limit=60") == 0
    return out


def rows(folder: Path, config: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(folder / "data" / config).to_pylist()
    return found


def manifest_of(folder: Path) -> Any:
    return json.loads((folder / "manifest.json").read_text())


def build(data: Path, out: Path, *more: str) -> int:
    return run("build", "bqd", "--data", str(data), "--out", str(out), "--set", "limit=8", *more)


def set_all(*settings: str) -> list[str]:
    return [word for each in settings for word in ("--set", each)]


def test_a_pair_is_the_main_question_and_three_basic_ones(bqd: Path) -> None:
    pairs = rows(bqd, "gbqd")
    assert {pair["partition"] for pair in pairs} == set(range(1, 8))
    for pair in pairs:
        assert pair["perturbed_question"] == " ".join([pair["original_question"], *pair["basic_questions"]])
        assert len(pair["basic_questions"]) == 3
        assert len(pair["perturbed_answers"]) == 10
        assert pair["perturbed_answers"] == pair["original_answers"]
        assert (pair["expectation"], pair["test"]) == ("same", "bqd.gbqd")


def test_a_ranked_row_is_certified_and_sorted_and_leaves_the_question_itself_out(bqd: Path) -> None:
    for row in rows(bqd, "gbqd_ranked"):
        assert row["scores"] == sorted(row["scores"], reverse=True)
        assert min(row["scores"]) >= 0
        assert 0 < row["gap"] <= 1e-8
        assert 0 < row["excess"] <= 1e-6
        assert len(row["basic_questions"]) <= min(21, row["support"])
        assert len(row["same_vector"]) == len(row["basic_questions"])
        assert key_of(row["question"]) not in {key_of(text) for text in row["basic_questions"]}
        assert len(row["answers"]) == 10


def test_the_partitions_are_the_ranking_cut_in_threes(bqd: Path) -> None:
    ranked = {row["question_id"]: row for row in rows(bqd, "gbqd_ranked")}
    for pair in rows(bqd, "gbqd"):
        at = 3 * (pair["partition"] - 1)
        behind = ranked[pair["source_id"]]
        assert pair["basic_questions"] == behind["basic_questions"][at : at + 3]
        assert pair["scores"] == behind["scores"][at : at + 3]


def test_main_questions_are_of_one_split_and_basic_ones_of_the_other(bqd: Path, data: Path) -> None:
    train = json.loads((data / "vqa" / "v2_OpenEnded_mscoco_train2014_questions.json").read_text())["questions"]
    known = {" ".join(each["question"].split()) for each in train}
    assert {text for row in rows(bqd, "gbqd_ranked") for text in row["basic_questions"]} <= known
    assert manifest_of(bqd)["recipes"]["gbqd"]["parameters"]["basic"] == "train"


def test_yes_no_basic_questions_are_what_people_answer_with_yes_or_no(bqd: Path, data: Path) -> None:
    annotations = json.loads((data / "vqa" / "v2_mscoco_train2014_annotations.json").read_text())["annotations"]
    questions = json.loads((data / "vqa" / "v2_OpenEnded_mscoco_train2014_questions.json").read_text())["questions"]
    said = {each["question_id"]: each["multiple_choice_answer"] for each in annotations}
    yes_no = {key_of(each["question"]) for each in questions if said[each["question_id"]] in ("yes", "no")}
    asked = {key_of(text) for row in rows(bqd, "ynbqd_ranked") for text in row["basic_questions"]}
    assert asked
    assert asked <= yes_no


def test_one_odd_answer_makes_no_yes_no_question() -> None:
    open_ended = [vqa_row("Is it red or blue?", "red"), vqa_row("Is it red or blue?", "blue")]
    odd = vqa_row("is it red or blue", "yes")
    closed = vqa_row("Is it red?", "yes", "no", "no", "maybe")
    assert yes_no_questions([*open_ended, odd, closed]) == ("Is it red?",)


def test_every_config_loads(bqd: Path, tmp_path: Path) -> None:
    from datasets import load_dataset

    assert load_dataset(str(bqd), cache_dir=str(tmp_path))["validation"].num_rows == len(rows(bqd, "gbqd"))
    configs = manifest_of(bqd)["configs"]
    assert set(configs) == {"gbqd", "ynbqd", "gbqd_ranked", "ynbqd_ranked", "shuffled"}
    for name, config in configs.items():
        loaded = load_dataset(str(bqd), name, cache_dir=str(tmp_path))["validation"]
        assert loaded.num_rows == config["splits"]["validation"]["rows"]
        assert loaded.column_names == [feature["name"] for feature in config["features"]]


def test_a_recipe_says_what_decides_a_config_and_nothing_else(bqd: Path) -> None:
    recipes = {name: recipe["parameters"] for name, recipe in manifest_of(bqd)["recipes"].items()}
    assert recipes["gbqd"]["encoder"].startswith("wordllama 0.")
    assert (recipes["gbqd"]["lam"], recipes["gbqd"]["k"], recipes["gbqd"]["word_limit"]) == (1e-6, 21, 0)
    assert "partitions" not in recipes["gbqd_ranked"]
    assert set(recipes["shuffled"]) == {"source", "main", "limit", "partitions", "distance"}


@pytest.mark.slow
def test_two_workers_write_the_same_bytes(bqd: Path, data: Path, tmp_path: Path) -> None:
    args = ("--set", "limit=60", "--num-proc", "2")
    assert run("build", "bqd", "--data", str(data), "--out", str(tmp_path / "two"), *args) == 0
    for path in sorted((bqd / "data").rglob("*.parquet")):
        again = tmp_path / "two" / path.relative_to(bqd)
        assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(path.read_bytes()).digest()


def test_partitions_separator_and_word_limit_are_parameters(data: Path, tmp_path: Path) -> None:
    said = set_all("partitions=2", "per_partition=1", "separator= | ", "word_limit=9")
    assert build(data, tmp_path / "out", "--config", "gbqd", *said) == 0
    pairs = rows(tmp_path / "out", "gbqd")
    assert {pair["partition"] for pair in pairs} == {1, 2}
    for pair in pairs:
        whole = f"{pair['original_question']} | {pair['basic_questions'][0]}"
        assert whole.startswith(pair["perturbed_question"])
        assert len(pair["perturbed_question"].split()) == min(9, len(whole.split()))
        assert pair["words_cut"] == len(whole.split()) - len(pair["perturbed_question"].split())
    counts = manifest_of(tmp_path / "out")["configs"]["gbqd"]["ledger"]["validation"]["bqd.gbqd"]
    assert counts["seen"] == 16
    assert counts["paired"] == len(pairs)


def test_a_word_limit_that_leaves_no_noise_makes_no_pair(data: Path, tmp_path: Path) -> None:
    assert build(data, tmp_path / "out", *set_all("word_limit=3"), "--config", "gbqd", "--config", "shuffled") == 0
    manifest = manifest_of(tmp_path / "out")
    assert manifest["configs"]["gbqd"]["splits"] == {}
    skipped = manifest["configs"]["gbqd"]["ledger"]["validation"]["bqd.gbqd"]["skipped"]
    assert "the word limit leaves no room for a basic question" in skipped


@pytest.mark.parametrize("ranker", ["bleu4", "rouge-l", "meteor"])
def test_a_direct_similarity_can_rank(data: Path, tmp_path: Path, ranker: str) -> None:
    assert build(data, tmp_path / "out", "--config", "gbqd_ranked", "--set", f"ranker={ranker}") == 0
    for row in rows(tmp_path / "out", "gbqd_ranked"):
        assert len(row["basic_questions"]) >= 3
        assert row["scores"] == sorted(row["scores"], reverse=True)
        assert row["gap"] is None
    assert "encoder" not in manifest_of(tmp_path / "out")["recipes"]["gbqd_ranked"]["parameters"]


def test_main_questions_of_the_test_set_are_ranked_and_make_no_pairs(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vqa = tmp_path / "data" / "vqa"
    vqa.mkdir(parents=True)
    for name in ("v2_OpenEnded_mscoco_train2014_questions.json", "v2_mscoco_train2014_annotations.json"):
        (vqa / name).symlink_to(data / "vqa" / name)
    val = (data / "vqa" / "v2_OpenEnded_mscoco_val2014_questions.json").read_bytes()
    (vqa / "v2_OpenEnded_mscoco_test2015_questions.json").write_bytes(val)
    assert build(tmp_path / "data", tmp_path / "out", "--set", "main=test") == 0
    assert set(manifest_of(tmp_path / "out")["configs"]) == {"gbqd_ranked", "ynbqd_ranked"}
    assert {len(row["answers"]) for row in rows(tmp_path / "out", "gbqd_ranked")} == {0}
    capsys.readouterr()
    assert build(tmp_path / "data", tmp_path / "two", "--set", "main=test", "--config", "gbqd") == 2
    assert capsys.readouterr().err.count("\n") == 1


def write_table(path: Path, data: Path, **other: Any) -> Path:
    questions = json.loads((data / "vqa" / "v2_OpenEnded_mscoco_val2014_questions.json").read_text())["questions"]
    mine = [{"main": each["question"], "basic": ["Why?", "Who?", "When?"], **other} for each in questions[:5]]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(row) for row in mine))
    return path


def test_a_ranked_table_of_ones_own_makes_pairs(data: Path, tmp_path: Path) -> None:
    table = write_table(tmp_path / "mine.jsonl", data, scores=[3, 2, 1])
    assert build(data, tmp_path / "out", "--config", "table", "--set", f"table={table}") == 0
    pairs = rows(tmp_path / "out", "table")
    assert {tuple(pair["basic_questions"]) for pair in pairs} == {("Why?", "Who?", "When?")}
    assert {(pair["test"], pair["partition"]) for pair in pairs} == {("bqd.table", 1)}
    manifest = manifest_of(tmp_path / "out")
    assert manifest["recipes"]["table"]["sources"]["mine.jsonl"] == hashlib.sha256(table.read_bytes()).hexdigest()
    skipped = manifest["configs"]["table"]["ledger"]["validation"]["bqd.table"]["skipped"]
    assert skipped["the table does not rank this question"] == 8 - len(pairs)


def test_a_folder_with_ones_own_table_names_no_path_and_is_built_again(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = write_table(tmp_path / "secret" / "mine.jsonl", data)
    assert build(data, tmp_path / "out", "--config", "table", "--set", f"table={table}") == 0
    assert "secret" not in (tmp_path / "out" / "recipe" / "recipe.json").read_text()
    assert "secret" not in (tmp_path / "out" / "manifest.json").read_text()
    again = tmp_path / "data"
    again.mkdir()
    (again / "vqa").symlink_to(data / "vqa")
    (again / "bqd").symlink_to(table.parent)
    capsys.readouterr()
    assert run("build", str(tmp_path / "out"), "--data", str(again)) == 0
    assert "bit-identical" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "broken JSON"),
        ('{"main": "Why?"}', "`basic`, a list of texts"),
        ('{"main": "Why?", "basic": ["Who?"], "scores": [1, 2]}', "a number for each of the 1"),
        ('{"main": "Why?", "basic": ["Who?"]}\n{"main": "why", "basic": ["When?"]}', "ranked otherwise above"),
    ],
)
def test_a_wrong_table_is_one_line_with_its_place(
    line: str, said: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "mine.jsonl"
    table.write_text(line)
    assert build(data, tmp_path / "out", "--config", "table", "--set", f"table={table}") == 2
    (told,) = capsys.readouterr().err.strip().splitlines()
    assert f"{table}:{line.count(chr(10)) + 1}" in told
    assert said in told


def test_a_table_of_ones_own_vectors_can_encode(data: Path, tmp_path: Path) -> None:
    files = [data / "vqa" / f"v2_OpenEnded_mscoco_{split}2014_questions.json" for split in ("train", "val")]
    asked = [each["question"] for file in files for each in json.loads(file.read_text())["questions"]]
    texts = sorted({" ".join(text.split()) for text in asked} | set(asked))
    vectors = np.random.default_rng(0).normal(size=(len(texts), 12)).astype(np.float32)
    np.savez(tmp_path / "mine.npz", texts=np.array(texts), vectors=vectors)
    args = ("--config", "gbqd_ranked", "--set", f"encoder=table:{tmp_path / 'mine.npz'}")
    assert build(data, tmp_path / "out", *args) == 0
    assert {row["support"] for row in rows(tmp_path / "out", "gbqd_ranked")} <= set(range(13))
    assert str(tmp_path) not in (tmp_path / "out" / "recipe" / "recipe.json").read_text()


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("partitons=3", "did you mean 'partitions'"),
        ("partitions=three", "is not int"),
        ("partitions=0", "at least 1"),
        ("basic=tran", "did you mean 'train'"),
        ("encoder=word2vec", "unknown encoder"),
        ("encoder=table:none.npz", "no such table"),
        ("ranker=bleu9", "known: bleu1"),
        ("table=none.jsonl", "no such table"),
        ("lam=-1", "positive"),
        ("distance=1", "one word alone"),
    ],
)
def test_a_wrong_setting_is_one_line(
    setting: str, said: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = "table" if setting.startswith("table=") else "gbqd"
    assert build(data, tmp_path / "out", "--config", config, "--set", setting) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert said in line
    assert list(tmp_path.iterdir()) == []


def test_the_config_of_a_table_asks_for_one(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build(data, tmp_path / "out", "--config", "table") == 2
    assert "needs --set table=" in capsys.readouterr().err


def test_one_question_in_several_spellings_is_one_basic_question() -> None:
    assert distinct_questions(["Is it a dog?", "IS IT A DOG ?", "Is it a cat?"]) == ("Is it a dog?", "Is it a cat?")
