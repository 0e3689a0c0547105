"""How many of what a question asks about: a number that a clause gives, and what it says of all or of some of them."""

import operator
import re
from collections.abc import Callable, Sequence

from .propositions import Proposition, content_stems
from .repetitions import QUANTIFIERS, in_order
from .words import NUMBER, NUMBERS, OPPOSITES, number_value, stem

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "above": operator.gt,
    "below": operator.lt,
    "least": operator.ge,
    "most": operator.le,
    "": operator.eq,
}
VAGUE_NUMBER = re.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|at least|at most|more than|less than|fewer than|over"
    rf"|under|up to) (?:\d|(?:{'|'.join(NUMBERS)}|an?|hundreds|thousands|dozens)\b)"
)
_BARE_NUMBER = re.compile(r"(?:i (?:can )?(?:count|see) |there(?:'s| is| are) )?(?:only |just |exactly )?([\w-]+)")
AND_MORE = re.compile(r"\b(?:\w+|a few) (?:more|others?)\b(?! than)")
_EQUALS = re.compile(
    r"(?:\b(?:is|are|was|equals?|equal to)|=)\s*(?:exactly |only |actually |just )?(\d+(?:\.\d+)?)(?![\d:]|\.\d)"
)
ALL = QUANTIFIERS - {stem("only")}
NOT_ALL = re.compile(r"^(?:only|just (?:one|some)|not (?:all|every|both)|one of)\b")
ELLIPSIS = re.compile(  # of what is asked of all of them
    r"(?:not (?:all|every|both|each)\w*(?: of (?:them|these|those)| one)?|(?:most|some|almost all"
    r"|nearly all)(?: of (?:them|these"
    r"|those))?|all (?:but|except) [\w ]{2,60}"
    r"|(?:only|just) (?:(?:one|some|half|two|three|a few)(?: of (?:them|these|those))?|.{3,60} (?:is|are|does|do|has"
    r"|have|did)))$"
)
SOME_OF = re.compile(
    rf"(?:only |just )?(?:{'|'.join(NUMBERS)}|some|most|half|several|many|\d+) of (?:the|them|these|those)\b"
)


def read_number(clause: str, words: Sequence[str], claim: Proposition) -> str | None:
    """Yes or no from a number that the clause gives for what the question counts or compares."""
    value = None
    if claim.noun and (bare := _BARE_NUMBER.fullmatch(clause)) and (number := NUMBER.fullmatch(bare[1])):
        return "yes" if _COMPARE[claim.relation](float(number_value(number)), claim.number or 0) else "no"
    if claim.noun in words:
        for match in NUMBER.finditer(clause):
            following = list(content_stems(clause[match.end() :]))[:2]
            if claim.noun in following and match["word"] not in ("both", "nothing", "nobody"):
                if value is not None:
                    return None
                value = float(number_value(match))
    equal = _EQUALS.findall(clause)
    if value is None and len(set(equal)) == 1 and claim.relation and set(claim.content) & set(words):
        value = float(equal[-1])
    if value is None or claim.number is None:
        return None
    is_true = _COMPARE[claim.relation](value, claim.number)
    if is_true and not claim.relation and len(set(claim.content) - set(words)) > 0:
        return None
    return "yes" if is_true else "no"


def is_of_some(words: Sequence[str], claim: Proposition) -> bool:
    """Whether a clause says of some things what the question asks of all."""
    rest = [word for word in claim.content if word not in QUANTIFIERS]
    return 0 < len(rest) < len(claim.content) and not claim.is_negated and in_order(rest, words)


def has_exception(words: Sequence[str], claim: Proposition) -> bool:
    """Whether a clause says of one thing the opposite of what the question asks of all: one empty chair."""
    rest = [word for word in claim.content if word not in ALL]
    is_opposite = any(OPPOSITES.get(word, set()) & set(words) - set(rest) for word in rest[1:])
    is_about = rest[:1] == words[:1] or not {*rest[:1], "1", stem("other")}.isdisjoint(words)
    return is_opposite and len(rest) < len(claim.content) and is_about and not claim.is_comparison
