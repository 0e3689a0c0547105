"""A sentence laid beside an open question: what it says beyond the words of the question is the answer."""

import re
from functools import lru_cache
from itertools import pairwise

from .trimming import COVERED, ENDING, KEEPS_PLACE, LONGEST_PHRASE, SIGNS, trim_phrase
from .words import COLORS, stem

WORD = re.compile(r"[^\W_]+(?:['.&:/-][^\W_]+)*")
COPULA = (
    r"(?:(?:is|are|was|were|'s|'re|would be|must be|may be|should be|has been|have been|looks? like|looks? to be|looks?"
    r"|seems? to be|appears? to be|seems?|appears?|resembles?)\b)"
)
_NEW_CLAUSE = re.compile(r"\s*,(?! (?:there|we|you|i|is|are|it|this|that)\b)", re.IGNORECASE)
_POSTMODIFIER = re.compile(
    r"^\s*(?:(?:in|on|at|of|for|from|by|with|to|shown|displayed|seen|visible|highlighted|located|marked|listed)\b[^,;]*?"
    r"|one|option|choice|item)(?<!that)(?<!which)(?<!who)(?<!there)(?<!it) (?:is|are|was|were|(?:seems?"
    r"|appears?) to be) ",
    re.IGNORECASE,
)
_LOOKS = re.compile(r"\b(?:looks?|seems?|appears?) (?!like\b|to\b|an?\b|as\b)", re.IGNORECASE)
_AT = re.compile(r"\s*(?:in|on|at|above|over|behind|near|next|under|below|beside|by|between|across)\b", re.IGNORECASE)
_CATEGORY = re.compile(
    r"\W*(?:(?:in|on|at|from|to|of|for|with|by) )?(?:what|which)\s+(?:(?:kind|type|sort|item|piece|form|style) of )?"
    r"(?P<words>(?!is\b|are\b|was\b|were\b|do|can\b|has\b|have\b|will\b|should\b)\w+"
    r"(?: \w+(?= (?:is|are|was|were|does|do|did|can|has|have|in|on)\b))?)",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"\W*what(?:'s| is| are) the (?P<words>\w+) of (?:the|this|that|these|his|her)\b", re.IGNORECASE
)
_CATEGORY_OF = re.compile(
    r"\W*(?:what|which) (?:\w+ of )?\w+ (?:is|are) (?:the|his|her) [\w' ]{2,30}\?*$", re.IGNORECASE
)
_NOT_NEEDED = frozenset(
    map(
        stem,
        "here shown name like called image picture scene photo look see show seen visible feel represented"
        " depicted displayed pictured featured present".split(),
    )
)
_LEAD_END = re.compile(
    r"(?:\s*\b(?:generally|often|usually|typically|considered|known|can be|being|is|are|was|were|could be|does|do|has"
    r"|have|in|on|at|the|a|an|can|be|seen|visible|shown|found|(?:appears?|seems?)(?: to be)?"
    r"|to|right|directly|just|had|hangs?|stands?|sits?|lies|rests?|lying|sitting|standing|located|parked|placed|his|her|its))+\s*$",
    re.IGNORECASE,
)
DENIED = re.compile(r"\b(?:not|no|nobody|nothing|none|never|n't|cannot|\w+n't)\b", re.IGNORECASE)
_QUESTION_WORDS = frozenset("what which who whom whose where when why how".split())
_FUNCTION = _QUESTION_WORDS | frozenset(
    "the a an is are was were be been being do does did has have had can could will would this that these those "
    "it its of "
    "to and there he she they his her their kind type sort you doing in on at with by for from".split()
)
PLACE_QUESTION = re.compile(
    r"\W*what(?:'s| is| are) (?:stuck |placed |located |hanging |lying |sitting |standing )?"
    r"(on|in|behind|next|beside|under|above|below|near|inside|at|to the)\b",
    re.IGNORECASE,
)
_PRESENTS = re.compile(
    rf"^[\s,]*(?:belongs? to\b|(?:we|you|one|i) (?:can )?sees?|there(?='|\b)|stands?|hangs?|sits?"
    rf"|lies)?\s*{COPULA}?\s*",
    re.IGNORECASE,
)


