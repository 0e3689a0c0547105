"""ConceptNet as a graph: what can be asked of it, and that the answers are those of the dump."""

import sys
from collections import Counter
from pathlib import Path

import networkx as nx
import pytest

from diptych.errors import BadInputError, MissingExtraError, MissingFileError
from diptych.kg.conceptnet import ConceptNet, Edge, open_dump
from diptych.kg.conceptnet_dump import Wanted
from diptych.kg.conceptnet_lite import LiteGraph, open_lite
from diptych.sources import SourceFile
from tests.kg.dumps import LINES, Plain, dump, line, read_plainly


@pytest.fixture
def graph(tmp_path: Path) -> ConceptNet:
    return open_dump(dump(tmp_path, LINES), tmp_path / "g.graph")


def test_edges_are_found_by_head_tail_and_relation(graph: ConceptNet) -> None:
    assert [edge.tail for edge in graph.edges(head="dog")] == ["bark", "animal"]
    assert [edge.head for edge in graph.edges(tail="animal")] == ["dog", "cat"]
    assert [edge.head for edge in graph.edges(relation="AtLocation")] == ["crème brûlée"]
    assert [edge.weight for edge in graph.edges("cat", "IsA", "animal")] == [1.5]
    assert graph.edges(head="dog", tail="kitchen") == []
    assert graph.edges(head="dog", relation="MadeOf") == []


def test_only_edges_within_the_chosen_languages_are_kept(graph: ConceptNet, tmp_path: Path) -> None:
    assert "chien" not in graph
    both = open_dump(dump(tmp_path, LINES), tmp_path / "both.graph", Wanted(("en", "fr")))
    assert [edge.tail for edge in both.edges(head="dog", relation="RelatedTo")] == ["chien"]


def test_a_word_of_several_languages_is_found_in_all_or_in_the_one_named(tmp_path: Path) -> None:
    both = open_dump(dump(tmp_path, LINES), tmp_path / "g.graph", Wanted(("en", "fr")))
    assert {edge.head for edge in both.edges(tail="animal")} == {"dog", "cat", "chien"}
    assert {edge.head for edge in both.edges(tail="/c/fr/animal")} == {"chien"}
    assert {edge.head for edge in both.edges(relation="IsA", tail="/c/en/animal")} == {"dog", "cat"}


def test_languages_with_codes_of_several_lengths(tmp_path: Path) -> None:
    lines = [line("IsA", "en/dog", "grc/κύων/n"), line("IsA", "grc/κύων", "en/dog"), line("IsA", "e/x", "en/dog")]
    graph = open_dump(dump(tmp_path, lines), tmp_path / "g.graph", Wanted(("en", "grc")))
    assert [(edge.head, edge.tail) for edge in graph.edges()] == [("dog", "κύων"), ("κύων", "dog")]
    assert graph.nodes() == 2


def test_relations_and_weights_can_be_chosen(tmp_path: Path) -> None:
    lines = [*LINES, line("IsAbout", "en/dog", "en/bone", 9.0)]
    chosen = open_dump(dump(tmp_path, lines), tmp_path / "g.graph", Wanted(relations=("/r/IsA",), least_weight=1.8))
    assert [(edge.head, edge.tail) for edge in chosen.edges()] == [("dog", "animal")]
    assert chosen.relations == ("IsA",)


def test_senses_of_a_word_are_one_node_and_the_heaviest_edge_stays(graph: ConceptNet) -> None:
    (edge,) = graph.edges("dog", "CapableOf", "bark")
    assert (edge.weight, edge.head_said) == (3.0, "a dog")


def test_of_equally_heavy_edges_the_first_stays(tmp_path: Path) -> None:
    lines = [line("IsA", "en/a", "en/b", surfaceStart=said, surfaceEnd="b") for said in ("first", "second", "third")]
    graph = open_dump(dump(tmp_path, lines), tmp_path / "g.graph")
    assert [edge.head_said for edge in graph.edges()] == ["first"]


def test_an_edge_without_surfaces_is_said_by_its_terms(graph: ConceptNet) -> None:
    (edge,) = graph.edges(head="crème brûlée")
    assert (edge.head_said, edge.tail_said) == ("crème brûlée", "kitchen")


