"""The words that may stand in for a word: those around its sense in WordNet that people know, the nearest first."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from diptych.kg import Synset, vocabulary, wordnet
from diptych.kg.senses import default_sense
from diptych.kg.vocabulary import reviewed_synonyms, word_count
from diptych.language import is_mass, is_plural

MOST_STEPS = 3  # up from a sense to its hypernyms

SYNONYM, HYPERNYM, HYPONYM, SIBLING = "synonym", "hypernym", "hyponym", "sibling"
_GRANDCHILD, _COUSIN = "hyponym of a hyponym", "cousin"
_NEXT_RELATIONS = {HYPONYM: _GRANDCHILD, SIBLING: _COUSIN}  # where a relation leads to nothing that people know

Neighbors = Iterator[tuple[int, Synset]]  # senses around a sense, each with the steps to it


@dataclass(frozen=True, slots=True)
class StandIn:
    """A word that may stand in, the WordNet name of its sense, and how many steps away that is."""

    word: str
    sense: str
    distance: int
    frequency: int  # of the word in this sense in WordNet's tagged texts
    path: str = "wordnet"  # `wordnet` where the graph has the relation, `table` where only a reviewed table says so


@dataclass(frozen=True, slots=True)
class StandIns:
    """The stand-ins that WordNet itself offers; each list is made once in the lifetime of the object."""

    _lists: dict[tuple[str, str, str], list[StandIn]] = field(default_factory=dict, init=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return StandIns, ()

    def find(self, relation: str, word: str, sense: str) -> list[StandIn]:
        """The stand-ins of a word, nearest first; then single words before phrases, by frequency, and by name."""
        key = relation, word, sense
        if key not in self._lists:
            stand_ins = list(self._find(relation, word, sense))
            if not stand_ins and relation in _NEXT_RELATIONS:
                stand_ins = list(self._find(_NEXT_RELATIONS[relation], word, sense))
            stand_ins.sort(key=lambda each: (each.distance, " " in each.word, -each.frequency, each.word))
            self._lists[key] = stand_ins
        return self._lists[key]

    def _find(self, relation: str, word: str, sense: str) -> Iterator[StandIn]:
        """The related words that people know and that can stand where the word stands."""
        synset = wordnet().synset(sense)
        is_reviewed = _reviewed_words(relation, word, synset) is not None
        for distance, neighbor, text, count in related_words(relation, word, synset):
            is_known = _is_familiar(text, neighbor, count, relation)
            if is_reviewed or (is_known and _fits(text, word, neighbor)):
                yield StandIn(text, neighbor.name, distance, count)


@lru_cache(maxsize=65536)
def has_related_word(relation: str, word: str, sense: str) -> bool:
    """Whether WordNet has a word there at all, even one that nobody would say."""
    synset = wordnet().synset(sense)
    has_own_synonym = relation == SYNONYM and len(synset.lemma_names) > 1
    return has_own_synonym or any(True for _ in related_words(relation, word, synset))


# The senses around a sense.


def _synonyms(synset: Synset, word: str) -> Neighbors:
    """The word's own sense; what lies around it only for words whose synonyms were reviewed.

    A satellite adjective means what its head means; the other way round it need not ("smooth", "fast").
    """
    yield 0, synset
    if reviewed_synonyms(word, synset) is None:
        yield from ((1, head) for head in synset.similar_tos() if synset.pos == "s")
        return
    yield from ((1, satellite) for satellite in synset.similar_tos())
    senses = wordnet().synsets(word.replace(" ", "_"), "v" if synset.pos == "v" else "a")
    own_kind = [sense for sense in senses if sense != synset and sense.lexname == synset.lexname]
    yield from ((1, sense) for sense in own_kind)  # another sense of the word, of the same kind: see, watch
    yield from ((2, satellite) for sense in own_kind for satellite in sense.similar_tos())
    yield from ((1, child) for child in synset.hyponyms())  # look, gaze
    yield from ((1, parent) for parent in synset.hypernyms())


def _hypernyms(synset: Synset) -> Neighbors:
    level, ancestors = [synset], {synset}
    for steps in range(1, MOST_STEPS + 1):
        parents = dict.fromkeys(parent for child in level for parent in child.hypernyms() if parent not in ancestors)
        level = [parent for parent in parents if parent.name not in vocabulary.TOO_GENERAL]
        ancestors.update(level)
        yield from ((steps, parent) for parent in level)


def _cousins(synset: Synset) -> Neighbors:
    uncles = dict.fromkeys(uncle for parent in synset.hypernyms() for uncle in parent.siblings())
    cousins = (cousin for uncle in uncles for cousin in uncle.hyponyms())
    yield from ((4, cousin) for cousin in cousins if cousin.lexname == synset.lexname)


_STEPS: dict[str, Callable[[Synset], Neighbors]] = {
    HYPERNYM: _hypernyms,
    HYPONYM: lambda synset: ((1, child) for child in synset.hyponyms()),
    _GRANDCHILD: lambda synset: ((2, grandchild) for child in synset.hyponyms() for grandchild in child.hyponyms()),
    SIBLING: lambda synset: ((2, sibling) for sibling in synset.siblings()),
    _COUSIN: _cousins,
}


# The words of those senses.


def related_words(relation: str, word: str, synset: Synset) -> Iterator[tuple[int, Synset, str, int]]:
    """Every word that a relation leads to and that could be said: the steps to it, its sense, itself, its count."""
    own_key, seen_texts = _spelling_key(word), {word}
    reviewed_words = _reviewed_words(relation, word, synset)
    avoided_words = vocabulary.AVOIDED_STAND_INS.get(word, frozenset()) | vocabulary.AVOIDED_STAND_INS["*"]
    takes_phrases = not (relation == SYNONYM and synset.pos == "v")
    for distance, neighbor in _synonyms(synset, word) if relation == SYNONYM else _STEPS[relation](synset):
        for text, count, spelling_key in _sense_words(neighbor):
            if text in seen_texts or spelling_key == own_key:
                continue
            seen_texts.add(text)
            is_usable = text not in avoided_words and (takes_phrases or " " not in text)
            if is_usable if reviewed_words is None else text in reviewed_words:
                yield distance, neighbor, text, count


@lru_cache(maxsize=65536)
def _sense_words(synset: Synset) -> tuple[tuple[str, int, str], ...]:
    """The words of a sense that could be said, how often WordNet's tagged texts have each, and its spelling key."""
    words = []
    for name, count in zip(synset.lemma_names, synset.lemma_counts, strict=True):
        text = name.replace("_", " ")
        letters = text.replace(" ", "").replace("-", "")
        # Of one or two parts, in small letters, and not vulgar.
        is_plain = len(letters) > 2 and letters.isalpha() and letters.islower() and text.count(" ") < 2
        if is_plain and text not in vocabulary.UNUSED_WORDS:
            words.append((text, count, _spelling_key(text)))
    return tuple(words)


