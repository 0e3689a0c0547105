"""The oracle: what it may look at, what it reads, and how `diptych check --oracle` tells what it finds."""

from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diptych.builders.carets._oracle import answer_question, question_frames
from diptych.demo import make_world
from diptych.templates import export_templates, load_templates
from tests.builders.carets.oracle import oracle_answers
from tests.builders.conftest import run

SEEN = {"pair_id", "source", "original_image_id", "original_question", "perturbed_question"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "data"
    make_world(folder, 60, pictures=False)
    return folder


def built(world: Path, out: Path, *more: str) -> Path:
    args = ("--data", str(world), "--out", str(out), "--set", "pairs=120", "--set", "images=recipe")
    assert run("build", "carets", *args, *more) == 0
    return out


@pytest.fixture(scope="module")
def carets(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(world, tmp_path_factory.mktemp("built") / "carets")


def rows(folder: Path, config: str, split: str = "validation") -> list[dict[str, Any]]:
    files = sorted((folder / "data" / config).glob(f"{split}-*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


@pytest.mark.parametrize("config", ["rephrase", "ontological", "order", "visual", "negation"])
def test_bindings_and_answers_are_never_looked_at(carets: Path, world: Path, config: str) -> None:
    of = rows(carets, config)
    blank = [{name: value if name in SEEN else None for name, value in row.items()} for row in of]
    assert oracle_answers(blank, "validation", world) == oracle_answers(of, "validation", world)
    bare = [{name: row[name] for name in SEEN} for row in of]
    assert oracle_answers(bare, "validation", world)["original"] == [row["original_answer"] for row in of]


def test_a_check_with_the_oracle_passes_a_true_folder(
    carets: Path, world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", str(carets), "--oracle", "--data", str(world)) == 0
    assert "both answers equal to the oracle's" in capsys.readouterr().out


def findings(text: str) -> dict[str, dict[str, Any]]:
    return {one["place"]: one for one in orjson.loads(text)["findings"] if one["name"] == "oracle"}


@pytest.mark.parametrize("side", ["original", "perturbed"])
def test_a_wrong_answer_fails_the_check_and_names_the_pair(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], side: str
) -> None:
    out = built(world, tmp_path / "o", "--config", "negation", "--config", "order")
    file = next((out / "data" / "negation").glob("validation-*.parquet"))
    table = pq.read_table(file)
    answers = table[f"{side}_answer"].to_pylist()
    answers[3] = "no" if answers[3] == "yes" else "yes"
    place = table.column_names.index(f"{side}_answer")
    pq.write_table(table.set_column(place, f"{side}_answer", pa.array(answers)), file)
    capsys.readouterr()
    assert run("check", str(out), "--oracle", "--data", str(world), "--json") == 1
    found = findings(capsys.readouterr().out)
    assert found["order"]["level"] == "ok"
    assert found["negation"]["level"] == "error"
    assert found["negation"]["numbers"]["wrong"] == 1
    assert f"pair {table['pair_id'][3]}: {table[f'{side}_question'][3].as_py()!r}" in found["negation"]["message"]


OWN = "Can you {% if are == 'is' %}make out{% else %}find{% endif %} {{a_thing}}  in it ?"
NOT_OWN = "Can you see {{ no_thing }} in it?"


@pytest.fixture(scope="module")
def reworded(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build whose object questions are all worded in ways of the user's own."""
    folder = tmp_path_factory.mktemp("mine")
    export_templates(folder, ["carets"])
    file = folder / "carets" / "object.toml"
    head = file.read_text().split("[[template]]")[0]
    entries = [
        f'[[template]]\nid = "own.{number}"\ntext = "{mark} {OWN}"\nnegated = "{mark} {NOT_OWN}"\nrelation = true\n'
        for number, mark in enumerate(("Look:", "Say,"))
    ]
    file.write_text(head + "\n".join(entries))
    return built(world, folder / "out", "--templates", str(folder), "--config", "rephrase", "--config", "negation")


def test_the_templates_of_the_build_are_read_and_not_the_packages(
    reworded: Path, world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {row["original_question"].split(" ")[0] for row in rows(reworded, "negation")}
    assert {"Look:", "Say,"} <= asked
    assert run("check", str(reworded), "--oracle", "--data", str(world)) == 0
    assert None in oracle_answers(rows(reworded, "negation"), "validation", world)["original"]


def test_the_baseline_reads_the_builds_templates_too(reworded: Path, world: Path, tmp_path: Path) -> None:
    said = str(tmp_path / "p.jsonl")
    assert run("baseline", str(reworded), "oracle", "--data", str(world), "--out", said, "--config", "negation") == 0
    assert run("score", str(reworded), said, "--config", "negation", "--bootstrap", "0") == 0


def test_a_question_that_no_template_words_has_no_answer() -> None:
    assert answer_question("Whence the cup?", {"objects": {}}, question_frames(load_templates("carets"))) is None


@pytest.mark.parametrize("args", [["--oracle"], ["--data", "world"], ["--oracle", "--data", "no/such/folder"]])
def test_the_oracle_wants_its_sources(
    carets: Path, world: Path, args: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", str(carets), *(str(world) if arg == "world" else arg for arg in args)) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("error: ")


def test_another_worlds_files_are_refused_by_the_image(
    carets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_world(tmp_path / "other", 2, pictures=False)
    assert run("check", str(carets), "--oracle", "--data", str(tmp_path / "other")) == 2
    assert "no scene graph of image" in capsys.readouterr().err


def test_a_dataset_without_an_oracle_says_so(rad_build: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", str(rad_build), "--oracle", "--data", str(data)) == 2
    assert "rad-cads has no oracle" in capsys.readouterr().err
