"""Whether a word is one that dictionaries have: a word of none is likely misspelled."""

from functools import lru_cache

from diptych.kg._wordnet import wordnet
from diptych.language import is_listed_noun, is_word

_SHORTEST_PART = 3


@lru_cache(maxsize=65536)
def is_known_word(word: str) -> bool:
    """Whether a word in small letters is in a dictionary, or made of two that are.

    >>> [is_known_word(word) for word in ("surfer", "wetsuit", "selfie", "frisbby")]
    [True, True, True, False]
    """
    splits = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)
    return _is_listed(word) or any(_is_listed(word[:place]) and _is_listed(word[place:]) for place in splits)


def _is_listed(word: str) -> bool:
    return is_word(word) or is_listed_noun(word) or any(wordnet().synsets(word, pos) for pos in "nvar")
