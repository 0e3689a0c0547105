"""fvqa2's English: slips that are mended, articles that are put back, and what is never said."""

import pytest

from diptych.builders.fvqa2._drafts import worded_question
from diptych.builders.fvqa2._readings import BROKEN, correct, is_broken, read_question
from diptych.builders.fvqa2._records import read_candidate
from diptych.builders.fvqa2._slots import fill, inflect
from tests.builders.fvqa2.small_world import question, templates_of


@pytest.mark.parametrize(
    ("skeleton", "relation", "form", "good"),
    [
        ("What shown here can <slot>", "CapableOf", "base", "What object shown here can <slot>"),
        ("Which animal in this image like to <slot>", "Desires", "base", "Which animal in this image likes to <slot>"),
        ("Which objects in this image has <slot>", "HasA", "plural", "Which objects in this image have <slot>"),
        ("Which object in this image is can <slot>", "CapableOf", "base", "Which object in this image can <slot>"),
        (
            "What is it in this image is related to <slot>",
            "RelatedTo",
            "a",
            "What is it in this image that is related to <slot>",
        ),
        (
            "What in this image has the property of <slot>",
            "HasProperty",
            "bare",
            "What in this image has the property of being <slot>",
        ),
        (
            "Which object in this image belongs to <slot>",
            "transnbhd",
            "singular",
            "Which object in this image belongs to the category <slot>",
        ),
        (
            "Which object in this image do people use for <slot>",
            "UsedFor",
            "gerund",
            "Which object in this image do people use for <slot>",
        ),
    ],
)
def test_slips_are_mended(skeleton: str, relation: str, form: str, good: str) -> None:
    assert correct(skeleton, relation, form) == good
    assert correct(good, relation, form) == good


@pytest.mark.parametrize(
    "skeleton", ["Which object is less greener than <slot>", "What which you can see here is <slot>"]
)
def test_a_slip_that_no_rule_mends_is_refused(skeleton: str) -> None:
    assert is_broken(skeleton)


def test_a_question_with_such_a_slip_makes_no_template() -> None:
    given = question("Which fruit is less greener than an apple?", "lemon", "lemon", "green#r", "apple")
    assert read_question(given) == BROKEN


def test_both_sides_ask_the_corrected_question_and_the_template_repeats_it() -> None:
    mammal = question("Which animal shown in this image is mammal?", "dog", "dog", "IsA", "mammal")
    candidate = read_candidate(mammal)
    (template,) = templates_of([candidate]).values()
    assert candidate.reading is not None
    assert worded_question(mammal, candidate.reading.corrected) == "Which animal shown in this image is a mammal?"
    assert template.render(entity="animal") == "Which animal shown in this image is an animal?"


def test_a_question_in_good_english_stays_as_it_is() -> None:
    candidate = read_candidate(question("Which object, here, can fly?", "bird", "bird", "CapableOf", "fly"))
    assert candidate.reading is not None
    assert worded_question(candidate.question, candidate.reading.corrected) == "Which object, here, can fly?"


@pytest.mark.parametrize(
    ("entity", "form", "relation", "said"),
    [
        ("gather acorn", "gerund", "CapableOf", "gathering acorns"),
        ("cross bay", "base", "UsedFor", "cross a bay"),
        ("live to be very old", "base", "CapableOf", "live to be very old"),
        ("goat", "a", "RelatedTo", "a goat"),
    ],
)
def test_what_the_graph_leaves_out_is_put_back(entity: str, form: str, relation: str, said: str) -> None:
    filled = fill(entity, form, relation)
    assert filled is not None
    assert inflect(filled, form) == said


def test_places_keep_or_get_the_article_that_people_say() -> None:
    zoo = question("Which object can be found in a zoo?", "dog", "dog", "AtLocation", "a zoo")
    (template,) = templates_of([read_candidate(zoo)]).values()
    said = [template.render(entity=fill(place, "a", "AtLocation")) for place in ("the brush", "park", "box")]
    assert [text.removeprefix("Which object can be found in ") for text in said] == [
        "the brush?",
        "the park?",
        "a box?",
    ]


def test_names_are_written_with_a_capital() -> None:
    assert fill("a traditional american sport", "a", "IsA", is_stemmed=False) == "traditional American sport"


@pytest.mark.parametrize(
    ("entity", "form", "relation"),
    [
        ("any ocean", "a", "AtLocation"),
        ("potassium", "a", "HasA"),
        ("musical", "a", "RelatedTo"),
        ("install or removing screws", "base", "UsedFor"),
        ("animals humans keep as pet", "a", "IsA"),
        ("america favorite pastime", "a", "IsA"),
        ("domesticate plant", "singular", "IsA"),
        ("list by country", "bare", "transnbhd"),
        ("woodworking", "plural", "transnbhd"),
        ("more peanuts", "a", "Desires"),
        ("input/output", "bare", "transnbhd"),
    ],
)
def test_what_would_not_be_good_english_is_not_said(entity: str, form: str, relation: str) -> None:
    assert fill(entity, form, relation) is None
