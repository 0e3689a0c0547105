"""Ranked rows: scores that fall, certificates that hold, no question among its own basic questions."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diptych.audit._files import open_audited
from diptych.audit._rows import check_rankings
from diptych.builders import AuditRules
from diptych.folder import FindingEntry
from tests.folders import CONFIG, change_manifest, data_file, make_folder, some_pairs

ROW: dict[str, Any] = {
    "question_id": "1",
    "question": "Is it a cat?",
    "basic_questions": ["What is it?", "Where is it?"],
    "scores": [0.5, 0.25],
    "gap": 1e-9,
    "excess": 1e-7,
}


def check_row(path: Path, **changes: Any) -> FindingEntry:
    """What the check says of one ranked row."""
    folder = make_folder(path, some_pairs(1))
    table = pa.Table.from_pylist([ROW | changes])
    pq.write_table(table, data_file(folder), write_page_index=True)
    features = [{"name": name, "dtype": "string"} for name in ROW]
    folder = change_manifest(folder, lambda m: m["configs"][CONFIG].update(tests=[], features=features))
    (finding,) = check_rankings(open_audited(folder, AuditRules())[0])
    return finding


def test_a_sound_ranking_is_ok(tmp_path: Path) -> None:
    finding = check_row(tmp_path)
    assert (finding.level, finding.numbers) == ("ok", {"rows": 1})


def test_a_ranking_without_a_certificate_is_ok(tmp_path: Path) -> None:
    assert check_row(tmp_path, gap=None, excess=None).level == "ok"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scores": [0.25, 0.5]}, "its scores do not fall"),
        ({"scores": [0.5]}, "its scores do not fall"),
        ({"basic_questions": ["Is it a cat?", "What?"]}, "its basic questions repeat the main question or each other"),
        ({"basic_questions": ["What?", "What?"]}, "its basic questions repeat the main question or each other"),
        ({"gap": 1e-7}, "its certificate does not hold"),
        ({"excess": 1e-5}, "its certificate does not hold"),
    ],
)
def test_a_ranking_that_is_not_sound_is_an_error(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    finding = check_row(tmp_path, **changes)
    assert finding.level == "error"
    assert message in finding.message


def test_a_dataset_without_rankings_has_no_such_finding(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, some_pairs(4))
    assert list(check_rankings(open_audited(folder, AuditRules())[0])) == []
