"""What annotators send back, merged: the consensus rule, their agreement, and what a build makes of it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import diptych
from diptych.errors import BadInputError
from diptych.files import write_json_lines
from diptych.folder import BuiltFolder
from diptych.report.review import ReviewItem, merge_files, review_items
from tests.report.review.conftest import CONFIG, write_sheet


def decide(tmp_path: Path, items: list[ReviewItem], *columns: list[Any], agree: int = 2) -> list[str]:
    """The verdicts on the first items, from the column of each annotator."""
    files = [
        write_sheet(
            tmp_path / f"{number}.json",
            f"annotator {number}",
            dict(zip((item.item_id for item in items), column, strict=False)),
        )
        for number, column in enumerate(columns)
    ]
    verdicts = {verdict["item"]: verdict["verdict"] for verdict in merge_files(files, items, agree)[0]}
    return [verdicts.get(item.item_id, "open") for item in items[: max(map(len, columns))]]


def test_two_must_agree(tmp_path: Path, items: list[ReviewItem]) -> None:
    columns = ["accepted", "accepted", "rejected", "accepted"], ["accepted", "rejected", "rejected"]
    assert decide(tmp_path, items, *columns) == ["accepted", "disputed", "rejected", "open"]


@pytest.mark.parametrize(("agree", "verdicts"), [(2, ["accepted", "rejected"]), (3, ["disputed", "disputed"])])
def test_so_many_of_all_must_agree(agree: int, verdicts: list[str], tmp_path: Path, items: list[ReviewItem]) -> None:
    columns = [["accepted", "accepted"], ["accepted", "rejected"], ["rejected", "rejected"]]
    assert decide(tmp_path, items, *columns, agree=agree) == verdicts


def test_a_fix_holds_where_all_fixes_agree(tmp_path: Path, items: list[ReviewItem]) -> None:
    fix = {"verdict": "fixed", "question": "Better?", "answers": ["dog"]}
    other_fix = {**fix, "question": "Best?"}
    columns = [fix, fix, fix], ["accepted", fix, other_fix]
    assert decide(tmp_path, items, *columns) == ["fixed", "fixed", "disputed"]


def test_every_pair_of_an_item_has_its_verdict(tmp_path: Path, items: list[ReviewItem]) -> None:
    item = ReviewItem("item", ("first", "second"), items[0].row)
    sheet = write_sheet(tmp_path / "a.json", "Ann", {"item": "accepted"})
    assert [verdict["pair_id"] for verdict in merge_files([sheet], [item], 1)[0]] == ["first", "second"]


def test_reasons_are_counted(tmp_path: Path, items: list[ReviewItem]) -> None:
    entry = {"verdict": "rejected", "reasons": ["bad grammar"]}
    sheet = write_sheet(tmp_path / "a.json", "Ann", {item.item_id: entry for item in items[:3]})
    assert merge_files([sheet], items, 1)[1]["reasons"] == {"bad grammar": 3}


# Files that cannot be used.


def test_an_unknown_item_is_named(tmp_path: Path, items: list[ReviewItem]) -> None:
    path = write_sheet(tmp_path / "a.json", "Ann", {"0123": "accepted"})
    with pytest.raises(BadInputError, match=r"a\.json: item 0123 is not a pair of this dataset"):
        merge_files([path], items, 1)


def test_an_unknown_verdict_is_named(tmp_path: Path, items: list[ReviewItem]) -> None:
    path = write_sheet(tmp_path / "a.json", "Ann", {items[0].item_id: "maybe"})
    with pytest.raises(BadInputError, match="the verdict is not one of accepted, rejected, fixed"):
        merge_files([path], items, 1)


def test_two_contradictory_files_of_one_annotator_are_named(tmp_path: Path, items: list[ReviewItem]) -> None:
    first = write_sheet(tmp_path / "first.json", "Ann", {items[0].item_id: "accepted"})
    second = write_sheet(tmp_path / "second.json", "Ann", {items[0].item_id: "rejected"})
    with pytest.raises(BadInputError, match=r"second\.json: item .*: Ann differs in .*first\.json"):
        merge_files([first, second], items, 1)


def test_two_files_of_one_annotator_are_one_sheet(tmp_path: Path, items: list[ReviewItem]) -> None:
    first = write_sheet(tmp_path / "first.json", "Ann", {items[0].item_id: "accepted"})
    second = write_sheet(tmp_path / "second.json", "Ann", {items[1].item_id: "rejected"})
    verdicts, report = merge_files([first, second], items, 1)
    assert report["annotators"] == ["Ann"]
    assert {verdict["verdict"] for verdict in verdicts} == {"accepted", "rejected"}


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"diptych_review": 1, "mode": "judge", "verdicts": []}',
        '{"diptych_review": 1, "mode": "answer", "annotator": "Ann", "verdicts": []}',
    ],
)
def test_a_file_that_is_no_review_is_named(tmp_path: Path, items: list[ReviewItem], content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(BadInputError, match=r"x\.json"):
        merge_files([path], items, 1)


@pytest.mark.parametrize(("agree", "message"), [(0, "at least 1 annotator"), (2, "there are only 1 annotators")])
def test_a_number_that_cannot_agree_is_refused(
    agree: int, message: str, tmp_path: Path, items: list[ReviewItem]
) -> None:
    path = write_sheet(tmp_path / "a.json", "Ann", {items[0].item_id: "accepted"})
    with pytest.raises(BadInputError, match=message):
        merge_files([path], items, agree)


# What several pairs rest on.


@pytest.fixture
def caused(items: list[ReviewItem]) -> list[ReviewItem]:
    """Twelve items on three facts."""
    return [replace(item, causes={"fact": f"f{number % 3}"}) for number, item in enumerate(items)]


def cause(value: str, at: int, undone: bool = False) -> dict[str, Any]:
    return {"kind": "fact", "value": value, "at": at, "undone": undone}


def test_a_rejected_fact_is_a_verdict_on_all_its_pairs_which_say_so(tmp_path: Path, caused: list[ReviewItem]) -> None:
    sheets = [write_sheet(tmp_path / f"{name}.json", name, {}, causes=[cause("f1", 5)]) for name in ("Ann", "Ben")]
    verdicts, report = merge_files(sheets, caused)
    assert {verdict["item"] for verdict in verdicts} == {item.item_id for item in caused[1::3]}
    assert all(verdict["covered_by"] == {"fact": "f1"} for verdict in verdicts)
    assert report["pairs_by_cause"] == {"fact: f1": 4}


def test_a_rejected_fact_counts_as_one_reviewers_rejection(tmp_path: Path, caused: list[ReviewItem]) -> None:
    first = write_sheet(tmp_path / "a.json", "Ann", {}, causes=[cause("f0", 5)])
    accepted, rejected = caused[0].item_id, caused[3].item_id
    second = write_sheet(tmp_path / "b.json", "Ben", {accepted: "accepted", rejected: "rejected"})
    verdicts = {verdict["item"]: verdict for verdict in merge_files([first, second], caused)[0]}
    assert verdicts[accepted]["verdict"] == "disputed"
    assert verdicts[rejected]["verdict"] == "rejected"
    assert "covered_by" not in verdicts[rejected]
    assert set(verdicts) == {accepted, rejected}


@pytest.mark.parametrize(("at", "verdict"), [(4, "rejected"), (6, "accepted")])
def test_of_a_verdict_on_an_item_and_one_on_its_fact_the_later_holds(
    at: int, verdict: str, tmp_path: Path, caused: list[ReviewItem]
) -> None:
    entries = {caused[0].item_id: {"verdict": "accepted", "at": at}}
    sheet = write_sheet(tmp_path / "a.json", "Ann", entries, causes=[cause("f0", 5)])
    verdicts = {line["item"]: line["verdict"] for line in merge_files([sheet], caused, 1)[0]}
    assert verdicts[caused[0].item_id] == verdict
    assert verdicts[caused[3].item_id] == "rejected"


def test_a_rejection_that_was_undone_counts_no_more(tmp_path: Path, caused: list[ReviewItem]) -> None:
    files = [
        write_sheet(tmp_path / f"{at}.json", "Ann", {}, causes=[cause("f0", at, undone)])
        for at, undone in ((5, False), (7, True))
    ]
    assert merge_files(files, caused, 1)[0] == merge_files(files[::-1], caused, 1)[0] == []
    assert len(merge_files(files[:1], caused, 1)[0]) == 4


def test_the_share_that_passed_is_of_the_items_that_somebody_looked_at(
    tmp_path: Path, caused: list[ReviewItem]
) -> None:
    entries = {caused[1].item_id: "accepted", caused[2].item_id: "rejected"}
    sheet = write_sheet(tmp_path / "a.json", "Ann", entries, causes=[cause("f0", 5)])
    (test,) = merge_files([sheet], caused, 1)[1]["tests"].values()
    assert (test["accepted"], test["rejected"], test["open"]) == (1, 5, 6)
    assert (test["passed"]["value"], test["passed"]["n"]) == (0.5, 2)


def test_an_unknown_fact_is_named(tmp_path: Path, caused: list[ReviewItem]) -> None:
    sheet = write_sheet(tmp_path / "a.json", "Ann", {}, causes=[cause("f9", 5)])
    with pytest.raises(BadInputError, match=r"a\.json: no pair is based on the fact f9"):
        merge_files([sheet], caused, 1)


def test_of_two_files_of_one_reviewer_the_later_decision_holds(tmp_path: Path, items: list[ReviewItem]) -> None:
    item = items[0].item_id
    files = [
        write_sheet(tmp_path / f"{at}.json", "Ann", {item: {"verdict": verdict, "at": at}})
        for at, verdict in ((5, "accepted"), (7, "rejected"))
    ]
    for order in (files, files[::-1]):
        assert [line["verdict"] for line in merge_files(order, items, 1)[0]] == ["rejected"]


# What a build makes of it.


@pytest.fixture(scope="module")
def verified_build(folder: BuiltFolder, world: Path, tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    """A build of what two annotators accepted: six items judged, one rejected, one fixed."""
    path = tmp_path_factory.mktemp("verified")
    items = judged_items(folder)
    entries: dict[str, Any] = {item.item_id: "accepted" for item in items[:6]}
    entries[items[0].item_id] = "rejected"
    entries[items[1].item_id] = {"verdict": "fixed", "question": "What is it, then?", "answers": ["a cat"]}
    sheets = [write_sheet(path / f"{name}.json", name, entries) for name in ("Ann", "Ben")]
    write_json_lines(path / "verdicts.jsonl", merge_files(sheets, items)[0])
    options = {"verdicts": path / "verdicts.jsonl", "unreviewed": "drop"}
    return diptych.build("rad-cads", world, path / "out", configs=(CONFIG,), **options)


def judged_items(folder: BuiltFolder) -> list[ReviewItem]:
    return review_items(folder, folder.select())


def test_a_build_keeps_what_was_accepted_or_fixed(folder: BuiltFolder, verified_build: BuiltFolder) -> None:
    rows = verified_build.pairs(verified_build.select()).to_pylist()
    assert len(rows) == sum(len(item.pair_ids) for item in judged_items(folder)[1:6])
    fixed = [row["perturbed_answer"] for row in rows if row["perturbed_question"] == "What is it, then?"]
    assert set(fixed) == {"a cat"}


def test_a_build_counts_what_was_rejected_or_not_judged(folder: BuiltFolder, verified_build: BuiltFolder) -> None:
    (counts,) = verified_build.manifest.configs[CONFIG].ledger["validation"].values()
    items = judged_items(folder)
    assert counts.skipped["people rejected it"] == len(items[0].pair_ids)
    assert counts.skipped["people did not review it"] == sum(len(item.pair_ids) for item in items[6:])


def test_there_is_one_verdict_per_pair_in_order(tmp_path: Path, items: list[ReviewItem]) -> None:
    sheet = write_sheet(tmp_path / "a.json", "Ann", {item.item_id: "accepted" for item in items})
    pair_ids = [verdict["pair_id"] for verdict in merge_files([sheet], items, 1)[0]]
    assert pair_ids == sorted(pair_id for item in items for pair_id in item.pair_ids)
