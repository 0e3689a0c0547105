"""Slices: the same bytes from any number of them, in any order and at once, and clear words about what is missing."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import fsspec
import pytest

from diptych.builders import BuildOptions, Slice, SliceResult, UnfinishedBuildError, build_into, build_slice
from diptych.builders._work import WorkFolder
from diptych.errors import BadInputError
from tests.builders.conftest import digest
from tests.builders.toys import TOYS, Toy, ToyColors, ToyCouples, ToyRanks, build_toy, write_things

MOST_ROUNDS = 8


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """120 things in five shards."""
    return write_things(tmp_path_factory.mktemp("slices") / "data")


@pytest.fixture(scope="module")
def whole_builds(things: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[type[Toy], str]:
    """The bytes of every toy as one process builds it."""
    return {toy: digest(build_toy(toy(), things, tmp_path_factory.mktemp(toy.__name__)).path) for toy in TOYS}


def make_slice(toy: type[Toy], data: Path, work: str, text: str) -> SliceResult:
    return build_slice(toy(), BuildOptions(data, work=work), Slice.parse(text))


def finish(toy: type[Toy], data: Path, work: str, out: Path) -> str:
    build_into(out, toy(), BuildOptions(data, work=work, finish=True), "")
    return digest(out)


def steps(work: Path) -> set[str]:
    """The steps of which something is there."""
    return {path.relative_to(work).parts[1].partition("-")[0] for path in work.rglob("*.arrow")}


@pytest.mark.parametrize("toy", TOYS)
@pytest.mark.parametrize("order", [(1,), (1, 2, 3), (3, 1, 2), (7, 6, 5, 4, 3, 2, 1)])
def test_the_same_bytes_come_from_any_slices_in_any_order(
    toy: type[Toy], order: tuple[int, ...], things: Path, whole_builds: dict[type[Toy], str], tmp_path: Path
) -> None:
    for _ in range(MOST_ROUNDS):
        results = [make_slice(toy, things, str(tmp_path / "work"), f"{number}/{len(order)}") for number in order]
        if not results[-1].missing:
            break
    assert finish(toy, things, str(tmp_path / "work"), tmp_path / "out") == whole_builds[toy]


@pytest.mark.parametrize("toy", TOYS)
def test_slices_may_run_at_the_same_time(
    toy: type[Toy], things: Path, whole_builds: dict[type[Toy], str], tmp_path: Path
) -> None:
    work = str(tmp_path / "work")
    texts = ["1/3", "2/3", "3/3", "1/3"]  # one of them twice: a scheduler that started it again
    with ProcessPoolExecutor(4, get_context("spawn")) as pool:
        for _ in range(MOST_ROUNDS):
            results = list(pool.map(make_slice, [toy] * 4, [things] * 4, [work] * 4, texts))
            if not any(result.missing for result in results):
                break
    assert finish(toy, things, work, tmp_path / "out") == whole_builds[toy]


def test_a_slice_makes_every_nth_shard(things: Path, tmp_path: Path) -> None:
    result = make_slice(ToyColors, things, str(tmp_path), "2/3")
    assert {path.name for path in tmp_path.rglob("*.arrow")} == {"00001.arrow", "00004.arrow"}
    assert result == SliceResult(2, ("toy-colors things: read: 3 of 5 shards are missing",))


def test_a_step_is_not_begun_before_the_one_before_it_is_complete(things: Path, tmp_path: Path) -> None:
    make_slice(ToyRanks, things, str(tmp_path), "1/2")
    assert steps(tmp_path) == {"read"}
    make_slice(ToyRanks, things, str(tmp_path), "2/2")
    assert steps(tmp_path) == {"read", "plan"}  # its only item shard is of the first slice


def test_what_is_made_is_not_made_again(things: Path, tmp_path: Path) -> None:
    made = make_slice(ToyCouples, things, str(tmp_path), "1/1").made
    assert made > 0
    assert make_slice(ToyCouples, things, str(tmp_path), "1/1") == SliceResult(0, ())


def test_to_finish_too_early_says_what_is_missing_and_writes_nothing(things: Path, tmp_path: Path) -> None:
    work = str(tmp_path / "work")
    with pytest.raises(UnfinishedBuildError, match="toy-couples things: read: not made yet; run every slice"):
        finish(ToyCouples, things, work, tmp_path / "out")
    make_slice(ToyCouples, things, work, "1/2")
    with pytest.raises(UnfinishedBuildError, match="read: 2 of 5 shards are missing"):
        finish(ToyCouples, things, work, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_slice_that_died_is_run_again(things: Path, whole_builds: dict[type[Toy], str], tmp_path: Path) -> None:
    work = tmp_path / "work"
    make_slice(ToyColors, things, str(work), "1/1")
    lost = [path for path in sorted(work.rglob("0000[13].arrow")) if "make-" in str(path)]
    for path in lost:
        path.unlink()
    with pytest.raises(UnfinishedBuildError, match="shards are missing"):
        finish(ToyColors, things, str(work), tmp_path / "out")
    assert make_slice(ToyColors, things, str(work), "1/1").made == len(lost)
    assert finish(ToyColors, things, str(work), tmp_path / "out") == whole_builds[ToyColors]


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty"])
def test_a_damaged_shard_is_made_again(
    damage: str, things: Path, whole_builds: dict[type[Toy], str], tmp_path: Path
) -> None:
    work = tmp_path / "work"
    make_slice(ToyRanks, things, str(work), "1/1")
    for path in sorted(work.rglob("00001.arrow")):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes({"truncated": content[:-9], "flipped": content, "empty": b""}[damage])
    with pytest.raises(UnfinishedBuildError):
        finish(ToyRanks, things, str(work), tmp_path / "out")
    for _ in range(MOST_ROUNDS):
        if not make_slice(ToyRanks, things, str(work), "1/1").missing:
            break
    assert finish(ToyRanks, things, str(work), tmp_path / "out") == whole_builds[ToyRanks]


def test_the_first_of_two_plans_is_kept(things: Path, tmp_path: Path) -> None:
    make_slice(ToyColors, things, str(tmp_path), "1/1")
    plans = {path: path.read_bytes() for path in tmp_path.rglob("plan.pickle")}
    assert plans
    for path in plans:
        WorkFolder(str(tmp_path)).create(str(path.relative_to(tmp_path)), b"another plan")
    assert {path: path.read_bytes() for path in plans} == plans


@pytest.mark.parametrize("text", ["0/4", "5/4", "1/0", "1", "a/b", "-1/3", "1/4/2", "1.5/3", "9999999/9999999"])
def test_what_is_no_slice_is_one_clear_line(text: str) -> None:
    with pytest.raises(BadInputError, match=r"not a slice; slices are 1/N to N/N, such as 3/16"):
        Slice.parse(text)


def test_slices_need_a_folder_that_they_share(things: Path) -> None:
    with pytest.raises(BadInputError, match="--shards needs --work URL"):
        build_slice(ToyColors(), BuildOptions(things), Slice(1, 2))
    with pytest.raises(BadInputError, match="--finish needs --work URL"):
        BuildOptions(things, finish=True)


def test_a_work_folder_in_memory_is_for_one_process(things: Path) -> None:
    fsspec.filesystem("memory").store.clear()
    with pytest.raises(BadInputError, match="not visible to other processes"):
        build_slice(ToyColors(), BuildOptions(things, work="memory://work", num_proc=2), Slice(1, 1))
