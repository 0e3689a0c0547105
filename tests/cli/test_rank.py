"""`diptych rank`, and what is said without the extra it needs."""

import json
import sys
from pathlib import Path

import pytest

from diptych.demo import make_world
from tests.commands import run


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "data"
    make_world(folder, 60, pictures=False)
    return folder


def test_rank_prints_the_papers_table(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rank", "How old is the car?", "--data", str(data), "-k", "5") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "MQ    How old is the car?"
    assert [line[:4] for line in lines[1:6]] == ["BQ01", "BQ02", "BQ03", "BQ04", "BQ05"]
    scores = [float(line.split()[1]) for line in lines[1:6]]
    assert scores == sorted(scores, reverse=True)
    assert "optimal over all" in lines[6]
    assert "duality gap at most 1e-" in lines[6]


def test_no_score_is_printed_as_zero(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rank", "What color is the cat?", "--data", str(data), "--lam", "1e-6", "--keep-variants") == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("BQ")]
    assert min(float(line.split()[1]) for line in lines) > 0


def test_rank_as_json_by_a_similarity_has_no_certificate(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rank", "Is the cat black?", "--data", str(data), "--ranker", "cider", "--yes-no", "--json") == 0
    ranking = json.loads(capsys.readouterr().out)
    assert ranking["main"] == "Is the cat black?"
    assert len(ranking["basic"]) == len(ranking["scores"]) == 21
    assert ranking["gap"] is None
    assert {text.split()[0] for text in ranking["basic"]} <= {"Is", "Are", "Does", "Do", "Can"}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--ranker", "rouge"), "did you mean 'rouge-l'"),
        (("--source", "vqa"), "did you mean 'vqa_v2'"),
        (("--source", "vqa_v1", "--data", "nowhere"), "no such data folder"),
        (("--lam", "0"), "must be 1e-12 to 1e+06"),
        (("--encoder", "bert"), "unknown encoder"),
    ],
)
def test_a_wrong_word_is_one_line(
    more: tuple[str, ...], said: str, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = () if "--data" in more else ("--data", str(data))
    assert run("rank", "Is it?", *where, *more) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert said in line


def test_without_the_extra_the_line_that_installs_it_is_said(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    assert run("rank", "Is it?", "--data", str(data)) == 2
    assert run("build", "bqd", "--data", str(data), "--out", str(tmp_path / "out")) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 2
    assert all('pip install "diptych[ranking]"' in line for line in lines)
    assert run("build", "bqd", "--data", str(data), "--out", str(tmp_path / "out"), "--config", "shuffled") == 0


@pytest.mark.slow
def test_the_demo_leaves_out_what_cannot_be_built_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    assert run("demo", "--out", str(tmp_path / "out"), "--images", "40", "--num-proc", "1") == 0
    said = capsys.readouterr().out
    assert 'left out: wordllama is not installed: pip install "diptych[ranking]"' in said
    assert not (tmp_path / "out" / "bqd").exists()
    assert (tmp_path / "out" / "fvqa2" / "README.md").exists()
