"""Free-form answers parsed as yes, no or one of the choices; an answer that cannot be parsed is never guessed."""

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

_YES = frozenset("yes yeah yep yup yea true correct affirmative right indeed".split())
_NO = frozenset("no nope nah false incorrect negative".split())
_OPENERS = frozenset(
    "well so okay ok oh definitely certainly absolutely surely clearly actually likely probably most".split()
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
    """The choice that a free-form answer makes, or None where it cannot be parsed.

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
    answer = _clean(text)
    for choice in choices:
        if answer.strip(" .!?,;:()'") == choice.lower():
            return choice
    if sorted(choice.lower() for choice in choices) == ["no", "yes"]:
        word = _parse_yes_no(answer)
        return next((choice for choice in choices if choice.lower() == word), None)
    return _parse_choice(answer, choices)


def _clean(text: str) -> str:
    """The text in lower case without markup, from the last phrase such as "the answer is" on."""
    plain_text = _MARKUP.sub(" ", text.replace("’", "'")).lower()
    plain_text = re.sub(r"[ \t\r]+", " ", plain_text).strip()
    final_answer = _ANSWER_MARK.split(plain_text)[-1].strip()
    return final_answer or plain_text


def _parse_yes_no(text: str) -> str | None:
    sentence = next((part for part in map(str.strip, _SENTENCE_END.split(text)) if part), "")
    words = _WORD.findall(sentence)
    while words and words[0] in _OPENERS:
        words = words[1:]
    first_word = words[0] if words else ""
    doubt = _UNSURE.search(sentence)
    if first_word in _YES | _NO and not (doubt and doubt.start() < 2):
        return "yes" if first_word in _YES else "no"
    if doubt:
        return None
    return _parse_sentence(sentence, words)


def _parse_sentence(sentence: str, words: list[str]) -> str | None:
    """Yes or no, from a sentence that does not begin with either."""
    phrase = " ".join(words)
    statement = _THAT_IS.match(phrase)
    if statement:
        return "no" if bool(statement.group(1)) != bool(statement.group(2)) else "yes"
    if _THINK_NOT.search(sentence) or words == ["not"]:
        return "no"
    if _THINK_SO.search(sentence):
        return "yes"
    if _THERE.match(sentence) or _SHORT.match(phrase.removesuffix(" not")):
        return "no" if _NEGATION.search(sentence) else "yes"
    if _SHORT.match(re.sub(r"n't$", "", phrase)):
        return "no"
    if re.match(r"there (?:isn't|aren't|wasn't|weren't)\b", sentence):
        return "no"
    mentions = {word for word in words if word in YES_NO}
    return mentions.pop() if len(mentions) == 1 else None


def _parse_choice(text: str, choices: tuple[str, ...]) -> str | None:
    by_letter = _choice_by_letter(text, choices)
    if by_letter is not None:
        return by_letter
    head = next((part for part in map(str.strip, re.split(r"[.!?;,:\n]+(?:\s|$)", text)) if part), "")
    for part in (head, text):
        mentions = _mentioned_choices(part, choices)
        if len(mentions) == 1:
            return mentions[0]
        if part is head and len(mentions) > 1:
            return None
    return None


def _choice_by_letter(text: str, choices: tuple[str, ...]) -> str | None:
    if any(len(choice) == 1 for choice in choices):
        return None
    letter = re.match(r"(?:option |choice )?\(?([a-z])(?:[).:]|$)", text) or re.match(
        r"(?:option|choice) \(?([a-z])\b", text
    )
    index = ord(letter.group(1)) - ord("a") if letter else len(choices)
    return choices[index] if index < len(choices) else None


def _mentioned_choices(text: str, choices: tuple[str, ...]) -> list[str]:
    """The choices that a text mentions and does not negate; a longer choice hides a shorter one within it."""
    mentions = []
    rest = text
    for choice in sorted(choices, key=len, reverse=True):
        pattern = re.compile(rf"(?<!\w){re.escape(choice.lower())}(?!\w)")
        if any(not _is_negated(rest, match.start()) for match in pattern.finditer(rest)):
            mentions.append(choice)
        rest = pattern.sub("\0", rest)
    return mentions


def _is_negated(text: str, position: int) -> bool:
    clause = re.split(r"[,.;]|\bbut\b", text[:position])[-1]
    return _NEGATION.search(clause) is not None
