"""`diptych score` and `diptych baseline` on a built folder."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diptych.cli import main
from tests.metrics.test_scores import pair

CARD = """---
configs:
- config_name: vqa
  default: true
  data_files:
  - split: validation
    path: data/vqa/validation-*.parquet
- config_name: visdial
  data_files:
  - split: train
    path: data/visdial/train-*.parquet
  - split: validation
    path: data/visdial/validation-*.parquet
---
# A dataset
"""
ROWS = [pair(f"p{at}", "red", "yes" if at % 2 else "no", test=f"rad.{at % 2}") for at in range(6)]


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    for config, split in (("vqa", "validation"), ("visdial", "train"), ("visdial", "validation")):
        path = folder / "data" / config / f"{split}-00000-of-00001.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    return folder


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as done:
        main([str(arg) for arg in args])
    captured = capsys.readouterr()
    return int(done.value.code or 0), captured.out, captured.err


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def right_answers() -> list[dict[str, Any]]:
    return [{"pair_id": row["pair_id"], "original": "red", "perturbed": row["perturbed_answers"][0]} for row in ROWS]


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_a_baseline_is_written_and_scored(built: Path, capsys: pytest.CaptureFixture[str], ending: str) -> None:
    file = built.parent / f"yes.{ending}"
    assert run(capsys, "baseline", built, "always-yes", "--out", file)[0] == 0
    code, out, _ = run(capsys, "score", built, file, "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["accuracy_original"], found["accuracy_perturbed"]) == (0.0, 0.5)
    assert found["rad_forward"] is None
    assert found["scores"]["overall"]["rad_forward"]["why"] == "no pair is right on the original side"
    assert found["settings"]["config"] == "rad"


def test_the_table_shows_n_intervals_and_baselines(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(built.parent / "p.jsonl", right_answers())
    code, out, _ = run(capsys, "score", built, file, "--by", "choices")
    assert code == 0
    assert out.startswith("6 pairs of vqa/validation; normaliser vqa;")
    line = next(line for line in out.splitlines() if line.startswith("rad_forward"))
    assert "100.00" in line
    assert "60.97 … 100.00" in line
    assert "always-yes" in out
    assert "rad.1" in out


def test_one_row_a_side_scores_the_same(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = write(built.parent / "pairs.jsonl", right_answers())
    sides = [
        {"pair_id": row["pair_id"], "side": side, "answer": row[side]}
        for row in right_answers()
        for side in ("original", "perturbed")
    ]
    one, other = (run(capsys, "score", built, file)[1] for file in (pairs, write(built.parent / "sides.jsonl", sides)))
    assert one == other


def test_two_models_are_compared(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = write(built.parent / "a.jsonl", right_answers())
    second = built.parent / "b.csv"
    run(capsys, "baseline", built, "always-no", "--out", second)
    _, out, _ = run(capsys, "score", built, first, "--against", second, "--json")
    assert json.loads(out)["against"]["rad.1"]["accuracy_perturbed"]["difference"] == 1.0
    assert "p Holm" in run(capsys, "score", built, first, "--against", second)[1]


def test_a_config_and_a_split_can_be_named(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(built.parent / "p.jsonl", right_answers())
    out = run(capsys, "score", built, file, "--config", "visdial", "--split", "train")[1]
    assert out.startswith("6 pairs of visdial/train;")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.jsonl", '{"pair_id": "p0", "original": "red"', "p.jsonl:1: broken JSON"),
        ("p.jsonl", '{"pair_id": "p0", "original": "red"}', "p.jsonl: lacks the column perturbed"),
        ("p.jsonl", "", "p.jsonl: holds no predictions"),
        ("p.jsonl", '{"pair_id": "p0", "original": "red", "perturbed": null}', "p.jsonl:1: no perturbed"),
        ("p.jsonl", '{"pair_id": "p0", "original": "red", "perturbed": true}', "perturbed must be text, not true"),
        ("p.jsonl", '{"pair_id": "x", "original": "red", "perturbed": "no"}', "the references do not have: 'x'"),
        (
            "p.jsonl",
            '{"pair_id": "p0", "original": "red", "perturbed": "no"}',
            "no answer for pair 'p1', 'p2', 'p3'",
        ),
        ("p.jsonl", '{"pair_id": "p0", "side": "left", "answer": "no"}', "unknown side 'left'"),
        ("p.csv", "pair_id,side\np0,original\n", "p.csv: lacks the column answer"),
        ("p.parquet", "not parquet", "p.parquet: not a readable Parquet file"),
        ("p.txt", "", "p.txt: predictions are .jsonl, .csv or .parquet files"),
    ],
)
def test_bad_predictions_are_one_line(
    built: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, message: str
) -> None:
    file = built.parent / name
    file.write_text(text, encoding="utf-8")
    code, _, err = run(capsys, "score", built, file)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--config", "vqaa"], "unknown config 'vqaa'; did you mean 'vqa'?"),
        (["--split", "test"], "unknown split of vqa 'test'"),
        (["--right", "often"], "unknown rule for what is right 'often'"),
        (["--normaliser", "soft"], "unknown normaliser 'soft'"),
        (["--by", "colour"], "unknown column 'colour'"),
        (["--scores", "bleu"], "unknown config 'bleu'"),
        (["--against", "nowhere.jsonl"], "nowhere.jsonl: not found"),
        (["--nodes", "nowhere.txt"], "nowhere.txt: cannot be read"),
    ],
)
def test_bad_options_are_one_line(
    built: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    file = write(built.parent / "p.jsonl", right_answers())
    code, _, err = run(capsys, "score", built, file, *options)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_a_folder_that_is_none_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "score", tmp_path / "nothing", tmp_path / "p.jsonl")
    assert code == 2
    assert "neither a built folder nor a Hub dataset" in err


def test_a_folder_without_a_card_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "score", tmp_path, tmp_path / "p.jsonl")
    assert code == 2
    assert "a built folder has a card" in err


def test_an_unwritable_baseline_is_said(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "baseline", built, "always-yes", "--out", built / "no" / "such" / "p.jsonl")
    assert code == 2
    assert "cannot be written" in err
