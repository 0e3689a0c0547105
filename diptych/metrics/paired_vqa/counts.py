"""The count that a reply gives of what the question asks about."""

import re
from difflib import get_close_matches
from functools import lru_cache

from .sentences import CORRECTION, REFUSAL, UNSURE, marked_answers, split_sentences
from .words import FOREIGN_NUMBERS, NUMBER, NUMBERS, number_value, stem

_EDGES = re.compile(r"^[^\w+]+|[^\w+]+$")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")

COUNT_QUESTION = re.compile(r"\bhow many\b|\b(?:number|count) of\b", re.IGNORECASE)
"""What a question that asks for a count holds."""

_VAGUE = re.compile(
    r"\b(?:at least|at most|more than|less than|fewer than|(?:over|under|up to|between) (?=\d|two|three|four"
    r"|five|six|seven|eight|nine|ten|a)|a few"
    r"|several|many|lots?|plenty|numerous|countless|various"
    r"|dozens|hundreds|thousands|multiple|some|or more|maybe|perhaps|possibly|beaucoup|a lot)\b"
    r"|\d\s*(?:-|–|/|~)\s*\d"
    r"|\b(?!next |close |due )\w+,? (?:or|to) (?:\d+|two|three|four|five|six|seven|eight|nine|ten)\b|\d\+|\?"
)
_SHARE = re.compile(
    r"\b(?:half|most|a third|a quarter|some) of (?:the |these |those |his |her )?"
    rf"(?!one\b|1\b)(?:\d+|{'|'.join(NUMBERS)})\b"
)
_AND_THERE = re.compile(
    rf"\band (?:\d+|{'|'.join(NUMBERS)}) (?:more |others? )?(?:on|in|at|behind|under) (?:the|its|his|her)\b"
)
_OUT_OF = re.compile(
    r"(?<!total )\b(?:out )?of (?:the |these |those |all )?(?:\w+ )?(?:\d+|two|three|four|five|six|seven|eight|nine"
    r"|ten) [a-z]+(?: [a-z]+){0,4}?,\s*"
)
_TOTAL = re.compile(
    r"\b(?:total(?:ing|s|led)?(?: of)?|altogether|in all|in total|that is|giving|(?:(?:that|this|which|it) )?makes?"
    r"|making|leaves?|leaving"
    r"|equals?|sum of|hence|so|therefore|thus|count:?)\b"
)
_CONTRAST = re.compile(r"\b(?:rather than|instead of|not|\w+n't) (?:(?:being|the|an?) )?(\w+)")
_AT_THE_END = re.compile(r"(?:in total|altogether|in all)\W*")
_EACH = re.compile(
    rf"\b(?:\d+|{'|'.join(NUMBERS)}) (?:\w+ )?(?:(?:on|in|at|for|per) )?(?:each|either|per)\b|\beach (?:pair|couple)\b"
)
_CONCESSION = re.compile(
    r",? (?:although|though|even though) [^.;]*|,? but [^,.;]*\b(?:hard|difficult|tricky|obscured|hidden)\b[^.;]*"
)
_NO_COUNT = re.compile(
    r"\b(?:no one|nobody|nothing|none|not a single|zero|without(?: any)?"
    r"|no(?! (?:other|more|further|additional)\b)|aren't any|isn't any|not any"
    r"|don't see any|are not any)\b"
)
_NUMBER_AND_NOUN = re.compile(r"(\d{1,4}|[a-z]{3,9}) ([a-z]{3,20})")
_HAS_NUMBER = re.compile(rf"\d|\b(?:{'|'.join(NUMBERS)})\b")
_AFTER_COUNT = frozenset("of in on at visible her ther here there total them can ar are is and wear but".split())
_NO_NOUNS = frozenset(
    "maybe plus few dozen hundred thousand million more least most hours percent point half and but".split()
)
_IN_IMAGE = re.compile(
    r"^\W*(?:in|from|based on|according to|looking at) (?:the|this) (?:image|picture|photo|scene|chart"
    r"|graph)(?: provided)?, "
)
_GUESS = re.compile(
    r"\bi(?:'d| would| can)? (?:say|guess|estimate|count|see)\b(?!.*\bmore\b)|\bbest (?:guess|estimate)\b|\bbut\b"
)
_THERE_ARE = re.compile(
    r"there (?:is|are) (?:only |exactly |a total of )?(?P<number>\w+) (?P<noun>[a-z]+)"
    r"(?: of [a-z]+)?(?: (?:visible|shown|present))?(?: in (?:the|this) (?:image|picture|photo|scene))?(?=$|,| one\b)"
)
_ADDS = re.compile(
    r"\b(?:more|another|additional|total|altogether|in all|actually|wait|also|rather|instead|at least|not"
    r"|plus|besides|each)\b|\bthere (?:is|are) .*\bthere (?:is|are)\b"
    rf"|,? and (?:an?|\d+|{'|'.join(NUMBERS)}) (?!is)"
)
_OUT_OF_ALL = re.compile(r"^\W*(?:out of|of|among) [^,?]{3,60}, (?=how many\b)", re.IGNORECASE)
_NEAR = 80  # how many letters after a number may belong to it
_OF_THEM = re.compile(r" of (?:the|these|those|them|his|her|its|their)\b")
_SUBJECT_ONE = re.compile(
    r"\bone (?:can|could|may|might|sees)\b|\b(?:no|that|this|each|every|which|right|left|first|second|other) one\b"
    r"|\bone(?='s)"
)
_STOP = frozenset(
    "how many of the a an are is was were do does did can could be there in at to have has you see this that these "
    "those number count what and or with it its his her their any by for from total picture image photo visible "
    "shown".split()
)
_COUNTED = re.compile(
    r"\bhow many (?P<words>[\w' -]+?)(?= (?:are|is|was|were|do|does|did|can|could|have|has|will|would"
    r"|in|on|at|of|with|there)\b|\W*$)"
)
_OF_TOTAL = re.compile(
    rf",? (?:out of (?:a total of |the |all )?|of (?:the|these|those|all) )(?:\d+|{'|'.join(NUMBERS)})\b[^,;:]*"
)
_PARTS = re.compile(rf",? (\d+|{'|'.join(NUMBERS)}) of (?:whom|which|them)\b.*")
_COUNTED_LIST = re.compile(r"(?:i (?:can )?(?:count|see)|there (?:is|are)) (?:only |exactly )?([\w-]+)(?: in total)?: ")
_YEARS = re.compile(r"\b(?:from|between) \d{4} (?:to|and|until) \d{4}\b")
_SCALE = re.compile(r"\d (hundred|thousand|million|billion|trillion|percent)\b")
_GROUPS_OF = re.compile(rf"\b(\w+) (?!of\b)(\w+s) (?:of|with) (\d+|{'|'.join(NUMBERS)})\b(?! (?:or|to)\b)")
_AND_MORE = re.compile(
    rf"(?<!the )\b(?:(?:\d+|{'|'.join(NUMBERS)}|some|several) (?:more|others)|another(?: one)?)\b(?! \w+ than)"
)
_AND_ONE = re.compile(r"\ban? (?:\w+ )?\w+ and\b|\band an? ")
_BOTH = re.compile(r"\bboth (?:of the |the )?(\w+)")
_VERB = re.compile(r"\b(?:is|are|was|were|has|have)\b")
_ARTICLE = re.compile(
    r"\b(?:an?|another) (?=(?:[\w-]+ ){0,2}?(?P<noun>[\w-]+)(?: (?:and|in|on|at|with|standing|sitting)\b|\W*$|,))"
)


