"""Guards against questions with several right answers or none: facts that hold of most things, kinds that are none."""

import re
from functools import cache, lru_cache

from diptych.builders.fvqa2._entities import (
    WORD_LISTS,
    EntityKey,
    entity_key,
    hypernyms,
    is_kind_of,
    split_words,
    stem,
    word_set,
)
from diptych.builders.fvqa2._slots import without_article
from diptych.files import read_package_toml
from diptych.language import singular
from diptych.pairs import Skip

TOO_GENERAL = Skip("the fact holds for many things")

_TABLES = read_package_toml("diptych.builders.fvqa2", "guards.toml")
_PERSON_FREE_RELATIONS = frozenset("AtLocation HasProperty HasA PartOf RelatedTo transnbhd".split())
_KIND_RELATIONS = frozenset("IsA transnbhd".split())
_FOODS = frozenset(("food.n.01", "food.n.02"))
_SEEMING = frozenset(("appear", "seem"))
_BEFORE_SLOT = re.compile(r"\b(?P<preposition>in|at|on|inside) (?=\{\{|<slot>)", re.IGNORECASE)


@cache
def _entries(table: str, name: str) -> frozenset[EntityKey]:
    return frozenset(entity_key(entry) for entry in _TABLES[table][name].split(",") if entry.strip())


@cache
def _words(table: str, name: str) -> frozenset[str]:
    return frozenset(_TABLES[table][name].replace(",", " ").split())


@lru_cache(maxsize=65536)
def is_general(relation: str, entity: EntityKey, kind: str = "") -> bool:
    """Whether a fact holds for so many things that a question about it has many answers.

    A place is no longer too general where a kind of thing is asked for: "Which appliance is found in a kitchen?".
    """
    if "#" in relation:
        adjective = relation.partition("#")[0]
        holds_for_most = (adjective in _words("comparisons", "more") and entity in _entries("comparisons", "tiny")) or (
            adjective in _words("comparisons", "less") and entity in _entries("comparisons", "huge")
        )
        return holds_for_most or adjective in _words("comparisons", "vague")
    if relation == "AtLocation" and kind:
        return False
    if relation == "HasProperty" and len(entity) == 2 and entity[0] in _words("general", "adverbs"):
        entity = entity[1:]
    if relation == "IsA":
        return entity[0] in word_set("vague")
    if relation == "CapableOf" and (entity[0] in _SEEMING or entity in _entries("general", "HasProperty")):
        return True  # "can be dangerous"
    return relation in _TABLES["general"] and entity in _entries("general", relation)


@lru_cache(maxsize=65536)
def is_true_kind(relation: str, name: str, kind: str) -> bool:
    """Whether a thing is of the kind or category that a fact names, as far as WordNet knows the words."""
    if relation not in _KIND_RELATIONS:
        return True
    words = [word.lower() for word in split_words(kind)]
    while len(words) > 1 and words[0] in {"a", "an", "the"}:
        del words[0]
    if not words or _words("empty", "words") & {*words, *map(singular, words)}:
        return False
    if relation == "transnbhd" and entity_key(kind) in _entries("fields", "names"):
        return True
    head = re.split(r" (?:of|with|for|in|on|that|used|made|from|to) ", " ".join(words))[0]
    name = singular(without_article(name))
    return is_kind_of(name, singular(head)) or is_kind_of(name, singular(head.split()[-1]))


@lru_cache(maxsize=65536)
def agrees_with_kind(kind: str, name: str) -> bool:
    """Whether what is asked for can be of a kind: a ball is no sport, though one word names both."""
    head = split_words(name)[-1:] or ("",)
    return not kind or is_kind_of(head[0], kind) or is_kind_of(kind, head[0])


def is_used(relation: str, thing: EntityKey, entity: EntityKey) -> bool:
    """Whether a thing can be what something is done with: bread is baked, and one sails on the sea."""
    if relation != "UsedFor":
        return True
    is_cooked = entity[0] in _words("scenery", "cooking") and not _FOODS.isdisjoint(hypernyms(thing))
    return not is_cooked and thing not in _entries("scenery", "names")


@cache
def _kinds() -> frozenset[EntityKey]:
    """Kinds of things, which are no answers: an image shows a dog rather than a mammal."""
    return frozenset(map(entity_key, (*WORD_LISTS["kinds"].values(), *_TABLES["kinds"]["names"].split(","))))


@lru_cache(maxsize=65536)
def is_new_answer(relation: str, thing: EntityKey, name: str, entity: EntityKey, kind: str) -> bool:
    """Whether a thing can be the answer to a question that another thing answered: no person, and no kind of things."""
    if relation in _PERSON_FREE_RELATIONS and is_person(thing):
        return False
    if (
        not is_used(relation, thing, entity)
        or thing in _kinds()
        or thing == entity
        or (kind and (thing == entity_key(kind) or is_kind_of(kind, name)))
    ):
        return False
    return not (relation in _KIND_RELATIONS and is_kind_of(singular(" ".join(entity)), name))


def is_person(thing: EntityKey) -> bool:
    """Whether a name stands for people in general, who are everywhere."""
    return thing in _entries("people", "names")


def with_preposition(text: str, place: str) -> str:
    """A text whose slot is a place, with the preposition that people use for the place; "in" for none.

    >>> with_preposition("Which object is found in <slot>", "a street corner")
    'Which object is found on <slot>'
    """
    head = stem((split_words(place.split(" of ")[0]) or ("",))[-1])
    usual = next((name for name in ("on", "at") if head in _words("places", name)), "in")
    allowed = {"in", "at"} if head in _words("places", "either") else {usual, *(("inside",) if usual == "in" else ())}

    def replacement(match: re.Match[str]) -> str:
        preposition = match["preposition"]
        return match[0] if preposition.lower() in allowed else f"{usual} "

    return _BEFORE_SLOT.sub(replacement, text)
