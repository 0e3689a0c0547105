"""The audit as a whole: nothing in a sound folder, the same every time, and rules from the spec."""

from pathlib import Path

import pytest

from diptych.audit import audit_entry, audit_folder, finding
from diptych.folder import BuiltFolder
from tests.audit.findings import audit_pairs, errors, worst
from tests.folders import change_manifest, data_file, make_folder, some_pairs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    return make_folder(tmp_path_factory.mktemp("sound") / "out", some_pairs())


def test_a_sound_folder_has_neither_errors_nor_warnings(folder: BuiltFolder) -> None:
    audit = audit_folder(folder)
    assert [entry for entry in audit.findings if entry.level != "ok"] == []
    assert (audit.errors, audit.warnings) == (0, 0)


def test_the_audit_is_the_same_every_time(folder: BuiltFolder) -> None:
    assert audit_folder(folder) == audit_folder(folder)


def test_errors_and_warnings_are_counted() -> None:
    levels = ("error", "ok", "warning", "error")
    audit = audit_entry(finding("check", level, "message") for level in levels)  # type: ignore[arg-type]
    assert (audit.errors, audit.warnings, len(audit.findings)) == (2, 1, 4)


def test_a_folder_that_was_just_built_is_not_hashed_again(folder: BuiltFolder) -> None:
    names = {entry.name for entry in audit_folder(folder, just_built=True).findings}
    assert not names & {"file hashes", "row counts", "content hashes"}
    assert {"schema", "unique ids", "question only"} <= names


def test_a_dataset_whose_package_is_not_installed_is_audited_without_rules(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs(64))
    folder = change_manifest(folder, lambda content: content.update(dataset="somebodys-own"))
    assert errors(audit_folder(folder)) == set()


def test_a_folder_of_which_nothing_can_be_read_is_audited(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs(8))
    data_file(folder).write_bytes(b"")
    assert errors(audit_folder(folder)) == {"schema", "file hashes"}


def test_a_single_pair_is_audited(tmp_path: Path) -> None:
    assert errors(audit_pairs(tmp_path, some_pairs(1))) == set()


@pytest.mark.slow
@pytest.mark.real_data
def test_real_pairs_have_no_errors(real_data: Path, tmp_path: Path) -> None:
    from tests.builders.rad.conftest import build_rad

    audit = audit_folder(build_rad(real_data, tmp_path, "vqa_v2", "matched"))
    assert errors(audit) == set()
    assert worst(audit, "grammar").level == "ok"