_AFTER_NOUN = re.compile(
    rf"\s*(?:{COPULA}|[\"'(:,\u2013\u2014-]|(?:an?|the|his|her|its|their|\d+)\b|(?:in|on|at|of|for|from|by|with|to|as|into|over"
    r"|under|near|behind|that|which|who|there|we|you|i|it|says?|reads?|has|have|had|can|will|\w+ing|\w+ed|holds?|contains?"
    r"|shows?|wears?|uses?|belongs?|does|did|down|up|out|straight|directly)\b)",
    re.IGNORECASE,
)
_FRONTED = re.compile(
    r"^(?:in|on|at|for|during|by|among|of|according to|based on)\b[^,]{2,60}, (?!(?:there|which|who|where|and)\b)",
    re.IGNORECASE,
)
_IS_THE = re.compile(r"\s(?:is|are|was|were|has|have|had)(?: (?:the|by far|clearly|also))*\s*$", re.IGNORECASE)
_ASKS_SUBJECT = re.compile(
    r"\W*(?:who (\w+)|(?:which|what) (?!is\b|are\b|was\b|were\b|do|did\b|can\b|has\b|have\b)\w+ (\w+)(?: (\w+))?"
    r"|what (?:is|are|was|were) the (?:\w+est|most|least|first|second|third|last|only|main)\b)",
    re.IGNORECASE,
)
_WHICH_DOES = re.compile(
    r"\W*(?:which|what) (?!is\b|are\b|was\b|were\b|do|did\b|can\b)(?:[\w'-]+ ){1,3}?"
    r"(?P<verb>is|are|was|were|has|have|can|(?!this|his|its)\w+s) (?P<next>[\w-]+)",
    re.IGNORECASE,
)
_HOW_IS = re.compile(
    r"\W*how (?:is|are|was|were|does|do|(?:would|can) you describe) (?:the|this|that|his|her) (?P<noun>[\w-]+)",
    re.IGNORECASE,
)
_PREDICATE_END = re.compile(r",| (?:when|as|because|while|since|where|(?:in|on) (?:the|this)) ")
_NO_SUBJECT = re.compile(
    r"(?:it|this|that|these|those|he|she|they|there|here|what|which|in|on|at|of|for|from|with|by"
    r"|the (?:answer|one)|(?:the|an?)$)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=20_000)
def question_stems(question: str) -> frozenset[str]:
    """The stems of the words that mean something."""
    return frozenset(stem(word) for word in WORD.findall(question.lower()) if word not in _FUNCTION)


def align(sentence: str, question: str) -> str | None:
    """What a sentence says beyond the words of the question: after them, or before them."""
    asked = question_stems(question)
    if _ASKS_SUBJECT.match(question):
        sentence = _FRONTED.sub("", sentence)
    if not asked or DENIED.search(sentence):
        return None
    if named := _doer(sentence, question):
        return named
    words = list(WORD.finditer(sentence))
    known = [stem(word[0].lower()) in asked for word in words]
    if not any(known):
        return None
    # A word that comes again is of the answer: "The shelf near the toilet holds toilet paper".
    stems = [stem(word[0].lower()) for word in words]
    last = max(index for index, is_known in enumerate(known) if is_known and stems[index] not in stems[:index])
    category = _CATEGORY.match(question)
    if category and last + 1 == len(words) and stems[last] == stem(category["words"].lower().split()[-1]):
        earlier = [index for index in range(last) if known[index] and stems[index] not in stems[:index]]
        last = earlier[-1] if earlier else last  # "parking on a blue spot"
    first = known.index(True)
    content = {stem(word[0].lower()) for word, is_known in zip(words, known, strict=True) if is_known}
    needed = needed_stems(question)
    if category and _LOOKS.search(sentence):
        return None  # how it looks is not of what kind it is
    is_after = last + 1 < len(words) and not _NEW_CLAUSE.match(sentence, words[last].end())
    place = PLACE_QUESTION.match(question)
    is_placed = place and re.match(rf"{place[1]} the (?:\w+ )?\w+,? (?:there|we|you|i)\b", sentence, re.IGNORECASE)
    if len(content & needed) < min(len(needed), 1 if is_placed else 2) or (
        len(needed) == 1 and is_after and not _names_thing(sentence, question)
    ):
        return None
    if first and (named := _subject(sentence, words, known, stems, question)):
        return named if len(named.split()) <= LONGEST_PHRASE + 2 else None
    is_noun = last > 0 and words[last - 1][0].lower() in ("the", "a", "an", "this", "his", "her", "its", "their")
    if is_after:  # "The man is holding | a red umbrella"
        rest = _POSTMODIFIER.sub(" ", sentence[words[last].end() :], count=1)
        rest = re.sub(r"^\s*(?:down|up|out|straight|directly) (?=(?:at|on|to|into)\b)", " ", rest)
        lead = _LEAD_END.sub("", sentence[: words[first].start()])
        if re.match(r"an? ", lead, re.IGNORECASE) and _AT.match(rest) and not KEEPS_PLACE.search(question):
            return trim_phrase(lead, question)  # "A painting | is hanging on the wall above the couch"
        if (
            _ASKS_SUBJECT.match(question)
            and re.match(r"\s*(?:with|at|by|from|followed)\b", rest)
            and not ENDING.search(question)
        ):
            return None  # more of what the question says
        if category and stems[-1] == stem(category["words"].lower().split()[-1]):
            rest = re.sub(r"^\s*(?:has|have|had)\b", "", rest)  # "The table | has an oval shape"
        is_between = any(not known[place] and words[place][0].lower() not in _FUNCTION for place in range(first, last))
        if is_between and _AT.match(rest) and not KEEPS_PLACE.search(question) and not ENDING.search(question):
            return None  # "a serious expression | on his face"
        if is_noun and not _AFTER_NOUN.match(rest):
            return None  # "The sandwich | costs $5"
        return None if re.match(r"\s*(?:and|or)\b", rest) else trim_phrase(_PRESENTS.sub(" ", rest, count=1), question)
    lead = _PRESENTS.sub("", sentence[: words[first].start()], count=1)
    if not _LEAD_END.sub("", f" {lead}").strip():
        lead = _between(sentence, words, known)
    return trim_phrase(_LEAD_END.sub("", lead.strip()), question)


def _subject(sentence: str, words: list[re.Match[str]], known: list[bool], stems: list[str], question: str) -> str:
    """What a sentence is about, where the question asks for that: "China | has the largest population by far"."""
    places = [place for place, is_known in enumerate(known) if is_known]
    while len(places) > 1 and re.search(r"\b[A-Z]\w+ [A-Z]$", sentence[: words[places[0]].start() + 1]):
        places = places[1:]  # a name goes on: the Empire State | Building
    first, lead = places[0], sentence[: words[places[0]].start()]
    verb = _IS_THE.search(lead)
    asks = _ASKS_SUBJECT.match(question)
    if verb is None and not (asks and stems[first] in {stem(word.lower()) for word in asks.groups() if word}):
        return ""
    subject = (lead[: verb.start()] if verb else lead).strip()
    is_name = asks and subject and not _NO_SUBJECT.match(subject) and "," not in subject
    return subject if is_name and not SIGNS.search(subject) else ""


def _doer(sentence: str, question: str) -> str:
    """Who or what does as asked, named beside its noun: "The stool on the left | has a vase"."""
    asks = _WHICH_DOES.match(question)
    does = f"{asks['verb']} {asks['next']}" if asks else ""
    match = asks and re.match(
        rf"(?P<doer>(?:the|an?|[A-Z][\w-]*)(?: [\w'-]+){{0,6}}?) {does}\b", sentence, re.IGNORECASE
    )
    is_named = match and not question_stems(match["doer"]) <= question_stems(question)
    return str(match["doer"]) if match and is_named and not SIGNS.search(match["doer"]) else ""


def read_predicate(sentence: str, question: str) -> str | None:
    """What a sentence says of the thing that a question with "how" is about: "The weather was | rainy | that day".

    >>> read_predicate("The weather appears to be clear, as it casts shadows.", "How is the weather in the image?")
    'clear'
    """
    asks = _HOW_IS.match(question)
    of_noun = (
        rf"(?:the|this|that|his|her|its) (?:[\w-]+ ){{0,2}}?{re.escape(asks['noun'] if asks else '')}\b[^,.;]{{0,30}}?"
    )
    match = asks and re.match(rf"{of_noun} {COPULA} (?P<rest>.+)", sentence, re.IGNORECASE)
    rest = _PREDICATE_END.split(match["rest"], maxsplit=1)[0] if match else ""
    is_short = 0 < len(rest.split()) <= LONGEST_PHRASE
    return rest if is_short and not DENIED.search(rest) and not SIGNS.search(rest) else None


def _between(sentence: str, words: list[re.Match[str]], known: list[bool]) -> str:
    """The words between those of the question: "The girl is wearing | a pink hat | on her head"."""
    gaps = [
        sentence[words[index].end() : words[following].start()]
        for index, following in pairwise([index for index, is_known in enumerate(known) if is_known])
    ]
    filled = [gap for gap in gaps if any(word.lower() not in _FUNCTION for word in WORD.findall(gap))]
    is_sure = len(filled) == 1 and re.search(
        r"\b(?:in|on|at|to|of|with|from)(?: (?:the|an?|his|her|its|their))?\s*$", filled[0]
    )
    return re.sub(r"^\s*(?:has|have|had)\b", "", _PRESENTS.sub("", filled[0], count=1)) if is_sure else ""


@lru_cache(maxsize=20_000)
def needed_stems(question: str) -> frozenset[str]:
    """The stems of a question that its answer repeats: not the category that it asks for."""
    category = _CATEGORY.match(question) or _ATTRIBUTE.match(question)
    asked = question_stems(question)
    named = {stem(word) for word in category[0].lower().split()} if category else set()
    heads = {stem(category["words"].lower().split()[-1])} if category else asked
    return frozenset(asked - _NOT_NEEDED - named or heads)


def _names_thing(sentence: str, question: str) -> bool:
    """Whether a sentence that repeats one word of the question goes on to what was asked: not "The table is brown"."""
    if re.match(r"(?:in|on|behind|there)\b", sentence, re.IGNORECASE) or COVERED.search(sentence):
        return True
    if re.match(r"\W*(?:in|on|at|from|to|of|for|with|by) (?:what|which)\b", question, re.IGNORECASE):
        return True
    if not re.match(r"(?:the|this|that|these|his|her|their|its)\b", sentence, re.IGNORECASE):
        return False
    category = _CATEGORY.match(question)
    if category and stem(category["words"].split()[-1].lower()) in {
        stem(word.lower()) for word in WORD.findall(sentence)
    }:
        return True
    if PLACE_QUESTION.match(question) or (category and not _CATEGORY_OF.match(question)):
        return False
    return category is None or sentence.lower().split()[-1] not in COLORS
