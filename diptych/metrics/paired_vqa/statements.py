"""Yes or no from a statement compared with the question: "There are three dogs." to "Are there two dogs?" is no.

A statement counts only where it repeats what the question asks, its opposite or its denial, a different number, or that
two things are the same where the question asks which is more. Everything else is left unread.
"""

import re
from collections.abc import Set

from .comparisons import DIFFERENT, SAME, SEEMS, read_sameness, read_swapped, read_values
from .denials import NOTHING_OF, OTHER_THAN, TOO_MUCH, is_absent, is_ruled_out, is_shortened, read_emptiness
from .propositions import DOUBT, NEGATION, PRONOUN, Proposition, content_stems, proposition, relation_of, simplify
from .quantities import ALL, AND_MORE, ELLIPSIS, NOT_ALL, SOME_OF, VAGUE_NUMBER, has_exception, is_of_some, read_number
from .repetitions import HAS_VERB, answers_to, read_words
from .sentences import LEADS_TO
from .substitutions import lacks_quotation, read_quotation, read_substitution
from .words import OPPOSITES, stem

_CLAUSE_END = re.compile(
    r"[,;:()\u2013\u2014]\s|\s-+\s|\s(?:(?<!all\s)but|while|whereas|although|(?<!as )though|yet|because|since|so|unlike"
    r"|than\s+the\s+other)\s"
)
_AND = re.compile(r" and (?=(?:the|it|he|she|they|there|this|that|these|those|its|his|her|their)\b)")
_SHORT = re.compile(
    r"^(?:it|he|she|they|i|we|you|this|that|these|those|there|one|(?:both|all)(?: of (?:them|these|those))?|some)\s?"
    r"(?:sure |certainly |definitely |indeed |really |clearly |also |probably |most likely |likely )?"
    r"(?:is|are|was|were|does|do|did|has|have|had|can|ca(?=n't)|could|will|may|must|need|should|'s|'re|seems? to"
    r"|appears? to)(?: be)?"
    r"(?P<not>n't| not)?(?: be| have(?= one| any| it))?(?: indeed| actually| really| so| one| any"
    r"| either)?(?: with (?:her|him|them|it))?$"
)
_FRONTED = re.compile(
    r"((?:in|on|at|from|during|by|for|between|among) (?:[^,]{2,60}(?=,)|\d{4}(?= (?:the|it|he|she|they)\b))),? ([^,]+)$"
)
_MORE_LIKE = re.compile(r"(?:it|this|that|they|these) (?:looks?|seems?|appears?)(?: to be)? (?:more|rather) like (.+)")
_SEE_ONE = re.compile(
    r"(?:i|we|you) (?:can |do )?(?P<not>(?:do not|don't|can't|cannot) )?see (?:one|any|some|it|them)"
    r"(?:$| (?:here|in|on|at|there|near|behind)\b)"
)
_EXCEPT = re.compile(r"\b(?:(?:apart|aside) from|except|other than|save for|besides)\b")
_SECOND = frozenset(map(stem, "second third fourth other".split()))
_BUT = re.compile(r"(?:but|however)\b")
_ELLIPTIC = re.compile(
    r"(?:but |and |while |whereas )?(?P<subject>the .{3,50}) (?:is|are|was|were|does|do|did|has|have)"
    r"(?P<not>n't| not)?$"
)
_NO_SUBJECT = re.compile(r"(?:is|are|was|were|does|do|did|has|have)(?:n't| not)\b")
_AT_FIRST = re.compile(
    r"\bat first\b|\bbut\b.*\b(?:actually|really|in fact|differen\w+|same|equal|identical|not|\w+n't"
    r"|measur\w+|closer)\b"
)
_BUT_INSIDE = re.compile(r"\b(?:but|however|while|whereas|although|though|so|because|since)\b|[;:]")
_OF_LAST = re.compile(r"\b(?:than|as|of|to) (?:the |an? )?(?:\w+ )?[\w-]+\W*$", re.IGNORECASE)
_ONE_AND_OTHER = re.compile(
    r"\b(one(?! of (?:his|her|its|their))|left|right|top|bottom|first|upper|front)\b.*\b(?:and|while|whereas"
    r"|but) the (?:other|right|left"
    r"|bottom|top|second|lower|back)\b"
)
_LEAD = re.compile(
    r"^(?:and|but|yet|whereas|so|then|thus|hence|therefore|accordingly|actually|here|also"
    r"|i(?:'d| would)? (?:think|believe|say|conclude)(?: that)?"
    r"|it (?:appears|seems)(?: that)?(?! to)|it looks(?: as if| as though)?(?= (?:the|there|he|she|they|his|her"
    r"|an?)\b)|it would (?:seem|appear) that"
    rf"|{LEADS_TO})\s+"
)
_IN_PART = frozenset(("partly", "partially"))  # what is partly hidden is there


