"""Files that are not those of the manifest, or of a shape that the Hub's viewer cannot page through."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from diptych.audit import audit_folder
from diptych.folder import BuiltFolder
from diptych.pairs import Pair, pairs_table
from tests.audit.findings import errors, worst
from tests.folders import data_file, make_folder, make_pair, some_pairs


@pytest.fixture
def folder(tmp_path: Path) -> BuiltFolder:
    return make_folder(tmp_path, some_pairs())


def rewrite(folder: BuiltFolder, pairs: Sequence[Pair]) -> None:
    pq.write_table(pairs_table(pairs), data_file(folder), write_page_index=True)


def test_a_truncated_file_is_an_error(folder: BuiltFolder) -> None:
    file = data_file(folder)
    file.write_bytes(file.read_bytes()[:-100])
    audit = audit_folder(folder)
    assert errors(audit) == {"schema", "file hashes"}
    assert "cannot be read" in worst(audit, "schema").message


def test_a_missing_file_is_an_error(folder: BuiltFolder) -> None:
    data_file(folder).unlink()
    assert "is missing" in worst(audit_folder(folder), "file hashes").message


def test_a_file_beside_those_of_the_manifest_is_an_error(folder: BuiltFolder) -> None:
    file = data_file(folder)
    file.with_name("validation-00001-of-00001.parquet").write_bytes(file.read_bytes())
    assert "is not in the manifest" in worst(audit_folder(folder), "file hashes").message


def test_fewer_rows_than_the_manifest_tells_are_an_error(folder: BuiltFolder) -> None:
    rewrite(folder, some_pairs()[1:])
    assert errors(audit_folder(folder)) == {"file hashes", "row counts"}


def test_different_rows_than_the_manifest_tells_are_an_error(folder: BuiltFolder) -> None:
    rewrite(folder, [*some_pairs()[1:], make_pair(1000)])
    assert errors(audit_folder(folder)) == {"file hashes", "content hashes"}


def test_the_same_rows_in_different_bytes_are_an_error_of_the_file_alone(folder: BuiltFolder) -> None:
    pq.write_table(pairs_table(some_pairs()), data_file(folder), write_page_index=True, compression="gzip")
    assert errors(audit_folder(folder)) == {"file hashes"}


def test_a_file_without_a_page_index_is_an_error(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs(), write_page_index=False)
    assert "no page index" in worst(audit_folder(folder, just_built=True), "page indexes").message


def test_a_large_row_group_is_an_error(folder: BuiltFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diptych.audit._files.LARGEST_ROW_GROUP", 1000)
    assert "a row group of" in worst(audit_folder(folder), "row groups").message
