"""Color words: when they are colors, and which colors replace them."""

import pytest

from diptych.builders.kb._colors import color_words
from diptych.kg.colors import color_graph
from diptych.pairs import Pair, Skip
from tests.builders.kb.conftest import make_facts, make_pair, outcome, read, reworded


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
        ("Is the traffic light red?", "red"),
        ("What are the light green spiky fruits?", "lightgreen"),
        ("How many bags are lime green?", "limegreen"),
        ("Is the dark pink shirt near the red car?", "xkcd:dark pink"),
        ("Is that a fluorescent red shirt?", "red"),
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
        "Is the man white?",
        "Is this a regularly sized orange?",
        "Is the glass filled with red or white wine?",
        "What does the red traffic light mean?",
        "Is this a white couple?",
        "Does the green light mean go?",
        "Is that a white house?",
        "What is written on the black board?",
        "Is that brown rice?",
    ],
)
def test_things_names_and_peoples_are_no_colors(question: str) -> None:
    assert first_color(question) is None


def test_a_color_phrase_is_replaced_as_a_whole() -> None:
    assert recolor("Is the light green car parked?", "color_maximal", "common").perturbed.question == (
        "Is the dark blue car parked?"
    )
    assert recolor("Is that a faded red shirt?", "color_maximal", "common").extra["replaced"] == "faded red"


def test_the_nearest_of_the_other_colors_come_first() -> None:
    nearest = make_facts().other_colors.find("violet", "uncommon")
    assert [color.text for _, color in nearest[:2]] == ["orchid", "hot pink"]


@pytest.mark.parametrize(("color", "near"), [("brown", "dark red"), ("green", "light green"), ("gray", "silver")])
def test_common_colors_are_everyday_words_where_people_see_them(color: str, near: str) -> None:
    assert make_facts().other_colors.find(color, "common")[0][1].text == near


def test_a_minimal_color_is_near_or_there_is_none() -> None:
    question = "Is the orange car parked?"
    assert reworded("color_minimal", question, "common") == "no color of this sort is near enough"
    far = make_pair("color_minimal", question, "common", facts=make_facts(near_limit=25.0))
    assert far.extra["replacement"] == "red"
    for color in color_words("all"):
        for sort in ("common", "uncommon"):
            result = outcome("color_minimal", f"Is the car {color}?", sort)
            assert isinstance(result, Skip) or result.extra["distance"] <= 20


def test_no_color_sounds_like_a_thing() -> None:
    names = {color.text for sort in ("common", "uncommon") for _, color in make_facts().other_colors.find("red", sort)}
    assert len(names) > 100
    assert not names & {"snow", "peru", "white smoke", "tomato"}


def recolor(question: str, test: str, sort: str, **options: str) -> Pair:
    return make_pair(test, question, sort, facts=make_facts(**options))


def test_the_palette_of_xkcd_has_names_of_its_own_and_spells_grey_its_own_way() -> None:
    pair = recolor("Is the dog gray?", "color_minimal", "uncommon", palette="xkcd")
    assert pair.extra["synset_from"] == "grey"
    assert pair.extra["synset_to"] in color_graph("xkcd").names
    assert recolor("Is the dog white?", "color_maximal", "common", palette="xkcd").extra["replacement"] == "black"


def test_no_vulgar_color_of_xkcd_is_asked_for() -> None:
    neighbors = make_facts(palette="xkcd").other_colors.find("brown", "uncommon")
    words = {word for _, color in neighbors for word in color.text.split()}
    assert len(words) > 300
    assert not words & {"shit", "poop", "puke", "vomit", "piss", "snot"}


def test_the_metric_of_the_paper_measures_otherwise() -> None:
    pairs = {
        metric: recolor("Is the dog green?", "color_maximal", "uncommon", metric=metric)
        for metric in ("ciede2000", "paper")
    }
    for metric, pair in pairs.items():
        distances = {color.name: distance for distance, color in color_graph("css4", metric).ordered("green")}
        distance = distances[pair.extra["synset_to"]]
        assert pair.extra["distance"] == pytest.approx(distance, abs=1e-4)
    assert pairs["paper"].extra["synset_to"] != pairs["ciede2000"].extra["synset_to"]


def test_a_sampled_color_is_one_of_the_nearest() -> None:
    sampled = make_facts(is_sampled=True)
    nearest = [color.text for _, color in sampled.other_colors.find("white", "uncommon")[:5]]
    assert make_pair("color_minimal", "Is the dog white?", "uncommon", facts=sampled).extra["replacement"] in nearest
