"""Yes or no to a question about two things joined by "and" or "or", from what a reply says of each of them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .words import stem

_JOINED = re.compile(
    r"\b(?:there(?: is| are)?|shows?|contains?|see|have|has|includes?|depicts?|features?|find|spot|notice"
    r"|holds?)(?: be)? "
    r"(?P<quantity>both |either |neither )?(?P<first>(?:(?P<no_first>no)|any|an?|some|the)? ?[a-z' -]{2,60}?)"
    r" (?P<word>and|or|nor) (?P<second>(?:(?P<no_second>no)|any|an?|some|the)? ?[a-z' -]{2,60})$"
)
_DETERMINED = re.compile(r"(?:no|any|an?|some|the) ")
_PLURALS = re.compile(r"there (?:any )?\w+s or \w+s$")
_IN_IMAGE = re.compile(
    r",? (?:visible |shown |seen |present |anywhere )?(?:in|within) (?:the|this) (?:image|picture|photo"
    r"|photograph|scene)\b"
    r"| visible$|[?.]+$"
)
_PART_END = re.compile(
    r"[,;:()\u2013\u2014]\s|\s(?:but|however|while|whereas|although|though|yet|so)\s"
    r"|\s(?:and|or) (?=(?:no|not|neither|there|it)\b)"
)
_NEGATION = re.compile(r"\b(?:no|not|none|neither|nor|never|without|lacks?|lacking|absent|missing|\w+n't)\b")
_DOUBT = re.compile(
    r"\b(?:might|may|could|maybe|perhaps|possibly|unclear|if|whether|either|neither is|likely|appears?|seems?)\b|\?"
)
_PLACE = re.compile(
    r" (?:in|on|at|near|under|behind|beside|next to|by|inside|around) (?:the|an?|this|his|her|their) .*"
)
_OF_BOTH = re.compile(
    r"(?:neither|both)(?: of (?:them|these|those|the two)| one|(?! of\b) [a-z]+)?"
    r"(?:$|,|(?: is| are| can be)(?: there| visible| present| shown| seen)?((?: [^,]*)?)(?:,|$))"
)
_WORD = re.compile(r"[a-z0-9']+")
_ARTICLES = frozenset("a an the any some no of in on with and or".split())


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Two things that a question asks about together."""

    parts: tuple[frozenset[str], frozenset[str]]  # their stems
    is_denied: tuple[bool, bool]  # whether the question asks if there is none of it
    is_any: bool  # whether one of the two is enough


@lru_cache(maxsize=20_000)
def conjunction(question: str) -> Conjunction | None:
    """The two things of a question such as "Is there a dog and no cat?"; None where it has not two.

    >>> conjunction("Does the image show a red dog or a cat?").is_any
    True
    """
    text = _IN_IMAGE.sub("", _IN_IMAGE.sub("", question.lower().strip()))
    joined = _JOINED.search(text)
    if joined is None or not (joined["quantity"] or _DETERMINED.match(joined["second"]) or _PLURALS.search(text)):
        return None
    parts = tuple(frozenset(map(stem, _words(_PLACE.sub("", joined[name])))) for name in ("first", "second"))
    if not all(parts) or parts[0] == parts[1]:
        return None
    is_neither = (joined["quantity"] or "").startswith("neither") or joined["word"] == "nor"
    denied = (is_neither or bool(joined["no_first"]), is_neither or bool(joined["no_second"]))
    return Conjunction((parts[0], parts[1]), denied, joined["word"] == "or")


def _words(text: str) -> Iterator[str]:
    return (word for word in _WORD.findall(text) if word not in _ARTICLES)


def _is_of_both(sentence: str, pair: Conjunction) -> bool:
    """Whether a sentence says that neither of the two things is there, or that both are."""
    both = _OF_BOTH.match(sentence)
    rest = _PLACE.sub("", both[1] or "") if both else ""
    return both is not None and {stem(word) for word in _words(rest)} <= pair.parts[0] | pair.parts[1]


def read_conjunction(sentences: Sequence[str], pair: Conjunction) -> str | None:
    """Yes or no from lower-case sentences that say of the things whether they are there.

    >>> read_conjunction(["there is a dog, but no cat"], conjunction("Is there both a dog and a cat?"))
    'no'
    """
    presences: tuple[set[bool], set[bool]] = (set(), set())
    for sentence in sentences:
        if _is_of_both(sentence, pair):
            presences = ({sentence.startswith("both")}, {sentence.startswith("both")})
    for sentence in sentences:
        for clause in _PART_END.split(sentence):
            if clause is None or _DOUBT.search(clause):
                continue
            words = set(map(stem, _words(clause)))
            for part, presence in zip(pair.parts, presences, strict=True):
                if part <= words:
                    presence.add(not _NEGATION.search(clause))
    truths = {
        next(iter(presence)) != is_denied
        for presence, is_denied in zip(presences, pair.is_denied, strict=True)
        if len(presence) == 1
    }
    if pair.is_any in truths:  # one that is there is enough for "or", one that is not for "and"
        return "yes" if pair.is_any else "no"
    is_complete = all(len(presence) == 1 for presence in presences)
    return ("no" if pair.is_any else "yes") if is_complete and len(truths) == 1 else None