@lru_cache(maxsize=20_000)
def question_stems(question: str) -> tuple[str, ...]:
    """The stems of what a question asks about, the first ones first."""
    return tuple(stem(word) for word in _WORD.findall(question.lower()) if word not in _STOP)


_NONE_OF_SEVERAL = re.compile(
    rf"\b(?:neither|none|not (?:one|all)) of (?:the|these|those|his|her|their|its) (?:\d+|{'|'.join(NUMBERS)})\b"
)


def read_count(text: str, question: str = "") -> str | None:
    """The count that an unwrapped reply gives, in digits; None where it is vague or not the count of what is asked.

    >>> read_count("2 dogs", "How many dogs are there?"), read_count("two or three"), read_count("None.")
    ('2', None, '0')
    """
    question = _OUT_OF_ALL.sub("", question)
    lowered = _CONCESSION.sub("", text.lower().strip())
    bare = _EDGES.sub("", lowered).removeprefix("x").removeprefix("only ").removeprefix("just ")
    if number := whole_number(bare):
        return number
    if (short := _NUMBER_AND_NOUN.fullmatch(bare)) and not _HAS_NUMBER.search(question.lower()):
        value = short[1] if short[1].isdigit() else str(NUMBERS.get(short[1], FOREIGN_NUMBERS.get(short[1], "")))
        if value and short[2] not in _NO_NOUNS:
            return value
    for answer in reversed(marked_answers(lowered)):
        return _count_in(answer, question)
    if lowered.endswith("?") or REFUSAL.search(lowered) or (UNSURE.search(lowered) and not _GUESS.search(lowered)):
        return None
    if _NONE_OF_SEVERAL.search(lowered) or _SHARE.search(lowered):
        return None  # "neither of the two": two of which nothing is so, or nothing of the kind
    lowered = _IN_IMAGE.sub("", lowered)
    sentences = split_sentences(re.sub(r"^\W*(?:sure|certainly|great question)\W+(?:here's the count:)?", "", lowered))
    if plain := _plain_count(sentences, question):
        return plain
    sentences = [sentence for sentence in sentences if not re.match(r"one (?:is|was|has|of)\b", sentence)] or sentences
    is_list = re.search(r"(?:^|\n)\s*2[.)]\s", text)
    if len(sentences) > 1 and not is_list and not CORRECTION.search(lowered) and whole_number(sentences[0]):
        return whole_number(sentences[0])
    counts = [_count_in(sentence, question) for sentence in sentences]
    corrections = [index for index, sentence in enumerate(sentences) if index and CORRECTION.search(sentence)]
    start = corrections[-1] if corrections else 0
    later = [count for count in counts[start:] if count is not None]
    if not later and corrections:
        return None
    if len(counts) > 2 and counts[-1] and sum(int(count) for count in counts[:-1] if count) == int(counts[-1]):
        return counts[-1]  # two on the left, one on the right: three
    if len(set(_full_counts(counts, sentences, question))) > 1:
        return None
    if later and (_TOTAL.match(sentences[-1]) or whole_number(_EDGES.sub("", sentences[-1]))) and counts[-1]:
        return counts[-1]
    if len(set(later)) > 1:
        # Of several, the count in a sentence that speaks of all that the question asks.
        later = _full_counts(counts, sentences, question)
    return later[0] if len(set(later)) == 1 else None


