"""Wording that gives the answer away."""

from pathlib import Path

import pytest

from diptych.audit import audit_folder
from diptych.pairs import Pair
from tests.audit.findings import audit_pairs, errors, worst
from tests.folders import CONFIG, change_manifest, make_folder, reworded, some_pairs


@pytest.fixture
def leaking() -> list[Pair]:
    """Pairs in which one word tells the answer."""
    words = {"yes": "really", "no": "perhaps"}
    return [
        reworded(pair, f"Is the color of {pair.bindings['subject']} {words[pair.perturbed.answer]} red?")
        for pair in some_pairs()
    ]


def test_wording_that_gives_the_answer_away_is_a_warning(leaking: list[Pair], tmp_path: Path) -> None:
    finding = worst(audit_pairs(tmp_path, leaking), "question only")
    assert (finding.level, finding.numbers["accuracy"]) == ("warning", 1)


def test_wording_that_gives_the_answer_away_is_an_error_where_the_spec_forbids_it(
    leaking: list[Pair], tmp_path: Path
) -> None:
    folder = make_folder(tmp_path, leaking)
    folder = change_manifest(folder, lambda m: m["recipes"][CONFIG].update(parameters={"values": "matched"}))
    assert errors(audit_folder(folder)) == {"question only"}


def test_wording_that_tells_nothing_is_near_chance(tmp_path: Path) -> None:
    finding = worst(audit_pairs(tmp_path, some_pairs()), "question only")
    assert finding.level == "ok"
    assert finding.numbers["accuracy"] < 0.55


def test_few_pairs_cannot_tell(tmp_path: Path) -> None:
    assert worst(audit_pairs(tmp_path, some_pairs(40)), "question only").message == "too few pairs to tell (40)"
