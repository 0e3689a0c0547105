"""Entities of facts as words: when two of them name the same thing, in whatever form they are written."""

import re
from functools import cache, lru_cache

from diptych.files import read_package_toml
from diptych.kg import Synset, wordnet
from diptych.kg.senses import VISIBLE_SENSES
from diptych.kg.vocabulary import TOO_GENERAL
from diptych.language import noun_lemmas, singular, verb_lemmas

EntityKey = tuple[str, ...]  # the stems of an entity's words: equal for two ways of writing one entity

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
# WordNet's fields of things that an image can show.
_VISIBLE_FIELDS = frozenset(f"noun.{name}" for name in "animal artifact food plant object body substance Tops".split())
_FOODS = frozenset(("food.n.01", "food.n.02"))
_PLACE_SYNSETS = frozenset(
    f"{name}.n.01" for name in "structure location event geological_formation gathering facility".split()
)


WORD_LISTS = read_package_toml("diptych.builders.fvqa2", "words.toml")


@cache
def word_set(name: str) -> frozenset[str]:
    """One of the lists of words in this folder."""
    return frozenset(WORD_LISTS[name].split())


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """One form for all forms of a word, whether a noun or a verb: "hold" of "holding", "person" of "people"."""
    low = word.lower().replace("’", "'")
    singular_form = singular(low)
    if singular_form != low and not low.startswith(singular_form[: max(2, len(singular_form) - 2)]):
        return singular_form  # people, men, mice
    forms = {low, singular_form, *verb_lemmas(low), *noun_lemmas(low)}
    return min(forms, key=lambda form: (len(form), form))


@lru_cache(maxsize=65536)
def split_words(text: str) -> tuple[str, ...]:
    """The words of a text as written; "what's" and "jazz-club" are one each."""
    return tuple(_WORD.findall(text.replace("_", " ")))


@lru_cache(maxsize=65536)
def entity_key(entity: str) -> EntityKey:
    """The key of an entity, so that "a knife", "knives" and "Knife" are one."""
    stems = [stem(word) for word in split_words(entity)]
    return tuple(word for word in stems if word not in word_set("function")) or tuple(stems)


@lru_cache(maxsize=65536)
def synsets(word: str, pos: str | None = None) -> tuple[Synset, ...]:
    """The meanings of a word in WordNet, the most frequent first."""
    return wordnet().synsets(word, pos)


@lru_cache(maxsize=65536)
def lineage(synset: Synset) -> frozenset[Synset]:
    """A meaning and everything above it."""
    return frozenset((synset,)).union(*map(lineage, synset.parents()))


@lru_cache(maxsize=16384)
def is_kind_of(name: str, kind: str) -> bool:
    """Whether a thing is of a kind in one of its three commonest meanings: a dog is an animal."""
    kind_senses, senses = (synsets(singular(text.lower()).replace(" ", "_"), "n") for text in (kind, name))
    if any(not lineage(synset).isdisjoint(kind_senses) for synset in senses[:3]):
        return True
    head = split_words(name)[-1:]
    return not senses and bool(head) and head[0] != name and is_kind_of(head[0], kind)


@lru_cache(maxsize=65536)
def _senses(entity: EntityKey) -> tuple[frozenset[str], tuple[Synset, ...], frozenset[Synset]]:
    """The words of an entity, the two commonest meanings of its name, and everything above these."""
    senses = synsets("_".join(entity), "n")[:2]
    return frozenset(entity), senses, frozenset().union(*map(lineage, senses))


def is_same_thing(first: EntityKey, second: EntityKey) -> bool:
    """Whether two names may stand for one thing: a sofa is a couch, and a dog is an animal."""
    if meaning(first) and meaning(first) == meaning(second):
        return True
    words, senses, ancestors = _senses(first)
    other_words, other_senses, other_ancestors = _senses(second)
    if words <= other_words or other_words <= words:
        return True
    return not (ancestors.isdisjoint(other_senses) and other_ancestors.isdisjoint(senses))


@lru_cache(maxsize=65536)
def meaning(thing: EntityKey) -> str:
    """The synset that a name stands for as a thing in an image; empty where it says no more than "object"."""
    visible_sense = VISIBLE_SENSES.get((" ".join(thing), "n"))
    if visible_sense is not None:  # a monitor is no ironclad ship
        return "" if visible_sense in TOO_GENERAL else visible_sense
    senses = [synset for synset in synsets("_".join(thing), "n")[:4] if synset.lexname in _VISIBLE_FIELDS]
    if not senses:
        return ""
    # An orange in a photograph is the fruit, not the tree.
    is_plant = senses[0].lexname == "noun.plant"
    foods = [synset for synset in senses if synset.lexname == "noun.food"] if is_plant else ()
    name = (foods or senses)[0].name
    return "" if name in TOO_GENERAL else name


def thing_field(thing: EntityKey) -> str:
    """WordNet's field of a thing, such as `noun.animal`; empty where its name may stand for two kinds of things."""
    name = "" if thing in {(word,) for word in word_set("ambiguous")} else meaning(thing)
    return wordnet().synset(name).lexname if name else ""


@lru_cache(maxsize=65536)
def hypernyms(thing: EntityKey) -> frozenset[str]:
    """What a thing is: the synset of its name and all above it, as a banana is an "edible_fruit.n.01"."""
    name = meaning(thing)
    names = frozenset(synset.name for synset in lineage(wordnet().synset(name))) if name else frozenset()
    return names - _FOODS if "beverage.n.01" in names else names  # nobody calls coffee food


def are_kin(first: EntityKey, second: EntityKey) -> bool:
    """Whether one name says more exactly what the other says: cow and cattle, racket and tennis racket."""
    return meaning(first) in hypernyms(second) or meaning(second) in hypernyms(first)


@lru_cache(maxsize=16384)
def is_place(entity: EntityKey) -> bool:
    """Whether one can be at it: a building, a spot or an event."""
    senses = synsets("_".join(entity), "n") or synsets(entity[-1], "n")
    return any(parent.name in _PLACE_SYNSETS for synset in senses[:2] for parent in lineage(synset))
