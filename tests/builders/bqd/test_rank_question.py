"""The ranking of a single question, as `diptych rank` prints it."""

from pathlib import Path

import pytest

from diptych.builders.bqd import rank_question
from diptych.errors import DiptychError
from tests.builders.bqd.conftest import build, read_rows


def test_a_single_question_gets_the_ranking_that_a_build_gives_it(data: Path, tmp_path: Path) -> None:
    build(data, tmp_path / "out", "gbqd_ranked", basic="train+val", limit=2)
    for row in read_rows(tmp_path / "out", "gbqd_ranked"):
        ranking = rank_question(row["question"], data)
        assert list(ranking.texts) == row["basic_questions"]
        assert list(ranking.scores) == row["scores"]
        assert [list(texts) for texts in ranking.same_vector] == row["same_vector"]
        assert (ranking.gap, ranking.excess, ranking.support) == (row["gap"], row["excess"], row["support"])


def test_a_direct_similarity_has_no_certificate(data: Path) -> None:
    ranking = rank_question("Is the cat black?", data, {"ranker": "cider", "k": 5}, yes_no=True)
    assert len(ranking.texts) == len(ranking.scores) == 5
    assert (ranking.gap, ranking.excess, ranking.support) == (None, None, None)
    assert {text.split()[0] for text in ranking.texts} <= {"Is", "Are", "Does", "Do", "Can"}


def test_wrong_input_is_one_line(data: Path) -> None:
    with pytest.raises(DiptychError, match="the main question is empty"):
        rank_question(" ", data)
    with pytest.raises(DiptychError, match="no such data folder"):
        rank_question("Why?", data / "nowhere")
    with pytest.raises(DiptychError, match="must be 1e-12"):
        rank_question("Why?", data, {"lam": 0.0})
