"""The color that a reply gives to what the question asks about."""

import re
from collections.abc import Set
from difflib import get_close_matches
from functools import lru_cache

from .counts import question_stems
from .sentences import CORRECTION, REFUSAL, UNSURE, marked_answers, split_sentences
from .words import COLORS, FOREIGN_COLORS, OPPOSITES, SHADES, stem

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")

COLOR_QUESTION = re.compile(
    r"\b(?:what|which)\b.{0,20}\bcolou?rs?\b|\bcolou?rs? (?:is|are) |^of what colou?r|\bwhat shade of\b", re.IGNORECASE
)
"""What a question that asks for a color holds."""

_SEVERAL_ASKED = re.compile(
    r"\bfrom (?:left|right|top|bottom|front|back)\b|\b(?:top|left)\b.*\b(?:middle|center|bottom|right)\b|\band the\b"
)
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_COLOR_NAMES = "|".join(sorted(COLORS, key=len, reverse=True))
_COLOR = rf"(?:(?:{'|'.join(sorted(SHADES))})[ -])*(?:{_COLOR_NAMES})(?:[ -](?:{_COLOR_NAMES}))?"
_COLOR_PHRASE = re.compile(rf"(?<![\w'-])(?P<first>{_COLOR})(?P<more>(?:,? (?:and|&) |/|, )(?:{_COLOR}))*(?![\w'-])")
ONLY_COLOR = re.compile(
    rf"(?:an? |the )?(?:{_COLOR})(?:(?:,? (?:and|&) |/|, (?:and )?|-)(?:{_COLOR}))*(?: in colou?r| colou?r(?:ed)?)?"
)
_DENIED = re.compile(
    rf"(?:\b(?:not|rather than|instead of|nor|neither|never)|\w+n't)(?: (?:really|quite|a|an"
    rf"|the))* (?:{_COLOR})(?: (?:and|or|nor) (?:{_COLOR}))?"
)
_SHADE_OF = re.compile(rf"\b({'|'.join(sorted(SHADES))})(?:er)? (?:shade|tone|hue|kind) of ")
_CLEAR = re.compile(rf"\bclear(?:,| and)? (?={_COLOR}\b)")  # a clear blue
_LABEL = re.compile(
    r"^[^.:]*\bcolou?rs?: |\b(?:an? )?(?:mix(?:ture)?|combination|blend) of (?="
    + _COLOR
    + r")|^"
    + _COLOR
    + r"\?\s*no\b"
)
_REPEATED = re.compile(rf"\b({_COLOR_NAMES})(?:,? \1)+\b")
_NO_SUBJECT = (
    COLORS | {stem(word) for word in "color colour what which side".split()} | set("abcdefghijklmnopqrstuvwxyz")
)
_PART = re.compile(r"\b(?:part|half|section|portion|upper|lower|top|bottom|middle|side)\b")
_THE_ONE = re.compile(
    r"\bthe one ((?:in|on|at|behind|with|near|next|under|above|to)\b.*?) (?:is|are|looks|appears|seems)\b"
)
_NAME = re.compile(r"\b(?:mr|mrs|ms|dr)\b\.? \w+")
_BETWEEN = re.compile(
    rf"(?:{_COLOR}),? or (?:maybe |perhaps )?(?:{_COLOR})|(?:{_COLOR})\s*\?|\beither\b|\bsome\b.*\bothers\b"
    rf"|\bone (?:\w+ )?is (?:{_COLOR}),? (?:and|while|but) the other is (?:{_COLOR})\b"
    rf"|[,:] one (?:is )?(?:{_COLOR}),? and (?:one|the other)(?: is)? (?:{_COLOR})\b"
)
_ONE_AND_OTHER = re.compile(
    rf"\b(?:one|some)\b[^.,;]{{0,40}}? (?:is|are) ({_COLOR})[,;]? (?:and|while|but) (?:the other|others|some|the rest)"
    rf"(?: ones?)?(?: of them)?(?: is| are)? ({_COLOR})(?:\W*$|[.;])"
)
_AFTER_COLOR = frozenset(
    "and with in but or on while because that which as like color colour colored coloured one ones shade hue tone at "
    "of to from all for except "
    "patch patches striped stripes plaid checkered checked patterned spotted leather "
    "wood wooden glass metal plastic brick fabric denim marble stone 1 here overall "
    "too tabby though although under since due the is are".split()
)
_COPULA = re.compile(
    r"\b(?:is|are|was|were|looks?|appears?|seems?|turned|painted|showing|pattern (?:in|of)|comes? in|be|being|been"
    r"|'s|'re|as such is)\b"
)
IS_COLOR = re.compile(rf"(?:it|they|these|those|this|that)(?:'s| is|'re| are) ({_COLOR})")
_PRONOUN = re.compile(
    r"^\W*(?:currently |now |no, )?(?:it|they|he|she|this|that|these|those|both|a|an|the one|mostly|mainly|probably"
    r"|likely|most likely|all|i)\b"
)


