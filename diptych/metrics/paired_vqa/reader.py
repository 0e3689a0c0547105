"""The answer that a reply means: yes or no, a choice, a count, a color, or the answer phrase of a sentence.

A reply is first unwrapped. What is then not surely an answer to the question is unread: None, never a guess.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial

from .alignment import question_stems
from .colors import COLOR_QUESTION, IS_COLOR, is_colorless, read_color
from .columns import unknown_name
from .counts import COUNT_QUESTION, read_count, whole_number
from .normalization import YES_NO, normalize
from .options import letter_of, listed_choices, offered_choices, read_choice
from .phrases import read_phrase
from .sentences import REFUSAL, UNSURE, marked_answers
from .trimming import is_bare, is_plain_phrase
from .unwrapping import bold_parts, unwrap_reply
from .verdicts import is_negated, is_unsure, quick_verdict, read_yes_no
from .words import BARE_WORDS, COLORS

READERS: dict[str, str] = {
    "standard": "the answer that the reply means, whatever stands around it",
    "strict": "the reply as it stands; to a closed question, a choice as it is written",
}
"""The ways of reading replies, and what each reads."""

READER_VERSION = "5"  # a new one wherever a reply may be read differently

_QUESTION_WORDS = "what which who whom whose where when why how".split()

KINDS: dict[str, str] = {
    "count": rf"^[^?]*(?:{COUNT_QUESTION.pattern})",
    "color": rf"^[^?]*(?:{COLOR_QUESTION.pattern})",
    "open": rf"^[^?]*\b(?:{'|'.join(_QUESTION_WORDS)})\b",
    "any": "",
}
"""What an open question may ask for, and the words before its first question mark that show it: the first counts."""

_KINDS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in KINDS.items()}

_POLAR = re.compile(  # yes or no is asked for, and nothing is offered to choose from
    r"\s*(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|may|might|must)(?:n't)?\s"
    rf"(?!.*\b(?:or|{'|'.join(_QUESTION_WORDS)})\b)",
    re.IGNORECASE | re.DOTALL,
)
_EDGES = ' \t\r\n.,;:!?"()'  # marks that the normalizer removes too
_MARK = re.compile(r"[?<\[{◁]|assistantfinal")  # a question repeated, or something around the answer
_LETTER_AND_CHOICE = re.compile(r"\W*[A-Za-z][).:]")


def question_kind(question: str) -> str:
    """What an open question asks for, as far as its words show.

    >>> [question_kind(text) for text in ("How many dogs?", "What color is the car?", "What is this?")]
    ['count', 'color', 'open']
    """
    text = " ".join(question.partition("?")[0].lower().split())
    if "many" in text or "number of" in text or "count of" in text or "colo" in text:
        return next(kind for kind, pattern in _KINDS.items() if pattern.search(text))
    return "open" if any(word in text for word in _QUESTION_WORDS) and _KINDS["open"].search(text) else "any"


def read_answer(reply: str, question: str = "", choices: Sequence[str] = (), reader: str = "standard") -> str | None:
    """The answer that a reply means, or None where it is unread.

    `choices` are those of a closed question; a question that begins with a verb, such as "Is the cat black?", has the
    choices yes and no of itself, and any other may have any answer. Without the question, a statement that does not
    say yes or no is unread.

    >>> read_answer("There are three dogs.", "Are there two dogs?")
    'no'
    >>> read_answer("<think>Blue? No, red.</think>The car is red.", "What color is the car?")
    'red'
    >>> read_answer("2 dogs", "How many dogs?"), read_answer("I can't tell.", "How many dogs?")
    ('2', None)
    """
    if reader not in READERS:
        raise unknown_name("reader", reader, READERS)
    if reader == "strict":
        return exact_answer(reply, choices)
    choices = choices or (YES_NO if _POLAR.match(question) else ())
    answer = read_alone(reply, question_kind(question) if not choices else "", choices)
    return read_in_view(reply, question, choices) if answer is None else answer or None


def parse_answer(text: str, choices: Sequence[str] = YES_NO) -> str | None:
    """The choice that a reply makes where the question is not at hand: `read_answer` without a question.

    >>> parse_answer("**Yes**, there is a dog."), parse_answer("It looks blue, not red.", choices=("red", "blue"))
    ('yes', 'blue')
    """
    return read_answer(text, choices=choices)


def exact_answer(reply: str, choices: Sequence[str]) -> str | None:
    """The reply as it stands, or the choice that it is but for case, articles and punctuation."""
    if not choices:
        return reply if reply.strip() else None
    answer = normalize(reply)
    return next((choice for choice in choices if normalize(choice) == answer), None)


def read_alone(reply: str, kind: str, choices: Sequence[str]) -> str | None:
    """The answer of a bare reply, whatever else the question says; empty where it is unread, None where that depends.

    `kind` is that of an open question, and empty where there are choices.
    """
    if len(reply) > 60:
        return None
    bare = reply.strip(_EDGES).lower()
    if kind and kind != "any" and bare in YES_NO:
        return ""
    if kind in ("open", "any"):
        if len(bare) > 1 and is_bare(reply) and bare not in BARE_WORDS:
            return reply.rstrip(".! ")
        is_sentence = reply.count(" ") > 2 and reply.rstrip().endswith(".")
        is_safe = (
            not is_sentence
            and is_plain_phrase(reply)
            and letter_of(reply) is None
            and (kind == "any" or bare not in BARE_WORDS)
        )
        return read_phrase(reply) if is_safe else None
    if kind == "count":
        return bare if bare.isdecimal() and len(bare) < 5 and bare.isascii() else whole_number(bare)
    if kind == "color":
        if bare in COLORS or (of_it := IS_COLOR.fullmatch(bare)) is None:
            return bare if bare in COLORS else "" if _is_literal(reply) and is_colorless(bare) else None
        return str(of_it[1])
    if is_yes_no(choices):
        if bare in YES_NO:
            return _choice_named(bare, choices)
        return "" if not _MARK.search(reply) and is_unsure(bare) else None
    return None if _LETTER_AND_CHOICE.match(reply) else exact_answer(reply, choices)


def _is_literal(reply: str) -> bool:
    """Whether nothing stands around an answer, and none is a letter or the question repeated."""
    return "?" not in reply and len(reply) > 2 and literal_answer(reply) == reply.strip(_EDGES)


def is_yes_no(choices: Sequence[str]) -> bool:
    """Whether the choices are yes and no, in any order and case."""
    return len(choices) == 2 and (choices[0].lower(), choices[1].lower()) in (YES_NO, YES_NO[::-1])


def _choice_named(word: str | None, choices: Sequence[str]) -> str | None:
    return next((choice for choice in choices if choice.lower() == word), None)


def read_in_view(reply: str, question: str, choices: Sequence[str]) -> str | None:
    """The answer of a reply that cannot be read without its question, or None where it is unread."""
    if is_yes_no(choices) and (quick := quick_reply(reply)) and not is_negated(question):
        return _choice_named(quick, choices)
    text = unwrap_reply(reply, question)
    if text is None:
        return None
    question = re.sub(r"(?<=\S) {2,}", " ", question)
    listed = listed_choices(question)
    if listed and (letter := letter_of(text)):
        text = listed.get(letter, "")
    elif listed and (lettered := re.match(r"\W*([A-Ha-h])[).:]\s+(.+)", text, re.DOTALL)):
        # "A. No" where A is yes contradicts itself.
        listed_answer = listed.get(lettered[1].lower(), "")
        is_sure = lettered[2].lower().startswith(listed_answer.lower()) and not re.search(r"\n\W*[B-H][).:]\s", text)
        text = lettered[2] if is_sure else ""
    question = question[: question.find("?") + 1] or question  # other questions and instructions may follow
    if is_yes_no(choices):
        return _choice_named(read_yes_no(text, question), choices)
    read = {"count": read_count, "color": read_color}.get(question_kind(question), read_phrase)
    if choices:
        read = partial(read_choice, choices=choices)
    elif (offered := offered_choices(question)) and (choice := read_choice(text, offered, question)):
        return choice
    return _read_bold(reply, text, question, read) or read(text, question=question)


def _read_bold(reply: str, text: str, question: str, read: Callable[..., str | None]) -> str | None:
    """The answer of the only part that a reply prints bold, if it says more than the question."""
    parts = bold_parts(reply)
    if len(parts) != 1 or REFUSAL.search(text) or question_stems(question).issuperset(question_stems(parts[0])):
        return None
    before = text.partition(parts[0])[0]
    is_doubtful = UNSURE.search(before) and not re.search(r"\bbut\b", before)
    return None if is_doubtful or marked_answers(text) else read(parts[0], question=question)


@lru_cache(maxsize=10_000)
def quick_reply(reply: str) -> str | None:
    """The verdict of a short reply that means the same to every yes/no question that is not negated."""
    return quick_verdict(unwrap_reply(reply, "") or "") if len(reply) < 60 and "?" not in reply else None


def literal_answer(reply: str, question: str = "") -> str:
    """The reply without what stands around it, even where it is no sure answer; empty where nothing is left.

    An answer that is literally one of the right answers is right, whatever a reader takes it for.
    """
    is_alone = "?" not in reply and len(reply) < min(60, len(question)) and reply[:1].lower() != question[:1].lower()
    return _literal(reply, "") if is_alone else _literal(reply, question)


@lru_cache(maxsize=10_000)
def _literal(reply: str, question: str) -> str:
    text = unwrap_reply(reply, question) or ""
    marked = marked_answers(text)
    return (marked[-1] if marked else text).strip(_EDGES)
