from collections import Counter

import pytest

from diptych.demo import ask_questions, make_scene
from diptych.demo._questions import QUESTION_TYPES, question_type
from diptych.demo._records import scene_graph
from tests.demo.checker import Graph, answer

SCENES = [make_scene(5, number) for number in range(600)]
QUESTIONS = [(scene, question) for scene in SCENES for question in ask_questions(scene, 5)]


def test_every_answer_is_the_one_that_the_scene_graph_gives() -> None:
    graphs = {scene.number: scene_graph(scene) for scene in SCENES}
    for scene, question in QUESTIONS:
        hour = max((item.hour for item in scene.items), default=0)
        truth = answer(question.text, Graph(graphs[scene.number], hour))
        assert truth == question.answer, f"scene {scene.number}: {question.text} {question.answer!r}, not {truth!r}"


def test_the_checker_refuses_a_wrong_answer() -> None:
    graph = Graph({"location": "park", "weather": "sunny", "objects": {}})
    assert answer("Is there a dog?", graph) == "no"
    with pytest.raises(AssertionError, match="there is no dog"):
        answer("What color is the dog?", graph)


def test_a_mistaken_annotator_says_something_else() -> None:
    assert all(question.mistake != question.answer for _, question in QUESTIONS)


def test_questions_come_in_the_mix_of_vqa() -> None:
    kinds = Counter(question.answer_type for _, question in QUESTIONS)
    share = {kind: count / len(QUESTIONS) for kind, count in kinds.items()}
    assert share == pytest.approx({"yes/no": 0.40, "number": 0.12, "other": 0.48}, abs=0.03)
    types = Counter(question_type(question.text) for _, question in QUESTIONS)
    assert types["what color is the"] >= 0.06 * len(QUESTIONS)
    assert types["how many"] >= 0.06 * len(QUESTIONS)
    assert types["what kind of"] >= 0.01 * len(QUESTIONS)


def test_yes_and_no_are_about_as_frequent() -> None:
    answers = Counter(question.answer for _, question in QUESTIONS if question.answer_type == "yes/no")
    assert answers["yes"] / answers.total() == pytest.approx(0.5, abs=0.06)


def test_a_scene_has_five_to_eight_different_questions() -> None:
    for scene in SCENES[:100]:
        texts = [question.text for question in ask_questions(scene, 5)]
        assert len(texts) == len(set(texts))
        assert 5 <= len(texts) <= 8


def test_there_are_65_official_types() -> None:
    assert len(QUESTION_TYPES) == 65


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("How many people are in the picture?", "how many people are in"),
        ("What is the man holding?", "what is the man"),
        ("Which animal is on the left?", "which"),
        ("Who is wearing a hat?", "who is"),
        ("Will it rain?", "none of the above"),
    ],
)
def test_the_longest_type_wins(text: str, kind: str) -> None:
    assert question_type(text) == kind


def test_the_types_are_those_of_the_official_list(real_data) -> None:  # type: ignore[no-untyped-def]
    official = (real_data / "vqa" / "mscoco_question_types.txt").read_text(encoding="utf-8").split("\n")
    assert {name.strip() for name in official if name.strip()} == QUESTION_TYPES
