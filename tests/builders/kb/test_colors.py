"""Color words: when they are colors, and which colors replace them."""

import pytest

from diptych.builders.kb._colors import common_colors, count_raw_words
from diptych.kg.colors import color_graph
from diptych.pairs import Pair
from tests.builders.kb.conftest import make_facts, make_pair, read

PLAIN_COLORS = frozenset("white black gray red".split())


def first_color(question: str) -> str | None:
    """The first color that the palette of CSS has a name for."""
    names = (make_facts().other_colors.name(color.word) for color in read(question).colors)
    return next(filter(None, names), None)


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
def test_color_words(question: str, expected: str) -> None:
    assert first_color(question) == expected


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
def test_things_names_and_peoples_are_no_colors(question: str) -> None:
    assert first_color(question) is None


def test_a_shade_without_a_name_is_passed_over() -> None:
    assert first_color("Is the dark pink shirt near the red car?") == "red"


def test_common_colors_are_those_the_questions_name_often_enough() -> None:
    raw_counts = count_raw_words(["Is it grey?", "Is it gray?", "Is it gray or teal?"])
    assert common_colors(raw_counts, 3) == {"gray"}
    assert common_colors(raw_counts, 1) == {"gray", "teal"}


def test_the_nearest_of_the_other_colors_come_first() -> None:
    nearest = make_facts(frozenset()).other_colors.find("violet", "uncommon")
    assert [color.text for _, color in nearest[:2]] == ["orchid", "plum"]


def recolor(question: str, test: str, sort: str, **options: str) -> Pair:
    return make_pair(test, question, sort, facts=make_facts(PLAIN_COLORS, **options))


def test_the_palette_of_xkcd_has_names_of_its_own_and_spells_grey_its_own_way() -> None:
    pair = recolor("Is the dog gray?", "color_minimal", "uncommon", palette="xkcd")
    assert pair.extra["synset_from"] == "grey"
    assert pair.extra["synset_to"] in color_graph("xkcd").names
    assert recolor("Is the dog white?", "color_maximal", "common", palette="xkcd").extra["replacement"] == "black"


def test_no_vulgar_color_of_xkcd_is_asked_for() -> None:
    neighbors = make_facts(frozenset(), palette="xkcd").other_colors.find("brown", "uncommon")
    words = {word for _, color in neighbors for word in color.text.split()}
    assert len(words) > 300
    assert not words & {"shit", "poop", "puke", "vomit", "piss", "snot"}


def test_the_metric_of_the_paper_measures_otherwise() -> None:
    pairs = {
        metric: recolor("Is the dog white?", "color_maximal", "uncommon", metric=metric)
        for metric in ("ciede2000", "paper")
    }
    for metric, pair in pairs.items():
        distances = {color.name: distance for distance, color in color_graph("css4", metric).ordered("white")}
        distance = distances[pair.extra["synset_to"]]
        assert pair.extra["distance"] == pytest.approx(distance, abs=1e-4)
    assert pairs["paper"].extra["synset_to"] != pairs["ciede2000"].extra["synset_to"]


def test_a_sampled_color_is_one_of_the_nearest() -> None:
    sampled = make_facts(PLAIN_COLORS, is_sampled=True)
    nearest = [color.text for _, color in sampled.other_colors.find("white", "uncommon")[:5]]
    assert make_pair("color_minimal", "Is the dog white?", "uncommon", facts=sampled).extra["replacement"] in nearest
