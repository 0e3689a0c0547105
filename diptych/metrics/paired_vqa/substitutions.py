"""Substitutions: a statement that repeats the question but for a name, a number, an ordinal or a quotation."""

import re
from collections.abc import Sequence, Set
from difflib import SequenceMatcher
from functools import lru_cache

from .propositions import DOUBT, NEGATION, Proposition, placed_stems
from .words import stem

_NAME = re.compile(r"(?<![.?!:] )(?<!^)\b[A-Z][\w'.]*")
_LEAD = re.compile(
    r"^(?:(?:in|on|at|according|based|from|between|among|during|by|as of|looking|for|so|therefore|thus"
    r"|actually)\b[^,]*,\s+)+"
)
_SOURCE = re.compile(r",? (?:according to|based on|as (?:shown|seen|indicated|depicted))\b[^,]*$")
_CONTRAST = re.compile(r"\b(?:but|however|while|whereas|although|though|unlike|except|also|too|both|besides)\b")
_ONLY_ONE = re.compile(
    r"\b(?:\w{2,}(?<!for)(?<!inter)est|most|least|first|second|third|fourth|fifth|last|leading|top|only"
    r"|won|wins?|winner)\b"
)
_DETERMINER = re.compile(r"\b(?:an?|the|this|that|these|those|its|his|her|their|each|every|any|some|one) $")
_ORDINALS = frozenset(map(stem, "first second third fourth fifth sixth seventh eighth ninth tenth last".split()))
_QUOTATION = re.compile(r"[\"“]([^\"”]{1,80})(?:[\"”]|$)|(?<![\w'])'([^']{2,80})'(?!\w)")
_OF_TEXT = re.compile(
    r"\b(?:says?|reads?|text|words?|title|written|spell|label|sign|caption|phrase|letters?)\b", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LONGEST_PART = 4  # stems
_SPELLING = 0.8  # what is more alike is one name in two spellings


@lru_cache(maxsize=20_000)
def names_in(text: str) -> frozenset[str]:
    """The stems of the words of a text that are written with a capital letter, but for the first of a sentence.

    >>> sorted(names_in("Is Lake Erie the largest lake?"))
    ['eri', 'lak']
    """
    return frozenset(stem(match[0].lower().removesuffix(".").removesuffix("'s")) for match in _NAME.finditer(text))


def read_substitution(sentence: str, question: str, claim: Proposition, names: Set[str]) -> str | None:
    """No where a lower-case sentence says of another what the question asks; `names` are those of the reply.

    >>> from .propositions import proposition
    >>> question = "Is Lyon the largest city of France?"
    >>> read_substitution("paris is the largest city of france", question, proposition(question), frozenset())
    'no'
    """
    text = _SOURCE.sub("", _LEAD.sub("", sentence)).replace(",", "")
    is_contrast = _CONTRAST.search(text) and not _CONTRAST.search(question.lower())
    doubts = {doubt[0] for doubt in DOUBT.finditer(text)} - claim.doubts
    if is_contrast or doubts or NEGATION.search(text) or claim.is_existence or claim.relation:
        return None
    words = list(placed_stems(text))
    stems, content = [base for base, _ in words], list(claim.content)
    numbers = [[float(word) for word in part if _NUMBER.fullmatch(word)] for part in (content, stems)]
    if numbers[0] and len(numbers[0]) == len(numbers[1]) and _masked(content) == _masked(stems):
        return "no" if numbers[0] != numbers[1] else None
    changes = [match for match in _align(content, stems) if match[0] != "equal"]
    replaced = [match for match in changes if match[0] == "replace"]
    same = len(content) - sum(end - start for _, start, end, _, _ in changes)
    if not replaced or 2 * (same + len(replaced)) < len(content) or not same:
        return None
    for kind, start, end, first, last in changes:
        before = words[first][1].string[: words[first][1].start()] if first < len(words) else text
        pair = content[start:end], stems[first:last]
        is_allowed = {
            "delete": end == len(content),
            "insert": last - first <= _LONGEST_PART,
            "replace": kind == "replace" and _is_other(*pair, question, names, is_first=not start, before=before),
        }
        if not is_allowed[kind]:
            return None
    return "no"


def _masked(stems: Sequence[str]) -> list[str]:
    return ["#" if _NUMBER.fullmatch(word) else word for word in stems]


def _align(content: Sequence[str], stems: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """What changes the first stems into the second; of a last part that is replaced, the rest is deleted."""
    changes = SequenceMatcher(None, content, stems, autojunk=False).get_opcodes()
    if not changes or changes[-1][0] != "replace":
        return changes
    _, start, end, first, last = changes[-1]
    middle = min(end, start + last - first)
    return [
        *changes[:-1],
        ("replace", start, middle, first, last),
        *([("delete", middle, end, last, last)] * (middle < end)),
    ]


def _is_other(
    asked: Sequence[str], said: Sequence[str], question: str, names: Set[str], is_first: bool, before: str
) -> bool:
    """Whether a part of a statement is of the same kind as that of the question, and another."""
    if len(said) > _LONGEST_PART or len(asked) > _LONGEST_PART or set(asked) & set(said):
        return False
    if len(asked) == len(said) == 1 and _NUMBER.fullmatch(asked[0]) and _NUMBER.fullmatch(said[0]):
        return float(asked[0]) != float(said[0])
    if len(asked) == len(said) == 1 and {*asked, *said} <= _ORDINALS:
        return True
    if not set(asked) <= names_in(question) or SequenceMatcher(None, "".join(asked), "".join(said)).ratio() > _SPELLING:
        return False
    if is_first:
        return bool(_ONLY_ONE.search(question.lower())) and not _DETERMINER.search(before)
    return set(said) <= names


def read_quotation(sentence: str, question: str) -> str | None:
    """Yes or no where the question asks whether something says a text, and the reply quotes what it says."""
    asked, said = map(_quotations, (question, sentence))
    if (
        len(asked) != 1
        or len(said) != 1
        or not _OF_TEXT.search(question)
        or NEGATION.search(_QUOTATION.sub("", sentence))
    ):
        return None
    first, second = (re.sub(r"[\W_]+", " ", text.lower()).strip() for text in (asked[0], said[0]))
    if first == second:
        return "yes"
    return None if first in second or second in first or DOUBT.search(_QUOTATION.sub("", sentence)) else "no"


def lacks_quotation(sentence: str, question: str) -> bool:
    """Whether a sentence does not hold a text that the question quotes."""
    texts = (re.sub(r"[\W_]+", " ", text.lower()) for text in (sentence, *_quotations(question)))
    said, *asked = (f" {text.strip()} " for text in texts)
    return not all(text in said for text in asked)


def _quotations(text: str) -> list[str]:
    return [match[1] or match[2] for match in _QUOTATION.finditer(text)]
