"""Repetitions: whether a clause says all that the question asks, or the same with the opposite of one word."""

import re
from collections.abc import Sequence, Set
from itertools import pairwise

from .propositions import NEGATION, PERSON, PRONOUN, WORD, Proposition, content_stems, relation_of
from .words import COLOR_STEMS, OPPOSITES, SHADES, SIBLINGS, stem

_OF_PICTURE = re.compile(r"(?:it|this|that|the (?:image|picture|photo|photograph))\b")
_AFTER_ADJECTIVE = frozenset(
    "and or but with in on at to from for of as by than because since while inside outside here there now today too"
    " also all both enough color colored colour above below under over behind near next beside between against along"
    " among toward towards during when where that which right off down up out away back around into onto through across"
    " along".split()
)
_BESIDE_IT = re.compile(r"the \w+ (?:next to|beside|behind|near|in front of|with|above|below) (?:it|him|her|them)\b")
_A_FEW = re.compile(r"\b(?:few|some|several|little) (?:\w+ )?$")
_BESIDE = re.compile(r"\b(?:with|near|next|behind|beside|by|from|for|of|like an?|holding|wearing|riding)\b")
HAS_VERB = re.compile(
    r"\b(?:is|are|was|were|shows?|depicts?|appears?|seems?|looks?|be|have|has|had|does|do|did|can|will)\b|'s|'re|n't"
    r"|^$|^(?:not|no)\b"
)
QUANTIFIERS = frozenset(map(stem, "all both every each only everyone everybody everything".split()))
_SHADES = frozenset(
    map(stem, "light dark pale bright deep solid mostly plain made written painted colored primarily".split())
)
_SPATIAL = frozenset(map(stem, "near next outside under above behind front left right between on".split()))
_OUTSIDE = frozenset(map(stem, "next outside behind front".split()))
_WORN = frozenset(map(stem, "wear hold carry use".split()))  # what is so of whatever belongs to somebody
_LARGEST_GAP = 3
_KEPT = QUANTIFIERS | set(OPPOSITES) | set(SIBLINGS)  # not the first part of a compound
_PART_OF = re.compile(r"\b(?:some|most|left|right|middle|front|others?) ")
_PEOPLE = frozenset(
    map(stem, "man woman boy girl child people player guy teenager worker couple rider skier surfer".split())
)


def read_words(clause: str, words: Sequence[str], claim: Proposition) -> str | None:
    """Yes where the clause says all that the question asks, no where it says the opposite of one word of it."""
    if claim.content[-1] in COLOR_STEMS and not claim.is_existence and " with " not in claim.content:
        clause = clause.split(" with ")[0]  # brown with a white blaze is brown
        words = list(content_stems(NEGATION.sub(" ", clause)))
    content = _asked_content(clause, words, claim)
    if content is None:
        return None
    missing = [word for word in content if word not in words]
    is_short = set(words) - {"1"} <= set(content) and re.search(r" (?:one|any|it|them)$", clause)
    if len(content) > 1 and missing == list(content[-1:]) and is_short:
        content, missing = content[:-1], []
    opposites = [word for word in content if OPPOSITES.get(word, set()) & set(words) - set(content)]
    if claim.relation and claim.number is not None and relation_of(clause) not in (claim.relation, None):
        return "no" if set(content) - set(words) == set() else None
    is_numeric = any(word.isdigit() for word in content)
    if is_numeric and not claim.is_comparison and not claim.relation and relation_of(clause) not in (None, "equal"):
        return None
    if claim.is_of_pronoun:
        before = _before(clause, content)
        if not HAS_VERB.search(before) or _BESIDE.search(re.sub(r"\b(?:picture|photo|image|view) of\b", "", before)):
            return None
    if claim.is_inside and (places := _SPATIAL & set(words) - set(claim.content)):
        is_outside = not missing and places <= _OUTSIDE and not claim.is_existence and in_order(content, words)
        return "no" if is_outside else None
    if not missing and (_is_of_more_colors(clause, content) or _has_other_color(words, content)):
        return None  # blue and white is not blue
    if not missing and (_is_of_part(clause, claim) or _is_of_few(clause, claim)):
        return None
    if not missing and _is_of_another_noun(clause, claim):
        return None
    is_said = in_order(content, words) or (is_numeric and len(content) < 5) or _is_turned(clause, words, claim)
    if not missing and not opposites and is_said:
        return "yes"
    if len(missing) == 1 and missing[0].isdigit() and sum(word.isdigit() for word in words) == 1 and not claim.relation:
        return "no"
    if len(missing) == 1 and (rivals := SIBLINGS.get(missing[0], frozenset()) & set(words)):
        return "no" if _is_rival(rivals, clause, claim) else None
    if opposites and _is_opposite_without_rest(words, content, opposites[0]) and not claim.is_comparison:
        return "no"
    is_denied = len(missing) == 1 and opposites == missing and missing[0] not in QUANTIFIERS
    is_unique = claim.content[-1].endswith("est")  # if another one is the tallest, this one is not
    if is_denied and (claim.is_comparison or is_unique or not _is_followed_by_verb(OPPOSITES[missing[0]], clause)):
        replaced = [missing[0] if word in OPPOSITES[missing[0]] else word for word in words]
        return "no" if in_order(content, replaced) or list(content) == replaced[1::-1] else None
    return None


