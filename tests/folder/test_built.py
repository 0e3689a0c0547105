"""BuiltFolder: configs, unions, splits and tables of a build, as its manifest names them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diptych.errors import BadInputError, MissingFileError, UnknownNameError
from diptych.folder import BuiltFolder, Manifest, Selection, drop_pairs, open_folder, read_rows
from diptych.pairs import pairs_table
from tests.folders import CONFIG, SPLIT, change_manifest, fold_manifest, make_folder, some_pairs


@pytest.fixture
def fold_build(tmp_path: Path) -> BuiltFolder:
    return BuiltFolder(tmp_path, Manifest.model_validate(fold_manifest(tmp_path)))


def changed_build(folder: BuiltFolder, change: Callable[[dict[str, Any]], object]) -> BuiltFolder:
    content = fold_manifest(folder.path)
    change(content)
    return BuiltFolder(folder.path, Manifest.model_validate(content))


@pytest.fixture(scope="module")
def color_build(tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    """One config of eight pairs, with files."""
    return make_folder(tmp_path_factory.mktemp("built") / "out", some_pairs(8))


# Configs and splits.


def test_unions_come_before_the_configs_they_unite(fold_build: BuiltFolder) -> None:
    assert fold_build.configs == {"default": ("fold_0", "fold_1"), "fold_0": ("fold_0",), "fold_1": ("fold_1",)}


def test_a_config_without_rows_is_left_out(fold_build: BuiltFolder) -> None:
    folder = changed_build(fold_build, lambda content: content["configs"]["fold_1"].update(splits={}))
    assert folder.configs == {"default": ("fold_0",), "fold_0": ("fold_0",)}


def test_a_union_of_configs_without_rows_is_left_out(fold_build: BuiltFolder) -> None:
    def empty_folds(content: dict[str, Any]) -> None:
        for config in content["configs"].values():
            config["splits"].pop("adversarial")

    assert "default" not in changed_build(fold_build, empty_folds).configs


def test_a_union_has_the_files_of_its_parts_in_the_splits_it_takes(fold_build: BuiltFolder) -> None:
    assert fold_build.splits("default") == {
        "adversarial": tuple(f"data/fold_{number}/adversarial-00000-of-00001.parquet" for number in (0, 1))
    }


def test_a_union_without_a_choice_has_every_split_of_its_parts(fold_build: BuiltFolder) -> None:
    folder = changed_build(fold_build, lambda content: content["unions"]["default"].update(splits=[]))
    assert set(folder.splits("default")) == {"train", "test", "adversarial", "adversarial_train"}


def test_a_split_that_only_one_part_has_is_a_split_of_the_union(fold_build: BuiltFolder) -> None:
    def change(content: dict[str, Any]) -> None:
        content["unions"]["default"]["splits"] = []
        del content["configs"]["fold_0"]["splits"]["test"]

    assert changed_build(fold_build, change).splits("default")["test"] == ("data/fold_1/test-00000-of-00001.parquet",)


def test_the_patterns_of_a_split_match_no_other_split(fold_build: BuiltFolder) -> None:
    assert fold_build.patterns("fold_0")["adversarial"] == ("data/fold_0/adversarial-*.parquet",)


def test_the_tests_of_a_union_are_those_of_its_parts(fold_build: BuiltFolder) -> None:
    assert fold_build.tests("default") == ("toy.a", "toy.fold_0", "toy.fold_1")


@pytest.mark.parametrize(("config", "words"), [("default", "Every fold."), ("fold_1", "fold_1.")])
def test_a_config_is_described(config: str, words: str, fold_build: BuiltFolder) -> None:
    assert fold_build.description(config) == words


def test_an_unknown_config_lists_the_known_ones(fold_build: BuiltFolder) -> None:
    with pytest.raises(UnknownNameError, match="unknown config 'fold_9'; did you mean 'fold_"):
        fold_build.splits("fold_9")


def test_columns_are_told_as_datasets_writes_them(color_build: BuiltFolder) -> None:
    assert color_build.features(CONFIG)[0] == {"name": "pair_id", "dtype": "string"}


# What is judged.


def test_models_are_judged_on_the_first_split_that_the_manifest_prefers(fold_build: BuiltFolder) -> None:
    assert fold_build.judged_split("fold_0") == "adversarial"


def test_models_are_judged_on_the_next_split_where_the_first_is_missing(fold_build: BuiltFolder) -> None:
    folder = changed_build(fold_build, lambda content: content["configs"]["fold_0"]["splits"].pop("adversarial"))
    assert folder.judged_split("fold_0") == "test"


def test_models_are_judged_on_any_split_where_none_is_preferred(fold_build: BuiltFolder) -> None:
    folder = changed_build(fold_build, lambda content: content.update(judged_splits=["nothing"]))
    assert folder.judged_split("fold_0") == "train"


def test_the_default_selection_is_the_default_config_and_its_judged_split(fold_build: BuiltFolder) -> None:
    assert fold_build.select() == Selection("default", "adversarial")


def test_a_named_config_has_its_own_judged_split(fold_build: BuiltFolder) -> None:
    assert fold_build.select("fold_1") == Selection("fold_1", "adversarial")


def test_a_named_split_is_taken(fold_build: BuiltFolder) -> None:
    assert fold_build.select("fold_1", "train") == Selection("fold_1", "train")


def test_several_splits_are_named_with_a_plus(fold_build: BuiltFolder) -> None:
    assert fold_build.select("fold_1", "train+test") == Selection("fold_1", "train+test")
    with pytest.raises(UnknownNameError, match="unknown split of fold_1 'dev'"):
        fold_build.select("fold_1", "train+dev")


def test_a_split_that_the_config_lacks_lists_those_it_has(fold_build: BuiltFolder) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown split of default 'test'.*known: adversarial"):
        fold_build.select(split="test")


# Tables.


def test_a_table_has_the_rows_of_the_files(color_build: BuiltFolder) -> None:
    assert color_build.table(CONFIG, SPLIT) == pairs_table(some_pairs(8))


def test_some_columns_are_read_alone(color_build: BuiltFolder) -> None:
    assert color_build.table(CONFIG, SPLIT, ("test", "pair_id")).column_names == ["pair_id", "test"]


def test_images_are_not_part_of_a_table(tmp_path: Path) -> None:
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    images = pa.array([{"bytes": b"1", "path": None}] * 4, kind)
    folder = make_folder(tmp_path, pairs_table(some_pairs(4)).append_column("original_image", images))
    assert "original_image" not in folder.table(CONFIG, SPLIT).column_names
    assert "original_image" in next(iter(folder.batches(CONFIG, SPLIT))).column_names


def test_batches_have_all_rows(color_build: BuiltFolder) -> None:
    assert pa.concat_tables(color_build.batches(CONFIG, SPLIT)).num_rows == 8


def test_pairs_are_selected(color_build: BuiltFolder) -> None:
    assert color_build.pairs(color_build.select()).num_rows == 8


def test_rows_that_are_not_pairs_are_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs(4))
    folder = change_manifest(folder, lambda content: content["configs"][CONFIG].update(tests=[]))
    with pytest.raises(BadInputError, match="the rows of config yn_from_color are not pairs"):
        folder.pairs(folder.select())


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs(4))
    (file,) = folder.files(CONFIG, SPLIT)
    file.unlink()
    with pytest.raises(MissingFileError, match=f"{file}: missing, but listed in the manifest"):
        folder.table(CONFIG, SPLIT)


@pytest.mark.parametrize(
    "read", [lambda folder: folder.table(CONFIG, SPLIT), lambda folder: [*folder.batches(CONFIG, SPLIT)]]
)
def test_a_torn_file_is_one_line(read: Callable[[BuiltFolder], object], tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs(4))
    (file,) = folder.files(CONFIG, SPLIT)
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(BadInputError, match="cannot be read") as refusal:
        read(folder)
    assert "\n" not in str(refusal.value)


def test_a_file_whose_core_column_is_empty_is_one_line(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs(4))
    name = f"data/{CONFIG}/{SPLIT}-00001-of-00002.parquet"
    table = pairs_table(some_pairs(2))
    pq.write_table(
        table.set_column(table.column_names.index("template_hash"), "template_hash", pa.nulls(2)), folder.path / name
    )
    entry = {"bytes": 1, "sha256": "0" * 64}
    folder = change_manifest(
        folder, lambda content: content["configs"][CONFIG]["splits"][SPLIT]["files"].update({name: entry})
    )
    with pytest.raises(BadInputError, match="the column template_hash is null, not string"):
        folder.pairs(folder.select(CONFIG, SPLIT))


def test_the_columns_of_a_file_are_read_without_its_images(color_build: BuiltFolder) -> None:
    (file,) = color_build.files(CONFIG, SPLIT)
    assert read_rows(file, ["pair_id", "no_such_column"]).column_names == ["pair_id"]


@pytest.mark.parametrize(("dropped", "rows"), [((), 8), (("none",), 8), ((some_pairs(1)[0].pair_id,), 7)])
def test_pairs_are_dropped_by_id(dropped: tuple[str, ...], rows: int) -> None:
    assert drop_pairs(pairs_table(some_pairs(8)), dropped).num_rows == rows


# Opening.


def test_a_folder_is_opened(color_build: BuiltFolder) -> None:
    assert open_folder(str(color_build.path)) == open_folder(color_build.path) == color_build


def test_a_folder_that_is_no_build_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="not a built folder"):
        open_folder(tmp_path)


@pytest.mark.parametrize("location", ["nothing", "a/b/c", "../x", "hf://datasets/x", ""])
def test_a_place_that_is_neither_a_folder_nor_on_the_hub_is_refused(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingFileError):
        open_folder(location)
