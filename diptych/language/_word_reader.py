"""Universal tags and lemmas from words and Penn tags: a component of the question tagger, between tagger and parser."""

from functools import lru_cache

import lemminflect
from spacy.language import Language
from spacy.tokens import Doc

from diptych.language._lexicon import exceptions

READER = "diptych_word_reader"

_TABLE = exceptions("tags")
_UPOS = {tag: upos for upos, tags in _TABLE["universal_tags"].items() for tag in tags.split()}
_UPOS_OF_WORD = {
    (tag, word): upos
    for upos, words_by_tag in _TABLE["words"].items()
    for tag, words in words_by_tag.items()
    for word in words.split()
}
_LEMMAS = _TABLE["lemmas"]
_INFLECTED_UPOS = frozenset({"ADJ", "ADV", "AUX", "NOUN", "VERB"})
_BASE_TAGS = frozenset({"JJ", "MD", "NN", "RB", "VB", "WRB"})


def universal_tag(word: str, tag: str) -> str:
    """The universal tag of a word with a Penn tag.

    >>> universal_tag("Is", "VBZ"), universal_tag("rides", "VBZ"), universal_tag("someone", "NN")
    ('AUX', 'VERB', 'PRON')
    """
    return str(_UPOS_OF_WORD.get((tag, _normalize(word))) or _UPOS.get(tag, "X"))


def lemmatize(word: str, tag: str) -> str:
    """The lemma of a word with a Penn tag, in lower case unless the word is a name.

    >>> lemmatize("Knives", "NNS"), lemmatize("was", "VBD"), lemmatize("Boston", "NNP")
    ('knife', 'be', 'Boston')
    """
    upos = universal_tag(word, tag)
    if upos == "PROPN":
        return word
    form = _normalize(word)
    if lemma := _LEMMAS.get(upos, {}).get(form):
        return str(lemma)
    if upos not in _INFLECTED_UPOS or tag in _BASE_TAGS:
        return form
    lemmas = lemminflect.getLemma(form, upos)
    return str(lemmas[0]) if lemmas else form


def _normalize(word: str) -> str:
    # Some sources, VisDial among them, also write curly apostrophes.
    return word.lower().replace("’", "'")


@lru_cache(maxsize=1 << 16)
def _read(word: str, tag: str) -> tuple[str, str]:
    return universal_tag(word, tag), lemmatize(word, tag)


@Language.component(READER)
def read_words(doc: Doc) -> Doc:
    """Set the universal tag and lemma of every word of a tagged document."""
    for token in doc:
        token.pos_, token.lemma_ = _read(token.text, token.tag_)
    return doc
