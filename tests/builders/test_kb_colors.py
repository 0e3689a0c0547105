"""Colour words: when they are colours, and which colours replace them."""

import pytest

from diptych.builders.kb.color import color_target, common_colors
from diptych.builders.kb.recolor import others
from diptych.builders.kb.tests import KbMaker
from diptych.builders.kb.world import KbWorld
from diptych.kg.color_graph import color_graph
from diptych.language import QuestionParser
from diptych.pairs import Pair, Skip
from tests.builders.conftest import vqa_row


def color(question: str) -> str | None:
    target = color_target(QuestionParser()(question), "css4")
    return target.word if target else None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is the cat black?", "black"),
        ("Where is the pink flamingo?", "pink"),
        ("Is the orange car parked?", "orange"),
        ("Is the car silver?", "silver"),
        ("What is the light blue thing?", "lightblue"),
        ("How many people wear green?", "green"),
        ("Is the sky blue?", "blue"),
        ("Is the car sky blue?", "skyblue"),
    ],
)
def test_colours(question: str, expected: str) -> None:
    assert color(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "Is there orange juice in the glass?",
        "Are there green beans on the plate?",
        "Is this Mr. Brown?",
        "Is there a rose in the vase?",
        "Is the orange ripe?",
        "Is the photo in black and white?",
        "Is the black man smiling?",
        "Is he drinking red wine?",
        "Is she red-haired?",
    ],
)
def test_things_names_and_peoples_are_no_colours(question: str) -> None:
    assert color(question) is None


def test_common_colours_are_those_the_questions_name_often_enough() -> None:
    questions = ["Is it grey?", "Is it gray?", "Is it gray or teal?"]
    assert common_colors(questions, 3) == {"gray"}
    assert common_colors(questions, 1) == {"gray", "teal"}


def recolored(question: str, test: str, colors: str, **parameters: str) -> Pair:
    maker = KbMaker(KbWorld(QuestionParser(), common=frozenset({"white", "black", "gray", "red"}), **parameters))
    read = maker.read(vqa_row(question, "yes"))
    assert not isinstance(read, Skip)
    made = maker.make(read, f"kb.{test}", colors)
    assert isinstance(made, Pair)
    return made


def test_the_palette_of_xkcd_has_other_names_and_spells_grey_its_own_way() -> None:
    made = recolored("Is the dog gray?", "color_minimal", "uncommon", palette="xkcd")
    assert made.extra["synset_from"] == "grey"
    assert made.extra["synset_to"] in color_graph("xkcd").names
    assert recolored("Is the dog white?", "color_maximal", "common", palette="xkcd").extra["replacement"] == "black"


def test_no_vulgar_colour_of_xkcd_is_asked_for() -> None:
    world = KbWorld(QuestionParser(), palette="xkcd")
    said = {word for _, color in others("brown", "uncommon", world, set()) for word in color.text.split()}
    assert len(said) > 300
    assert not said & {"shit", "poop", "puke", "vomit", "piss", "snot"}


def test_the_metric_of_the_paper_measures_otherwise() -> None:
    usual, papers = (
        recolored("Is the dog white?", "color_maximal", "uncommon", metric=metric) for metric in ("ciede2000", "paper")
    )
    for made, metric in ((usual, "ciede2000"), (papers, "paper")):
        assert made.extra["distance"] == pytest.approx(
            color_graph("css4", metric).distance("white", made.extra["synset_to"]), abs=1e-4
        )
    assert papers.extra["synset_to"] != usual.extra["synset_to"]


def test_a_sampled_colour_is_one_of_the_nearest() -> None:
    world = KbWorld(QuestionParser(), choose="sampled")
    nearest = [color.text for _, color in others("white", "uncommon", world, set())[:5]]
    made = recolored("Is the dog white?", "color_minimal", "uncommon", choose="sampled")
    assert made.extra["replacement"] in nearest
