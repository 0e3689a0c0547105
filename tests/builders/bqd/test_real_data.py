"""Rankings of real questions: certified, whole, and alike."""

from pathlib import Path

import pytest

from diptych.builders.bqd._records import plain_words
from tests.builders.bqd.conftest import build, read_rows


@pytest.mark.slow
@pytest.mark.real_data
def test_real_questions_are_ranked_in_full_and_the_best_is_alike(real_data: Path, tmp_path: Path) -> None:
    build(real_data, tmp_path / "out", "gbqd_ranked", "ynbqd_ranked", limit=24, num_proc=2)
    for config in ("gbqd_ranked", "ynbqd_ranked"):
        rows = read_rows(tmp_path / "out", config)
        assert len(rows) == 24
        assert {len(row["basic_questions"]) for row in rows} == {21}
        assert {row["gap"] <= 1e-8 and row["excess"] <= 1e-6 for row in rows} == {True}
        texts = [(plain_words(row["question"]), plain_words(row["basic_questions"][0])) for row in rows]
        assert sum(bool(set(main.split()) & set(basic.split())) for main, basic in texts) >= 20
