"""Articles by sound: an hour, a uniform, an 8, an MRI; none before mass nouns and plurals."""

import re
from functools import lru_cache
from unicodedata import combining, normalize

from diptych.language._lexicon import exceptions, is_word, rules
from diptych.language._nouns import is_mass, is_plural

_TOKEN = re.compile(r"[^\W_]+(?:[.,'’][^\W_]+)*")
_NUMBER = re.compile(r"[0-9]+(?:,[0-9]{3})*")
_VOWEL_LETTERS = frozenset("AEFHILMNORSX")
_INITIALS = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]?")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9]+")
_DETERMINERS = "an?|the|this|that|these|those|some|any|every|each|my|your|his|her|its|our|their"
_DETERMINER = re.compile(rf"\s*(?:(?:{_DETERMINERS})\s|(?:some|any|every|no)(?:one|body|thing)\b)", re.IGNORECASE)


@lru_cache(maxsize=65536)
def article(phrase: str) -> str:
    """The indefinite article of a phrase, "a" or "an", by the sound of its first word.

    >>> [article(word) for word in ("hour", "uniform", "one-way street", "8", "MRI", "European")]
    ['an', 'a', 'a', 'an', 'an', 'a']
    """
    match = _TOKEN.search("".join(char for char in normalize("NFKD", phrase) if not combining(char)))
    word = match.group() if match else ""
    number = _NUMBER.match(word)
    vowel = _is_number_with_vowel(number.group()) if number else _is_word_with_vowel(word)
    return "an" if vowel else "a"


def _is_number_with_vowel(number: str) -> bool:
    """Whether digits are read as eight…, eleven… or eighteen…; four digits without a comma are read like a year."""
    digits = number.replace(",", "")
    thousands = digits[: len(digits) % 3 or 3]
    year = digits[:2] if len(number) == 4 else ""
    return digits[0] == "8" or bool({thousands, year} & {"11", "18"})


@lru_cache(maxsize=65536)
def _is_word_with_vowel(word: str) -> bool:
    lowercase, exceptional_words = word.lower(), exceptions("articles")
    if lowercase in exceptional_words["an"] or lowercase in exceptional_words["a"]:
        return lowercase in exceptional_words["an"]
    if _is_spelled_out(word):
        return word[0].upper() in _VOWEL_LETTERS
    return bool(word) and rules().a(lowercase).split(" ", 1)[0] == "an"


def _is_spelled_out(word: str) -> bool:
    """Whether a word is read letter by letter: X, MRI, SUVs, U.S., but not STOP or NASA."""
    stem = word.removesuffix("'s").removesuffix("’s").removesuffix("s")
    is_listed = any(form in exceptions("articles")["spelled"] for form in (word.lower(), stem.lower()))
    if len(word) == 1 or _INITIALS.fullmatch(word) or is_listed:
        return True
    if not _CAPITALS.fullmatch(stem) or is_word(word.lower()):
        return False
    return len(stem) < 4 or not set("AEIOU") & set(stem[:2])


@lru_cache(maxsize=65536)
def indefinite(phrase: str) -> str:
    """Put the indefinite article before a phrase, except before mass nouns, plurals and other determiners.

    >>> indefinite("dog"), indefinite("water"), indefinite("jeans"), indefinite("the dog")
    ('a dog', 'water', 'jeans', 'the dog')
    """
    if _DETERMINER.match(phrase) or is_mass(phrase) or is_plural(phrase):
        return phrase
    return f"{article(phrase)} {phrase}"


@lru_cache(maxsize=65536)
def with_any(phrase: str) -> str:
    """The phrase as it follows "is there": "any" before mass nouns and plurals ("any water"), else the article."""
    noun_phrase = indefinite(phrase)
    return noun_phrase if noun_phrase != phrase or _DETERMINER.match(phrase) else f"any {phrase}"
