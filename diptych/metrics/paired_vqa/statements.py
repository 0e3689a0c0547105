"""Yes or no from a statement compared with the question: "There are three dogs." to "Are there two dogs?" is no.

A statement counts only where it repeats what the question asks, its opposite or its denial, a different number, or that
two things are the same where the question asks which is more. Everything else is left unread.
"""

import operator
import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from .comparisons import read_swapped
from .words import COLORS, NUMBER, NUMBERS, OPPOSITES, SIBLINGS, number_value, stem

_AUXILIARY = re.compile(
    r"(?:^|[,:;(] ?|\band )(is|are|was|were|am|does|do|did|has|have|had|can|could|will|would|should|may)(n't)?\s+(.+)"
)
_NEGATION = re.compile(
    r"\b(?:not|no(?! doubt)|none|never|nothing|nobody|nowhere|neither|nor|without|lacks?|free of|anything but"
    r"|lacking|fails? to|cannot|bereft|devoid|\w+n't)\b"
)
_DOUBT = re.compile(
    r"\b(?:if|whether|might|may|could|would|should|must|maybe|perhaps|possibly|impression|illusion|perceived?"
    r"|perception"
    r"|asked|asking|question|think|thought|supposed|not (?:only|just|necessarily|exactly|quite|all)|or|to (?:see"
    r"|determine|"
    r"find|check)|except|unlike|instead|fake (?=\w)|almost|nearly|half|partly|partially|trying|about to|used to"
    r"|resembles?|reminiscent"
    r"|similar to|only (?:looks?|seems?|appears?))\b|\?|^(?:while|although|though|even though|despite|unless"
    r"|because|since|as if)\b"
)
_CLAUSE_END = re.compile(
    r"[,;:()\u2013\u2014]\s|\s-+\s|\s(?:but|while|whereas|although|(?<!as )though|yet|because|since|so|unlike"
    r"|than\s+the\s+other)\s"
)
_STOP = frozenset(
    """a an the there here this that these those it its he she they them his her their him i you we my your of to at for
    from by with and as be been being is are was were am do does did has have had having can will any some image picture
    photo photograph scene shown show shows showing visible visibly see sees seen saw count counted counting notice spot
    currently also indeed clearly actually really very just exactly definitely certainly appear appears seem seems
    seemingly look looks likely probably according based provided given which who get gets got in into inside located
    present contain contains depict depicts displayed one ones now still already overall therefore thus hence then
    sequence positive chart graph map kind type actual fact single of either me wide fully completely totally entirely
    quite pretty rather fairly""".split()
)
_PRONOUN = re.compile(
    r"^(?:it|he|she|they|the one|(?:his|her|its|their)(?= )"
    r"|(?:this|that|these|those)(?='| (?:is|are|was|were|does|do|did|has|have|had|can|will"
    r"|\w+s)\b)|(?:neither|none|both|all) of (?:them|these|those))(?:'s|'re)?\b"
)
_SHORT = re.compile(
    r"^(?:it|he|she|they|i|we|this|that|these|those|there|one|both|all|some)\s?"
    r"(?:sure |certainly |definitely |indeed |really |clearly |also )?"
    r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|may|must|need|should|'s|'re|seems? to"
    r"|appears? to)(?: be)?"
    r"(?P<not>n't| not)?(?: be| have(?= one| any| it))?(?: indeed| actually| really| so| one| any"
    r"| either)?(?: with (?:her|him|them|it))?$"
)
_COMPARISON = re.compile(
    r"(?P<above>\b(?:above|over|more than|greater than|larger than|bigger than|higher than|exceeds?|past)\b|>)|"
    r"(?P<below>\b(?:below|under|less than|fewer than|smaller than|lower than)\b|<)|"
    r"(?P<least>\bat least\b)|(?P<most>\bat most\b)"
)
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "above": operator.gt,
    "below": operator.lt,
    "least": operator.ge,
    "most": operator.le,
    "": operator.eq,
}
_VAGUE_NUMBER = re.compile(
    r"\b(?:about|around|roughly|at least|at most|more than|less than|fewer than|over|under|up to) (?:\d"
    r"|[a-z]+(?:teen|ty)?\b)"
)
_EQUALS = re.compile(
    r"(?:\b(?:is|are|was|equals?|equal to)|=)\s*(?:exactly |only |actually |just )?(\d+(?:\.\d+)?)(?![\d:]|\.\d)"
)
_MORE = re.compile(
    r"\b(?:\w{3,}er|more|less|fewer)\b.*\bthan\b|\bdifferen(?:t|ce)\b|\b(?:larger|smaller|longer|shorter|taller)\b"
)
_WORD = re.compile(r"[a-z0-9][a-z0-9'.]*[a-z0-9]|[a-z0-9]|[^\W\d_]+")
_SIDE = re.compile(r"\b(?:on|to|at) (?:the |its |his |her )?(left|right)(?:[- ]hand)?(?: side)?\b")
_SAME, _DIFFERENT = stem("same"), stem("different")
_QUANTIFIERS = frozenset(map(stem, "all both every each only everyone everybody everything".split()))
_HAS_VERB = re.compile(
    r"\b(?:is|are|was|were|shows?|depicts?|appears?|seems?|looks?|be|have|has|had|does|do|did|can|will)\b|'s|'re|n't"
    r"|^$|^(?:not|no)\b"
)
_COLORS = frozenset(map(stem, COLORS))
_SHADES = frozenset(map(stem, "light dark pale bright deep solid mostly plain".split()))
_SPATIAL = frozenset(map(stem, "near next outside under above behind front left right between on".split()))
_LARGEST_GAP = 3
_KEPT = _QUANTIFIERS | set(OPPOSITES) | set(SIBLINGS)  # not the first part of a compound
_LEAD = re.compile(
    r"^(?:and|so|then|thus|hence|therefore|that means|it(?:'s| is) (?:very |most |highly )?likely(?: that)?|it is clear that|i can see that|it appears(?: that)?(?! to)"
    r"|it seems(?: that)?(?! to)|it would (?:seem|appear) that|here|also"
    r"|(?:all )?(?:of )?(?:this|that|these|which|it) (?:\w+ ){0,2}"
    r"(?:indicates?|means?|suggests?|shows?|confirms?) that)\s+"
)
_OTHER_THAN = re.compile(r",? (?:rather than|instead of|as opposed to|and not)(?P<rest> [^,;.\u2013\u2014]*)")
_NOT_ALL = re.compile(r"^(?:only|just (?:one|some)|not (?:all|every|both)|one of)\b")
_NOTHING_OF = re.compile(r"^(?:no|not|without)\b")
_THERE_IS_NO = re.compile(r"^there(?:'s| is| are) (?:no|not an?)\b")
_PART_OF = re.compile(r"\b(?:some|most|left|right|middle|front|others?) ")
_WHETHER = re.compile(r"\bwhether ((?:there (?:is|are) )?[^,.?;]{3,120}?)(?: (?:appears?|is present)\b[^,.?;]*)?(?:[,.?;]|$)")
_UNLIKELY = re.compile(
    r"\bit(?:'s| is| seems| appears) (?:\w+ )?unlikely that |\bi (?:wouldn't|would not) say (?:that )?"
    r"|\bi (?:don't|do not) (?:think|believe) (?:that )?"
)
_NO_SIGN = re.compile(r"\bthere(?:'s| is| are) no (?:reasons? to (?:think|believe)|indications?|signs?|evidence) (?:that )?")
_MEASURES = frozenset(map(stem, "size length height width color colour shape level distance brightness long tall".split()))
_HALF = re.compile(r"\bhalf[ -](?:full|empty)\b")
_HAS_ON = re.compile(
    r"\bha(?:s|ve) ((?:[\w-]+ ){1,5}?)on"
    r"(?=(?: (?:both|his|her|their|the))* (?:legs?|head|feet|hands?|knees?|face|arms?|wrists?|neck|eyes)\b|\W*$|,)"
)
_EMPTY, _PERSON = stem("empty"), stem("person")
_PEOPLE = frozenset(
    map(stem, "man woman boy girl child people player guy teenager worker couple rider skier surfer".split())
)


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