_OF_SOME = re.compile(r"\b(?:some|any|one|two|most|all|both) of\b")
_HALF = re.compile(r"\bhalf[ -](?:full|empty)\b")
_HAS_ON = re.compile(
    r"\bha(?:s|ve) ((?:[\w-]+ ){1,5}?)on"
    r"(?=(?: (?:both|his|her|their|the))* (?:legs?|head|feet|hands?|knees?|face|arms?|wrists?|neck|eyes)\b|\W*$|,)"
)


def read_statement(sentence: str, question: str, names: Set[str] = frozenset()) -> str | None:
    """Yes or no, where a lower-case sentence surely affirms or denies what the question asks.

    `names` are the stems of what the reply writes with capital letters.

    >>> [read_statement("there are three dogs", f"Are there {number} dogs?") for number in ("two", "three")]
    ['no', 'yes']
    >>> read_statement("the lines are the same length", "Are the lines of equal length?")
    'yes'
    """
    claim = proposition(question)
    if claim is None or (SAME in claim.content and _EXCEPT.search(sentence)):
        return None
    if elliptic := _read_elliptic(sentence, claim):
        return elliptic
    contrast = _ONE_AND_OTHER.search(sentence)
    if contrast and stem(contrast[1]) not in claim.content and (ALL | {SAME, DIFFERENT}).isdisjoint(claim.content):
        return None
    if "only one" in sentence and not _SECOND.isdisjoint(claim.content):
        return None  # of what the question asks there is none
    if quoted := read_quotation(sentence, question):
        return quoted if not claim.is_negated else None
    simple = simplify(_HAS_ON.sub(r"is wearing \1", sentence) if "wear" in claim.content else sentence)
    if is_ruled_out(simple, claim):
        return "yes" if claim.is_negated else "no"
    fronted = _FRONTED.match(simple)
    if fronted and not set(content_stems(fronted[1])).isdisjoint(claim.content):
        simple = f"{fronted[2]} {fronted[1]}"  # "In March, it fell" as "It fell in March"
    clauses = _clauses(OTHER_THAN.sub("", simple), claim)
    if not claim.is_existence and claim.number is None and not _OF_SOME.search(question.lower()):
        clauses = [
            clause for clause in clauses if not SOME_OF.match(clause) or is_of_some(list(content_stems(clause)), claim)
        ]
    if _AT_FIRST.search(sentence):
        clauses = [clause for clause in clauses if not SEEMS.search(clause) or NEGATION.search(clause)]
    facts = [clause for clause in clauses if not SEEMS.search(clause) or NEGATION.search(clause)]
    if "illusion" in sentence:
        clauses = [clause for clause in clauses if not SEEMS.search(clause)]
    readings = {_read_clause(clause, claim) for clause in clauses} - {None}
    if len(readings) > 1:  # "They look bent, but they are straight"
        readings = {_read_clause(clause, claim) for clause in facts} - {None}
    negations = NEGATION.findall(sentence)
    is_plain = not any(sign.search(sentence) for sign in (DOUBT, OTHER_THAN)) and len(negations) < 2
    if not readings and len(clauses) > 1 and is_plain and not claim.is_of_pronoun:
        # Where the question itself goes over a comma, so must its answer.
        words = list(content_stems(NEGATION.sub(" ", sentence)))
        is_denied = negations and "," in question and not _BUT_INSIDE.search(sentence)
        if (not negations or is_denied) and read_words(sentence, words, claim) == "yes":
            readings = {"no" if negations else "yes"}
    if not readings and not NEGATION.search(simple):
        readings = {read_values([clause for clause in clauses if not DOUBT.search(clause)], claim)} - {None}
    if not readings:
        readings = {read_substitution(simple, question, claim, names)} - {None}
    if len(readings) != 1 or (readings == {"yes"} and lacks_quotation(sentence, question)):
        return None
    is_true = readings.pop() == "yes"
    return "yes" if is_true != claim.is_negated else "no"


