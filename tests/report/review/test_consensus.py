"""What annotators send back, merged: the consensus rule, their agreement, and what a build makes of it."""

from pathlib import Path
from typing import Any

import pytest

import diptych
from diptych.errors import BadInputError
from diptych.files import write_json_lines
from diptych.folder import BuiltFolder
from diptych.report.review import ReviewItem, choose_items, merge_files
from diptych.report.review._consensus import cohens_kappa, fleiss_kappa
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


def test_cohens_kappa_is_that_of_the_textbook() -> None:
    # Cohen's example of 50 grant proposals.
    labels = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohens_kappa(*zip(*labels, strict=True)) == pytest.approx(0.4)


def test_fleiss_kappa_is_that_of_the_textbook() -> None:
    # Fleiss' table of 1971 in its usual small form.
    table = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    labels = [[str(kind) for kind, count in enumerate(row) for _ in range(count)] for row in table]
    assert fleiss_kappa(labels) == pytest.approx(0.210, abs=5e-4)


@pytest.mark.parametrize(("annotators", "name"), [(2, "Cohen's kappa"), (3, "Fleiss' kappa")])
def test_agreement_is_measured_over_the_items_that_everybody_judged(
    annotators: int, name: str, tmp_path: Path, items: list[ReviewItem]
) -> None:
    sheets = [
        write_sheet(tmp_path / f"{number}.json", str(number), {item.item_id: "accepted" for item in items[number:]})
        for number in range(annotators)
    ]
    _, report = merge_files(sheets, items, 2)
    assert report["agreement"] == {"name": name, "value": 1.0, "items": len(items) - annotators + 1}


# Files that cannot be used.


def test_an_unknown_item_is_named(tmp_path: Path, items: list[ReviewItem]) -> None:
    path = write_sheet(tmp_path / "a.json", "Ann", {"0123": "accepted"})
    with pytest.raises(BadInputError, match=r"a\.json: item 0123 is none of this dataset's pairs"):
        merge_files([path], items, 1)


def test_an_unknown_verdict_is_named(tmp_path: Path, items: list[ReviewItem]) -> None:
    path = write_sheet(tmp_path / "a.json", "Ann", {items[0].item_id: "maybe"})
    with pytest.raises(BadInputError, match="the verdict is none of accepted, rejected, fixed"):
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
    return choose_items(folder.pairs(folder.select()).to_pylist())


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
