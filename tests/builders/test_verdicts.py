"""People's verdicts: a build keeps what was accepted or fixed, and counts the rest."""

import json
from pathlib import Path
from typing import Any

import pytest

from diptych.builders import read_verdicts
from diptych.builders._verdicts import Verdict, judge, verdict_entry
from diptych.errors import BadInputError, MissingFileError
from diptych.folder import BuiltFolder
from diptych.pairs import Expectation, Pair, Side, Skip
from tests.builders.toys import ToyColors, build_toy, write_things

PAIR = Pair(
    "toy.a", Expectation.GIVEN, Side("1", "What?", "a cat"), Side("1", "Is it a cat?", "yes", ("yes",)), "", "", "", "1"
)


def write_lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return path


def test_an_accepted_pair_is_kept() -> None:
    assert judge(PAIR, {PAIR.pair_id: Verdict("accepted")}) == PAIR


@pytest.mark.parametrize(
    ("verdict", "reason"), [("rejected", "people rejected it"), ("disputed", "people did not agree on it")]
)
def test_a_pair_that_people_do_not_want_is_skipped(verdict: str, reason: str) -> None:
    assert judge(PAIR, {PAIR.pair_id: Verdict(verdict)}) == Skip(reason)


def test_a_pair_without_a_verdict_is_skipped() -> None:
    assert judge(PAIR, {}) == Skip("people gave no verdict on it")


def test_a_fixed_pair_has_its_new_question_and_answers() -> None:
    pair = judge(PAIR, {PAIR.pair_id: Verdict("fixed", "Is it a dog?", ("no", "nope"))})
    assert isinstance(pair, Pair)
    assert pair.perturbed == Side("1", "Is it a dog?", "no", ("no", "nope"))


def test_what_a_fix_leaves_open_stays() -> None:
    pair = judge(PAIR, {PAIR.pair_id: Verdict("fixed", "Is this a cat?")})
    assert isinstance(pair, Pair)
    assert pair.perturbed == Side("1", "Is this a cat?", "yes", ("yes",))


def test_a_question_as_its_source_has_it_needs_no_verdict() -> None:
    pair = Pair("toy.a", Expectation.SAME, PAIR.original, PAIR.original, "", "", "", "1")
    assert judge(pair, {}) == pair


def test_verdicts_are_read_by_pair(tmp_path: Path) -> None:
    rows = ({"pair_id": "a", "verdict": "accepted"}, {"pair_id": "b", "verdict": "fixed", "answers": ["no"]})
    verdicts = read_verdicts(write_lines(tmp_path / "v.jsonl", *rows))
    assert verdicts == {"a": Verdict("accepted"), "b": Verdict("fixed", "", ("no",))}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (({"verdict": "accepted"},), r"v\.jsonl:1: no pair_id"),
        (({"pair_id": "a", "verdict": "maybe"},), r"v\.jsonl:1: pair a: the verdict is none of accepted, fixed"),
        (
            ({"pair_id": "a", "verdict": "accepted"}, {"pair_id": "a", "verdict": "rejected"}),
            r"v\.jsonl:2: pair a has another verdict",
        ),
        (("oops",), r"v\.jsonl:1: broken JSON"),
        (("[]",), r"v\.jsonl:1: not a JSON object"),
    ],
)
def test_a_broken_verdict_file_is_named(rows: tuple[Any, ...], message: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=message):
        read_verdicts(write_lines(tmp_path / "v.jsonl", *rows))


def test_verdicts_on_pairs_that_were_not_made_are_counted() -> None:
    verdicts = {str(number): Verdict("accepted") for number in range(20)}
    entry = verdict_entry(verdicts, {"0", "1"})
    assert (entry.given, entry.used, entry.unknown, len(entry.first_unknown)) == (20, 2, 18, 10)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_things(tmp_path / "data", 60)


@pytest.fixture
def all_pairs(data: Path, tmp_path: Path) -> BuiltFolder:
    return build_toy(ToyColors(), data, tmp_path / "all", "dark")


@pytest.fixture
def verified_build(data: Path, all_pairs: BuiltFolder, tmp_path: Path) -> BuiltFolder:
    """Three verdicts of people, and one on a pair that is not made."""
    pair_ids = all_pairs.table("dark", "train")["pair_id"].to_pylist()
    rows = (
        {"pair_id": pair_ids[0], "verdict": "accepted"},
        {"pair_id": pair_ids[1], "verdict": "rejected"},
        {"pair_id": pair_ids[2], "verdict": "fixed", "question": "Is it dark?", "answers": ["yes"]},
        {"pair_id": "0" * 24, "verdict": "accepted"},
    )
    verdicts = write_lines(tmp_path / "verdicts.jsonl", *rows)
    return build_toy(ToyColors(), data, tmp_path / "verified", "dark", verdicts=verdicts)


def test_a_build_keeps_what_was_accepted_or_fixed(all_pairs: BuiltFolder, verified_build: BuiltFolder) -> None:
    first = all_pairs.table("dark", "train")["perturbed_question"].to_pylist()[0]
    assert verified_build.table("dark", "train")["perturbed_question"].to_pylist() == [first, "Is it dark?"]


def test_a_build_counts_what_was_not_kept(all_pairs: BuiltFolder, verified_build: BuiltFolder) -> None:
    counts = verified_build.manifest.configs["dark"].ledger["train"]["toy.dark"]
    rows = all_pairs.manifest.configs["dark"].splits["train"].rows
    assert counts.skipped["people rejected it"] == 1
    assert counts.skipped["people gave no verdict on it"] == rows - 3
    assert counts.seen == all_pairs.manifest.configs["dark"].ledger["train"]["toy.dark"].seen


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
    assert folder.manifest.configs["dark"].splits["train"].rows == 1
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
