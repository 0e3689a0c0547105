"""Which words people know: those that WordNet's tagged texts use in a sense, and tables of others."""

from collections import Counter
from functools import lru_cache

from diptych.files import read_package_toml
from diptych.kg._wordnet import Synset, wordnet

_POS = {"verb": "v", "adjective": "a"}
_FAMILIAR, _SYNONYMS = (read_package_toml("diptych.kg", name) for name in ("familiar.toml", "synonyms.toml"))

FAMILIAR_WORDS = frozenset(_FAMILIAR["known"].split())
UNUSED_WORDS = frozenset(_FAMILIAR["never"].split())  # words that are never used
TOO_GENERAL = frozenset(_FAMILIAR["too_general"].split())  # synsets that are never taken as a hypernym
AVOIDED_STAND_INS = {word: frozenset(stand_ins) for word, stand_ins in _FAMILIAR["avoid"].items()}  # by word; * for all
UNFIT_SYNONYMS = {name: frozenset(_SYNONYMS[name].split()) for name in ("transitive", "predicative")}
"""Verbs that need an object, and adjectives that do not stand before the noun they describe."""
# By word or name of a synset, and part of speech.
_REVIEWED = {(word, pos): frozenset(words) for kind, pos in _POS.items() for word, words in _SYNONYMS[kind].items()}


def reviewed_synonyms(word: str, sense: Synset) -> frozenset[str] | None:
    """The synonyms that people would use for a word in a sense; None if the word was not reviewed.

    >>> sorted(reviewed_synonyms("small", wordnet().synset("small.a.01")))
    ['little']
    """
    pos = "a" if sense.pos == "s" else sense.pos
    return _REVIEWED.get((sense.name, pos), _REVIEWED.get((word, pos)))


def sense_count(synset: Synset, lemma: str) -> int:
    """How often WordNet's tagged texts use a word in a sense; compounds may have spaces.

    >>> sense_count(wordnet().synset("dog.n.01"), "dog")
    42
    """
    name = lemma.replace(" ", "_")
    counts = zip(synset.lemma_names, synset.lemma_counts, strict=True)
    return next((count for spelling, count in counts if spelling == name), 0)


@lru_cache(maxsize=65536)
def main_pos(word: str) -> str:
    """The most frequent part of speech of a word in WordNet's tagged texts; empty for an unknown word.

    >>> main_pos("have"), main_pos("dog"), main_pos("red")
    ('v', 'n', 'a')
    """
    counts: Counter[str] = Counter()
    for synset in wordnet().synsets(word.replace(" ", "_")):
        counts["a" if synset.pos == "s" else synset.pos] += sense_count(synset, word)
    return max(counts, key=lambda pos: (counts[pos], -"nvar".index(pos)), default="")


@lru_cache(maxsize=65536)
def word_count(word: str) -> int:
    """How often WordNet's tagged texts use a word in any sense."""
    return sum(sense_count(synset, word) for synset in wordnet().synsets(word.replace(" ", "_")))