def _plain_count(sentences: list[str], question: str) -> str | None:
    """The count of a first clause that says "There are two cats", where the rest only describes them."""
    nouns = counted_nouns(question)
    there = _THERE_ARE.match(sentences[0]) if sentences and nouns and nouns[-1:] != ("and",) else None
    number = whole_number(there["number"]) if there else None
    if there is None or number is None or stem(there["noun"]) != nouns[0] or _ADDS.search(" ".join(sentences)):
        return None
    return number if set(question_stems(question)) <= set(map(stem, _WORD.findall(there[0]))) else None


def _full_counts(counts: list[str | None], sentences: list[str], question: str) -> list[str]:
    """The counts of the sentences that hold every word of the question."""
    stems = question_stems(question)
    asked = set(stems[1:] if len(stems) > 1 and _OF_THEM.search(" ".join(sentences)) else stems)
    rows = zip(counts, sentences, strict=True)
    return [count for count, text in rows if count and asked <= {stem(word) for word in _WORD.findall(text)}]


def whole_number(text: str) -> str | None:
    """The digits of a text that is nothing but a number, in digits, words or another language."""
    match = NUMBER.fullmatch(text)
    if match:
        return number_value(match).removesuffix(".0")
    if text in FOREIGN_NUMBERS:
        return str(FOREIGN_NUMBERS[text])
    if text.isalpha() and 3 < len(text) < 9:
        typos = [word for word in NUMBERS if sorted(word) == sorted(text)] or get_close_matches(text, NUMBERS, 1, 0.9)
        return str(NUMBERS[typos[0]]) if typos and typos[0] != "forty" else None
    return None


