"""The grammatical form that a slot needs, and an entity in it."""

from functools import lru_cache

from diptych.builders.fvqa2._entities import split_words
from diptych.builders.fvqa2._phrases import (
    BASE_FORM_TRIGGERS,
    CONJUNCTION,
    OPENING_PREPOSITIONS,
    is_name,
    is_noun_phrase,
    is_third_person,
)
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

VERB_FORMS = frozenset("gerund base third_person participle".split())
"""The forms of verbs; the others are `a`, `plural`, `singular` and `bare`."""
ARTICLE_RELATIONS = frozenset("RelatedTo CreatedBy Desires".split())
"""Relations whose other end, a noun, takes an article wherever it stands."""

_BE = frozenset("is are be been being was were".split())
_PREPOSITIONS = frozenset("in on at inside near around for of to with".split())
_HAVE = frozenset("has have contains with".split())
_ARTICLE_TRIGGERS = {"AtLocation": _PREPOSITIONS, "HasA": _HAVE, "PartOf": _HAVE, "IsA": _BE}
"""By relation, the words after which a noun takes an article."""
_VERB_RELATIONS = frozenset("UsedFor CapableOf Desires ReceivesAction".split())


def slot_form(words: tuple[str, ...], start: int, end: int, relation: str) -> str:
    """The form of the words of a question from `start` to `end`: another entity in their place needs it too.

    >>> slot_form(("which", "can", "be", "used", "for", "holding", "water"), 5, 7, "UsedFor")
    'gerund'
    """
    first = words[start].lower()
    preceding_word = words[start - 1].lower() if start else ""
    verb_form = _verb_form(first, preceding_word, relation) if relation in _VERB_RELATIONS else ""
    if verb_form:
        return verb_form
    if relation == "HasProperty":
        return "bare"
    if first in {"a", "an"} and end - start > 1:
        return "a"
    phrase = " ".join(words[start:end]).lower()
    if is_plural(phrase):
        return "plural"
    # Where the annotators left the article out or the noun needs none, another noun may need it.
    if preceding_word in _ARTICLE_TRIGGERS.get(relation, ()):
        return "a"
    if preceding_word != "the" and ("#" in relation or relation in ARTICLE_RELATIONS):
        return "a"
    return "bare" if plural(phrase) == phrase else "singular"


def _verb_form(word: str, preceding_word: str, relation: str) -> str:
    """The form of a verb; empty where the word is none."""
    lemmas = verb_lemmas(word)
    if not lemmas:
        return ""
    if word.endswith("ing") and word not in lemmas:
        return "gerund"
    if word in lemmas and (preceding_word in BASE_FORM_TRIGGERS or relation == "CapableOf"):
        return "gerund" if preceding_word == "of" else "base"
    if relation == "ReceivesAction" and preceding_word in _BE:
        return "participle"
    is_finite = word not in lemmas and is_third_person(word)
    return "third_person" if is_finite and relation == "CapableOf" and preceding_word not in _PREPOSITIONS else ""


def with_article(entity: str) -> str:
    """The words that an annotator put where a noun with its article belongs, with the right article.

    >>> with_article("a animal"), with_article("zoo"), with_article("the sea"), with_article("France")
    ('an animal', 'a zoo', 'the sea', 'France')
    """
    first, _, rest = entity.partition(" ")
    noun = rest if rest and first.lower() in {"a", "an"} else entity
    is_phrase = is_noun_phrase(noun.lower()) and not CONJUNCTION.search(noun)
    takes_article = is_phrase and noun.split()[0].lower() not in OPENING_PREPOSITIONS
    return indefinite(noun) if takes_article and not noun[:1].isupper() and " than " not in noun else entity


@lru_cache(maxsize=65536)
def inflect(entity: str, form: str) -> str:
    """An entity in the form that a slot needs.

    >>> inflect("drive a car", "gerund"), inflect("jazz clubs", "a"), inflect("a farm animal", "plural")
    ('driving a car', 'a jazz club', 'farm animals')
    """
    phrase = without_article(entity)
    match form:
        case "gerund":
            return gerund(phrase)
        case "base":
            return base(phrase)
        case "third_person":
            return third_person(phrase)
        case "participle":
            return participle(phrase)
        case "a":
            return indefinite(singular(phrase))
        case "plural":
            return plural(phrase)
        case "singular":
            return singular(phrase)
    return phrase


def without_article(entity: str) -> str:
    """The entity without its article, in lower case unless it is a name."""
    words = list(split_words(entity))
    while len(words) > 1 and words[0].lower() in {"a", "an", "the", "to"}:
        del words[0]
    if words and words[0][1:].islower() and not is_name(words[0]):
        words[0] = words[0].lower()
    return " ".join(words)
