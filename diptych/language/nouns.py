"""Nouns: plural and singular at the head of a phrase, mass nouns, plural-only nouns and the verbs that agree."""

import re
from enum import Enum
from functools import cache, lru_cache
from itertools import chain

from diptych.language import engines
from diptych.language.phrases import Phrase, cut
from diptych.language.tables import table

# What makes an invariant noun plural ("two sheep"), and any phrase ("a cat and a dog").
_SEVERAL = re.compile(
    r"(?:these|those|both|several|many|few|two|three|four|five|six|seven|eight|nine|ten|[2-9]|[1-9]\d+)\s"
)
_TWO_THINGS = re.compile(r" and (?:an?|the|one|his|her|its|their) ")
# What changes with the number: "a dog" is "dogs", "this dog" is "these dogs".
_DETERMINERS = {"a": "", "an": "", "this": "these", "that": "those"}
_SINGULAR_DETERMINERS = {"these": "this", "those": "that"}


class Number(Enum):
    """How a noun counts."""

    SINGULAR = "singular"
    PLURAL = "plural"
    PLURAL_ONLY = "plural_only"
    MASS = "mass"
    INVARIANT = "invariant"


@cache
def _known() -> dict[str, Number]:
    """Every word and phrase the exception table classifies."""
    nouns = table("nouns")
    known = dict.fromkeys(nouns["irregular"].values(), Number.PLURAL)
    known |= dict.fromkeys(nouns["irregular"], Number.SINGULAR)
    for number in (Number.MASS, Number.PLURAL_ONLY):
        known |= dict.fromkeys(chain.from_iterable(nouns[number.value].values()), number)
    for name, words in nouns["numbers"].items():
        known |= dict.fromkeys(words, Number(name))
    return known


@cache
def _plurals() -> dict[str, str]:
    return dict(table("nouns")["irregular"])


@cache
def _singulars() -> dict[str, str]:
    return {plural: singular for singular, plural in _plurals().items()} | dict(table("nouns")["singular_of"])


def head_noun(phrase: str) -> str:
    """The word that inflects.

    >>> head_noun("man in a suit"), head_noun("power lines")
    ('man', 'lines')
    """
    return cut(phrase).head


def _endings(phrase: Phrase) -> list[str]:
    """The head with ever fewer of the words before it, longest first, since "eye glasses" says more than "glasses"."""
    words = (phrase.before + phrase.head).lower().split()
    return [" ".join(words[start:]) for start in range(max(0, len(words) - 4), len(words))]


@lru_cache(maxsize=65536)
def _number(phrase: str) -> Number:
    whole = phrase.lower().strip()
    if whole in _known():
        return _known()[whole]
    number = _number_of_head(cut(phrase))
    several = _TWO_THINGS.search(whole) or (number is Number.INVARIANT and _SEVERAL.match(whole))
    return Number.PLURAL if several else number


def _number_of_head(parts: Phrase) -> Number:
    measure = " of" if parts.after.startswith(" of ") else ""  # "glasses of water" are not to be worn
    for ending in _endings(parts):
        if ending + measure in _known() or ending in _known():
            return _known().get(ending + measure) or _known()[ending]
    return _number_of_word(_last_part(parts.head.lower()))


def _last_part(word: str) -> str:
    """What inflects in a hyphenated word: the end of it."""
    return word.rsplit("-", 1)[-1]


@lru_cache(maxsize=65536)
def _number_of_word(word: str) -> Number:
    if word in _known():
        return _known()[word]
    lemmas = engines.noun_lemmas(word)
    if not lemmas:
        return _number_of_unknown(word)
    if word not in lemmas or (len(lemmas) > 1 and word.endswith("s")):
        return Number.PLURAL
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and engines.noun_plurals(word) == (word,):
        return Number.PLURAL_ONLY
    return Number.SINGULAR


def _number_of_unknown(word: str) -> Number:
    """A word outside the dictionary: look for a known word at its end ("snowmen"), then at its ending."""
    for plural in _plurals().values():
        if word.endswith(plural) and len(plural) > 2:
            return Number.PLURAL
    stem = word.removesuffix("s")
    if stem == word or len(word) < 3 or stem.endswith("s"):
        return Number.PLURAL if stem.isdigit() and stem != word else Number.SINGULAR
    known = bool(engines.noun_lemmas(stem)) or stem in _known()
    return Number.PLURAL if known or not stem.endswith(("u", "i")) else Number.SINGULAR