def _count_in(sentence: str, question: str) -> str | None:
    """The count that one lower-case sentence gives."""
    subject, nouns = question_stems(question), counted_nouns(question)
    is_negated = re.search(r"\bnot\b|n't\b", question)
    if not is_negated and any(stem(match[1]) in subject[1:] for match in _CONTRAST.finditer(sentence)):
        return None  # "in an enclosure rather than free"
    text = _SUBJECT_ONE.sub(" ", re.sub(r"(?<=\w )\([^()]{1,200}\)", " ", sentence))
    if correction := list(CORRECTION.finditer(text)):
        text = text[correction[-1].end() :]
    if number := whole_number(_EDGES.sub("", text)):
        return number
    for match in NUMBER.finditer(text):
        if _OF_THEM.match(text, match.end()) and not _VAGUE.search(text):
            is_part = text.startswith(" of them", match.end()) and NUMBER.search(text[: match.start()])
            words = set(map(stem, _WORD.findall(text[match.end() :]))) if is_part else set()
            if not is_part or words & set(subject) - set(nouns[-1:]):  # not "three ducks, one of them asleep"
                return number_value(match)
    ending = re.search(r"[=:]\s*(\w+)\W*$", text)
    if ending and (number := whole_number(ending[1])):
        is_label = re.match(r"[^:=]{1,40}[:=]\s*\w+$", text) and "total" not in text
        return _labeled(text, question) if is_label else number
    if (listed := _COUNTED_LIST.match(text)) and (number := whole_number(listed[1])):
        return number  # "I count 3: one above the sofa and two by the door"
    if (part := _PARTS.search(text)) and set(map(stem, _WORD.findall(part[0]))) & set(subject) - set(nouns[-1:]):
        return whole_number(part[1])  # "five apples, three of which are red" where red ones are counted
    text = _YEARS.sub(" ", _PARTS.sub("", _OF_TOTAL.sub("", _EACH.sub(" ", _OUT_OF.sub(" ", text)), count=1)))
    if nouns and " and " in text and NUMBER.search(text):
        text = _ARTICLE.sub(lambda match: "1 " if stem(match["noun"]) == nouns[-1] else match[0], text)
    text = text.replace("up to ", "") if re.search(r"\b(?:can|could)\b", question.lower()) else text
    if (scale := _SCALE.search(text)) and scale[1] not in question.lower():
        return None
    groups = _GROUPS_OF.search(text)
    if groups and (size := whole_number(groups[1])) and (each := whole_number(groups[3])):
        return size if stem(groups[2]) in nouns[-1:] else str(int(size) * int(each))
    if (both := _BOTH.search(text)) and stem(both[1]) in nouns[-1:] and not _HAS_NUMBER.search(text):
        return "2"
    if any(vague[0] not in question.lower() for vague in _VAGUE.finditer(text)):
        return None
    if _AND_THERE.search(text) and len(NUMBER.findall(text)) == 2:
        return None  # six on the front and two on the side
    asked_numbers = [number_value(match) for match in NUMBER.finditer(question.lower())]
    matches = [match for match in NUMBER.finditer(text) if match["word"] not in ("both", "nothing", "nobody", "none")]
    numbers = [
        match for match in matches if number_value(match) not in asked_numbers or text[: match.start()].endswith("all ")
    ]
    if "and" in nouns and len(numbers) > 1 and not _TOTAL.search(text):
        is_each = len(numbers) == 2 and all(set(nouns) & set(_noun_phrase(text, number)) for number in numbers)
        return str(sum(int(number_value(number)) for number in numbers)) if is_each else None
    if _AND_MORE.search(text) and numbers and not _TOTAL.search(text):
        return None  # one here and two more there
    if len(numbers) > 1:
        return _resolve(text, numbers, subject, nouns)
    if not numbers:
        return _count_without_number(text, subject, asked_numbers)
    if _AND_ONE.search(text) and not set(nouns[-1:]) & set(_noun_phrase(text, numbers[0])):
        return None  # "a man and two women" where people are counted
    return number_value(numbers[0]) if _is_counted(text, numbers[0], subject) else None


def _labeled(text: str, question: str) -> str | None:
    """The number of "dogs: 2", if dogs are what is counted."""
    label, _, number = text.rpartition(":" if ":" in text else "=")
    words, subject = {stem(word) for word in _WORD.findall(label)}, question_stems(question)
    is_asked = words & set(subject) or not subject or not words - {"count", "number", "total", "i"}
    return whole_number(_EDGES.sub("", number)) if is_asked else None


