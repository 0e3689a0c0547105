"""Parts of WordNet as networkx graphs: what a relation reaches, and the path between two synsets."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from diptych.errors import UnknownNameError
from diptych.kg._synset import Synset
from diptych.kg._wordnet import wordnet

if TYPE_CHECKING:
    import networkx as nx

_STEPS: dict[str, Callable[[Synset], tuple[Synset, ...]]] = {
    "hypernym": Synset.parents,
    "hyponym": lambda synset: synset.hyponyms() + synset.instance_hyponyms(),
    "part_meronym": Synset.part_meronyms,
    "part_holonym": Synset.part_holonyms,
    "similar_to": Synset.similar_tos,
    "antonym": lambda synset: tuple(dict.fromkeys(lemma.synset for lemma in synset.antonyms())),
}
"""The relations that a graph can follow; instances are included with kinds."""


def wordnet_graph(
    roots: str | Synset | Iterable[str | Synset], relation: str = "hypernym", depth: int | None = None
) -> "nx.DiGraph[str]":
    """The synsets that a relation reaches from one or more synsets in at most `depth` steps.

    Nodes are synset names, with `pos` and `lexname`; edges have `relation`.

    >>> graph = wordnet_graph("dog.n.01", depth=2)
    >>> list(graph.edges)[:3]
    [('dog.n.01', 'canine.n.02'), ('dog.n.01', 'domestic_animal.n.01'), ('canine.n.02', 'carnivore.n.01')]
    """
    import networkx as nx  # slow to import, and looking words up does not need it

    if relation not in _STEPS:
        raise UnknownNameError.among("relation", relation, _STEPS)
    graph: nx.DiGraph[str] = nx.DiGraph()
    frontier = [_as_synset(root) for root in ([roots] if isinstance(roots, str | Synset) else roots)]
    for root in frontier:
        _add_node(graph, root)
    visited, steps = set(frontier), 0
    while frontier and (depth is None or steps < depth):
        arcs = [(source, target) for source in dict.fromkeys(frontier) for target in _STEPS[relation](source)]
        for source, target in arcs:
            _add_node(graph, target)
            graph.add_edge(source.name, target.name, relation=relation)
        frontier = [target for target in dict.fromkeys(target for _, target in arcs) if target not in visited]
        visited.update(frontier)
        steps += 1
    return graph


def hypernym_path(synset_from: str | Synset, synset_to: str | Synset) -> "nx.DiGraph[str]":
    """The shortest path between two synsets through a common hypernym, with the edges leading up to it.

    Of several such paths, the one with the lowest (most specific) hypernym is taken. Synsets without a common hypernym
    give a graph of two nodes and no edge. Nodes and edges have the attributes of `wordnet_graph`.

    >>> sorted(hypernym_path("dog.n.01", "cat.n.01").edges)
    [('canine.n.02', 'carnivore.n.01'), ('cat.n.01', 'feline.n.01'),
     ('dog.n.01', 'canine.n.02'), ('feline.n.01', 'carnivore.n.01')]
    """
    import networkx as nx

    ends = _as_synset(synset_from), _as_synset(synset_to)
    ancestors = wordnet_graph(ends)
    ways = [nx.single_source_shortest_path(ancestors, end.name) for end in ends]
    path: nx.DiGraph[str] = nx.DiGraph()
    path.add_nodes_from((end.name, ancestors.nodes[end.name]) for end in ends)
    if common := ways[0].keys() & ways[1].keys():
        meeting = min(common, key=lambda name: (sum(len(way[name]) for way in ways), -_depth(name), name))
        for way in ways:
            path.add_nodes_from((name, ancestors.nodes[name]) for name in way[meeting])
            nx.add_path(path, way[meeting], relation="hypernym")
    return path


def _as_synset(synset: str | Synset) -> Synset:
    return synset if isinstance(synset, Synset) else wordnet().synset(synset)


def _depth(name: str) -> int:
    return wordnet().synset(name).max_depth()


def _add_node(graph: "nx.DiGraph[str]", synset: Synset) -> None:
    graph.add_node(synset.name, pos=synset.pos, lexname=synset.lexname)
