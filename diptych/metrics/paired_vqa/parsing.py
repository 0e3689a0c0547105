"""Free-form answers read as yes, no or one of the choices; what cannot be read is said to be unread, never guessed."""

import re
from collections.abc import Sequence
from functools import lru_cache

YES_NO: tuple[str, str] = ("yes", "no")
"""The choices of a yes/no question."""

_MARKUP = re.compile(r"<[^<>]{1,20}>|[*_`#>~\"“”]+")
_ANSWER_MARK = re.compile(
    r"\b(?:final answer|correct answer|answer|response)\b(?:\s+(?:is|would be|must be))?\s*[:=\-]?\s*"
)
_SENTENCE_END = re.compile(r"[.!?;\n]+(?:\s|$)")
_WORD = re.compile(r"[a-z0-9']+")

_YES = frozenset({"yes", "yeah", "yep", "yup", "yea", "true", "correct", "affirmative", "right", "indeed"})
_NO = frozenset({"no", "nope", "nah", "false", "incorrect", "negative"})
_SURELY = re.compile(
    r"^(?:well|so|okay|ok|oh|definitely|certainly|absolutely|surely|clearly|actually|likely|probably|most)$"
)
_UNSURE = re.compile(
    r"\b(?:not (?:really |at all |quite )?(?:sure|certain|clear|possible|enough)|un(?:sure|certain|clear|known)"
    r"|maybe|perhaps|impossible|depends"
    r"|(?:can ?not|can't|cannot|could not|couldn't|unable to|hard to|difficult to) "
    r"(?:be )?(?:tell|say|see|determine[d]?|know|answer|confirm)"
    r"|(?:do not|don't) know|no idea|no way to (?:tell|know)|yes (?:and|or) no|no (?:and|or) yes)\b"
)
_THINK_NOT = re.compile(
    r"\b(?:do not|don't) (?:think|believe|see)\b|\b(?:probably|likely|definitely|certainly|of course) not\b"
    r"|\bnot (?:really|at all)\b"
)
_THINK_SO = re.compile(r"\b(?:think|believe|seem|seems|appear|appears|say|guess) so\b|\bof course\b")
_THERE = re.compile(
    r"^(?:in (?:the|this) (?:image|picture|photo),? )?there (?:is|are|'s|was|were|seems to be|appears to be)\b"
)
_SHORT = re.compile(
    r"^(?:it|he|she|they|i|we|this|that|these|those) (?:is|are|was|were|does|do|did|has|have|can|will)$"
)
_THAT_IS = re.compile(r"^(?:that|this|it)(?:'s| is) (not )?(?:correct|true|right|the case|(incorrect|false|wrong))$")
_NEGATION = re.compile(r"\b(?:not|no|none|never|nothing|nobody|neither|without|isnt|arent|\w+n't)\b")


def parse_answer(text: str, choices: Sequence[str] = YES_NO) -> str | None:
    """The choice that a free-form answer makes, or None where it makes none that can be read.

    >>> parse_answer("**Yes**, there is a dog.")
    'yes'
    >>> parse_answer("No, there isn't a dog")
    'no'
    >>> parse_answer("I'm not sure.") is None
    True
    >>> parse_answer("It looks blue, not red.", choices=("red", "blue"))
    'blue'
    """
    return _parse(text, tuple(choices))


@lru_cache(maxsize=1 << 16)
def _parse(text: str, choices: tuple[str, ...]) -> str | None:
    clean = _clean(text)
    for choice in choices:
        if clean.strip(" .!?,;:()'") == choice.lower():
            return choice
    if sorted(choice.lower() for choice in choices) == ["no", "yes"]:
        read = _yes_or_no(clean)
        return next((choice for choice in choices if choice.lower() == read), None)
    return _choice(clean, choices)


def _clean(text: str) -> str:
    plain = _MARKUP.sub(" ", text.replace("’", "'")).lower()
    plain = re.sub(r"[ \t\r]+", " ", plain).strip()
    after = _ANSWER_MARK.split(plain)[-1].strip() if _ANSWER_MARK.search(plain) else plain
    return after or plain


def _yes_or_no(text: str) -> str | None:
    sentence = next((part for part in map(str.strip, _SENTENCE_END.split(text)) if part), "")
    words = _WORD.findall(sentence)
    while words and _SURELY.match(words[0]):
        words = words[1:]
    leading = words[0] if words else ""
    unsure = _UNSURE.search(sentence)
    if leading in _YES | _NO and not (unsure and unsure.start() < 2):
        return "yes" if leading in _YES else "no"
    if unsure:
        return None
    return _reading_of(sentence, words)


def _reading_of(sentence: str, words: list[str]) -> str | None:
    that_is = _THAT_IS.match(" ".join(words))
    if that_is:
        return "no" if bool(that_is.group(1)) != bool(that_is.group(2)) else "yes"
    if _THINK_NOT.search(sentence) or words == ["not"]:
        return "no"
    if _THINK_SO.search(sentence):
        return "yes"
    named = {word for word in words if word in {"yes", "no"}}
    if _THERE.match(sentence) or _SHORT.match(" ".join(words).removesuffix(" not")):
        return "no" if _NEGATION.search(sentence) else "yes"
    if _SHORT.match(re.sub(r"n't$", "", " ".join(words))):
        return "no"
    if re.match(r"there (?:isn't|aren't|wasn't|weren't)\b", sentence):
        return "no"
    return named.pop() if len(named) == 1 else None


def _choice(text: str, choices: tuple[str, ...]) -> str | None:
    lettered = _by_letter(text, choices)
    if lettered is not None:
        return lettered
    head = next((part for part in map(str.strip, re.split(r"[.!?;,:\n]+(?:\s|$)", text)) if part), "")
    for part in (head, text):
        named = _named(part, choices)
        if len(named) == 1:
            return named[0]
        if part is head and len(named) > 1:
            return None
    return None


def _by_letter(text: str, choices: tuple[str, ...]) -> str | None:
    if any(len(choice) == 1 for choice in choices):
        return None
    found = re.match(r"(?:option |choice )?\(?([a-z])(?:[).:]|$)", text) or re.match(
        r"(?:option|choice) \(?([a-z])\b", text
    )
    place = ord(found.group(1)) - ord("a") if found else len(choices)
    return choices[place] if place < len(choices) else None


def _named(text: str, choices: tuple[str, ...]) -> list[str]:
    """The choices that a text names and does not deny, each once; a longer choice hides a shorter one within it."""
    named = []
    rest = text
    for choice in sorted(choices, key=len, reverse=True):
        pattern = re.compile(rf"(?<!\w){re.escape(choice.lower())}(?!\w)")
        if any(not _denied(rest, found.start()) for found in pattern.finditer(rest)):
            named.append(choice)
        rest = pattern.sub("\0", rest)
    return named


def _denied(text: str, at: int) -> bool:
    before = re.split(r"[,.;]|\bbut\b", text[:at])[-1]
    return _NEGATION.search(before) is not None