@lru_cache(maxsize=20_000)
def proposition(question: str) -> Proposition | None:
    """What a yes/no question asks; None where it is no such question.

    >>> proposition("Are there two dogs in the yard?").content
    ('2', 'dog', 'yard')
    """
    sentences = [part for part in re.split(r"(?<=[.!?])\s+|\n", question.lower().replace("’", "'").strip()) if part]
    # Not what follows, such as "Please answer yes or no."
    asking = next((part for part in sentences if part.rstrip().endswith("?")), sentences[-1] if sentences else "")
    match = _AUXILIARY.search(asking.rstrip(" ?.!")) if asking.rstrip().endswith("?") or "whether" not in question else None
    clause = match[3] if match else next(iter(_WHETHER.findall(question.lower())), "")
    if not clause:
        return None
    rest = _simplify(clause).removeprefix("it true that ").removeprefix("it the case that ")
    if re.search(r"\b(?:n?or)\b", rest):
        return None
    negations = _NEGATION.findall(rest) + re.findall(r"\bfalse that\b", rest)
    rest = rest.removeprefix("it false that ")
    content = tuple(_content(_NEGATION.sub(" ", rest)))
    number, relation, noun = _asked_number(rest)
    is_inside = re.search(r"\b(?:in|inside|into|within) (?:the|a|an|this|his|her) (?!image|picture|photo)", rest)
    of_pronoun = re.match(
        r"(?:this|that|it|these|those|he|she|they|there)\b(?!.*\bthat\b)", rest
    ) and not rest.startswith("there")
    flags = (
        len(negations) == 1,
        bool(of_pronoun) and not re.match(r"(?:this|that|these|those) (?!an?\b|the\b|in\b|on\b|\")", rest),
        bool(_MORE.search(rest)),
        bool(is_inside),
    )
    doubts = frozenset(doubt[0] for doubt in _DOUBT.finditer(rest)) | ({"can"} if "can" in question.lower() else set())
    return Proposition(
        content, *flags, number, relation, noun, doubts, bool(re.match(r"(?:there|person|thing)\b", rest))
    )


