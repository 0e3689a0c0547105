"""The choice that a reply makes: by its words, its letter or its place in the list."""

import re
from collections.abc import Sequence
from functools import lru_cache

from .counts import read_count
from .normalization import normalize
from .sentences import CORRECTION, REFUSAL, UNSURE, marked_answers, split_sentences
from .words import OPPOSITES, SAME_WORDS, stem

_LETTER = re.compile(
    r"^\W*(?:(?:i (?:choose|pick|select)|it is|it's) )?(?:the )?(?:correct |right |best )?(?:(?:option|choice"
    r"|answer|letter)(?: is)?)?\s*\(?(?P<letter>[a-z])(?:[).:,]+|\s+[-–—]\s|\s*$)\s*(?P<rest>.*)$",
    re.DOTALL,
)
_NAMED_LETTER = re.compile(
    r"\b(?:option|choice|letter|must be|so|it's|pick|choose|select)(?: (?:is|would be"
    r"|should be))? \(?(?P<letter>[a-z])\b"
    r"(?![' ][a-z]{3,})"
)
_LISTED = re.compile(r"(?:^|\n|\s)\(?(?P<letter>[A-H])[).:]\s+(?P<text>[^\n]{1,200}?)(?=\s+\(?[B-H][).:]\s|\n|$)")
_CORRECT_LETTER = re.compile(r"\b(?:correct|right|best) (?:option|choice) (?:is|would be|must be) \(?([a-h])\)?\W*$")
_ORDINALS = "first second third fourth fifth sixth".split()
_ORDINAL = re.compile(
    rf"\b(?:the )?(?P<place>{'|'.join(_ORDINALS)}|last) (?:one|option|choice|answer)\b|\b(?:option|choice"
    rf"|number) (?P<number>[1-9])\b"
)
_CHECKED = re.compile(r"^\W*\[[xX✓✔]\]\s*(.+)$", re.MULTILINE)
_NEGATION = re.compile(
    r"\b(?:not|no|none|never|nothing|nobody|neither|nor|without|isnt|arent|unlike|rather than|instead of|\w+n't)\b"
)
_DENIED = re.compile(r"[\"']? (?:is|are|was|were|does|do|did|has|have)(?:n't| not) (?!just|only)")
_CLAUSE_END = re.compile(r"[,.;:]|\bbut\b|\bbecause\b|\bsince\b|\bwhile\b")
_CONCLUDES = re.compile(
    r"^(?:so|hence|therefore|thus|then|in conclusion|overall)\b|\b(?:so|hence|therefore)\b[^,]{0,20}$"
)
_HEDGES = re.compile(r"\b(?:or|maybe|perhaps|either|both|could be|whether|would|might|half|to find|fit|compares?)\b|\?")
_LIKELIER = re.compile(r"\b(?:more likely|most likely|probably|likely)\b")
_LEAD = re.compile(
    r"\W*(?:(?:it|that|this|they|he|she|these|those|the \w+)(?:'s| is| are|'re)?|i think|probably|likely|i'd say"
    r"|looks like|an?|the|on|in|at|to|is|are|\W)*\s*"
)
_THAN = re.compile(r"^(?P<first>.+)\b(?P<degree>\w{2,}er|more|less|fewer)\b.{0,40}? than (?P<second>.+)$")
_THE_ONE = re.compile(r"^(?:it(?:'s| is) )?(?:the )?([\w-]+) one$")
_COMPARES = re.compile(r"\b(?:\w{3,}er|more|less|fewer)\b")
_NEXT_CLAUSE = re.compile(r"; |,? (?:and|while|whereas|but) (?=the |it |his |her |its |an? )")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_OFFERED = re.compile(
    r"(?:(?P<compound>\ban? [\w-]+ )|\band )?\(?(?:(?P<more>[a-z-]+), )?(?P<first>[a-z-]+),? or "
    r"(?:(?:to|on|in|at) )?(?:(?:the|an?) )?(?P<second>[a-z-]+)"
)
_OFFERS_NONE = re.compile(
    r"\W*(?:is|are|was|were) there\b|\b(?:either|any|anything|anywhere|something|somewhere|you|how many)\b"
)
_BEFORE_OFFER = re.compile(
    r"image|picture|photo|scene|video"
    r"|(?:bigg|larg|small|tall|short|long|clos|near|farth|high|low|old|young|dark|bright|heavi|wid|thick|fast)er"
)
_NO_OFFER = frozenset("not no more less so other both else yes false of with by for from near".split())
_ASKS_NOT = re.compile(r"\b(?:which|what)\b[^?]*(?:\bnot\b|n't\b|\b(?:absent|missing)\b)", re.IGNORECASE)
_BOTH_SIDES = re.compile(r"[.;!\n]|,? (?:but|while|whereas) ")


