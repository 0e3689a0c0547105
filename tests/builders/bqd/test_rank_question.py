"""The ranking of a single question, as `diptych rank` prints it."""

from pathlib import Path

import pytest

from diptych.builders.bqd import rank_question
from diptych.errors import DiptychError
from tests.builders.bqd.conftest import build, read_rows, write_questions


def test_a_single_question_gets_the_ranking_that_a_build_gives_it(data: Path, tmp_path: Path) -> None:
    build(data, tmp_path / "out", "gbqd_ranked", basic="train+val", limit=2)
    for row in read_rows(tmp_path / "out", "gbqd_ranked"):
        ranking = rank_question(row["question"], data)
        assert list(ranking.texts) == row["basic_questions"]
        assert list(ranking.scores) == row["scores"]
        assert [list(texts) for texts in ranking.same_vector] == row["same_vector"]
        assert (ranking.gap, ranking.excess, ranking.support) == (row["gap"], row["excess"], row["support"])


def test_the_pool_is_kept_for_the_next_question(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = rank_question("Is the cat black?", data)
    (kept,) = (tmp_path / "diptych" / "pools").iterdir()
    stamp = kept.stat().st_mtime_ns
    assert rank_question("Is the cat black?", data) == first
    assert kept.stat().st_mtime_ns == stamp
    kept.write_bytes(kept.read_bytes()[:-9])
    assert rank_question("Is the cat black?", data) == first
    rank_question("Is the cat black?", data, {"variants": "keep"})
    assert len(list((tmp_path / "diptych" / "pools").iterdir())) == 2


def test_other_questions_are_another_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for number in range(6):
        write_questions(tmp_path / "data", "train", [f"Is it {number}?", "Is it red?"])
        ranking = rank_question("Is it blue?", tmp_path / "data", {"ranker": "bleu1"})
        assert f"Is it {number}?" in ranking.texts
    assert len(list((tmp_path / "diptych" / "pools").iterdir())) == 4


def test_a_cache_that_cannot_be_written_hinders_nothing(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "diptych").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert rank_question("Is the cat black?", data, {"ranker": "bleu1"}).texts


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