def test_a_neighbourhood_is_a_networkx_graph(graph: ConceptNet) -> None:
    near = graph.neighbourhood("dog")
    assert set(near) == {"dog", "bark", "animal"}
    assert set(graph.neighbourhood("dog", 2)) == {"dog", "bark", "animal", "cat"}
    assert set(graph.neighbourhood("dog", relations=["IsA"])) == {"dog", "animal"}
    assert near.edges["dog", "bark", "CapableOf"]["weight"] == 3.0
    with pytest.raises(BadInputError, match="radius of at least 1"):
        graph.neighbourhood("dog", 0)


def test_a_finished_file_is_used_again_and_another_dump_is_not_mistaken_for_it(tmp_path: Path) -> None:
    file, target = dump(tmp_path, LINES), tmp_path / "g.graph"
    open_dump(file, target)
    made = target.stat().st_ino
    open_dump(file, target)
    assert target.stat().st_ino == made
    assert len(open_dump(dump(tmp_path, LINES[:1]), target)) == 1


def test_a_plain_dump_that_was_changed_in_its_middle_is_read_again(tmp_path: Path) -> None:
    file, lines = SourceFile(tmp_path / "d.csv", "d.csv"), LINES * 9
    file.path.write_text("\n".join(lines), encoding="utf-8")
    assert "cat" in open_dump(file, tmp_path / "g.graph")
    file.path.write_text("\n".join(lines).replace("en/cat", "en/cow"), encoding="utf-8")
    assert "cat" not in open_dump(file, tmp_path / "g.graph")


def test_a_damaged_graph_file_is_named(tmp_path: Path) -> None:
    open_dump(dump(tmp_path, LINES), tmp_path / "g.graph")
    (tmp_path / "g.graph").write_bytes((tmp_path / "g.graph").read_bytes()[:-200])
    with pytest.raises(BadInputError, match=r"g\.graph: the graph file is cut short"):
        ConceptNet(tmp_path / "g.graph")
    (tmp_path / "g.graph").write_bytes(b"something else")
    with pytest.raises(BadInputError, match="not a graph file"):
        ConceptNet(tmp_path / "g.graph")


def test_a_dump_with_nothing_wanted_makes_an_empty_graph(tmp_path: Path) -> None:
    graph = open_dump(dump(tmp_path, LINES), tmp_path / "g.graph", Wanted(("de",)))
    assert (len(graph), graph.nodes(), graph.edges(), graph.edges(head="dog")) == (0, 0, [], [])
    assert (graph.seen.lines, graph.seen.kept) == (len(LINES), 0)


# The real dump, against a plain reading of it.


@pytest.fixture(scope="module")
def real_dump(real_data: Path) -> SourceFile:
    return SourceFile(real_data / "conceptnet" / "conceptnet-assertions-100k.csv.gz", "conceptnet-assertions-100k.csv")


@pytest.fixture(scope="module")
def real(real_dump: SourceFile, tmp_path_factory: pytest.TempPathFactory) -> ConceptNet:
    return open_dump(real_dump, tmp_path_factory.mktemp("real") / "g.graph")


@pytest.fixture(scope="module")
def expected(real_dump: SourceFile) -> Plain:
    return read_plainly(real_dump.path)


def as_plain(edges: list[Edge]) -> Plain:
    return {
        (edge.head, edge.relation, edge.tail): (pytest.approx(edge.weight, abs=1e-3), edge.head_said, edge.tail_said)
        for edge in edges
    }


@pytest.mark.slow
def test_the_real_graph_holds_every_edge_with_its_weight_and_surfaces(real: ConceptNet, expected: Plain) -> None:
    assert len(real) == len(expected)
    assert real.nodes() == len({key[side] for key in expected for side in (0, 2)})
    assert as_plain(real.edges()) == expected
    assert real.seen.lines == 100_000
    assert real.seen.kept + real.seen.malformed == 100_000
    assert all(said.endswith("a concept without a term") for said in real.malformed)


def test_the_real_edges_are_found_by_head_and_by_tail(real: ConceptNet, expected: Plain) -> None:
    terms = sorted({key[side] for key in expected for side in (0, 2)})[::1500]
    for term in [*terms, "dog", "person", "kraków"]:
        assert as_plain(real.edges(head=term)) == {key: said for key, said in expected.items() if key[0] == term}
        assert as_plain(real.edges(tail=term)) == {key: said for key, said in expected.items() if key[2] == term}


