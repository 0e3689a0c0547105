"""ConceptNet as a graph: its queries, and that the answers are those of the dump."""

import sys
from pathlib import Path

import networkx as nx
import pytest

from diptych.errors import BadInputError, MissingExtraError, MissingFileError
from diptych.kg import ConceptGraph, ConceptNet, Edge, open_conceptnet, open_lite
from diptych.sources import SourceFile
from tests.kg.dumps import LINES, PlainEdges, line, read_plainly, write_dump


@pytest.fixture
def graph(tmp_path: Path) -> ConceptNet:
    return open_conceptnet(write_dump(tmp_path, LINES))


def test_edges_are_selected_by_head_tail_and_relation(graph: ConceptNet) -> None:
    assert [edge.tail for edge in graph.edges(head="dog")] == ["bark", "animal"]
    assert [edge.head for edge in graph.edges(tail="animal")] == ["dog", "cat"]
    assert [edge.head for edge in graph.edges(relation="AtLocation")] == ["crème brûlée"]
    assert [edge.weight for edge in graph.edges("cat", "IsA", "animal")] == [1.5]
    assert graph.edges(head="dog", tail="kitchen") == []
    assert graph.edges(head="dog", relation="MadeOf") == []
    assert len(graph.edges()) == len(graph) == 4


@pytest.mark.parametrize("term", ["crème brûlée", "Crème_Brûlée", "/c/en/crème_brûlée"])
def test_a_term_may_be_written_in_several_ways(graph: ConceptNet, term: str) -> None:
    assert term in graph
    assert [edge.tail for edge in graph.edges(head=term)] == ["kitchen"]


def test_only_english_edges_are_kept(graph: ConceptNet) -> None:
    assert "chien" not in graph
    assert "dog" in graph


def test_relations_and_terms_can_be_chosen(tmp_path: Path) -> None:
    file = write_dump(tmp_path, [*LINES, line("IsAbout", "en/dog", "en/bone", 9.0)])
    assert [(edge.head, edge.tail) for edge in open_conceptnet(file, {"IsA"}).edges()] == [
        ("dog", "animal"),
        ("cat", "animal"),
    ]
    graph = open_conceptnet(file, {"IsA", "AtLocation"}, terms=["Cat", "kitchen"])
    assert [edge.head for edge in graph.edges()] == ["crème brûlée", "cat"]
    assert graph.tally is not None
    assert (graph.tally.lines, graph.tally.edges) == (len(LINES) + 1, 3)


def test_senses_of_a_word_are_one_node_and_the_heaviest_edge_stays(graph: ConceptNet) -> None:
    (edge,) = graph.edges("dog", "CapableOf", "bark")
    assert (edge.weight, edge.head_text) == (3.0, "a dog")


def test_of_equally_heavy_edges_the_first_stays() -> None:
    graph = ConceptNet(Edge("a", "IsA", "b", 2.0, text) for text in ("first", "second", "third"))
    assert [edge.head_text for edge in graph.edges()] == ["first"]


def test_an_edge_without_surfaces_has_its_terms_as_texts(graph: ConceptNet) -> None:
    (edge,) = graph.edges(head="crème brûlée")
    assert (edge.head_text, edge.tail_text) == ("crème brûlée", "kitchen")


def test_a_neighborhood_is_a_networkx_graph(graph: ConceptNet) -> None:
    neighborhood = graph.neighborhood("Dog")
    assert set(neighborhood) == {"dog", "bark", "animal"}
    assert set(graph.neighborhood("dog", 2)) == {"dog", "bark", "animal", "cat"}
    assert set(graph.neighborhood("dog", relations=["IsA"])) == {"dog", "animal"}
    assert set(graph.neighborhood("unicorn")) == {"unicorn"}
    assert neighborhood.edges["dog", "bark", "CapableOf"]["weight"] == 3.0
    with pytest.raises(BadInputError, match="radius of at least 1"):
        graph.neighborhood("dog", 0)


def test_a_dump_without_a_chosen_edge_makes_an_empty_graph(tmp_path: Path) -> None:
    graph = open_conceptnet(write_dump(tmp_path, LINES), {"MadeOf"})
    assert (len(graph), graph.edges(), graph.edges(head="dog")) == (0, [], [])
    assert graph.tally is not None
    assert (graph.tally.lines, graph.tally.edges) == (len(LINES), 0)


# The real dump, against a plain reading of it.


@pytest.fixture(scope="module")
def real_dump(real_data: Path) -> SourceFile:
    return SourceFile(real_data / "conceptnet" / "conceptnet-assertions-100k.csv.gz", "conceptnet-assertions-100k.csv")


@pytest.fixture(scope="module")
def real_graph(real_dump: SourceFile) -> ConceptNet:
    return open_conceptnet(real_dump)


@pytest.fixture(scope="module")
def expected(real_dump: SourceFile) -> PlainEdges:
    return {key: (round(weight, 4), *texts) for key, (weight, *texts) in read_plainly(real_dump.path).items()}


