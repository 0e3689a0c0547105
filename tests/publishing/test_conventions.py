"""What the Hub expects of data files: row groups its viewer opens, page indexes, stable chunks, and features."""

from pathlib import Path
from random import Random

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import Features, load_dataset

import diptych
from diptych.builders import _assembly
from diptych.demo import make_world
from diptych.folder import BuiltFolder, open_folder

LARGEST_ROW_GROUP = 300_000_000  # bytes that the viewer reads at once


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    """A build whose rows hold their pictures."""
    work = tmp_path_factory.mktemp("embedded")
    make_world(work / "world", 20)
    return diptych.build("rad-cads", work / "world", work / "out", configs=["visdial"], parameters={"images": "embed"})


@pytest.fixture(scope="module")
def builds(embedded: BuiltFolder, full_build: Path) -> tuple[BuiltFolder, ...]:
    return embedded, open_folder(full_build)


def test_row_groups_are_small_and_indexed_with_pictures_too(builds: tuple[BuiltFolder, ...]) -> None:
    assert any(entry.images for *_, entry in builds[0].manifest.own_splits())
    for folder in builds:
        for path in sorted(folder.path.glob("data/*/*.parquet")):
            metadata = pq.read_metadata(path)
            for group in map(metadata.row_group, range(metadata.num_row_groups)):
                assert group.total_byte_size < LARGEST_ROW_GROUP / 3
                assert all(group.column(number).has_offset_index for number in range(group.num_columns))


def test_features_are_the_same_in_card_manifest_and_files(builds: tuple[BuiltFolder, ...], tmp_path: Path) -> None:
    for folder in builds:
        for config in folder.configs:
            declared = Features._from_yaml_list([dict(feature) for feature in folder.features(config)])
            loaded = load_dataset(str(folder.path), config, cache_dir=str(tmp_path / folder.path.parent.name))
            for split, dataset in loaded.items():
                files = [str(path) for path in folder.files(config, split)]
                by_file = load_dataset("parquet", data_files=files, split="train", cache_dir=str(tmp_path / "files"))
                assert dataset.features == declared == by_file.features
    assert declared["original_answers"] == datasets.List(datasets.Value("string"))


def test_a_row_more_leaves_the_rest_of_a_file_as_it_is(tmp_path: Path) -> None:
    """Content-defined chunks: a new version uploads what is new, and no page behind it."""
    rng = Random(0)
    rows = pa.table({"question": [rng.randbytes(200).hex() for _ in range(20_000)]})
    longer = pa.concat_tables([pa.table({"question": ["Is it new?"]}), rows])
    contents = []
    for name, table in (("old", rows), ("new", longer)):
        (file,) = _assembly._write_files(tmp_path, name, [table], table.schema)
        contents.append((tmp_path / file).read_bytes())
    starts = range(0, len(contents[0]) - 4096, 65_536)
    shared = sum(contents[0][start : start + 4096] in contents[1] for start in starts)
    assert shared > 0.6 * len(starts) > 20