def test_the_real_edges_are_found_by_relation(real: ConceptNet, expected: Plain) -> None:
    many = Counter(relation for _, relation, _ in expected)
    assert set(real.relations) == set(many)
    for relation in [name for name in many if many[name] < 1000]:
        assert as_plain(real.edges(relation=relation)) == {
            key: said for key, said in expected.items() if key[1] == relation
        }


def test_the_real_edges_come_heaviest_first(real: ConceptNet) -> None:
    weights = [edge.weight for edge in real.edges(head="dog")]
    assert len(weights) > 10
    assert weights == sorted(weights, reverse=True)


def test_a_real_neighbourhood_is_that_of_networkx(real: ConceptNet, expected: Plain) -> None:
    whole = nx.MultiDiGraph()
    whole.add_edges_from((head, tail, relation) for head, relation, tail in expected)
    for term in ("dog", "saxophone"):
        inside = {term, *whole.predecessors(term), *whole.successors(term)}
        around = {*whole.in_edges(inside, keys=True), *whole.out_edges(inside, keys=True)}
        near, far = real.neighbourhood(term), real.neighbourhood(term, 2)
        assert set(near.edges(keys=True)) == {edge for edge in around if term in edge[:2]}
        assert set(far.edges(keys=True)) == around


def test_relations_of_the_real_dump_can_be_chosen(real_dump: SourceFile, expected: Plain, tmp_path: Path) -> None:
    wanted = Wanted(relations=("MadeOf", "HasA"), least_weight=2.0)
    graph = open_dump(real_dump, tmp_path / "g.graph", wanted)
    assert as_plain(graph.edges()) == {
        key: said for key, said in expected.items() if key[1] in wanted.relations and said[0] >= 2.0
    }


# conceptnet-lite.


def test_without_the_extra_the_install_line_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "conceptnet_lite", None)
    with pytest.raises(MissingExtraError, match=r'pip install "diptych\[conceptnet-lite\]"'):
        LiteGraph(tmp_path / "c.db")


@pytest.fixture
def lite(tmp_path: Path) -> LiteGraph:
    db = pytest.importorskip("conceptnet_lite.db", reason="the extra conceptnet-lite is not installed")
    url = "/a/x\t/r/ExternalURL\t/c/en/dog\thttp://dbpedia.org/resource/Dog\t{}"
    (tmp_path / "conceptnet").mkdir()
    plain = tmp_path / "dump.csv"
    plain.write_text("\n".join([*LINES, url]) + "\n", encoding="utf-8")
    db.load_dump_to_db(plain, tmp_path / "conceptnet" / "c.db", edge_count=len(LINES) + 1, delete_dump=False)
    graph, files = open_lite(tmp_path)
    assert [file.name for file in files] == ["c.db"]
    assert isinstance(graph, LiteGraph)
    return graph


@pytest.mark.parametrize(
    "asked",
    [
        {"head": "dog"},
        {"tail": "animal"},
        {"relation": "IsA"},
        {"head": "dog", "relation": "CapableOf"},
        {"head": "dog", "tail": "animal"},
        {"head": "crème brûlée"},
        {"head": "chien"},
        {},
    ],
)
def test_a_conceptnet_lite_database_answers_alike(graph: ConceptNet, lite: LiteGraph, asked: dict[str, str]) -> None:
    assert lite.edges(**asked) == graph.edges(**asked)


def test_a_conceptnet_lite_database_knows_its_nodes_and_their_neighbours(graph: ConceptNet, lite: LiteGraph) -> None:
    assert ["cat" in lite, "chien" in lite, "cow" in lite] == [True, False, False]
    assert nx.utils.graphs_equal(lite.neighbourhood("dog", 2), graph.neighbourhood("dog", 2))
    assert set(lite.neighbourhood("dog", relations=["IsA"])) == {"dog", "animal"}


def test_a_file_that_is_no_conceptnet_lite_database_is_named_and_left_alone(tmp_path: Path) -> None:
    pytest.importorskip("conceptnet_lite", reason="the extra conceptnet-lite is not installed")
    path = tmp_path / "c.db"
    with pytest.raises(MissingFileError, match="no such conceptnet-lite database"):
        LiteGraph(path)
    for content in (b"", b"not sqlite at all" * 99):
        path.write_bytes(content)
        with pytest.raises(BadInputError, match=r"c\.db: not a conceptnet-lite database"):
            LiteGraph(path)
        assert path.read_bytes() == content
