"""Answers made comparable: normalized as in the VQA evaluation, or replaced by the closest node of a graph.

The VQA evaluation compares answers after it has removed punctuation, written number words as digits, dropped articles
and put the apostrophe back into contractions. Its released program does so only where the ten references differ; that
exception concerns a whole list of references and is made in `references`, under the name `vqa-official`.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from .columns import unknown_name

NORMALIZERS: tuple[str, ...] = ("vqa", "vqa-official", "exact")  # the ways of making answers comparable

_NUMBER_WORDS = "zero one two three four five six seven eight nine ten"
_NUMBERS = {word: str(value) for value, word in enumerate(_NUMBER_WORDS.split())} | {"none": "0"}
_ARTICLES = frozenset({"a", "an", "the"})

# Each form is recognized when exactly one of its apostrophes is missing.
_CONTRACTED = """
    ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't haven't he'd he'd've
    he's how'd how'll how's isn't it'd it'd've it'll ma'am mightn't mightn't've might've mustn't must've needn't not've
    o'clock oughtn't 'ow's'at shan't she'd've should've shouldn't shouldn't've somebody'd've somebody'll somebody's
    someone'd someone'd've someone'll someone's something'd something'd've something'll that's there'd there'd've
    there're there's they'd they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll what're what's
    what've when's where'd where's where've who'd who'd've who'll who's who've why'll why're why's won't would've
    wouldn't wouldn't've y'all y'all'll y'all'd've you'd you'd've you'll you're you've
"""
_CONTRACTIONS = {
    form[:index] + form[index + 1 :]: form
    for form in _CONTRACTED.split()
    for index, letter in enumerate(form)
    if letter == "'"
}
# The one entry that the evaluation has the wrong way round.
_CONTRACTIONS["somebody'd"] = "somebodyd"

_PUNCTUATION = frozenset(';/[]"{}()=+\\_-><@`,?!')


def normalize(answer: str, normalizer: str = "vqa") -> str:
    """An answer as the VQA evaluation compares it.

    `vqa` and `vqa-official` rewrite a single answer alike; they differ where all references agree (see
    `vqa_accuracy`). `exact` leaves the answer alone.

    >>> normalize("The two dogs!"), normalize("dont know, 1,000?"), normalize("A")
    ('2 dogs', "don't know 1000", '')
    """
    if normalizer not in NORMALIZERS:
        raise unknown_name("normalizer", normalizer, NORMALIZERS)
    if normalizer == "exact":
        return answer
    words = (_NUMBERS.get(word, word) for word in _remove_punctuation(one_line(answer)).lower().split())
    return " ".join(_CONTRACTIONS.get(word, word) for word in words if word not in _ARTICLES)


def one_line(answer: str) -> str:
    """An answer on one line, without space around it: all the released evaluation does to unanimous references."""
    return answer.replace("\n", " ").replace("\t", " ").strip()


def _remove_punctuation(text: str) -> str:
    number_with_comma = re.search(r"\d,\d", text) is not None
    result = text
    for mark in _PUNCTUATION.intersection(text):  # in any order: none changes what is done to another
        beside_space = f"{mark} " in text or f" {mark}" in text
        result = result.replace(mark, "" if beside_space or number_with_comma else " ")
    # The released program passes a flag where the number of replacements belongs: at most 32 periods go.
    return re.sub(r"\.(?!\d)", "", result, count=32)


def closest_nodes(answers: Iterable[str], nodes: Sequence[str]) -> dict[str, str]:
    """For every answer the closest node of a knowledge graph, by the number of letters to change (FVQA's rule).

    Of several nodes that are equally close, the first in the alphabet is taken.

    >>> closest_nodes(["fire hydrants", "Dog"], ["dog", "fire hydrant", "fire"])
    {'fire hydrants': 'fire hydrant', 'Dog': 'dog'}
    """
    # Imported here because scoring without nodes needs no rapidfuzz, and `evaluate` would ask for it on loading.
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    names = sorted(set(nodes))
    lowercase = [name.lower() for name in names]
    node_of = dict(zip(reversed(lowercase), reversed(names), strict=True))
    closest: dict[str, str] = {}
    for answer in dict.fromkeys(answers):
        text = answer.lower()
        if text not in node_of:
            node_of[text] = names[int(np.argmin(cdist([text], lowercase, scorer=Levenshtein.distance)[0]))]
        closest[answer] = node_of[text]
    return closest


YES_NO: tuple[str, str] = ("yes", "no")  # the choices of a yes/no question
