"""People's verdicts: a build leaves out what was rejected, says what becomes of the rest, and counts all of it."""

import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest

from diptych.builders import read_verdicts
from diptych.builders._ledger import Ledger
from diptych.builders._pictures import DIGEST
from diptych.builders._verdicts import Review, Verdict
from diptych.builders._work import Shards
from diptych.errors import BadInputError, MissingFileError
from diptych.folder import BuiltFolder, read_recipe
from diptych.pairs import DIGEST_SIZE, Expectation, Pair, Side, pairs_table, row_digests
from tests.builders.toys import ToyColors, build_toy, write_things

PAIR = Pair(
    "toy.a", Expectation.GIVEN, Side("1", "What?", "a cat"), Side("1", "Is it a cat?", "yes", ("yes",)), "", "", "", "1"
)


def write_lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return path


def judge(pair: Pair, *verdicts: Verdict, unreviewed: str = "keep") -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What a verdict leaves of a split with one pair, and the ledger of it."""
    table = pairs_table([pair])
    table = table.append_column(DIGEST, pa.array(list(row_digests(table)), pa.binary(DIGEST_SIZE)))
    review = Review(dict.fromkeys([pair.pair_id], *verdicts) if verdicts else {}, unreviewed)
    ledger = Ledger(paired=Counter({pair.test: 1}))
    judgment = review.judge({"train": cast("Shards", OneTable(table))}, {})
    rows = [row for kept in judgment.apply("train", [table], ledger) for row in kept.to_pylist()]
    assert [row.pop(DIGEST) for row in rows] == list(row_digests(pa.Table.from_pylist(rows, table.schema.remove(21))))
    return rows, ledger.as_json()["toy.a"]


@dataclass(frozen=True)
class OneTable:
    """Shards of one table."""

    table: pa.Table

    def tables(self, *columns: str) -> list[pa.Table]:
        return [self.table.select(list(columns))]


def test_an_accepted_pair_is_kept() -> None:
    rows, ledger = judge(PAIR, Verdict("accepted"))
    assert rows == [PAIR.row()]
    assert ledger["kept"] == {"people accepted it": 1}


@pytest.mark.parametrize(
    ("verdict", "reason"), [("rejected", "people rejected it"), ("disputed", "people did not agree on it")]
)
def test_a_pair_that_people_do_not_want_is_skipped(verdict: str, reason: str) -> None:
    rows, ledger = judge(PAIR, Verdict(verdict))
    assert rows == []
    assert ledger == {"seen": 1, "paired": 0, "skipped": {reason: 1}}


@pytest.mark.parametrize("unreviewed", ["keep", "drop"])
def test_a_pair_is_kept_where_nothing_was_reviewed(unreviewed: str) -> None:
    rows, ledger = judge(PAIR, unreviewed=unreviewed)
    assert rows == [PAIR.row()]
    assert ledger["kept"] == {"people reviewed no pair of this test and split": 1}


def test_a_fixed_pair_has_its_new_question_answers_and_id() -> None:
    (row,), ledger = judge(PAIR, Verdict("fixed", "Is it a dog?", ("no", "nope")))
    assert row == replace(PAIR, perturbed=Side("1", "Is it a dog?", "no", ("no", "nope"))).row()
    assert ledger["kept"] == {"people fixed it": 1}


def test_what_a_fix_leaves_open_stays() -> None:
    (row,), _ = judge(PAIR, Verdict("fixed", "Is this a cat?"))
    assert row == replace(PAIR, perturbed=Side("1", "Is this a cat?", "yes", ("yes",))).row()


def test_a_question_as_its_source_has_it_needs_no_verdict() -> None:
    pair = Pair("toy.a", Expectation.SAME, PAIR.original, PAIR.original, "", "", "", "1")
    assert judge(pair, unreviewed="drop")[1]["kept"] == {"a question as its source has it": 1}
    assert judge(pair, Verdict("rejected"))[0] == []


def test_verdicts_are_read_by_pair(tmp_path: Path) -> None:
    rows = ({"pair_id": "a", "verdict": "accepted"}, {"pair_id": "b", "verdict": "fixed", "answers": ["no"]})
    verdicts = read_verdicts(write_lines(tmp_path / "v.jsonl", *rows))
    assert verdicts == {"a": Verdict("accepted"), "b": Verdict("fixed", "", ("no",))}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (({"verdict": "accepted"},), r"v\.jsonl:1: no pair_id"),
        (({"pair_id": "a", "verdict": "maybe"},), r"v\.jsonl:1: pair a: the verdict is not one of accepted, fixed"),
        (
            ({"pair_id": "a", "verdict": "accepted"}, {"pair_id": "a", "verdict": "rejected"}),
            r"v\.jsonl:2: pair a has a different verdict",
        ),
        (("oops",), r"v\.jsonl:1: broken JSON"),
        (("[]",), r"v\.jsonl:1: not a JSON object"),
    ],
)
def test_a_broken_verdict_file_is_named(rows: tuple[Any, ...], message: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=message):
        read_verdicts(write_lines(tmp_path / "v.jsonl", *rows))


def test_verdicts_on_pairs_that_were_not_made_are_counted() -> None:
    entry = Review({str(number): Verdict("accepted") for number in range(20)}).entry({"0", "1"})
    assert (entry.given, entry.used, entry.unknown, len(entry.first_unknown)) == (20, 2, 18, 10)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_things(tmp_path / "data", 60)


@pytest.fixture
def all_pairs(data: Path, tmp_path: Path) -> BuiltFolder:
    return build_toy(ToyColors(), data, tmp_path / "all", "dark")


@pytest.fixture
def verdicts(all_pairs: BuiltFolder, tmp_path: Path) -> Path:
    """Three verdicts of people, and one on a pair that is not made."""
    pair_ids = all_pairs.table("dark", "train")["pair_id"].to_pylist()
    rows = (
        {"pair_id": pair_ids[0], "verdict": "accepted"},
        {"pair_id": pair_ids[1], "verdict": "rejected"},
        {"pair_id": pair_ids[2], "verdict": "fixed", "question": "Is it dark?", "answers": ["yes"]},
        {"pair_id": "0" * 24, "verdict": "accepted"},
    )
    return write_lines(tmp_path / "verdicts.jsonl", *rows)


@pytest.fixture
def verified_build(data: Path, verdicts: Path, tmp_path: Path) -> BuiltFolder:
    return build_toy(ToyColors(), data, tmp_path / "verified", "dark", verdicts=verdicts)


@pytest.fixture
def strict_build(data: Path, verdicts: Path, tmp_path: Path) -> BuiltFolder:
    options = {"verdicts": verdicts, "unreviewed": "drop"}
    return build_toy(ToyColors(), data, tmp_path / "strict", "dark", "bright", **options)


def test_a_build_keeps_what_was_not_reviewed(all_pairs: BuiltFolder, verified_build: BuiltFolder) -> None:
    before = all_pairs.table("dark", "train")["perturbed_question"].to_pylist()
    after = verified_build.table("dark", "train")["perturbed_question"].to_pylist()
    assert after == [before[0], "Is it dark?", *before[3:]]


def test_a_build_counts_what_it_kept_and_why(all_pairs: BuiltFolder, verified_build: BuiltFolder) -> None:
    before, after = (
        folder.manifest.configs["dark"].ledger["train"]["toy.dark"] for folder in (all_pairs, verified_build)
    )
    assert after.skipped["people rejected it"] == 1
    assert after.kept == {"people did not review it": before.paired - 3, "people accepted it": 1, "people fixed it": 1}
    assert (after.seen, after.paired) == (before.seen, sum(after.kept.values()))


def test_a_build_can_drop_what_was_not_reviewed(all_pairs: BuiltFolder, strict_build: BuiltFolder) -> None:
    first = all_pairs.table("dark", "train")["perturbed_question"].to_pylist()[0]
    assert strict_build.table("dark", "train")["perturbed_question"].to_pylist() == [first, "Is it dark?"]
    counts = strict_build.manifest.configs["dark"].ledger["train"]["toy.dark"]
    assert counts.skipped["people did not review it"] == all_pairs.manifest.configs["dark"].splits["train"].rows - 3
    assert counts.seen == all_pairs.manifest.configs["dark"].ledger["train"]["toy.dark"].seen


def test_a_test_that_nobody_reviewed_stays_as_it_is(data: Path, strict_build: BuiltFolder, tmp_path: Path) -> None:
    before = build_toy(ToyColors(), data, tmp_path / "before", "bright").manifest.configs["bright"]
    after = strict_build.manifest.configs["bright"]
    assert after.splits["train"].content_hash == before.splits["train"].content_hash
    kept = after.ledger["train"]["toy.bright"].kept
    assert kept == {"people reviewed no pair of this test and split": before.splits["train"].rows}


def test_a_verdict_on_a_cause_alone_is_no_review_of_the_test(
    data: Path, all_pairs: BuiltFolder, tmp_path: Path
) -> None:
    pair_ids = all_pairs.table("dark", "train")["pair_id"].to_pylist()
    verdict = {"pair_id": pair_ids[0], "verdict": "rejected", "covered_by": {"template": "t"}}
    options = {"verdicts": write_lines(tmp_path / "v.jsonl", verdict), "unreviewed": "drop"}
    folder = build_toy(ToyColors(), data, tmp_path / "covered", "dark", **options)
    assert folder.table("dark", "train")["pair_id"].to_pylist() == pair_ids[1:]


def test_what_becomes_of_unreviewed_pairs_is_in_manifest_and_recipe(
    verified_build: BuiltFolder, strict_build: BuiltFolder
) -> None:
    for folder, unreviewed in ((verified_build, "keep"), (strict_build, "drop")):
        assert folder.manifest.verdicts is not None
        assert folder.manifest.verdicts.unreviewed == unreviewed
        assert folder.manifest.recipes["dark"].parameters["unreviewed"] == unreviewed
        assert read_recipe(folder.path).unreviewed == unreviewed


def test_dropping_needs_verdicts(data: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="needs --verdicts FILE"):
        build_toy(ToyColors(), data, tmp_path / "out", "dark", unreviewed="drop")


@pytest.mark.parametrize("workers", [1, 2])
def test_verdicts_give_the_same_bytes_on_any_number_of_workers(
    workers: int, data: Path, verdicts: Path, verified_build: BuiltFolder, tmp_path: Path
) -> None:
    again = build_toy(ToyColors(), data, tmp_path / "again", "dark", verdicts=verdicts, num_proc=workers)
    assert again.manifest.configs == verified_build.manifest.configs


def test_a_build_tells_how_many_verdicts_were_used(verified_build: BuiltFolder) -> None:
    entry = verified_build.manifest.verdicts
    assert entry is not None
    assert (entry.given, entry.used, entry.first_unknown) == (4, 3, ("0" * 24,))


def test_the_verdicts_are_part_of_the_recipe(verified_build: BuiltFolder) -> None:
    assert (verified_build.path / "recipe" / "verdicts.jsonl").is_file()
    assert len(str(verified_build.manifest.recipes["dark"].parameters["verdicts"])) == 64


@pytest.mark.parametrize("name", ["people's verdicts.jsonl", "recipe.json", "ürteile.jsonl", ".verdicts"])
def test_a_verdict_file_may_have_any_name(name: str, data: Path, all_pairs: BuiltFolder, tmp_path: Path) -> None:
    pair_ids = all_pairs.table("dark", "train")["pair_id"].to_pylist()
    verdicts = write_lines(tmp_path / name, {"pair_id": pair_ids[0], "verdict": "accepted"})
    folder = build_toy(ToyColors(), data, tmp_path / "named", "dark", verdicts=verdicts)
    assert folder.manifest.verdicts is not None
    assert folder.manifest.verdicts.used == 1
    assert "seed" in json.loads((folder.path / "recipe" / "recipe.json").read_text())


def test_verdicts_and_rejects_of_one_name_are_both_kept(data: Path, all_pairs: BuiltFolder, tmp_path: Path) -> None:
    pair_ids = all_pairs.table("dark", "train")["pair_id"].to_pylist()
    for name in ("verdicts", "rejects"):
        (tmp_path / name).mkdir()
    verdicts = write_lines(tmp_path / "verdicts" / "list", {"pair_id": pair_ids[0], "verdict": "accepted"})
    rejects = write_lines(tmp_path / "rejects" / "list", "cat|IsA|animal")
    folder = build_toy(ToyColors(), data, tmp_path / "both", "dark", verdicts=verdicts, rejects=rejects)
    contents = {path.read_text() for path in (folder.path / "recipe").iterdir() if path.is_file()}
    assert {verdicts.read_text(), rejects.read_text()} <= contents


def test_a_verdict_file_that_is_missing_is_one_line(data: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"none\.jsonl: no such file"):
        build_toy(ToyColors(), data, tmp_path, "dark", verdicts=tmp_path / "none.jsonl")
