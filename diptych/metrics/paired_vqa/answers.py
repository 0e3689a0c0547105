"""Answers made comparable: the normalisation of the VQA evaluation, always applied, bug for bug, or not at all.

The VQA evaluation compares answers after it has removed punctuation, written number words as digits, dropped articles
and put the apostrophe back into contractions. Its released program does so only where the ten references differ; that
exception concerns a whole reference list and is made in `rightness`, under the name `vqa-official`.
"""

import re

from .errors import unknown

NORMALISERS: tuple[str, ...] = ("vqa", "vqa-official", "exact")
"""What can be asked of `normalise`."""

_NUMBER_WORDS = "zero one two three four five six seven eight nine ten"
_NUMBERS = {word: str(value) for value, word in enumerate(_NUMBER_WORDS.split())} | {"none": "0"}
_ARTICLES = frozenset({"a", "an", "the"})

# Each form is recognised when exactly one of its apostrophes is missing.
_CONTRACTED = """
    ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't haven't he'd he'd've
    he's how'd how'll how's isn't it'd it'd've it'll ma'am mightn't mightn't've might've mustn't must've needn't not've
    o'clock oughtn't 'ow's'at shan't she'd've should've shouldn't shouldn't've somebody'd've somebody'll somebody's
    someone'd someone'd've someone'll someone's something'd something'd've something'll that's there'd there'd've
    there're there's they'd they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll what're what's
    what've when's where'd where's where've who'd who'd've who'll who's who've why'll why're why's won't would've
    wouldn't wouldn't've y'all y'all'll y'all'd've you'd you'd've you'll you're you've
"""


def _missing_one_apostrophe(form: str) -> list[str]:
    return [form[:at] + form[at + 1 :] for at, letter in enumerate(form) if letter == "'"]


_CONTRACTIONS = {short: form for form in _CONTRACTED.split() for short in _missing_one_apostrophe(form)}
# The one entry that the evaluation has the wrong way round.
_CONTRACTIONS["somebody'd"] = "somebodyd"

_PUNCTUATION = ';/[]"{}()=+\\_-><@`,?!'
_DIGIT_COMMA_DIGIT = re.compile(r"\d,\d")
_PERIOD = re.compile(r"\.(?!\d)")
# The released program passes a flag where the number of replacements belongs: at most 32 periods go.
_PERIODS_REMOVED = 32


def normalise(answer: str, how: str = "vqa") -> str:
    """An answer as the VQA evaluation compares it.

    `vqa` and `vqa-official` rewrite a single answer alike; they differ where all references agree (see
    `vqa_accuracy`). `exact` leaves the answer alone.

    >>> normalise("The two dogs!")
    '2 dogs'
    >>> normalise("dont know, 1,000?")
    "don't know 1000"
    >>> normalise("A")
    ''
    >>> normalise("The two dogs!", how="exact")
    'The two dogs!'
    """
    if how not in NORMALISERS:
        raise unknown("normaliser", how, NORMALISERS)
    if how == "exact":
        return answer
    return _words(_without_punctuation(one_line(answer)))


def one_line(answer: str) -> str:
    r"""An answer on one line, without space around it: all the released evaluation does to unanimous references.

    >>> one_line(" Yes\n")
    'Yes'
    """
    return answer.replace("\n", " ").replace("\t", " ").strip()


def _without_punctuation(text: str) -> str:
    number_with_comma = _DIGIT_COMMA_DIGIT.search(text) is not None
    bare = text
    for mark in _PUNCTUATION:
        at_a_space = f"{mark} " in text or f" {mark}" in text
        bare = bare.replace(mark, "" if at_a_space or number_with_comma else " ")
    return _PERIOD.sub("", bare, count=_PERIODS_REMOVED)


def _words(text: str) -> str:
    words = (_NUMBERS.get(word, word) for word in text.lower().split())
    return " ".join(_CONTRACTIONS.get(word, word) for word in words if word not in _ARTICLES)
