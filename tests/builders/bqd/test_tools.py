"""Rows that are no pairs beside pairs: every tool after the builder takes both."""

import json
import shutil
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diptych import load_pairs, open_folder
from diptych.audit import audit_folder
from diptych.folder import FindingEntry
from diptych.publishing import add_erratum
from tests.builders.bqd.conftest import read_rows
from tests.commands import run


@pytest.fixture(scope="module")
def published(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All configs of 30 main questions, with card and audit."""
    out = tmp_path_factory.mktemp("bqd") / "bqd"
    assert run("build", "bqd", "--data", data, "--out", out, "--set", "limit=30", "--set", "ranker=bleu2") == 0
    return out


@pytest.fixture
def changed(published: Path, tmp_path: Path) -> Path:
    """A copy to change."""
    return Path(shutil.copytree(published, tmp_path / "changed"))


def errors(folder: Path) -> dict[str, FindingEntry]:
    findings = audit_folder(open_folder(folder)).findings
    return {finding.name: finding for finding in findings if finding.level == "error"}


def ranked_file(folder: Path) -> Path:
    return next((folder / "data" / "gbqd_ranked").iterdir())


def test_every_config_loads(published: Path, tmp_path: Path) -> None:
    from datasets import load_dataset

    whole = load_dataset(str(published), cache_dir=str(tmp_path))["validation"]
    assert whole.num_rows == len(read_rows(published, "gbqd"))
    configs = open_folder(published).manifest.configs
    assert set(configs) == {"gbqd", "ynbqd", "gbqd_ranked", "ynbqd_ranked", "shuffled"}
    for name, config in configs.items():
        loaded = load_dataset(str(published), name, cache_dir=str(tmp_path))["validation"]
        assert loaded.num_rows == config.splits["validation"].rows
        assert loaded.column_names == [feature["name"] for feature in config.features]


def test_the_audit_finds_no_error(published: Path) -> None:
    assert errors(published) == {}


def test_the_audit_sees_a_ranked_row_that_was_changed(changed: Path) -> None:
    path = ranked_file(changed)
    table = pq.read_table(path)
    pq.write_table(table.set_column(2, "question", pa.array(["Why?"] * table.num_rows)), path)
    assert {"file hashes", "content hashes"} <= set(errors(changed))


def test_the_audit_sees_a_ranked_column_that_is_gone(changed: Path) -> None:
    path = ranked_file(changed)
    pq.write_table(pq.read_table(path).drop_columns(["gap"]), path)
    assert "gap" in errors(changed)["schema"].message


def test_the_audit_sees_a_ranking_out_of_order(changed: Path) -> None:
    path = ranked_file(changed)
    rows = pq.read_table(path).to_pylist()
    rows[0]["scores"].reverse()
    pq.write_table(pa.Table.from_pylist(rows, schema=pq.read_schema(path)), path)
    assert rows[0]["question_id"] in errors(changed)["rankings"].message


def test_the_card_tells_how_many_rows_there_are(published: Path) -> None:
    card = (published / "README.md").read_text(encoding="utf-8")
    assert "`gbqd_ranked` has no pairs" in card
    assert "30 rows in validation" in card


@pytest.mark.parametrize("command", [("score",), ("baseline",), ("review", "export")])
def test_what_works_on_pairs_refuses_other_rows_in_one_line(
    published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    files = {"score": [tmp_path / "p.jsonl"], "baseline": ["majority", "--out", tmp_path / "p.jsonl"]}
    (tmp_path / "p.jsonl").touch()
    rest = files.get(command[0], ["--to", tmp_path / "page.html"])
    assert run(*command, published, *rest, "--config", "gbqd_ranked") == 2
    assert "are not pairs" in capsys.readouterr().err


def test_a_score_is_reported_by_partition_with_its_r_score(
    published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A model that is right on the main question and loses it in the noise of partition 7.
    lines = [
        {"pair_id": pair["pair_id"], "original": pair["original_answer"]}
        | {"perturbed": "nothing" if pair["partition"] == 7 else pair["perturbed_answer"]}
        for pair in read_rows(published, "gbqd")
    ]
    (tmp_path / "p.jsonl").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    assert run("score", published, tmp_path / "p.jsonl", "--bootstrap", "0", "--json") == 0
    groups = json.loads(capsys.readouterr().out)["scores"]["by"]["partition"]
    assert [*groups] == ["1", "2", "3", "4", "5", "6", "7"]
    assert groups["1"]["r_score"]["value"] == 1
    assert groups["7"]["accuracy_perturbed"]["value"] == 0
    assert groups["7"]["r_score"]["value"] == 0


def test_diff_lists_ranked_rows(changed: Path, published: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = ranked_file(changed)
    rows = pq.read_table(path).to_pylist()
    rows[0]["scores"][0] += 1
    pq.write_table(pa.Table.from_pylist(rows[:-1], schema=pq.read_schema(path)), path)
    capsys.readouterr()
    assert run("diff", published, changed) == 1
    lines = capsys.readouterr().out
    assert "gbqd_ranked/validation rows: 1 removed, 1 retouched" in lines
    assert rows[-1]["question"] in lines
    assert "v3.0.0" in lines


def test_diff_moves_scores_of_pairs_alone(
    published: Path, changed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("baseline", published, "majority", "--out", tmp_path / "p.jsonl") == 0
    (changed / "README.md").write_text("other\n" + (changed / "README.md").read_text())
    assert run("diff", published, changed, "--predictions", tmp_path / "p.jsonl") == 1
    assert "the scores stay the same" in capsys.readouterr().out


def test_an_erratum_names_a_pair_and_ranked_rows_still_load(changed: Path) -> None:
    pair = read_rows(changed, "ynbqd")[0]
    add_erratum(open_folder(changed), pair["pair_id"], "wrong")
    assert pair["pair_id"] not in load_pairs(changed, "ynbqd")["pair_id"]
    assert load_pairs(changed, "gbqd_ranked").num_rows == 30


@pytest.mark.parametrize("form", ["lm-eval", "inspect", "vqa", "croissant", "eval-yaml"])
def test_an_export_leaves_other_rows_out_or_takes_them_as_they_are(published: Path, tmp_path: Path, form: str) -> None:
    assert run("export", published, "--to", form, "--out", tmp_path / "out") == 0
    names = [path.name for path in (tmp_path / "out").rglob("*")]
    assert names
    assert not [name for name in names if "ranked" in name]
    if form == "croissant":
        metadata: Any = json.loads((tmp_path / "out" / "croissant.json").read_text())
        keys = {records["name"]: records["key"]["@id"] for records in metadata["recordSet"]}
        assert keys["gbqd_ranked/validation"] == "gbqd_ranked/validation/question_id"
        assert keys["gbqd/validation"] == "gbqd/validation/pair_id"


def test_a_rebuild_is_bit_identical(published: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run("build", published, "--data", data) == 0
    assert "bit-identical (5 configs, 5 files)" in capsys.readouterr().out
