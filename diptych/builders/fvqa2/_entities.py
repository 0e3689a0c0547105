"""Entities of facts as words: when two of them name the same thing, in whatever form they are written."""

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from diptych.kg import wordnet
from diptych.kg.vocabulary import familiar_words
from diptych.language import noun_lemmas, singular, verb_lemmas

FUNCTION_WORDS = frozenset("a an the to your their its his her my our some be is are was were been being".split())
"""Words that neither tell entities apart nor keep them together."""

EntityKey = tuple[str, ...]
"""The stems of an entity's words: equal for two ways of writing one entity."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_VISIBLE_FIELDS = frozenset(f"noun.{name}" for name in "animal artifact food plant object body substance Tops".split())
"""WordNet's fields of things that an image can show."""
_PLACE_SYNSETS = frozenset(
    "structure.n.01 location.n.01 event.n.01 geological_formation.n.01 gathering.n.01 facility.n.01".split()
)


@cache
def word_lists() -> dict[str, Any]:
    """The lists of words in this folder, by name."""
    return tomllib.loads(files("diptych.builders.fvqa2").joinpath("words.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """One form for all forms of a word, whether it is meant as a noun or a verb.

    >>> stem("holding"), stem("people"), stem("knives")
    ('hold', 'person', 'knife')
    """
    low = word.lower().replace("’", "'")
    singular_form = singular(low)
    if singular_form != low and not low.startswith(singular_form[: max(2, len(singular_form) - 2)]):
        return singular_form  # people, men, mice
    forms = {low, singular_form, *verb_lemmas(low), *noun_lemmas(low)}
    return min(forms, key=lambda form: (len(form), form))


@lru_cache(maxsize=65536)
def split_words(text: str) -> tuple[str, ...]:
    """The words of a text, as written.

    >>> split_words("What's in the jazz-club?")
    ("What's", 'in', 'the', 'jazz-club')
    """
    return tuple(_WORD.findall(text.replace("_", " ")))


@lru_cache(maxsize=65536)
def entity_key(entity: str) -> EntityKey:
    """The key of an entity, so that "a knife", "knives" and "Knife" are one.

    >>> entity_key("the Knives") == entity_key("a knife"), entity_key("carrying people") == entity_key("carry_person")
    (True, True)
    """
    stems = [stem(word) for word in split_words(entity)]
    return tuple(word for word in stems if word not in FUNCTION_WORDS) or tuple(stems)


@lru_cache(maxsize=16384)
def is_kind_of(name: str, kind: str) -> bool:
    """Whether a thing is of a kind in one of its three commonest meanings.

    >>> is_kind_of("dog", "animal"), is_kind_of("airplane", "animal")
    (True, False)
    """
    kinds = set(wordnet().synsets(_wordnet_name(kind), "n"))
    for synset in wordnet().synsets(_wordnet_name(name), "n")[:3]:
        if not kinds.isdisjoint((synset, *synset.closure())):
            return True
    head = split_words(name)[-1:]
    return bool(head) and head[0] != name and is_kind_of(head[0], kind)


def _wordnet_name(name: str) -> str:
    return singular(name.lower()).replace(" ", "_")


class _Senses(NamedTuple):
    """The words of an entity, the two commonest meanings of its name, and everything above these."""

    words: frozenset[str]
    synsets: frozenset[int]
    hypernyms: frozenset[int]


@lru_cache(maxsize=65536)
def _senses(entity: EntityKey) -> _Senses:
    synsets = wordnet().synsets("_".join(entity), "n")[:2]
    hypernyms = {parent.number for synset in synsets for parent in (synset, *synset.closure())}
    return _Senses(frozenset(entity), frozenset(synset.number for synset in synsets), frozenset(hypernyms))


def is_same_thing(first: EntityKey, second: EntityKey) -> bool:
    """Whether two names may stand for one thing: a sofa is a couch, and a dog is an animal.

    >>> is_same_thing(("sofa",), ("couch",)), is_same_thing(("dog",), ("animal",)), is_same_thing(("dog",), ("cat",))
    (True, True, False)
    """
    words, synsets, hypernyms = _senses(first)
    other_words, other_synsets, other_hypernyms = _senses(second)
    if words <= other_words or other_words <= words:
        return True
    return not (synsets.isdisjoint(other_hypernyms) and other_synsets.isdisjoint(hypernyms))


@lru_cache(maxsize=65536)
def meaning(thing: EntityKey) -> str:
    """The synset that a name stands for as a thing in an image; empty where it says nothing in particular.

    >>> meaning(("sofa",)) == meaning(("couch",)), meaning(("object",))
    (True, '')
    """
    synsets = [synset for synset in wordnet().synsets("_".join(thing), "n")[:4] if synset.lexname in _VISIBLE_FIELDS]
    if not synsets:
        return ""
    # An orange in a photograph is the fruit, not the tree.
    is_plant = synsets[0].lexname == "noun.plant"
    foods = [synset for synset in synsets if synset.lexname == "noun.food"] if is_plant else ()
    name = (foods or synsets)[0].name
    return "" if name in familiar_words().too_general else name


@lru_cache(maxsize=65536)
def hypernyms(thing: EntityKey) -> frozenset[str]:
    """What a thing is: the synset of its name and all above it.

    >>> "animal.n.01" in hypernyms(("dog",)), "edible_fruit.n.01" in hypernyms(("banana",))
    (True, True)
    """
    name = meaning(thing)
    return frozenset((name, *(parent.name for parent in wordnet().synset(name).closure()))) if name else frozenset()


def are_kin(first: EntityKey, second: EntityKey) -> bool:
    """Whether one name says more exactly what the other says: cow and cattle, racket and tennis racket.

    >>> are_kin(("cow",), ("cattle",)), are_kin(("cat",), ("person",)), are_kin(("baseball",), ("baseball", "bat"))
    (True, False, False)
    """
    return meaning(first) in hypernyms(second) or meaning(second) in hypernyms(first)


@lru_cache(maxsize=16384)
def is_place(entity: EntityKey) -> bool:
    """Whether one can be at it: a building, a spot or an event.

    >>> is_place(("train", "station")), is_place(("wind", "sky"))
    (True, False)
    """
    synsets = wordnet().synsets("_".join(entity), "n") or wordnet().synsets(entity[-1], "n")
    return any(parent.name in _PLACE_SYNSETS for synset in synsets[:2] for parent in (synset, *synset.closure()))
