"""Plural and singular of nouns and noun phrases, mass nouns and plural-only nouns.

What inflects is the head of a phrase: "man in a suit" becomes "men in a suit".
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import chain, pairwise, takewhile

from diptych.language._lexicon import exceptions, noun_lemmas, noun_plurals, rules, verb_lemmas

_WORD = re.compile(r"\S+")
# Makes an invariant noun plural ("two sheep").
_NUMBERS = "two|three|four|five|six|seven|eight|nine|ten|[2-9]|[1-9]\\d+"
_QUANTIFIER = re.compile(rf"(?:these|those|both|several|many|few|{_NUMBERS})\s")
# Makes any phrase plural ("a cat and a dog").
_TWO_THINGS = re.compile(r" and (?:an?|the|one|his|her|its|their) ")
# Determiners that agree with the noun: "a dog" becomes "dogs", "this dog" becomes "these dogs".
_PLURAL_DETERMINERS = {"a": "", "an": "", "this": "these", "that": "those"}
_SINGULAR_DETERMINERS = {"these": "this", "those": "that"}

_NOUNS, _PHRASES = exceptions("nouns"), exceptions("phrases")
_PLURALS: dict[str, str] = _NOUNS["irregular"]
_SINGULARS: dict[str, str] = {plural: singular for singular, plural in _PLURALS.items()} | _NOUNS["singular_of"]
_PREPOSITIONS, _NOUNS_IN_ING = frozenset(_PHRASES["prepositions"]), frozenset(_PHRASES["nouns_in_ing"])
# Modifiers that contain a preposition without ending the head, as in "built in shelf".
_MODIFIERS, _OPENING_MODIFIERS = ("|".join(_PHRASES[name]) for name in ("modifiers", "opening_modifiers"))
_MODIFIER = re.compile(rf"(?:\b(?:{_MODIFIERS})|^\s*(?:{_OPENING_MODIFIERS}))\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase split around its head: `prefix + head + suffix` is the phrase."""

    prefix: str
    head: str
    suffix: str

    def with_head(self, head: str) -> str:
        """The phrase with another head, in the capitals of the old one: TV and TVs, Man and Men, MAN and MEN."""
        pairs = zip(self.head.lower(), head, strict=False)
        overlap = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if self.head.isupper() and 1 < len(self.head) != overlap:
            return self.prefix + head.upper() + self.suffix
        return self.prefix + self.head[:overlap] + head[overlap:] + self.suffix


def _is_participle(word: str) -> bool:
    """Whether a word can start what follows the head, as "sitting" in "dog sitting on a couch"."""
    lemmas = verb_lemmas(word) if word.endswith(("ing", "ed")) and word not in _NOUNS_IN_ING else ()
    return bool(lemmas) and word not in lemmas


def _ends_head(word: str, next_word: str) -> bool:
    """Whether the head ends before a word: a preposition, a relative pronoun, or a participle with its complement."""
    if not _PREPOSITIONS.isdisjoint((word, f"{word} {next_word}")) or word in _PHRASES["participles"]:
        return True
    return (next_word in _PREPOSITIONS or next_word in ("a", "an", "the")) and _is_participle(word)


@lru_cache(maxsize=65536)
def split_phrase(phrase: str) -> Phrase:
    """Split a phrase around its head, the last word before a preposition, relative clause or participle."""
    position = max((match.end() for match in _MODIFIER.finditer(phrase)), default=0)
    words = list(_WORD.finditer(phrase.rstrip(" .,;:?!"), position))
    texts = [word.group().lower() for word in words]
    ends = (i for i, pair in enumerate(pairwise(texts)) if i and _ends_head(*pair))
    start, end = words[next(ends, len(words)) - 1].span() if words else (len(phrase), len(phrase))
    return Phrase(phrase[:start], phrase[start:end], phrase[end:])


def head_of(phrase: str) -> str:
    """The word of a noun phrase that inflects.

    >>> head_of("man in a suit"), head_of("the red kites")
    ('man', 'kites')
    """
    return split_phrase(phrase).head


Number = StrEnum("Number", ["SINGULAR", "PLURAL", "PLURAL_ONLY", "MASS", "INVARIANT"])
"""The grammatical number of a noun."""


@cache
def _listed_numbers() -> dict[str, Number]:
    """The number of every word and phrase in the exception table."""
    numbers = dict.fromkeys(_PLURALS.values(), Number.PLURAL) | dict.fromkeys(_PLURALS, Number.SINGULAR)
    for number in (Number.MASS, Number.PLURAL_ONLY):
        numbers |= dict.fromkeys(chain.from_iterable(_NOUNS[number.value].values()), number)
    for name, words in _NOUNS["numbers"].items():
        numbers |= dict.fromkeys(words, Number(name))
    return numbers


def _endings(phrase: Phrase) -> list[str]:
    """The head with up to three words before it, longest first: "eye glasses" is more specific than "glasses"."""
    words = (phrase.prefix + phrase.head).lower().split()
    return [" ".join(words[start:]) for start in range(max(0, len(words) - 4), len(words))]


@lru_cache(maxsize=65536)
def _number(phrase: str) -> Number:
    text = phrase.lower().strip()
    if number := _listed_numbers().get(text):
        return number
    number = _head_number(split_phrase(phrase))
    is_several = _TWO_THINGS.search(text) or (number is Number.INVARIANT and _QUANTIFIER.match(text))
    return Number.PLURAL if is_several else number


