"""ConceptNet as a graph: its queries, and that the answers are those of the dump."""

import sys
from pathlib import Path

import pytest

from diptych.builders.fvqa2._knowledge import RELATIONS
from diptych.errors import BadInputError, MissingExtraError, MissingFileError
from diptych.kg import ConceptNet, Edge, LiteGraph
from diptych.sources import SourceFile
from tests.kg.dumps import LINES, PlainEdges, read_dump, read_plainly, write_dump

NO_EXTRA = 'conceptnet-lite is not installed: pip install "diptych[conceptnet-lite]"'


@pytest.fixture
def graph(tmp_path: Path) -> ConceptNet:
    return ConceptNet(read_dump(write_dump(tmp_path, LINES)).edges)


def test_edges_are_selected_by_head_tail_and_relation(graph: ConceptNet) -> None:
    assert [edge.tail for edge in graph.edges(head="dog")] == ["bark", "animal", "bark"]
    assert [edge.head for edge in graph.edges(tail="animal")] == ["dog", "cat"]
    assert [edge.head for edge in graph.edges(relation="AtLocation")] == ["crème brûlée"]
    assert [edge.weight for edge in graph.edges("cat", "IsA", "animal")] == [1.5]
    assert graph.edges(head="dog", tail="kitchen") == []
    assert graph.edges(head="dog", relation="MadeOf") == []
    assert len(graph.edges()) == 5


@pytest.mark.parametrize("term", ["crème brûlée", "Crème_Brûlée", "/c/en/crème_brûlée"])
def test_a_term_may_be_written_in_several_ways(graph: ConceptNet, term: str) -> None:
    assert [edge.tail for edge in graph.edges(head=term)] == ["kitchen"]


def test_only_english_edges_are_kept(graph: ConceptNet) -> None:
    assert graph.edges(head="chien") == graph.edges(tail="chien") == []
    assert graph.edges(head="dog")


def test_senses_of_a_word_are_kept_where_the_dump_has_them(graph: ConceptNet) -> None:
    edges = graph.edges("dog", "CapableOf", "bark")
    assert [(edge.weight, edge.head_sense) for edge in edges] == [(3.0, ""), (1.0, "n/wn/animal")]


def test_of_several_edges_in_one_sense_the_heaviest_stays() -> None:
    graph = ConceptNet(Edge("a", "IsA", "b", weight, head_sense="n") for weight in (1.0, 3.0, 2.0))
    assert [edge.weight for edge in graph.edges()] == [3.0]


def test_of_equally_heavy_edges_the_first_stays() -> None:
    graph = ConceptNet(Edge("a", "IsA", "b", 2.0, text) for text in ("first", "second", "third"))
    assert [edge.head_text for edge in graph.edges()] == ["first"]


def test_an_edge_without_surfaces_has_its_terms_as_texts(graph: ConceptNet) -> None:
    (edge,) = graph.edges(head="crème brûlée")
    assert (edge.head_text, edge.tail_text) == ("crème brûlée", "kitchen")


# The real dump, against a plain reading of it.


@pytest.fixture(scope="module")
def real_dump(real_data: Path) -> SourceFile:
    return SourceFile(real_data / "conceptnet" / "conceptnet-assertions-100k.csv.gz", "conceptnet-assertions-100k.csv")


@pytest.fixture(scope="module")
def real_graph(real_dump: SourceFile) -> ConceptNet:
    return ConceptNet(read_dump(real_dump).edges)


@pytest.fixture(scope="module")
def expected(real_dump: SourceFile) -> PlainEdges:
    edges = read_plainly(real_dump.path).items()
    return {key: (round(weight, 4), *texts) for key, (weight, *texts) in edges if key[1] in RELATIONS}


def as_plain(edges: list[Edge]) -> PlainEdges:
    return {
        (edge.head, edge.relation, edge.tail, edge.head_sense, edge.tail_sense): (
            edge.weight,
            edge.head_text,
            edge.tail_text,
        )
        for edge in edges
    }


def test_the_real_graph_has_every_edge_and_its_surfaces(real_graph: ConceptNet, expected: PlainEdges) -> None:
    assert len(real_graph.edges()) == len(expected)
    assert as_plain(real_graph.edges()) == expected


def test_the_malformed_lines_of_the_real_dump_are_those_without_a_term(real_dump: SourceFile) -> None:
    block = read_dump(real_dump)
    assert block.lines == 100_000
    assert all(example.endswith("a concept without a term") for example in block.examples)


def test_the_real_edges_are_selected_by_head_and_by_tail(real_graph: ConceptNet, expected: PlainEdges) -> None:
    terms = sorted({key[side] for key in expected for side in (0, 2)})[::1500]
    for term in [*terms, "dog", "person", "kraków"]:
        assert as_plain(real_graph.edges(head=term)) == {key: row for key, row in expected.items() if key[0] == term}
        assert as_plain(real_graph.edges(tail=term)) == {key: row for key, row in expected.items() if key[2] == term}


def test_the_real_edges_come_heaviest_first(real_graph: ConceptNet) -> None:
    weights = [edge.weight for edge in real_graph.edges(head="dog")]
    assert len(weights) > 10
    assert weights == sorted(weights, reverse=True)


# conceptnet-lite.


def test_without_the_extra_the_error_names_the_install_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "conceptnet_lite", None)
    with pytest.raises(MissingExtraError, match=r'pip install "diptych\[conceptnet-lite\]"'):
        LiteGraph(tmp_path / "c.db")


@pytest.fixture
def lite_graph(tmp_path: Path) -> LiteGraph:
    db = pytest.importorskip("conceptnet_lite.db", reason=NO_EXTRA)
    url = "/a/x\t/r/ExternalURL\t/c/en/dog\thttp://dbpedia.org/resource/Dog\t{}"
    dump = tmp_path / "dump.csv"
    dump.write_text("\n".join([*LINES, url]) + "\n", encoding="utf-8")
    db.load_dump_to_db(dump, tmp_path / "c.db", edge_count=len(LINES) + 1, delete_dump=False)
    return LiteGraph(tmp_path / "c.db")


@pytest.mark.parametrize("relation", ["IsA", "CapableOf", "AtLocation", "RelatedTo", "MadeOf"])
def test_a_conceptnet_lite_database_gives_the_same_edges(
    graph: ConceptNet, lite_graph: LiteGraph, relation: str
) -> None:
    assert lite_graph.edges(relation=relation) == graph.edges(relation=relation)


def test_a_file_that_is_no_conceptnet_lite_database_is_named_and_left_alone(tmp_path: Path) -> None:
    pytest.importorskip("conceptnet_lite", reason=NO_EXTRA)
    path = tmp_path / "c.db"
    with pytest.raises(MissingFileError, match="no such conceptnet-lite database"):
        LiteGraph(path)
    for content in (b"", b"not sqlite at all" * 99):
        path.write_bytes(content)
        with pytest.raises(BadInputError, match=r"c\.db: not a conceptnet-lite database"):
            LiteGraph(path)
        assert path.read_bytes() == content
