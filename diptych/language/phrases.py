"""Where the head of a noun phrase stands, so that "man in a suit" becomes "men in a suit"."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import takewhile

from diptych.language.tables import table


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
def _cuts() -> re.Pattern[str]:
    """What ends the part of a phrase that holds its head: a preposition, a relative or a participle with object."""
    words = table("phrases")
    prepositions = "|".join(map(re.escape, sorted(words["prepositions"], key=len, reverse=True)))
    always = "|".join(words["participles"])
    return re.compile(
        rf"\s(?:(?:{prepositions}|{always})\s|\w+(?:ing|ed)\s(?:{prepositions}|an?|the)\s)", re.IGNORECASE
    )


@cache
def _modifiers() -> re.Pattern[str]:
    """Modifiers that look as if a preposition ended the phrase, as in "built in shelf"."""
    return re.compile(rf"\b(?:{'|'.join(table('phrases')['modifiers'])})\s", re.IGNORECASE)


@lru_cache(maxsize=65536)
def cut(phrase: str) -> Phrase:
    """Find the head: the last word before whatever follows it.

    >>> cut("pair of scissors")
    Phrase(before='', head='pair', after=' of scissors')
    >>> cut("elevated power line").head
    'line'
    """
    skip = max((found.end() - 1 for found in _modifiers().finditer(phrase)), default=0)
    found = _cuts().search(phrase, pos=skip or _first_word_end(phrase))
    end = found.start() if found else len(phrase.rstrip(" .,;:?!"))
    start = phrase.rfind(" ", 0, end) + 1
    return Phrase(phrase[:start], phrase[start:end], phrase[end:])


def _first_word_end(phrase: str) -> int:
    """A phrase that begins with a preposition is not cut there."""
    return len(phrase) - len(phrase.lstrip()) + 1
