"""Yes or no from a statement compared with the question: "There are three dogs." to "Are there two dogs?" is no.

A statement counts only where it repeats what the question asks, its opposite or its denial, a different number, or that
two things are the same where the question asks which is more. Everything else is left unread.
"""

import operator
import re
from collections.abc import Callable, Sequence, Set

from .comparisons import read_swapped, read_values
from .propositions import COMPARISON, DOUBT, NEGATION, WORD, Proposition, content_stems, proposition, simplify
from .sentences import LEADS_TO
from .words import COLORS, NUMBER, NUMBERS, OPPOSITES, SIBLINGS, number_value, stem

_CLAUSE_END = re.compile(
    r"[,;:()\u2013\u2014]\s|\s-+\s|\s(?:but|while|whereas|although|(?<!as )though|yet|because|since|so|unlike"
    r"|than\s+the\s+other)\s"
)
_AND = re.compile(r" and (?=(?:the|it|he|she|they|there|this|that|these|those|its|his|her|their)\b)")
_PRONOUN = re.compile(
    r"^(?:it|he|she|they|the one|(?:his|her|its|their)(?= )"
    r"|(?:this|that|these|those)(?='| (?:is|are|was|were|does|do|did|has|have|had|can|will"
    r"|\w+s)\b)|(?:neither|none|both|all) of (?:them|these|those))(?:'s|'re)?\b"
)
_SHORT = re.compile(
    r"^(?:it|he|she|they|i|we|you|this|that|these|those|there|one|both|all|some)\s?"
    r"(?:sure |certainly |definitely |indeed |really |clearly |also )?"
    r"(?:is|are|was|were|does|do|did|has|have|had|can|ca(?=n't)|could|will|may|must|need|should|'s|'re|seems? to"
    r"|appears? to)(?: be)?"
    r"(?P<not>n't| not)?(?: be| have(?= one| any| it))?(?: indeed| actually| really| so| one| any"
    r"| either)?(?: with (?:her|him|them|it))?$"
)
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "above": operator.gt,
    "below": operator.lt,
    "least": operator.ge,
    "most": operator.le,
    "": operator.eq,
}
_VAGUE_NUMBER = re.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|at least|at most|more than|less than|fewer than|over|under|up to) (?:\d"
    r"|[a-z]+(?:teen|ty)?\b)"
)
_BARE_NUMBER = re.compile(r"(?:i (?:can )?(?:count|see) |there(?:'s| is| are) )?(?:only |just |exactly )?([\w-]+)")
_EQUALS = re.compile(
    r"(?:\b(?:is|are|was|equals?|equal to)|=)\s*(?:exactly |only |actually |just )?(\d+(?:\.\d+)?)(?![\d:]|\.\d)"
)
_EXCEPT = re.compile(r"\b(?:(?:apart|aside) from|except|other than|save for|besides)\b")
_SAME_TIME = re.compile(r"\bthat same\b|\bsame (?:year|time|day|month|period|place|way|chart|image|picture)\b")
_SECOND = frozenset(map(stem, "second third fourth other".split()))
_BUT = re.compile(r"(?:but|however)\b")
_OF_LAST = re.compile(r"\b(?:than|as|of|to) (?:the |an? )?(?:\w+ )?[\w-]+\W*$", re.IGNORECASE)
_ONE_AND_OTHER = re.compile(
    r"\b(one (?!of (?:his|her|its|their))|left|right|top|bottom|first|upper|front).*\b(?:and|while|whereas|but) the (?:other|right|left"
    r"|bottom|top|second|lower|back)\b"
)
_OF_PICTURE = re.compile(r"(?:it|this|that|the (?:image|picture|photo|photograph))\b")
_AFTER_ADJECTIVE = frozenset(
    "and or but with in on at to from for of as by than because since while inside outside here there now today too also"
    " all both enough color colored colour above below under over behind near next beside between against along among"
    " toward towards during when where that which right".split()
)
_BESIDE = re.compile(r"\b(?:with|near|next|behind|beside|by|from|for|of|like an?|holding|wearing|riding)\b")
_SEEMS = re.compile(r"\b(?:appears?|seems?|looks?|perceived?|impression)\b")
_DIFFERS = {  # what is said of one thing only where the two are not the same in this
    stem(name): re.compile(rf"\b(?:{words})\b(?:.* than\b|$)")
    for name, words in {
        "size": "larger|bigger|smaller",
        "length": "longer|shorter",
        "height": "taller|shorter|higher|lower",
        "width": "wider|narrower|thicker|thinner",
        "color": "darker|lighter|brighter",
        "shade": "darker|lighter|brighter",
        "brightness": "darker|lighter|brighter",
        "age": "older|younger",
    }.items()
}
_SAME, _DIFFERENT = stem("same"), stem("different")
_QUANTIFIERS = frozenset(map(stem, "all both every each only everyone everybody everything".split()))
_ALL = _QUANTIFIERS - {stem("only")}
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
    r"^(?:and|so|then|thus|hence|therefore|accordingly|actually|here|also|i(?:'d| would)? (?:think|believe|say|conclude)(?: that)?"
    r"|it (?:appears|seems)(?: that)?(?! to)|it looks(?: as if| as though)?(?= (?:the|there|he|she|they|his|her|an?)\b)|it would (?:seem|appear) that"
    rf"|{LEADS_TO})\s+"
)
_OTHER_THAN = re.compile(
    r",? (?:rather than|instead of|as opposed to|and not|(?<=, )not)(?P<rest> [^,;:.\u2013\u2014]*)"
)
_TOO = re.compile(r"\btoo \w+ to ((?!be|count|see|tell|say|make|read|determine|know|identify)\w+.*)")  # too short to reach it
_DENIED_WORD = re.compile(r"(?:not|n't) (\w+)$")
_NOT_ALL = re.compile(r"^(?:only|just (?:one|some)|not (?:all|every|both)|one of)\b")
_IN_PART = frozenset(("partly", "partially"))  # what is partly hidden is there
_ELLIPSIS = re.compile(  # of what is asked of all of them
    r"(?:not (?:all|every|both|each)\w*(?: of (?:them|these|those)| one)?|(?:most|some|almost all|nearly all)(?: of (?:them|these"
    r"|those))?|all (?:but|except) [\w ]{2,60}"
    r"|(?:only|just) (?:(?:one|some|half|two|three|a few)(?: of (?:them|these|those))?|.{3,60} (?:is|are|does|do|has|have|did)))$"
)
_OF_SOME = re.compile(r"\b(?:some|any|one|two|most|all|both) of\b")
_SOME_OF = re.compile(rf"(?:only |just )?(?:{'|'.join(NUMBERS)}|some|most|half|several|many|\d+) of (?:the|them|these|those)\b")
_NOTHING_OF = re.compile(r"^(?:no|not|without)\b")
_THERE_IS_NO = re.compile(
    r"there(?:'s| is| are) (?:no|not an?)\b|there (?:isn't|aren't) (?:an?|any)\b"
    r"|(?:i|we|you|one) (?:do not|don't) (?:\w+ )?(?:see|find|spot|notice|detect)(?: any| an?| the)?\b"
    r"|the (?:image|picture|photo|scene) (?:does not|doesn't) (?:show|contain|depict|include|have|feature)(?: any| an?)?\b"
    r"|there (?:does not|doesn't|do not|don't) (?:appear|seem) to be(?: any| an?)?\b"
    r"|no [\w ]{2,40} (?:is|are|can be) (?:visible|seen|present|shown|there)\b"
)
_GONE = frozenset(map(stem, "missing absent gone empty out hidden invisible without free bare barefoot alone".split()))
_PART_OF = re.compile(r"\b(?:some|most|left|right|middle|front|others?) ")
_MEASURES = frozenset(
    map(stem, "size length height width color colour shape shade tone level distance brightness long tall".split())
)
_HALF = re.compile(r"\bhalf[ -](?:full|empty)\b")
_HAS_ON = re.compile(
    r"\bha(?:s|ve) ((?:[\w-]+ ){1,5}?)on"
    r"(?=(?: (?:both|his|her|their|the))* (?:legs?|head|feet|hands?|knees?|face|arms?|wrists?|neck|eyes)\b|\W*$|,)"
)
_EMPTY, _PERSON = stem("empty"), stem("person")
_PEOPLE = frozenset(
    map(stem, "man woman boy girl child people player guy teenager worker couple rider skier surfer".split())
)


