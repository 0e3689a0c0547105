"""Universal tags and lemmas from words and Penn tags: a component of the question tagger, between tagger and parser."""

from functools import lru_cache

import lemminflect
from spacy.language import Language
from spacy.tokens import Doc

from diptych.language._lexicon import exceptions

READER = "diptych_word_reader"

_TABLE = exceptions("tags")
_UPOS = {tag: upos for upos, tags in _TABLE["universal_tags"].items() for tag in tags.split()}
_WORDS = ((upos, tag, words) for upos, words_by_tag in _TABLE["words"].items() for tag, words in words_by_tag.items())
_UPOS_OF_WORD = {(tag, word): upos for upos, tag, words in _WORDS for word in words.split()}
_LEMMAS = _TABLE["lemmas"]
_INFLECTED_UPOS = frozenset({"ADJ", "ADV", "AUX", "NOUN", "VERB"})
_BASE_TAGS = frozenset({"JJ", "MD", "NN", "RB", "VB", "WRB"})


@lru_cache(maxsize=1 << 16)
def read_word(word: str, tag: str) -> tuple[str, str]:
    """The universal tag and the lemma of a word with a Penn tag; lemmas are in lower case, except those of names.

    >>> read_word("Was", "VBD"), read_word("Knives", "NNS"), read_word("Boston", "NNP")
    (('AUX', 'be'), ('NOUN', 'knife'), ('PROPN', 'Boston'))
    """
    form = word.lower().replace("’", "'")  # some sources, VisDial among them, also write curly apostrophes
    upos = _UPOS_OF_WORD.get((tag, form)) or _UPOS.get(tag, "X")
    if upos == "PROPN":
        return upos, word
    lemma = _LEMMAS.get(upos, {}).get(form)
    if not lemma and upos in _INFLECTED_UPOS and tag not in _BASE_TAGS:
        lemma = next(iter(lemminflect.getLemma(form, upos)), None)
    return upos, lemma or form


@Language.component(READER)
def read_words(doc: Doc) -> Doc:
    """Set the universal tag and lemma of every word of a tagged document."""
    for token in doc:
        token.pos_, token.lemma_ = read_word(token.text, token.tag_)
    return doc
