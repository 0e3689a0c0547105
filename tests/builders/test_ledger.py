"""The ledger: what became of every input adds up, and survives being written."""

from collections import Counter

import pytest

from diptych.builders import EVERY_TEST, Ledger, Problem
from diptych.pairs import Expectation, Pair, Side, Skip

PAIR = Pair("toy.a", Expectation.SAME, Side("1", "q", "a"), Side("1", "p", "a"), "", "", "things", "1")


@pytest.fixture
def ledger() -> Ledger:
    """Two tests, a reason with a place, and a problem of the source."""
    ledger = Ledger()
    ledger.count("toy.a", PAIR)
    ledger.count("toy.a", PAIR)
    ledger.count("toy.a", Skip("it is odd"))
    ledger.count("toy.a", Skip("the file is missing", "image 7"))
    ledger.count("toy.a", Skip("it is odd", test="toy.b"))
    ledger.count("toy.b", Problem("no header", "things.csv:1"))
    return ledger


def test_every_outcome_is_seen_paired_or_skipped(ledger: Ledger) -> None:
    counts = ledger.as_json()["toy.a"]
    assert (counts["seen"], counts["paired"], sum(counts["skipped"].values())) == (4, 2, 2)


def test_a_skip_that_names_its_test_is_counted_there(ledger: Ledger) -> None:
    assert ledger.as_json()["toy.b"]["skipped"] == {"it is odd": 1}


def test_a_problem_is_not_an_input(ledger: Ledger) -> None:
    counts = ledger.as_json()["toy.b"]
    assert (counts["seen"], counts["problems"]) == (1, {"no header": {"count": 1, "first": ["things.csv:1"]}})


def test_the_first_places_of_a_reason_are_told(ledger: Ledger) -> None:
    assert ledger.as_json()["toy.a"]["first"] == {"the file is missing": ["image 7"]}


def test_only_the_first_places_are_kept() -> None:
    ledger = Ledger()
    for number in range(100):
        ledger.count("toy.a", Skip("missing", f"image {number}"))
    counts = ledger.as_json()["toy.a"]
    assert (counts["skipped"]["missing"], counts["first"]["missing"]) == (100, [f"image {n}" for n in range(5)])


def test_the_most_frequent_reason_comes_first() -> None:
    ledger = Ledger()
    for reason in ("b", "c", "a", "c"):
        ledger.count("toy.a", Skip(reason))
    assert list(ledger.as_json()["toy.a"]["skipped"]) == ["c", "a", "b"]


def test_what_was_written_is_read_back(ledger: Ledger) -> None:
    assert Ledger.from_json(ledger.as_json()).as_json() == ledger.as_json()


def test_two_ledgers_add_up(ledger: Ledger) -> None:
    total = Ledger.from_json(ledger.as_json())
    total.add(ledger)
    assert (total.paired["toy.a"], total.skipped["toy.a", "it is odd"], total.problems["toy.b", "no header"]) == (
        4,
        2,
        2,
    )


def test_the_reasons_for_keeping_are_united() -> None:
    first, second = (Ledger(kept=Counter({("toy.a", "people accepted it"): number})) for number in (1, 2))
    first.paired["toy.a"] = 3
    first.add(second)
    assert first.as_json()["toy.a"]["kept"] == {"people accepted it": 3}


def test_a_skip_of_every_test_counts_for_each_test_of_a_config() -> None:
    ledger = Ledger()
    ledger.count(EVERY_TEST, Skip("the image is torn", "image 7"))
    counts = ledger.restricted(("toy.a", "toy.b")).as_json()
    assert [counts[test]["skipped"] for test in ("toy.a", "toy.b")] == [{"the image is torn": 1}] * 2


def test_tests_of_another_config_are_left_out(ledger: Ledger) -> None:
    assert set(ledger.restricted(("toy.b",)).as_json()) == {"toy.b"}


def test_candidates_are_not_paired_yet(ledger: Ledger) -> None:
    assert ledger.restricted(("toy.a",)).as_json()["toy.a"]["paired"] == 0