def read_statement(sentence: str, question: str) -> str | None:
    """Yes or no, where a lower-case sentence surely affirms or denies what the question asks.

    >>> [read_statement("there are three dogs", f"Are there {number} dogs?") for number in ("two", "three")]
    ['no', 'yes']
    >>> read_statement("the lines are the same length", "Are the lines of equal length?")
    'yes'
    """
    claim = proposition(question)
    if claim is None or (_SAME in claim.content and _EXCEPT.search(sentence)):
        return None
    contrast = _ONE_AND_OTHER.search(sentence)
    if contrast and stem(contrast[1]) not in claim.content and (_ALL | {_SAME, _DIFFERENT}).isdisjoint(claim.content):
        return None
    if "only one" in sentence and not _SECOND.isdisjoint(claim.content):
        return None  # of what the question asks there is none
    simple = simplify(_HAS_ON.sub(r"is wearing \1", sentence) if "wear" in claim.content else sentence)
    if _is_ruled_out(simple, claim):
        return "yes" if claim.is_negated else "no"
    clauses = _clauses(_OTHER_THAN.sub("", simple), claim)
    if not claim.is_existence and claim.number is None and not _OF_SOME.search(question.lower()):
        clauses = [clause for clause in clauses if not _SOME_OF.match(clause) or _is_of_some(list(content_stems(clause)), claim)]
    readings = {_read_clause(clause, claim) for clause in clauses} - {None}
    is_plain = not any(sign.search(sentence) for sign in (NEGATION, DOUBT, _OTHER_THAN))
    if not readings and len(clauses) > 1 and is_plain and not claim.is_of_pronoun:
        # Where the question itself goes over a comma, so must its answer.
        readings = {_read_words(sentence, list(content_stems(sentence)), claim)} - {None, "no"}
    if not readings and not NEGATION.search(simple):
        readings = {read_values([clause for clause in clauses if not DOUBT.search(clause)], claim)} - {None}
    if len(readings) != 1:
        return None
    is_true = readings.pop() == "yes"
    return "yes" if is_true != claim.is_negated else "no"


