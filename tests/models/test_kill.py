"""A run that is killed loses nothing and asks nothing twice; `python -m tests.models.kill` plays longer."""

from pathlib import Path

import pytest

from tests.models.kill import play


@pytest.mark.slow
def test_a_killed_run_ends_in_the_same_file(tmp_path: Path) -> None:
    report = play(tmp_path, requests=300, kills=6, seed=11)
    assert report.kills >= 4
    assert report.is_same_file
    assert report.is_good(concurrency=8), report
