"""Which words people know: those that WordNet's tagged texts have in the sense, and tables of others."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from diptych.kg.synset import Synset
from diptych.kg.wordnet import wordnet

_POS = {"verb": "v", "adjective": "a"}


@dataclass(frozen=True, slots=True)
class FamiliarWords:
    """The table: words that are known, words that are never used, and what is avoided for one word."""

    known: frozenset[str]
    never: frozenset[str]
    too_general: frozenset[str]
    """Synsets that a hypernym never leads to."""
    avoid: dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class ReviewedSynonyms:
    """The table of synonyms that people would say, and where some of them cannot stand."""

    only: Mapping[tuple[str, str], frozenset[str]]
    transitive: frozenset[str]
    """Verbs that need an object."""
    predicative: frozenset[str]
    """Adjectives that do not stand before what they describe."""

    def of(self, word: str, sense: Synset) -> frozenset[str] | None:
        """What may stand in for a word in a sense; None where nobody has looked at it.

        >>> sorted(reviewed_synonyms().of("small", wordnet().synset("small.a.01")))
        ['little']
        """
        pos = "a" if sense.pos == "s" else sense.pos
        return self.only.get((sense.name, pos), self.only.get((word, pos)))


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files("diptych.kg") / name).read_text(encoding="utf-8"))


@cache
def familiar_words() -> FamiliarWords:
    """The table that ships with the package."""
    table = _read("familiar.toml")
    avoid = {word: frozenset(of) for word, of in table["avoid"].items()}
    known, never, general = (frozenset(table[name].split()) for name in ("known", "never", "too_general"))
    return FamiliarWords(known, never, general, avoid)


@cache
def reviewed_synonyms() -> ReviewedSynonyms:
    """The table that ships with the package."""
    table = _read("synonyms.toml")
    only = {(word, pos): frozenset(of) for kind, pos in _POS.items() for word, of in table[kind].items()}
    return ReviewedSynonyms(only, *(frozenset(table[name].split()) for name in ("transitive", "predicative")))


def sense_count(synset: Synset, lemma: str) -> int:
    """How often WordNet's tagged texts have a word in a sense; words of several parts may have spaces.

    >>> sense_count(wordnet().synset("dog.n.01"), "dog")
    42
    """
    name = lemma.replace(" ", "_")
    counts = zip(synset.lemma_names, synset.lemma_counts, strict=True)
    return next((count for spelt, count in counts if spelt == name), 0)


@lru_cache(maxsize=65536)
def main_pos(word: str) -> str:
    """The part of speech a word mostly has in WordNet's tagged texts; empty for an unknown word.

    >>> main_pos("have"), main_pos("dog"), main_pos("red")
    ('v', 'n', 'a')
    """
    counts: dict[str, int] = {}
    for synset in wordnet().synsets(word.replace(" ", "_")):
        pos = "a" if synset.pos == "s" else synset.pos
        counts[pos] = counts.get(pos, 0) + sense_count(synset, word)
    return max(counts, key=lambda pos: (counts[pos], -"nvar".index(pos)), default="")


@lru_cache(maxsize=65536)
def word_count(word: str) -> int:
    """How often WordNet's tagged texts have a word in any sense."""
    found = (sense_count(synset, word) for synset in wordnet().synsets(word.replace(" ", "_")))
    return sum(found)
