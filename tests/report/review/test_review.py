"""What annotators send back, merged: the consensus rule, agreement, and what a build makes of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from datasets import load_dataset
from diptych.metrics.built import read_built
from diptych.report.review.agreement import cohens_kappa, fleiss_kappa

from diptych.errors import BadInputError
from diptych.report.review import Item, choose_items, merge_files
from tests.builders.conftest import run


@pytest.fixture
def items(fvqa2: Path) -> list[Item]:
    return choose_items(read_built(str(fvqa2)).table.to_pylist())


def sheet(path: Path, name: str, verdicts: dict[str, Any], mode: str = "judge") -> Path:
    entries = [
        {"item": item, **(said if isinstance(said, dict) else {"verdict": said})} for item, said in verdicts.items()
    ]
    path.write_text(
        json.dumps({"diptych_review": 1, "page": "p", "mode": mode, "annotator": name, "verdicts": entries})
    )
    return path


def judged(tmp_path: Path, items: list[Item], *columns: list[Any], agree: int = 2) -> list[str]:
    """The verdicts on the first items, given what each annotator said of them."""
    files = [
        sheet(
            tmp_path / f"{number}.json",
            f"annotator {number}",
            dict(zip((i.item_id for i in items), said, strict=False)),
        )
        for number, said in enumerate(columns)
    ]
    merged = merge_files(files, items, agree)
    found = {verdict["item"]: verdict["verdict"] for verdict in merged.verdicts}
    return [found.get(item.item_id, "open") for item in items[: max(map(len, columns))]]


def test_equal_pairs_of_several_folds_are_one_item(fvqa2: Path, items: list[Item]) -> None:
    rows = read_built(str(fvqa2)).table.num_rows
    assert sum(len(item.pair_ids) for item in items) == rows
    assert len(items) < rows


def test_a_sample_is_the_same_in_any_order(fvqa2: Path) -> None:
    rows = read_built(str(fvqa2)).table.to_pylist()
    one, other = choose_items(rows, 5, seed=3), choose_items(rows[::-1], 5, seed=3)
    assert [item.item_id for item in one] == [item.item_id for item in other]
    assert len(one) == 5


def test_two_must_agree(tmp_path: Path, items: list[Item]) -> None:
    first = ["accept", "accept", "reject", "accept"]
    second = ["accept", "reject", "reject"]
    assert judged(tmp_path, items, first, second) == ["accept", "disputed", "reject", "open"]


def test_n_of_m_agree(tmp_path: Path, items: list[Item]) -> None:
    columns = [["accept", "accept"], ["accept", "reject"], ["reject", "reject"]]
    assert judged(tmp_path, items, *columns, agree=2) == ["accept", "reject"]
    assert judged(tmp_path, items, *columns, agree=3) == ["disputed", "disputed"]


def test_a_mending_holds_where_menders_agree(tmp_path: Path, items: list[Item]) -> None:
    mend = {"verdict": "fix", "question": "Better?", "answers": ["dog"]}
    other = {**mend, "question": "Best?"}
    assert judged(tmp_path, items, [mend, mend, mend], ["accept", mend, other]) == ["fix", "fix", "disputed"]


def test_kappas_are_those_of_the_textbooks() -> None:
    # Cohen's example of 50 grant proposals; Fleiss' of 1971 in its usual small form.
    yes_no = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohens_kappa(*zip(*yes_no, strict=True)) == pytest.approx(0.4)
    table = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    labels = [[str(kind) for kind, n in enumerate(row) for _ in range(n)] for row in table]
    assert fleiss_kappa(labels) == pytest.approx(0.210, abs=5e-4)


def test_an_unknown_pair_is_named(tmp_path: Path, items: list[Item]) -> None:
    path = sheet(tmp_path / "a.json", "Ann", {"0123": "accept"})
    with pytest.raises(BadInputError, match=r"a\.json: item 0123 is none of this dataset's pairs"):
        merge_files([path], items, 1)


def test_two_contradictory_files_of_one_annotator_are_named(tmp_path: Path, items: list[Item]) -> None:
    one = sheet(tmp_path / "one.json", "Ann", {items[0].item_id: "accept"})
    two = sheet(tmp_path / "two.json", "Ann", {items[0].item_id: "reject"})
    with pytest.raises(BadInputError, match=r"two\.json: item .*: Ann says otherwise in .*one\.json"):
        merge_files([one, two], items, 1)


def test_two_files_of_one_annotator_are_one_sheet(tmp_path: Path, items: list[Item]) -> None:
    one = sheet(tmp_path / "one.json", "Ann", {items[0].item_id: "accept"})
    two = sheet(tmp_path / "two.json", "Ann", {items[1].item_id: "reject"})
    merged = merge_files([one, two], items, 1)
    assert merged.annotators == ("Ann",)
    assert {verdict["verdict"] for verdict in merged.verdicts} == {"accept", "reject"}


@pytest.mark.parametrize("content", ["{", "[]", '{"diptych_review": 1, "mode": "judge", "verdicts": []}'])
def test_a_file_that_is_no_review_is_named(tmp_path: Path, items: list[Item], content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(BadInputError, match=r"x\.json"):
        merge_files([path], items, 1)


def test_a_build_keeps_what_passed_and_counts_the_rest(
    world: Path, fvqa2: Path, items: list[Item], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said: dict[str, Any] = {item.item_id: "accept" for item in items[:6]}
    said[items[0].item_id] = "reject"
    said[items[1].item_id] = {"verdict": "fix", "question": "What is it, then?", "answers": ["a mended thing"]}
    files = [sheet(tmp_path / f"{name}.json", name, said) for name in ("Ann", "Ben")]
    verdicts = tmp_path / "verdicts.jsonl"
    assert run("review", "merge", str(fvqa2), *map(str, files), "--to", str(verdicts)) == 0
    assert "Cohen's kappa" in capsys.readouterr().out
    out = tmp_path / "verified"
    assert run("build", "fvqa2", "--data", str(world), "--out", str(out), "--verdicts", str(verdicts)) == 0
    rows = load_dataset(str(out))["adversarial"].to_list()
    passed = sum(len(item.pair_ids) for item in items[1:6])
    assert len(rows) == passed
    assert {row["perturbed_answer"] for row in rows if row["perturbed_question"] == "What is it, then?"} == {
        "a mended thing"
    }
    manifest = json.loads((out / "manifest.json").read_text())
    reasons: dict[str, int] = {}
    for config in manifest["configs"].values():
        for counts in config["ledger"]["adversarial"].values():
            for reason, n in counts["skipped"].items():
                reasons[reason] = reasons.get(reason, 0) + n
    assert reasons["people rejected it"] == len(items[0].pair_ids)
    assert reasons["people gave no verdict on it"] == sum(len(item.pair_ids) for item in items[6:])
    assert (out / "recipe" / "verdicts.jsonl").is_file()


def test_a_broken_verdict_file_is_named(world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "v.jsonl"
    for content, said in (
        ('{"pair_id": "a", "verdict": "maybe"}', "v.jsonl:1: pair a: the verdict is none of"),
        (
            '{"pair_id": "a", "verdict": "accept"}\n{"pair_id": "a", "verdict": "reject"}',
            "v.jsonl:2: pair a has another",
        ),
        ("oops", "v.jsonl:1: not a line of JSON"),
    ):
        path.write_text(content)
        args = ("build", "fvqa2", "--data", str(world), "--out", str(tmp_path / "x"), "--verdicts", str(path))
        assert run(*args, "--config", "fold_0") == 2
        assert said in capsys.readouterr().err


def test_the_human_baseline_is_the_majority_and_ambiguous_counts_against(
    rad: Path, world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = choose_items(read_built(str(rad)).table.to_pylist())
    right = {
        f"{item.item_id}.{side}": item.row[f"{side}_answer"] for item in items for side in ("original", "perturbed")
    }
    unsure = f"{items[0].item_id}.perturbed"
    files = []
    for number in range(5):
        answers = {question: {"answer": answer} for question, answer in right.items()}
        if number < 3:
            answers[unsure] = {"answer": "ambiguous"}
        files.append(sheet(tmp_path / f"{number}.json", str(number), answers, "answer"))
    out = tmp_path / "human.jsonl"
    assert run("review", "merge", str(rad), *map(str, files), "--to", str(out), "--hits", "--json") == 0
    report = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    # On one side of one pair most people found the question ambiguous.
    pairs = sum(len(item.pair_ids) for item in items)
    assert report["human_baseline"]["accuracy_original"] == 1.0
    assert report["human_baseline"]["accuracy_perturbed"] == pytest.approx(1 - len(items[0].pair_ids) / pairs)
    assert report["with_fewer_than_5_answers"] == 0
    lines = {entry["pair_id"]: entry for entry in map(json.loads, out.read_text().splitlines())}
    assert len(lines) == len(items)
    assert lines[items[0].pair_ids[0]]["perturbed"] == ""
    assert run("score", str(rad), str(out), "--config", "yn_from_color") == 0
