"""What templates say when they are filled, and the hashes that name them."""

import pickle
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest

from diptych.errors import BadTemplateError, UnknownNameError
from diptych.templates import Template, TemplateSet, load_templates
from diptych.templates.sandbox import RefusedError, program


def said(text: str, **bindings: object) -> str:
    return Template("t", "a.b", text).render(**bindings)


@pytest.mark.parametrize(
    ("text", "bindings", "question"),
    [
        ("is there {{ x | a }}?", {"x": "umbrella"}, "Is there an umbrella?"),
        ("is there {{ x | an }}?", {"x": "uniform"}, "Is there a uniform?"),
        ("{{ be(x) }} there {{ x | any }}?", {"x": "people"}, "Are there any people?"),
        ("{{ does(x) }} {{ x | plural }} {{ v | base }}?", {"x": "dogs", "v": "running"}, "Do dogs run?"),
        ("is {{ x | singular }} {{ v | gerund }}?", {"x": "dogs", "v": "run"}, "Is dog running?"),
        ("is it {{ x | either }}?", {"x": ["red", "blue", "green"]}, "Is it red, blue or green?"),
        ("is it {{ x | a | either }}?", {"x": ["dog", "owl"]}, "Is it a dog or an owl?"),
        ("{{ be(x) }} {{ x | both }} here?", {"x": ["a dog", "a cat"]}, "Are a dog and a cat here?"),
        ("is it {{ x | either }}?", {"x": ["red"]}, "Is it red?"),
        ("is it {{ x[1] }}, not {{ x[0] }}?", {"x": ["red", "blue"]}, "Is it blue, not red?"),
        ("{% for i in x %}{{ i }}{{ '?' if loop.last else ',' }} {% endfor %}", {"x": ["a", "b"]}, "A, b?"),
        ("{% if x is plural %}are{% else %}is{% endif %} {{ x }} in?", {"x": "cats"}, "Are cats in?"),
        ("{% if x is mass %}much{% endif %} {{ x | cap }}?", {"x": "water"}, "Much Water?"),
        ("is {{ [x, y] | either }}\n   here  ?", {"x": "he", "y": "she"}, "Is he or she here?"),
        ("{{ v | third_person }} {{ v | past }} {{ v | participle }}?", {"v": "ride"}, "Rides rode ridden?"),
        ("is <b> {{ x }} & co?", {"x": "'<i>'"}, "Is <b> '<i>' & co?"),
        ("is it {{ n }}?", {"n": 3}, "Is it 3?"),
    ],
)
def test_grammar_is_there_under_readable_names(text: str, bindings: dict[str, object], question: str) -> None:
    assert said(text, **bindings) == question


def test_a_missing_slot_is_named_with_the_place_of_the_template() -> None:
    template = load_templates("rad-cads")["color.of"]
    with pytest.raises(BadTemplateError, match=r"yn_from_color.toml:8: template 'color.of': no value for slot 'value'"):
        template.render(subject="the cat")


@pytest.mark.parametrize("value", [None, ["red"], True, b"red"])
def test_a_value_that_is_no_text_is_never_written_into_a_question(value: object) -> None:
    with pytest.raises(BadTemplateError, match="a question cannot say"):
        said("is it {{ x }}?", x=value)


def test_a_binding_cannot_hide_a_function() -> None:
    assert said("{{ be(x) }} it?", x="dog", be="nonsense") == "Is it?"


def test_slots_a_text_does_not_use_are_passed_over() -> None:
    assert Template("t", "a.b", "is it?").render(x=1) == "Is it?"


def test_a_very_long_question_is_refused() -> None:
    with pytest.raises(BadTemplateError, match="5,006 characters long"):
        said("is {{ x }}it?", x="a" * 5_000)


def test_a_text_is_compiled_once() -> None:
    assert program("is it {{ x }}?") is program("is it {{ x }}?")


def test_the_sandbox_also_stands_behind_a_template_made_by_hand() -> None:
    with pytest.raises(BadTemplateError, match="not allowed"):
        said("{{ x.__class__ }}?", x="a")
    with pytest.raises(RefusedError, match="not allowed"):
        program("{{ 'a' * 9 }}")


def test_an_unknown_field_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown text of template 't' 'negate'; did you mean 'negated'"):
        Template("t", "a.b", "x?", {"negated": "y?"}, ("text", "negated")).render("negate")


def test_a_second_text_is_rendered_by_its_name() -> None:
    template = Template("t", "a.b", "is it?", {"negated": "is it not {{ x }}?"}, ("text", "negated"))
    assert template.render("negated", x="red") == "Is it not red?"
    assert template.render() == "Is it?"


def test_the_hash_is_the_same_everywhere() -> None:
    assert Template("color_of", "rad.yn_from_color", "Is it {{ x }}?").hash == "8b25650b2df9b41f"


def test_the_hash_does_not_know_file_line_slots_or_weight() -> None:
    one = Template("t", "a.b", "is it?", file=Path("a.toml"), line=3)
    assert replace(one, file=Path("b.toml"), line=9, slots={"x": (1,)}, fields={"weight": 2}).hash == one.hash


@pytest.mark.parametrize("change", [{"id": "u"}, {"text": "is it so?"}, {"fields": {"negated": "n?"}}])
def test_the_hash_changes_with_the_id_and_every_text(change: dict[str, object]) -> None:
    one = Template("t", "a.b", "is it?", {"negated": "isn't it?"}, ("text", "negated"))
    assert replace(one, **change).hash != one.hash  # type: ignore[arg-type]


def test_the_hash_of_a_set_knows_order_and_weights() -> None:
    one, two = Template("t", "a.b", "is it?"), Template("u", "a.b", "is it?")
    hashes = {
        TemplateSet("d", templates).hash
        for templates in ((one, two), (two, one), (one,), (replace(one, fields={"weight": 2}), two))
    }
    assert len(hashes) == 4


def test_a_template_is_frozen_and_can_go_to_another_process() -> None:
    templates = load_templates("rad-cads")
    with pytest.raises(FrozenInstanceError):
        templates["color.of"].text = "x"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(templates))["color.of"].example() == "Is the color of the cat white?"


def test_a_set_finds_templates_by_id_and_test() -> None:
    templates = load_templates("rad-cads")
    assert [template.id for template in templates.for_test("rad.yn_from_color")] == [
        "color.of",
        "color.wearing",
        "color.painted",
    ]
    with pytest.raises(UnknownNameError, match=r"did you mean 'color\.of'"):
        templates["colour_of"]
    with pytest.raises(UnknownNameError, match=r"did you mean 'rad.yn_from_color'"):
        templates.for_test("rad.yn_from_colour")
