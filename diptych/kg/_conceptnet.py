"""ConceptNet as a graph in memory: all edges of a dump, or those about a set of terms."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

from diptych.errors import BadInputError
from diptych.kg._conceptnet_dump import DumpTally, Edge, read_edges

if TYPE_CHECKING:
    import networkx as nx

    from diptych.sources import SourceFile


class ConceptGraph(ABC):
    """A source of ConceptNet's English edges.

    Terms are given with spaces or underscores, in any case, or as ConceptNet's own `/c/en/hot_dog`.
    """

    @abstractmethod
    def __contains__(self, term: str) -> bool:
        """Whether the graph has a term."""

    @abstractmethod
    def edges(self, head: str | None = None, relation: str | None = None, tail: str | None = None) -> list[Edge]:
        """The edges with this head, relation and tail (None matches all), the heaviest first."""

    def neighborhood(
        self, term: str, radius: int = 1, relations: Container[str] | None = None
    ) -> "nx.MultiDiGraph[str]":
        """The edges within `radius` steps of a term, in either direction.

        Nodes are terms; the key of an edge is its relation, and it has `weight`.
        """
        import networkx as nx  # slow to import, and looking edges up does not need it

        if radius < 1:
            raise BadInputError(f"a neighborhood needs a radius of at least 1, not {radius}")
        center = normalize_term(term)
        graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        graph.add_node(center)
        frontier = [center]
        for _ in range(radius):
            neighbors: dict[str, None] = {}
            for node in frontier:
                for edge in (*self.edges(head=node), *self.edges(tail=node)):
                    if relations is None or edge.relation in relations:
                        neighbors |= {end: None for end in (edge.head, edge.tail) if end not in graph}
                        graph.add_edge(edge.head, edge.tail, key=edge.relation, weight=edge.weight)
            frontier = list(neighbors)
        return graph


class ConceptNet(ConceptGraph):
    """Edges in memory, indexed by head and tail.

    Of several edges with the same head, relation and tail (from other senses or sources) the heaviest stays, of equally
    heavy ones the first.

    >>> graph = ConceptNet([Edge("dog", "IsA", "animal", 2.0), Edge("dog", "CapableOf", "bark", 3.0)])
    >>> [edge.tail for edge in graph.edges(head="Dog")]
    ['bark', 'animal']
    """

    def __init__(self, edges: Iterable[Edge], tally: DumpTally | None = None) -> None:
        heaviest: dict[tuple[str, str, str], Edge] = {}
        for edge in edges:
            triple = edge.head, edge.relation, edge.tail
            rival = heaviest.get(triple)
            if rival is None or rival.weight < edge.weight:
                heaviest[triple] = edge
        self.tally = tally
        """What was read from the dump; None for edges that did not come from one."""
        self._edges = sorted(heaviest.values(), key=lambda edge: (-edge.weight, edge.head, edge.relation, edge.tail))
        self._by_head: defaultdict[str, list[Edge]] = defaultdict(list)
        self._by_tail: defaultdict[str, list[Edge]] = defaultdict(list)
        for edge in self._edges:
            self._by_head[edge.head].append(edge)
            self._by_tail[edge.tail].append(edge)

    def __len__(self) -> int:
        return len(self._edges)

    def __contains__(self, term: str) -> bool:
        return normalize_term(term) in self._by_head or normalize_term(term) in self._by_tail

    def edges(self, head: str | None = None, relation: str | None = None, tail: str | None = None) -> list[Edge]:
        """The edges with this head, relation and tail (None matches all), the heaviest first."""
        tail_term = None if tail is None else normalize_term(tail)
        if head is not None:
            candidates = self._by_head.get(normalize_term(head), [])
        elif tail_term is not None:
            candidates = self._by_tail.get(tail_term, [])
        else:
            candidates = self._edges
        return [
            edge
            for edge in candidates
            if (relation is None or edge.relation == relation) and (tail_term is None or edge.tail == tail_term)
        ]


def open_conceptnet(
    file: "SourceFile", relations: Container[str] | None = None, terms: Iterable[str] | None = None
) -> ConceptNet:
    """Read a dump into memory: the English edges of these relations with one of these terms at an end; None takes all.

    The full dump has millions of English edges: naming relations and terms keeps memory small.
    """
    tally = DumpTally()
    edges: Iterable[Edge] = read_edges(file, relations, tally)
    if terms is not None:
        ends = frozenset(map(normalize_term, terms))
        edges = (edge for edge in edges if edge.head in ends or edge.tail in ends)
    return ConceptNet(edges, tally)


def normalize_term(term: str) -> str:
    """A term as edges write it.

    >>> normalize_term("Hot_dog"), normalize_term("/c/en/hot_dog")
    ('hot dog', 'hot dog')
    """
    return term.lower().removeprefix("/c/en/").replace("_", " ")