def as_plain(edges: list[Edge]) -> PlainEdges:
    return {(edge.head, edge.relation, edge.tail): (edge.weight, edge.head_text, edge.tail_text) for edge in edges}


def test_the_real_graph_has_every_edge_and_its_surfaces(real_graph: ConceptNet, expected: PlainEdges) -> None:
    assert len(real_graph) == len(expected)
    assert as_plain(real_graph.edges()) == expected
    assert real_graph.tally is not None
    assert real_graph.tally.lines == real_graph.tally.edges + real_graph.tally.malformed == 100_000
    assert all(example.endswith("a concept without a term") for example in real_graph.tally.examples)


def test_the_real_edges_are_selected_by_head_and_by_tail(real_graph: ConceptNet, expected: PlainEdges) -> None:
    terms = sorted({key[side] for key in expected for side in (0, 2)})[::1500]
    for term in [*terms, "dog", "person", "kraków"]:
        assert as_plain(real_graph.edges(head=term)) == {key: row for key, row in expected.items() if key[0] == term}
        assert as_plain(real_graph.edges(tail=term)) == {key: row for key, row in expected.items() if key[2] == term}


def test_the_real_edges_come_heaviest_first(real_graph: ConceptNet) -> None:
    weights = [edge.weight for edge in real_graph.edges(head="dog")]
    assert len(weights) > 10
    assert weights == sorted(weights, reverse=True)


def test_a_real_neighborhood_is_that_of_networkx(real_graph: ConceptNet, expected: PlainEdges) -> None:
    everything = nx.MultiDiGraph()
    everything.add_edges_from((head, tail, relation) for head, relation, tail in expected)
    for term in ("dog", "saxophone"):
        core = {term, *everything.predecessors(term), *everything.successors(term)}
        edges = {*everything.in_edges(core, keys=True), *everything.out_edges(core, keys=True)}
        assert set(real_graph.neighborhood(term).edges(keys=True)) == {edge for edge in edges if term in edge[:2]}
        assert set(real_graph.neighborhood(term, 2).edges(keys=True)) == edges


def test_edges_about_terms_are_those_of_the_whole_real_graph(real_dump: SourceFile, real_graph: ConceptNet) -> None:
    relations, terms = {"MadeOf", "HasA", "IsA"}, ["dog", "Table", "sky"]
    graph = open_conceptnet(real_dump, relations, terms)
    for term in terms:
        for side in ("head", "tail"):
            edges = [edge for edge in real_graph.edges(**{side: term}) if edge.relation in relations]
            assert graph.edges(**{side: term}) == edges


# conceptnet-lite.


def test_without_the_extra_the_error_names_the_install_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "conceptnet_lite", None)
    with pytest.raises(MissingExtraError, match=r'pip install "diptych\[conceptnet-lite\]"'):
        open_lite(tmp_path / "c.db")


@pytest.fixture
def lite_graph(tmp_path: Path) -> ConceptGraph:
    db = pytest.importorskip("conceptnet_lite.db", reason="the extra conceptnet-lite is not installed")
    url = "/a/x\t/r/ExternalURL\t/c/en/dog\thttp://dbpedia.org/resource/Dog\t{}"
    dump = tmp_path / "dump.csv"
    dump.write_text("\n".join([*LINES, url]) + "\n", encoding="utf-8")
    db.load_dump_to_db(dump, tmp_path / "c.db", edge_count=len(LINES) + 1, delete_dump=False)
    return open_lite(tmp_path / "c.db")


@pytest.mark.parametrize(
    "query",
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
def test_a_conceptnet_lite_database_gives_the_same_edges(
    graph: ConceptNet, lite_graph: ConceptGraph, query: dict[str, str]
) -> None:
    assert lite_graph.edges(**query) == graph.edges(**query)


def test_a_conceptnet_lite_database_has_the_same_neighborhoods(graph: ConceptNet, lite_graph: ConceptGraph) -> None:
    assert ["cat" in lite_graph, "chien" in lite_graph, "cow" in lite_graph] == [True, False, False]
    assert nx.utils.graphs_equal(lite_graph.neighborhood("dog", 2), graph.neighborhood("dog", 2))
    assert set(lite_graph.neighborhood("dog", relations=["IsA"])) == {"dog", "animal"}


def test_a_file_that_is_no_conceptnet_lite_database_is_named_and_left_alone(tmp_path: Path) -> None:
    pytest.importorskip("conceptnet_lite", reason="the extra conceptnet-lite is not installed")
    path = tmp_path / "c.db"
    with pytest.raises(MissingFileError, match="no such conceptnet-lite database"):
        open_lite(path)
    for content in (b"", b"not sqlite at all" * 99):
        path.write_bytes(content)
        with pytest.raises(BadInputError, match=r"c\.db: not a conceptnet-lite database"):
            open_lite(path)
        assert path.read_bytes() == content
