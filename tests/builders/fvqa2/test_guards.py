"""fvqa2's guards: facts that hold of most things, kinds that are none, and prepositions as people use them."""

import pytest

from diptych.builders.fvqa2._drafts import FIX_A, FIX_Q, answer_text
from diptych.builders.fvqa2._entities import entity_key, is_same_thing
from diptych.builders.fvqa2._guards import (
    TOO_GENERAL,
    agrees_with_kind,
    is_general,
    is_new_answer,
    is_true_kind,
    with_preposition,
)
from diptych.builders.fvqa2._knowledge import Triple
from diptych.builders.fvqa2._readings import read_question
from diptych.builders.fvqa2._slots import with_lost_article
from tests.builders.fvqa2.small_world import fold_pairs, pairs_only, question


@pytest.mark.parametrize(
    ("relation", "entity", "kind", "expected"),
    [
        ("HasProperty", "very beautiful", "", True),
        ("HasProperty", "yellow", "", False),
        ("HasA", "eyes", "", True),
        ("HasA", "stripes", "", False),
        ("CapableOf", "cost a lot of money", "", True),
        ("CapableOf", "be dangerous", "", True),
        ("CapableOf", "lay eggs", "", False),
        ("AtLocation", "a kitchen", "", True),
        ("AtLocation", "a kitchen", "appliance", False),
        ("AtLocation", "a zoo", "", False),
        ("big#f", "ant", "", True),
        ("big#f", "horse", "", False),
        ("good#f", "horse", "", True),
    ],
)
def test_what_holds_for_most_things_is_general(relation: str, entity: str, kind: str, expected: bool) -> None:
    assert is_general(relation, entity_key(entity), kind) is expected


@pytest.mark.parametrize(
    ("relation", "name", "kind", "expected"),
    [
        ("IsA", "horse", "a policeman", False),
        ("IsA", "horse", "a large mammal", True),
        ("IsA", "keyboard", "a way to enter information", False),
        ("IsA", "banana", "a bunch", False),
        ("transnbhd", "pizza", "Asian cuisine", False),
        ("transnbhd", "pizza", "Fast food", True),
        ("transnbhd", "desk", "Furniture", True),
        ("transnbhd", "sunglasses", "Eye", False),
        ("UsedFor", "bowl", "eat soup", True),
    ],
)
def test_a_kind_must_be_one_of_the_things(relation: str, name: str, kind: str, expected: bool) -> None:
    assert is_true_kind(relation, name, kind) is expected


def test_what_is_asked_for_can_be_of_the_kind() -> None:
    assert agrees_with_kind("ball", "a round object")
    assert not agrees_with_kind("ball", "a fast moving sport")


@pytest.mark.parametrize(
    ("relation", "name", "entity", "kind", "expected"),
    [
        ("CapableOf", "vehicle", "carry people", "vehicle", False),
        ("AtLocation", "mammal", "zoo", "", False),
        ("AtLocation", "person", "street corner", "", False),
        ("CapableOf", "person", "reply to a letter", "", True),
        ("AtLocation", "giraffe", "zoo", "", True),
    ],
)
def test_kinds_and_people_are_no_new_answers(relation: str, name: str, entity: str, kind: str, expected: bool) -> None:
    assert is_new_answer(relation, entity_key(name), name, entity_key(entity), kind) is expected


@pytest.mark.parametrize(
    ("place", "preposition"),
    [("street corner", "on"), ("concert", "at"), ("end of a line", "at"), ("zoo", "in"), ("forest", "in")],
)
def test_a_place_takes_the_preposition_that_people_use(place: str, preposition: str) -> None:
    assert with_preposition("Which object is found in <slot>", place) == f"Which object is found {preposition} <slot>"


def test_at_stays_where_people_say_either() -> None:
    assert with_preposition("Which object is found at <slot>", "zoo").endswith("at <slot>")
    assert with_preposition("Which object is found at <slot>", "forest").endswith("in <slot>")


def test_answers_have_no_articles() -> None:
    assert answer_text("a airplane.") == "airplane"
    assert answer_text("a") == "a"


def test_racket_and_racquet_are_one_thing() -> None:
    assert is_same_thing(("racket",), ("racquet",))


def test_lost_articles_of_annotators_are_put_back() -> None:
    assert with_lost_article("playing game", "gerund") == "playing a game"
    assert with_lost_article("playing music", "gerund") == "playing music"
    assert with_lost_article("sitting at table", "gerund") == "sitting at a table"


def test_a_general_question_makes_no_fix_q_pair_and_the_ledger_says_so() -> None:
    kitchen = question("Which object is found in a kitchen?", "fork", "fork", "AtLocation", "kitchen")
    triples = [Triple(thing, "AtLocation", "kitchen") for thing in ("fork", "plate")]
    things = {"a.jpg": {"fork"}, "b.jpg": {"plate"}}
    assert fold_pairs([kitchen], things, triples, FIX_Q) == [TOO_GENERAL.of(FIX_Q)]


def test_a_place_is_said_with_its_own_preposition_and_article() -> None:
    sky = question("Which object is found in the sky?", "kite", "kite", "AtLocation", "the sky")
    triples = [Triple("kite", "AtLocation", place, 10.0) for place in ("the sky", "a street corner", "a toy store")]
    pairs = pairs_only(fold_pairs([sky], {"a.jpg": {"kite"}}, triples, FIX_A))
    assert {pair.perturbed.question for pair in pairs} == {
        "Which object is found on a street corner?",
        "Which object is found in a toy store?",
    }


def test_vague_facts_need_another_that_ties_the_two_things() -> None:
    music = question("Which object is related to music?", "violin", "violin", "RelatedTo", "music")
    triples = [Triple("violin", "RelatedTo", entity, 10.0) for entity in ("music", "orchestra", "corona")]
    triples += [Triple("violin", "AtLocation", "orchestra", 10.0)]
    pairs = pairs_only(fold_pairs([music], {"a.jpg": {"violin"}}, triples, FIX_A))
    assert [pair.perturbed.question for pair in pairs] == ["Which object is related to an orchestra?"]


def test_who_does_not_ask_for_an_animal() -> None:
    asked = question("Who is a carnivore in this image?", "bear", "bear", "IsA", "carnivore")
    assert "good English" in str(getattr(read_question(asked), "reason", ""))