def _head_number(phrase: Phrase) -> Number:
    numbers = _listed_numbers()
    preposition = " of" if phrase.suffix.startswith(" of ") else ""  # "glasses of water" are not eyeglasses
    for words in _endings(phrase):
        if number := numbers.get(words + preposition) or numbers.get(words):
            return number
    return _word_number(phrase.head.lower().rsplit("-", 1)[-1])


@lru_cache(maxsize=65536)
def _word_number(word: str) -> Number:
    if number := _listed_numbers().get(word):
        return number
    if not (lemmas := noun_lemmas(word)):
        return _unknown_word_number(word)
    if word not in lemmas or (len(lemmas) > 1 and word.endswith("s")):
        return Number.PLURAL
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and noun_plurals(word) == (word,):
        return Number.PLURAL_ONLY
    return Number.SINGULAR


def _unknown_word_number(word: str) -> Number:
    """The number of a word outside the dictionary: by an irregular plural at its end ("snowmen"), then by its -s."""
    if any(word.endswith(plural) for plural in _PLURALS.values() if len(plural) > 2):
        return Number.PLURAL
    stem = word.removesuffix("s")
    if stem == word or len(word) < 3 or stem.endswith("s"):
        return Number.PLURAL if stem.isdigit() and stem != word else Number.SINGULAR
    is_noun = bool(noun_lemmas(stem)) or stem in _listed_numbers()
    return Number.PLURAL if is_noun or not stem.endswith(("u", "i")) else Number.SINGULAR


def is_listed_noun(word: str) -> bool:
    """Whether a word, in singular or plural, is in the table of nouns."""
    return word in _listed_numbers()


def is_mass(phrase: str) -> bool:
    """Whether the head of a phrase is a mass noun: "green grass" is one, "glass of water" is not."""
    return _number(phrase) is Number.MASS


def is_plural_only(phrase: str) -> bool:
    """Whether the noun has no singular in this sense, like "blue jeans"."""
    return _number(phrase) is Number.PLURAL_ONLY


def is_plural(phrase: str) -> bool:
    """Whether the phrase takes a plural verb, like "people" and "scissors"; "sheep" alone counts as singular."""
    return _number(phrase) in (Number.PLURAL, Number.PLURAL_ONLY)


@lru_cache(maxsize=65536)
def plural(phrase: str) -> str:
    """The plural of a phrase, formed at its head; plurals and mass nouns are returned unchanged.

    >>> plural("power line"), plural("pair of scissors"), plural("people"), plural("water")
    ('power lines', 'pairs of scissors', 'people', 'water')
    """
    if _number(phrase) is not Number.SINGULAR:
        return phrase
    return _inflect(_with_determiner(phrase, _PLURAL_DETERMINERS), _PLURALS, _pluralize_word)


@lru_cache(maxsize=65536)
def singular(phrase: str) -> str:
    """The singular of a phrase, formed at its head; mass and plural-only nouns are returned unchanged.

    >>> singular("people"), singular("traffic lights"), singular("jeans")
    ('person', 'traffic light', 'jeans')
    """
    if _number(phrase) is not Number.PLURAL:
        return phrase
    return _inflect(_with_determiner(phrase, _SINGULAR_DETERMINERS), _SINGULARS, _singularize_word)


def _with_determiner(phrase: str, determiners: dict[str, str]) -> str:
    """Make the determiner agree with the new number: "this dog" becomes "these dog", "a dog" becomes "dog"."""
    first, _, rest = phrase.partition(" ")
    determiner = determiners.get(first.lower()) if rest else None
    return phrase if determiner is None else f"{determiner} {rest}".strip()


def _inflect(text: str, irregular_forms: dict[str, str], rule: Callable[[str], str]) -> str:
    """Replace the longest irregular ending, or apply the rule to the last hyphenated part of the head."""
    phrase = split_phrase(text)
    stem = phrase.prefix + phrase.head
    for words in _endings(phrase):
        if words in irregular_forms and stem.lower().endswith(words):
            start = len(stem) - len(words)
            return Phrase(stem[:start], stem[start:], phrase.suffix).with_head(irregular_forms[words])
    head = phrase.head.lower()
    last = head.rsplit("-", 1)[-1]
    return phrase.with_head(head[: len(head) - len(last)] + (irregular_forms.get(last) or rule(last)))


@lru_cache(maxsize=65536)
def _pluralize_word(word: str) -> str:
    """The plural by rule unless the dictionary lists only others; a word in -o takes -s where the dictionary allows."""
    if not word.isalpha():  # digits and symbols, which the rules reject: "1920s"
        return word + "s" if word[-1:].isdigit() else word
    by_rule, listed_plurals = str(rules().plural_noun(word)), noun_plurals(word)
    if word.endswith("o") and (word + "s" in listed_plurals or not listed_plurals):
        return word + "s"
    alternatives = [form for form in listed_plurals if form != word]
    return alternatives[0] if alternatives and by_rule not in listed_plurals else by_rule


@lru_cache(maxsize=65536)
def _singularize_word(word: str) -> str:
    if lemmas := [lemma for lemma in noun_lemmas(word) if lemma != word]:
        return lemmas[0]
    for plural_form, singular_form in _SINGULARS.items():
        if word.endswith(plural_form) and len(plural_form) > 2:
            return word.removesuffix(plural_form) + singular_form
    return str((word.strip() and rules().singular_noun(word)) or word)
