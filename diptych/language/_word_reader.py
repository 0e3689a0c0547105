"""Universal tags and lemmas from words and Penn tags: a component of the question tagger, between tagger and parser."""

from functools import lru_cache

import lemminflect
from spacy.language import Language
from spacy.tokens import Doc

READER = "diptych_word_reader"

# The universal tag of each Penn tag. Where tag sets differ, this follows the teacher, spaCy 2.2's English models:
# modals are VERB and possessive pronouns DET, which spaCy 3's models call AUX and PRON.
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

# Words whose universal tag differs from that of their Penn tag; nearly all that context would add.
_UPOS_OF_WORD = {
    (tag, word): upos
    for upos, words_by_tag in {
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
    for tag, words in words_by_tag.items()
    for word in words.split()
}

# Lemmas that differ from lemminflect's first choice, by universal tag.
_LEMMAS = {
    "ADJ": {"least": "least", "more": "more", "most": "most"},
    "ADV": {"least": "least", "more": "more", "most": "most"},
    "AUX": {"'d": "have", "'m": "be", "'re": "be", "'s": "be", "'ve": "have"},
    "NOUN": {
        "calories": "calorie",
        "gummies": "gummy",
        "munchies": "munchies",
        "selfies": "selfie",
        "veggies": "veggie",
    },
    "PART": {"n't": "not"},
    "VERB": {"'d": "would", "'ll": "will", "ca": "can", "wo": "will"},
}
_INFLECTED_UPOS = frozenset({"ADJ", "ADV", "AUX", "NOUN", "VERB"})
_BASE_TAGS = frozenset({"JJ", "MD", "NN", "RB", "VB", "WRB"})


def universal_tag(word: str, tag: str) -> str:
    """The universal tag of a word with a Penn tag.

    >>> universal_tag("Is", "VBZ"), universal_tag("rides", "VBZ"), universal_tag("someone", "NN")
    ('AUX', 'VERB', 'PRON')
    """
    return _UPOS_OF_WORD.get((tag, _normalize(word))) or _UPOS.get(tag, "X")


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
        return lemma
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
