"""Errata beside the data: listed, checked, and left out of loading and scoring."""

from pathlib import Path

import orjson
import pyarrow.parquet as pq
import pytest

import diptych
from diptych.cards.errata import add_erratum, read_errata
from diptych.cli import main
from diptych.errors import BadInputError, UnknownNameError

Capture = pytest.CaptureFixture[str]


def run(*args: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(list(map(str, args)))
    return int(stopped.value.code or 0)


def some_pair(folder: Path) -> str:
    return str(pq.read_table(next((folder / "data" / "visdial").iterdir()))["pair_id"][3])


def test_an_erratum_is_listed_with_the_version_of_the_build(mine: Path) -> None:
    pair_id = some_pair(mine)
    assert run("errata", "add", mine, pair_id, "--reason", " the shirt is blue ") == 0
    row = orjson.loads((mine / "errata.jsonl").read_bytes())
    assert row == {"pair_id": pair_id, "reason": "the shirt is blue", "since": "1.0.0"}
    assert [erratum.pair_id for erratum in read_errata(mine)] == [pair_id]


def test_unknown_and_repeated_pairs_are_refused(mine: Path, capsys: Capture) -> None:
    assert run("errata", "add", mine, "none", "--reason", "r") == 2
    assert "no pair none" in capsys.readouterr().err
    assert not (mine / "errata.jsonl").exists()
    add_erratum(mine, some_pair(mine), "r")
    with pytest.raises(BadInputError, match="listed already"):
        add_erratum(mine, some_pair(mine), "r")


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"pair_id": "a", "reason": "r"}', '{"pair_id": 1, "reason": "", "since": ""}']
)
def test_a_broken_line_is_named(mine: Path, line: str) -> None:
    (mine / "errata.jsonl").write_text(f"\n{line}\n")
    with pytest.raises(BadInputError, match=r"errata\.jsonl:2: "):
        read_errata(mine)


def test_loading_leaves_errata_out_unless_told_to_keep_them(mine: Path, tmp_path: Path) -> None:
    pair_id = some_pair(mine)
    add_erratum(mine, pair_id, "r")
    whole = diptych.load_pairs(mine, "visdial", errata="keep")
    kept = diptych.load_pairs(mine, "visdial")
    assert kept["pair_id"][:] == [each for each in whole["pair_id"] if each != pair_id]
    with pytest.raises(UnknownNameError, match="drop, keep"):
        diptych.load_pairs(mine, "visdial", errata="ignore")  # type: ignore[arg-type]


def test_scoring_can_leave_errata_out(mine: Path, tmp_path: Path, capsys: Capture) -> None:
    said = tmp_path / "said.jsonl"
    run("baseline", mine, "always-yes", "--config", "visdial", "--out", said)
    add_erratum(mine, some_pair(mine), "r")
    sizes = []
    for options in ([], ["--without-errata"]):
        capsys.readouterr()
        assert run("score", mine, said, "--config", "visdial", "--bootstrap", "0", "--json", *options) == 0
        told = orjson.loads(capsys.readouterr().out)
        sizes.append((told["n"], told["left_out"]))
    assert sizes == [(sizes[0][0], 0), (sizes[0][0] - 1, 1)]
