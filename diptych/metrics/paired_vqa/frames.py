"""Answers in sentences with the frame of their question: "The image shows X", "The cat is sitting behind the sofa"."""

import re
from collections.abc import Sequence

from .alignment import DENIED
from .trimming import LONGEST_PHRASE, SIGNS

_IMAGE = r"(?:the|this|that) (?:[\w-]+ )?(?:image|picture|photo|photograph|scene|painting|poster|artwork)"
_POSTURES = (
    "positioned|located|placed|situated|standing|sitting|seated|lying|laying|resting|parked|displayed|hanging|leaning"
)
_ASKS_SHOWN = re.compile(
    rf"\W*(?:what|which) (?:(?:type|kind|sort) of )?(?P<noun>[\w-]+)"
    r"(?: (?:is|are)(?: (?:shown|depicted|displayed|featured|pictured)\b|\W*$)"
    rf"| (?:does|do) {_IMAGE} (?:show|depict|feature))",
    re.IGNORECASE,
)
_SHOWS = re.compile(
    rf"{_IMAGE} (?:shows|depicts|features|displays|presents) (?P<answer>(?:an?|the|(?-i:[A-Z])).+)", re.IGNORECASE
)
_ASKS_WHERE = re.compile(
    r"\W*where (?:is|are|was|were) (?:the|this|that|these|those|his|her) (?P<noun>[\w'-]+(?: [\w'-]+)??)"
    rf"(?: (?:{_POSTURES}|relative|in|on|at|of|from)\b|\W*$)",
    re.IGNORECASE,
)
_IS_AT = (
    rf"(?:in {_IMAGE}, )?(?:the|this|that|these|those|his|her) {{noun}}(?: in {_IMAGE})? "
    r"(?:is|are|was|were|appears? to be|seems? to be) (?:currently |also |slightly |directly |just )?"
    rf"(?:(?:{_POSTURES}) )?(?P<answer>(?:to the|on|in|at|behind|under|above|below|near|next to|beside|between|inside"
    r"|over|against|by|on top of) .+)"
)
_RELATIVE = re.compile(r"\b(?:relative|relation|compared) to (?:the|this|that|his|her) ([\w-]+)", re.IGNORECASE)
_GENERIC = frozenset("location place scene area setting environment site view".split())  # say nothing of the kind
_ASKS_ROLE = re.compile(
    r"\W*(?:(?:who|what)(?:'s| is| are| was) the (?P<noun>[\w-]+) (?:of|in|for|shown|depicted)\b(?!.*ing\W*$)"
    r"|what should the (?P<value>[\w-]+) .*\bbe\b)",
    re.IGNORECASE,
)
_HAS_ROLE = (
    r"(?:therefore, |thus, |so, )?the {noun} (?:of|in|for) [^.;]{{1,90}}? (?:is|are|was|should be|would be) "
    r"(?P<answer>.+)"
)
_ENDS = re.compile(
    rf",| (?:which|who|that|while|where|with|surrounded|{_POSTURES}|characterized|featuring|set|wearing|holding|riding"
    rf"|dressed|and (?:is|are|appears?|seems?)|in {_IMAGE})\b",
    re.IGNORECASE,
)
_IN_TOWN = re.compile(r"(?<=\w) in (?-i:[A-Z])[\w ]*$")


def read_framed(sentences: Sequence[str], question: str) -> str | None:
    """What the image shows, or where something is; empty where that is no sure answer, None where nothing says it.

    >>> read_framed(["The image shows a castle, as its moat suggests"], "What type of building is shown?")
    'a castle'
    >>> read_framed(["The cup is placed to the left of the plate"], "Where is the cup relative to the plate?")
    'to the left of the plate'
    """
    shown = _ASKS_SHOWN.match(question)
    if shown and sentences and (said := _SHOWS.match(sentences[0])):
        answer = _IN_TOWN.sub("", _cut(said["answer"]))
        is_vague = not answer or answer.split()[-1].lower() in _GENERIC or " or " in answer
        return "" if is_vague else answer
    where, other = _ASKS_WHERE.match(question), _RELATIVE.search(question)
    for sentence in sentences if where else ():
        said = re.match(_IS_AT.format(noun=re.escape(where["noun"] if where else "")), sentence, re.IGNORECASE)
        is_asked = said and (other is None or other[1].lower() in _cut(said["answer"]).lower())
        if said and is_asked and not DENIED.search(sentence):
            return re.sub(r"^(?:in(?! front)|at) ", "", _cut(said["answer"]))
    return None


def read_role(sentences: Sequence[str], question: str) -> str | None:
    """Who or what has the role that a question asks for.

    >>> read_role(["The author of 'Emma' is Jane Austen"], "Who is the author of the book on the table?")
    'Jane Austen'
    """
    asked = _ASKS_ROLE.match(question)
    for sentence in reversed(sentences) if asked else ():
        noun = (asked["noun"] or asked["value"]) if asked else ""
        said = re.match(_HAS_ROLE.format(noun=re.escape(noun)), sentence, re.IGNORECASE)
        if said and not DENIED.search(sentence):
            return _cut(said["answer"]) or None
    return None


def _cut(phrase: str) -> str:
    """A phrase without what describes it further, or nothing where it is no short one."""
    phrase = _ENDS.split(phrase.strip(" .\"'"), maxsplit=1)[0].strip(" .\"'")
    is_short = len([word for word in phrase.split() if word not in ("a", "an", "the", "of")]) <= LONGEST_PHRASE + 2
    return phrase if is_short and not SIGNS.search(re.sub(r"\bor\b", "", phrase)) else ""
