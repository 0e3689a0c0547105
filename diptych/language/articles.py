"""Articles by sound: an hour, a uniform, an 8, an MRI; and none before water or jeans."""

import re
import unicodedata
from functools import cache, lru_cache

from diptych.language import engines
from diptych.language.nouns import is_mass, is_plural
from diptych.language.tables import table

_TOKEN = re.compile(r"[^\W_]+(?:[.,'’][^\W_]+)*")
_NUMBER = re.compile(r"[0-9]+(?:,[0-9]{3})*")
_VOWEL_LETTERS = frozenset("AEFHILMNORSX")
_INITIALS = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]?")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9]+")
_DETERMINED = re.compile(
    r"\s*(?:(?:an?|the|this|that|these|those|some|any|every|each|my|your|his|her|its|our|their)\s"
    r"|(?:some|any|every|no)(?:one|body|thing)\b)",
    re.IGNORECASE,
)


@lru_cache(maxsize=65536)
def article(phrase: str) -> str:
    """Say "a" or "an", by the sound of the first word.

    >>> [article(word) for word in ("hour", "uniform", "one-way street", "8", "MRI", "European")]
    ['an', 'a', 'a', 'an', 'an', 'a']
    """
    found = _TOKEN.search(_without_accents(phrase))
    word = found.group() if found else ""
    number = _NUMBER.match(word)
    vowel = _said_with_vowel(number.group()) if number else _starts_with_vowel(word)
    return "an" if vowel else "a"


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def _said_with_vowel(number: str) -> bool:
    """Whether digits are said eight…, eleven… or eighteen…; four digits without a comma are read like a year."""
    digits = number.replace(",", "")
    thousands = digits[: len(digits) % 3 or 3]
    year = digits[:2] if len(number) == 4 else ""
    return digits[0] == "8" or bool({thousands, year} & {"11", "18"})


@lru_cache(maxsize=65536)
def _starts_with_vowel(word: str) -> bool:
    sounds, lower = _sounds(), word.lower()
    if lower in sounds:
        return sounds[lower]
    if _is_spelled(word):
        return word[0].upper() in _VOWEL_LETTERS
    return bool(word) and engines.article_by_rule(lower) == "an"


def _is_spelled(word: str) -> bool:
    """Whether a word is read letter by letter: X, MRI, SUVs, U.S., but not STOP or NASA."""
    stem = word.removesuffix("'s").removesuffix("’s").removesuffix("s")
    if len(word) == 1 or _INITIALS.fullmatch(word) or word.lower() in _spelled() or stem.lower() in _spelled():
        return True
    if not _CAPITALS.fullmatch(stem) or engines.is_word(word.lower()):
        return False
    return len(stem) < 4 or not set("AEIOU") & set(stem[:2])


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
