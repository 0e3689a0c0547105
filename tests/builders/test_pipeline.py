"""The pipeline: the same bytes however it is run, and nothing made twice."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from diptych.builders import BuildOptions, Candidates, Dataset, Item, Plan, Tools
from diptych.errors import BadInputError
from diptych.folder import BuiltFolder
from diptych.pairs import Skip
from tests.builders.conftest import digest
from tests.builders.toys import (
    BRIGHT,
    COUPLES,
    DARK,
    RANKS,
    SHARD_SIZE,
    TOYS,
    ColoredThing,
    Thing,
    Toy,
    ToyColors,
    ToyCouples,
    ToyRanks,
    build_toy,
    colored_thing,
    write_things,
)

ROOT = Path(__file__).resolve().parents[2]
BUILD = """
import sys
from pathlib import Path
from tests.builders import toys
toys.build_toy(getattr(toys, sys.argv[1])(), Path(sys.argv[2]), Path(sys.argv[3]), num_proc=2)
"""


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """120 things in five shards."""
    return write_things(tmp_path_factory.mktemp("toys") / "data")


@pytest.fixture(scope="module")
def one_process_builds(things: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[type[Toy], BuiltFolder]:
    """Every toy as one process builds it."""
    return {toy: build_toy(toy(), things, tmp_path_factory.mktemp(toy.__name__)) for toy in TOYS}


def stamps(folder: Path) -> dict[str, int]:
    """When each file of a work folder was written."""
    paths = (path for path in (folder / "work").rglob("*") if path.is_file())
    return {path.relative_to(folder / "work").as_posix(): path.stat().st_mtime_ns for path in paths}


def steps(names: Any) -> set[str]:
    """The steps that some files of a work folder belong to."""
    return {name.split("/")[1].partition("-")[0] for name in names}


# The same bytes.


@pytest.mark.parametrize("toy", TOYS)
@pytest.mark.parametrize("processes", [1, 2, 3])
def test_the_same_bytes_come_from_any_number_of_processes(
    toy: type[Toy], processes: int, things: Path, one_process_builds: dict[type[Toy], BuiltFolder], tmp_path: Path
) -> None:
    folder = build_toy(toy(), things, tmp_path, num_proc=processes)
    assert digest(folder.path) == digest(one_process_builds[toy].path)


@pytest.mark.parametrize("toy", TOYS)
def test_the_same_bytes_come_with_another_hash_seed(
    toy: type[Toy], things: Path, one_process_builds: dict[type[Toy], BuiltFolder], tmp_path: Path
) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", BUILD, toy.__name__, str(things), str(tmp_path)]
    subprocess.run(command, check=True, env=environment)
    assert digest(tmp_path / "out") == digest(one_process_builds[toy].path)


@pytest.mark.parametrize("toy", TOYS)
def test_the_same_bytes_come_from_shards_of_another_size(
    toy: type[Toy], things: Path, one_process_builds: dict[type[Toy], BuiltFolder], tmp_path: Path
) -> None:
    class OtherShards(toy):  # type: ignore[misc, valid-type]
        def parts(self, options: BuildOptions) -> Any:
            return [
                replace(part, inputs={role: replace(source, shard_size=7) for role, source in part.inputs.items()})
                for part in super().parts(options)
            ]

    folder = build_toy(OtherShards(), things, tmp_path)
    assert digest(folder.path) == digest(one_process_builds[toy].path)


@pytest.mark.parametrize("toy", TOYS)
def test_the_same_bytes_come_from_a_work_folder_elsewhere(
    toy: type[Toy], things: Path, one_process_builds: dict[type[Toy], BuiltFolder], tmp_path: Path
) -> None:
    folder = build_toy(toy(), things, tmp_path, work=f"memory://{tmp_path}")
    assert digest(folder.path) == digest(one_process_builds[toy].path)
    assert not (tmp_path / "work").exists()


def test_another_seed_makes_other_pairs(
    things: Path, one_process_builds: dict[type[Toy], BuiltFolder], tmp_path: Path
) -> None:
    folder = build_toy(ToyColors(), things, tmp_path, seed=1)
    assert folder.table("bright", "train") != one_process_builds[ToyColors].table("bright", "train")


# What is kept and shared.


def test_configs_share_what_was_read(things: Path, tmp_path: Path) -> None:
    build_toy(ToyColors(), things, tmp_path)
    assert len(list((tmp_path / "work" / "toy-colors").glob("read-*"))) == 1


def test_records_are_read_once_for_all_configs(things: Path, tmp_path: Path) -> None:
    class CountingColors(ToyColors):
        runs = 0

        def records(self, *arguments: Any) -> Any:
            CountingColors.runs += 1
            return super().records(*arguments)

    build_toy(CountingColors(), things, tmp_path)
    assert CountingColors.runs == 1


@pytest.mark.parametrize("options", [{"seed": 1}, {"parameters": {"most": 3}}, {"parameters": {"mark": "!"}}], ids=str)
def test_what_was_read_survives_a_change_of_seed_and_parameters(
    options: dict[str, Any], things: Path, tmp_path: Path
) -> None:
    build_toy(ToyColors(), things, tmp_path)
    first_stamps = stamps(tmp_path)
    build_toy(ToyColors(), things, tmp_path, **options)
    second_stamps = stamps(tmp_path)
    assert {name: second_stamps[name] for name in first_stamps} == first_stamps
    assert steps(second_stamps.keys() - first_stamps.keys()) == {"plan", "make"}


def test_a_second_build_makes_nothing_again(things: Path, tmp_path: Path) -> None:
    build_toy(ToyRanks(), things, tmp_path)
    first_stamps = stamps(tmp_path)
    build_toy(ToyRanks(), things, tmp_path)
    assert stamps(tmp_path) == first_stamps


def test_other_records_are_read_again(things: Path, tmp_path: Path) -> None:
    data = write_things(tmp_path / "data", 50)
    build_toy(ToyColors(), data, tmp_path)
    first_stamps = stamps(tmp_path)
    write_things(data, 51)
    build_toy(ToyColors(), data, tmp_path)
    assert "read" in steps(stamps(tmp_path).keys() - first_stamps.keys())


def test_configs_with_equal_plans_share_a_stage(things: Path, tmp_path: Path) -> None:
    build_toy(ToyRanks(), things, tmp_path)
    assert len(list((tmp_path / "work" / "toy-ranks").glob("rank-*"))) == 1


def test_an_interrupted_build_goes_on_from_its_finished_shards(
    things: Path, one_process_builds: dict[type[Toy], BuiltFolder], tmp_path: Path
) -> None:
    class FailingColors(ToyColors):
        def read(self, record: Thing, tools: Tools) -> Any:
            if record.number == 3 * SHARD_SIZE and not (tmp_path / "go on").exists():
                raise BadInputError("line 75 cannot be read")
            return super().read(record, tools)

    with pytest.raises(BadInputError, match="line 75"):
        build_toy(FailingColors(), things, tmp_path)
    first_stamps = stamps(tmp_path)
    assert len(first_stamps) == 3
    (tmp_path / "go on").touch()
    folder = build_toy(FailingColors(), things, tmp_path)
    assert {name: stamps(tmp_path)[name] for name in first_stamps} == first_stamps
    assert digest(folder.path) == digest(one_process_builds[ToyColors].path)


# Damage.


@pytest.mark.parametrize("toy", TOYS)
@pytest.mark.parametrize("damage", ["torn", "flipped", "missing"])
def test_damage_in_any_step_is_noticed_and_mended(
    toy: type[Toy], damage: str, things: Path, one_process_builds: dict[type[Toy], BuiltFolder], tmp_path: Path
) -> None:
    config = toy.spec.configs[-1].name
    work = tmp_path / "work" / toy.spec.name
    for path in first_files(build_toy(toy(), things, tmp_path, config), work):
        content = path.read_bytes()
        damage_file(path, damage)
        remove_later_steps(path, work)
        folder = build_toy(toy(), things, tmp_path, config)
        split = next(iter(folder.splits(config)))
        assert folder.table(config, split) == one_process_builds[toy].table(config, split), path
        assert path.read_bytes() == content, path


def first_files(folder: BuiltFolder, work: Path) -> list[Path]:
    """One file of every folder that a build left."""
    files: dict[Path, Path] = {}
    for path in sorted(path for path in work.rglob("*") if path.is_file()):
        files.setdefault(path.parent, path)
    assert len(files) >= 3
    return [*files.values()]


def damage_file(path: Path, damage: str) -> None:
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(content[:-1] if damage == "torn" else bytes([content[0] ^ 1]) + content[1:])


def remove_later_steps(path: Path, work: Path) -> None:
    """Remove what was made from a file: a build that has it does not look at the file again."""
    order = ["read", "plan", "rank", "plan_rank", "make"]
    step = order.index(path.relative_to(work).parts[0].partition("-")[0])
    for folder in work.iterdir():
        if order.index(folder.name.partition("-")[0]) > step:
            shutil.rmtree(folder)


# The ledger.


@pytest.mark.parametrize("toy", TOYS)
def test_every_input_is_paired_or_skipped(toy: type[Toy], one_process_builds: dict[type[Toy], BuiltFolder]) -> None:
    for config in one_process_builds[toy].manifest.configs.values():
        for counts in (counts for ledger in config.ledger.values() for counts in ledger.values()):
            assert counts.seen == counts.paired + sum(counts.skipped.values())


@pytest.mark.parametrize("toy", TOYS)
def test_the_pairs_of_the_ledger_are_the_rows_of_the_files(
    toy: type[Toy], one_process_builds: dict[type[Toy], BuiltFolder]
) -> None:
    for config, split, entry in one_process_builds[toy].manifest.own_splits():
        ledger = one_process_builds[toy].manifest.configs[config].ledger[split]
        assert sum(counts.paired for counts in ledger.values()) == entry.rows


def test_what_read_skipped_is_in_the_ledger_of_each_config(one_process_builds: dict[type[Toy], BuiltFolder]) -> None:
    configs = one_process_builds[ToyColors].manifest.configs
    for name, test in (("bright", BRIGHT), ("dark", DARK), ("loud", BRIGHT), ("loud", DARK)):
        counts = configs[name].ledger["train"][test]
        assert counts.seen == 120
        assert set(counts.skipped) == {"a color of the other test", "the thing is odd"}


def test_problems_of_the_source_are_told_with_their_place(one_process_builds: dict[type[Toy], BuiltFolder]) -> None:
    problems = one_process_builds[ToyColors].manifest.configs["dark"].ledger["train"][DARK].problems
    assert problems["the first line has no header"].first == ("things.csv:1",)


def test_what_a_plan_skipped_is_in_the_ledger(one_process_builds: dict[type[Toy], BuiltFolder]) -> None:
    counts = one_process_builds[ToyCouples].manifest.configs["couples"].ledger["train"][COUPLES]
    pairs = sum(entry.rows for *_, entry in one_process_builds[ToyCouples].manifest.own_splits())
    assert counts.skipped["no partner"] == 120 - pairs  # two things make two pairs


def test_what_a_stage_skipped_is_in_the_ledger(one_process_builds: dict[type[Toy], BuiltFolder]) -> None:
    counts = one_process_builds[ToyRanks].manifest.configs["pairs"].ledger["train"][RANKS]
    assert counts.skipped == {"its color is the most frequent": 120 - counts.paired}


def test_rows_between_stages_are_not_paired(one_process_builds: dict[type[Toy], BuiltFolder]) -> None:
    counts = one_process_builds[ToyRanks].manifest.configs["pairs"].ledger["train"][RANKS]
    assert counts.seen == 120


def test_what_read_skipped_is_in_the_ledger_although_the_plan_gives_splits(things: Path, tmp_path: Path) -> None:
    class SkippingCouples(ToyCouples):
        def read(self, record: Thing, tools: Tools) -> Iterator[Any]:
            yield Skip("the thing is odd") if record.number % 13 == 0 else colored_thing(COUPLES, record)

    folder = build_toy(SkippingCouples(), things, tmp_path)
    ledgers = folder.manifest.configs["couples"].ledger
    assert sum(ledger[COUPLES].skipped.get("the thing is odd", 0) for ledger in ledgers.values()) == 10
    assert sum(ledger[COUPLES].seen for ledger in ledgers.values()) == 120


# Splits and plans.


def test_a_plan_gives_items_by_split(one_process_builds: dict[type[Toy], BuiltFolder]) -> None:
    folder = one_process_builds[ToyCouples]
    assert set(folder.splits("couples")) == {"train", "held_out"}
    held_out = folder.table("couples", "held_out")["original_question"].to_pylist()
    assert held_out
    assert all("the cat" in question for question in held_out)


def test_the_notes_of_a_plan_are_in_the_manifest(one_process_builds: dict[type[Toy], BuiltFolder]) -> None:
    assert one_process_builds[ToyCouples].manifest.configs["couples"].notes == {"couples": "by name"}


def test_templates_read_off_the_sources_are_in_the_recipe(things: Path, tmp_path: Path) -> None:
    class TemplatedColors(ToyColors):
        def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
            return replace(super().plan(candidates, options), templates={"colors.toml": "[[template]]\n"})

    folder = build_toy(TemplatedColors(), things, tmp_path)
    assert (folder.path / "recipe/templates/toy-colors/colors.toml").read_text() == "[[template]]\n"


def test_a_split_without_rows_is_in_the_ledger_alone(things: Path, tmp_path: Path) -> None:
    class NoHeldOut(ToyCouples):
        def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
            plan = super().plan(candidates, options)
            assert isinstance(plan.items, dict)
            return replace(plan, items={"train": plan.items["train"], "held_out": [Skip("none")]})

    folder = build_toy(NoHeldOut(), things, tmp_path)
    assert set(folder.splits("couples")) == {"train"}
    assert folder.manifest.configs["couples"].ledger["held_out"][COUPLES].skipped == {"none": 1}


def test_a_candidate_for_every_test_is_seen_by_each_config(things: Path, tmp_path: Path) -> None:
    class WideColors(ToyColors):
        def read(self, record: Thing, tools: Tools) -> Iterator[Item]:  # type: ignore[override]
            yield colored_thing("", record)

        def make(self, item: ColoredThing, facts: Any, rng: Any) -> Any:
            return super().make(replace(item, test=DARK if item.color == "black" else BRIGHT), facts, rng)

    folder = build_toy(WideColors(), things, tmp_path)
    assert {entry.rows for *_, entry in folder.manifest.own_splits()} == {120}


def test_stages_can_depend_on_the_config(things: Path, tmp_path: Path) -> None:
    class SometimesRanked(ToyRanks):
        def stages_for(self, options: BuildOptions) -> Any:
            return self.stages if options.config is not None and options.config.name == "pairs" else ()

        def make(self, item: Any, facts: Any, rng: Any) -> Any:
            return super().make(item, facts, rng) if hasattr(item, "colors") else [Skip("not ranked")]

    folder = build_toy(SometimesRanked(), things, tmp_path)
    assert folder.manifest.configs["ranks"].ledger["train"][RANKS].skipped == {"not ranked": 120}
    assert folder.manifest.configs["pairs"].splits["train"].rows == 60


def test_no_pairs_at_all_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no input produced a pair"):
        build_toy(ToyColors(), write_things(tmp_path / "data", 0), tmp_path)


def test_the_recipe_names_the_sources_and_what_was_set(things: Path, tmp_path: Path) -> None:
    folder = build_toy(ToyColors(), things, tmp_path, "loud", seed=3, parameters={"most": 4})
    recipe = folder.manifest.recipes["loud"]
    assert (recipe.seed, recipe.parameters, set(recipe.sources)) == (3, {"mark": "!", "most": 4}, {"things.csv"})


def test_a_folder_says_nothing_of_where_it_was_built(things: Path, tmp_path: Path) -> None:
    folder = build_toy(ToyColors(), things, tmp_path)
    text = json.dumps(json.loads((folder.path / "manifest.json").read_text()))
    assert str(tmp_path) not in text
    assert str(things) not in text


def test_a_dataset_without_functions_says_so() -> None:
    with pytest.raises(NotImplementedError):
        Dataset().read(None, Tools(None))
