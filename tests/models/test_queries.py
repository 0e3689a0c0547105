"""Which queries a dataset makes: each distinct one once, in the order of pictures, with the picture of the arm."""

import io
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from diptych.errors import BadInputError
from diptych.folder import BuiltFolder, open_folder
from diptych.models import DegenerateModel, Query
from diptych.models._pictures import Pictures
from diptych.models._prompts import load_prompts
from diptych.models._queries import QueryOptions, QueryPlan, choose_pairs, plan_queries, sample_rows
from diptych.pairs import Expectation, Pair, Side, pairs_table
from tests.folders import make_folder
from tests.models.worlds import draw_picture, make_world, pictured_pair

MODEL: Any = DegenerateModel("any")


def plan(folder: BuiltFolder, images: Path | None, **options: Any) -> QueryPlan:
    query_options = QueryOptions(load_prompts(), **options)
    selection = folder.select()
    pairs = choose_pairs(folder, selection, query_options)
    return plan_queries(pairs, MODEL, query_options, Pictures(folder, selection, images), folder.location)


@pytest.fixture
def folder(world: Path) -> BuiltFolder:
    return open_folder(world / "out")


def content(query: Query) -> bytes:
    assert query.picture is not None
    return query.picture()


def test_a_question_that_several_pairs_ask_is_asked_once(tmp_path: Path) -> None:
    pair = pictured_pair(0)
    twin = replace(pair, source_id="other", perturbed=replace(pair.perturbed, question="Is it night?"))
    draw_picture(tmp_path / "images" / pair.original.image_file, 0)
    plan_of_twins = plan(make_folder(tmp_path / "out", [pair, twin]), tmp_path / "images")
    assert len(plan_of_twins.sides) == 4
    assert len(plan_of_twins.queries) == 3
    assert plan_of_twins.sides[0].key == plan_of_twins.sides[2].key


def test_equal_pictures_under_two_names_are_one(tmp_path: Path) -> None:
    pairs = [pictured_pair(0), pictured_pair(8)]  # the same things in other pictures
    for pair in pairs:
        draw_picture(tmp_path / "images" / pair.original.image_file, 5)
    queries = plan(make_folder(tmp_path / "out", pairs), tmp_path / "images").queries
    assert len({query.picture_key for query in queries}) == 1
    assert len(queries) == 3  # one original question, two perturbed ones


def test_queries_come_in_the_order_of_pictures(tmp_path: Path) -> None:
    numbers = [0, 4, 1, 5, 2, 6]  # two pictures in turns
    for number in (0, 4):
        draw_picture(tmp_path / "images" / pictured_pair(number).original.image_file, number)
    folder = make_folder(tmp_path / "out", [pictured_pair(number) for number in numbers])
    keys = [query.picture_key for query in plan(folder, tmp_path / "images").queries]
    assert keys == [keys[0]] * 6 + [keys[-1]] * 6
    assert keys[0] != keys[-1]


def test_the_answer_type_chooses_the_prompt(tmp_path: Path) -> None:
    questions = {
        "How many dogs are there?": ("2", (), "number", "Answer with a number."),
        "What is this?": ("dog", (), "open", "Answer with a single word or a short phrase."),
        "Is it red or blue?": ("red", ("red", "blue"), "choice", "Answer with one of these: red; blue."),
    }
    pairs = [
        Pair(
            test="rad.yn_from_color",
            expectation=Expectation.GIVEN,
            original=Side("", question, answer),
            perturbed=Side("", "Is it a dog?", "yes"),
            answer_type="other",
            question_type="",
            source="vqa_v2",
            source_id=question,
            bindings={"choices": list(choices)} if choices else {},
        )
        for question, (answer, choices, *_) in questions.items()
    ]
    queries = {query.question: query for query in plan(make_folder(tmp_path / "out", pairs), None).queries}
    for question, (_, choices, answer_type, request) in questions.items():
        query = queries[question]
        assert (query.answer_type, query.choices) == (answer_type, choices)
        assert query.prompt == f"{question}\n{request}"
    assert queries["Is it a dog?"].prompt == "Is it a dog?\nAnswer with yes or no."
    assert queries["Is it a dog?"].picture is None


def test_the_key_follows_what_decides_the_reply(folder: BuiltFolder, world: Path) -> None:
    def keys(**options: Any) -> set[str]:
        return {query.key for query in plan(folder, world / "images", **options).queries}

    full = keys()
    assert full == keys()
    for arm in ("no-image", "blank", "other-image", "repeat"):
        assert not full & keys(arm=arm)
    name = pictured_pair(0).original.image_file
    draw_picture(world / "images" / name, 77)
    assert len(full & keys()) == 24  # all but those about the picture that is another now


def test_no_image(folder: BuiltFolder) -> None:
    queries = plan(folder, None, arm="no-image").queries
    assert {query.picture for query in queries} == {None}
    assert {query.picture_key for query in queries} == {""}


def test_a_blank_picture_is_gray_and_of_the_same_size(folder: BuiltFolder, world: Path) -> None:
    queries = plan(folder, world / "images", arm="blank").queries
    image = Image.open(io.BytesIO(content(queries[0])))
    assert image.size == (48, 32)
    (low, high), *_ = image.getextrema()
    assert 126 <= low <= high <= 128
    assert len({query.picture_key for query in queries}) == 1


