import pytest

from diptych.scenegraphs import Phrase, SceneGraph, SceneObject, referent, truth


def graph(*things: SceneObject) -> SceneGraph:
    return SceneGraph("1", 100, 100, things)


def a(name: str, *attributes: str, key: str = "", relations: tuple[tuple[str, str], ...] = ()) -> SceneObject:
    return SceneObject(key or name, name, (0, 0, 9, 9), attributes, relations)


@pytest.mark.parametrize(
    ("phrase", "things", "answer"),
    [
        (Phrase("cat"), [a("cat")], True),
        (Phrase("animal"), [a("kitten")], True),
        (Phrase("dog"), [a("cat")], False),
        (Phrase("kitten"), [a("cat")], None),
        (Phrase("guy"), [a("man")], None),
        (Phrase("cat"), [a("cats")], True),
        (Phrase("cats"), [a("cat")], None),
        (Phrase("tire"), [a("car")], None),
        (Phrase("man"), [a("shirt")], None),
        (Phrase("cat"), [a("gizmo of unknown kind")], None),
        (Phrase("cup", "red"), [a("cup", "red")], True),
        (Phrase("cup", "red"), [a("cup", "blue")], False),
        (Phrase("cup", "red"), [a("cup")], None),
        (Phrase("cup", "red"), [a("cup", "blue", "white")], None),
        (Phrase("shirt", "tan"), [a("shirt", "beige")], None),
        (Phrase("cup", "red"), [a("cup", "blue"), a("mug")], None),
        (Phrase("cup", "", "on", "table"), [a("cup", relations=(("on", "table"),)), a("table")], True),
        (Phrase("cup", "", "on", "table"), [a("cup", relations=(("sitting on", "table"),)), a("table")], True),
        (Phrase("cup", "", "on", "table"), [a("cup"), a("table")], None),
        (Phrase("cup", "", "on", "table"), [a("cup"), a("dog")], False),
    ],
)
def test_a_phrase_is_true_false_or_open(phrase: Phrase, things: list[SceneObject], answer: bool | None) -> None:
    assert truth(phrase, graph(*things)) is answer


def test_the_cup_is_the_only_one_that_can_be_meant() -> None:
    cup = a("cup", "red")
    assert referent(Phrase("cup"), graph(cup, a("dog"))) is cup
    assert referent(Phrase("cup"), graph(cup, a("mug"))) is None
    assert referent(Phrase("cup", "red"), graph(cup, a("cup", "blue", key="2"))) is cup
    assert referent(Phrase("cup", "red"), graph(cup, a("cup", key="2"))) is None


UNCERTAIN = SceneObject("u", "mouse", (0, 0, 9, 9), sense="mouse.n.01")


@pytest.mark.parametrize(
    ("phrase", "answer"),
    [
        (Phrase("mouse"), None),
        (Phrase("animal"), None),
        (Phrase("tail"), None),
        (Phrase("computer"), None),
        (Phrase("car"), False),
        (Phrase("cat"), True),
    ],
)
def test_an_uncertain_object_makes_nothing_true_and_nothing_false_that_it_could_be(
    phrase: Phrase, answer: bool | None
) -> None:
    things = (a("cat"),) if phrase.name == "cat" else (a("hat"),)
    assert truth(phrase, SceneGraph("1", 100, 100, things, uncertain_objects=(UNCERTAIN,))) is answer


def test_an_uncertain_object_may_be_the_one_that_is_meant() -> None:
    mouse = a("mouse")
    assert referent(Phrase("mouse"), graph(mouse)) is mouse
    assert referent(Phrase("mouse"), SceneGraph("1", 100, 100, (mouse,), uncertain_objects=(UNCERTAIN,))) is None


def test_a_thing_without_a_name_could_be_anything() -> None:
    nameless = SceneGraph("1", 100, 100, (a("hat"),), uncertain_objects=(SceneObject("u", "", (0, 0, 0, 0)),))
    assert truth(Phrase("car"), nameless) is None
    assert truth(Phrase("hat"), nameless) is True
