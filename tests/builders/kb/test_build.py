"""kb-counterfactuals as a folder: from the miniature world to a score."""

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from diptych.builders.kb._tests import TESTS
from diptych.folder import open_folder
from tests.builders.conftest import digest, run
from tests.builders.kb.conftest import build_kb


@pytest.fixture(scope="module")
def kb(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("kb") / "out"
    assert run("build", "kb-counterfactuals", "--data", data, "--out", out) == 0
    return out


def test_both_sources_are_built_and_accounted_for(kb: Path) -> None:
    manifest = open_folder(kb).manifest
    assert set(manifest.configs) == {"vqa_v2", "visual_genome"}
    for config in manifest.configs.values():
        for ledger in config.ledger.values():
            assert set(ledger) == set(TESTS)
            questions = {counts.seen // (2 if "color" in test else 1) for test, counts in ledger.items()}
            assert len(questions) == 1


def test_a_question_that_cannot_be_read_is_counted_once_for_every_outcome(data: Path, tmp_path: Path) -> None:
    copy = tmp_path / "data" / "vg"
    copy.mkdir(parents=True)
    images = json.loads((data / "vg" / "question_answers.json").read_text())
    images[0]["qas"][0]["question"] = "这只狗是什么颜色?"
    (copy / "question_answers.json").write_text(json.dumps(images))
    ledger = build_kb(copy.parent, tmp_path, "visual_genome").manifest.configs["visual_genome"].ledger["train"]
    for test, counts in ledger.items():
        unread = counts.skipped["the question is not written in English letters"]
        assert unread == (2 if "color" in test else 1)


def test_a_change_of_parameters_reads_nothing_again(data: Path, tmp_path: Path) -> None:
    build_kb(data, tmp_path, "visual_genome", work=str(tmp_path / "kept"))
    read_folders = list((tmp_path / "kept" / "kb-counterfactuals").glob("read-*"))
    build_kb(
        data,
        tmp_path / "again",
        "visual_genome",
        work=str(tmp_path / "kept"),
        parameters={"stand_ins": "wordnet"},
        seed=3,
    )
    assert list((tmp_path / "kept" / "kb-counterfactuals").glob("read-*")) == read_folders


def test_load_dataset_opens_each_config(kb: Path, tmp_path: Path) -> None:
    from datasets import load_dataset

    for name in ("vqa_v2", "visual_genome"):
        loaded = load_dataset(str(kb), name, cache_dir=str(tmp_path))
        assert all(rows.num_rows for rows in loaded.values())


def test_every_substitution_says_its_reasons(kb: Path) -> None:
    rows = pq.read_table(kb / "data" / "vqa_v2").to_pylist()
    assert {row["expectation"] for row in rows} == {"open", "same"}
    for row in rows:
        assert (row["decided_by"] == "relation") == (row["expectation"] == "same")
        if row["test"].startswith("kb.color"):
            assert row["colors"] in {"common", "uncommon"}
        elif row["test"] != "kb.deletion_noun":
            assert all(row[name] for name in ("synset_from", "synset_to", "replacement"))


def test_questions_of_visual_genome_lead_to_their_pictures_and_are_written_as_vqas(kb: Path, data: Path) -> None:
    rows = pq.read_table(kb / "data" / "visual_genome").to_pylist()
    assert {row["test"] for row in rows} == set(TESTS)
    assert {row["expectation"] for row in rows} == {"open"}  # there are no yes/no questions
    written = {
        str(qa["qa_id"]): qa["question"]
        for image in json.loads((data / "vg" / "question_answers.json").read_text())
        for qa in image["qas"]
    }
    assert any(row["original_question"] != written[row["source_id"]] for row in rows)
    for row in rows:
        assert row["original_image_file"] == row["perturbed_image_file"] == f"{row['original_image_id']}.jpg"
        assert re.fullmatch(r"[A-Z](?!.*(  | \?)).*[^?]\?", row["original_question"])


def test_two_workers_write_the_same_bytes(kb: Path, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "again"
    assert run("build", "kb-counterfactuals", "--data", data, "--out", out, "--num-proc", 2) == 0
    assert digest(out) == digest(kb)


def test_parameters_are_checked_and_kept_in_the_recipe(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ("build", "kb-counterfactuals", "--data", data, "--out", tmp_path / "out", "--config", "vqa_v2")
    for setting, message in (
        ("deletions=phrase", "did you mean 'deletion'"),
        ("deletion=phrases", "did you mean 'phrase'"),
        ("deletion", "KEY=VALUE"),
        ("near_limit=0", "1 to 500"),
    ):
        assert run(*base, "--set", setting) == 2
        assert message in capsys.readouterr().err
    assert run(*base, "--set", "deletion=phrase", "--set", "near_limit=15") == 0
    recipe = json.loads((tmp_path / "out" / "recipe" / "recipe.json").read_text())
    assert recipe["parameters"] == {"deletion": "phrase", "near_limit": 15}


@pytest.mark.slow
@pytest.mark.parametrize("option", ["palette=xkcd", "color_metric=paper", "choose=sampled", "deletion=phrase"])
def test_every_option_builds_another_dataset(kb: Path, data: Path, tmp_path: Path, option: str) -> None:
    name, _, value = option.partition("=")
    build_kb(data, tmp_path, "visual_genome", parameters={name: value})
    usual, changed = (pq.read_table(out / "data" / "visual_genome").to_pylist() for out in (kb, tmp_path / "out"))
    assert {row["test"] for row in changed} == set(TESTS)
    assert [row["perturbed_question"] for row in changed] != [row["perturbed_question"] for row in usual]


def write_predictions(file: Path, rows: list[dict[str, str]], perturbed: list[str]) -> Path:
    """What a model that is right on every original side answers on the perturbed sides."""
    lines = [
        {"pair_id": row["pair_id"], "original": row["original_answer"], "perturbed": answer}
        for row, answer in zip(rows, perturbed, strict=True)
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    return file


def validation_rows(kb: Path) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = open_folder(kb).table("vqa_v2", "validation").to_pylist()
    return rows


def test_a_score_gives_the_reduction_and_rules(kb: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = validation_rows(kb)
    answers = ["no" if "dog" in row["replaced"] else row["original_answer"] for row in rows]
    predictions = write_predictions(tmp_path / "predictions.jsonl", rows, answers)
    assert run("score", kb, predictions, "--by", "colors") == 0
    output = capsys.readouterr().out
    assert "relative_reduction" in output
    assert "uncommon" in output
    assert "if the concept is 'dog'" in output


@pytest.fixture(scope="module")
def color_blind(kb: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that is right, but answers otherwise once a color is an uncommon one."""
    rows = validation_rows(kb)
    opposites = {"no": "yes"}
    answers = [
        opposites.get(row["original_answer"], "no") if row["colors"] == "uncommon" else row["original_answer"]
        for row in rows
    ]
    return write_predictions(tmp_path_factory.mktemp("predictions") / "predictions.jsonl", rows, answers)


def test_a_score_has_the_tables_of_the_paper(kb: Path, color_blind: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("score", kb, color_blind, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    colors, words = ({row["test"]: row["cells"] for row in table["rows"]} for table in report["tables"])
    assert list(colors) == ["Color Maximal", "Color Minimal"]
    assert len(colors) + len(words) == len(TESTS)
    color_maximal = colors["Color Maximal"]
    assert color_maximal["acc_Q* (common)"]["value"] == 1.0
    assert color_maximal["acc_Q* (uncommon)"]["value"] < 0.5
    assert words["Hypernym Noun"]["acc_Q"]["value"] == words["Hypernym Noun"]["acc_Q*"]["value"]
    assert words["Hypernym Noun"]["reduction"]["value"] == 0.0
    assert "explanations" not in report
    rules = [rule["sentence"] for rule in report["rules"] if rule["kind"] == "substitution"]
    assert rules
    assert all(
        re.match(r"if .+ → .+, the answer (stays|changes) in \d+ % \(n = \d+, \d+–\d+ %\)", rule) for rule in rules
    )


def test_a_score_shows_the_changed_answers_side_by_side(
    kb: Path, color_blind: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("score", kb, color_blind, "--explain", 6, "--json") == 0
    entries = json.loads(capsys.readouterr().out)["explanations"]
    explanations = [entry for entry in entries if entry["kind"] == "right_to_wrong"]
    assert len(explanations) == 6
    assert {explanation["test"] for explanation in explanations} == {"kb.color_maximal", "kb.color_minimal"}
    for explanation in explanations:
        assert explanation["question_before"].count("[") == explanation["question_after"].count("[") == 1
        assert explanation["answer_before"] != explanation["answer_after"]
        assert explanation["image_id"]
        assert explanation["relation"] in {"distant colour", "near colour"}
    assert run("score", kb, color_blind, "--explain", 2) == 0
    output = capsys.readouterr().out
    assert explanations[0]["question_before"] in output
    assert explanations[0]["question_after"] in output