def read_color(text: str, question: str = "") -> str | None:
    """The color that an unwrapped reply gives to what the question asks about, with its shade.

    >>> read_color("The car is dark blue.", "What color is the car?")
    'dark blue'
    >>> read_color("He wears a blue coat.", "What color is the hat?") is None
    True
    """
    text = _CLEAR.sub("", _SHADE_OF.sub(r"\1 ", _LABEL.sub("", text.lower())))
    lowered = _REPEATED.sub(r"\1", re.sub(r"\s+", " ", text))
    bare = _EDGES.sub("", lowered)
    if ONLY_COLOR.fullmatch(bare):
        return re.sub(r"^(?:an?|the) | (?:in )?colou?r(?:ed)?$", "", bare).replace("/", " and ")
    if of_it := IS_COLOR.fullmatch(bare):
        return of_it[1]
    if len(bare.split()) == 1:
        return _color_named(bare)
    for answer in reversed(marked_answers(text.lower())):
        return read_color(answer, question)
    if (both := _ONE_AND_OTHER.search(lowered)) and re.search(r"\bcolou?rs? are\b", question.lower()):
        return f"{both[1]} and {both[2]}"
    if REFUSAL.search(lowered) or _BETWEEN.search(lowered):
        return None
    if UNSURE.search(lowered) and not re.search(r"\b(?:but|though|i'd (?:say|guess))\b", lowered):
        return None
    color = _color_of_sentences(split_sentences(text.lower()), question)
    is_of_one = _SEVERAL_ASKED.search(question.lower()) and len(set(re.findall(_COLOR, lowered))) > len(
        re.findall(_COLOR, color or "")
    )
    return None if is_of_one else color


def is_colorless(text: str) -> bool:
    """Whether a lower-case text names no color, not even with a slip, so that it cannot answer any question for one.

    >>> is_colorless("a wooden table"), is_colorless("a greeen table")
    (True, False)
    """
    return not any(map(_color_named, _WORD.findall(text.replace("-", " "))))


@lru_cache(maxsize=10_000)
def _color_named(word: str) -> str | None:
    if word.isdecimal():
        return None
    return FOREIGN_COLORS.get(word) or next(iter(get_close_matches(word, COLORS, 1, 0.85)), None)


def _color_of_sentences(sentences: list[str], question: str) -> str | None:
    owners = {stem(word) for word in re.findall(r"(\w+)'s \w", question.lower())}
    subject = tuple(word for word in question_stems(question) if word not in _NO_SUBJECT | owners)
    answers = []
    for sentence in sentences:
        clauses = re.split(
            r";\s|,? (?:but|while|whereas|yet|though|although) |(?:,| and|, and) (?=his |her |the |its )", sentence
        )
        named = [(clause, color) for clause in clauses if (color := _color_in(clause, subject, question))]
        of_head = [color for clause, color in named if set(subject[:1]) & set(map(stem, _WORD.findall(clause)))]
        colors = of_head or [color for _, color in named]
        is_several = len({phrase[0] for phrase in _COLOR_PHRASE.finditer(sentence)}) > 1
        is_of_parts = is_several and len(_PART.findall(sentence)) > 1 and not _PART.search(question.lower())
        answers.append(colors[0] if colors and not is_of_parts else None)
    corrections = [index for index, sentence in enumerate(sentences) if CORRECTION.search(sentence)]
    if corrections:
        answers = answers[corrections[-1] :]
        sentences = sentences[corrections[-1] :]
    distinct = dict.fromkeys(answer for answer in answers if answer)
    if len(distinct) > 1:
        distinct = _first_rank(answers, sentences, set(subject))
    return next(iter(distinct)) if len(distinct) == 1 else None