def _simplify(text: str) -> str:
    """A text with one wording for sides, sameness and the number of a known set."""
    text = re.sub(r"\b(?:nobody|no one)\b", "no person", text.replace("nothing", "no thing"))
    text = re.sub(r"\b(?:any|some)(?:one|body)\b", "person", re.sub(r"\b(?:any|some)thing\b", "thing", text))
    text = _SIDE.sub(r"\1", text.replace("based on", "based").replace("looks like", "looks").replace("look like", "look"))
    text = re.sub(r"\b(?:the )?colou?r of (?=the |this |his |her )", "", re.sub(r" the colou?r (?=\w+$)", " ", text))
    text = re.sub(r"\bno existence of\b", "no", _NO_SIGN.sub("not ", _UNLIKELY.sub("not ", text)))
    text = re.sub(r"\bcompared (?:to|with)\b", "than", text)
    text = re.sub(r"\bas (\w+) as (?:each other|one another)\b", "the same", text)
    return re.sub(r"\b(the|these|those|both|of) (?:two|three|four|five)\b", r"\1", text)


def _asked_number(text: str) -> tuple[float | None, str, str]:
    numbers = list(NUMBER.finditer(text))
    if len(numbers) > 1 and (last := list(_COMPARISON.finditer(text))):
        numbers = [number for number in numbers if 0 <= number.start() - last[-1].end() <= 1]
    if len(numbers) != 1 or numbers[0]["word"] in ("both", "none", "nothing", "nobody", "single"):
        return None, "", ""
    before, after = text[: numbers[0].start()], text[numbers[0].end() :]
    comparisons = list(_COMPARISON.finditer(before[-25:]))
    if numbers[0]["word"] == "one" and not comparisons and not re.search(r"\b(?:only|just|exactly) $", before):
        return None, "", ""
    relation = str(comparisons[-1].lastgroup) if comparisons else ""
    nouns = list(_content(after))
    return float(number_value(numbers[0])), relation, nouns[0] if nouns else ""


def _content(text: str) -> Iterator[str]:
    """The stems of the words that mean something, with numbers in digits."""
    for match in _WORD.finditer(NUMBER.sub(_digits, text)):
        word = match[0].removesuffix("'s").removesuffix("'re")
        if word not in _STOP and (base := stem(word)) not in _STOP:
            yield base


