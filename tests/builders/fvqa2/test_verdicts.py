"""A review of fvqa2's adversarial pairs: what it changes, and what stays as it is."""

import json
from pathlib import Path

import pytest

import diptych
from diptych.folder import BuiltFolder


@pytest.fixture(scope="module")
def before(data: Path, tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    return diptych.build("fvqa2", data, tmp_path_factory.mktemp("fvqa2") / "before", configs=("fold_0",))


@pytest.fixture(scope="module")
def record(before: BuiltFolder) -> str:
    """The question that the most adversarial pairs are made from."""
    records = before.table("fold_0", "adversarial")["source_id"].to_pylist()
    return max(sorted(set(records)), key=records.count)


def build(before: BuiltFolder, data: Path, folder: Path, record: str, count: int, unreviewed: str) -> BuiltFolder:
    """A build that some pairs of one question were rejected for."""
    rows = before.table("fold_0", "adversarial").to_pylist()
    pair_ids = [row["pair_id"] for row in rows if row["source_id"] == record][:count]
    verdicts = folder / "verdicts.jsonl"
    verdicts.write_text("".join(f"{json.dumps({'pair_id': name, 'verdict': 'rejected'})}\n" for name in pair_ids))
    options = {"verdicts": verdicts, "unreviewed": unreviewed, "configs": ("fold_0",)}
    return diptych.build("fvqa2", data, folder / "after", **options)


@pytest.fixture(scope="module")
def after(before: BuiltFolder, record: str, data: Path, tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    """All pairs of one question were rejected."""
    return build(before, data, tmp_path_factory.mktemp("fvqa2-after"), record, 1000, "keep")


def records(folder: BuiltFolder, split: str) -> list[str]:
    ids: list[str] = folder.table("fold_0", split)["source_id"].to_pylist()
    return ids


@pytest.mark.parametrize("split", ["train", "test", "augmentation"])
def test_a_split_that_nobody_reviewed_stays(split: str, before: BuiltFolder, after: BuiltFolder) -> None:
    entries = [folder.manifest.configs["fold_0"].splits[split] for folder in (before, after)]
    assert entries[0] == entries[1]


def test_the_ledger_says_that_a_split_was_not_reviewed(after: BuiltFolder) -> None:
    ledger = after.manifest.configs["fold_0"].ledger["augmentation"]
    reasons = {reason for counts in ledger.values() for reason in counts.kept}
    assert reasons == {"people reviewed no pair of this test and split"}


def test_a_question_whose_pairs_are_all_rejected_is_no_originating_one(
    before: BuiltFolder, after: BuiltFolder, record: str
) -> None:
    assert records(after, "adversarial") == [name for name in records(before, "adversarial") if name != record]
    assert records(after, "originating") == [name for name in records(before, "originating") if name != record]
    (counts,) = after.manifest.configs["fold_0"].ledger["originating"].values()
    assert counts.skipped == {"none of the pairs made from it was kept": 1}


def test_a_question_with_a_pair_left_stays_an_originating_one(
    before: BuiltFolder, record: str, data: Path, tmp_path: Path
) -> None:
    assert records(before, "adversarial").count(record) > 1
    after = build(before, data, tmp_path, record, 1, "keep")
    assert records(after, "originating") == records(before, "originating")


def test_only_the_questions_of_reviewed_pairs_stay_where_the_rest_is_dropped(
    before: BuiltFolder, record: str, data: Path, tmp_path: Path
) -> None:
    after = build(before, data, tmp_path, record, 1, "drop")
    tests = {row["test"] for row in before.table("fold_0", "adversarial").to_pylist()}
    left = after.table("fold_0", "adversarial").to_pylist() if "adversarial" in after.splits("fold_0") else []
    assert len({row["test"] for row in left}) == len(tests) - 1
    assert set(records(after, "originating")) == {row["source_id"] for row in left}


@pytest.mark.parametrize("unreviewed", ["keep", "drop"])
def test_a_reviewed_build_is_built_again_bit_for_bit(
    unreviewed: str, before: BuiltFolder, record: str, data: Path, tmp_path: Path
) -> None:
    after = build(before, data, tmp_path, record, 1, unreviewed)
    again = diptych.rebuild(after.path, data)
    assert not again.differences
    assert again.manifest.configs["fold_0"].splits == after.manifest.configs["fold_0"].splits
    assert again.manifest.configs["fold_0"].ledger == after.manifest.configs["fold_0"].ledger
    assert again.manifest.verdicts == after.manifest.verdicts