def offered_choices(question: str) -> tuple[str, ...]:
    """The single words that a question without choices offers with "or".

    >>> offered_choices("Is the kiwi on the plate fresh or dried?"), offered_choices("Is there a cup or a plate?")
    (('fresh', 'dried'), ())
    """
    asked = question.partition("?")[0].lower()
    offers = list(_OFFERED.finditer(asked)) if " or " in asked and not _OFFERS_NONE.search(asked) else []
    if len(offers) != 1 or offers[0]["compound"] or offers[0][0].startswith("and "):
        return ()
    words = [word for word in offers[0].group("more", "first", "second") if word]
    words = words[1:] if len(words) > 2 and _BEFORE_OFFER.fullmatch(words[0]) else words
    return tuple(words) if _NO_OFFER.isdisjoint(words) and len(set(words)) == len(words) else ()


def listed_choices(question: str) -> dict[str, str]:
    """The choices that a question lists with letters: "A. Yes B. No"."""
    if "A" not in question:
        return {}
    listed = {match["letter"].lower(): match["text"].strip(" .") for match in _LISTED.finditer(question)}
    return listed if list(listed) == [chr(ord("a") + place) for place in range(len(listed))] and len(listed) > 1 else {}


def letter_of(text: str) -> str | None:
    """The letter that a whole reply is: "(B)", "b.", "Option B"."""
    match = _LETTER.match(text.lower())
    return match["letter"] if match and not match["rest"].strip(" .") else None


def read_choice(text: str, choices: Sequence[str], question: str = "") -> str | None:
    """One of the choices, or None where the unwrapped reply surely makes none of them.

    >>> read_choice("It's not red but blue", ("red", "blue")), read_choice("(B)", ("red", "blue"))
    ('blue', 'blue')
    """
    if not re.match(r"\W*[A-Za-z][).:]", text):  # "A) cat" is not "a cat"
        answer = _squeeze(text)
        for choice in choices:
            if _squeeze(choice) == answer:
                return choice
    if checked := _CHECKED.findall(text):
        text = checked[0] if len(checked) == 1 else text
    lowered = text.lower()
    for marked in reversed(marked_answers(lowered)):
        return _read_part(marked, choices, question)
    return _read_part(lowered, choices, question)


def _squeeze(text: str) -> str:
    return re.sub(r"[\W_]", "", normalize(text)).replace("colour", "color")


def _read_part(text: str, choices: Sequence[str], question: str) -> str | None:
    if (by_letter := _by_letter(text, choices)) is not None:
        return by_letter or None
    none_of = [choice for choice in choices if "none of" in choice.lower()]
    if (REFUSAL.search(text) and not none_of) or (
        UNSURE.search(text) and not re.search(r"\bbut\b|\bi'd\b|\bthough\b", text)
    ):
        return None
    if _ASKS_NOT.search(question):
        return _denied_choice(text, choices)
    if text.rstrip().endswith("?") or (len(choices) == 2 and re.match(r"\W*neither\b", text)):
        return None
    if all(choice.isdigit() for choice in choices):
        count = read_count(text, question)
        return count if count in choices else None
    is_none = none_of and re.search(r"\b(?:neither|none)\b", text)
    return _by_mention(text, choices, question) or (none_of[0] if is_none else None)


