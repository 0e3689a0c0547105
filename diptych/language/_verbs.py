"""Verb forms: base, gerund, third person, past and participle, of verbs with or without a particle.

>>> base("sitting on"), gerund("lie"), third_person("carrying"), past("be"), participle("lie down")
('sit on', 'lying', 'carries', 'was', 'lain down')
"""

import re
from functools import lru_cache, partial

from diptych.language._lexicon import exceptions, is_word, unknown_verb_lemma, verb_form, verb_lemmas

# "is riding" is a form of "ride", not of "be".
_AUXILIARY = re.compile(r"^(?:am|is|are|was|were|be|being|been) (?=\w+ing\b)", re.IGNORECASE)


def _lemmatize(word: str) -> str | None:
    """The base form of a word, or None if it is not a verb."""
    if irregular_base := exceptions("verbs")["base"].get(word):
        return str(irregular_base)
    if lemmas := verb_lemmas(word):
        return lemmas[0]
    return None if is_word(word) or not word.isalpha() else unknown_verb_lemma(word)


@lru_cache(maxsize=65536)
def _form(verb: str, tag: str) -> str:
    """Inflect the first word; a phrase that does not start with a verb is returned unchanged."""
    first, space, rest = _AUXILIARY.sub("", verb.strip()).partition(" ")
    non_verbs = {*exceptions("verbs")["not_verbs"], *exceptions("phrases")["prepositions"]}
    lemma = None if {verb.lower(), first.lower()} & non_verbs else _lemmatize(first.lower())
    if lemma is None:
        return verb
    irregular_forms = exceptions("verbs")["forms"].get(lemma, {})
    return (lemma if tag == "VB" else irregular_forms.get(tag) or verb_form(lemma, tag)) + space + rest


base = partial(_form, tag="VB")  # "to the left of", which is no verb, stays as it is, here and in all other forms
gerund = partial(_form, tag="VBG")
third_person = partial(_form, tag="VBZ")
past = partial(_form, tag="VBD")
participle = partial(_form, tag="VBN")  # of the past
