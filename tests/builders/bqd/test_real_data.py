"""Rankings of real questions: certified, whole, and alike."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from diptych.ranking._similarities import split_words
from tests.builders.conftest import run


@pytest.mark.slow
@pytest.mark.real_data
def test_real_questions_are_ranked_to_the_full_and_the_best_is_alike(real_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    args = ("--config", "gbqd_ranked", "--config", "ynbqd_ranked", "--set", "limit=24", "--num-proc", "2")
    assert run("build", "bqd", "--data", str(real_data), "--out", str(out), *args) == 0
    for config in ("gbqd_ranked", "ynbqd_ranked"):
        rows = pq.read_table(out / "data" / config).to_pylist()
        assert len(rows) == 24
        assert {len(row["basic_questions"]) for row in rows} == {21}
        assert {row["gap"] <= 1e-8 and row["excess"] <= 1e-6 for row in rows} == {True}
    alike = [set(split_words(row["question"])) & set(split_words(row["basic_questions"][0])) for row in rows]
    assert sum(map(bool, alike)) >= 20
