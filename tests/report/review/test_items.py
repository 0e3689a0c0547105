"""What people judge: each pair once, with what it rests on; all of them, or a sample by test."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from diptych.builders import dataset_names, get_dataset
from diptych.errors import BadInputError
from diptych.folder import BuiltFolder
from diptych.pairs import pairs_table
from diptych.report.review import ReviewItem, choose_items, has_whole_groups, sample_items, sample_rows, select_items
from tests.commands import run
from tests.folders import make_folder, some_pairs

PAIRS = [replace(pair, test=f"toy.{number % 3}") for number, pair in enumerate(some_pairs(30))]
ITEMS = choose_items(pairs_table(PAIRS).to_pylist())


def test_equal_pairs_of_several_folds_are_one_item() -> None:
    folds = [replace(pair, source_id=f"{pair.source_id}-{fold}") for fold in range(3) for pair in some_pairs(4)]
    items = choose_items(pairs_table(folds).to_pylist())
    assert [len(item.pair_ids) for item in items] == [3] * 4


def test_pairs_of_two_tests_are_two_items() -> None:
    pairs = [replace(pair, test=test) for test in ("toy.a", "toy.b") for pair in some_pairs(1)]
    assert len(choose_items(pairs_table(pairs).to_pylist())) == 2


def test_the_items_of_a_test_and_group_are_together() -> None:
    assert [item.test for item in ITEMS] == sorted(item.test for item in ITEMS)


# What pairs rest on.


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        (("template_id",), "color.of"),
        (("bindings.value", "bindings.subject"), "red — the cat"),
        (("bindings.fact",), "a bird — CapableOf — fly"),
    ],
)
def test_what_a_pair_rests_on_is_in_the_columns_that_the_spec_names(columns: tuple[str, ...], text: str) -> None:
    (pair,) = some_pairs(1)
    pair = replace(pair, bindings={**pair.bindings, "fact": ["a bird", "CapableOf", "fly"]})
    (item,) = choose_items(pairs_table([pair]).to_pylist(), {"cause": columns})
    assert item.causes == {"cause": text}


def test_a_pair_without_a_template_rests_on_none() -> None:
    pairs = [replace(pair, template_id="") for pair in some_pairs(1)]
    assert choose_items(pairs_table(pairs).to_pylist(), {"template": ("template_id",)})[0].causes == {}


@pytest.mark.parametrize("name", sorted(dataset_names()))
def test_a_spec_names_columns_that_its_rows_have(name: str) -> None:
    spec = get_dataset(name).spec
    columns = {column for of_cause in spec.review_causes.values() for column in of_cause}
    names = set(spec.schema(next(config for config in spec.configs if config.tests)).names)
    assert {column for column in columns if not column.startswith("bindings.")} <= names


# Samples.


def test_a_sample_has_so_many_items_of_every_test() -> None:
    assert Counter(item.test for item in sample_items(ITEMS, 4)) == {"toy.0": 4, "toy.1": 4, "toy.2": 4}


def test_a_sample_is_the_same_in_any_order() -> None:
    assert sample_items(ITEMS, 4, seed=3) == sample_items(ITEMS[::-1], 4, seed=3)


def test_another_seed_draws_another_sample() -> None:
    assert sample_items(ITEMS, 4, seed=3) != sample_items(ITEMS, 4, seed=4)


def test_a_larger_sample_holds_the_smaller_one() -> None:
    ids = [{item.item_id for item in sample_items(ITEMS, size)} for size in (2, 5)]
    assert ids[0] < ids[1]


def test_a_sample_of_more_than_there_are_is_all() -> None:
    assert sample_items(ITEMS, 100) == ITEMS


def test_groups_are_drawn_whole() -> None:
    items = [ReviewItem(f"{n:02}", (f"p{n}",), {"test": "toy.a", "group_id": f"g{n // 4}"}) for n in range(40)]
    groups = Counter(item.group for item in sample_items(items, 10, groups=True))
    assert groups.total() == 12
    assert set(groups.values()) == {4}


def test_groups_matter_where_scores_are_over_them(folder: BuiltFolder, tmp_path: Path) -> None:
    assert has_whole_groups(folder)
    family = folder.manifest.model_copy(update={"score_family": "kb"})
    assert not has_whole_groups(replace(folder, manifest=family))


def test_a_sample_is_a_file_that_an_export_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built, sample = make_folder(tmp_path / "out", PAIRS), tmp_path / "sample.jsonl"
    assert run("review", "sample", built.path, "--to", sample, "--per-test", 3) == 0
    assert "toy.0: 3 of 10 items" in capsys.readouterr().out
    assert len(sample.read_text().splitlines()) == 9
    assert run("review", "export", built.path, "--to", tmp_path / "pages", "--only", sample) == 0
    task = json.loads((tmp_path / "pages" / "task.json").read_text())
    assert task["items"] == 9
    chosen = select_items(choose_items(built.pairs(built.select()).to_pylist()), sample)
    assert [row["pair_id"] for row in sample_rows(chosen)] == [
        json.loads(line)["pair_id"] for line in sample.read_text().splitlines()
    ]


@pytest.mark.parametrize(("text", "message"), [('{"pair_id": "x"}', "pair x is not in"), ("", "lists no pair")])
def test_a_file_of_other_pairs_is_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(text)
    with pytest.raises(BadInputError, match=message):
        select_items(ITEMS, tmp_path / "s.jsonl")
