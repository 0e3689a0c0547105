"""Articles by sound: an hour, a uniform, an 8, an MRI; and none before water or jeans."""

import re
from functools import cache, lru_cache

from diptych.language import engines
from diptych.language.nouns import is_mass, is_plural
from diptych.language.tables import table

_TOKEN = re.compile(r"[^\W_]+(?:[.'’][^\W_]+)*")
_VOWEL_LETTERS = frozenset("AEFHILMNORSX")
# A number is said "eight…", "eleven" or "eighteen" (alone, before thousands, or as the first half of a year).
_VOWEL_NUMBER = re.compile(r"8|1[18](?:$|\D|\d\d(?:$|\D))")
_GROUPED = re.compile(r"^(\d{1,3})(?:,\d{3})+")
_DETERMINED = re.compile(
    r"\s*(?:an?|the|this|that|these|those|some|any|every|each|my|your|his|her|its|our|their)\s", re.IGNORECASE
)


@lru_cache(maxsize=65536)
def article(phrase: str) -> str:
    """Say "a" or "an", by the sound of the first word.

    >>> [article(word) for word in ("hour", "uniform", "one-way street", "8", "MRI", "European")]
    ['an', 'a', 'a', 'an', 'an', 'a']
    """
    found = _TOKEN.search(phrase)
    if not found:
        return "a"
    word = found.group()
    if word[0].isdigit():
        return _article_of_number(phrase[found.start() :])
    return "an" if _starts_with_vowel(word) else "a"


def _article_of_number(text: str) -> str:
    grouped = _GROUPED.match(text)
    spoken = grouped.group(1) if grouped else text
    return "an" if _VOWEL_NUMBER.match(spoken) else "a"


def _starts_with_vowel(word: str) -> bool:
    sounds, lower = _sounds(), word.lower()
    if lower in sounds:
        return sounds[lower]
    if _is_spelled(word):
        return word[0].upper() in _VOWEL_LETTERS
    return engines.article_by_rule(lower) == "an"


def _is_spelled(word: str) -> bool:
    """Whether a word is read letter by letter: X, MRI, SUVs, U.S."""
    if len(word) == 1 or re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]?", word):
        return True
    stem = word.removesuffix("s")
    if word.lower() in _spelled() or stem.lower() in _spelled():
        return True
    known = bool(engines.noun_lemmas(stem.lower()) or engines.verb_lemmas(stem.lower()))
    letters = re.match(r"[A-Z]+", stem)
    return bool(letters and len(letters.group()) > 1 and re.fullmatch(r"[A-Z0-9]+", stem) and not known)


@cache
def _spelled() -> frozenset[str]:
    return frozenset(table("articles")["spelled"])


@cache
def _sounds() -> dict[str, bool]:
    words = table("articles")
    return dict.fromkeys(words["an"], True) | dict.fromkeys(words["a"], False)


def with_article(phrase: str) -> str:
    """Put the article before a singular phrase.

    >>> with_article("elevated power line")
    'an elevated power line'
    """
    return f"{article(phrase)} {phrase}"


@lru_cache(maxsize=65536)
def indefinite(phrase: str) -> str:
    """Put the article before what takes one; leave mass nouns, plurals and phrases with a determiner bare.

    >>> indefinite("dog"), indefinite("water"), indefinite("jeans"), indefinite("the dog")
    ('a dog', 'water', 'jeans', 'the dog')
    """
    bare = _DETERMINED.match(phrase) or is_mass(phrase) or is_plural(phrase)
    return phrase if bare else with_article(phrase)


@lru_cache(maxsize=65536)
def with_any(phrase: str) -> str:
    """Name something whose existence is asked: "any" before mass nouns and plurals, the article before the rest.

    >>> with_any("water"), with_any("dogs"), with_any("dog")
    ('any water', 'any dogs', 'a dog')
    """
    bare = indefinite(phrase)
    return bare if bare != phrase or _DETERMINED.match(phrase) else f"any {phrase}"
