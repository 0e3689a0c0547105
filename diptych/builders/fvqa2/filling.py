"""A new entity put into a slot, or refused where the question would not be good English."""

import re
from functools import lru_cache

from diptych.builders.fvqa2.articles import lost_article, noun_list, with_articles
from diptych.builders.fvqa2.entities import split_words
from diptych.builders.fvqa2.forms import TAKES_ARTICLE, VERBAL, bare_words
from diptych.builders.fvqa2.phrases import (
    JOINED,
    LEADING,
    SMALL,
    commoner_as_noun,
    commoner_as_verb,
    hides_a_verb,
    is_adjective,
    is_name,
    is_noun_phrase,
    is_plural_noun,
    is_sayable,
    is_stuff,
    is_verb_phrase,
    keeps_its_words,
    may_be_verb,
)
from diptych.kg import wordnet
from diptych.kg.vocabulary import main_pos
from diptych.language import base, is_mass, is_plural, plural, verb_lemmas

_ARTICLES = ("a ", "an ", "the ")
_COUNTED = re.compile(
    r"(?:any|both|more|less|every|each|some|two|three|four|five|six|eight|ten|many|several|our|their|its|your|his|her|most|all)\b"
)
_DETERMINED = re.compile(r"^\w+ (?:an?|the) |\b(?:their|his|her|its|your)\b")
_NO_CATEGORY = re.compile(r"^lists?\b|\bby\b|^(?:phenomena|society|societies|structure|life|nature)$", re.IGNORECASE)
_BARE_WHERE_MANY = TAKES_ARTICLE | {"HasA", "PartOf"}
_LONGEST = 6
_UNSAYABLE = frozenset(
    [
        "i",
        "he",
        "she",
        "they",
        "it",
        "we",
        "him",
        "them",
        "me",
        "us",
        "this",
        "that",
        "these",
        "those",
        "there",
        "who",
        "what",
        "when",
        "where",
        "why",
        "how",
        "which",
        "if",
        "because",
        "so",
        "something",
        "someone",
        "somebody",
        "anything",
        "everything",
        "nothing",
        "everyone",
        "anyone",
        "you",
        "also",
        "etc",
        "one",
        "ones",
        "it's",
        "clothe",
    ]
)


@lru_cache(maxsize=65536)
def fill(entity: str, form: str, relation: str, stemmed: bool = True) -> str | None:
    """A new entity ready for a slot of some form, or nothing where the question would not be good English.

    `stemmed` says that articles and plurals were lost and are to be put back.

    >>> fill("drive car", "gerund", "UsedFor"), fill("city", "gerund", "UsedFor")
    ('drive a car', None)
    """
    said = bare_words(entity)
    words = [word.lower() for word in split_words(said)]
    if (
        "/" in entity
        or not 1 <= len(words) <= _LONGEST
        or not _UNSAYABLE.isdisjoint(words)
        or not all(map(is_sayable, words))
    ):
        return None
    if not _fits(said, form, relation) or (form in VERBAL and entity.lower().startswith(_ARTICLES)):
        return None
    if form in VERBAL:
        return _verb_phrase(said, form, stemmed)
    return _noun_phrase(entity, said, form, relation, stemmed)


def _verb_phrase(said: str, form: str, stemmed: bool) -> str | None:
    second = JOINED.search(said)
    if second and second[1] not in SMALL and (form != "base" or second[1].endswith("ing")) and may_be_verb(second[1]):
        return None  # the second verb would keep a form of its own: "installing or remove"
    if stemmed and hides_a_verb(said):
        return None
    whole = said if form == "participle" else base(said)
    return with_articles(whole) if stemmed or lost_article(said) else said


def _noun_phrase(entity: str, said: str, form: str, relation: str, stemmed: bool) -> str | None:
    if stemmed and not keeps_its_words(said):
        return None
    names = [word for word in said.split() if is_name(word)]
    if stemmed and any(wordnet().synsets(name.lower(), "n") for name in names):
        return None  # the graph leaves out what ties a name to its noun: "america favorite pastime"
    for name in names:
        said = re.sub(rf"\b{name}\b", name[:1].upper() + name[1:], said)
    if form == "plural" and not (is_plural(said) or plural(said) != said):
        return None
    if form == "a" and relation == "AtLocation" and (entity.lower().startswith("the ") or said in noun_list("the")):
        return f"the {said}"
    return said


def _fits(said: str, form: str, relation: str) -> bool:
    if form == "participle":
        return bool(verb_lemmas(said.split()[0]))
    if form in VERBAL:
        return is_verb_phrase(said)
    if relation == "HasProperty":
        return is_adjective(said)
    if relation in {"CapableOf", "ReceivesAction"} or said.split()[0] in LEADING or not is_noun_phrase(said):
        return False
    if form != "bare" and (_COUNTED.match(said) or JOINED.search(said) or _DETERMINED.search(said)):
        return False
    if form == "a" and is_stuff(said) and not is_mass(said):
        return False
    if form in {"bare", "singular"} and relation in _BARE_WHERE_MANY and not (is_mass(said) or is_plural(said)):
        return False
    if "'s" in said or (said.islower() and is_name(said.replace(" ", "_"))):
        return False
    if relation == "transnbhd" and _NO_CATEGORY.search(said):
        return False
    if relation == "transnbhd" and form in {"plural", "singular"}:
        # A category's name is as it is: no one says "woodworkings".
        return is_plural(said) == (form == "plural")
    words = said.split()
    if not commoner_as_noun(words[-1]) and (relation in {"RelatedTo", "Desires"} or main_pos(words[-1]) == "v"):
        return False
    if relation == "IsA" and any(map(is_plural_noun, words[:-1])):
        return False
    return " " not in said or (" than " not in said and not commoner_as_verb(words[0]))