def _asked_content(clause: str, words: Sequence[str], claim: Proposition) -> Sequence[str] | None:
    """The stems that a clause must repeat, without those that it may leave out; None where it is of something else."""
    content = claim.content
    if _BESIDE_IT.match(clause):
        return None  # another one of them
    if (
        claim.short
        and clause.startswith(("the ", "this ", "these "))
        and set(words) <= set().union(*map(answers_to, claim.short))
    ):
        content = claim.short  # "the lamp" for "the lamp on the desk"
    if len(content) > 2 and words[:1] == [content[1]] and clause.startswith("the ") and content[0] not in words:
        content = content if content[0] in _KEPT else content[1:]  # "lid" for "toilet lid"
    elif PRONOUN.match(clause) and not claim.is_of_pronoun:
        if re.match(r"(?:his|her|its|their) ", clause) and not answers_to(words[0]) & set(content):
            return None  # her bag, where the question is about shoes
        is_somebody = re.match(r"(?:he|she|they)\b", clause) and content[0] in _PEOPLE | {PERSON}
        if claim.is_existence and not is_somebody:
            return None  # "This is a laundry room" says nothing of a mirror in the room
        places = [index for index, word in enumerate(content) if answers_to(word) & set(words)]
        if not places or places[0] > 3 or (places[0] > 1 and words[0] not in answers_to(content[places[0]])):
            return None
        if clause.startswith(("his ", "her ", "its ", "their ")) and not set(content[1 : places[0]]) <= _WORN:
            return None  # "Her jeans are old" to whether she needs some
        content = content[places[0] :]
    if claim.is_existence and content[0] == PERSON and _PEOPLE & set(words) and not NEGATION.search(clause):
        content = content[1:]  # a man is someone
    return content


def _is_of_more_colors(clause: str, content: Sequence[str]) -> bool:
    """Whether a clause names another color beside the one that the question ends with, but for what it is "with"."""
    if not content or content[-1] not in COLOR_STEMS:
        return False
    named = COLOR_STEMS & set(content_stems(clause.split(" with ")[0])) - {"clear"}
    shades = {stem(word) for word in re.findall(r"\b(\w+) (?=\w)", clause) if word in SHADES}
    return bool(named - set(content) - shades) or "off-" in clause


def _is_of_few(clause: str, claim: Proposition) -> bool:
    """Whether a clause speaks of a few of what the question ends with: a few clouds do not make it cloudy."""
    *_, start = (0, *(match.start() for match in WORD.finditer(clause) if stem(match[0]) == claim.content[-1]))
    return not claim.is_existence and bool(_A_FEW.search(clause[:start]))


def _has_other_color(words: Sequence[str], content: Sequence[str]) -> bool:
    """Whether another color stands between a color of the question and its noun: a red hat and a blue shirt."""
    return any(
        color in COLOR_STEMS
        and not (COLOR_STEMS - set(content)).isdisjoint(
            words[words.index(color) : max(words.index(noun), words.index(color))]
        )
        for color, noun in pairwise(content)
    )


def _is_of_another_noun(clause: str, claim: Proposition) -> bool:
    """Whether the adjective that a question ends with stands before another noun: "The bike has blue wheels"."""
    last = claim.content[-1] if claim.content else ""
    if claim.is_existence or (last not in SIBLINGS and last not in OPPOSITES):
        return False
    if set(claim.content) <= COLOR_STEMS and not _OF_PICTURE.match(clause):
        return True  # "The dog is black and white" says nothing of the photo
    *_, end = (len(clause), *(match.end() for match in WORD.finditer(clause) if stem(match[0]) == last))
    if (
        last in COLOR_STEMS
        and re.search(r"\b(?:has|have|had|with|wears?|wearing)\b", clause[:end])
        and "color" not in clause
    ):
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
    return is_end and place > 0 and in_order(content[:place], words[:-1])


def _is_of_part(clause: str, claim: Proposition) -> bool:
    """Whether a clause speaks only of some of the things that the question asks about."""
    places = {stem(match[0].strip()) for match in _PART_OF.finditer(clause)}
    return bool(places - set(claim.content)) and bool(re.match(r"(?:some|most|the \w+s|the ones)\b", clause))


def _is_rival(rivals: frozenset[str], clause: str, claim: Proposition) -> bool:
    """Whether a clause says of the subject that it is something else: another color, or another animal."""
    head = clause.split(" with ")[0]
    rest = set(content_stems(head)) - rivals - _SHADES - {"color"}
    is_one = (len(rivals) == 1 and " and " not in head) or rivals <= COLOR_STEMS
    is_sure = is_one and not claim.is_existence and not _is_followed_by_verb(rivals, head)
    return is_sure and rest <= set(claim.content) and not rivals.isdisjoint(content_stems(head))


def _is_followed_by_verb(stems: Set[str], clause: str) -> bool:
    """Whether words stand before the verb: "The man standing there is happy" does not say that he stands."""
    *_, last = (0, *(match.end() for match in WORD.finditer(clause) if stem(match[0]) in stems))
    return bool(re.search(r"\s(?:is|are|was|were|has|have)\b", clause[last:]))


def answers_to(word: str) -> set[str]:
    """The stems that affirm or deny a word of the question."""
    return {word} | OPPOSITES.get(word, set()) | SIBLINGS.get(word, frozenset())


def _before(clause: str, content: Sequence[str]) -> str:
    """The part of a clause before the first word of the question."""
    for match in WORD.finditer(clause):
        if stem(match[0]) in content:
            return clause[: match.start()]
    return clause


def in_order(content: Sequence[str], words: Sequence[str]) -> bool:
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
