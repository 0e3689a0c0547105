"""English and sense: the templates, rewordings, repeated words, and what nobody can see."""

import re
from collections import Counter
from pathlib import Path

import orjson

from diptych import build
from diptych.builders.carets._graphs import GraphFacts, read_graph
from diptych.builders.carets._questions import narrower_names, narrower_phrase
from diptych.demo import make_world
from diptych.scenegraphs import Phrase, SceneGraph, SceneObject
from diptych.templates import load_templates

FACTIVE = re.compile(r"\b(?:see|clear|show|tell|notice|obvious|aware|know) that\b")
IMAGE = re.compile(r"\b(?:this|the) (?:image|picture|photo)\b")


def test_there_are_as_many_templates_of_each_type_as_in_the_paper() -> None:
    counts = Counter(template.test.partition(".")[2] for template in load_templates("carets"))
    assert counts == {
        "object": 54,
        "conjunction": 18,
        "disjunction": 18,
        "attribute": 25,
        "kind": 25,
        "choice": 39,
        "action": 28,
    }


def test_no_frame_takes_its_clause_for_granted() -> None:
    texts = [(template.id, template.source(name)) for template in load_templates("carets") for name in template.texts]
    assert [name for name, text in texts if FACTIVE.search(text)] == []


def test_a_rewording_changes_more_than_the_word_for_the_image(tmp_path: Path) -> None:
    make_world(tmp_path / "data", 60, pictures=False)
    folder = build("carets", tmp_path / "data", tmp_path / "out", configs=("rephrase",), parameters={"pairs": 400})
    table = folder.table("rephrase", "validation")
    questions = zip(table["original_question"].to_pylist(), table["perturbed_question"].to_pylist(), strict=True)
    assert table.num_rows > 100
    assert [pair for pair in questions if IMAGE.sub("", pair[0].lower()) == IMAGE.sub("", pair[1].lower())] == []


def facts(*things: SceneObject) -> GraphFacts:
    (found,) = read_graph(SceneGraph("1", 100, 100, things))
    assert isinstance(found, GraphFacts)
    return found


def test_an_attribute_that_the_name_says_is_neither_repeated_nor_asked_for() -> None:
    bear = SceneObject("1", "brown bear", (0, 0, 9, 9), ("brown", "large"))
    found = facts(bear)
    assert orjson.loads(found.phrases)[0][2] == [["brown bear", "large", "", ""]]
    assert {group for _, group, *_ in orjson.loads(found.attributes)} == {"size"}
    orange = facts(SceneObject("1", "orange", (0, 0, 9, 9), ("orange",)))
    assert orjson.loads(orange.attributes) == []


def test_a_kind_is_narrowed_to_nothing_that_repeats_its_attribute() -> None:
    field = SceneGraph("1", 100, 100, (SceneObject("1", "car", (0, 0, 9, 9)),))
    names = {narrower_phrase(Phrase("bear", "brown"), field, seed, "test") for seed in range(40)}
    assert Phrase("brown bear", "brown") not in names
    assert len(names) > 1


def test_nobody_is_narrowed_to_what_cannot_be_seen() -> None:
    assert not {"mother", "father", "son", "customer", "owner"} & {*narrower_names("woman"), *narrower_names("person")}
    assert {"lady"} <= set(narrower_names("woman"))
