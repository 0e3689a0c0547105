"""New entities for a slot: worded as the slot needs them, or refused where the question would not be good English."""

import re
from collections.abc import Iterable
from functools import lru_cache

from diptych.builders.fvqa2._articles import lost_article, noun_list, with_articles
from diptych.builders.fvqa2._entities import split_words
from diptych.builders.fvqa2._forms import ARTICLE_RELATIONS, VERB_FORMS, without_article
from diptych.builders.fvqa2._phrases import (
    CONJUNCTION,
    GRAMMAR_WORDS,
    OPENING_PREPOSITIONS,
    PARSER,
    hides_a_verb,
    is_adjective,
    is_mainly_noun,
    is_mainly_verb,
    is_name,
    is_noun_phrase,
    is_plural_noun,
    is_sayable,
    is_substance,
    is_verb_phrase,
    keeps_endings,
    may_be_verb,
)
from diptych.kg import wordnet
from diptych.kg.vocabulary import main_pos
from diptych.language import QuestionParser, base, is_mass, is_plural, plural, verb_lemmas

_ARTICLES = ("a ", "an ", "the ")
_QUANTIFIER = re.compile(
    r"(?:any|both|more|less|every|each|some|two|three|four|five|six|eight|ten|many|several|our|their|its|your|his|her|most|all)\b"
)
_INNER_DETERMINER = re.compile(r"^\w+ (?:an?|the) |\b(?:their|his|her|its|your)\b")
_NOT_A_CATEGORY = re.compile(r"^lists?\b|\bby\b|^(?:phenomena|society|societies|structure|life|nature)$", re.IGNORECASE)
_UNCOUNTED_RELATIONS = ARTICLE_RELATIONS | {"HasA", "PartOf"}
"""Relations whose other end, where it has no article, is a mass noun or a plural."""
_MOST_WORDS = 6
_UNSAYABLE = frozenset(
    "i he she they it we him them me us this that these those there who what when where why how which if because so"
    " something someone somebody anything everything nothing everyone anyone you also etc one ones it's clothe".split()
)


@lru_cache(maxsize=65536)
def fill(entity: str, form: str, relation: str, is_stemmed: bool = True, parser: QuestionParser = PARSER) -> str | None:
    """A new entity for a slot of some form; None where the question would not be good English.

    `is_stemmed` says that articles and plurals were lost and are to be put back.

    >>> fill("drive car", "gerund", "UsedFor"), fill("city", "gerund", "UsedFor")
    ('drive a car', None)
    """
    phrase = without_article(entity)
    if "/" in entity or not _has_plain_words(phrase):
        return None
    if form not in VERB_FORMS:
        return _noun_phrase(entity, phrase, form, relation, is_stemmed) if _fits_noun(phrase, form, relation) else None
    is_verb = verb_lemmas(phrase.split()[0]) if form == "participle" else is_verb_phrase(phrase, parser)
    if not is_verb or entity.lower().startswith(_ARTICLES):
        return None
    return _verb_phrase(phrase, form, is_stemmed, parser)


def _has_plain_words(phrase: str) -> bool:
    """Whether a phrase is a few words of a dictionary, without pronouns and the like."""
    words = [word.lower() for word in split_words(phrase)]
    return 1 <= len(words) <= _MOST_WORDS and _UNSAYABLE.isdisjoint(words) and all(map(is_sayable, words))


def parse_fillers(entities: Iterable[str], form: str, parser: QuestionParser) -> None:
    """Parse the verb phrases among some entities together, which is far faster than one by one in `fill`."""
    if form in VERB_FORMS:
        phrases = filter(_has_plain_words, map(without_article, entities))
        parser.prime(f"It can {phrase}." for phrase in phrases if verb_lemmas(phrase.split()[0]))


def _verb_phrase(phrase: str, form: str, is_stemmed: bool, parser: QuestionParser) -> str | None:
    match = CONJUNCTION.search(phrase)
    second = match[1] if match else ""
    if second and second not in GRAMMAR_WORDS and (form != "base" or second.endswith("ing")) and may_be_verb(second):
        return None  # the second verb would keep a form of its own: "installing or remove"
    if is_stemmed and hides_a_verb(phrase, parser):
        return None
    if not (is_stemmed or lost_article(phrase)):
        return phrase
    return with_articles(phrase if form == "participle" else base(phrase), parser)


def _noun_phrase(entity: str, phrase: str, form: str, relation: str, is_stemmed: bool) -> str | None:
    if is_stemmed and not keeps_endings(phrase):
        return None
    names = [word for word in phrase.split() if is_name(word)]
    if is_stemmed and any(wordnet().synsets(name.lower(), "n") for name in names):
        return None  # the graph leaves out the word between a name and its noun: "america favorite pastime"
    for name in names:
        phrase = re.sub(rf"\b{name}\b", name[:1].upper() + name[1:], phrase)
    if form == "plural" and not (is_plural(phrase) or plural(phrase) != phrase):
        return None
    takes_the = entity.lower().startswith("the ") or phrase in noun_list("the")
    return f"the {phrase}" if takes_the and form == "a" and relation == "AtLocation" else phrase


def _fits_noun(phrase: str, form: str, relation: str) -> bool:
    """Whether a phrase can stand in a slot that needs a noun or an adjective."""
    if relation == "HasProperty":
        return is_adjective(phrase)
    words = phrase.split()
    if relation in {"CapableOf", "ReceivesAction"} or words[0] in OPENING_PREPOSITIONS or not is_noun_phrase(phrase):
        return False
    if form != "bare" and (_QUANTIFIER.match(phrase) or CONJUNCTION.search(phrase) or _INNER_DETERMINER.search(phrase)):
        return False
    if not _fits_number(phrase, form, relation):
        return False
    if "'s" in phrase or (phrase.islower() and is_name(phrase.replace(" ", "_"))):
        return False
    if relation == "transnbhd" and _NOT_A_CATEGORY.search(phrase):
        return False
    if relation == "transnbhd" and form in {"plural", "singular"}:
        # A category's name is as it is: no one says "woodworkings".
        return is_plural(phrase) == (form == "plural")
    if not is_mainly_noun(words[-1]) and (relation in {"RelatedTo", "Desires"} or main_pos(words[-1]) == "v"):
        return False
    if relation == "IsA" and any(map(is_plural_noun, words[:-1])):
        return False
    return len(words) == 1 or (" than " not in phrase and not is_mainly_verb(words[0]))


def _fits_number(phrase: str, form: str, relation: str) -> bool:
    """Whether the noun is counted, uncounted or plural as the article of its slot needs it."""
    if form == "a":
        return is_mass(phrase) or not is_substance(phrase)
    if form in {"bare", "singular"} and relation in _UNCOUNTED_RELATIONS:
        return is_mass(phrase) or is_plural(phrase)
    return True
