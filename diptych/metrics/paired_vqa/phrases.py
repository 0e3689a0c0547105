"""The answer phrase of a reply to an open question: a short phrase itself, or what a sentence adds to the question."""

import re
from collections.abc import Set
from functools import partial

from .alignment import COPULA, DENIED, PLACE_QUESTION, WORD, align, needed_stems, question_stems, read_predicate
from .frames import read_framed, read_role
from .sentences import CORRECTION, LEADS_TO, REFUSAL, UNSURE, marked_answers, split_sentences
from .trimming import EDGES, ENDING, KEEPS_PLACE, SIGNS, is_bare, is_plain_phrase, trim_phrase
from .words import BARE_WORDS, COLORS, stem

_FILLER = re.compile(
    r"^(?:(?:in|from) (?:the|this) (?:(?:provided|given|\w+ scan) ){0,2}(?:image|picture|photo|photograph|scene)[,:]?"
    r"|(?:well|so|sure|certainly|okay|hence|therefore|thus)\b[,.!]?"
    rf"|{LEADS_TO}"
    r"|(?:based on|according to|judging (?:by|from)|from|given) (?:[^.]{1,150}, (?=(?:it|this|that|he|she|they|i)\b)"
    r"|[^,]{1,100},)|of (?:these|those|them|the two),|from what i can see,"
    r"|from (?:left|right|top|bottom|front|back) to \w+,"
    r"|(?:it(?:'s| is)|i(?:'m| am)) [^,]{0,40}\b(?:certain|sure|say|tell|clear)\b[^,]{0,30}, but"
    r"|my (?:best )?(?:guess|estimate) (?:is|would be)(?: that)?"
    r"|as far as i can (?:see|tell),?|if i'm not mistaken,?"
    r"|i(?:'d| would) (?:say|guess|call it|go with)(?: that)?|i(?:'m| am) (?:fairly |pretty |quite "
    r"|almost )?(?:sure|certain|confident)(?: that)?"
    r"|i (?:think|believe|guess|suppose|assume)(?: that)?|i (?:can )?(?:see|spot|notice)|looks? like"
    r"|seems? (?:to be|like)|appears? to be|probably|most likely|likely|possibly"
    r"|(?:you|we|one) can see|(?:the|this) (?:image|picture|photo|scene) (?:shows|depicts|features)|(?:its|his"
    r"|her|their)(?= ))\s*",
    re.IGNORECASE,
)
_ADVERB_INSIDE = re.compile(
    r"(?<=\s)(?<!most )(?:therefore|thus|hence|clearly|probably|most likely|likely|apparently"
    r"|definitely|indeed|currently) (?=\w)",
    re.IGNORECASE,
)
_OF_NOUN = re.compile(
    r"\b(?:is|are|was|were|do|does|did|can) (?:this|these|that|those) \w+ (?:\w+ed|used|made|\w+ing)\b", re.IGNORECASE
)
_BUT = re.compile(r"\bbut\b|\bi'd\b", re.IGNORECASE)
_EQUALS = re.compile(r"=\s*([$€£]?-?[\d.,]*\d)\W*$")
_NO_PHRASE = re.compile(
    r"(?:the one$|and|or|compared|than|for|due|as follows|you|we|to (?:find|determine|calculate|solve|answer"
    r"|see))\b",
    re.IGNORECASE,
)
_WHO = re.compile(r"\W*who\b", re.IGNORECASE)
_NOBODY = re.compile(r"(?:there(?:'s| is) )?(?:no one|nobody|no person)\b(?! (?:else|other|but|except))", re.IGNORECASE)
_PLACE_ASKED = re.compile(r"\W*where\b", re.IGNORECASE)
_TITLE = re.compile(r"\b(?:is|was) [\"“]")
_WHY = re.compile(r"\W*why\b", re.IGNORECASE)
_BECAUSE = re.compile(r"[^.\n]{0,80}?\bbecause (?:of )?([^,;.\n]{3,80})", re.IGNORECASE)
_LINK = re.compile(r" (?:of|for|from|to|by) (?=\w)| (?=(?:an?|the|his|her|some|their)\b)")
_ARTICLES = frozenset(("the", "a", "an", "this", "that", "his", "her"))
_LONGEST_REASON = 8  # words
_REASON = re.compile(r"(?:for|to|as|because|so|in order|due)\b", re.IGNORECASE)
_EXPLAINS = re.compile(
    r",? (?:because|since)\b.*$|, (?:as (?:it|he|she|they|there|one|you|the|can|seen|shown|indicated|suggested)"
    r"|given|judging"
    r"|based on|considering|going by|which|where|while|i(?:'d| would)? (?:guess|think|say|believe|suppose))\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_HAS_ON = re.compile(r"\bha(?:s|ve) ((?:[\w-]+ ){1,5}?)on(?=\W*$|,)", re.IGNORECASE)
_YEAR_QUESTION = re.compile(r"\W*(?:(?:in )?(?:what|which) year|when)\b", re.IGNORECASE)
_DATE = re.compile(
    r"\b(?:early|late|mid|century|\d{3}0s)\b"
    r"|[a-z] (?:\d{1,2}(?:st|nd|rd|th)?,? )?(?<!in )(?<!from )(?<!since )(?:1\d|20)\d\d",
    re.IGNORECASE,
)
_AMOUNT_QUESTION = re.compile(
    r"\bwhat (?P<percent>percent|percentage|share|proportion)\b|\b(?P<price>price of|does .{2,40} cost)\b"
    r"|\W*(?P<much>how much)\b",
    re.IGNORECASE,
)
_AMOUNTS = {
    "percent": re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?: ?%| percent\b)", re.IGNORECASE),
    "much": re.compile(r"[$€£] ?\d[\d,]*(?:\.\d+)?(?! (?:million|billion))"),
    "price": re.compile(r"[$€£] ?\d[\d,]*(?:\.\d+)?(?! (?:million|billion))"),
}
_CLOSED_QUESTION = re.compile(r"\W*(?:what|which) (day|month|season)\b", re.IGNORECASE)
_CLOSED = {
    "day": re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE),
    "month": re.compile(
        r"\b(?:january|february|(?-i:March|May)|april|june|july|august|september|october|november|december)\b",
        re.IGNORECASE,
    ),
    "season": re.compile(r"\b(?:spring|summer|autumn|fall|winter)\b", re.IGNORECASE),
}
_YEAR = re.compile(r"(?<![\w.,$])(?:1[0-9]|20)\d\d(?![\w%])")
_TIME_QUESTION = re.compile(r"\W*(?:at )?what time\b", re.IGNORECASE)
_TIME = re.compile(r"(?<![\d:])\d{1,2}:\d\d(?: ?[ap]\.?m\b)?", re.IGNORECASE)
_CATEGORY_OF_THIS = re.compile(
    r"\W*(?:what|which) [\w ]{2,30} (?:is|was)(?: (?:this|it|that|shown)\b|\W*$)", re.IGNORECASE
)
_SUGGESTS = re.compile(
    r"\b(?:suggests?|indicates?|points? to)(?: that)?(?: (?:it|this|that)(?:'s| is))? ((?:an? |the )?[\w' -]{3,40})$",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“]([^\"”\n]{1,60})[\"”]")
_TEXT_QUESTION = re.compile(
    r"\b(?:say|says|read|reads|written|words?|text|title|letters?|characters?|spell|brand|name|logo|sign|street|plate"
    r"|number)\b",
    re.IGNORECASE,
)
_SAYS = re.compile(r"\b(?:says?|reads?|spells?)\s+(?:out\s+)?\"?([^\".]{1,60})\"?\W*$", re.IGNORECASE)
_LEADS_ON = re.compile(
    r"^(?:among(?:st)?|out of|of (?:these|those|all|the)|based on|given|according to|judging)\b", re.IGNORECASE
)
_DENIES = re.compile(r"\w\s+(?:is|are|was|were|does|did|has|have|can|could)(?:n't| not)\b", re.IGNORECASE)
_CONCLUDES = re.compile(r"(?:so|therefore|thus|hence|in conclusion|in summary|overall)\b", re.IGNORECASE)
_AROUND = re.compile(
    r"^(?:(?:a game of|about|almost|approximately) |no\. ?(?=\d))|,? (?:most likely|probably|i (?:think|guess"
    r"|believe|suppose)|i'd say|likely)\W*$",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"^(?:es|est|ist|c'est|un|une|una|ein|eine|el|der|das|les|los)\s|^[^a-z0-9]*[^\x00-\x7f][^a-z0-9]*$", re.IGNORECASE
)  # not English: unread
_ITEM = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s*")
_POSSESSIVE = re.compile(
    r"\b(?!it'|that'|he'|she'|there'|this'|what'|here'|who'|which'|one'|let')(\w+)'s (?=\w)", re.IGNORECASE
)
_NOT_BUT = re.compile(r"\b(is|are|was|were)(?:n't| not) (?:just )?[^,;.]{1,40}?,? but (?:rather )?", re.IGNORECASE)
_SUBJECT_PLACE = re.compile(
    r"((?:is|are) (?:the|this|that|these|those) (?:\w+ )?\w+) ((?:in|on|at|with|near|behind|next to|under) (?:the"
    r"|an?) (?:\w+ )?\w+ )"
    r"(?=\w+ing\b)",
    re.IGNORECASE,
)
_OWNS = "\u02bcs"  # an apostrophe that is part of its word
_SUBJECT = re.compile(
    r"^(?:(?:it|they|he|she)(?=\s|')|(?:this|that|these|those)(?='|\s+(?:is|are|was|were|looks?|appears?|seems?|would"
    r"|must|may|should|has|have|resembles?)\b))",
    re.IGNORECASE,
)
_THERE_IS = re.compile(r"there(?:'s| is| are| appears? to be| seems? to be)\s+(?=\S)", re.IGNORECASE)
_SHORT_ANSWER = re.compile(r"^(?P<subject>.{2,40}?)\s+(?:is|are|does|do|did|was|were|has|can)$", re.IGNORECASE)


_PREAMBLE = re.compile(
    r"^\W*(?:please )?(?:(?:can|could) you )?(?:please )?(?:tell me|say|name|identify) "
    r"(?=what|which|who|where|when|why|how)",
    re.IGNORECASE,
)
_IN_IMAGE = re.compile(
    r"(?<=[\w\"]),? (?:(?:shown|visible|seen|depicted|featured|pictured|present) )?(?:in|from) (?:the|this) "
    r"(?:image|picture|photo(?:graph)?|scene|figure|map|chart|graph|diagram|video)\b(?! of)",
    re.IGNORECASE,
)


def read_phrase(text: str, question: str = "") -> str | None:
    """The answer phrase of an unwrapped reply to an open question, or None where none is sure.

    >>> read_phrase("The man is holding a red umbrella.", "What is the man holding?")
    'a red umbrella'
    >>> read_phrase("I can't tell."), read_phrase("red umbrella")
    (None, 'red umbrella')
    """
    if is_bare(text) and (not question or text.rstrip(".! ").lower() not in BARE_WORDS):
        return text.rstrip(".! ")
    question = _IN_IMAGE.sub("", _PREAMBLE.sub("", question))
    if (place := _SUBJECT_PLACE.search(question)) and question_stems(place[2]).isdisjoint(question_stems(text)):
        question = question.replace(place[2], "")
    text = _NOT_BUT.sub(r"\1 ", text)
    text = _POSSESSIVE.sub(partial(_owner, asked=question_stems(question)), text)
    if is_plain_phrase(text) and not _repeats(text, question):
        phrase = EDGES.sub("", _AROUND.sub("", text))
        is_answer = phrase and not any(sign.search(phrase) for sign in (UNSURE, REFUSAL, _FOREIGN, _DENIES))
        return phrase.replace(_OWNS, "'s") if is_answer and not (question and phrase.lower() in BARE_WORDS) else None
    text = _HAS_ON.sub(r"is wearing \1", text) if "wear" in question else text
    answer = _read_text(re.sub(r"\s*\([^()]{1,200}\)", "", _IN_IMAGE.sub("", text)), question)
    return answer.replace(_OWNS, "'s") if answer else None


def _owner(noun: re.Match[str], asked: Set[str]) -> str:
    """A noun before an apostrophe: of what the question names, "is"; of anything else, its owner."""
    return f"{noun[1]} is " if stem(noun[1].lower()) in asked else f"{noun[1]}{_OWNS} "


def _read_text(text: str, question: str) -> str | None:
    """The answer phrase of whole sentences, or of the lines of a list."""
    marked = list(dict.fromkeys(answer.lower() for answer in marked_answers(text)))
    if marked:
        return read_phrase(marked[-1], question) if len(marked) == 1 and marked[0] != text.lower() else None
    if REFUSAL.search(text) or UNSURE.search(_BUT.split(text)[-1]):
        return None
    if _TIME_QUESTION.match(question) and len(times := set(_TIME.findall(text))) == 1:
        return str(times.pop())
    if (amount := _AMOUNT_QUESTION.search(question)) and not DENIED.search(text):
        amounts = set(map(str.strip, _AMOUNTS[amount.lastgroup or ""].findall(text)))
        if amounts or not amount["much"]:
            return amounts.pop() if len(amounts) == 1 else None
    closed = _CLOSED_QUESTION.match(question)
    if closed and not DENIED.search(text) and len(named := set(_CLOSED[closed[1].lower()].findall(text))) == 1:
        return str(named.pop())
    if (
        _YEAR_QUESTION.match(question)
        and not _DATE.search(text)
        and len(years := set(_YEAR.findall(text)) - set(_YEAR.findall(question))) == 1
    ):
        return str(years.pop())
    lines = [_ITEM.sub("", line).strip() for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and all(is_plain_phrase(line) and len(line.split()) < 4 for line in lines):
        return ", ".join(lines[:-1]) + " and " + lines[-1]
    if _TEXT_QUESTION.search(question) and len(quoted := _QUOTED.findall(text)) == 1:
        return str(quoted[0]).strip(" .,")
    if _WHY.match(question) and (reason := _BECAUSE.match(text)):
        return str(reason[1]).strip() if len(reason[1].split()) <= _LONGEST_REASON else None
    answer = _without_asked(_read_sentences(split_sentences(text), question), question)
    if answer is None or (_WHY.match(question) and not _REASON.match(answer)):
        return None
    if re.match(r"\W*where\b", question, re.IGNORECASE) and answer.lower() in COLORS:
        return None
    is_part = _NO_PHRASE.match(answer) and not _WHY.match(question) and not ENDING.search(question)
    return None if is_part or _LEADS_ON.match(answer) or _DENIES.search(answer) else answer


def _without_asked(answer: str | None, question: str) -> str | None:
    """An answer without the words of the question that it begins with: "hit | a ball", "the flag of | Canada"."""
    words = list(WORD.finditer(answer or ""))
    first = next((word for word in words if word[0].lower() not in _ARTICLES), None)
    if answer is None or first is None or first is words[-1] or not first[0].islower():
        return answer
    asked = needed_stems(question)
    following = _LINK.match(answer, first.end())
    return answer[following.end() :] if following and stem(first[0]) in asked else answer


def _repeats(text: str, question: str) -> bool:
    """Whether a text is a sentence that repeats the question: "The dog wants a bone."."""
    stems, words = question_stems(question), [word for word in WORD.findall(text.lower()) if word not in _ARTICLES]
    shared = len(stems & question_stems(text))
    is_about = shared == 1 and len(words) > 2 and stem(words[0]) in stems and words[1] != "of"  # "The cake costs $5"
    return (len(text.split()) > 3 and shared > 1) or is_about


def _is_long_phrase(sentence: str, question: str) -> bool:
    """Whether a sentence is a noun with what describes it, and no more: "A crown made out of daisies"."""
    phrase = trim_phrase(sentence, question) if re.match(r"(?:an?|the|some) ", sentence, re.IGNORECASE) else None
    is_short = phrase is not None and len(phrase.split()) <= (3 if phrase.lower().startswith("the ") else 4)
    is_phrase = is_short and not SIGNS.search(sentence) and not _repeats(sentence, question)
    return is_phrase and question_stems(phrase or "").isdisjoint(question_stems(question))


def _read_sentences(sentences: list[str], question: str) -> str | None:
    corrections = [index for index, sentence in enumerate(sentences) if CORRECTION.search(sentence)]
    if corrections:
        last = sentences[corrections[-1]]
        rest = last[list(CORRECTION.finditer(last))[-1].end() :].strip(" ,:")
        return _read_sentence(rest, question) if rest else None
    if sentences and is_plain_phrase(sentences[0]) and len(sentences) > 1 and not sentences[0].isdigit():
        return read_phrase(sentences[0], question)
    if sentences and _is_long_phrase(sentences[0], question):
        return trim_phrase(sentences[0], question)
    for sentence in reversed(sentences):
        is_about_asked = question_stems(sentence) & question_stems(question)
        if is_about_asked and (equal := _EQUALS.search(sentence)):
            return str(equal[1])
        if is_about_asked and sentence != sentences[0] and _CONCLUDES.match(sentence):
            return _read_sentence(sentence, question) or read_role([sentence], question)
    if _WHO.match(question) and any(_NOBODY.match(sentence) for sentence in sentences):
        return "no one"
    if any(_denies_asked(sentence, question) for sentence in sentences):
        return None
    if _PLACE_ASKED.match(question):
        sentences = [sentence for sentence in sentences if not _TITLE.search(sentence)]
    if (framed := read_framed(sentences, question)) is not None:
        return framed or None
    phrases = [phrase for sentence in sentences if (phrase := _read_sentence(sentence, question))]
    aligned = [
        phrase
        for sentence in sentences
        if not _is_presented(sentence, question)
        and not _SUBJECT.match(sentence)
        and (phrase := align(_strip_filler(sentence), question))
    ]
    chosen = aligned or phrases or [phrase for sentence in sentences if (phrase := read_predicate(sentence, question))]
    if not chosen:
        return read_role(sentences, question)
    return chosen[0] if len({phrase.lower() for phrase in chosen}) == 1 else None


def _denies_asked(sentence: str, question: str) -> bool:
    """Whether a sentence denies what the question takes for granted: "The dog isn't chasing anything"."""
    asked = needed_stems(question)
    is_enough = len(asked) > 1 or " doing" in question
    return bool(DENIED.search(sentence)) and is_enough and asked <= question_stems(sentence)


def _is_presented(sentence: str, question: str) -> bool:
    """Whether a sentence says what there is at the place that the question asks about."""
    return bool(_THERE_IS.match(sentence) and PLACE_QUESTION.match(question))


def _strip_filler(sentence: str) -> str:
    sentence = _ADVERB_INSIDE.sub("", sentence)
    for _ in range(3):
        shorter = _FILLER.sub("", sentence, count=1).strip()
        if shorter == sentence:
            break
        sentence = shorter
    return sentence


def _read_sentence(sentence: str, question: str) -> str | None:
    """The answer phrase of one sentence."""
    body = _strip_filler(sentence)
    body = body if _WHY.match(question) else _EXPLAINS.sub("", body) or body
    if not body or DENIED.search(body):
        return None
    if is_plain_phrase(body) and not _repeats(body, question):
        return trim_phrase(body, question if body != sentence else "")
    if body != sentence and _CATEGORY_OF_THIS.match(question) and _is_long_phrase(body, question):
        return trim_phrase(body, question)  # "The image shows | a giraffe standing in a field"
    if _is_presented(body, question):
        return trim_phrase(_THERE_IS.sub("", body), question)
    if phrase := _after_pronoun(body, question) or align(body, question):
        return phrase
    if (suggested := _SUGGESTS.search(body)) and _CATEGORY_OF_THIS.match(question):
        return trim_phrase(suggested[1], question)
    if short := _SHORT_ANSWER.match(body):
        return None if _SUBJECT.match(body) or "answer" in body.lower() else str(short["subject"])
    if quotation := _SAYS.search(body):
        return trim_phrase(re.split(r" (?:in|on) ", quotation[1])[0]) if _TEXT_QUESTION.search(question) else None
    return None


def _after_pronoun(sentence: str, question: str) -> str | None:
    """X of "It is X" and "She is carrying X"."""
    subject = _SUBJECT.match(sentence)
    if subject is None or len(sentence.split()) > 14:
        return None
    asked = question_stems(question)
    if _OF_NOUN.search(question) and not KEEPS_PLACE.search(question):
        return None  # it may be what the question already names
    rest = sentence[subject.end() :]
    copula = re.match(rf"\s*{COPULA}\s*", rest, re.IGNORECASE)
    words = WORD.findall(rest[copula.end() :] if copula else rest)
    leading = 0
    while leading < len(words) - 1 and stem(words[leading].lower()) in asked:
        leading += 1
    if leading and leading < len(words) - 1 and words[leading].lower() in ("it", "them"):
        leading += 1
    if not copula and not leading:
        return None
    is_about_somebody = subject[0].strip().lower() in ("he", "she", "they")
    if (
        is_about_somebody
        and not leading
        and not re.search(r"\b(?:doing|why|who|how|where|job|occupation|profession)\b", question, re.IGNORECASE)
    ):
        return None
    rest = rest[copula.end() :] if copula else rest
    for _ in range(leading):
        rest = rest[WORD.search(rest).end() :]  # type: ignore[union-attr]
    return trim_phrase(rest, question)
