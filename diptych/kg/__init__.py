"""Knowledge about the world: WordNet as a graph of meanings, ConceptNet as a graph of assertions.

Tables and rules on top of them are in modules of their own: `colors`, `kinds`, `senses`, `vocabulary` and `screen`.
"""

from diptych.kg._capitals import with_capitals
from diptych.kg._conceptnet import ENGLISH, ConceptNet, Dropped, Edge, LiteGraph, Malformed, parse_edge, split_uri
from diptych.kg._spelling import is_known_word
from diptych.kg._wordnet import Synset, WordNet, hypernym_path, wordnet

__all__ = ["ENGLISH", "ConceptNet", "Dropped", "Edge", "LiteGraph", "Malformed", "Synset", "WordNet"]
__all__ += ["hypernym_path", "is_known_word", "parse_edge", "split_uri", "with_capitals", "wordnet"]