def _denied_choice(text: str, choices: Sequence[str]) -> str | None:
    """The choice that a reply denies, or names alone, where the question asks which one is not so."""
    named = [
        (clause, [choice for choice in choices if _pattern(choice).search(clause)])
        for clause in _BOTH_SIDES.split(text.strip(" .!"))
    ]
    denied = [found for clause, found in named if found and re.search(rf"{_NEGATION.pattern}|absent|missing", clause)]
    if not denied:
        return next((choice for choice in choices if _is_only(choice, text)), None)
    return denied[0][0] if all(found == denied[0] and len(found) == 1 for found in denied) else None


def _by_letter(text: str, choices: Sequence[str]) -> str | None:
    """The choice of a letter or an ordinal; empty where it is not sure, None where there is neither."""
    if any(len(choice) == 1 and choice.isalpha() for choice in choices):
        return None
    letters = _LETTER.match(text)
    if letters and not (letters["letter"] == "a" and re.match(r"^\W*a\s", text)):
        rest = letters["rest"]
        if re.match(r"^\(?(?!a )[a-z](?:[),.:\s]|$)", rest):
            return ""  # several letters
        index = ord(letters["letter"]) - ord("a")
        if index >= len(choices) or len(_LETTER_LINE.findall(text)) > 1:
            return ""
        mentions = _mentions(next(iter(split_sentences(rest)), ""), choices)
        return choices[index] if not mentions or choices[index] in mentions else ""
    ordinals = list(_ORDINAL.finditer(text))
    if len(ordinals) == 1 and not _NEGATION.search(text) and len(text.split()) < 12 and " out" not in text:
        place = ordinals[0]["number"] or ordinals[0]["place"]
        index = len(choices) - 1 if place == "last" else int(place) - 1 if place.isdigit() else _ORDINALS.index(place)
        return choices[index] if index < len(choices) else ""
    named = {match["letter"] for match in _NAMED_LETTER.finditer(text)} | set(
        re.findall(r"(?:^|[.!?] )([a-z])[.!]?$", text)
    )
    concluding = _CORRECT_LETTER.search(text)
    if concluding and (index := ord(concluding[1]) - ord("a")) < len(choices):
        return choices[index]
    if len(named) == 1 and (index := ord(named.pop()) - ord("a")) < len(choices) and not _mentions(text, choices):
        return choices[index]
    return None


_LETTER_LINE = re.compile(r"(?:^|\n)\s*\(?[a-h][).:]\s")


def _by_mention(text: str, choices: Sequence[str], question: str) -> str | None:
    sentences = split_sentences(text)
    corrections = [index for index, sentence in enumerate(sentences) if CORRECTION.search(sentence)]
    if corrections:
        last = sentences[corrections[-1]]
        place = list(CORRECTION.finditer(last))[-1].end()
        sentences = [*([last[place:]] if last[place:].strip(" ,:") else []), *sentences[corrections[-1] + 1 :]]
    for sentence in reversed(sentences):
        if _CONCLUDES.search(sentence) and (choice := _choice_of(sentence, choices, question)):
            return choice
    asked = set(_asked_stems(question, choices))
    if sentences and asked and asked <= set(map(stem, _WORD.findall(sentences[0]))):
        named = _mentions(sentences[0], choices)
        if len(named) == 1 and (choice := _choice_of(sentences[0], choices, question)):
            return choice  # the rest describes it
    chosen = [choice for sentence in sentences if (choice := _choice_of(sentence, choices, question))]
    if len(set(chosen)) <= 1:
        return chosen[0] if chosen else None
    # A first sentence that is nothing but a choice outweighs remarks about the rest.
    return next((choice for choice in choices if _is_only(choice, sentences[0])), None)


def _is_only(choice: str, text: str) -> bool:
    """Whether a text says a choice and nothing else."""
    match = _pattern(choice).search(text)
    return bool(match and not text[match.end() :].strip(" .!") and _LEAD.fullmatch(text[: match.start()]))


