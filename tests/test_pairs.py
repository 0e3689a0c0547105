"""Pairs as rows: ids that stay, schemas that hold, randomness that belongs to a row."""

from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diptych.pairs import (
    CORE_COLUMNS,
    CORE_SCHEMA,
    Expectation,
    Pair,
    Side,
    content_hash,
    pair_schema,
    pairs_table,
    row_rng,
)

PAIR = Pair(
    test="rad.yn_from_color",
    expectation=Expectation.GIVEN,
    original=Side("1", "What color is the cat?", "white", ("white",) * 9 + ("gray",)),
    perturbed=Side("1", "Is the color of the cat white?", "yes"),
    answer_type="other",
    question_type="what color is the",
    source="vqa_v2",
    source_id="1000",
    template_id="color.of",
    template_hash="abc",
    bindings={"value": "white", "subject": "the cat"},
)


def test_a_row_has_the_core_columns_in_order() -> None:
    assert tuple(PAIR.row()) == CORE_COLUMNS
    assert pairs_table([PAIR]).schema == CORE_SCHEMA


def test_an_id_is_known_for_good() -> None:
    assert PAIR.pair_id == "479337bbe4fecf9902993bd2"


@pytest.mark.parametrize(
    "other",
    [
        replace(PAIR, test="rad.yn_from_colors"),
        replace(PAIR, source_id="1001"),
        replace(PAIR, perturbed=replace(PAIR.perturbed, answer="no")),
        replace(PAIR, original=replace(PAIR.original, question="What color is the dog?")),
        replace(PAIR, perturbed=replace(PAIR.perturbed, image_id="2")),
    ],
)
def test_a_pair_that_says_something_else_has_another_id(other: Pair) -> None:
    assert other.pair_id != PAIR.pair_id


def test_pairs_of_one_original_side_are_a_group() -> None:
    other = replace(PAIR, test="rad.yn_from_colors", perturbed=replace(PAIR.perturbed, question="Is the cat white?"))
    assert other.group_id == PAIR.group_id


def test_pairs_of_another_original_side_are_another_group() -> None:
    other = replace(PAIR, original=replace(PAIR.original, image_id="2"))
    assert other.group_id != PAIR.group_id


def test_a_group_can_be_named() -> None:
    other = replace(PAIR, original=replace(PAIR.original, image_id="2"), group="set 7")
    assert other.group_id == replace(PAIR, group="set 7").group_id != PAIR.group_id


def test_a_row_leads_to_its_picture() -> None:
    pair = replace(PAIR, original=replace(PAIR.original, image_file="COCO_val2014_000000000001.jpg"))
    row = pair.row()
    assert (row["original_image_file"], row["perturbed_image_file"]) == ("COCO_val2014_000000000001.jpg", "")


def test_the_file_of_an_image_is_not_in_the_id() -> None:
    assert replace(PAIR, original=replace(PAIR.original, image_file="1.jpg")).pair_id == PAIR.pair_id


def test_how_a_pair_was_made_is_not_in_its_id() -> None:
    assert replace(PAIR, template_hash="xyz", bindings={}).pair_id == PAIR.pair_id


def test_bindings_are_json_with_sorted_keys() -> None:
    assert PAIR.row()["bindings"] == '{"subject":"the cat","value":"white"}'


def test_a_test_may_add_columns_of_its_own() -> None:
    table = pairs_table([replace(PAIR, extra={"rank": 3})], pair_schema({"rank": pa.int32()}))
    assert table["rank"].to_pylist() == [3]


def test_a_value_of_the_wrong_type_is_an_error() -> None:
    with pytest.raises(pa.ArrowInvalid):
        pairs_table([replace(PAIR, extra={"rank": "third"})], pair_schema({"rank": pa.int32()}))


@given(st.permutations(range(6)), st.integers(1, 5))
def test_the_content_hash_does_not_see_order_or_files(order: list[int], cut: int) -> None:
    pairs = [replace(PAIR, source_id=str(number)) for number in range(6)]
    whole = pairs_table(pairs)
    shuffled = pairs_table([pairs[index] for index in order])
    assert content_hash([shuffled.slice(0, cut), shuffled.slice(cut)]) == content_hash([whole])


def test_the_content_hash_sees_one_changed_answer() -> None:
    changed = replace(PAIR, perturbed=replace(PAIR.perturbed, answer="no"))
    assert content_hash([pairs_table([PAIR])]) != content_hash([pairs_table([changed])])


def test_the_content_hash_counts_rows() -> None:
    assert content_hash([pairs_table([PAIR])]) != content_hash([pairs_table([PAIR, PAIR])])


def test_draws_belong_to_seed_test_and_row() -> None:
    draws = {row_rng(seed, test, row).random() for seed in (0, 1) for test in ("a.b", "a.c") for row in ("1", "2")}
    assert len(draws) == 8
    assert round(row_rng(0, "a.b", "1").random(), 6) == 0.641833