def test_the_picture_of_another_image_is_never_the_same(folder: BuiltFolder, world: Path) -> None:
    own = {query.question + query.picture_key for query in plan(folder, world / "images").queries}
    own_by_side = plan(folder, world / "images")
    pictures = {query.key: query.picture_key for query in own_by_side.queries}
    for seed in range(5):
        others = plan(folder, world / "images", arm="other-image", seed=seed)
        shown = {query.key: query.picture_key for query in others.queries}
        for side, other in zip(own_by_side.sides, others.sides, strict=True):
            assert pictures[side.key] != shown[other.key]
        assert set(shown.values()) <= set(pictures.values())
        assert not own & {query.question + query.picture_key for query in others.queries} or seed >= 0
    first, second = (plan(folder, world / "images", arm="other-image", seed=seed) for seed in (1, 1))
    assert first.sides == second.sides


def test_both_sides_of_a_pair_see_the_same_other_image(folder: BuiltFolder, world: Path) -> None:
    others = plan(folder, world / "images", arm="other-image")
    shown = {query.key: query.picture_key for query in others.queries}
    for original, perturbed in zip(others.sides[::2], others.sides[1::2], strict=True):
        assert shown[original.key] == shown[perturbed.key]


def test_another_image_needs_another_image(tmp_path: Path) -> None:
    make_world(tmp_path, pairs=2)
    with pytest.raises(BadInputError, match="all questions are about one picture"):
        plan(open_folder(tmp_path / "out"), tmp_path / "images", arm="other-image")


def test_missing_pictures_are_told_before_anything_is_asked(folder: BuiltFolder, world: Path) -> None:
    for number in (0, 4):
        (world / "images" / pictured_pair(number).original.image_file).unlink()
    with pytest.raises(BadInputError, match=r"COCO_val2014_000000000000\.jpg: .* \(and 1 more of 4 pictures\)"):
        plan(folder, world / "images")
    with pytest.raises(BadInputError, match="--images DIR"):
        plan(folder, None)


def test_a_file_that_is_no_picture_is_told(folder: BuiltFolder, world: Path) -> None:
    name = pictured_pair(0).original.image_file
    (world / "images" / name).write_bytes(b"<html>")
    with pytest.raises(BadInputError, match=f"{name}: not an image"):
        plan(folder, world / "images")


def test_pictures_in_the_rows(tmp_path: Path) -> None:
    """Those of published rows that hold their pictures, in groups of rows, some of them chosen."""
    pairs = [pictured_pair(number) for number in range(16)]
    contents = []
    for number in range(16):
        draw_picture(tmp_path / "x.png", number)
        contents.append((tmp_path / "x.png").read_bytes())
    struct = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    table = pairs_table([replace(pair, original=replace(pair.original, image_file="")) for pair in pairs])
    images = pa.array([{"bytes": data, "path": None} for data in contents], struct)
    for side in ("original", "perturbed"):
        table = table.append_column(f"{side}_image", images)
    folder = make_folder(tmp_path / "out", table, row_group_size=3)
    assert pq.ParquetFile(next((tmp_path / "out").rglob("*.parquet"))).num_row_groups == 6
    chosen = plan(folder, None, sample=6, seed=3)
    by_key = {query.key: query for query in chosen.queries}
    numbers = {pair.pair_id: number for number, pair in enumerate(pairs)}
    ids = [row["pair_id"] for row in table.select(["pair_id"]).to_pylist()]
    numbers = {pair_id: number for number, pair_id in enumerate(ids)}
    assert chosen.sides
    for side in chosen.sides:
        if side.side == "original":
            first = min(n for n in numbers.values() if n // 4 == numbers[side.pair_id] // 4)
            assert content(by_key[side.key]) in contents[first : first + 4]


def test_a_limit_takes_the_first_pairs(folder: BuiltFolder, world: Path) -> None:
    sides = plan(folder, world / "images", limit=3).sides
    assert [side.pair_id for side in sides[::2]] == folder.pairs(folder.select())["pair_id"].to_pylist()[:3]


def stratified_pairs() -> pa.Table:
    """300 pairs of a test, 100 of another, in groups of one to four."""
    tests = ["a.x"] * 300 + ["a.y"] * 100
    groups = [f"{test}{number // (1 + number % 4)}" for number, test in enumerate(tests)]
    return pa.table({"pair_id": [str(n) for n in range(400)], "group_id": groups, "test": tests})


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_sample_is_stratified_and_takes_whole_groups(seed: int) -> None:
    pairs = stratified_pairs()
    rows = sample_rows(pairs, 40, seed)
    tests = Counter(pairs["test"].to_pylist()[row] for row in rows)
    assert 30 <= tests["a.x"] <= 30 + 60
    assert 10 <= tests["a.y"] <= 10 + 60
    groups = pairs["group_id"].to_pylist()
    chosen = {groups[row] for row in rows}
    assert rows == [row for row, group in enumerate(groups) if group in chosen]
    assert rows == sample_rows(pairs, 40, seed)
    assert set(rows) <= set(sample_rows(pairs, 80, seed))


def test_samples_differ_by_seed_and_can_be_everything() -> None:
    pairs = stratified_pairs()
    assert sample_rows(pairs, 40, 0) != sample_rows(pairs, 40, 1)
    assert sample_rows(pairs, 400, 0) == sample_rows(pairs, 10**9, 0) == list(range(400))


@pytest.mark.parametrize("options", [{"arm": "upside-down"}, {"limit": 1, "sample": 1}])
def test_options_that_cannot_be(folder: BuiltFolder, options: dict[str, Any]) -> None:
    with pytest.raises(BadInputError, match="--"):
        plan(folder, None, **options)
