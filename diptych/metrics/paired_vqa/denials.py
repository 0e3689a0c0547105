"""Denials: whether a clause rules out what the question asks, with fewer words or with something else instead."""

import re
from collections.abc import Sequence

from .propositions import PERSON, PRONOUN, Proposition, content_stems
from .repetitions import in_order
from .words import stem

OTHER_THAN = re.compile(
    r",? (?:rather than|instead of|as opposed to|and not|(?<=, )not)(?P<rest> [^,;:.\u2013\u2014]*)"
)
TOO_MUCH = re.compile(
    r"\btoo \w+ to ((?!be|count|see|tell|say|make|read|determine|know|identify)\w+.*)"
)  # too short to reach it
_DENIED_WORD = re.compile(r"(?:not|n't) (\w+)$")
NOTHING_OF = re.compile(r"^(?:with )?(?:no|not|without)\b")
_THERE_IS_NO = re.compile(
    r"there(?:'s| is| are) (?:no|not an?)\b|there (?:isn't|aren't) (?:an?|any)\b"
    r"|(?:i|we|you|one) (?:do not|don't) (?:\w+ )?(?:see|find|spot|notice|detect)(?: any| an?| the)?\b"
    r"|the (?:image|picture|photo|scene) (?:does not|doesn't) (?:show|contain|depict|include|have|feature)(?: any"
    r"| an?)?\b"
    r"|there (?:does not|doesn't|do not|don't) (?:appear|seem) to be(?: any| an?)?\b"
    r"|no [\w ]{2,40} (?:is|are|can be) (?:visible|seen|present|shown|there)\b"
)
_GONE = frozenset(map(stem, "missing absent gone empty out hidden invisible without free bare barefoot alone".split()))
_EMPTY = stem("empty")


def is_ruled_out(sentence: str, claim: Proposition) -> bool:
    """Whether a sentence says that something else is so "rather than" what the question asks."""
    denied = [(list(content_stems(match["rest"])), match["rest"]) for match in OTHER_THAN.finditer(sentence)]
    content = set(claim.content)
    ends = set(claim.content[-3:] if sentence.rstrip(" .").endswith((" one", " ones")) else claim.content[-1:])
    return any(
        words
        and set(words) <= content
        and (words[-1] in ends or _is_subject(words, rest, claim) or _is_degree(words, claim))
        for words, rest in denied
    )


def _is_subject(words: Sequence[str], rest: str, claim: Proposition) -> bool:
    """Whether words are what the question asks about: "The red party won, not the blue one"."""
    is_named = claim.is_existence or rest.startswith(" the ")
    return is_named and tuple(words) == claim.content[: len(words)]


def _is_degree(words: Sequence[str], claim: Proposition) -> bool:
    """Whether a word is how the question compares: "Q3 was higher than Q1, not lower"."""
    return claim.is_comparison and len(words) == 1 and "than" in claim.content and words[0].endswith("er")


def is_shortened(clause: str, words: Sequence[str], claim: Proposition) -> bool:
    """Whether a clause repeats the question from its subject on, with fewer words."""
    is_about_it = PRONOUN.match(clause) is not None
    if claim.is_comparison or not set(words) <= set(claim.content):
        return False
    if not claim.is_existence and _THERE_IS_NO.match(clause) and claim.content[-1] not in words:
        return False  # what the question takes for granted is denied, not what it asks
    if any(word.isdigit() for word in words) and not claim.relation:
        return False
    denied = _DENIED_WORD.search(clause)
    is_of_subject = words[:1] == list(claim.content[:1]) and (
        len(words) > 2 or (tuple(words) == claim.content[:2] and denied is not None and stem(denied[1]) == words[1])
    )
    is_of_predicate = is_about_it and len(claim.content) > 2 and words[:1] == list(claim.content[1:2])
    is_of_predicate |= is_about_it and bool(words) and _is_part(words, claim.content[1:])
    if is_about_it and len(words) == 1 and denied and stem(denied[1]) == words[0] and words[0] in claim.content[1:]:
        return True
    return (is_of_subject or is_of_predicate) and in_order(words, claim.content)


def _is_part(words: Sequence[str], content: Sequence[str]) -> bool:
    """Whether stems are the end of those of the question, or two or more that follow each other in it."""
    starts = range(len(content) - len(words) + 1) if len(words) > 1 else [len(content) - 1]
    return any(list(content[start : start + len(words)]) == list(words) for start in starts)


def is_absent(clause: str, words: Sequence[str], claim: Proposition) -> bool:
    """Whether a clause says that there is nothing of a thing of the question."""
    things = [word for word in words if word not in ("sight", "on")]
    is_known = bool(things) and set(things) <= set(claim.content) and _GONE.isdisjoint(claim.content)
    is_asked = things[-1:] == list(claim.content[-1:]) or (claim.is_existence and claim.content[0] in things)
    return is_known and is_asked and claim.number is None and bool(_THERE_IS_NO.match(clause))


def read_emptiness(clause: str, words: Sequence[str], claim: Proposition) -> str | None:
    """No where the place that something may be in is empty."""
    if not claim.is_existence or _EMPTY not in words or _EMPTY in claim.content or len(claim.content) < 2:
        return None
    place = [word for word in words if word != _EMPTY]
    if place:
        return "no" if claim.content[-1] == place[-1] and set(place) <= set(claim.content) else None
    return "no" if claim.content[0] in (PERSON, "thing") and PRONOUN.match(clause) else None
