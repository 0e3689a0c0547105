"""Rows that are no pairs beside pairs: every tool after the builder takes both."""

import json
import shutil
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from diptych.cards.audit import audit_folder
from diptych.cards.errata import add_erratum
from diptych.cards.loading import load_pairs

from tests.builders.conftest import run


@pytest.fixture(scope="module")
def bqd(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bqd") / "bqd"
    settings = ("--set", "limit=30", "--set", "ranker=bleu2")
    assert run("build", "bqd", "--data", str(data), "--out", str(out), *settings) == 0
    return out


@pytest.fixture
def mine(bqd: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(bqd, tmp_path / "mine"))


def test_the_audit_is_content(bqd: Path) -> None:
    assert not audit_folder(bqd).wanting


def test_the_audit_sees_a_ranked_row_that_was_changed(mine: Path) -> None:
    path = next((mine / "data" / "gbqd_ranked").iterdir())
    table = pq.read_table(path)
    pq.write_table(table.set_column(2, "question", pa.array(["Why?"] * table.num_rows)), path)
    wanting = {finding.name for finding in audit_folder(mine).findings if finding.level == "wanting"}
    assert {"file hashes", "content hashes"} <= wanting


def test_the_audit_sees_a_ranked_column_that_is_gone(mine: Path) -> None:
    path = next((mine / "data" / "gbqd_ranked").iterdir())
    pq.write_table(pq.read_table(path).drop_columns(["gap"]), path)
    (finding,) = [each for each in audit_folder(mine).findings if each.name == "schema"]
    assert finding.level == "wanting"
    assert "lacks the column gap" in finding.what


def test_the_audit_sees_a_ranking_out_of_order(mine: Path) -> None:
    path = next((mine / "data" / "gbqd_ranked").iterdir())
    rows = pq.read_table(path).to_pylist()
    rows[0]["scores"].reverse()
    pq.write_table(pa.Table.from_pylist(rows, schema=pq.read_schema(path)), path)
    (finding,) = [each for each in audit_folder(mine).findings if each.name == "rankings"]
    assert finding.level == "wanting"
    assert rows[0]["question_id"] in finding.what


def test_the_card_tells_how_many_rows_there_are(bqd: Path) -> None:
    card = (bqd / "README.md").read_text(encoding="utf-8")
    assert "`gbqd_ranked` holds no pairs" in card
    assert "30 rows in validation" in card


@pytest.mark.parametrize("command", [("score",), ("baseline",), ("review", "export")])
def test_what_works_on_pairs_refuses_other_rows_in_one_line(
    bqd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    given = {"score": [str(tmp_path / "p.jsonl")], "baseline": ["majority", "--out", str(tmp_path / "p.jsonl")]}
    rest = given.get(command[0], ["--to", str(tmp_path / "page.html")])
    assert run(*command, str(bqd), *rest, "--config", "gbqd_ranked") == 2
    assert "holds rows that are no pairs" in capsys.readouterr().err


def test_a_score_is_told_by_partition_with_its_r_score(
    bqd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = pq.read_table(bqd / "data" / "gbqd").to_pylist()
    # A model that is right on the main question and loses it in the noise of partition 7.
    lines = [
        {"pair_id": pair["pair_id"], "original": pair["original_answer"]}
        | {"perturbed": "nothing" if pair["partition"] == 7 else pair["perturbed_answer"]}
        for pair in pairs
    ]
    (tmp_path / "p.jsonl").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    assert run("score", str(bqd), str(tmp_path / "p.jsonl"), "--bootstrap", "0", "--json") == 0
    groups = json.loads(capsys.readouterr().out)["scores"]["by"]["partition"]
    assert [*groups] == ["1", "2", "3", "4", "5", "6", "7"]
    assert groups["1"]["r_score"]["value"] == 1
    assert groups["7"]["accuracy_perturbed"]["value"] == 0
    assert groups["7"]["r_score"]["value"] == 0


def test_diff_tells_of_ranked_rows(mine: Path, bqd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = next((mine / "data" / "gbqd_ranked").iterdir())
    rows = pq.read_table(path).to_pylist()
    rows[0]["scores"][0] += 1
    pq.write_table(pa.Table.from_pylist(rows[:-1], schema=pq.read_schema(path)), path)
    capsys.readouterr()
    assert run("diff", str(bqd), str(mine)) == 1
    said = capsys.readouterr().out
    assert "gbqd_ranked/validation rows: 1 removed, 1 retouched" in said
    assert rows[-1]["question"] in said
    assert "v2.0.0" in said


def test_diff_moves_scores_of_pairs_alone(
    bqd: Path, mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("baseline", str(bqd), "majority", "--out", str(tmp_path / "p.jsonl")) == 0
    (mine / "README.md").write_text("other\n" + (mine / "README.md").read_text())
    assert run("diff", str(bqd), str(mine), "--predictions", str(tmp_path / "p.jsonl")) == 1
    assert "the scores stay as they are" in capsys.readouterr().out


def test_an_erratum_names_a_pair_and_ranked_rows_still_load(mine: Path) -> None:
    pair = pq.read_table(next((mine / "data" / "ynbqd").iterdir())).to_pylist()[0]
    add_erratum(mine, pair["pair_id"], "wrong")
    assert pair["pair_id"] not in load_pairs(mine, "ynbqd")["pair_id"]
    assert load_pairs(mine, "gbqd_ranked").num_rows == 30


@pytest.mark.parametrize("form", ["lm-eval", "inspect", "vqa", "croissant", "eval-yaml"])
def test_an_export_leaves_other_rows_out_or_takes_them_as_they_are(bqd: Path, tmp_path: Path, form: str) -> None:
    assert run("export", str(bqd), "--to", form, "--out", str(tmp_path / "out")) == 0
    written = [path.name for path in (tmp_path / "out").rglob("*")]
    assert written
    assert not [name for name in written if "ranked" in name]
    if form == "croissant":
        told: Any = json.loads((tmp_path / "out" / "croissant.json").read_text())
        keys = {records["name"]: records["key"]["@id"] for records in told["recordSet"]}
        assert keys["gbqd_ranked/validation"] == "gbqd_ranked/validation/question_id"
        assert keys["gbqd/validation"] == "gbqd/validation/pair_id"


def test_a_rebuild_is_bit_identical(bqd: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("build", str(bqd), "--data", str(data)) == 0
    assert "bit-identical (5 configs, 5 files)" in capsys.readouterr().out
