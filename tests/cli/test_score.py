"""`diptych score` and `diptych baseline` on a built folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from diptych.cli import main
from diptych.metrics import BASELINES, FAMILIES
from tests.metrics.folders import make_folder
from tests.metrics.rows import pair, prediction

ROWS = [pair(f"p{number}", "red", "yes" if number % 2 else "no", test=f"rad.{number % 2}") for number in range(6)]


@pytest.fixture
def built(tmp_path: Path) -> Path:
    configs = {"vqa": {"validation": ROWS}, "visdial": {"train": ROWS, "validation": ROWS}}
    return make_folder(tmp_path / "out", configs).path


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main([str(arg) for arg in args])
    captured = capsys.readouterr()
    return int(stopped.value.code or 0), captured.out, captured.err


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def right_answers() -> list[dict[str, Any]]:
    return [prediction(row["pair_id"], "red", row["perturbed_answers"][0]) for row in ROWS]


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_a_baseline_is_written_and_scored(built: Path, capsys: pytest.CaptureFixture[str], suffix: str) -> None:
    file = built.parent / f"yes.{suffix}"
    assert run(capsys, "baseline", built, "always-yes", "--out", file)[0] == 0
    code, out, _ = run(capsys, "score", built, file, "--json")
    report = json.loads(out)
    assert code == 0
    assert (report["accuracy_original"], report["accuracy_perturbed"]) == (0.0, 0.5)
    assert report["rad_forward"] is None
    assert report["scores"]["overall"]["rad_forward"]["reason"] == "no pair is right on the original side"
    assert report["settings"]["family"] == "rad"


def test_the_table_shows_n_intervals_and_baselines(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(built.parent / "p.jsonl", right_answers())
    code, out, _ = run(capsys, "score", built, file, "--by", "choices")
    assert code == 0
    assert out.startswith("6 pairs of vqa/validation; normalizer vqa;")
    line = next(line for line in out.splitlines() if line.startswith("rad_forward"))
    assert "100.00" in line
    assert "60.97 … 100.00" in line
    assert "always-yes" in out
    assert "rad.1" in out


def test_one_row_per_side_scores_the_same(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = write(built.parent / "pairs.jsonl", right_answers())
    sides = [
        {"pair_id": row["pair_id"], "side": side, "answer": row[side]}
        for row in right_answers()
        for side in ("original", "perturbed")
    ]
    file = write(built.parent / "sides.jsonl", sides)
    assert run(capsys, "score", built, file)[1] == run(capsys, "score", built, pairs)[1]


def test_replies_are_read_or_taken_as_they_stand(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{**row, "original": f"<think>blue?</think>{row['original']}"} for row in right_answers()]
    file = write(built.parent / "thinking.jsonl", rows)
    for reader, accuracy in (("standard", 1.0), ("strict", 0.0)):
        report = json.loads(run(capsys, "score", built, file, "--reader", reader, "--json")[1])
        assert (report["accuracy_original"], report["settings"]["reader"]) == (accuracy, reader)
    assert "reader standard 1" in run(capsys, "score", built, file)[1]
    code, _, err = run(capsys, "score", built, file, "--reader", "lax")
    assert (code, err.count("\n")) == (2, 1)
    assert "unknown reader 'lax'; known: standard, strict" in err


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
        ("p.jsonl", '{"pair_id": "p0", "original": "red", "perturbed": "no"}', "no answer for pair 'p1', 'p2', 'p3'"),
        ("p.jsonl", '{"pair_id": "p0", "side": "left", "answer": "no"}', "unknown side 'left'"),
        ("p.csv", "pair_id,side\np0,original\n", "p.csv: lacks the column answer"),
        ("p.parquet", "not parquet", "p.parquet: cannot be read"),
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
        (["--normalizer", "soft"], "unknown normalizer 'soft'"),
        (["--by", "color"], "unknown column 'color'"),
        (["--family", "bleu"], "unknown score family 'bleu'"),
        (["--against", "nowhere.jsonl"], "nowhere.jsonl: not found"),
        (["--nodes", "nowhere.txt"], "nowhere.txt: not found"),
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


def test_a_location_that_is_no_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "score", tmp_path / "nothing", tmp_path / "p.jsonl")
    assert code == 2
    assert "neither a built folder nor a Hub dataset" in err


def test_a_folder_that_was_not_built_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "score", tmp_path, tmp_path / "p.jsonl")
    assert code == 2
    assert "not a built folder: it has no manifest.json" in err


def test_a_baseline_that_cannot_be_written_is_one_line(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (built / "p.jsonl").mkdir()
    code, _, err = run(capsys, "baseline", built, "always-yes", "--out", built / "p.jsonl")
    assert code == 2
    assert "cannot be written" in err


def test_the_help_names_every_family_and_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    # Lines of the help may break anywhere.
    texts = {command: "".join(run(capsys, command, "--help")[1].split()) for command in ("score", "baseline")}
    assert all(family in texts["score"] for family in FAMILIES)
    assert all(name in texts["baseline"] for name in (*BASELINES, "oracle"))
