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
    (built.parent / "sides").mkdir()
    file = write(built.parent / "sides" / "pairs.jsonl", sides)
    assert run(capsys, "score", built, file)[1] == run(capsys, "score", built, pairs)[1]


def test_replies_are_read_or_taken_as_they_stand(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{**row, "original": f"<think>blue?</think>{row['original']}"} for row in right_answers()]
    file = write(built.parent / "thinking.jsonl", rows)
    for reader, accuracy in (("standard", 1.0), ("strict", 0.0)):
        report = json.loads(run(capsys, "score", built, file, "--reader", reader, "--json")[1])
        assert (report["accuracy_original"], report["settings"]["reader"]) == (accuracy, reader)
    assert "reader standard 5" in run(capsys, "score", built, file)[1]
    code, _, err = run(capsys, "score", built, file, "--reader", "lax")
    assert (code, err.count("\n")) == (2, 1)
    assert "unknown reader 'lax'; known: standard, strict" in err


def test_two_models_are_compared(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = write(built.parent / "a.jsonl", right_answers())
    second = built.parent / "b.csv"
    run(capsys, "baseline", built, "always-no", "--out", second)
    _, out, _ = run(capsys, "score", built, first, "--against", second, "--json")
    assert json.loads(out)["against"]["rad.1"]["accuracy_perturbed"]["difference"] == 1.0
    text = run(capsys, "score", built, first, "--against", second)[1]
    for name in ("p McNemar", "p bootstrap", "p Holm"):
        assert f"  {name}" in text  # a column
        assert f"\n{name}: " in text  # what it is


def test_a_partial_run_is_scored_where_that_is_allowed(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(built.parent / "p.jsonl", right_answers()[:3])
    code, _, err = run(capsys, "score", built, file)
    assert (code, "no answer to 3 of 6 pairs" in err, "--allow-missing" in err) == (2, True, True)
    code, out, _ = run(capsys, "score", built, file, "--allow-missing", "--json")
    assert (code, json.loads(out)["coverage"]["share"]) == (0, 0.5)


def test_pairs_are_explained_in_text_and_in_json(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = built.parent / "p.jsonl"
    run(capsys, "baseline", built, "copy-original", "--out", file)
    assert "\nunread: " in run(capsys, "score", built, file, "--explain", 2)[1]
    report = json.loads(run(capsys, "score", built, file, "--explain", 2, "--json")[1])
    assert [entry["kind"] for entry in report["explanations"]] == ["unread"] * 2
    assert report["explanation_counts"]["unread"] == 6


@pytest.fixture
def two_models(built: Path) -> list[Path]:
    wrong = [row | {"perturbed": "no"} for row in right_answers()]
    return [write(built.parent / "right.jsonl", right_answers()), write(built.parent / "never yes.jsonl", wrong)]


def test_many_models_stand_side_by_side(
    built: Path, two_models: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "score", built, two_models[0], f"no={two_models[1]}", "--bootstrap", 50)
    assert code == 0
    assert out.startswith("6 pairs of vqa/validation; normalizer vqa; reader standard 5; averaging leave-one-out;")
    table = out.partition("(RAD, Table 2)")[2]
    rows = [line.split()[:2] for line in table.splitlines() if line.startswith(("right", "no"))]
    assert rows[:2] == [["right", "100.00"], ["no", "100.00"]]
    assert "share a letter" in out


@pytest.mark.parametrize(
    ("form", "start"),
    [("markdown", "6 pairs of"), ("latex", "% 6 pairs of"), ("csv", "table,row,part,column,score,value")],
)
def test_tables_are_printed_in_other_formats(
    built: Path, two_models: list[Path], capsys: pytest.CaptureFixture[str], form: str, start: str
) -> None:
    for files in (two_models, two_models[:1]):
        code, out, _ = run(capsys, "score", built, *files, "--format", form, "--table", "accuracy")
        assert code == 0
        assert out.startswith(start)
        assert "right" in out


def test_json_of_many_models_holds_reports_and_tables(
    built: Path, two_models: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, "score", built, *two_models, "--format", "json", "--by", "test,choices")
    result = json.loads(out)
    assert set(result["models"]) == {"right", "never yes"}
    assert result["models"]["right"]["rad_forward"] == 1.0
    assert result["models"]["right"]["settings"]["averaging"] == "leave-one-out"
    assert [table["name"] for table in result["tables"]] == ["scores", "rad", "accuracy", "test,choices"]
    assert set(result["models"]["right"]["scores"]["by"]) == {"test", "test,choices"}
    assert result["tables"][1]["rows"][0]["cells"]["rad.0"]["n"] == 3


def test_the_averaging_is_chosen_and_printed(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(built.parent / "p.jsonl", right_answers())
    assert "; averaging eq2; " in run(capsys, "score", built, file, "--averaging", "eq2")[1]
    assert "; averaging leave-one-out; " in run(capsys, "score", built, file)[1]


def test_a_config_and_a_split_can_be_named(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(built.parent / "p.jsonl", right_answers())
    out = run(capsys, "score", built, file, "--config", "visdial", "--split", "train")[1]
    assert out.startswith("6 pairs of visdial/train;")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.jsonl", '{"pair_id": "p0", "original": "red"', "p.jsonl:1: broken JSON"),
        ("p.jsonl", '{"pair_id": "p0", "original": "red"}', "p.jsonl: lacks the column perturbed"),
        ("p.jsonl", "", "p.jsonl: contains no predictions"),
        ("p.jsonl", '{"pair_id": "p0", "original": "red", "perturbed": null}', "p.jsonl: no answer to 6 of 6 pairs"),
        (
            "p.jsonl",
            '{"pair_id": "p0", "original": "red", "perturbed": ["no"]}',
            'p.jsonl:1: perturbed must be text, not ["no"]',
        ),
        ("p.jsonl", '{"pair_id": null, "original": "red", "perturbed": "no"}', "p.jsonl:1: no pair_id"),
        ("p.jsonl", '{"pair_id": "x", "original": "red", "perturbed": "no"}', "nor in a union with it: 'x'"),
        (
            "p.jsonl",
            '{"pair_id": "p0", "original": "red", "perturbed": "no"}',
            "no answer to 5 of 6 pairs: 'p1', 'p2', 'p3', …",
        ),
        ("p.jsonl", '{"pair_id": "p0", "side": "left", "answer": "no"}', "unknown side 'left'"),
        ("p.csv", "pair_id,side\np0,original\n", "p.csv: lacks the column answer"),
        ("p.parquet", "PAR1 not parquet", "p.parquet: cannot be read"),
        ("p.parquet", "not parquet", "p.parquet: lacks the column pair_id, original, perturbed; it has 'not parquet'"),
        ("p.txt", " \n", "p.txt: contains no predictions"),
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
        (["--averaging", "mean"], "unknown averaging 'mean'"),
        (["--by", "test,color"], "unknown column 'color'"),
        (["--format", "html"], "unknown format 'html'; known: table, markdown, latex, csv, json"),
        (["--table", "visual"], "unknown table 'visual'"),
        (["--table", "regression"], "the regression needs 5 models or more"),
        (["--table", "rad", "--explain", "3"], "--against and --explain are for a single model"),
        (["nowhere.jsonl"], "nowhere.jsonl: not found"),
        (["other/p.jsonl"], "another model is also named 'p'; write NAME=FILE"),
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


def test_groups_and_a_prior_may_be_named(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(built.parent / "p.jsonl", [row | {"original": "blue"} for row in right_answers()])
    prior = ("--groups", "test", "--prior", "original_answers")
    code, _, error = run(capsys, "score", built, file, *prior)
    assert (code, error.count("\n")) == (2, 1)
    code, out, _ = run(capsys, "score", built, file, "--groups", "test", "--prior", "test", "--json")
    scores = json.loads(out)["scores"]["overall"]
    assert code == 0
    assert (scores["group_accuracy"]["value"], scores["group_accuracy"]["n"]) == (0.0, 2)
    assert (scores["prior_error_share"]["value"], scores["prior_error_share"]["n"]) == (0.0, 6)


def test_an_unknown_column_of_groups_is_one_line(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(built.parent / "p.jsonl", right_answers())
    code, out, error = run(capsys, "score", built, file, "--groups", "shade")
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert "unknown column 'shade'" in error