def is_mass(phrase: str) -> bool:
    """Whether the phrase names stuff rather than things.

    >>> is_mass("green grass"), is_mass("glass of water")
    (True, False)
    """
    return _number(phrase) is Number.MASS


def is_plural_only(phrase: str) -> bool:
    """Whether the noun has no singular in this sense.

    >>> is_plural_only("blue jeans"), is_plural_only("dogs")
    (True, False)
    """
    return _number(phrase) is Number.PLURAL_ONLY


def is_plural(phrase: str) -> bool:
    """Whether the phrase takes a plural verb; "sheep" alone counts as singular.

    >>> is_plural("people"), is_plural("scissors"), is_plural("grass")
    (True, True, False)
    """
    return _number(phrase) in (Number.PLURAL, Number.PLURAL_ONLY)


@lru_cache(maxsize=65536)
def plural(phrase: str) -> str:
    """The plural, made at the head; plurals and mass nouns stay as they are.

    >>> plural("power line"), plural("pair of scissors"), plural("people"), plural("water")
    ('power lines', 'pairs of scissors', 'people', 'water')
    """
    if _number(phrase) is not Number.SINGULAR:
        return phrase
    return _inflect(cut(_determined(phrase, _DETERMINERS)), _plurals(), _plural_of_word)


@lru_cache(maxsize=65536)
def singular(phrase: str) -> str:
    """The singular, made at the head; mass and plural-only nouns stay as they are.

    >>> singular("people"), singular("traffic lights"), singular("jeans")
    ('person', 'traffic light', 'jeans')
    """
    if _number(phrase) is not Number.PLURAL:
        return phrase
    return _inflect(cut(_determined(phrase, _SINGULAR_DETERMINERS)), _singulars(), _singular_of_word)


def _determined(phrase: str, determiners: dict[str, str]) -> str:
    """Let the determiner agree with the new number: "this dog" is "these dogs", "a dog" is "dogs"."""
    first, _, rest = phrase.partition(" ")
    changed = determiners.get(first.lower()) if rest else None
    return phrase if changed is None else f"{changed} {rest}".strip()


def _inflect(parts: Phrase, known: dict[str, str], rule: engines.Rule) -> str:
    """Replace the longest ending that the table knows, or apply the rule to the last hyphenated part of the head."""
    stem = parts.before + parts.head
    for ending in _endings(parts):
        if ending in known and stem.lower().endswith(ending):
            start = len(stem) - len(ending)
            return Phrase(stem[:start], stem[start:], parts.after).with_head(known[ending])
    head = parts.head.lower()
    last = _last_part(head)
    return parts.with_head(head[: len(head) - len(last)] + (known.get(last) or rule(last)))


@lru_cache(maxsize=65536)
def _plural_of_word(word: str) -> str:
    """The plural by rule, unless the dictionary knows only others; a word in -o takes -s unless it must not."""
    if not word.isalpha():  # figures and signs, which the rules refuse: "1920s"
        return word + "s" if word[-1:].isdigit() else word
    by_rule, known = engines.plural_by_rule(word), engines.noun_plurals(word)
    if word.endswith("o") and (word + "s" in known or not known):
        return word + "s"
    others = [form for form in known if form != word]
    return others[0] if others and by_rule not in known else by_rule


@lru_cache(maxsize=65536)
def _singular_of_word(word: str) -> str:
    lemmas = [lemma for lemma in engines.noun_lemmas(word) if lemma != word]
    if lemmas:
        return lemmas[0]
    for plural_form, singular_form in _singulars().items():
        if word.endswith(plural_form) and len(plural_form) > 2:
            return word.removesuffix(plural_form) + singular_form
    return engines.singular_by_rule(word)


def be(phrase: str) -> str:
    """The form of "be" that agrees.

    >>> be("dog"), be("dogs"), be("water"), be("jeans")
    ('is', 'are', 'is', 'are')
    """
    return "are" if is_plural(phrase) else "is"


def does(phrase: str) -> str:
    """The form of "do" that agrees.

    >>> does("dog"), does("people")
    ('does', 'do')
    """
    return "do" if is_plural(phrase) else "does"