def is_turned_round(sentence: str, question: str) -> bool:
    """Whether a lower-case sentence with "but" says of the subject of the question the opposite of what it asks.

    >>> is_turned_round("but the sides are bent inward", "Are the sides straight?")
    True
    """
    claim = proposition(question)
    if claim is None or not _BUT.match(sentence) or any(sign.search(sentence) for sign in (NEGATION, DOUBT, _SEEMS)):
        return False
    words = set(content_stems(sentence))
    is_opposite = any(OPPOSITES.get(word, set()) & words - set(claim.content) for word in claim.content[1:])
    return is_opposite and not claim.is_existence and claim.content[0] in words


def _clauses(sentence: str, claim: Proposition) -> list[str]:
    """The clauses of a sentence; those that "and" joins where each has a verb, and the first is about the subject."""
    clauses = []
    for part in _CLAUSE_END.split(sentence):
        joined = _AND.split(part)
        is_about = not claim.content or claim.content[0] in content_stems(joined[0]) or _PRONOUN.match(joined[0])
        is_split = all(_HAS_VERB.search(clause) for clause in joined)
        is_split &= bool(is_about) or not any(_PRONOUN.match(clause) for clause in joined[1:])
        clauses += joined if is_split else [part]
    return [clause.strip(" .!\"'\u27a1\ufe0f") for clause in clauses]


def read_fragment(text: str, question: str) -> str | None:
    """Yes or no from a reply of a few words that repeats the end of the question, or says its opposite.

    >>> read_fragment("clockwise", "Is it turning clockwise?"), read_fragment("closed", "Is the door open?")
    ('yes', 'no')
    """
    claim = proposition(question)
    words = list(content_stems(text))
    if claim is None or claim.is_negated or not words or len(words) > 3 or NEGATION.search(text) or claim.is_existence:
        return None
    if claim.is_comparison or _OF_LAST.search(question) or _PRONOUN.match(text):
        return None
    if words == list(claim.content[-len(words) :]):
        return "yes"
    asked = claim.content[-len(words) :]
    other = [(word, known) for word, known in zip(words, asked, strict=False) if word != known]
    is_opposite = len(asked) == len(words) and len(other) == 1 and other[0][0] in _answers_to(other[0][1])
    return "no" if is_opposite else None