def _digits(match: re.Match[str]) -> str:
    word = match["word"]
    return number_value(match) if word in NUMBERS or word is None else match[0]


def read_statement(sentence: str, question: str) -> str | None:
    """Yes or no, where a lower-case sentence surely affirms or denies what the question asks.

    >>> [read_statement("there are three dogs", f"Are there {number} dogs?") for number in ("two", "three")]
    ['no', 'yes']
    >>> read_statement("the lines are the same length", "Are the lines of equal length?")
    'yes'
    """
    asked = proposition(question)
    if asked is None:
        return None
    simple = _simplify(_HAS_ON.sub(r"is wearing \1", sentence) if "wear" in asked.content else sentence)
    if _is_ruled_out(simple, asked):
        return "yes" if asked.is_negated else "no"
    clauses = _CLAUSE_END.split(_OTHER_THAN.sub("", simple))
    readings = {_read_clause(clause.strip(" .!\"'"), asked) for clause in clauses} - {None}
    is_plain = not any(sign.search(sentence) for sign in (_NEGATION, _DOUBT, _OTHER_THAN))
    if not readings and len(clauses) > 1 and is_plain:
        # Where the question itself goes over a comma, so must its answer.
        readings = {_read_words(sentence, list(_content(sentence)), asked)} - {None, "no"}
    if len(readings) != 1:
        return None
    is_true = readings.pop() == "yes"
    return "yes" if is_true != asked.is_negated else "no"


def read_fragment(text: str, question: str) -> str | None:
    """Yes or no from a reply of a few words that repeats the end of the question, or says its opposite.

    >>> read_fragment("Clockwise", "Is it turning clockwise?"), read_fragment("closed", "Is the door open?")
    ('yes', 'no')
    """
    asked = proposition(question)
    words = list(_content(text))
    if asked is None or asked.is_negated or not words or len(words) > 3 or _NEGATION.search(text) or asked.is_existence:
        return None
    if words == list(asked.content[-len(words) :]):
        return "yes"
    rivals = OPPOSITES.get(asked.content[-1], set()) if len(words) == 1 and asked.content else set()
    return "no" if words[0] in rivals else None


def _is_ruled_out(sentence: str, asked: Proposition) -> bool:
    """Whether a sentence says that something else is so "rather than" what the question asks."""
    denied = [list(_content(match["rest"])) for match in _OTHER_THAN.finditer(sentence)]
    content = set(asked.content)
    return any(words and words[-1] == asked.content[-1] and set(words) <= content for words in denied)


def _read_clause(clause: str, asked: Proposition) -> str | None:
    clause = _LEAD.sub("", clause)
    if _HALF.search(clause) and asked.content and asked.content[-1] in (_EMPTY, "full") and "half" not in asked.doubts:
        return "no"
    if short := _SHORT.match(clause):
        return "no" if short["not"] else "yes"
    words = list(_content(_NEGATION.sub(" ", clause)))
    if asked.content and _NOT_ALL.match(clause) and _is_of_some(words, asked):
        return "no"
    if re.match(r"\w+ can\b", clause) and "can" not in asked.doubts:
        return None  # what may be so of such things
    if not clause or not asked.content or any(doubt[0] not in asked.doubts for doubt in _DOUBT.finditer(clause)):
        return None
    negations = len(_NEGATION.findall(clause))
    if asked.number is not None and _VAGUE_NUMBER.search(clause):
        return None
    if asked.number is not None and not negations and (by_number := _read_number(clause, words, asked)):
        return by_number
    if negations < 2 and (by_words := _read_words(clause, words, asked)):
        return by_words if not negations else {"yes": "no"}.get(by_words)
    if negations == 1 and (_is_shortened(words, asked, bool(_PRONOUN.match(clause))) or _is_absent(clause, words, asked)):
        return "no"  # to deny less is to deny all of it
    if negations == 1 and words and _NOTHING_OF.match(clause) and set(words) <= set(asked.content):
        return "no"  # "no helmet"
    if not negations and (reading := _read_emptiness(clause, words, asked) or read_swapped(words, asked.content)):
        return reading
    same = _read_sameness(clause, words, asked) if negations < 2 else None
    return same if not negations else {"yes": "no"}.get(same or "")


