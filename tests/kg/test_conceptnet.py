"""ConceptNet's dump as a graph file: what it holds, what it survives, and what it costs."""

import gzip
import sys
from pathlib import Path

import orjson
import pytest

from diptych.errors import BadInputError, MissingExtraError, MissingFileError
from diptych.kg.conceptnet import ConceptNet, open_dump
from diptych.kg.conceptnet_dump import Wanted
from diptych.kg.conceptnet_ingest import ingest
from diptych.kg.conceptnet_lite import LiteGraph
from diptych.sources import SourceFile


def line(relation: str, head: str, tail: str, weight: float = 2.0, **about: object) -> str:
    facts = orjson.dumps({"weight": weight, **about}).decode()
    return f"/a/[{relation},{head},{tail}]\t/r/{relation}\t/c/{head}\t/c/{tail}\t{facts}"


LINES = [
    line("CapableOf", "en/dog", "en/bark", 3.0, surfaceStart="a dog", surfaceEnd="bark"),
    line("CapableOf", "en/dog/n/wn/animal", "en/bark", 1.0),
    line("IsA", "en/dog", "en/animal"),
    line("IsA", "en/cat", "en/animal", 1.5),
    line("IsA", "fr/chien", "fr/animal"),
    line("RelatedTo", "en/dog", "fr/chien"),
    line("AtLocation", "en/crème_brûlée", "en/kitchen", surfaceStart="crème brûlée", surfaceEnd=None),
]


def dump(folder: Path, lines: list[str]) -> SourceFile:
    path = folder / "conceptnet-assertions-5.7.0.csv.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
    return SourceFile(path, "conceptnet-assertions-5.7.0.csv")


@pytest.fixture
def graph(tmp_path: Path) -> ConceptNet:
    return open_dump(dump(tmp_path, LINES), tmp_path / "g.graph")


def test_edges_are_found_by_head_tail_and_relation(graph: ConceptNet) -> None:
    assert [edge.tail for edge in graph.edges(head="dog")] == ["bark", "animal"]
    assert [edge.head for edge in graph.edges(tail="animal")] == ["dog", "cat"]
    assert [edge.head for edge in graph.edges(relation="AtLocation")] == ["crème brûlée"]
    assert [edge.weight for edge in graph.edges("cat", "IsA", "animal")] == [1.5]
    assert graph.edges(head="dog", tail="kitchen") == []


def test_only_edges_within_the_chosen_languages_are_kept(graph: ConceptNet, tmp_path: Path) -> None:
    assert "chien" not in graph
    both = open_dump(dump(tmp_path, LINES), tmp_path / "both.graph", Wanted(("en", "fr")))
    assert [edge.tail for edge in both.edges(head="dog", relation="RelatedTo")] == ["chien"]


def test_relations_and_weights_can_be_chosen(tmp_path: Path) -> None:
    chosen = open_dump(dump(tmp_path, LINES), tmp_path / "g.graph", Wanted(relations=("IsA",), least_weight=1.8))
    assert [(edge.head, edge.tail) for edge in chosen.edges()] == [("dog", "animal")]


def test_senses_of_a_word_are_one_node_and_the_heaviest_edge_stays(graph: ConceptNet) -> None:
    (edge,) = graph.edges("dog", "CapableOf", "bark")
    assert (edge.weight, edge.head_said) == (3.0, "a dog")


def test_an_edge_without_surfaces_is_said_by_its_terms(graph: ConceptNet) -> None:
    (edge,) = graph.edges(head="crème brûlée")
    assert (edge.head_said, edge.tail_said) == ("crème brûlée", "kitchen")


def test_a_neighbourhood_is_a_networkx_graph(graph: ConceptNet) -> None:
    near = graph.neighbourhood("dog")
    assert set(near) == {"dog", "bark", "animal"}
    assert set(graph.neighbourhood("dog", 2)) == {"dog", "bark", "animal", "cat"}
    assert near.edges["dog", "bark", "CapableOf"]["weight"] == 3.0


