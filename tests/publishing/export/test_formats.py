"""Formats that are files of one kind: Croissant, the Hub's benchmarks, VQA; and what holds for all formats."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from diptych.errors import BadInputError, UnknownNameError
from diptych.folder import BuiltFolder
from diptych.metrics import score_predictions
from diptych.publishing.export import FORMATS, export_folder


@pytest.fixture
def croissant(folder: BuiltFolder, tmp_path: Path) -> dict[str, Any]:
    export_folder(folder, "croissant", tmp_path, repo="org/rad-cads")
    content: dict[str, Any] = json.loads((tmp_path / "croissant.json").read_text(encoding="utf-8"))
    return content


def test_croissant_names_every_file_with_its_hash(croissant: dict[str, Any]) -> None:
    (file,) = croissant["distribution"]
    assert file["contentUrl"].startswith("https://huggingface.co/datasets/org/rad-cads/resolve/v1.0.0/data/")
    assert len(file["sha256"]) == 64


def test_croissant_names_every_column_with_its_file(croissant: dict[str, Any]) -> None:
    (file,), (records,) = croissant["distribution"], croissant["recordSet"]
    fields = {field["name"]: field for field in records["field"]}
    assert fields["perturbed_answers"]["isArray"]
    assert fields["pair_id"]["source"] == {"fileObject": {"@id": file["@id"]}, "extract": {"column": "pair_id"}}


def test_eval_yaml_has_what_the_hub_asks_for(folder: BuiltFolder, tmp_path: Path) -> None:
    export_folder(folder, "eval-yaml", tmp_path)
    content = yaml.safe_load((tmp_path / "eval.yaml").read_text(encoding="utf-8"))
    assert set(content) == {"name", "description", "evaluation_framework", "tasks"}
    (task,) = content["tasks"]
    assert task["field_spec"]["target"] == "perturbed_answer"


def test_eval_yaml_reads_yes_and_no_from_an_answer(folder: BuiltFolder, tmp_path: Path) -> None:
    export_folder(folder, "eval-yaml", tmp_path)
    (task,) = yaml.safe_load((tmp_path / "eval.yaml").read_text(encoding="utf-8"))["tasks"]
    assert task["scorers"][0]["name"] == "pattern"


def test_vqa_goes_into_the_folder_that_was_named(folder: BuiltFolder, tmp_path: Path) -> None:
    paths = export_folder(folder, "vqa", tmp_path)
    assert {path.parent for path in paths} == {tmp_path / "yn_from_color"}
    assert len(json.loads(paths[0].read_text())["questions"]) == 384


def test_vqa_has_the_names_that_the_authors_gave(folder: BuiltFolder, tmp_path: Path) -> None:
    names = [path.name for path in export_folder(folder, "vqa", tmp_path)]
    assert names[:2] == ["yes-no_from_colors_val_questions.json", "yes-no_from_colors_val_annotations.json"]


def test_results_on_the_exported_questions_are_scored(folder: BuiltFolder, tmp_path: Path) -> None:
    *_, path = export_folder(folder, "vqa", tmp_path)
    questions = json.loads(path.read_text())["questions"]
    assert [question["question"] for question in questions[:2]] == [
        "What color is the cat?",
        "Is the color of the cat red?",
    ]
    assert len(questions) == 2 * 384
    results = tmp_path / "results.json"
    results.write_text(
        json.dumps([{"question_id": question["question_id"], "answer": "yes"} for question in questions])
    )
    scores = score_predictions(folder, results, bootstrap=0).scores
    assert (scores["accuracy_original"].value, scores["accuracy_perturbed"].value) == (0.0, 0.5)


@pytest.mark.parametrize("name", FORMATS)
def test_an_export_is_the_same_every_time(name: str, folder: BuiltFolder, tmp_path: Path) -> None:
    contents = []
    for out in (tmp_path / "first", tmp_path / "second"):
        export_folder(folder, name, out)
        contents.append({path.relative_to(out): path.read_bytes() for path in out.rglob("*.*") if path.is_file()})
    assert contents[0] == contents[1] != {}


def test_an_unknown_format_lists_the_known_ones(folder: BuiltFolder, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'lm-eval'"):
        export_folder(folder, "lmeval", tmp_path)


def test_a_place_that_cannot_be_written_is_one_line(folder: BuiltFolder, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="cannot be written"):
        export_folder(folder, "vqa", tmp_path / "file" / "out")
