"""Which words people know: those that WordNet's tagged texts have in the sense, and a table of others."""

import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from diptych.kg.synset import Synset
from diptych.kg.wordnet import wordnet


@dataclass(frozen=True, slots=True)
class FamiliarWords:
    """The table: words that are known, words that are never used, and what is avoided for one word."""

    known: frozenset[str]
    never: frozenset[str]
    avoid: dict[str, frozenset[str]]


@cache
def familiar_words() -> FamiliarWords:
    """The table that ships with the package."""
    table = tomllib.loads((files("diptych.kg") / "familiar.toml").read_text(encoding="utf-8"))
    avoid = {word: frozenset(others) for word, others in table["avoid"].items()}
    return FamiliarWords(frozenset(table["known"].split()), frozenset(table["never"].split()), avoid)


def sense_count(synset: Synset, lemma: str) -> int:
    """How often WordNet's tagged texts have a word in a sense; words of several parts may have spaces.

    >>> sense_count(wordnet().synset("dog.n.01"), "dog")
    42
    """
    name = lemma.replace(" ", "_")
    counts = zip(synset.lemma_names, synset.lemma_counts, strict=True)
    return next((count for spelt, count in counts if spelt == name), 0)


@lru_cache(maxsize=65536)
def word_count(word: str) -> int:
    """How often WordNet's tagged texts have a word in any sense."""
    found = (sense_count(synset, word) for synset in wordnet().synsets(word.replace(" ", "_")))
    return sum(found)
