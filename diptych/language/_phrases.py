"""The head of a noun phrase, so that "man in a suit" becomes "men in a suit"."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise, takewhile

from diptych.language._lexicon import exceptions, verb_lemmas

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase split around its head: `prefix + head + suffix` is the phrase."""

    prefix: str
    head: str
    suffix: str

    def with_head(self, head: str) -> str:
        """The phrase with another head, capitalized like the old one."""
        return self.prefix + _capitalize_like(self.head, head) + self.suffix


def _capitalize_like(model: str, word: str) -> str:
    """Give `word` the capitals of `model`: TV and TVs, Man and Men, MAN and MEN."""
    pairs = zip(model.lower(), word, strict=False)
    overlap = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    if model.isupper() and 1 < len(model) != overlap:
        return word.upper()
    return model[:overlap] + word[overlap:]


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(exceptions("phrases")[name])


@cache
def _modifiers() -> re.Pattern[str]:
    """Modifiers that contain a preposition without ending the head, as in "built in shelf"."""
    table = exceptions("phrases")
    modifiers, first_modifiers = "|".join(table["modifiers"]), "|".join(table["opening_modifiers"])
    return re.compile(rf"(?:\b(?:{modifiers})|^\s*(?:{first_modifiers}))\s", re.IGNORECASE)


def _is_participle(word: str) -> bool:
    """Whether a word can start what follows the head, as "sitting" in "dog sitting on a couch"."""
    if not word.endswith(("ing", "ed")) or word in _words("nouns_in_ing"):
        return False
    lemmas = verb_lemmas(word)
    return bool(lemmas) and word not in lemmas


def _ends_head(word: str, next_word: str) -> bool:
    """Whether the head ends before a word: a preposition, a relative pronoun, or a participle with its complement."""
    prepositions = _words("prepositions")
    if word in prepositions or f"{word} {next_word}" in prepositions or word in _words("participles"):
        return True
    return (next_word in prepositions or next_word in ("a", "an", "the")) and _is_participle(word)


@lru_cache(maxsize=65536)
def split_phrase(phrase: str) -> Phrase:
    """Split a phrase around its head, the last word before a preposition, relative clause or participle.

    >>> split_phrase("pair of scissors")
    Phrase(prefix='', head='pair', suffix=' of scissors')
    >>> split_phrase("elevated power line").head
    'line'
    """
    position = max((match.end() for match in _modifiers().finditer(phrase)), default=0)
    words = list(_WORD.finditer(phrase.rstrip(" .,;:?!"), position))
    texts = [word.group().lower() for word in words]
    ends = (i for i, pair in enumerate(pairwise(texts)) if i and _ends_head(*pair))
    start, end = words[next(ends, len(words)) - 1].span() if words else (len(phrase), len(phrase))
    return Phrase(phrase[:start], phrase[start:end], phrase[end:])
