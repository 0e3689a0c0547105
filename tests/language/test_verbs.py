import pytest
from hypothesis import given
from hypothesis import strategies as st

from diptych.language import base, gerund, participle, past, third_person

FUNCTIONS = (base, gerund, third_person, past, participle)


def test_every_form_leads_to_every_other() -> None:
    forms = ["ride", "riding", "rides", "rode", "ridden"]
    for form in forms:
        assert [function(form) for function in FUNCTIONS] == forms


def test_the_particle_stays() -> None:
    assert gerund("look down at") == "looking down at"


def test_an_auxiliary_belongs_to_the_verb_after_it() -> None:
    assert (base("is riding"), third_person("are carrying"), base("is behind")) == ("ride", "carries", "be behind")


@pytest.mark.parametrize(
    "relation", ["to the right of", "on", "with", "underneath", "in front of", "taller than", "left of"]
)
def test_a_relation_without_a_verb_stays(relation: str) -> None:
    assert {function(relation) for function in FUNCTIONS} == {relation}


def test_an_unknown_verb_follows_the_patterns() -> None:
    assert (gerund("kitesurf"), third_person("photobomb")) == ("kitesurfing", "photobombs")


@given(st.text(max_size=30))
def test_any_text_is_accepted(text: str) -> None:
    for function in FUNCTIONS:
        assert isinstance(function(text), str)