def _is_ruled_out(sentence: str, claim: Proposition) -> bool:
    """Whether a sentence says that something else is so "rather than" what the question asks."""
    denied = [(list(content_stems(match["rest"])), match["rest"]) for match in _OTHER_THAN.finditer(sentence)]
    content = set(claim.content)
    ends = set(claim.content[-3:] if sentence.rstrip(" .").endswith((" one", " ones")) else claim.content[-1:])
    return any(
        words and set(words) <= content and (words[-1] in ends or _is_subject(words, rest, claim) or _is_degree(words, claim))
        for words, rest in denied
    )


def _is_subject(words: Sequence[str], rest: str, claim: Proposition) -> bool:
    """Whether words are what the question asks about: "The red party won, not the blue one"."""
    is_named = claim.is_existence or rest.startswith(" the ")
    return is_named and tuple(words) == claim.content[: len(words)]


def _is_degree(words: Sequence[str], claim: Proposition) -> bool:
    """Whether a word is how the question compares: "Q3 was higher than Q1, not lower"."""
    return claim.is_comparison and len(words) == 1 and "than" in claim.content and words[0].endswith("er")


def _read_clause(clause: str, claim: Proposition) -> str | None:
    clause = _LEAD.sub("", clause)
    if _HALF.search(clause) and claim.content and claim.content[-1] in (_EMPTY, "full") and "half" not in claim.doubts:
        return "no"
    if short := _SHORT.match(clause):
        is_of_other = re.search(r"\bca(?:n|n't)\b", clause) and "can" not in claim.doubts
        return None if is_of_other else "no" if short["not"] else "yes"
    words = list(content_stems(NEGATION.sub(" ", clause)))
    negations = len(NEGATION.findall(clause))
    if claim.content and _NOT_ALL.match(clause) and _is_of_some(words, claim):
        return "no"
    if not negations and not claim.is_negated and _has_exception(words, claim):
        return "no"
    if _ELLIPSIS.match(clause) and not claim.is_negated and not _ALL.isdisjoint(claim.content):
        return "no"
    if re.match(r"\w+ can\b", clause) and "can" not in claim.doubts:
        return None  # what may be so of such things
    doubts = {doubt[0] for doubt in DOUBT.finditer(clause)} - claim.doubts - (_IN_PART if claim.is_existence else set())
    if not clause or not claim.content or doubts:
        return None
    if (too := _TOO.search(clause)) and (_PRONOUN.match(clause) or words[:1] == list(claim.content[:1])):
        return "no" if set(content_stems(too[1])) <= set(claim.content) else None
    is_vague = claim.number is not None and _VAGUE_NUMBER.search(clause)
    if is_vague and _relation(clause) != claim.relation:
        return None
    if claim.number is not None and not is_vague and not negations and (by_number := _read_number(clause, words, claim)):
        return by_number
    if negations and claim.is_existence and clause.startswith("the ") and not set(words) <= set(claim.content):
        return None  # "The dog doesn't bark" says that there is one, if anything
    if negations < 2 and (by_words := _read_words(clause, words, claim)):
        return by_words if not negations else {"yes": "no"}.get(by_words)
    if negations == 1 and (
        _is_shortened(clause, words, claim) or _is_absent(clause, words, claim)
    ):
        return "no"  # to deny less is to deny all of it
    if negations == 1 and words and _NOTHING_OF.match(clause) and set(words) <= set(claim.content):
        return "no"  # "no helmet"
    if not negations and (reading := _read_emptiness(clause, words, claim) or read_swapped(words, claim.content)):
        return reading
    same = _read_sameness(clause, words, claim) if negations < 2 else None
    return same if not negations else {"yes": "no"}.get(same or "")


