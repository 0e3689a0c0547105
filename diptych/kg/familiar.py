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
    too_general: frozenset[str]
    """Synsets that a hypernym never leads to."""
    avoid: dict[str, frozenset[str]]
    synonyms: dict[str, frozenset[str]]
    """By word or synset: the only synonyms of the graph that people would say."""


@cache
def familiar_words() -> FamiliarWords:
    """The table that ships with the package."""
    table = tomllib.loads((files("diptych.kg") / "familiar.toml").read_text(encoding="utf-8"))
    avoid, only = ({word: frozenset(of) for word, of in table[name].items()} for name in ("avoid", "synonyms"))
    known, never, general = (frozenset(table[name].split()) for name in ("known", "never", "too_general"))
    return FamiliarWords(known, never, general, avoid, only)


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
