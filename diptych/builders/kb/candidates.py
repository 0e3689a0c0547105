"""What may stand in for a word: the words around its sense in WordNet, with the steps to each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from diptych.kg import Synset, wordnet
from diptych.kg.senses import default_sense
from diptych.kg.vocabulary import familiar_words, main_pos, reviewed_synonyms, word_count
from diptych.language import is_mass, is_plural

MOST_STEPS = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word that may stand in, its sense, and how many steps away that is."""

    word: str
    synset: Synset
    distance: int
    relation: str
    frequency: int
    """How often WordNet's tagged texts have the word in this sense."""
    is_known: bool
    """Whether people know it even where the dataset's own questions do not have it."""
    is_reviewed: bool = False
    """Whether the table of synonyms has it, so that nothing more is asked of it."""

    def is_mainly_so(self) -> bool:
        """Whether the word mostly is of this part of speech ("have" is hardly ever a noun)."""
        return main_pos(self.word) == self.synset.pos.replace("s", "a")


def _hypernyms(synset: Synset) -> Iterator[tuple[int, Synset]]:
    edge, seen = [synset], {synset}
    for steps in range(1, MOST_STEPS + 1):
        above = [parent for each in edge for parent in each.hypernyms() if parent not in seen]
        edge = [parent for parent in dict.fromkeys(above) if parent.name not in familiar_words().too_general]
        seen.update(edge)
        yield from ((steps, parent) for parent in edge)


def _hyponyms(synset: Synset) -> Iterator[tuple[int, Synset]]:
    yield from ((1, each) for each in synset.hyponyms())


def _grandchildren(synset: Synset) -> Iterator[tuple[int, Synset]]:
    yield from ((2, below) for each in synset.hyponyms() for below in each.hyponyms())


def _siblings(synset: Synset) -> Iterator[tuple[int, Synset]]:
    yield from ((2, each) for each in synset.siblings())


def _cousins(synset: Synset) -> Iterator[tuple[int, Synset]]:
    uncles = dict.fromkeys(u for parent in synset.hypernyms() for u in parent.siblings())
    cousins = (cousin for uncle in uncles for cousin in uncle.hyponyms())
    yield from ((4, cousin) for cousin in cousins if cousin.lexname == synset.lexname)


FARTHER = {"hyponym": "hyponym of a hyponym", "sibling": "cousin"}
"""Where a relation is looked for when the nearest step finds nothing that people know."""
_SIDEWAYS = frozenset({"sibling", FARTHER["sibling"]})


def _synonyms(synset: Synset, word: str) -> Iterator[tuple[int, Synset]]:
    """The word's own synset; what lies around it only for words whose synonyms were reviewed.

    A satellite adjective means what its head means; the other way round it need not ("smooth", "fast").
    """
    yield 0, synset
    if reviewed_synonyms().of(word, synset) is None:
        yield from ((1, head) for head in synset.similar_tos() if synset.pos == "s")
        return
    yield from ((1, each) for each in synset.similar_tos())
    senses = wordnet().synsets(word.replace(" ", "_"), "v" if synset.pos == "v" else "a")
    near = [other for other in senses if other != synset and other.lexname == synset.lexname]
    yield from ((1, other) for other in near)  # a neighbouring sense of the word, of the same kind: see, watch
    yield from ((2, each) for other in near for each in other.similar_tos())
    yield from ((1, below) for below in synset.hyponyms())  # look, gaze
    yield from ((1, parent) for parent in synset.hypernyms())


def _around(relation: str, synset: Synset, word: str) -> Iterator[tuple[int, Synset]]:
    if relation == "synonym":
        return _synonyms(synset, word)
    return _STEPS[relation](synset)


_STEPS: dict[str, Callable[[Synset], Iterator[tuple[int, Synset]]]] = {
    "hypernym": _hypernyms,
    "hyponym": _hyponyms,
    "sibling": _siblings,
    FARTHER["hyponym"]: _grandchildren,
    FARTHER["sibling"]: _cousins,
}


@lru_cache(maxsize=65536)
def candidates(relation: str, word: str, synset: Synset) -> tuple[Candidate, ...]:
    """Every usable stand-in that a relation leads to, in no particular order of preference.

    >>> dog = wordnet().synset("dog.n.01")
    >>> [each.word for each in candidates("hypernym", "dog", dog)][:2]
    ['canine', 'canid']
    """
    found: dict[str, Candidate] = {}
    for distance, other in _around(relation, synset, word):
        for name, count in zip(other.lemma_names, other.lemma_counts, strict=True):
            stand_in = name.replace("_", " ")
            if stand_in not in found and _is_usable(stand_in, word, relation, synset):
                reviewed = relation == "synonym" and _is_reviewed(stand_in, word, synset)
                known = reviewed or _is_known(stand_in, other, relation, count)
                found[stand_in] = Candidate(stand_in, other, distance, relation, count, known, reviewed)
    return tuple(found.values())


def _is_usable(stand_in: str, word: str, relation: str, origin: Synset) -> bool:
    words = familiar_words()
    spelt = stand_in.replace(" ", "").replace("-", "")
    if not spelt.isalpha() or not spelt.islower() or len(spelt) < 3 or stand_in.count(" ") > 1:
        return False
    if stand_in in words.never or stand_in == word or _is_variant(stand_in, word):
        return False
    reviewed = reviewed_synonyms().of(word, origin) if relation == "synonym" else None
    if reviewed is not None:
        return stand_in in reviewed
    if stand_in in words.avoid.get(word, ()) or stand_in in words.avoid.get("*", ()):
        return False
    return relation != "synonym" or origin.pos != "v" or " " not in stand_in


@lru_cache(maxsize=65536)
def fits(stand_in: str, word: str, synset: Synset) -> bool:
    """Whether a stand-in counts as the word does, and is read in the meant sense: what it means by itself."""
    if synset.pos == "n" and (is_mass(stand_in) != is_mass(word) or is_plural(stand_in) != is_plural(word)):
        return False
    if synset.lexname == "noun.act" and stand_in.endswith("ing") and not word.endswith("ing"):
        return False  # "a sport" can be counted, "riding" cannot
    pos = "a" if synset.pos == "s" else synset.pos
    return " " in stand_in or _read_as(stand_in, pos, synset)


def _is_variant(stand_in: str, word: str) -> bool:
    """Another spelling of the same word: grey and gray, colour and color, t-shirt and tee shirt."""
    one, other = (
        each.replace(" ", "").replace("-", "").replace("ou", "o").replace("grey", "gray") for each in (stand_in, word)
    )
    return one == other


def _read_as(stand_in: str, pos: str, synset: Synset) -> bool:
    if pos != "n":
        return synset in wordnet().synsets(stand_in, pos)[:4]
    return default_sense(stand_in, pos) == synset


def _is_reviewed(stand_in: str, word: str, origin: Synset) -> bool:
    return stand_in in (reviewed_synonyms().of(word, origin) or ())


def _is_known(stand_in: str, synset: Synset, relation: str, count: int) -> bool:
    known = familiar_words().known
    if synset.lexname == "noun.person":
        return stand_in in known
    if " " in stand_in and relation in _SIDEWAYS:
        return count > 0  # there are always plenty: only those that texts have
    if " " in stand_in:
        return all(part in known or word_count(part) > 2 for part in stand_in.split())
    return count > 0 or stand_in in known
