"""How scores change between two versions of a dataset."""

from math import isnan
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diptych.errors import DiptychError
from diptych.metrics import score_changes
from tests.metrics.rows import pair, prediction


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def test_both_versions_are_scored_on_their_predicted_pairs_each_once(tmp_path: Path) -> None:
    shared, removed, added = (pair(name, "red", "yes", test=f"rad.{name}") for name in ("shared", "removed", "added"))
    before = [write(tmp_path / "a.parquet", [shared, removed]), write(tmp_path / "b.parquet", [shared])]
    after = [write(tmp_path / "c.parquet", [shared, added])]
    predictions = [prediction("shared", "red", "yes"), prediction("removed", "red", "no")]
    result = score_changes(before, after, predictions, "rad")
    assert (result.before_unpredicted, result.after_unpredicted) == (0, 1)
    changes = {(change.test, change.score): change for change in result.changes}
    overall = changes["all", "rad_forward"]
    assert (overall.before, overall.before_n, overall.after, overall.after_n) == (0.5, 2, 1.0, 1)
    assert isnan(changes["rad.removed", "rad_forward"].after)
    assert ("rad.added", "rad_forward") not in changes


def test_an_unknown_family_is_an_error_of_the_package(tmp_path: Path) -> None:
    files = [write(tmp_path / "a.parquet", [pair("a", "red", "yes")])]
    with pytest.raises(DiptychError, match="unknown score family 'bleu'"):
        score_changes(files, files, [prediction("a", "red", "yes")], "bleu")
