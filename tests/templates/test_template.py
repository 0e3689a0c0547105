"""Rendered templates, and the hashes of templates."""

import pickle
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest

from diptych.errors import BadTemplateError, UnknownNameError
from diptych.templates import Template, TemplateSet, load_templates
from diptych.templates._sandbox import RefusedError, compile_text


def render(text: str, **bindings: object) -> str:
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
def test_filters_functions_and_tests(text: str, bindings: dict[str, object], question: str) -> None:
    assert render(text, **bindings) == question


def test_a_missing_slot_is_named_with_the_location_of_the_template() -> None:
    template = load_templates("rad-cads")["color.of"]
    with pytest.raises(
        BadTemplateError, match=r"yn_from_color.toml:14: template 'color.of': no value for slot 'value'"
    ):
        template.render(subject="the cat")


@pytest.mark.parametrize("value", [None, ["red"], True, b"red"])
def test_only_strings_and_numbers_are_printed_in_a_question(value: object) -> None:
    with pytest.raises(BadTemplateError, match="cannot be printed in a question"):
        render("is it {{ x }}?", x=value)


def test_a_binding_cannot_hide_a_function() -> None:
    assert render("{{ be(x) }} it?", x="dog", be="nonsense") == "Is it?"


def test_slots_that_a_text_does_not_use_are_ignored() -> None:
    assert Template("t", "a.b", "is it?").render(x=1) == "Is it?"


def test_a_very_long_question_is_refused() -> None:
    with pytest.raises(BadTemplateError, match="5,006 characters long"):
        render("is {{ x }}it?", x="a" * 5_000)


def test_a_text_is_compiled_once() -> None:
    assert compile_text("is it {{ x }}?") is compile_text("is it {{ x }}?")


def test_the_sandbox_also_guards_a_template_made_in_code() -> None:
    with pytest.raises(BadTemplateError, match="not allowed"):
        render("{{ x.__class__ }}?", x="a")
    with pytest.raises(RefusedError, match="not allowed"):
        compile_text("{{ 'a' * 9 }}")


def test_an_unknown_field_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown text of template 't' 'negate'; did you mean 'negated'"):
        Template("t", "a.b", "x?", {"negated": "y?"}, ("text", "negated")).render("negate")


def test_a_second_text_is_rendered_by_its_name() -> None:
    template = Template("t", "a.b", "is it?", {"negated": "is it not {{ x }}?"}, ("text", "negated"))
    assert template.render("negated", x="red") == "Is it not red?"
    assert template.render() == "Is it?"


def test_the_hash_is_the_same_everywhere() -> None:
    assert Template("color_of", "rad.yn_from_color", "Is it {{ x }}?").hash == "8b25650b2df9b41f"


def test_the_hash_ignores_file_line_slots_and_weight() -> None:
    template = Template("t", "a.b", "is it?", file=Path("a.toml"), line=3)
    changes = {"file": Path("b.toml"), "line": 9, "slots": {"x": (1,)}, "fields": {"weight": 2}}
    assert replace(template, **changes).hash == template.hash  # type: ignore[arg-type]


@pytest.mark.parametrize("change", [{"id": "u"}, {"text": "is it so?"}, {"fields": {"negated": "n?"}}])
def test_the_hash_changes_with_the_id_and_every_text(change: dict[str, object]) -> None:
    template = Template("t", "a.b", "is it?", {"negated": "isn't it?"}, ("text", "negated"))
    assert replace(template, **change).hash != template.hash  # type: ignore[arg-type]


def test_the_hash_of_a_set_includes_order_and_weights() -> None:
    t, u = Template("t", "a.b", "is it?"), Template("u", "a.b", "is it?")
    sets = ((t, u), (u, t), (t,), (replace(t, fields={"weight": 2}), u))
    assert len({TemplateSet("d", templates).hash for templates in sets}) == 4


def test_a_template_is_frozen_and_can_go_to_another_process() -> None:
    templates = load_templates("rad-cads")
    with pytest.raises(FrozenInstanceError):
        templates["color.of"].text = "x"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(templates))["color.of"].example() == "Is the color of the cat white?"


def test_a_set_finds_templates_by_id_and_test() -> None:
    templates = load_templates("rad-cads")
    ids = [template.id for template in templates.for_test("rad.yn_from_color")]
    assert ids == ["color.of", "color.wearing", "color.painted", "color.object", "color.thing"]
    with pytest.raises(UnknownNameError, match=r"did you mean 'color\.of'"):
        templates["colour_of"]
    with pytest.raises(UnknownNameError, match=r"did you mean 'rad.yn_from_color'"):
        templates.for_test("rad.yn_from_colour")