def _is_shortened(words: Sequence[str], asked: Proposition, is_about_it: bool) -> bool:
    """Whether a clause repeats the question from its subject on, with fewer words."""
    if asked.is_comparison or not set(words) <= set(asked.content) or any(word.isdigit() for word in words):
        return False
    is_of_subject = len(words) > 2 and words[0] == asked.content[0]
    is_of_predicate = is_about_it and words[:1] == list(asked.content[1:2]) and len(asked.content) > 2
    return (is_of_subject or is_of_predicate) and _in_order(words, asked.content)


def _is_absent(clause: str, words: Sequence[str], asked: Proposition) -> bool:
    """Whether a clause says that there is nothing of the last thing of the question."""
    things = [word for word in words if word != "sight"]
    return bool(_THERE_IS_NO.match(clause)) and things[-1:] == list(asked.content[-1:]) and set(things) <= set(asked.content)


def _is_of_some(words: Sequence[str], asked: Proposition) -> bool:
    """Whether a clause says of some things what the question asks of all."""
    rest = [word for word in asked.content if word not in _QUANTIFIERS]
    return 0 < len(rest) < len(asked.content) and not asked.is_negated and _in_order(rest, words)


def _read_emptiness(clause: str, words: Sequence[str], asked: Proposition) -> str | None:
    """No where the place that something may be in is empty."""
    if not asked.is_existence or _EMPTY not in words or _EMPTY in asked.content or len(asked.content) < 2:
        return None
    place = [word for word in words if word != _EMPTY]
    if place:
        return "no" if asked.content[-1] == place[-1] and set(place) <= set(asked.content) else None
    return "no" if asked.content[0] in (_PERSON, "thing") and _PRONOUN.match(clause) else None


def _read_number(clause: str, words: Sequence[str], asked: Proposition) -> str | None:
    """Yes or no from a number that the clause gives for what the question counts or compares."""
    value = None
    if asked.noun in words:
        for match in NUMBER.finditer(clause):
            following = list(_content(clause[match.end() :]))[:2]
            if asked.noun in following and match["word"] not in ("both", "nothing", "nobody"):
                if value is not None:
                    return None
                value = float(number_value(match))
    if value is None and (equal := _EQUALS.findall(clause)) and asked.relation and set(asked.content) & set(words):
        value = float(equal[-1])
    if value is None or asked.number is None:
        return None
    is_true = _COMPARE[asked.relation](value, asked.number)
    if is_true and not asked.relation and len(set(asked.content) - set(words)) > 0:
        return None
    return "yes" if is_true else "no"


def _read_words(clause: str, words: Sequence[str], asked: Proposition) -> str | None:
    """Yes where the clause says all that the question asks, no where it says the opposite of one word of it."""
    content = asked.content
    if len(content) > 2 and words[:1] == [content[1]] and clause.startswith("the ") and content[0] not in words:
        content = content if content[0] in _KEPT else content[1:]  # "lid" for "toilet lid"
    elif _PRONOUN.match(clause) and not asked.is_of_pronoun:
        places = [index for index, word in enumerate(content) if _answers_to(word) & set(words)]
        if not places or places[0] > 3 or (places[0] > 1 and words[0] not in _answers_to(content[places[0]])):
            return None
        content = content[places[0] :]
    if asked.is_existence and content[0] == _PERSON and _PEOPLE & set(words) and not _NEGATION.search(clause):
        content = content[1:]  # a man is someone
    missing = [word for word in content if word not in words]
    is_short = set(words) - {"1"} <= set(content) and re.search(r" (?:one|any|it|them)$", clause)
    if len(content) > 1 and missing == list(content[-1:]) and is_short:
        content, missing = content[:-1], []
    opposites = [word for word in content if OPPOSITES.get(word, set()) & set(words) - set(content)]
    if asked.relation and asked.number is not None and _relation(clause) not in (asked.relation, None):
        return "no" if set(content) - set(words) == set() else None
    is_numeric = any(word.isdigit() for word in content)
    if is_numeric and not asked.relation and _relation(clause) not in (None, "equal"):
        return None
    if asked.is_of_pronoun and not _HAS_VERB.search(_before(clause, content)):
        return None
    if asked.is_inside and _SPATIAL & set(words) - set(asked.content):
        return None
    if not missing and content and content[-1] in _COLORS and (_COLORS & set(words) - set(content) or "off-" in clause):
        return None  # blue and white is not blue
    if not missing and _is_of_part(clause, asked):
        return None
    if not missing and not opposites and (_in_order(content, words) or (is_numeric and len(content) < 5)):
        return "yes"
    if len(missing) == 1 and missing[0].isdigit() and sum(word.isdigit() for word in words) == 1 and not asked.relation:
        return "no"
    if len(missing) == 1 and (rivals := SIBLINGS.get(missing[0], frozenset()) & set(words)):
        return "no" if _is_rival(rivals, clause, asked) else None
    is_denied = len(missing) == 1 and opposites == missing and missing[0] not in _QUANTIFIERS
    if is_denied and (asked.is_comparison or not _is_followed_by_verb(OPPOSITES[missing[0]], clause)):
        replaced = [missing[0] if word in OPPOSITES[missing[0]] else word for word in words]
        return "no" if _in_order(content, replaced) else None
    return None


