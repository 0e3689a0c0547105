"""Entities of facts as words: when two of them are the same thing, said in whatever form."""

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from diptych.kg import wordnet
from diptych.kg.vocabulary import familiar_words
from diptych.language import noun_lemmas, singular, verb_lemmas

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
SILENT = frozenset(
    [
        "a",
        "an",
        "the",
        "to",
        "your",
        "their",
        "its",
        "his",
        "her",
        "my",
        "our",
        "some",
        "be",
        "is",
        "are",
        "was",
        "were",
        "been",
        "being",
    ]
)
"""Words that neither tell entities apart nor keep them together."""

Key = tuple[str, ...]
_SEEN = frozenset(
    f"noun.{name}" for name in ("animal", "artifact", "food", "plant", "object", "body", "substance", "Tops")
)
"""WordNet's fields of things that an image can show."""
_PLACES = frozenset(
    ["structure.n.01", "location.n.01", "event.n.01", "geological_formation.n.01", "gathering.n.01", "facility.n.01"]
)


@cache
def word_lists() -> dict[str, Any]:
    """The committed lists of words, by name."""
    return tomllib.loads(files("diptych.builders.fvqa2").joinpath("words.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """One form for all forms of a word, whether it is meant as a noun or a verb.

    >>> stem("holding"), stem("people"), stem("knives")
    ('hold', 'person', 'knife')
    """
    low = word.lower().replace("’", "'")
    forms = {low, *verb_lemmas(low), *noun_lemmas(low)}
    one = singular(low)
    forms.add(one)
    if one != low and not low.startswith(one[: max(2, len(one) - 2)]):
        return one  # people, men, mice
    return min(forms, key=lambda form: (len(form), form))


@lru_cache(maxsize=65536)
def split_words(text: str) -> tuple[str, ...]:
    """The words of a text, as written.

    >>> split_words("What's in the jazz-club?")
    ("What's", 'in', 'the', 'jazz-club')
    """
    return tuple(_WORD.findall(text.replace("_", " ")))


@lru_cache(maxsize=65536)
def key_of(entity: str) -> Key:
    """What an entity is known by, so that "a knife", "knives" and "Knife" are one.

    >>> key_of("the Knives") == key_of("a knife"), key_of("carrying people") == key_of("carry_person")
    (True, True)
    """
    stems = [stem(word) for word in split_words(entity)]
    return tuple(word for word in stems if word not in SILENT) or tuple(stems)


@lru_cache(maxsize=16384)
def is_kind_of(name: str, kind: str) -> bool:
    """Whether a thing is of a kind in one of its three commonest meanings.

    >>> is_kind_of("dog", "animal"), is_kind_of("airplane", "animal")
    (True, False)
    """
    asked = set(wordnet().synsets(_wordnet_name(kind), "n"))
    for synset in wordnet().synsets(_wordnet_name(name), "n")[:3]:
        if asked & {synset, *synset.closure()}:
            return True
    head = split_words(name)[-1:]
    return bool(head) and head[0] != name and is_kind_of(head[0], kind)


@lru_cache(maxsize=65536)
def is_same_thing(one: Key, other: Key) -> bool:
    """Whether two names may stand for one thing: a sofa is a couch, and a dog is an animal.

    >>> is_same_thing(("sofa",), ("couch",)), is_same_thing(("dog",), ("animal",)), is_same_thing(("dog",), ("cat",))
    (True, True, False)
    """
    if set(one) <= set(other) or set(other) <= set(one):
        return True
    first, second = (wordnet().synsets("_".join(name), "n")[:2] for name in (one, other))
    return any(a == b or a.is_a(b) or b.is_a(a) for a in first for b in second)


@lru_cache(maxsize=65536)
def meaning(thing: Key) -> str:
    """The synset that a name stands for as a thing of an image; empty where it says nothing in particular.

    >>> meaning(("sofa",)) == meaning(("couch",)), meaning(("object",))
    (True, '')
    """
    every = wordnet().synsets("_".join(thing), "n")[:4]
    seen = [synset for synset in every if synset.lexname in _SEEN]
    if not seen:
        return ""
    # An orange in a photograph is the fruit, not the tree.
    eaten = [synset for synset in seen if synset.lexname == "noun.food"] if seen[0].lexname == "noun.plant" else ()
    first = (eaten or seen)[0].name
    return "" if first in familiar_words().too_general else first


@lru_cache(maxsize=65536)
def broader(thing: Key) -> frozenset[str]:
    """What a thing is: the synset of its name and all above it.

    >>> "animal.n.01" in broader(("dog",)), "edible_fruit.n.01" in broader(("banana",))
    (True, True)
    """
    mine = meaning(thing)
    return frozenset((mine, *(each.name for each in wordnet().synset(mine).closure()))) if mine else frozenset()


def are_kin(one: Key, other: Key) -> bool:
    """Whether one name says more exactly what the other says: cow and cattle, racket and tennis racket.

    >>> are_kin(("cow",), ("cattle",)), are_kin(("cat",), ("person",)), are_kin(("baseball",), ("baseball", "bat"))
    (True, False, False)
    """
    return meaning(one) in broader(other) or meaning(other) in broader(one)


@lru_cache(maxsize=16384)
def is_place(entity: Key) -> bool:
    """Whether one can be at it: a building, a spot or an event.

    >>> is_place(("train", "station")), is_place(("wind", "sky"))
    (True, False)
    """
    found = wordnet().synsets("_".join(entity), "n") or wordnet().synsets(entity[-1], "n")
    return any(each.name in _PLACES for synset in found[:2] for each in (synset, *synset.closure()))


def _wordnet_name(name: str) -> str:
    return singular(name.lower()).replace(" ", "_")