def _read_elliptic(sentence: str, claim: Proposition) -> str | None:
    """Yes or no where a clause has the subject of the question and no predicate: "but the one on the left is not"."""
    for clause in _CLAUSE_END.split(simplify(sentence)):
        match = _ELLIPTIC.match(clause.strip(" ."))
        words = list(content_stems(match["subject"])) if match else []
        size = len(words)
        if match and size > 1 and claim.content[:size] == tuple(words) and size < len(claim.content):
            return "no" if bool(match["not"]) != claim.is_negated else "yes"
    return None


def is_turned_round(sentence: str, question: str) -> bool:
    """Whether a lower-case sentence with "but" says of the subject of the question the opposite of what it asks.

    >>> is_turned_round("but the sides are bent inward", "Are the sides straight?")
    True
    """
    claim = proposition(question)
    if claim is None or not _BUT.match(sentence) or any(sign.search(sentence) for sign in (NEGATION, DOUBT, SEEMS)):
        return False
    words = set(content_stems(sentence))
    is_opposite = any(OPPOSITES.get(word, set()) & words - set(claim.content) for word in claim.content[1:])
    return is_opposite and not claim.is_existence and claim.content[0] in words


def _clauses(sentence: str, claim: Proposition) -> list[str]:
    """The clauses of a sentence; those that "and" joins where each has a verb, and the first is about the subject."""
    clauses = []
    for part in _CLAUSE_END.split(sentence):
        joined = _AND.split(part)
        is_about = not claim.content or claim.content[0] in content_stems(joined[0]) or PRONOUN.match(joined[0])
        is_split = all(HAS_VERB.search(clause) for clause in joined)
        is_split &= bool(is_about) or not any(PRONOUN.match(clause) for clause in joined[1:])
        clauses += joined if is_split else [part]
    stripped = [clause.strip(" .!\"'\u27a1\ufe0f") for clause in clauses]
    return [f"it {clause}" if place and _NO_SUBJECT.match(clause) else clause for place, clause in enumerate(stripped)]


def read_fragment(text: str, question: str) -> str | None:
    """Yes or no from a reply of a few words that repeats the end of the question, or says its opposite.

    >>> read_fragment("clockwise", "Is it turning clockwise?"), read_fragment("closed", "Is the door open?")
    ('yes', 'no')
    """
    claim = proposition(question)
    words = list(content_stems(text))
    if claim is None or claim.is_negated or not words or len(words) > 3 or NEGATION.search(text) or claim.is_existence:
        return None
    if claim.is_comparison or _OF_LAST.search(question) or PRONOUN.match(text):
        return None
    if words == list(claim.content[-len(words) :]):
        return "yes"
    asked = claim.content[-len(words) :]
    other = [(word, known) for word, known in zip(words, asked, strict=False) if word != known]
    is_opposite = len(asked) == len(words) and len(other) == 1 and other[0][0] in answers_to(other[0][1])
    return "no" if is_opposite else None