def _is_shortened(clause: str, words: Sequence[str], claim: Proposition) -> bool:
    """Whether a clause repeats the question from its subject on, with fewer words."""
    is_about_it = _PRONOUN.match(clause) is not None
    if claim.is_comparison or not set(words) <= set(claim.content):
        return False
    if any(word.isdigit() for word in words) and not claim.relation:
        return False
    denied = _DENIED_WORD.search(clause)
    is_of_subject = words[:1] == list(claim.content[:1]) and (
        len(words) > 2 or (tuple(words) == claim.content[:2] and denied is not None and stem(denied[1]) == words[1])
    )
    is_of_predicate = is_about_it and len(claim.content) > 2 and words[:1] == list(claim.content[1:2])
    is_of_predicate |= is_about_it and bool(words) and _is_part(words, claim.content[1:])
    if is_about_it and len(words) == 1 and denied and stem(denied[1]) == words[0] and words[0] in claim.content[1:]:
        return True
    return (is_of_subject or is_of_predicate) and _in_order(words, claim.content)


def _is_part(words: Sequence[str], content: Sequence[str]) -> bool:
    """Whether stems are the end of those of the question, or two or more that follow each other in it."""
    starts = range(len(content) - len(words) + 1) if len(words) > 1 else [len(content) - 1]
    return any(list(content[start : start + len(words)]) == list(words) for start in starts)


def _is_absent(clause: str, words: Sequence[str], claim: Proposition) -> bool:
    """Whether a clause says that there is nothing of a thing of the question."""
    things = [word for word in words if word not in ("sight", "on")]
    is_known = bool(things) and set(things) <= set(claim.content) and _GONE.isdisjoint(claim.content)
    is_asked = things[-1:] == list(claim.content[-1:]) or (claim.is_existence and claim.content[0] in things)
    return is_known and is_asked and claim.number is None and bool(_THERE_IS_NO.match(clause))


def _is_of_some(words: Sequence[str], claim: Proposition) -> bool:
    """Whether a clause says of some things what the question asks of all."""
    rest = [word for word in claim.content if word not in _QUANTIFIERS]
    return 0 < len(rest) < len(claim.content) and not claim.is_negated and _in_order(rest, words)


def _has_exception(words: Sequence[str], claim: Proposition) -> bool:
    """Whether a clause says of one thing the opposite of what the question asks of all: one empty chair."""
    rest = [word for word in claim.content if word not in _ALL]
    is_opposite = any(OPPOSITES.get(word, set()) & set(words) - set(rest) for word in rest[1:])
    is_about = rest[:1] == words[:1] or not {*rest[:1], "1"}.isdisjoint(words)
    return is_opposite and len(rest) < len(claim.content) and is_about and not claim.is_comparison


def _read_emptiness(clause: str, words: Sequence[str], claim: Proposition) -> str | None:
    """No where the place that something may be in is empty."""
    if not claim.is_existence or _EMPTY not in words or _EMPTY in claim.content or len(claim.content) < 2:
        return None
    place = [word for word in words if word != _EMPTY]
    if place:
        return "no" if claim.content[-1] == place[-1] and set(place) <= set(claim.content) else None
    return "no" if claim.content[0] in (_PERSON, "thing") and _PRONOUN.match(clause) else None


def _read_number(clause: str, words: Sequence[str], claim: Proposition) -> str | None:
    """Yes or no from a number that the clause gives for what the question counts or compares."""
    value = None
    if claim.noun and (bare := _BARE_NUMBER.fullmatch(clause)) and (number := NUMBER.fullmatch(bare[1])):
        return "yes" if _COMPARE[claim.relation](float(number_value(number)), claim.number or 0) else "no"
    if claim.noun in words:
        for match in NUMBER.finditer(clause):
            following = list(content_stems(clause[match.end() :]))[:2]
            if claim.noun in following and match["word"] not in ("both", "nothing", "nobody"):
                if value is not None:
                    return None
                value = float(number_value(match))
    if value is None and (equal := _EQUALS.findall(clause)) and claim.relation and set(claim.content) & set(words):
        value = float(equal[-1])
    if value is None or claim.number is None:
        return None
    is_true = _COMPARE[claim.relation](value, claim.number)
    if is_true and not claim.relation and len(set(claim.content) - set(words)) > 0:
        return None
    return "yes" if is_true else "no"