def _first_rank(answers: list[str | None], sentences: list[str], subject: Set[str]) -> dict[str, None]:
    """The colors of the sentences that name most of what is asked about, as their predicate if any of them does."""
    rows = []
    for answer, sentence in zip(answers, sentences, strict=True):
        named = len(subject & set(map(stem, _WORD.findall(sentence))))
        is_predicate = re.search(rf"{_COPULA.pattern} (?:\w+ ){{0,2}}{re.escape(answer or '')}\b", sentence)
        rows.append(((named, is_predicate is not None), answer))
    highest = max(rank for rank, answer in rows if answer)
    return dict.fromkeys(answer for rank, answer in rows if answer and rank == highest)


def _color_in(clause: str, subject: tuple[str, ...], question: str) -> str | None:
    """The color that a clause gives to the subject: as its predicate, or before its noun."""
    if correction := list(CORRECTION.finditer(clause)):
        clause = clause[correction[-1].end() :]
    text = _NAME.sub(" ", _DENIED.sub(" ", clause))
    words = {stem(word) for word in _WORD.findall(text)}
    is_about_subject = bool(words & set(subject)) or bool(_PRONOUN.match(text)) or not subject
    of_one = _THE_ONE.search(text)
    if of_one and subject and not set(subject) & set(map(stem, _WORD.findall(of_one[1]))):
        return None  # there are several
    if any(OPPOSITES.get(word, set()) & words - set(subject) for word in subject):
        return None  # it speaks of the other one
    colors = []
    for phrase in _COLOR_PHRASE.finditer(text):
        if re.search(rf"\b{re.escape(phrase[0])}\b", question.lower()):
            continue
        following = _WORD.findall(text[phrase.end() :])[:3]
        if {stem(word) for word in following[:2]} & set(subject[:3]):
            return _plain_color(phrase)
        if {"color", "colour"} & set(following):
            return _plain_color(phrase) if is_about_subject else None
        if not following or following[0] in _AFTER_COLOR or text[phrase.end() : phrase.end() + 1] in ",.:)":
            colors.append(phrase)
    has_predicate = [phrase for phrase in colors if _COPULA.search(text[: phrase.start()])]
    chosen = has_predicate or (colors if len(text.split()) <= 6 else [])
    if len({phrase[0] for phrase in chosen}) > 1 and len(_COPULA.findall(text)) > 1:
        return None
    if not chosen or not is_about_subject:
        bare = re.fullmatch(rf"\W*(?:\w+ ){{0,3}}?({_COLOR})\W*", text)
        return bare[1] if bare and not subject else _bare_color(text)
    return _plain_color(chosen[0])


def _bare_color(text: str) -> str | None:
    match = re.match(
        rf"\W*(?:(?:probably|likely|most likely|mostly|mainly|i'd say|maybe|a|an|lush|but"
        rf"|red) )*({_COLOR}(?:(?: and |/)(?:{_COLOR}))?)(?=\s*[.,;!]|$| with )",
        text,
    )
    return match[1] if match else None


def _plain_color(phrase: re.Match[str]) -> str:
    """Two colors joined by "and"; more of them as they are listed."""
    joined = phrase[0].replace("/", " and ")
    return joined if " and " in joined else re.sub(r",? & |, ", " and ", joined)
