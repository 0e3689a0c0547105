"""How scores change between two versions of a dataset."""

from math import isnan
from pathlib import Path

import pytest

from diptych.errors import DiptychError
from diptych.metrics import score_changes
from tests.metrics.folders import make_folder
from tests.metrics.rows import pair, prediction


def test_both_versions_are_scored_on_their_predicted_pairs_each_once(tmp_path: Path) -> None:
    shared, removed, added = (pair(name, "red", "yes", test=f"rad.{name}") for name in ("shared", "removed", "added"))
    before = make_folder(tmp_path / "before", {"first": {"test": [shared, removed]}, "second": {"test": [shared]}})
    after = make_folder(tmp_path / "after", {"first": {"test": [shared, added]}})
    predictions = [prediction("shared", "red", "yes"), prediction("removed", "red", "no")]
    result = score_changes(before, after, predictions)
    assert (result.before_unpredicted, result.after_unpredicted) == (0, 1)
    changes = {(change.test, change.score): change for change in result.changes}
    overall = changes["all", "rad_forward"]
    assert (overall.before, overall.before_n, overall.after, overall.after_n) == (0.5, 2, 1.0, 1)
    assert isnan(changes["rad.removed", "rad_forward"].after)
    assert ("rad.added", "rad_forward") not in changes


def test_an_unknown_family_is_an_error_of_the_package(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, {"first": {"test": [pair("a", "red", "yes")]}}, score_family="bleu")
    with pytest.raises(DiptychError, match="unknown score family 'bleu'"):
        score_changes(folder, folder, [prediction("a", "red", "yes")])
