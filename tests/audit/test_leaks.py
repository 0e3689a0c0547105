"""Wording that gives the answer away."""

from pathlib import Path

import pytest

from diptych.audit import audit_folder
from diptych.folder import BuiltFolder
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
    assert worst(audit_pairs(tmp_path, some_pairs(40)), "question only").message == "too few pairs to test (40)"


def test_words_that_tell_the_contrary_are_an_error_where_the_spec_forbids_any_hint(tmp_path: Path) -> None:
    """Every wording is exactly as often right as wrong: what one fold lacks, the others have."""
    folder = make_folder(tmp_path, some_pairs(1536))
    folder = change_manifest(folder, lambda m: m["recipes"][CONFIG].update(parameters={"values": "matched"}))
    finding = worst(audit_folder(folder), "question only")
    assert finding.level == "error"
    assert finding.message.endswith("reliably worse than chance")


def with_gist(folder: BuiltFolder, **counts: list[int]) -> BuiltFolder:
    """The folder with a note of how many questions of each answer have a plausibility in each interval."""
    folder = change_manifest(folder, lambda m: m["configs"][CONFIG].update(notes={"gist": {"original": counts}}))
    return change_manifest(folder, lambda m: m["recipes"][CONFIG].update(parameters={"values": "matched"}))


@pytest.mark.parametrize(
    ("yes", "no", "level", "area"),
    [
        ([100, 100], [100, 100], "ok", 0.5),
        ([500, 1500], [1500, 500], "error", 0.75),
        ([1500, 500], [500, 1500], "error", 0.25),
        ([50, 150], [150, 50], "warning", 0.75),  # a small source has no image as plausible as another
        ([5, 5], [5, 5], "ok", None),
    ],
)
def test_a_gist_that_tells_the_answer_or_its_contrary_is_an_error(
    tmp_path: Path, yes: list[int], no: list[int], level: str, area: float | None
) -> None:
    finding = worst(audit_folder(with_gist(make_folder(tmp_path, some_pairs()), yes=yes, no=no)), "gist only")
    assert (finding.level, finding.numbers.get("area")) == (level, area)


def test_a_note_of_the_gist_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    audit = audit_folder(with_gist(make_folder(tmp_path, some_pairs()), yes=[1]))
    assert "cannot be read" in worst(audit, "gist only").message
