"""Errata beside the data: listed, checked, and left out of loading and scoring."""

from pathlib import Path

import orjson
import pytest

import diptych
from diptych.errors import BadInputError, UnknownNameError
from diptych.folder import BuiltFolder, open_folder
from diptych.publishing import add_erratum, read_errata
from tests.commands import run


@pytest.fixture
def folder(edited_build: Path) -> BuiltFolder:
    return open_folder(edited_build)


@pytest.fixture
def pair_id(folder: BuiltFolder) -> str:
    return str(folder.table("visdial", "validation")["pair_id"][3])


def test_an_erratum_is_listed_with_the_version_of_the_build(folder: BuiltFolder, pair_id: str) -> None:
    add_erratum(folder, pair_id, " the shirt is blue ")
    row = orjson.loads((folder.path / "errata.jsonl").read_bytes())
    assert row == {"pair_id": pair_id, "reason": "the shirt is blue", "since": "1.0.0"}


def test_errata_are_read_in_their_order(folder: BuiltFolder) -> None:
    pair_ids = folder.table("visdial", "validation")["pair_id"].to_pylist()[:3]
    for pair_id in pair_ids:
        add_erratum(folder, pair_id, "wrong")
    assert [erratum.pair_id for erratum in read_errata(folder)] == pair_ids


def test_a_folder_without_errata_has_none(folder: BuiltFolder) -> None:
    assert read_errata(folder) == ()


def test_an_unknown_pair_is_refused(folder: BuiltFolder) -> None:
    with pytest.raises(BadInputError, match="no pair none"):
        add_erratum(folder, "none", "wrong")
    assert not (folder.path / "errata.jsonl").exists()


def test_a_repeated_pair_is_refused(folder: BuiltFolder, pair_id: str) -> None:
    add_erratum(folder, pair_id, "wrong")
    with pytest.raises(BadInputError, match="listed already"):
        add_erratum(folder, pair_id, "wrong")


def test_an_erratum_without_a_reason_is_refused(folder: BuiltFolder, pair_id: str) -> None:
    with pytest.raises(BadInputError, match="needs a reason"):
        add_erratum(folder, pair_id, " ")


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"pair_id": "a", "reason": "r"}', '{"pair_id": 1, "reason": "", "since": ""}']
)
def test_a_broken_line_is_named(folder: BuiltFolder, line: str) -> None:
    (folder.path / "errata.jsonl").write_text(f"\n{line}\n")
    with pytest.raises(BadInputError, match=r"errata\.jsonl:2: "):
        read_errata(folder)


def test_loading_leaves_errata_out(folder: BuiltFolder, pair_id: str) -> None:
    add_erratum(folder, pair_id, "wrong")
    pair_ids = folder.table("visdial", "validation")["pair_id"].to_pylist()
    pairs = diptych.load_pairs(folder.path, "visdial")
    assert pairs["pair_id"][:] == [other for other in pair_ids if other != pair_id]


def test_loading_keeps_errata_when_asked(folder: BuiltFolder, pair_id: str) -> None:
    add_erratum(folder, pair_id, "wrong")
    assert pair_id in diptych.load_pairs(folder.path, "visdial", errata="keep")["pair_id"]


def test_an_unknown_way_to_treat_errata_is_refused(folder: BuiltFolder) -> None:
    with pytest.raises(UnknownNameError, match="drop, keep"):
        diptych.load_pairs(folder.path, "visdial", errata="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize(("options", "excluded"), [((), 0), (("--without-errata",), 1)])
def test_scoring_can_leave_errata_out(
    options: tuple[str, ...],
    excluded: int,
    folder: BuiltFolder,
    pair_id: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    predictions = tmp_path / "predictions.jsonl"
    assert run("baseline", folder.path, "always-yes", "--config", "visdial", "--out", predictions) == 0
    add_erratum(folder, pair_id, "wrong")
    capsys.readouterr()
    assert run("score", folder.path, predictions, "--config", "visdial", "--bootstrap", 0, "--json", *options) == 0
    scores = orjson.loads(capsys.readouterr().out)
    assert scores["n"] == folder.table("visdial", "validation").num_rows - excluded