def test_malformed_lines_are_named_and_the_others_kept(tmp_path: Path) -> None:
    bad = "/a/x\t/r/IsA\t/c/en/cow\t/c/en/animal\t{not json"
    file = dump(tmp_path, [LINES[0], "only\tthree\tcells", LINES[2], bad, LINES[3]])
    seen = ingest(file, tmp_path / "g.graph")
    graph = ConceptNet(tmp_path / "g.graph")
    assert (seen.kept, seen.malformed) == (3, 2)
    assert "line 2: 3 cells, not 5" in seen.named[0]
    assert "line 4: its last cell is not JSON" in seen.named[1]
    assert graph.malformed == tuple(seen.named)
    assert len(graph.edges(relation="IsA")) == 2


def test_a_finished_file_is_used_again_and_another_dump_is_not_mistaken_for_it(tmp_path: Path) -> None:
    file, target = dump(tmp_path, LINES), tmp_path / "g.graph"
    open_dump(file, target)
    made = target.stat().st_ino
    open_dump(file, target)
    assert target.stat().st_ino == made
    assert len(open_dump(dump(tmp_path, LINES[:1]), target)) == 1


def test_same_bytes_every_time(tmp_path: Path) -> None:
    file = dump(tmp_path, LINES)
    for name in ("a", "b"):
        ingest(file, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_dump_cut_short_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    file = dump(tmp_path, LINES * 50)
    file.path.write_bytes(file.path.read_bytes()[:-20])
    with pytest.raises(BadInputError, match="cut short"):
        open_dump(file, tmp_path / "g.graph")
    assert [path.name for path in tmp_path.iterdir()] == [file.path.name]


def test_a_damaged_graph_file_is_named(tmp_path: Path) -> None:
    ingest(dump(tmp_path, LINES), tmp_path / "g.graph")
    (tmp_path / "g.graph").write_bytes((tmp_path / "g.graph").read_bytes()[:-200])
    with pytest.raises(BadInputError, match=r"g\.graph: the graph file is cut short"):
        ConceptNet(tmp_path / "g.graph")
    (tmp_path / "g.graph").write_bytes(b"something else")
    with pytest.raises(BadInputError, match="not a graph file"):
        ConceptNet(tmp_path / "g.graph")


def test_a_dump_with_nothing_wanted_makes_an_empty_graph(tmp_path: Path) -> None:
    graph = open_dump(dump(tmp_path, LINES), tmp_path / "g.graph", Wanted(("de",)))
    assert (len(graph), graph.nodes(), graph.edges(head="dog")) == (0, 0, [])


def test_the_real_edges_are_those_of_the_dump(real_data: Path, tmp_path: Path) -> None:
    path = real_data / "conceptnet" / "conceptnet-assertions-100k.csv.gz"
    graph = open_dump(SourceFile(path, "conceptnet-assertions-100k.csv"), tmp_path / "g.graph")
    said = {
        tuple(cell.split("/")[-1].replace("_", " ") for cell in row.split("\t")[1:4])
        for row in gzip.decompress(path.read_bytes()).decode().splitlines()
        if "/c/en/dog\t" in row
    }
    found = {(edge.relation, edge.head, edge.tail) for edge in (*graph.edges(head="dog"), *graph.edges(tail="dog"))}
    assert len(graph) > 99_000
    assert found == said


def test_without_the_extra_the_install_line_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "conceptnet_lite", None)
    with pytest.raises(MissingExtraError, match=r'pip install "diptych\[conceptnet-lite\]"'):
        LiteGraph(tmp_path / "c.db")


def test_a_conceptnet_lite_database_answers_alike(graph: ConceptNet, tmp_path: Path) -> None:
    db = pytest.importorskip("conceptnet_lite.db")
    with pytest.raises(MissingFileError):
        LiteGraph(tmp_path / "none.db")
    plain = tmp_path / "dump.csv"
    plain.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    db.load_dump_to_db(plain, tmp_path / "c.db", edge_count=len(LINES), delete_dump=False)
    lite = LiteGraph(tmp_path / "c.db")
    for asked in ({"head": "dog"}, {"tail": "animal"}, {"relation": "IsA"}, {"head": "dog", "relation": "CapableOf"}):
        ours = [(edge.head, edge.relation, edge.tail, edge.weight) for edge in graph.edges(**asked)]
        assert [(edge.head, edge.relation, edge.tail, edge.weight) for edge in lite.edges(**asked)] == ours
    assert "cat" in lite
    assert "cow" not in lite
