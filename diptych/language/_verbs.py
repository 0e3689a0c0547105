"""Verb forms: base, gerund, third person, past and participle, of verbs with or without a particle."""

import re
from functools import cache, lru_cache

from diptych.language._lexicon import exceptions, is_word, unknown_verb_lemma, verb_form, verb_lemmas

# "is riding" is a form of "ride", not of "be".
_AUXILIARY = re.compile(r"^(?:am|is|are|was|were|be|being|been) (?=\w+ing\b)", re.IGNORECASE)


@cache
def _non_verbs() -> frozenset[str]:
    return frozenset(exceptions("verbs")["not_verbs"]) | frozenset(exceptions("phrases")["prepositions"])


def _lemmatize(word: str) -> str | None:
    """The base form of a word, or None if it is not a verb."""
    irregular_bases = exceptions("verbs")["base"]
    if word in irregular_bases:
        return str(irregular_bases[word])
    lemmas = verb_lemmas(word)
    if lemmas:
        return lemmas[0]
    return None if is_word(word) or not word.isalpha() else unknown_verb_lemma(word)


@lru_cache(maxsize=65536)
def _form(verb: str, tag: str) -> str:
    """Inflect the first word; a phrase that does not start with a verb is returned unchanged."""
    first, space, rest = _AUXILIARY.sub("", verb.strip()).partition(" ")
    if verb.lower() in _non_verbs() or first.lower() in _non_verbs():
        return verb
    lemma = _lemmatize(first.lower())
    if lemma is None:
        return verb
    irregular_forms = exceptions("verbs")["forms"].get(lemma, {})
    return (lemma if tag == "VB" else irregular_forms.get(tag) or verb_form(lemma, tag)) + space + rest


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
