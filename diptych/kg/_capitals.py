"""Capitals of names and of adjectives made from names: "american" is written "American"."""

import re
from functools import lru_cache

from diptych.kg._wordnet import wordnet
from diptych.language import noun_lemmas, verb_lemmas

_SHORTEST = 4  # shorter words are symbols of elements and abbreviations in WordNet: "as", "us", "in"
_PLAIN_WORD = re.compile(rf"(?<![\w'])[a-z]{{{_SHORTEST},}}(?![\w])")
_NAMES = {"adj.pert", "noun.time", "noun.location"}


def with_capitals(text: str) -> str:
    """The text with capitals for the names in it, where WordNet knows a word as a name only.

    >>> with_capitals("two american flags and a turkey"), with_capitals("christmas tree")
    ('two American flags and a turkey', 'Christmas tree')
    """
    return _PLAIN_WORD.sub(lambda match: _with_capital(match[0]), text)


@lru_cache(maxsize=65536)
def _with_capital(word: str) -> str:
    if verb_lemmas(word) or noun_lemmas(word) not in ((), (word,)):
        return word  # a form of another word: states, windows
    senses = [sense for pos in "nvar" for sense in wordnet().synsets(word, pos)]
    spellings = {name for sense in senses for name in sense.lemma_names if name.lower() == word}
    is_name = spellings == {word.capitalize()} and any(sense.lexname in _NAMES for sense in senses)
    return word.capitalize() if is_name else word