def _read_words(clause: str, words: Sequence[str], claim: Proposition) -> str | None:
    """Yes where the clause says all that the question asks, no where it says the opposite of one word of it."""
    content = claim.content
    if claim.short and clause.startswith(("the ", "this ", "these ")) and set(words) <= set().union(*map(_answers_to, claim.short)):
        content = claim.short  # "the lamp" for "the lamp on the desk"
    if len(content) > 2 and words[:1] == [content[1]] and clause.startswith("the ") and content[0] not in words:
        content = content if content[0] in _KEPT else content[1:]  # "lid" for "toilet lid"
    elif _PRONOUN.match(clause) and not claim.is_of_pronoun:
        if re.match(r"(?:his|her|its|their) ", clause) and not _answers_to(words[0]) & set(content):
            return None  # her bag, where the question is about shoes
        is_somebody = re.match(r"(?:he|she|they)\b", clause) and content[0] in _PEOPLE | {_PERSON}
        if claim.is_existence and not is_somebody:
            return None  # "This is a laundry room" says nothing of a mirror in the room
        places = [index for index, word in enumerate(content) if _answers_to(word) & set(words)]
        if not places or places[0] > 3 or (places[0] > 1 and words[0] not in _answers_to(content[places[0]])):
            return None
        content = content[places[0] :]
    if claim.is_existence and content[0] == _PERSON and _PEOPLE & set(words) and not NEGATION.search(clause):
        content = content[1:]  # a man is someone
    missing = [word for word in content if word not in words]
    is_short = set(words) - {"1"} <= set(content) and re.search(r" (?:one|any|it|them)$", clause)
    if len(content) > 1 and missing == list(content[-1:]) and is_short:
        content, missing = content[:-1], []
    opposites = [word for word in content if OPPOSITES.get(word, set()) & set(words) - set(content)]
    if claim.relation and claim.number is not None and _relation(clause) not in (claim.relation, None):
        return "no" if set(content) - set(words) == set() else None
    is_numeric = any(word.isdigit() for word in content)
    if is_numeric and not claim.is_comparison and not claim.relation and _relation(clause) not in (None, "equal"):
        return None
    if claim.is_of_pronoun:
        before = _before(clause, content)
        if not _HAS_VERB.search(before) or _BESIDE.search(re.sub(r"\b(?:picture|photo|image|view) of\b", "", before)):
            return None
    if claim.is_inside and _SPATIAL & set(words) - set(claim.content):
        return None
    if not missing and content and content[-1] in _COLORS and (_COLORS & set(words) - set(content) or "off-" in clause):
        return None  # blue and white is not blue
    if not missing and _is_of_part(clause, claim):
        return None
    if not missing and _is_of_another_noun(clause, claim):
        return None
    is_said = _in_order(content, words) or (is_numeric and len(content) < 5) or _is_turned(clause, words, claim)
    if not missing and not opposites and is_said:
        return "yes"
    if len(missing) == 1 and missing[0].isdigit() and sum(word.isdigit() for word in words) == 1 and not claim.relation:
        return "no"
    if len(missing) == 1 and (rivals := SIBLINGS.get(missing[0], frozenset()) & set(words)):
        return "no" if _is_rival(rivals, clause, claim) else None
    if opposites and _is_opposite_without_rest(words, content, opposites[0]) and not claim.is_comparison:
        return "no"
    is_denied = len(missing) == 1 and opposites == missing and missing[0] not in _QUANTIFIERS
    if is_denied and (claim.is_comparison or not _is_followed_by_verb(OPPOSITES[missing[0]], clause)):
        replaced = [missing[0] if word in OPPOSITES[missing[0]] else word for word in words]
        return "no" if _in_order(content, replaced) else None
    return None


def _is_of_another_noun(clause: str, claim: Proposition) -> bool:
    """Whether the adjective that a question ends with stands before another noun: "The bike has blue wheels"."""
    last = claim.content[-1] if claim.content else ""
    if claim.is_existence or (last not in SIBLINGS and last not in OPPOSITES):
        return False
    if set(claim.content) <= _COLORS and not _OF_PICTURE.match(clause):
        return True  # "The dog is black and white" says nothing of the photo
    *_, end = (len(clause), *(match.end() for match in WORD.finditer(clause) if stem(match[0]) == last))
    if last in _COLORS and re.search(r"\b(?:has|have|had|with|wears?|wearing)\b", clause[:end]) and "color" not in clause:
        return True
    following = re.match(r" ([a-z-]+)", clause[end:])
    if following is None or following[1] in _AFTER_ADJECTIVE or following[1].endswith(("ly", "ing", "ed")):
        return False
    return stem(following[1]) not in claim.content