def _spelling_key(word: str) -> str:
    """Equal for spellings of one word: grey and gray, colour and color, t-shirt and tee shirt."""
    return word.replace(" ", "").replace("-", "").replace("ou", "o").replace("grey", "gray")


def _reviewed_words(relation: str, word: str, synset: Synset) -> frozenset[str] | None:
    """The reviewed synonyms of a word; None where nobody has looked at it."""
    return reviewed_synonyms(word, synset) if relation == SYNONYM else None


def _is_familiar(text: str, synset: Synset, count: int, relation: str) -> bool:
    """Whether people know a word in a sense, by WordNet's tagged texts and the table of familiar words."""
    if synset.lexname == "noun.person":
        return text in vocabulary.FAMILIAR_WORDS
    if " " in text and relation in {SIBLING, _COUSIN}:
        return count > 0  # there are always plenty: only those that texts have
    if " " in text:
        return all(part in vocabulary.FAMILIAR_WORDS or word_count(part) > 2 for part in text.split())
    return count > 0 or text in vocabulary.FAMILIAR_WORDS


@lru_cache(maxsize=65536)
def _fits(text: str, word: str, synset: Synset) -> bool:
    """Whether a stand-in counts as the word does, and means by itself what is meant."""
    if synset.pos == "n" and (is_mass(text) != is_mass(word) or is_plural(text) != is_plural(word)):
        return False
    if synset.lexname == "noun.act" and text.endswith("ing") and not word.endswith("ing"):
        return False  # "a sport" can be counted, "riding" cannot
    if " " in text:
        return True
    pos = _plain_pos(synset)
    return default_sense(text, pos) == synset if pos == "n" else synset in wordnet().synsets(text, pos)[:4]


def _plain_pos(synset: Synset) -> str:
    """The part of speech, with satellite adjectives as adjectives."""
    return "a" if synset.pos == "s" else synset.pos
