"""Verb forms: base, gerund, third person, past and participle, of verbs and of verbs with a particle."""

import re
from functools import cache, lru_cache

from diptych.language import engines
from diptych.language.tables import table

# "is riding" is a form of "ride", not of "be".
_PROGRESSIVE = re.compile(r"^(?:am|is|are|was|were|be|being|been) (?=\w+ing\b)", re.IGNORECASE)


@cache
def _bases() -> dict[str, str]:
    return dict(table("verbs")["base"])


@cache
def _not_verbs() -> frozenset[str]:
    return frozenset(table("verbs")["not_verbs"]) | frozenset(table("phrases")["prepositions"])


def _base_of_word(word: str) -> str | None:
    """The base form of a word, or nothing where it is no verb."""
    if word in _bases():
        return _bases()[word]
    lemmas = engines.verb_lemmas(word)
    if lemmas:
        return lemmas[0]
    return None if engines.is_word(word) or not word.isalpha() else engines.unknown_verb_lemma(word)


@lru_cache(maxsize=65536)
def _form(verb: str, tag: str) -> str:
    """Inflect the first word; what is no verb stays as it is."""
    first, space, rest = _PROGRESSIVE.sub("", verb.strip()).partition(" ")
    if verb.lower() in _not_verbs() or first.lower() in _not_verbs():
        return verb
    lemma = _base_of_word(first.lower())
    if lemma is None:
        return verb
    known = table("verbs")["forms"].get(lemma, {})
    return (lemma if tag == "VB" else known.get(tag) or engines.verb_form(lemma, tag)) + space + rest


def base(verb: str) -> str:
    """The base form.

    >>> base("sitting on"), base("is"), base("to the left of")
    ('sit on', 'be', 'to the left of')
    """
    return _form(verb, "VB")


def gerund(verb: str) -> str:
    """The -ing form.

    >>> gerund("talk on"), gerund("lie"), gerund("swim")
    ('talking on', 'lying', 'swimming')
    """
    return _form(verb, "VBG")


def third_person(verb: str) -> str:
    """The form after he, she or it.

    >>> third_person("carrying"), third_person("have")
    ('carries', 'has')
    """
    return _form(verb, "VBZ")


def past(verb: str) -> str:
    """The past tense.

    >>> past("ride"), past("be")
    ('rode', 'was')
    """
    return _form(verb, "VBD")


def participle(verb: str) -> str:
    """The past participle.

    >>> participle("wear"), participle("lie down")
    ('worn', 'lain down')
    """
    return _form(verb, "VBN")
