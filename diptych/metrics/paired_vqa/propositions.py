"""What a yes/no question asks, as the stems of its words, and the words that deny or doubt."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .words import COLORS, NUMBER, NUMBERS, number_value, stem

_AUXILIARY = re.compile(
    r"(?:^|[,:;(] ?|\band )(is|are|was|were|am|does|do|did|has|have|had|can|could|will|would|should|may)(n't)?\s+(.+)"
)

NEGATION = re.compile(
    r"\b(?:not|no(?! doubt)|none|never|nothing|nobody|nowhere|neither|nor|without|lacks?|free of|anything but"
    r"|lacking|fails? to|cannot|bereft|devoid|\w+n't)\b"
)

DOUBT = re.compile(
    r"\b(?:if|whether|might|may|could|would|should|must|maybe|perhaps|possibl[ey]|impression|illusion|perceived?"
    r"|perception"
    r"|asked|asking|question|think|thought|supposed|not (?:only|just|necessarily|exactly|quite|all)|or|to (?:see"
    r"|determine|"
    r"find|check)|except|unlike|instead|fake (?=\w)|almost|nearly|(?<!in )half|partly|partially|trying|about to|used to"
    r"|resembles?|reminiscent"
    r"|similar to|only (?:looks?|seems?|appears?))\b|\?|^(?:while|although|though|even though|despite|unless"
    r"|because|since|as if)\b"
)

_STOP = frozenset(
    """a an the there here this that these those it its he she they them his her their him i you we my your of to at for
    from by with and as be been being is are was were am do does did has have had having can will any some image picture
    photo photograph scene shown show shows showing visible visibly see sees seen saw count counted counting notice spot
    currently also indeed clearly actually really very just exactly definitely certainly appear appears seem seems
    seemingly look looks likely probably according based provided given which who get gets got in into inside located
    present contain contains depict depicts displayed one ones now still already overall therefore thus hence then
    sequence chart graph map kind type actual fact single of either me wide fully completely totally entirely
    quite pretty rather fairly considerably noticeably slightly significantly substantially visibly somewhat much
    particularly especially overly extremely evidently obviously apparently yet considered generally usually typically
    however reality""".split()
)

COMPARISON = re.compile(
    r"(?P<above>\b(?:above|over|more than|greater than|larger than|bigger than|higher than|exceeds?|past)\b|>)|"
    r"(?P<below>\b(?:below|under|less than|fewer than|smaller than|lower than)\b|<)|"
    r"(?P<least>\bat least\b|\breach(?:ed|es)?\b)|(?P<most>\bat most\b)"
)

PRONOUN = re.compile(
    r"^(?:it|he|she|they|the one|(?:his|her|its|their)(?= )"
    r"|(?:this|that|these|those)(?='| (?:is|are|was|were|does|do|did|has|have|had|can|will"
    r"|\w+s)\b)|(?:neither|none|both|all) of (?:them|these|those))(?:'s|'re)?\b"
)
"""A pronoun, or what stands for one, at the beginning of a clause."""

PERSON = stem("person")

_OPINION = re.compile(r"^you (?:think|believe|agree|say)(?: that)? ")
_QUOTED = re.compile(r"\"[^\"\n]{1,200}?\b(?:not|no|never)\b[^\"\n]{0,200}\"", re.IGNORECASE)
_MORE = re.compile(
    r"\b(?:\w{3,}er|more|less|fewer)\b.*\bthan\b|\bdifferen(?:t|ce)\b|\b(?:larger|bigger|smaller|longer|shorter|taller|higher)\b"
)

WORD = re.compile(r"\d+(?::\d+)+|[a-z0-9][a-z0-9'.]*[a-z0-9]|[a-z0-9]|[^\W\d_]+")

_SIDE = re.compile(r"\b(?:on|to|at) (?:the |its |his |her )?(left|right)(?:[- ]hand)?(?: side)?\b")

_WHETHER = re.compile(
    r"\bwhether ((?:there (?:is|are) )?[^,.?;]{3,120}?)(?: (?:appears?|is present)\b[^,.?;]*)?(?:[,.?;]|$)"
)

SUBJECT_PLACE = re.compile(
    rf"^((?:the|this|that|his|her|these|those) (?:[\w'-]+ )?[\w'-]+) (?:in|on|at|over|under|near|next to|behind"
    rf"|beside|by|with|above"
    rf"|below|in front of) (?:the|an?|his|her|this|their) (?:(?:{'|'.join(sorted(COLORS))}|left|right) )?[\w'-]+ (?=\w)"
)
"""A subject at the beginning of a clause, and what says where it is: the lamp on the desk."""

_EXISTENCE = re.compile(
    r"(?:there|person|thing)\b|(?:the|this) (?:image|picture|photo|scene) "
    r"(?:show|contain|depict|include|have|feature)\b"
)
_ON_IT = re.compile(r" (?:on|in|at|with) (?:it|him|her|them)$")
_PARTICLE = re.compile(r"\b(sit(?:s|ting)?|l(?:ie|ies|ying|aying)|stand(?:s|ing)?) (?:up|down)\b")
_GENITIVE = re.compile(
    r"\bthe (?!(?:side|top|front|left|right|middle|end|bottom|back|cent\w+|edge|corner|rest|number|east|west|north"
    r"|south)\b)"
    r"([a-z]+) of the ([a-z]+)"
)  # the battery of the phone

_UNLIKELY = re.compile(
    r"\bit(?:'s| is| seems| appears) (?:\w+ )?unlikely that |\bi (?:wouldn't|would not) say (?:that )?"
    r"|\bi (?:don't|do not) (?:think|believe) (?:that )?"
    r"|\bit (?:is|would)(?:n't| not)(?: be)? (?:accurate|correct|right|true) to (?:say|claim|conclude|state) (?:that )?"
    r"|\bit (?:is|would be) (?:inaccurate|incorrect|wrong|untrue) to (?:say|claim|conclude|state) (?:that )?"
)

_BEFORE_NUMBER = re.compile(r"\s*(?:the |an? |or equal to |about |around |roughly |exactly )?$")
_OF_CHART = re.compile(r" (?:of|in|on) the (?:pie |bar |line )?(?:chart|graph|map|diagram)\b(?! of)")
_WITHOUT = {"barefoot": "not wearing shoes", "clean-shaven": "not having a beard", "shirtless": "not wearing a shirt"}
_NO_SIGN = re.compile(r"\bthere(?:'s| is| are) no (?:reasons? to (?:think|believe)|indications?|signs?) (?:that )?")


@dataclass(frozen=True, slots=True)
class Proposition:
    """What a yes/no question asks, as stems in their order."""

    content: tuple[str, ...]
    is_negated: bool
    is_of_pronoun: bool  # whether it asks what "this" is
    is_comparison: bool  # whether it asks which is more, or whether things differ
    is_inside: bool  # whether it asks for something in a place
    number: float | None = None  # the number it asks about,
    relation: str = ""  # how that number is compared,
    noun: str = ""  # and what it counts
    doubts: frozenset[str] = frozenset()  # the words of doubt that the question itself holds
    is_existence: bool = False  # whether it asks if there is something, or anyone
    short: tuple[str, ...] = ()  # its stems without those that say where its subject is, or empty


@lru_cache(maxsize=20_000)
def proposition(question: str) -> Proposition | None:
    """What a yes/no question asks; None where it is no such question.

    >>> proposition("Are there two dogs in the yard?").content
    ('2', 'dog', 'yard')
    """
    question = _QUOTED.sub("quotation", question)  # what it quotes is not denied by it
    sentences = [
        part for part in re.split(r"(?<=[.!?])(?<!\b[a-z]\.)\s+|\n", question.lower().replace("’", "'").strip()) if part
    ]
    # Not what follows, such as "Please answer yes or no."
    asking = next((part for part in sentences if part.rstrip().endswith("?")), sentences[-1] if sentences else "")
    match = (
        _AUXILIARY.search(asking.rstrip(" ?.!")) if asking.rstrip().endswith("?") or "whether" not in question else None
    )
    clause = match[3] if match else next(iter(_WHETHER.findall(question.lower())), "")
    if not clause:
        return None
    rest = (
        _OPINION.sub("", simplify(_ON_IT.sub("", clause)))
        .removeprefix("it true that ")
        .removeprefix("it the case that ")
    )
    if re.search(r"\b(?:n?or)\b", rest):
        return None
    negations = NEGATION.findall(rest) + re.findall(r"\bfalse that\b", rest)
    rest = rest.removeprefix("it false that ")
    content = tuple(content_stems(NEGATION.sub(" ", rest)))
    number, relation, noun = _asked_number(rest)
    is_inside = re.search(r"\b(?:in|inside|into|within) (?:the|a|an|this|his|her) (?!image|picture|photo)", rest)
    of_pronoun = re.match(
        r"(?:this|that|it|these|those|he|she|they|there)\b(?!.*\bthat\b)", rest
    ) and not rest.startswith("there")
    flags = (
        len(negations) == 1,
        bool(of_pronoun)
        and not re.match(r"(?:this|that|these|those) (?!an?\b|the\b|in\b|on\b|look|seem|appear|\")", rest),
        bool(_MORE.search(rest)),
        bool(is_inside),
    )
    doubts = frozenset(doubt[0] for doubt in DOUBT.finditer(rest)) | ({"can"} if "can" in question.lower() else set())
    doubts |= {"fake "} if "real" in content else set()
    is_existence = _EXISTENCE.match(rest) is not None
    short = (
        tuple(content_stems(NEGATION.sub(" ", SUBJECT_PLACE.sub(r"\1 ", rest)))) if SUBJECT_PLACE.match(rest) else ()
    )
    return Proposition(content, *flags, number, relation, noun, doubts, is_existence, short)


def simplify(text: str) -> str:
    """A text with one wording for sides, sameness and the number of a known set."""
    text = re.sub(r"\b(?:nobody|no one)\b", "no person", text.replace("nothing", "no thing"))
    text = re.sub(r"\b(?:any|some)(?:one|body)\b", "person", re.sub(r"\b(?:any|some)thing\b", "thing", text))
    text = _SIDE.sub(
        r"\1",
        text.replace("positive sequence", "sequence")
        .replace("based on", "based")
        .replace("looks like", "looks")
        .replace("look like", "look"),
    )
    text = re.sub(r"\b(?:the )?colou?r of (?=the |this |his |her )", "", re.sub(r" the colou?r (?=\w+$)", " ", text))
    text = re.sub(r"\bno existence of\b", "no", _NO_SIGN.sub("not ", _UNLIKELY.sub("not ", text)))
    text = re.sub(r"\bcompared (?:to|with)\b", "than", text)
    text = re.sub(r"\b(?:looking|facing|turned) away from\b", "not facing", _OF_CHART.sub("", text))
    text = re.sub(r"\b(?:barefoot|clean-shaven|shirtless)\b", lambda match: _WITHOUT[match[0]], text)
    text = re.sub(
        r"\bright (?=(?:beside|next|in|at|on|behind|above|under|by|near|after|before|there|here)\b)", "", text
    )
    text = re.sub(r"\blook(?:s|ing)? (?:straight |directly )?(?:at|towards?|into)\b", "facing", text)
    text = _GENITIVE.sub(r"\2 \1", _PARTICLE.sub(r"\1", text))
    text = re.sub(r"\bas (\w+) as (?:each other|one another)\b", "the same", text)
    return re.sub(r"\b(the|these|those|both|(?<!total )of) (?:two|three|four|five)\b", r"\1", text)


def _asked_number(text: str) -> tuple[float | None, str, str]:
    numbers = list(NUMBER.finditer(text))
    if len(numbers) > 1 and (last := list(COMPARISON.finditer(text))):
        numbers = [number for number in numbers if 0 <= number.start() - last[-1].end() <= 1]
    if len(numbers) != 1 or numbers[0]["word"] in ("both", "none", "nothing", "nobody", "single"):
        return None, "", ""
    before, after = text[: numbers[0].start()], text[numbers[0].end() :]
    comparisons = [match for match in COMPARISON.finditer(before) if _BEFORE_NUMBER.match(before, match.end())]
    if numbers[0]["word"] == "one" and not comparisons and not re.search(r"\b(?:only|just|exactly) $", before):
        return None, "", ""
    relation = str(comparisons[-1].lastgroup) if comparisons else ""
    nouns = list(content_stems(after)) or list(content_stems(" ".join(re.findall(r"\bnumber of (\w+)", before))))
    return float(number_value(numbers[0])), relation, nouns[0] if nouns else ""


def content_stems(text: str) -> Iterator[str]:
    """The stems of the words that mean something, with numbers in digits."""
    return (base for base, _ in placed_stems(text))


def placed_stems(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The stems of the words that mean something, each with its place in the text with numbers in digits."""
    for match in WORD.finditer(NUMBER.sub(_digits, text)):
        word = match[0].removesuffix("'s").removesuffix("'re")
        if word not in _STOP and (base := stem(word)) not in _STOP:
            yield base, match


def _digits(match: re.Match[str]) -> str:
    word = match["word"]
    return number_value(match) if word in NUMBERS or word is None else match[0]


def relation_of(clause: str) -> str | None:
    """How a clause compares a number: as one of the relations, `equal`, or not at all."""
    relations = {str(match.lastgroup) for match in COMPARISON.finditer(clause)}
    if len(relations) == 1:
        return relations.pop()
    return "equal" if re.search(r"=|\bequals?\b|\bexactly\b", clause) else None
