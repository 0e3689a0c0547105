"""When two questions are one: spellings of a question, and variants that differ in no word that matters.

Spellings differ in case, spacing and punctuation. Variants may also differ in determiners ("the car", "this car"), in
contractions ("what's", "what is") and in where words are parted ("skate board", "skateboard").
"""

import re

_PUNCTUATION = re.compile(r"[^\w\s]+")
_PUNCTUATION_BUT_APOSTROPHES = re.compile(r"[^\w\s']+")
_APOSTROPHES = str.maketrans("’‘´`", "''''")
_DETERMINERS = "a an the this that these those some any".split()
_NEGATED = "is are was were do does did has have had could would should".split()
# Where the apostrophe is left out, only what can be no other word is a contraction: "its" and "were" are words.
_LETTERS = {  # what remains of a word, where that is not the word itself
    **dict.fromkeys(_DETERMINERS, ""),
    **{f"{verb}n{mark}t": f"{verb}not" for verb in _NEGATED for mark in ("'", "")},
    **{"can't": "cannot", "cant": "cannot", "won't": "willnot", "that's": "is", "thats": "is", "i'm": "iam"},
    **{
        f"{word}{mark}s": f"{word}is" for word in "what who where when why how there here".split() for mark in ("'", "")
    },
    **{f"{word}'s": f"{word}is" for word in ("it", "he", "she")},
    **{f"{word}'re": f"{word}are" for word in "you we they what who where how".split()},
}
_ENDINGS = {"'ve": "have", "'ll": "will"}
_ENDING = re.compile("|".join(rf"{ending}$" for ending in _ENDINGS))


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
    text = _PUNCTUATION_BUT_APOSTROPHES.sub("", question.casefold().translate(_APOSTROPHES))
    words = text.split()
    if "'" in text:
        words = [_ENDING.sub(lambda match: _ENDINGS[match[0]], word.strip("'")) for word in words]
    letters = "".join(_LETTERS.get(word, word) for word in words).replace("'", "")
    return letters or "".join(plain_words(text).split())
