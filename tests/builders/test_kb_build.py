"""kb-counterfactuals as a folder: from the miniature world to a score."""

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from diptych.builders.kb.tests import COLORS, TESTS
from tests.builders.conftest import run
from tests.builders.test_build import digest


@pytest.fixture(scope="module")
def kb(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("kb") / "out"
    assert run("build", "kb-counterfactuals", "--data", str(data), "--out", str(out)) == 0
    return out


def test_both_sources_are_built_and_accounted_for(kb: Path) -> None:
    manifest = json.loads((kb / "manifest.json").read_text())
    assert set(manifest["configs"]) == {"vqa_v2", "visual_genome"}
    for config in manifest["configs"].values():
        for ledger in config["ledger"].values():
            assert set(ledger) == set(TESTS)
            seen = {test: counts["seen"] // (2 if "color" in test else 1) for test, counts in ledger.items()}
            assert len(set(seen.values())) == 1


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


def test_two_workers_write_the_same_bytes(kb: Path, data: Path, tmp_path: Path) -> None:
    args = ("--data", str(data), "--out", str(tmp_path / "again"), "--num-proc", "2")
    assert run("build", "kb-counterfactuals", *args) == 0
    assert digest(tmp_path / "again") == digest(kb)


def test_parameters_are_checked_and_kept_in_the_recipe(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ("build", "kb-counterfactuals", "--data", str(data), "--out", str(tmp_path / "out"), "--config", "vqa_v2")
    for wrong, said in (
        ("deletions=phrase", "did you mean 'deletion'"),
        ("deletion=phrases", "did you mean 'phrase'"),
        ("deletion", "KEY=VALUE"),
    ):
        assert run(*base, "--set", wrong) == 2
        assert said in capsys.readouterr().err
    assert run(*base, "--set", "deletion=phrase", "--set", "common_least=1") == 0
    recipe = json.loads((tmp_path / "out" / "recipe" / "recipe.json").read_text())
    assert recipe["parameters"] == {"deletion": "phrase", "common_least": 1}


@pytest.mark.slow
@pytest.mark.parametrize("option", ["palette=xkcd", "color_metric=paper", "choose=sampled", "deletion=phrase"])
def test_every_option_builds_another_dataset(kb: Path, data: Path, tmp_path: Path, option: str) -> None:
    args = ("--data", str(data), "--out", str(tmp_path / "out"), "--config", "visual_genome", "--set", option)
    assert run("build", "kb-counterfactuals", *args) == 0
    usual, other = (pq.read_table(out / "data" / "visual_genome").to_pylist() for out in (kb, tmp_path / "out"))
    assert {row["test"] for row in other} == set(TESTS)
    assert [row["perturbed_question"] for row in other] != [row["perturbed_question"] for row in usual]


def test_a_score_gives_the_reduction_and_rules(kb: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = pq.read_table(kb / "data" / "vqa_v2" / "validation-00000-of-00001.parquet").to_pylist()
    said = [
        {
            "pair_id": row["pair_id"],
            "original": row["original_answer"],
            "perturbed": "no" if "dog" in row["replaced"] else row["original_answer"],
        }
        for row in rows
    ]
    file = tmp_path / "predictions.jsonl"
    file.write_text("\n".join(map(json.dumps, said)))
    assert run("score", str(kb), str(file), "--by", "colors") == 0
    shown = capsys.readouterr().out
    assert "relative_reduction" in shown
    assert "uncommon" in shown
    assert "if the concept is 'dog'" in shown


def _other(answer: str) -> str:
    return "yes" if answer == "no" else "no"


@pytest.fixture(scope="module")
def said_no(kb: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that is right, but answers otherwise once a colour is an uncommon one."""
    rows = pq.read_table(kb / "data" / "vqa_v2" / "validation-00000-of-00001.parquet").to_pylist()
    file = tmp_path_factory.mktemp("said") / "predictions.jsonl"
    said = [
        {"pair_id": row["pair_id"], "original": row["original_answer"], "perturbed": answer}
        for row in rows
        for answer in [_other(row["original_answer"]) if row["colors"] == "uncommon" else row["original_answer"]]
    ]
    file.write_text("\n".join(map(json.dumps, said)))
    return file


def test_a_score_has_the_tables_of_the_paper(kb: Path, said_no: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("score", str(kb), str(said_no), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    rows = {(row["test"], row["colors"]): row for row in found["paper_tables"]}
    assert set(rows) == {(test, sort) for test in TESTS for sort in (COLORS if "color" in test else ("",))}
    assert rows["kb.color_maximal", "uncommon"]["reduction"] > 0.5
    assert rows["kb.color_maximal", "common"]["reduction"] == 0.0
    assert rows["kb.hypernym_noun", ""]["before"] == rows["kb.hypernym_noun", ""]["after"]
    assert "explanations" not in found
    rules = [rule["sentence"] for rule in found["rules"] if rule["kind"] == "substitution"]
    assert rules
    assert all(
        re.match(r"if .+ → .+, the answer (stays|changes) in \d+ % \(n = \d+, \d+–\d+ %\)", rule) for rule in rules
    )


def test_a_score_shows_the_changed_answers_side_by_side(
    kb: Path, said_no: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("score", str(kb), str(said_no), "--explain", "6", "--json") == 0
    found = json.loads(capsys.readouterr().out)["explanations"]
    assert len(found) == 6
    assert {each["test"] for each in found} == {"kb.color_maximal", "kb.color_minimal"}
    for each in found:
        assert each["before"].count("[") == each["after"].count("[") == 1
        assert each["answer_before"] != each["answer_after"]
        assert each["image_id"]
        assert each["relation"] in {"distant colour", "near colour"}
    assert run("score", str(kb), str(said_no), "--explain", "2") == 0
    shown = capsys.readouterr().out
    assert found[0]["before"] in shown
    assert found[0]["after"] in shown
