"""Nouns: plural and singular at the head of a phrase, mass nouns, plural-only nouns and the verbs that agree."""

from enum import Enum
from functools import cache, lru_cache

from diptych.language import engines
from diptych.language.phrases import Phrase, cut
from diptych.language.tables import table


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
    for number in Number:
        known |= dict.fromkeys(nouns[number.value], number)
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
    whole = phrase.lower()
    if whole in _known():
        return _known()[whole]
    parts = cut(phrase)
    for ending in _endings(parts):
        if ending in _known():
            return _known()[ending]
    return _number_of_word(_last_part(parts.head.lower()))


def _last_part(word: str) -> str:
    """What inflects in a hyphenated word: the end of it."""
    return word.rsplit("-", 1)[-1]


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
    ends_like_plural = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return Number.PLURAL if ends_like_plural and len(word) > 2 else Number.SINGULAR


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
    parts = cut(phrase)
    return _inflect(parts, _plurals(), engines.plural_by_rule)


@lru_cache(maxsize=65536)
def singular(phrase: str) -> str:
    """The singular, made at the head; mass and plural-only nouns stay as they are.

    >>> singular("people"), singular("traffic lights"), singular("jeans")
    ('person', 'traffic light', 'jeans')
    """
    if _number(phrase) is not Number.PLURAL:
        return phrase
    return _inflect(cut(phrase), _singulars(), _singular_of_word)


def _inflect(parts: Phrase, known: dict[str, str], rule: engines.Rule) -> str:
    """Replace the head by its entry in the table, or by what the rule makes of its last hyphenated part."""
    head = parts.head.lower()
    if head in known:
        return parts.with_head(known[head])
    last = _last_part(head)
    return parts.with_head(head[: len(head) - len(last)] + (known.get(last) or rule(last)))


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
