"""Labels by a checker that shares nothing with the builder: raw JSON, WordNet and the published words alone."""

from pathlib import Path
from typing import Any

import pytest

from diptych import build
from diptych.demo import make_world
from diptych.sources import find_file
from tests.builders.carets.checker import check_rows, published_rows, read_graphs, relation

TEXT_TESTS = ("rephrase", "ontological", "order", "negation", "antonym")


def graph(*things: tuple[str, list[str]]) -> dict[str, Any]:
    objects = {str(key): {"name": name, "attributes": words} for key, (name, words) in enumerate(things)}
    return {"1": {"objects": objects}}


def conflicts(question: str, answer: str, *things: tuple[str, list[str]], type_: str = "object") -> list[str]:
    row = {"original_image_id": "1", "question_type": type_}
    row |= {
        f"{side}_{part}": value
        for side in ("original", "perturbed")
        for part, value in (("question", question), ("answer", answer))
    }
    return [conflict.reason for conflict in check_rows([row], graph(*things))][::2]


@pytest.mark.parametrize(
    ("asked", "annotated", "reason"),
    [
        ("man", "surfer", "person and role"),
        ("woman", "skier", "person and role"),
        ("man", "woman", ""),
        ("snowboard", "snowboarder", "role and its object"),
        ("bicycle", "cyclist", "role and its object"),
        ("surfboard", "surfer", "role and its object"),
        ("container", "bowl", "present"),
        ("poodle", "dog", "a kind of what is annotated"),
        ("roof", "house", "part and whole"),
        ("table", "tablecloth", "compound"),
        ("cat", "dog", ""),
        ("people", "man", "present"),
    ],
)
def test_the_checker_sees_what_speaks_for_a_thing(asked: str, annotated: str, reason: str) -> None:
    assert relation(asked, annotated) == reason


@pytest.mark.parametrize(
    ("question", "answer", "things", "type_"),
    [
        ("Is there a man in this image?", "no", [("surfer", [])], "object"),
        ("Is there no man?", "yes", [("surfer", [])], "object"),
        ("Is there a red cup?", "no", [("cup", []), ("hat", ["red"])], "object"),
        ("Do you see a cat on the table?", "no", [("cat", []), ("table", [])], "object"),
        ("Is there a dog?", "yes", [("sky", [])], "object"),
        ("Do you see either a man or a car?", "no", [("surfer", [])], "disjunction"),
        ("Do you see no man and no car?", "yes", [("surfer", [])], "disjunction"),
        ("Do you see both a man and a hat?", "no", [("surfer", []), ("hat", [])], "conjunction"),
        ("Is the cup red?", "yes", [("cup", ["blue"])], "attribute"),
        ("Is the animal a cat or a dog?", "cat", [("dog", [])], "kind"),
    ],
)
def test_a_false_label_is_a_conflict(question: str, answer: str, things: Any, type_: str) -> None:
    assert conflicts(question, answer, *things, type_=type_)


@pytest.mark.parametrize(
    ("question", "answer", "things", "type_"),
    [
        ("Is there a man in this image?", "no", [("woman", [])], "object"),
        ("Is there a red cup?", "no", [("cup", ["blue"])], "object"),
        ("Is there an animal?", "yes", [("dog", [])], "object"),
        ("Do you see both a man and a car?", "no", [("surfer", [])], "conjunction"),
        ("Do you see either no man or no car?", "yes", [("surfer", [])], "conjunction"),
        ("Is the cup red?", "yes", [("cup", ["red"])], "attribute"),
        ("Is the animal a cat or a dog?", "dog", [("dog", [])], "kind"),
    ],
)
def test_a_true_label_is_none(question: str, answer: str, things: Any, type_: str) -> None:
    assert not conflicts(question, answer, *things, type_=type_)


def test_the_labels_of_a_world_are_without_conflicts(tmp_path: Path) -> None:
    make_world(tmp_path / "data", 120, pictures=False)
    folder = build("carets", tmp_path / "data", tmp_path / "out", configs=TEXT_TESTS, parameters={"pairs": 600})
    file = find_file(tmp_path / "data", "gqa", "val_sceneGraphs.json")
    assert file is not None
    rows = list(published_rows(folder.path))
    assert len(rows) > 1000
    assert list(check_rows(rows, read_graphs(file.path))) == []


@pytest.mark.slow
@pytest.mark.real_data
def test_the_labels_of_real_graphs_are_without_conflicts(real_data: Path, tmp_path: Path) -> None:
    folder = build("carets", real_data, tmp_path / "out", configs=TEXT_TESTS, parameters={"pairs": 60_000}, num_proc=2)
    file = find_file(real_data, "gqa", "val_sceneGraphs.json")
    assert file is not None
    rows = list(published_rows(folder.path))
    assert len(rows) > 30_000
    assert list(check_rows(rows, read_graphs(file.path))) == []
