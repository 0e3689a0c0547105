"""Parts of WordNet as networkx graphs, for walking with networkx's own algorithms."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from diptych.errors import UnknownNameError
from diptych.kg.synset import Synset
from diptych.kg.wordnet import wordnet

if TYPE_CHECKING:
    import networkx as nx

STEPS: dict[str, Callable[[Synset], tuple[Synset, ...]]] = {
    "hypernym": Synset.parents,
    "hyponym": lambda synset: synset.hyponyms() + synset.instance_hyponyms(),
    "part_meronym": Synset.part_meronyms,
    "part_holonym": Synset.part_holonyms,
    "similar_to": Synset.similar_tos,
    "antonym": lambda synset: tuple(dict.fromkeys(lemma.synset for lemma in synset.antonyms())),
}
"""The relations a graph can follow; instances go with the kinds."""


def wordnet_graph(
    roots: str | Synset | Iterable[str | Synset], relation: str = "hypernym", depth: int | None = None
) -> "nx.DiGraph[str]":
    """What a relation reaches from one or more synsets, in at most `depth` steps: an edge leads from each to the next.

    Nodes are synset names, with `pos` and `lexname`; edges have `relation`.

    >>> graph = wordnet_graph("dog.n.01", depth=2)
    >>> list(graph.edges)[:3]
    [('dog.n.01', 'canine.n.02'), ('dog.n.01', 'domestic_animal.n.01'), ('canine.n.02', 'carnivore.n.01')]
    """
    import networkx as nx  # slow to import, and looking words up does not need it

    if relation not in STEPS:
        raise UnknownNameError.among("relation", relation, STEPS)
    graph: nx.DiGraph[str] = nx.DiGraph()
    edge = [as_synset(root) for root in ([roots] if isinstance(roots, str | Synset) else roots)]
    for root in edge:
        add_node(graph, root)
    seen, steps = set(edge), 0
    while edge and (depth is None or steps < depth):
        links = [(source, target) for source in dict.fromkeys(edge) for target in STEPS[relation](source)]
        for source, target in links:
            add_node(graph, target)
            graph.add_edge(source.name, target.name, relation=relation)
        edge = [target for target in dict.fromkeys(target for _, target in links) if target not in seen]
        seen.update(edge)
        steps += 1
    return graph


def as_synset(root: str | Synset) -> Synset:
    """A synset given as itself or by name."""
    return root if isinstance(root, Synset) else wordnet().synset(root)


def add_node(graph: "nx.DiGraph[str]", synset: Synset) -> None:
    """Add a synset to a graph under its name."""
    graph.add_node(synset.name, pos=synset.pos, lexname=synset.lexname)