def _is_counted(text: str, number: re.Match[str], subject: tuple[str, ...]) -> bool:
    """Whether a number counts what the question asks about, and not something else."""
    near = re.split(r"[,;:(]", text[number.end() : number.end() + _NEAR])[0]
    following = [stem(word) for word in _WORD.findall(near)[:3]]
    if not following or not subject or set(following) & set(subject[:3]) - {"on"}:
        return True
    before = {stem(word) for word in _WORD.findall(text[: number.start()])}
    if following[0] in _AFTER_COUNT:
        return True
    if len(_WORD.findall(text)) <= 3:
        return True  # "1 person" for surfers
    return bool(before & set(subject[:2])) and following[0] not in ("o'clock", "year", "pm", "am")


@lru_cache(maxsize=20_000)
def counted_nouns(question: str) -> tuple[str, ...]:
    """The stems of what a question counts, its noun last.

    >>> counted_nouns("How many gold medals did Norway win?")
    ('gold', 'medal')
    """
    counted = _COUNTED.search(question.lower())
    return tuple(map(stem, counted["words"].split())) if counted else ()


def _resolve(text: str, numbers: list[re.Match[str]], subject: tuple[str, ...], nouns: tuple[str, ...]) -> str | None:
    """One of several numbers: the total, or the only one that counts what the question asks about, or their sum."""
    totals = list(_TOTAL.finditer(text))
    if totals and _AT_THE_END.fullmatch(text[totals[-1].start() :]):
        return number_value(numbers[-1])
    if totals:
        after = [number for number in numbers if number.start() >= totals[-1].start()]
        if len(after) == 1:
            return number_value(after[0])
    of_noun = [number for number in numbers if nouns and set(nouns) <= set(_noun_phrase(text, number))]
    if len(of_noun) > 1:
        ends = [*(number.start() for number in of_noun[1:]), len(text)]
        parts = [text[number.start() : end] for number, end in zip(of_noun, ends, strict=True)]
        shares = [len(set(map(stem, _WORD.findall(part))) & set(subject)) for part in parts]
        if shares.count(max(shares)) == 1:
            return number_value(of_noun[shares.index(max(shares))])
        is_list = all(text[: number.start()].endswith("and ") for number in of_noun[1:]) and ":" not in text
        is_sum = is_list and not _VERB.search(text, of_noun[-1].end())
        return str(sum(int(number_value(number)) for number in of_noun)) if is_sum else _only(of_noun)
    there = re.match(r"\W*there (?:is|are) (?:only |just |exactly )?", text)
    if there and numbers[0].start() == there.end():
        return number_value(numbers[0]) if _is_counted(text, numbers[0], subject) else _only(of_noun)
    return (
        _only(numbers)
        or _only(of_noun)
        or _only(
            [
                number
                for number in numbers
                if set(map(stem, _WORD.findall(text[number.end() : number.end() + _NEAR])[:2])) & set(subject[:2])
            ]
        )
    )


def _only(numbers: list[re.Match[str]]) -> str | None:
    """The value that all of some numbers have."""
    values = {number_value(number) for number in numbers}
    return values.pop() if len(values) == 1 else None


def _noun_phrase(text: str, number: re.Match[str]) -> list[str]:
    """The stems of the words that a number counts: up to the next preposition, verb, number or mark."""
    near = re.split(
        r"[,;:(]| (?:and|or|in|on|at|of|with|from|to|is|are|was|were|has|have|that|which|who|while)\b",
        text[number.end() : number.end() + _NEAR],
    )[0]
    return [stem(word) for word in _WORD.findall(near)[:4]]


def _count_without_number(text: str, subject: tuple[str, ...], asked_numbers: list[str]) -> str | None:
    words = [stem(word) for word in _WORD.findall(text)]
    if asked_numbers and re.match(r"^\W*all(?: of (?:them|these|those))?\W*$", text):
        return asked_numbers[0]
    for match in _NO_COUNT.finditer(text):
        following = {stem(word) for word in _WORD.findall(text[match.end() : match.end() + _NEAR])[:3]}
        if following & set(subject) or match[0] in ("nobody", "no one", "none") or len(words) <= 2:
            return "0" if len(_NO_COUNT.findall(text)) == 1 and not re.search(r"n't\b(?! any| see any)", text) else None
    singular = re.search(r"\bthere(?:'s| is) an? ([a-z]+(?: [a-z]+)?)", text)
    return "1" if singular and set(map(stem, singular[1].split())) & set(subject[:2]) and " and " not in text else None
