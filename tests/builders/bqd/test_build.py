"""Builds of bqd: main questions with ranked basic questions, and what a user may set."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from diptych.builders import build_differences, build_into, get_dataset, recipe_options
from diptych.builders.bqd import SPEC
from diptych.builders.bqd._records import plain_words
from diptych.errors import DiptychError
from diptych.folder import open_folder, read_manifest
from tests.builders.bqd.conftest import build, build_output, content_hashes, read_questions, read_rows, write_vectors


def test_a_pair_is_the_main_question_and_three_basic_ones(bqd: Path) -> None:
    pairs = read_rows(bqd, "gbqd")
    assert {pair["partition"] for pair in pairs} == set(range(1, 8))
    for pair in pairs:
        assert pair["perturbed_question"] == " ".join([pair["original_question"], *pair["basic_questions"]])
        assert len(pair["basic_questions"]) == 3
        assert len(pair["perturbed_answers"]) == 10
        assert pair["perturbed_answers"] == pair["original_answers"]
        assert (pair["expectation"], pair["test"]) == ("same", "bqd.gbqd")


def test_a_ranked_row_is_certified_and_sorted_and_leaves_the_question_itself_out(bqd: Path) -> None:
    for row in read_rows(bqd, "gbqd_ranked"):
        assert row["scores"] == sorted(row["scores"], reverse=True)
        assert min(row["scores"]) >= 0
        assert 0 < row["gap"] <= 1e-8
        assert 0 < row["excess"] <= 1e-6
        assert len(row["basic_questions"]) <= min(21, row["support"])
        assert len(row["same_vector"]) == len(row["basic_questions"])
        assert plain_words(row["question"]) not in {plain_words(text) for text in row["basic_questions"]}
        assert len(row["answers"]) == 10


def test_the_partitions_are_the_ranking_cut_in_threes(bqd: Path) -> None:
    ranked = {row["question_id"]: row for row in read_rows(bqd, "gbqd_ranked")}
    for pair in read_rows(bqd, "gbqd"):
        start = 3 * (pair["partition"] - 1)
        ranking = ranked[pair["source_id"]]
        assert pair["basic_questions"] == ranking["basic_questions"][start : start + 3]
        assert pair["scores"] == ranking["scores"][start : start + 3]


def test_main_questions_are_of_one_split_and_basic_ones_of_the_other(bqd: Path, data: Path) -> None:
    texts = {" ".join(record["question"].split()) for record in read_questions(data, "train")}
    assert {text for row in read_rows(bqd, "gbqd_ranked") for text in row["basic_questions"]} <= texts
    assert read_manifest(bqd).recipes["gbqd"].parameters["basic"] == "train"


def test_yes_no_basic_questions_are_what_people_answer_with_yes_or_no(bqd: Path, data: Path) -> None:
    annotations = json.loads((data / "vqa" / "v2_mscoco_train2014_annotations.json").read_text())["annotations"]
    answers = {record["question_id"]: record["multiple_choice_answer"] for record in annotations}
    questions = read_questions(data, "train")
    yes_no = {plain_words(row["question"]) for row in questions if answers[row["question_id"]] in ("yes", "no")}
    basic = {plain_words(text) for row in read_rows(bqd, "ynbqd_ranked") for text in row["basic_questions"]}
    assert basic
    assert basic <= yes_no


def test_a_recipe_names_what_decides_a_config_and_nothing_else(bqd: Path) -> None:
    recipes = {name: recipe.parameters for name, recipe in read_manifest(bqd).recipes.items()}
    assert str(recipes["gbqd"]["encoder"]).startswith("wordllama 0.")
    assert (recipes["gbqd"]["lam"], recipes["gbqd"]["k"], recipes["gbqd"]["word_limit"]) == (1e-2, 21, 0)
    assert "partitions" not in recipes["gbqd_ranked"]
    assert set(recipes["shuffled"]) == {"source", "main", "limit", "partitions", "distance"}


def test_partitions_separator_and_word_limit_are_parameters(data: Path, tmp_path: Path) -> None:
    values = {"partitions": 2, "per_partition": 1, "separator": " | ", "word_limit": 9}
    manifest = build(data, tmp_path / "out", "gbqd", **values)
    pairs = read_rows(tmp_path / "out", "gbqd")
    assert {pair["partition"] for pair in pairs} == {1, 2}
    for pair in pairs:
        whole = f"{pair['original_question']} | {pair['basic_questions'][0]}"
        assert whole.startswith(pair["perturbed_question"])
        assert len(pair["perturbed_question"].split()) == min(9, len(whole.split()))
        assert pair["words_cut"] == len(whole.split()) - len(pair["perturbed_question"].split())
    counts = manifest.configs["gbqd"].ledger["validation"]["bqd.gbqd"]
    assert counts.seen == 16
    assert counts.paired == len(pairs)


def test_a_word_limit_that_leaves_no_noise_makes_no_pair(data: Path, tmp_path: Path) -> None:
    manifest = build(data, tmp_path / "out", "gbqd", "shuffled", word_limit=3)
    assert manifest.configs["gbqd"].splits == {}
    skipped = manifest.configs["gbqd"].ledger["validation"]["bqd.gbqd"].skipped
    assert "the word limit leaves no room for a basic question" in skipped


@pytest.mark.parametrize("ranker", ["bleu4", "rouge-l", "meteor"])
def test_a_direct_similarity_can_rank(data: Path, tmp_path: Path, ranker: str) -> None:
    manifest = build(data, tmp_path / "out", "gbqd_ranked", ranker=ranker)
    for row in read_rows(tmp_path / "out", "gbqd_ranked"):
        assert len(row["basic_questions"]) >= 3
        assert row["scores"] == sorted(row["scores"], reverse=True)
        assert row["gap"] is None
    assert "encoder" not in manifest.recipes["gbqd_ranked"].parameters


def test_main_questions_of_the_test_set_are_ranked_and_make_no_pairs(data: Path, tmp_path: Path) -> None:
    vqa = tmp_path / "data" / "vqa"
    vqa.mkdir(parents=True)
    for name in ("v2_OpenEnded_mscoco_train2014_questions.json", "v2_mscoco_train2014_annotations.json"):
        (vqa / name).symlink_to(data / "vqa" / name)
    questions = data / "vqa" / "v2_OpenEnded_mscoco_val2014_questions.json"
    shutil.copy(questions, vqa / "v2_OpenEnded_mscoco_test2015_questions.json")
    manifest = build(tmp_path / "data", tmp_path / "out", main="test", ranker="bleu1")
    assert set(manifest.configs) == {"gbqd_ranked", "ynbqd_ranked"}
    assert {len(row["answers"]) for row in read_rows(tmp_path / "out", "gbqd_ranked")} == {0}
    with pytest.raises(DiptychError, match="no source files for gbqd found"):
        build(tmp_path / "data", tmp_path / "two", "gbqd", main="test")


def test_ones_own_vectors_can_encode(data: Path, tmp_path: Path) -> None:
    texts = [record["question"] for split in ("train", "val") for record in read_questions(data, split)]
    encoder = write_vectors(tmp_path / "mine.npz", sorted({" ".join(text.split()) for text in texts} | set(texts)))
    build(data, tmp_path / "out", "gbqd_ranked", encoder=encoder)
    assert {row["support"] for row in read_rows(tmp_path / "out", "gbqd_ranked")} <= set(range(17))
    assert str(tmp_path) not in (tmp_path / "out" / "recipe" / "recipe.json").read_text()
    assert str(tmp_path) not in (tmp_path / "out" / "manifest.json").read_text()


@pytest.mark.slow
def test_any_number_of_workers_writes_the_same_pairs(data: Path, tmp_path: Path) -> None:
    hashes = [content_hashes(build(data, tmp_path / str(number), num_proc=number, limit=300)) for number in (1, 2, 3)]
    assert hashes[0] == hashes[1] == hashes[2]


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("partitons=3", "did you mean 'partitions'"),
        ("partitions=three", "is not a whole number"),
        ("partitions=0", "must be 1 to 100"),
        ("k=1000000", "must be 1 to 10000"),
        ("word_limit=-1", "must be 0 to 10000"),
        ("basic=tran", "did you mean 'train'"),
        ("encoder=word2vec", "unknown encoder"),
        ("encoder=table:none.npz", "no such table"),
        ("ranker=bleu9", "known: bleu1"),
        ("table=none.jsonl", "no such table"),
        ("lam=-1", "must be 1e-12 to 1e+06"),
        ("lam=nan", "must be 1e-12 to 1e+06"),
        ("distance=1", "a single word"),
    ],
)
def test_a_wrong_setting_is_one_line_and_leaves_nothing_behind(
    setting: str, words: str, data: Path, tmp_path: Path
) -> None:
    config = "table" if setting.startswith("table=") else "gbqd"
    with pytest.raises(DiptychError) as error:
        build_output(data, tmp_path / "out", config, **SPEC.parse_parameters((setting,)))
    (line,) = str(error.value).splitlines()
    assert words in line
    assert list(tmp_path.iterdir()) == []


def test_a_stored_recipe_passes_the_same_checks(data: Path, tmp_path: Path) -> None:
    for values in ({"distance": 1}, {"lam": float("inf")}, {"k": "21"}, {"unknown": 1}):
        with pytest.raises(DiptychError):
            build(data, tmp_path / "out", "shuffled", **values)


def write_table(path: Path, data: Path, **columns: Any) -> Path:
    texts = [record["question"] for record in read_questions(data, "val")[:5]]
    lines = [{"main": text, "basic": ["Why?", "Who?", "When?"], **columns} for text in texts]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return path


def test_a_ranked_table_of_ones_own_makes_pairs(data: Path, tmp_path: Path) -> None:
    table = write_table(tmp_path / "mine.jsonl", data, scores=[3, 2, 1])
    manifest = build(data, tmp_path / "out", "table", table=str(table))
    pairs = read_rows(tmp_path / "out", "table")
    assert {tuple(pair["basic_questions"]) for pair in pairs} == {("Why?", "Who?", "When?")}
    assert {tuple(pair["scores"]) for pair in pairs} == {(3.0, 2.0, 1.0)}
    assert {(pair["test"], pair["partition"]) for pair in pairs} == {("bqd.table", 1)}
    assert "mine.jsonl" in manifest.recipes["table"].sources
    skipped = manifest.configs["table"].ledger["validation"]["bqd.table"].skipped
    assert skipped["the table does not rank this question"] == 8 - len(pairs)


def test_a_folder_with_ones_own_table_names_no_path_and_is_built_again(data: Path, tmp_path: Path) -> None:
    table = write_table(tmp_path / "secret" / "mine.jsonl", data)
    before = build(data, tmp_path / "out", "table", table=str(table))
    assert "secret" not in (tmp_path / "out" / "recipe" / "recipe.json").read_text()
    assert "secret" not in (tmp_path / "out" / "manifest.json").read_text()
    again = tmp_path / "data"
    again.mkdir()
    (again / "vqa").symlink_to(data / "vqa")
    (again / "bqd").symlink_to(table.parent)
    folder = open_folder(tmp_path / "out")
    options = recipe_options(folder, get_dataset("bqd"), again, confirmed={"table": "mine.jsonl"})
    after = build_into(tmp_path / "again", get_dataset("bqd"), options, str(tmp_path / "work"))
    assert build_differences(before, after) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "broken JSON"),
        ('{"main": "Why?"}', "`basic`, a list of strings"),
        ('{"main": "Why?", "basic": ["Who?"], "scores": [1, 2]}', "a number for each of the 1"),
        ('{"main": "Why?", "basic": ["Who?"]}\n{"main": "why", "basic": ["When?"]}', "ranked differently above"),
    ],
)
def test_a_wrong_table_is_an_error_with_its_place(line: str, words: str, data: Path, tmp_path: Path) -> None:
    table = tmp_path / "mine.jsonl"
    table.write_text(line)
    with pytest.raises(DiptychError, match=words) as error:
        build(data, tmp_path / "out", "table", table=str(table))
    assert f"{table}:{line.count(chr(10)) + 1}" in str(error.value)


def test_the_config_of_a_table_needs_one(data: Path, tmp_path: Path) -> None:
    with pytest.raises(DiptychError, match="needs --set table="):
        build(data, tmp_path / "out", "table")