def _is_of_part(clause: str, asked: Proposition) -> bool:
    """Whether a clause speaks only of some of the things that the question asks about."""
    places = {stem(match[0].strip()) for match in _PART_OF.finditer(clause)}
    return bool(places - set(asked.content)) and bool(re.match(r"(?:some|most|the \w+s|the ones)\b", clause))


def _is_rival(rivals: frozenset[str], clause: str, asked: Proposition) -> bool:
    """Whether a clause says of the subject that it is something else: another color, or another animal."""
    head = clause.split(" with ")[0]
    rest = set(_content(head)) - rivals - _SHADES
    is_one = (len(rivals) == 1 and " and " not in head) or rivals <= _COLORS
    is_sure = is_one and not asked.is_existence and not _is_followed_by_verb(rivals, head)
    return is_sure and rest <= set(asked.content) and not rivals.isdisjoint(_content(head))


def _is_followed_by_verb(stems: Set[str], clause: str) -> bool:
    """Whether words stand before the verb: "The man standing there is happy" does not say that he stands."""
    *_, last = (0, *(match.end() for match in _WORD.finditer(clause) if stem(match[0]) in stems))
    return bool(re.search(r"\s(?:is|are|was|were|has|have)\b", clause[last:]))


def _answers_to(word: str) -> set[str]:
    """The stems that affirm or deny a word of the question."""
    return {word} | OPPOSITES.get(word, set()) | SIBLINGS.get(word, frozenset())


def _before(clause: str, content: Sequence[str]) -> str:
    """The part of a clause before the first word of the question."""
    for match in _WORD.finditer(clause):
        if stem(match[0]) in content:
            return clause[: match.start()]
    return clause


def _relation(clause: str) -> str | None:
    """How a clause compares a number: as one of the relations, `equal`, or not at all."""
    relations = {str(match.lastgroup) for match in _COMPARISON.finditer(clause)}
    if len(relations) == 1:
        return relations.pop()
    return "equal" if re.search(r"=|\bequals?\b|\bexactly\b", clause) else None


def _in_order(content: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the words of the question come in its order, with little between them."""
    place = -1
    for position, word in enumerate(content):
        try:
            following = words.index(word, place + 1)
        except ValueError:
            return False
        if position and following - place > _LARGEST_GAP + 1:
            return False
        place = following
    return True


def _read_sameness(clause: str, words: Sequence[str], asked: Proposition) -> str | None:
    """Yes or no where things are the same, and the question asks for that or for which is more."""
    is_plural = re.match(r"(?:they|these|those|both|the two)\b", clause)
    if _SAME in asked.content:
        things = set(asked.content) - _MEASURES - {_SAME}
        if things and things <= set(words) <= things | _MEASURES | {_SAME, _DIFFERENT, "both"}:
            return "yes" if _SAME in words else "no" if _DIFFERENT in words else None
        is_of_them = is_plural and set(words) <= {*asked.content, _SAME, _DIFFERENT, "both"}
        return ("yes" if _SAME in words else "no" if _DIFFERENT in words else None) if is_of_them else None
    if asked.is_comparison and _SAME in words and _DIFFERENT not in words:
        return "no" if is_plural or set(words) & set(asked.content) else None
    return None