def _choice_of(sentence: str, choices: Sequence[str], question: str) -> str | None:
    """The one choice that a sentence affirms."""
    if re.search(r"\bone\b.*\bother\b", sentence) and len(_mentions(sentence, choices)) > 1:
        return None
    sentence = re.sub(r"\bi(?:'d| would) (?:call|say|describe)\b", "", sentence)
    sentence = re.sub(r",? (?:even (?:if|though)|although|though|despite)\b.*", "", sentence)
    if any(hedge[0] not in " ".join(choices).lower() for hedge in _HEDGES.finditer(sentence)):
        likelier = [
            part for part in re.split(r"[,;]|\bbut\b", sentence) if _LIKELIER.search(part) and not _HEDGES.search(part)
        ]
        sentence = likelier[0] if len(likelier) == 1 else ""
    mentions = _mentions(_CLAUSE_END.split(sentence.strip(" ,.:"))[0], choices) or _mentions(sentence, choices)
    all_mentions = _mentions(sentence, choices)
    if len(mentions) == 1 < len(all_mentions) and not _is_only(mentions[0], _CLAUSE_END.split(sentence)[0]):
        mentions = all_mentions
    if len(mentions) > 1 and not _NEGATION.search(sentence):
        if apart := _by_comparison(sentence, choices, question) or _by_clause(sentence, choices, question):
            return apart
        mentions = [] if _COMPARES.search(question.lower()) and not _COMPARES.search(sentence) else mentions
    if len(mentions) > 1:
        ordered = sorted(mentions, key=lambda choice: _place(choice, sentence))
        head = re.split(r"\b(?:set in|carrying|with|in a|next to|beside|on a)\b", sentence)[0]
        mentions = [ordered[0]] if _mentions(head, choices) == [ordered[0]] else []
    if len(mentions) == 1:
        mentions = [_longer(mentions[0], sentence, choices)]
        return mentions[0] if _is_in_order(mentions[0], sentence, choices, question) else None
    if not mentions and (which := _THE_ONE.search(sentence)) and not _NEGATION.search(sentence):
        named = [choice for choice in choices if which[1] in choice.lower().split()]
        return named[0] if len(named) == 1 else None
    if (
        not mentions
        and len(choices) == 2
        and re.match(r"^\W*(?:it|they|he|she|this|that)(?:'s| is| are|'re)?(?:n't| not) (?:\w+ ){0,2}\w+$", sentence)
    ):
        denied = _mentions(_NEGATION.sub(" ", sentence), choices)
        return next(choice for choice in choices if choice != denied[0]) if len(denied) == 1 else None
    return None


def _by_comparison(sentence: str, choices: Sequence[str], question: str) -> str | None:
    """The choice that is more so than the other: "The box is taller than the bag", or shorter."""
    than, asked = _THAN.match(sentence), set(_asked_stems(question, ()))
    if than is None:
        return None
    first, second = _mentions(than["first"], choices), _mentions(than["second"], choices)
    degree = stem(than["degree"])
    if len(first) != 1 or len(second) != 1 or first == second:
        return None
    if degree in asked:
        return first[0]
    return second[0] if OPPOSITES.get(degree, set()) & asked and len(choices) == 2 else None


def _by_clause(sentence: str, choices: Sequence[str], question: str) -> str | None:
    """The choice of the clause that speaks of what the question asks about, where the others do not."""
    asked = set(_asked_stems(question, choices))
    ranked = sorted(
        ((len(asked & {stem(word) for word in _WORD.findall(part)}), part) for part in _NEXT_CLAUSE.split(sentence)),
        reverse=True,
    )
    if len(ranked) < 2 or ranked[0][0] <= ranked[1][0] or ranked[0][0] * 2 < len(asked):
        return None
    mentions = _mentions(ranked[0][1], choices)
    return mentions[0] if len(mentions) == 1 else None


