"""`diptych conceptnet nodes`: the file that FVQA's rule of scoring needs."""

from pathlib import Path

import pytest

from diptych.demo import make_world
from tests.commands import run


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nodes") / "data"
    make_world(folder, 60, pictures=False)
    return folder


def test_nodes_are_the_ends_of_facts_and_edges_one_per_line(data: Path, tmp_path: Path) -> None:
    everything, facts = tmp_path / "all.txt", tmp_path / "facts.txt"
    assert run("conceptnet", "nodes", "--data", str(data), "--out", str(everything)) == 0
    assert run("conceptnet", "nodes", "--data", str(data), "--out", str(facts), "--graph", "none") == 0
    names = everything.read_text().splitlines()
    assert names == sorted(set(names))
    assert set(facts.read_text().splitlines()) < set(names)
    assert not [name for name in names if name.startswith(("a ", "/c/")) or name != name.lower()]


def test_answers_are_scored_by_their_closest_node(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nodes, out, replies = tmp_path / "nodes.txt", tmp_path / "out", tmp_path / "oracle.jsonl"
    assert run("conceptnet", "nodes", "--data", str(data), "--out", str(nodes)) == 0
    assert run("build", "fvqa2", "--data", str(data), "--out", str(out)) == 0
    assert run("baseline", str(out), "copy-original", "--out", str(replies)) == 0
    capsys.readouterr()
    assert run("score", str(out), str(replies), "--nodes", str(nodes), "--bootstrap", "0") == 0
    assert "fvqa2.fix_a" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [("--graph", "dmp", "did you mean 'dump'?"), ("--relations", "Isa", "did you mean 'IsA'?")],
)
def test_a_wrong_choice_is_one_line(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, value: str, message: str
) -> None:
    assert run("conceptnet", "nodes", "--data", str(data), "--out", str(tmp_path / "n.txt"), option, value) == 2
    assert message in capsys.readouterr().err
