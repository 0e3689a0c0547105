"""Examples of what the functions on words, slots and images return."""

from collections.abc import Callable
from typing import Any

import pytest

from diptych.builders.fvqa2._assignments import ImageAssignment, balance
from diptych.builders.fvqa2._drafts import plain
from diptych.builders.fvqa2._entities import (
    are_kin,
    entity_key,
    hypernyms,
    is_kind_of,
    is_place,
    is_same_thing,
    meaning,
    split_words,
    stem,
)
from diptych.builders.fvqa2._images import find_synonyms, image_numbers
from diptych.builders.fvqa2._phrases import is_adjective
from diptych.builders.fvqa2._readings import (
    SLOT,
    canonical,
    correct,
    find_span,
    is_broken,
    requested_kind,
    says_relation,
)
from diptych.builders.fvqa2._slots import fill, inflect, slot_form, with_article
from diptych.builders.fvqa2._templates import file_stem

FOR_SLOT = ("Which", "object", "is", "used", "for", SLOT)
HOLDING = ("which", "can", "be", "used", "for", "holding", "water")


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        (stem, ("holding",), "hold"),
        (stem, ("people",), "person"),
        (stem, ("knives",), "knife"),
        (split_words, ("What's in the jazz-club?",), ("What's", "in", "the", "jazz-club")),
        (entity_key, ("the Knives",), entity_key("a knife")),
        (entity_key, ("carrying people",), entity_key("carry_person")),
        (is_kind_of, ("dog", "animal"), True),
        (is_kind_of, ("airplane", "animal"), False),
        (is_same_thing, (("sofa",), ("couch",)), True),
        (is_same_thing, (("dog",), ("animal",)), True),
        (is_same_thing, (("dog",), ("cat",)), False),
        (meaning, (("sofa",),), meaning(("couch",))),
        (meaning, (("object",),), ""),
        (are_kin, (("cow",), ("cattle",)), True),
        (are_kin, (("cat",), ("person",)), False),
        (are_kin, (("baseball",), ("baseball", "bat")), False),
        (is_place, (("train", "station"),), True),
        (is_place, (("wind", "sky"),), False),
        (is_adjective, ("very expensive",), True),
        (is_adjective, ("health",), False),
        (plain, ("Which  object can fly?",), "which object can fly"),
        (
            correct,
            ("Which object in this image could has <slot>", "HasA", "a"),
            "Which object in this image could have <slot>",
        ),
        (
            correct,
            ("Which animal in this image like to <slot>", "Desires", "base"),
            "Which animal in this image likes to <slot>",
        ),
        (is_broken, ("Which object in this image is less greener than <slot>",), True),
        (find_span, ((*HOLDING[:6], "some", "water"), ("hold", "water")), (5, 8)),
        (says_relation, (FOR_SLOT, "UsedFor", "gerund"), True),
        (says_relation, (FOR_SLOT, "RelatedTo", "gerund"), False),
        (requested_kind, (("Which", "animal", "in", "this", "image", "can", SLOT),), "animal"),
        (canonical, ("What thing in the picture has <slot>",), canonical("Which object in this image has <slot>")),
        (slot_form, (HOLDING, 5, 7, "UsedFor"), "gerund"),
        (with_article, ("a animal",), "an animal"),
        (with_article, ("zoo",), "a zoo"),
        (with_article, ("the sea",), "the sea"),
        (with_article, ("France",), "France"),
        (inflect, ("drive a car", "gerund"), "driving a car"),
        (inflect, ("jazz clubs", "a"), "a jazz club"),
        (inflect, ("a farm animal", "plural"), "farm animals"),
        (fill, ("drive car", "gerund", "UsedFor"), "drive a car"),
        (fill, ("city", "gerund", "UsedFor"), None),
        (file_stem, ("UsedFor",), "used_for"),
        (file_stem, ("transnbhd",), "category"),
        (file_stem, ("fast#f",), "comparison"),
        (
            find_synonyms,
            ({("sofa",): "sofa", ("couch",): "couch", ("dog",): "dog"},),
            {("sofa",): ("couch",), ("couch",): ("sofa",)},
        ),
    ],
)
def test_examples(function: Callable[..., Any], arguments: tuple[Any, ...], expected: Any) -> None:
    assert function(*arguments) == expected


def test_hypernyms_are_what_a_thing_is() -> None:
    assert "animal.n.01" in hypernyms(("dog",))
    assert "edible_fruit.n.01" in hypernyms(("banana",))


def test_the_numbers_of_a_set_of_images_are_its_bits() -> None:
    assert list(image_numbers(0b1010)) == [1, 3]


def test_the_flexible_question_makes_room_for_the_bound_one() -> None:
    assignments = [ImageAssignment("q", 0, 0b11), ImageAssignment("r", 0, 0b01), ImageAssignment("s", 0, 0b11)]
    assert [assignment.image for assignment in balance(assignments)] == [1, 0, 0]
