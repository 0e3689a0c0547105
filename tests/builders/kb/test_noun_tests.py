"""Nouns by the reviewed tables: what stands in for them, and where they are left alone, with the reason."""

import pytest

from diptych.builders.kb._noun_guards import (
    ASKED_FOR,
    BARE,
    COUNTED_BY,
    GIVES_COLOR,
    IN_ANSWER,
    IN_QUESTION,
    LISTED,
    MISSPELLED,
    MODIFIES,
    NAMED,
    OTHER_GENDER,
    OTHER_NUMBER,
    OTHER_PREPOSITION,
    OTHER_USE,
    PEOPLE_OR_ANIMALS,
    REPEATED,
    SEVERAL_SENSES,
    UNCLEAR_NUMBER,
)
from diptych.builders.kb._phrases import parse_with_names
from tests.builders.kb.conftest import PAPER, TOOLS, make_pair, read, reworded


@pytest.mark.parametrize(
    ("test", "question", "expected"),
    [
        ("hypernym_noun", "What is the boat made of?", "What is the vessel made of?"),
        ("hypernym_noun", "Is the bus moving?", "Is the vehicle moving?"),
        ("hypernym_noun", "How many men are there?", "How many people are there?"),
        ("hypernym_noun", "What color is the fire hydrant?", "What color is the hydrant?"),
        ("hypernym_noun", "Where is the teddy bear?", "Where is the toy?"),
        ("hypernym_noun", "What kind of dog is this?", "What kind of animal is this?"),
        ("hypernym_noun", "Is this a train station?", "Is this a station?"),
        ("hyponym_noun", "Is the dog asleep?", "Is the puppy asleep?"),
        ("hyponym_noun", "How many people can you see?", "How many adults can you see?"),
        ("sibling_noun", "Where is the cat?", "Where is the dog?"),
        ("sibling_noun", "How many people are in the picture?", "How many animals are in the picture?"),
        ("sibling_noun", "What is in the vase?", "What is in the basket?"),
    ],
)
def test_a_noun_is_replaced_by_what_people_would_say(test: str, question: str, expected: str) -> None:
    assert reworded(test, question) == expected


@pytest.mark.parametrize(
    ("test", "question", "expected"),
    [
        ("hypernym_noun", "Is the man wearing a helmet?", "Is the man wearing headgear?"),
        ("hypernym_noun", "Is she wearing boots?", "Is she wearing shoes?"),
        ("hypernym_noun", "Is that coffee?", "Is that a drink?"),
        ("hypernym_noun", "Are there any bananas?", "Are there any fruits?"),
        ("hypernym_noun", "How many sofas are there?", "How many seats are there?"),
        ("hypernym_noun", "What color are his pants?", "What color are his clothes?"),
        ("hypernym_noun", "Is the table clean?", "Is the furniture clean?"),
        ("hypernym_noun", "How many tables are there?", "How many pieces of furniture are there?"),
        ("sibling_noun", "Is there an apple?", "Is there an orange?"),
        ("sibling_noun", "Is he playing tennis?", "Is he playing golf?"),
        ("sibling_noun", "Are the sheep white?", "Are the cows white?"),
        ("sibling_noun", "Is a sheep there?", "Is a cow there?"),
    ],
)
def test_articles_and_number_stay_right(test: str, question: str, expected: str) -> None:
    assert reworded(test, question) == expected