def _read_clause(clause: str, claim: Proposition) -> str | None:
    clause = _LEAD.sub("", clause)
    if (
        _HALF.search(clause)
        and claim.content
        and claim.content[-1] in (stem("empty"), "full")
        and "half" not in claim.doubts
    ):
        return "no"
    if short := _SHORT.match(clause):
        is_of_other = re.search(r"\bca(?:n|n't)\b", clause) and "can" not in claim.doubts
        is_partial = clause.startswith(("some", "one ")) and ALL.isdisjoint(claim.content)
        is_partial &= not claim.is_existence or short["not"] is not None
        return None if is_of_other or is_partial else "no" if short["not"] else "yes"
    if claim.is_existence and (seen := _SEE_ONE.match(clause)):
        return "no" if seen["not"] else "yes"
    if (
        claim.is_of_pronoun
        and (like := _MORE_LIKE.match(clause))
        and set(claim.content).isdisjoint(content_stems(like[1]))
    ):
        return "no"
    words = list(content_stems(NEGATION.sub(" ", clause)))
    negations = len(NEGATION.findall(clause))
    if claim.content and (NOT_ALL.match(clause) or SOME_OF.match(clause)) and is_of_some(words, claim):
        return "no"
    if not negations and not claim.is_negated and has_exception(words, claim):
        return "no"
    if ELLIPSIS.match(clause) and not claim.is_negated and not ALL.isdisjoint(claim.content):
        return "no"
    if (
        re.match(r"(?!(?:i|we|you|one) can (?:see|count|spot|find|confirm)\b)\w+ can\b", clause)
        and "can" not in claim.doubts
    ):
        return None  # what may be so of such things
    doubts = {doubt[0] for doubt in DOUBT.finditer(clause)} - claim.doubts - (_IN_PART if claim.is_existence else set())
    if not clause or not claim.content or doubts:
        return None
    if (too := TOO_MUCH.search(clause)) and (PRONOUN.match(clause) or words[:1] == list(claim.content[:1])):
        return "no" if set(content_stems(too[1])) <= set(claim.content) else None
    if claim.number is not None and AND_MORE.search(clause):
        return None
    is_vague = claim.number is not None and VAGUE_NUMBER.search(clause)
    if is_vague and relation_of(clause) != claim.relation:
        return None
    if claim.number is not None and not is_vague and not negations and (by_number := read_number(clause, words, claim)):
        return by_number
    if negations and claim.is_existence and clause.startswith("the ") and not set(words) <= set(claim.content):
        return None  # "The dog doesn't bark" says that there is one, if anything
    if negations < 2 and (by_words := read_words(clause, words, claim)):
        return by_words if not negations else {"yes": "no"}.get(by_words)
    if negations == 1 and (is_shortened(clause, words, claim) or is_absent(clause, words, claim)):
        return "no"  # to deny less is to deny all of it
    if negations == 1 and words and NOTHING_OF.match(clause) and set(words) <= set(claim.content):
        return "no"  # "no helmet"
    if not negations and (reading := read_emptiness(clause, words, claim) or read_swapped(words, claim.content)):
        return reading
    same = read_sameness(clause, words, claim) if negations < 2 else None
    return same if not negations else {"yes": "no"}.get(same or "")


_THERE_IS = re.compile(
    r"^(?:in (?:the|this) (?:image|picture|photo),? )?there (?:is|are|'s|was|were|seems to be"
    r"|appears to be)(?P<not>n't)?\b"
)
_PRONOUN_IS = re.compile(
    r"^(?:it|he|she|they|i|we|this|that|these|those) (?:is|are|was|were|does|do|did|has|have|can|will)(?P<not>n't"
    r"| not)?$"
)


def read_existence(sentence: str) -> str | None:
    """Yes or no from "There is a dog" or "It is not", where the question is not known."""
    match = _THERE_IS.match(sentence) or _PRONOUN_IS.match(sentence)
    if match is None:
        return None
    return "no" if match["not"] or re.search(r"\b(?:not|no|none|never|nothing|nobody)\b", sentence) else "yes"
