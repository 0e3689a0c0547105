"""Coarse tags and lemmas, read off a word and its Penn tag: the question tagger's last step before the parser."""

from functools import lru_cache

import lemminflect
from spacy.language import Language
from spacy.tokens import Doc

READER = "diptych_word_reader"

# The universal tag of a Penn tag. Where tag sets differ we follow the teacher, spaCy 2.2's English models: modals are
# VERB and possessive pronouns DET, which spaCy 3's models call AUX and PRON.
_UPOS = {
    tag: upos
    for upos, tags in {
        "ADJ": "AFX JJ JJR JJS",
        "ADP": "IN RP",
        "ADV": "RB RBR RBS WRB",
        "CCONJ": "CC",
        "DET": "DT PDT PRP$ WDT WP$",
        "INTJ": "UH",
        "NOUN": "NN NNS",
        "NUM": "CD",
        "PART": "POS TO",
        "PRON": "EX PRP WP",
        "PROPN": "NNP NNPS",
        "PUNCT": "'' , -LRB- -RRB- . : HYPH NFP ``",
        "SPACE": "_SP",
        "SYM": "$ SYM",
        "VERB": "MD VB VBD VBG VBN VBP VBZ",
    }.items()
    for tag in tags.split()
}

# The words whose universal tag is not that of their Penn tag, by Penn tag; nearly all of what context would add.
_BY_WORD = {
    (tag, word): upos
    for upos, words in {
        "AUX": {
            "VB": "be do get have 've",
            "VBD": "was were did had 'd",
            "VBG": "being",
            "VBN": "been",
            "VBP": "am are do have 'm 're 've",
            "VBZ": "is does has 's",
        },
        "PART": {"RB": "not n't"},
        "PRON": {
            "NN": "anybody anyone anything everybody everyone everything nobody nothing somebody someone something"
        },
        "SCONJ": {
            "IN": "although as because besides if like near out since so than that though unless upon whether while"
        },
    }.items()
    for tag, listed in words.items()
    for word in listed.split()
}

# Where lemminflect's first lemma is not the one wanted.
_LEMMAS = {
    ("ADJ", "least"): "least",
    ("ADJ", "more"): "more",
    ("ADJ", "most"): "most",
    ("ADV", "least"): "least",
    ("ADV", "more"): "more",
    ("ADV", "most"): "most",
    ("AUX", "'d"): "have",
    ("AUX", "'m"): "be",
    ("AUX", "'re"): "be",
    ("AUX", "'s"): "be",
    ("AUX", "'ve"): "have",
    ("NOUN", "calories"): "calorie",
    ("NOUN", "gummies"): "gummy",
    ("NOUN", "munchies"): "munchies",
    ("NOUN", "selfies"): "selfie",
    ("NOUN", "veggies"): "veggie",
    ("PART", "n't"): "not",
    ("VERB", "'d"): "would",
    ("VERB", "'ll"): "will",
    ("VERB", "ca"): "can",
    ("VERB", "wo"): "will",
}
_INFLECTED = frozenset({"ADJ", "ADV", "AUX", "NOUN", "VERB"})
_BASE = frozenset({"JJ", "MD", "NN", "RB", "VB", "WRB"})


def coarse_tag(word: str, tag: str) -> str:
    """The universal tag of a word that has this Penn tag.

    >>> coarse_tag("Is", "VBZ"), coarse_tag("rides", "VBZ"), coarse_tag("someone", "NN")
    ('AUX', 'VERB', 'PRON')
    """
    return _BY_WORD.get((tag, _plain(word))) or _UPOS.get(tag, "X")


def lemma(word: str, tag: str) -> str:
    """The dictionary form of a word that has this Penn tag, in lower case unless it is a name.

    >>> lemma("Knives", "NNS"), lemma("was", "VBD"), lemma("Boston", "NNP")
    ('knife', 'be', 'Boston')
    """
    upos = coarse_tag(word, tag)
    if upos == "PROPN":
        return word
    low = _plain(word)
    if known := _LEMMAS.get((upos, low)):
        return known
    if upos not in _INFLECTED or tag in _BASE:
        return low
    found = lemminflect.getLemma(low, upos)
    return str(found[0]) if found else low


def _plain(word: str) -> str:
    # Some sources, VisDial among them, also write bent apostrophes.
    return word.lower().replace("’", "'")


@lru_cache(maxsize=1 << 16)
def _read(word: str, tag: str) -> tuple[str, str]:
    return coarse_tag(word, tag), lemma(word, tag)


@Language.component(READER)
def read_words(doc: Doc) -> Doc:
    """Give every word of a tagged document its coarse tag and its lemma."""
    for token in doc:
        token.pos_, token.lemma_ = _read(token.text, token.tag_)
    return doc
