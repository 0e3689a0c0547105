"""From finished shards to files: their sizes, their metadata, and what the manifest tells of them."""

import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diptych.builders import _assembly
from diptych.folder import BuiltFolder
from diptych.pairs import content_hash
from tests.builders.toys import ToyColors, ToyRanks, build_toy, write_things


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_things(tmp_path_factory.mktemp("toys") / "data")


@pytest.fixture(scope="module")
def folder(things: Path, tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    return build_toy(ToyColors(), things, tmp_path_factory.mktemp("built"))


@pytest.fixture
def small_files(things: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BuiltFolder:
    """A build whose files and row groups must stay small."""
    monkeypatch.setattr(_assembly, "ROW_GROUP_ROWS", 30)
    monkeypatch.setattr(_assembly, "LARGEST_FILE", 3_000)
    return build_toy(ToyColors(), things, tmp_path, "loud")


def test_the_manifest_has_the_hash_and_size_of_every_file(folder: BuiltFolder) -> None:
    for *_, entry in folder.manifest.own_splits():
        for name, file in entry.files.items():
            content = (folder.path / name).read_bytes()
            assert (file.bytes, file.sha256) == (len(content), hashlib.sha256(content).hexdigest())


def test_the_manifest_has_the_content_hash_of_every_split(folder: BuiltFolder) -> None:
    for config, split, entry in folder.manifest.own_splits():
        assert entry.content_hash == content_hash(folder.batches(config, split))


def test_a_split_has_several_files_where_they_would_get_too_large(small_files: BuiltFolder) -> None:
    names = small_files.splits("loud")["train"]
    assert len(names) > 1
    assert names[0] == f"data/loud/train-00000-of-{len(names):05d}.parquet"
    assert sorted(path.name for path in (small_files.path / "data" / "loud").iterdir()) == [
        name.rpartition("/")[2] for name in names
    ]


def test_row_groups_hold_no_more_than_readers_like(small_files: BuiltFolder) -> None:
    sizes = [
        pq.read_metadata(file).row_group(group).num_rows
        for file in small_files.files("loud", "train")
        for group in range(pq.read_metadata(file).num_row_groups)
    ]
    assert (max(sizes), sum(sizes)) == (30, 110)


def test_row_groups_are_small_where_rows_are_large(
    things: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_assembly, "ROW_GROUP_BYTES", 2000)
    folder = build_toy(ToyColors(), things, tmp_path, "loud")
    (file,) = folder.files("loud", "train")
    assert pq.read_metadata(file).num_row_groups > 5


def test_the_number_of_files_does_not_change_the_rows(small_files: BuiltFolder, folder: BuiltFolder) -> None:
    assert small_files.table("loud", "train") == folder.table("loud", "train")


def test_every_column_chunk_has_its_page_index(folder: BuiltFolder) -> None:
    group = pq.read_metadata(folder.files("loud", "train")[0]).row_group(0)
    assert all(group.column(index).has_offset_index for index in range(group.num_columns))


def test_files_carry_the_features_of_datasets(folder: BuiltFolder) -> None:
    metadata = pq.read_schema(folder.files("loud", "train")[0]).metadata
    features = json.loads(metadata[b"huggingface"])["info"]["features"]
    assert features["pair_id"] == {"dtype": "string", "_type": "Value"}


def test_statistics_count_answers_by_test(folder: BuiltFolder) -> None:
    numbers = folder.manifest.configs["loud"].splits["train"].statistics["toy.dark"]
    assert numbers.pairs == 72
    assert sum(numbers.perturbed_answers.values()) == 72
    assert set(numbers.perturbed_answers) == {"yes", "no"}


def test_examples_are_the_first_pairs_of_each_test(folder: BuiltFolder) -> None:
    examples = folder.manifest.configs["loud"].splits["train"].examples
    table = folder.table("loud", "train", ("pair_id", "test"))
    for test in ("toy.bright", "toy.dark"):
        ids = sorted(table.filter(pa.compute.equal(table["test"], test))["pair_id"].to_pylist())
        assert [example.pair_id for example in examples if example.test == test] == ids[:3]


def test_rows_that_are_not_pairs_have_neither_statistics_nor_examples(things: Path, tmp_path: Path) -> None:
    entry = build_toy(ToyRanks(), things, tmp_path, "ranks").manifest.configs["ranks"].splits["train"]
    assert (entry.rows, entry.statistics, entry.examples) == (60, {}, ())


def test_load_dataset_reads_the_files(folder: BuiltFolder, tmp_path: Path) -> None:
    from datasets import load_dataset

    files = [str(file) for file in folder.files("loud", "train")]
    pairs = load_dataset("parquet", data_files=files, split="train", cache_dir=str(tmp_path))
    assert pairs.num_rows == 110
