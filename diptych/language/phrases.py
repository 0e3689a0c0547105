"""Where the head of a noun phrase stands, so that "man in a suit" becomes "men in a suit"."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise, takewhile

from diptych.language import engines
from diptych.language.tables import table

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase cut around its head: `before + head + after` is the phrase."""

    before: str
    head: str
    after: str

    def with_head(self, head: str) -> str:
        """The phrase with another head, in the capitals of the old one."""
        return self.before + _like(self.head, head) + self.after


def _like(model: str, word: str) -> str:
    """Give `word` the capitals of `model`: TV and TVs, Man and Men, MAN and MEN."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(model.lower(), word, strict=False)))
    if model.isupper() and 1 < len(model) != same:
        return word.upper()
    return model[:same] + word[same:]


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(table("phrases")[name])


@cache
def _modifiers() -> re.Pattern[str]:
    """Modifiers that look as if a preposition ended the phrase, as in "built in shelf"."""
    anywhere, opening = ("|".join(table("phrases")[name]) for name in ("modifiers", "opening_modifiers"))
    return re.compile(rf"(?:\b(?:{anywhere})|^\s*(?:{opening}))\s", re.IGNORECASE)


def _is_participle(word: str) -> bool:
    """Whether a word can start what follows the head, as "sitting" in "dog sitting on a couch"."""
    if not word.endswith(("ing", "ed")) or word in _words("nouns_in_ing"):
        return False
    lemmas = engines.verb_lemmas(word)
    return bool(lemmas) and word not in lemmas


def _ends_head(word: str, following: str) -> bool:
    """Whether the head stands before this word: a preposition, a relative, or a participle with what it needs."""
    prepositions = _words("prepositions")
    if word in prepositions or f"{word} {following}" in prepositions or word in _words("participles"):
        return True
    return (following in prepositions or following in ("a", "an", "the")) and _is_participle(word)


@lru_cache(maxsize=65536)
def cut(phrase: str) -> Phrase:
    """Find the head: the last word before whatever follows it.

    >>> cut("pair of scissors")
    Phrase(before='', head='pair', after=' of scissors')
    >>> cut("elevated power line").head
    'line'
    """
    skip = max((found.end() for found in _modifiers().finditer(phrase)), default=0)
    words = list(_WORD.finditer(phrase.rstrip(" .,;:?!"), skip))
    texts = [word.group().lower() for word in words]
    ends = (i for i, pair in enumerate(pairwise(texts)) if i and _ends_head(*pair))
    start, end = words[next(ends, len(words)) - 1].span() if words else (len(phrase), len(phrase))
    return Phrase(phrase[:start], phrase[start:end], phrase[end:])