def _is_turned(clause: str, words: Sequence[str], claim: Proposition) -> bool:
    """Whether a clause says "B is A" where the question asks if A is B."""
    last_verb = [match.end() for match in re.finditer(r"\b(?:is|are|was|were)\b", clause)][-1:]
    after = list(content_stems(clause[last_verb[0] :])) if last_verb else []
    turned = (*claim.content[len(after) :], *claim.content[: len(after)])
    return bool(after) and tuple(words) == turned and "than" not in words and not claim.is_inside


def _is_opposite_without_rest(words: Sequence[str], content: Sequence[str], word: str) -> bool:
    """Whether a clause ends with the opposite of a word of the question: "The sink is empty" for "full of dishes"."""
    place = content.index(word)
    is_end = words[-1] in OPPOSITES[word] and set(words[:-1]) <= set(content[:place])
    return is_end and place > 0 and _in_order(content[:place], words[:-1])


def _is_of_part(clause: str, claim: Proposition) -> bool:
    """Whether a clause speaks only of some of the things that the question asks about."""
    places = {stem(match[0].strip()) for match in _PART_OF.finditer(clause)}
    return bool(places - set(claim.content)) and bool(re.match(r"(?:some|most|the \w+s|the ones)\b", clause))


def _is_rival(rivals: frozenset[str], clause: str, claim: Proposition) -> bool:
    """Whether a clause says of the subject that it is something else: another color, or another animal."""
    head = clause.split(" with ")[0]
    rest = set(content_stems(head)) - rivals - _SHADES - {"color"}
    is_one = (len(rivals) == 1 and " and " not in head) or rivals <= _COLORS
    is_sure = is_one and not claim.is_existence and not _is_followed_by_verb(rivals, head)
    return is_sure and rest <= set(claim.content) and not rivals.isdisjoint(content_stems(head))


def _is_followed_by_verb(stems: Set[str], clause: str) -> bool:
    """Whether words stand before the verb: "The man standing there is happy" does not say that he stands."""
    *_, last = (0, *(match.end() for match in WORD.finditer(clause) if stem(match[0]) in stems))
    return bool(re.search(r"\s(?:is|are|was|were|has|have)\b", clause[last:]))


def _answers_to(word: str) -> set[str]:
    """The stems that affirm or deny a word of the question."""
    return {word} | OPPOSITES.get(word, set()) | SIBLINGS.get(word, frozenset())


def _before(clause: str, content: Sequence[str]) -> str:
    """The part of a clause before the first word of the question."""
    for match in WORD.finditer(clause):
        if stem(match[0]) in content:
            return clause[: match.start()]
    return clause


def _relation(clause: str) -> str | None:
    """How a clause compares a number: as one of the relations, `equal`, or not at all."""
    relations = {str(match.lastgroup) for match in COMPARISON.finditer(clause)}
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


def _read_sameness(clause: str, words: Sequence[str], claim: Proposition) -> str | None:
    """Yes or no where things are the same, and the question asks for that or for which is more."""
    is_plural = re.match(r"(?:they|these|those|both|the two)\b|(?:(?:the |about the )?same|equal|identical)(?: \w+)?$", clause)
    if _SAME_TIME.search(clause):
        return None
    if _SAME in claim.content:
        if any(name in claim.content and pattern.search(clause) for name, pattern in _DIFFERS.items()):
            return "no" if not _SEEMS.search(clause) else None
        things = set(claim.content) - _MEASURES - {_SAME}
        measures = _MEASURES & set(words), _MEASURES & set(claim.content)
        if all(measures) and measures[0].isdisjoint(measures[1]):
            return None
        if things & set(words) and set(words) <= things | _MEASURES | _COLORS | {_SAME, _DIFFERENT, "both"}:
            return "yes" if _SAME in words else "no" if _DIFFERENT in words else None
        is_of_them = is_plural and set(words) <= {*claim.content, _SAME, _DIFFERENT, "both"}
        return ("yes" if _SAME in words else "no" if _DIFFERENT in words else None) if is_of_them else None
    if claim.is_comparison and _SAME in words and _DIFFERENT not in words:
        return "no" if is_plural or set(words) & set(claim.content) else None
    return None
