"""What is known about the world: WordNet as a graph of meanings."""

from diptych.kg.synset import Lemma, Synset
from diptych.kg.wordnet import WordNet, wordnet
from diptych.kg.wordnet_graph import wordnet_graph

__all__ = ["Lemma", "Synset", "WordNet", "wordnet", "wordnet_graph"]