def _asked_stems(question: str, choices: Sequence[str]) -> list[str]:
    """The stems of a question without those of its choices."""
    in_choices = {stem(word) for option in choices for word in _WORD.findall(option.lower())}
    stems = (stem(word) for word in _WORD.findall(question.lower()) if len(word) > 2 and word not in _FUNCTION)
    return [word for word in dict.fromkeys(stems) if word not in in_choices or word in ("left", "right")]


def _longer(mention: str, sentence: str, choices: Sequence[str]) -> str:
    """The longer choice whose words are all in the clause of a mention: "dark blue" in "a dark shade of blue"."""
    clause = next((part for part in _CLAUSE_END.split(sentence) if _pattern(mention).search(part)), "")
    words = set(_WORD.findall(clause)) if not _NEGATION.search(clause) else set()
    longer = [choice for choice in choices if mention in choice and set(choice.lower().split()) <= words]
    return max(longer, key=len, default=mention)


def _place(choice: str, sentence: str) -> int:
    match = _pattern(choice).search(sentence)
    return match.start() if match else len(sentence)


def _is_in_order(choice: str, sentence: str, choices: Sequence[str], question: str) -> bool:
    """Whether the sentence names things in the question's order: "B is larger than A" does not say that A is larger."""
    nouns = _asked_stems(question, choices)
    place = _place(choice, sentence)
    before, after = (
        {stem(word) for word in _WORD.findall(part)} for part in (sentence[:place], sentence[place + len(choice) :])
    )
    following = _WORD.findall(sentence[place + len(choice) :])[:1]
    if nouns and following and stem(following[0]) == nouns[0]:
        return True  # "in his left hand" where the question asks which hand
    return not (nouns and nouns[0] in after and nouns[0] not in before and before & set(nouns[1:]))


_FUNCTION = frozenset(
    "the and are was were does did has have what which who how this that than there with for from its".split()
)


@lru_cache(maxsize=10_000)
def _pattern(choice: str) -> re.Pattern[str]:
    """A choice in a lower-case text, with any ending: wood in wooden, boys in boy."""
    words = re.sub(r"^(?:an?|the) ", "", choice.lower()).split() or [choice.lower()]
    if len(words) == 1 and (alike := SAME_WORDS.get(stem(words[0]))):
        return re.compile(rf"(?<!\w)(?:{_inflected(words[0])}|{'|'.join(map(re.escape, sorted(alike)))})(?!\w)")
    if len(words) == 2 and words[1] == "one" and words[0] in (*_ORDINALS, "last", "left", "right"):
        words = words[:-1]  # "the second picture" for "second one"
    parts = [re.escape(word) if len(word) < 4 or not word.isalpha() else _inflected(word) for word in words]
    if len(words) > 1 and (alike := SAME_WORDS.get(stem(words[0]))):
        parts[0] = rf"(?:{parts[0]}|{'|'.join(map(re.escape, sorted(alike)))})"
    return re.compile(r"(?<!\w)" + r"[\s-]*".join(parts) + r"(?!\w)")


def _inflected(word: str) -> str:
    base = word.removesuffix("s") if not word.endswith("ss") else word
    base = re.sub(r"(?<=\w{4})(?:ed|ing)$", "", base)
    base = re.escape(base.removesuffix("e") if len(base) > 4 else base)
    return rf"{base}(?:e?s|e|en|e?d|ing|y|-\w+)?"


def _mentions(text: str, choices: Sequence[str]) -> list[str]:
    """The choices that a text mentions and does not negate; a longer choice hides a shorter one within it."""
    mentions, rest = [], text
    for choice in sorted(choices, key=len, reverse=True):
        pattern = _pattern(choice)
        clauses = (
            _CLAUSE_END.split(rest[: match.start()])[-1]
            for match in pattern.finditer(rest)
            if not _DENIED.match(rest, match.end())
        )
        if any(_NEGATION.search(clause) is None for clause in clauses):
            mentions.append(choice)
        rest = pattern.sub("\0", rest)
    return mentions
