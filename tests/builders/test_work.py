"""The work folder: sealed files, on this machine and elsewhere, and the shards in it."""

from pathlib import Path

import fsspec
import pytest

from diptych.builders import Rows
from diptych.builders._ledger import Ledger
from diptych.builders._rows import Item, to_table
from diptych.builders._work import DamagedFileError, Shards, WorkFolder
from diptych.errors import BadInputError
from diptych.pairs import Skip


@pytest.fixture(params=["local", "memory"])
def work(request: pytest.FixtureRequest, tmp_path: Path) -> WorkFolder:
    """A work folder on disk, and one on another file system."""
    if request.param == "local":
        return WorkFolder(str(tmp_path / "work"))
    fsspec.filesystem("memory").store.clear()
    return WorkFolder("memory://work")


def stored_bytes(work: WorkFolder, name: str) -> bytes:
    return bytes(fsspec.open(f"{work.url}/{name}").open().read())


def store_bytes(work: WorkFolder, name: str, content: bytes) -> None:
    with fsspec.open(f"{work.url}/{name}", "wb") as file:
        file.write(content)


def test_what_was_written_is_read(work: WorkFolder) -> None:
    work.write("stage/file", b"content")
    assert bytes(work.read("stage/file")) == b"content"


def test_an_empty_file_is_read(work: WorkFolder) -> None:
    work.write("file", b"")
    assert bytes(work.read("file")) == b""


def test_equal_content_has_an_equal_seal(work: WorkFolder) -> None:
    assert work.write("a", b"content") == work.write("b", b"content") != work.write("c", b"Content")


def test_the_files_of_a_folder_are_named(work: WorkFolder) -> None:
    work.write("stage/a", b"1")
    work.write("stage/b", b"2")
    assert work.names("stage") == {"a", "b"}


def test_a_folder_that_is_not_there_has_no_files(work: WorkFolder) -> None:
    assert work.names("nothing") == set()


def test_a_file_that_was_written_meanwhile_is_seen(work: WorkFolder) -> None:
    work.write("stage/a", b"1")
    assert work.names("stage") == {"a"}
    WorkFolder(work.url).write("stage/b", b"2")
    assert work.names("stage") == {"a", "b"}


def test_a_missing_file_is_damage(work: WorkFolder) -> None:
    with pytest.raises(DamagedFileError):
        work.read("file")


@pytest.mark.parametrize("length", [0, 1, 31, 32, 38])
def test_a_torn_file_is_noticed(work: WorkFolder, length: int) -> None:
    work.write("file", b"content")
    store_bytes(work, "file", stored_bytes(work, "file")[:length])
    with pytest.raises(DamagedFileError, match="file"):
        work.read("file")


@pytest.mark.parametrize("position", [0, 6, 7, 38])
def test_a_flipped_bit_is_noticed(work: WorkFolder, position: int) -> None:
    work.write("file", b"content")
    content = bytearray(stored_bytes(work, "file"))
    content[position] ^= 1
    store_bytes(work, "file", bytes(content))
    with pytest.raises(DamagedFileError, match="file"):
        work.read("file")


def test_a_removed_file_is_gone(work: WorkFolder) -> None:
    work.write("stage/a", b"1")
    work.remove("stage/a")
    assert work.names("stage") == set()


def test_removing_a_file_twice_is_no_error(work: WorkFolder) -> None:
    work.write("a", b"1")
    work.remove("a")
    work.remove("a")


def test_writing_on_disk_leaves_no_temporary_file(tmp_path: Path) -> None:
    WorkFolder(str(tmp_path)).write("stage/a", b"1")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["a"]


@pytest.fixture
def shards(work: WorkFolder) -> Shards:
    """Two of three shards."""
    shards = Shards(work, "toy/read-0", Item, 3)
    for index in (0, 2):
        ledger = Ledger()
        ledger.count("toy.a", Skip("odd"))
        rows = [Item("toy.a", f"{index}-{number}") for number in range(2)]
        shards.write(index, to_table(rows, Item), ledger)
    return shards


def test_the_shards_still_to_be_made_are_known(shards: Shards) -> None:
    assert (shards.finished(), shards.missing()) == ({0, 2}, [1])


def test_more_than_a_hundred_thousand_shards_are_told_apart(shards: Shards) -> None:
    shards.write(123_456, to_table([], Item), Ledger())
    assert shards.finished() == {0, 2, 123_456}


def test_the_rows_of_a_shard_are_read(shards: Shards) -> None:
    assert shards.read(2)["key"].to_pylist() == ["2-0", "2-1"]


def test_some_columns_of_a_shard_are_read_in_the_order_asked_for(shards: Shards) -> None:
    assert shards.read(0, ("key",)).column_names == ["key"]
    assert shards.read(0, ("key", "test")).column_names == ["key", "test"]


def test_the_rows_of_all_shards_come_in_order(shards: Shards) -> None:
    shards.write(1, to_table([Item("toy.a", "1-0")], Item), Ledger())
    assert [row.key for row in Rows(shards)] == ["0-0", "0-1", "1-0", "2-0", "2-1"]


def test_a_missing_shard_is_damage(shards: Shards) -> None:
    with pytest.raises(DamagedFileError, match=r"toy/read-0/00001\.arrow"):
        list(Rows(shards))


def test_the_ledgers_of_all_shards_add_up(shards: Shards) -> None:
    shards.write(1, to_table([], Item), Ledger())
    ledger = shards.ledger()
    assert ledger.skipped == {("toy.a", "odd"): 2}


def test_a_shard_has_the_same_bytes_every_time(shards: Shards) -> None:
    table = to_table([Item("toy.a", "0")], Item)
    assert shards.write(0, table, Ledger()) == shards.write(1, table, Ledger())


@pytest.mark.parametrize("url", ["nope://x", "zip://x::/dev/null"])
def test_a_place_of_an_unknown_kind_is_one_line(url: str) -> None:
    with pytest.raises(BadInputError, match=f"--work {url.partition(':')[0]}"):
        WorkFolder(url)
