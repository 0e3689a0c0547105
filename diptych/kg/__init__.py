"""Knowledge about the world: WordNet as a graph of meanings, ConceptNet as a graph of assertions.

Tables and rules on top of them are in modules of their own: `colors` and `color_graph`, `kinds`, `senses`, `vocabulary`
and `screen`.
"""

from diptych.kg._conceptnet import ConceptGraph, ConceptNet, open_conceptnet
from diptych.kg._conceptnet_dump import DumpTally, Edge, Malformed, parse_edge, read_edges
from diptych.kg._conceptnet_lite import open_lite
from diptych.kg._synset import Lemma, Synset
from diptych.kg._wordnet import WordNet, wordnet
from diptych.kg._wordnet_graph import hypernym_path, wordnet_graph

__all__ = [
    "ConceptGraph",
    "ConceptNet",
    "DumpTally",
    "Edge",
    "Lemma",
    "Malformed",
    "Synset",
    "WordNet",
    "hypernym_path",
    "open_conceptnet",
    "open_lite",
    "parse_edge",
    "read_edges",
    "wordnet",
    "wordnet_graph",
]
