"""Knowledge about the world: WordNet as a graph of meanings.

Tables and rules on top of it are in modules of their own: `colors` and `color_graph`, `kinds`, `senses`, `vocabulary`
and `screen`.
"""

from diptych.kg._synset import Lemma, Synset
from diptych.kg._wordnet import WordNet, wordnet
from diptych.kg._wordnet_graph import hypernym_path, wordnet_graph

__all__ = ["Lemma", "Synset", "WordNet", "hypernym_path", "wordnet", "wordnet_graph"]
