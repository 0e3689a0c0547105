"""Knowledge about the world: WordNet as a graph of meanings, ConceptNet as a graph of assertions.

Tables and rules on top of them are in modules of their own: `colors`, `kinds`, `senses`, `vocabulary`
and `screen`.
"""

from diptych.kg._conceptnet import ConceptGraph, ConceptNet, open_conceptnet
from diptych.kg._conceptnet_dump import DumpTally, Edge, Malformed, parse_edge, read_edges
from diptych.kg._conceptnet_lite import open_lite
from diptych.kg._wordnet import Synset, WordNet, hypernym_path, wordnet

__all__ = ["ConceptGraph", "ConceptNet", "open_conceptnet", "open_lite"]
__all__ += ["DumpTally", "Edge", "Malformed", "parse_edge", "read_edges"]
__all__ += ["Synset", "WordNet", "hypernym_path", "wordnet"]
