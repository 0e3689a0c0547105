"""The grammatical form a slot asks for, and an entity said in it."""

from functools import lru_cache

from diptych.builders.fvqa2.entities import split_words
from diptych.builders.fvqa2.phrases import BEFORE_BASE, JOINED, LEADING, is_name, is_noun_phrase, is_third
from diptych.language import (
    base,
    gerund,
    indefinite,
    is_plural,
    participle,
    plural,
    singular,
    third_person,
    verb_lemmas,
)

FORMS = ("gerund", "base", "third_person", "participle", "a", "plural", "singular", "bare")
VERBAL = frozenset(FORMS[:4])
_BE = frozenset(["is", "are", "be", "been", "being", "was", "were"])
_PREPOSITIONS = frozenset({"in", "on", "at", "inside", "near", "around", "for", "of", "to", "with"})
_NEEDS_ARTICLE = {
    "AtLocation": _PREPOSITIONS,
    "HasA": frozenset({"has", "have", "contains", "with"}),
    "PartOf": frozenset({"has", "have", "contains", "with"}),
}
TAKES_ARTICLE = frozenset({"RelatedTo", "CreatedBy", "Desires"})
"""Relations whose other end, a noun, takes an article wherever it stands."""
_VERBAL_RELATIONS = frozenset({"UsedFor", "CapableOf", "Desires", "ReceivesAction"})


def form_of(words: tuple[str, ...], start: int, end: int, relation: str) -> str:
    """The form of the words of a question from `start` to `end`: what else stood there would need it too.

    >>> form_of(("which", "can", "be", "used", "for", "holding", "water"), 5, 7, "UsedFor")
    'gerund'
    """
    first = words[start].lower()
    before = words[start - 1].lower() if start else ""
    lemmas = verb_lemmas(first)
    if lemmas and relation in _VERBAL_RELATIONS:
        if first.endswith("ing") and first not in lemmas:
            return "gerund"
        if first in lemmas and (before in BEFORE_BASE or relation == "CapableOf"):
            return "gerund" if before == "of" else "base"
        if relation == "ReceivesAction" and before in _BE:
            return "participle"
        if first not in lemmas and is_third(first) and relation == "CapableOf" and before not in _PREPOSITIONS:
            return "third_person"
    if relation == "HasProperty":
        return "bare"
    if first in {"a", "an"} and end - start > 1:
        return "a"
    said = " ".join(words[start:end]).lower()
    if is_plural(said):
        return "plural"
    # Where the annotators left the article out or the noun needs none, another noun may need it.
    if before in (_BE if relation == "IsA" else _NEEDS_ARTICLE.get(relation, ())):
        return "a"
    if before != "the" and ("#" in relation or relation in TAKES_ARTICLE):
        return "a"
    return "bare" if plural(said) == said else "singular"


def with_article(entity: str) -> str:
    """What an annotator put where a noun with its article belongs, with the right article.

    >>> with_article("a animal"), with_article("zoo"), with_article("the sea"), with_article("France")
    ('an animal', 'a zoo', 'the sea', 'France')
    """
    first, _, rest = entity.partition(" ")
    noun = rest if rest and first.lower() in {"a", "an"} else entity
    fine = is_noun_phrase(noun.lower()) and not JOINED.search(noun) and noun.split()[0].lower() not in LEADING
    return indefinite(noun) if fine and not noun[:1].isupper() and " than " not in noun else entity


@lru_cache(maxsize=65536)
def say(entity: str, form: str) -> str:
    """An entity in the form a slot asks for.

    >>> say("drive a car", "gerund"), say("jazz clubs", "a"), say("a farm animal", "plural")
    ('driving a car', 'a jazz club', 'farm animals')
    """
    said = bare_words(entity)
    match form:
        case "gerund":
            return gerund(said)
        case "base":
            return base(said)
        case "third_person":
            return third_person(said)
        case "participle":
            return participle(said)
        case "a":
            return indefinite(singular(said))
        case "plural":
            return plural(said)
        case "singular":
            return singular(said)
    return said


def bare_words(entity: str) -> str:
    """The entity without its article; small letters where it only begins a sentence."""
    words = list(split_words(entity))
    while len(words) > 1 and words[0].lower() in {"a", "an", "the", "to"}:
        del words[0]
    if words and words[0][1:].islower() and not is_name(words[0]):
        words[0] = words[0].lower()
    return " ".join(words)
