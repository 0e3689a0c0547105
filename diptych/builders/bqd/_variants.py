"""When two questions are one: spellings of a question, and variants that differ in no word that matters.

Spellings differ in case, spacing and punctuation. Variants may also differ in determiners ("the car", "this car"), in
contractions ("what's", "what is") and in where words are parted ("skate board", "skateboard").
"""

import re

_PUNCTUATION = re.compile(r"[^\w\s]+")
_APOSTROPHES = str.maketrans("’‘´`", "''''")
_DETERMINERS = frozenset("a an the this that these those some any".split())
# Where the apostrophe is left out, only what can be no other word is a contraction: "its" and "were" are words.
_CONTRACTIONS = (
    (re.compile(r"\bcan'?t\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\b(is|are|was|were|do|does|did|has|have|had|could|would|should)n'?t\b"), r"\1 not"),
    (re.compile(r"\b(what|who|where|when|why|how|that|there|here)'?s\b"), r"\1 is"),
    (re.compile(r"\b(it|he|she)'s\b"), r"\1 is"),
    (re.compile(r"\b(you|we|they|what|who|where|how)'re\b"), r"\1 are"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"(?<=\w)'ve\b"), " have"),
    (re.compile(r"(?<=\w)'ll\b"), " will"),
)


def plain_words(question: str) -> str:
    """What all spellings of a question have in common: case, spacing and punctuation make no difference.

    >>> plain_words("What's  this?")
    'whats this'
    """
    return " ".join(_PUNCTUATION.sub("", question.casefold()).split())


def core_letters(question: str) -> str:
    """What all variants of a question have in common: its letters, without determiners and contractions.

    >>> core_letters("What's on the skate board?") == core_letters("what is on this skateboard")
    True
    """
    text = question.casefold().translate(_APOSTROPHES)
    for contraction, words in _CONTRACTIONS:
        text = contraction.sub(words, text)
    parts = plain_words(text).split()
    return "".join(part for part in parts if part not in _DETERMINERS) or "".join(parts)
