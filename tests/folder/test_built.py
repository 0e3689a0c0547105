"""BuiltFolder: configs, unions, splits and tables of a build, as its manifest names them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diptych.errors import BadInputError, MissingFileError, UnknownNameError
from diptych.folder import BuiltFolder, Manifest, Selection, drop_pairs, open_folder, read_plain
from diptych.pairs import pairs_table
from tests.folders import CONFIG, SPLIT, change_manifest, make_folder, manifest_content, some_pairs, split_content


def folded_manifest(folder: Path) -> dict[str, Any]:
    """A build like that of fvqa2: two folds, and a union of their adversarial splits."""
    table = pairs_table(some_pairs(4))
    content = manifest_content(folder, "fold_0", table, "folded")
    splits = {
        name: {**split_content(folder, table), "files": {}}
        for name in ("train", "test", "adversarial", "adversarial_train")
    }
    for fold in ("fold_0", "fold_1"):
        files = {
            split: {f"data/{fold}/{split}-00000-of-00001.parquet": {"bytes": 1, "sha256": "0" * 64}} for split in splits
        }
        entry = {**content["configs"]["fold_0"], "description": f"{fold}.", "tests": ["toy.a", f"toy.{fold}"]}
        content["configs"][fold] = {
            **entry,
            "splits": {split: {**values, "files": files[split]} for split, values in splits.items()},
        }
        content["recipes"][fold] = content["recipes"]["fold_0"]
    union = {"description": "Every fold.", "unites": ["fold_0", "fold_1"], "splits": ["adversarial"]}
    judged = ["adversarial", "test", "validation", "train"]
    return {**content, "default": "default", "unions": {"default": union}, "judged_splits": judged}


@pytest.fixture
def folded(tmp_path: Path) -> BuiltFolder:
    return BuiltFolder(tmp_path, Manifest.model_validate(folded_manifest(tmp_path)))


def changed(folder: BuiltFolder, change: Callable[[dict[str, Any]], object]) -> BuiltFolder:
    content = folded_manifest(folder.path)
    change(content)
    return BuiltFolder(folder.path, Manifest.model_validate(content))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    """One config of eight pairs, with files."""
    return make_folder(tmp_path_factory.mktemp("built") / "out", some_pairs(8))


# Configs and splits.


def test_unions_come_before_the_configs_they_unite(folded: BuiltFolder) -> None:
    assert folded.configs == {
        "default": ("fold_0", "fold_1"),
        "fold_0": ("fold_0",),
        "fold_1": ("fold_1",),
    }


def test_a_config_without_rows_is_left_out(folded: BuiltFolder) -> None:
    folder = changed(folded, lambda content: content["configs"]["fold_1"].update(splits={}))
    assert folder.configs == {"default": ("fold_0",), "fold_0": ("fold_0",)}


def test_a_union_of_configs_without_rows_is_left_out(folded: BuiltFolder) -> None:
    def empty_folds(content: dict[str, Any]) -> None:
        for config in content["configs"].values():
            config["splits"].pop("adversarial")

    assert "default" not in changed(folded, empty_folds).configs


def test_a_union_has_the_files_of_its_parts_in_the_splits_it_takes(folded: BuiltFolder) -> None:
    assert folded.splits("default") == {
        "adversarial": tuple(f"data/fold_{number}/adversarial-00000-of-00001.parquet" for number in (0, 1))
    }


def test_a_union_without_a_choice_has_every_split_of_its_parts(folded: BuiltFolder) -> None:
    folder = changed(folded, lambda content: content["unions"]["default"].update(splits=[]))
    assert set(folder.splits("default")) == {"train", "test", "adversarial", "adversarial_train"}


def test_a_split_that_only_one_part_has_is_a_split_of_the_union(folded: BuiltFolder) -> None:
    def change(content: dict[str, Any]) -> None:
        content["unions"]["default"]["splits"] = []
        del content["configs"]["fold_0"]["splits"]["test"]

    assert changed(folded, change).splits("default")["test"] == ("data/fold_1/test-00000-of-00001.parquet",)


def test_the_patterns_of_a_split_match_no_other_split(folded: BuiltFolder) -> None:
    assert folded.patterns("fold_0")["adversarial"] == ("data/fold_0/adversarial-*.parquet",)


def test_the_tests_of_a_union_are_those_of_its_parts(folded: BuiltFolder) -> None:
    assert folded.tests("default") == ("toy.a", "toy.fold_0", "toy.fold_1")


@pytest.mark.parametrize(("config", "words"), [("default", "Every fold."), ("fold_1", "fold_1.")])
def test_a_config_is_described(config: str, words: str, folded: BuiltFolder) -> None:
    assert folded.description(config) == words


def test_an_unknown_config_lists_the_known_ones(folded: BuiltFolder) -> None:
    with pytest.raises(UnknownNameError, match="unknown config 'fold_9'; did you mean 'fold_"):
        folded.splits("fold_9")


def test_columns_are_told_as_datasets_writes_them(built: BuiltFolder) -> None:
    assert built.features(CONFIG)[0] == {"name": "pair_id", "dtype": "string"}


# What is judged.


def test_models_are_judged_on_the_first_split_that_the_manifest_prefers(folded: BuiltFolder) -> None:
    assert folded.judged_split("fold_0") == "adversarial"


def test_models_are_judged_on_the_next_split_where_the_first_is_missing(folded: BuiltFolder) -> None:
    folder = changed(folded, lambda content: content["configs"]["fold_0"]["splits"].pop("adversarial"))
    assert folder.judged_split("fold_0") == "test"


def test_models_are_judged_on_any_split_where_none_is_preferred(folded: BuiltFolder) -> None:
    folder = changed(folded, lambda content: content.update(judged_splits=["nothing"]))
    assert folder.judged_split("fold_0") == "train"


def test_the_default_selection_is_the_default_config_and_its_judged_split(folded: BuiltFolder) -> None:
    assert folded.select() == Selection("default", "adversarial")


def test_a_named_config_has_its_own_judged_split(folded: BuiltFolder) -> None:
    assert folded.select("fold_1") == Selection("fold_1", "adversarial")


def test_a_named_split_is_taken(folded: BuiltFolder) -> None:
    assert folded.select("fold_1", "train") == Selection("fold_1", "train")


def test_a_split_that_the_config_lacks_lists_those_it_has(folded: BuiltFolder) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown split of default 'test'.*known: adversarial"):
        folded.select(split="test")


# Tables.


def test_a_table_has_the_rows_of_the_files(built: BuiltFolder) -> None:
    assert built.table(CONFIG, SPLIT) == pairs_table(some_pairs(8))


def test_some_columns_are_read_alone(built: BuiltFolder) -> None:
    assert built.table(CONFIG, SPLIT, ("test", "pair_id")).column_names == ["pair_id", "test"]


def test_images_are_not_part_of_a_table(tmp_path: Path) -> None:
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    images = pa.array([{"bytes": b"1", "path": None}] * 4, kind)
    folder = make_folder(tmp_path, pairs_table(some_pairs(4)).append_column("original_image", images))
    assert "original_image" not in folder.table(CONFIG, SPLIT).column_names
    assert "original_image" in next(iter(folder.batches(CONFIG, SPLIT))).column_names


def test_batches_have_all_rows(built: BuiltFolder) -> None:
    assert pa.concat_tables(built.batches(CONFIG, SPLIT)).num_rows == 8


def test_pairs_are_selected(built: BuiltFolder) -> None:
    assert built.pairs(built.select()).num_rows == 8


def test_rows_that_are_not_pairs_are_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs(4))
    folder = change_manifest(folder, lambda content: content["configs"][CONFIG].update(tests=[]))
    with pytest.raises(BadInputError, match="the rows of config yn_from_color are not pairs"):
        folder.pairs(folder.select())


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs(4))
    (file,) = folder.files(CONFIG, SPLIT)
    file.unlink()
    with pytest.raises(MissingFileError, match=f"{file}: missing; the manifest names it"):
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


def test_files_of_one_split_may_differ_in_their_nulls(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs(4))
    name = f"data/{CONFIG}/{SPLIT}-00001-of-00002.parquet"
    table = pairs_table(some_pairs(2))
    pq.write_table(table.append_column("agreement", pa.nulls(2)), folder.path / name)
    entry = {"bytes": 1, "sha256": "0" * 64}
    folder = change_manifest(
        folder, lambda content: content["configs"][CONFIG]["splits"][SPLIT]["files"].update({name: entry})
    )
    assert folder.table(CONFIG, SPLIT)["agreement"].null_count == 6


def test_the_columns_of_a_file_are_read_without_its_images(built: BuiltFolder) -> None:
    (file,) = built.files(CONFIG, SPLIT)
    assert read_plain(file, ["pair_id", "no_such_column"]).column_names == ["pair_id"]


@pytest.mark.parametrize(("dropped", "rows"), [((), 8), (("none",), 8), ((some_pairs(1)[0].pair_id,), 7)])
def test_pairs_are_dropped_by_id(dropped: tuple[str, ...], rows: int) -> None:
    assert drop_pairs(pairs_table(some_pairs(8)), dropped).num_rows == rows


# Opening.


def test_a_folder_is_opened(built: BuiltFolder) -> None:
    assert open_folder(str(built.path)) == open_folder(built.path) == built


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
