"""Which words people know: those that WordNet's tagged texts use in a sense, and tables of others."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from diptych.files import read_package_toml
from diptych.kg._wordnet import Synset, wordnet

_POS = {"verb": "v", "adjective": "a"}


@dataclass(frozen=True, slots=True)
class FamiliarWords:
    """Words that people know, words that are never used, and the stand-ins to avoid for a word."""

    known: frozenset[str]
    never: frozenset[str]
    too_general: frozenset[str]  # synsets that are never taken as a hypernym
    avoid: dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class ReviewedSynonyms:
    """Synonyms that people would use, and where some of them do not fit."""

    by_word: Mapping[tuple[str, str], frozenset[str]]
    """The reviewed synonyms by word (or synset name) and part of speech."""
    transitive: frozenset[str]  # verbs that need an object
    predicative: frozenset[str]  # adjectives that do not stand before the noun they describe

    def of(self, word: str, sense: Synset) -> frozenset[str] | None:
        """The words that may stand in for a word in a sense; None if the word was not reviewed.

        >>> sorted(reviewed_synonyms().of("small", wordnet().synset("small.a.01")))
        ['little']
        """
        pos = "a" if sense.pos == "s" else sense.pos
        return self.by_word.get((sense.name, pos), self.by_word.get((word, pos)))


def _read_table(name: str) -> dict[str, Any]:
    return read_package_toml("diptych.kg", name)


@cache
def familiar_words() -> FamiliarWords:
    """The table in the package."""
    table = _read_table("familiar.toml")
    avoid = {word: frozenset(stand_ins) for word, stand_ins in table["avoid"].items()}
    known, never, too_general = (frozenset(table[name].split()) for name in ("known", "never", "too_general"))
    return FamiliarWords(known, never, too_general, avoid)


@cache
def reviewed_synonyms() -> ReviewedSynonyms:
    """The table in the package."""
    table = _read_table("synonyms.toml")
    synonyms = {(word, pos): frozenset(words) for kind, pos in _POS.items() for word, words in table[kind].items()}
    return ReviewedSynonyms(synonyms, *(frozenset(table[name].split()) for name in ("transitive", "predicative")))


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
