"""The released CARETS as a config of carets: built, loaded, scored, and checked."""

import json
import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest
from datasets import load_dataset

from diptych.demo import make_world
from tests.builders.conftest import run

SETTINGS = """
tests:
  phrasal_invariance: {eval_type: invariance, files: [color.json]}
  ontological_consistency: {eval_type: ontological_invariance, files: [kinds.json]}
  negation_consistency: {eval_type: directional_expectation, files: [objects.json]}
"""
FILES = {
    "color": [("1-0-0-0", "Is the cat black or white?", "white"), ("1-0-0", "What color is the cat?", "white")],
    "kinds": [("1-0-0", "Is there a dog?", "no"), ("1-0-0-0", "Is there a poodle?", "no")],
    "objects": [
        ("2-0-0", "Do you see a hat?", "yes"),
        ("2-0-0-0", "Do you see no hat?", "no"),
        ("3-0-0", "Is there a car?", "no"),
        ("3-0-0-0", "Is there no car?", "no"),
        ("4-0-0", "Is there a bus?", "no"),
    ],
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    (folder / "carets").mkdir()
    (folder / "carets" / "default.yml").write_text(SETTINGS)
    for name, questions in FILES.items():
        listed = [{"question_id": q, "img_id": "n1", "sent": sent, "label": {a: 1}} for q, sent, a in questions]
        (folder / "carets" / f"{name}.json").write_text(json.dumps(listed))
    return folder


@pytest.fixture(scope="module")
def released(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "carets"
    assert run("build", "carets", "--data", str(data), "--out", str(out)) == 0
    return out


def manifest(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = orjson.loads((folder / "manifest.json").read_bytes())
    return read


def test_the_pairs_load_as_they_were_released(released: Path) -> None:
    pairs = load_dataset(str(released), split="validation")
    assert [(row["test"], row["expectation"]) for row in pairs] == [
        ("carets.rephrase", "same"),
        ("carets.ontological", "same"),
        ("carets.negation", "different"),
    ]
    assert pairs[0]["original_question"] == "What color is the cat?"
    assert pairs[0]["perturbed_question"] == "Is the cat black or white?"
    assert set(pairs["source"]) == {"carets"}
    assert (pairs[0]["answer_type"], pairs[1]["answer_type"]) == ("other", "yes/no")


def test_what_makes_no_pair_is_in_the_ledger(released: Path) -> None:
    ledger = manifest(released)["configs"]["released"]["ledger"]["validation"]["carets.negation"]
    assert ledger["skipped"] == {
        "the release has no perturbed question for it": 1,
        "the released answers do not have the relation of their test": 1,
    }


def test_the_recipe_names_every_file(released: Path) -> None:
    assert set(manifest(released)["recipes"]["released"]["sources"]) == {
        "default.yml",
        *(f"{name}.json" for name in FILES),
    }


def test_it_is_built_again_bit_for_bit(released: Path, data: Path) -> None:
    assert run("build", str(released), "--data", str(data)) == 0


def score(released: Path, path: Path, lines: dict[str, str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    path.write_text("".join(json.dumps({"question_id": q, "answer": a}) + "\n" for q, a in lines.items()))
    capsys.readouterr()
    assert run("score", str(released), str(path), "--json", "--bootstrap", "0") == 0
    read: dict[str, Any] = orjson.loads(capsys.readouterr().out)
    return read


# In two files one id may be of two questions; the numbers of the authors' loader tell them apart.
BY_NUMBER = {"0": "white", "1": "white", "2": "no", "3": "yes", "4": "yes", "5": "yes"}


def test_predictions_by_the_loaders_numbers_are_scored(
    released: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = score(released, tmp_path / "p.jsonl", BY_NUMBER, capsys)
    scores = told["scores"]["overall"]
    assert scores["comprehensive_accuracy"]["value"] == pytest.approx(1 / 3)
    assert scores["accuracy_original"]["value"] == 1


def test_predictions_by_the_files_ids_are_scored(
    released: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = {"2-0-0": "yes", "2-0-0-0": "no", "0": "white", "1": "white", "2": "no", "3": "no"}
    scores = score(released, tmp_path / "p.jsonl", lines, capsys)["scores"]["overall"]
    assert scores["comprehensive_accuracy"]["value"] == 1


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ([{"question_id": "0", "answer": "white"}], "no answer to 3 of 3 pairs"),
        (
            [{"question_id": "0", "answer": "a"}, {"question_id": "0", "answer": "b"}],
            "question 0 has two different answers",
        ),
    ],
)
def test_predictions_that_lack_or_repeat_a_question_are_refused(
    released: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: list[dict[str, str]], what: str
) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run("score", str(released), str(path)) == 2
    assert what in capsys.readouterr().err


def test_the_baselines_and_the_checks_work_on_it(released: Path, tmp_path: Path) -> None:
    said = str(tmp_path / "yes.jsonl")
    assert run("baseline", str(released), "always-yes", "--out", said) == 0
    assert run("score", str(released), said) == 0
    assert run("check", str(released)) == 0


def test_the_oracle_leaves_the_authors_answers_alone(
    released: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", str(released), "--oracle", "--data", str(data)) == 0
    assert "its answers are from its authors" in capsys.readouterr().out
    assert run("baseline", str(released), "oracle", "--data", str(data), "--out", str(tmp_path / "p.jsonl")) == 2


def test_a_malformed_release_is_one_line_and_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "carets").mkdir()
    (tmp_path / "carets" / "negation.json").write_text('[{"question_id": "1-0-0", "img_id": "n1", "sent": "Is it?"}]')
    assert run("build", "carets", "--data", str(tmp_path), "--out", str(tmp_path / "o")) == 2
    said = capsys.readouterr().err.strip()
    assert said.endswith("negation.json: question 1-0-0: label is missing")
    assert said.count("\n") == 0


def test_a_missing_file_is_told_in_the_ledger(data: Path, tmp_path: Path) -> None:
    copy = tmp_path / "data"
    shutil.copytree(data, copy)
    (copy / "carets" / "kinds.json").unlink()
    assert run("build", "carets", "--data", str(copy), "--out", str(tmp_path / "o"), "--config", "released") == 0
    assert "a file of the release that is missing" in (tmp_path / "o" / "manifest.json").read_text()


def test_another_config_does_not_look_at_the_release(tmp_path: Path) -> None:
    make_world(tmp_path / "data", 30, pictures=False)
    (tmp_path / "data" / "carets").mkdir()
    (tmp_path / "data" / "carets" / "default.yml").write_text("{")
    (tmp_path / "data" / "carets" / "negation.json").write_text("{")
    args = ("--data", str(tmp_path / "data"), "--out", str(tmp_path / "o"), "--config", "negation", "--set", "pairs=20")
    assert run("build", "carets", *args) == 0