GUARDED = [
    ("hypernym_noun", "Is this a dog house?", "the tables have no hypernym for its nouns"),  # one name
    ("hypernym_noun", "What is the train number?", MODIFIES),
    ("hypernym_noun", "Is this cheese stuffed crust?", MODIFIES),
    ("hypernym_noun", "Is this a children's game?", MODIFIES),
    ("sibling_noun", "Is this a soft ball?", NAMED),
    ("hypernym_noun", "How many slices of pizza are there?", COUNTED_BY),
    ("hypernym_noun", "Is this a cat or a dog?", LISTED),
    ("sibling_noun", "Is he in bed?", BARE),
    ("hypernym_noun", "What are the mans?", MISSPELLED),
    ("hypernym_noun", "Can you see the bat?", SEVERAL_SENSES),
    ("sibling_noun", "Is he behind the plate in baseball?", SEVERAL_SENSES),
    ("hypernym_noun", "How many giraffe are there?", UNCLEAR_NUMBER),
    ("hypernym_noun", "Is the dog the other dog?", REPEATED),
    ("hyponym_noun", "What room is this?", ASKED_FOR),
    ("hyponym_noun", "What kind of bird is this?", ASKED_FOR),
    ("hypernym_noun", "Is the dog an animal?", IN_QUESTION),
    ("hyponym_noun", "Is there any fruit?", OTHER_NUMBER),
    ("sibling_noun", "Is the man wearing his coat?", OTHER_GENDER),
    ("sibling_noun", "Is the man combing his hair?", OTHER_GENDER),
    ("sibling_noun", "What is in the chair?", OTHER_PREPOSITION),
    ("sibling_noun", "Is the dog barking?", OTHER_USE),
    ("sibling_noun", "How many people are wearing it?", PEOPLE_OR_ANIMALS),
]


@pytest.mark.parametrize(("test", "question", "reason"), GUARDED)
def test_every_guard_says_why(test: str, question: str, reason: str) -> None:
    assert reworded(test, question) == reason


def test_a_stand_in_gives_nothing_away() -> None:
    assert reworded("sibling_noun", "What is in the vase?", answer="basket") == IN_ANSWER
    assert reworded("hyponym_noun", "What color is the bear?") == "What color is the bear cub?"
    assert reworded("sibling_noun", "What color is the apple?") != "What color is the orange?"
    assert reworded("hyponym_noun", "What color is the ball?") == GIVES_COLOR


@pytest.mark.parametrize(
    ("question", "expected"),
    [("Is the mouse beside the keyboard?", "mouse.n.04"), ("Is the cat chasing a mouse with its tail?", "mouse.n.01")],
)
def test_a_cue_decides_the_sense(question: str, expected: str) -> None:
    assert next(noun.sense for noun in read(question).nouns if noun.word == "mouse") == expected


def test_the_hand_of_a_clock_is_no_hand() -> None:
    assert "small hand" in reworded("hyponym_noun", "Where is the small hand of the clock?")


@pytest.mark.parametrize(
    "name",
    "fire hydrant, stop sign, teddy bear, hot dog, trash can, cell phone, parking meter, traffic light".split(", "),
)
@pytest.mark.parametrize("question", ["Is the {} red?", "What is behind the {}?", "Can you see a {}?"])
def test_a_name_is_one_noun_before_it_is_tagged(name: str, question: str) -> None:
    assert TOOLS.parser is not None
    token = next(token for token in parse_with_names(question.format(name), TOOLS.parser) if token.text == name)
    assert token.tag == "NN"
    for test in ("hypernym_noun", "hyponym_noun", "sibling_noun"):
        first, last = name.split()
        perturbed = reworded(test, question.format(name)).replace(name, "")
        assert f"{first} " not in perturbed, perturbed
        assert test == "hypernym_noun" or f" {last}" not in perturbed, perturbed


def test_a_bus_stops_where_it_is_no_bus_stop() -> None:
    assert TOOLS.parser is not None
    texts = [token.text for token in parse_with_names("Where does the bus stop?", TOOLS.parser)]
    assert texts == ["Where", "does", "the", "bus", "stop", "?"]


def test_a_yes_is_kept_only_where_both_wordnet_and_the_ontology_say_so() -> None:
    assert make_pair("hypernym_noun", "Is there a dog?").expectation == "same"
    assert make_pair("hypernym_noun", "Is there a toilet?").expectation == "open"  # the ontology has no fixtures
    assert make_pair("hypernym_noun", "Is there a bus?").expectation == "open"  # WordNet's buses are no vehicles
    assert make_pair("hypernym_noun", "Is there a dog?", facts=PAPER).expectation == "open"  # nor canines


def test_the_distance_is_wordnets_and_the_path_says_where_the_relation_comes_from() -> None:
    dog, bus = (make_pair("hypernym_noun", f"Is the {noun} clean?").extra for noun in ("dog", "bus"))
    assert (dog["distance"], dog["path"]) == (2, "wordnet")
    assert (bus["distance"], bus["path"]) == (3, "table")
