"""The words that may stand in for a word: those around its sense in WordNet that people know, the nearest first."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from diptych.kg import Synset, wordnet
from diptych.kg.senses import default_sense
from diptych.kg.vocabulary import familiar_words, main_pos, reviewed_synonyms, word_count
from diptych.language import is_mass, is_plural

MOST_STEPS = 3
"""Steps up from a sense to its hypernyms."""

SYNONYM, HYPERNYM, HYPONYM, SIBLING = "synonym", "hypernym", "hyponym", "sibling"
_GRANDCHILD, _COUSIN = "hyponym of a hyponym", "cousin"
_NEXT_RELATIONS = {HYPONYM: _GRANDCHILD, SIBLING: _COUSIN}  # where a relation leads to nothing that people know

Neighbors = Iterator[tuple[int, Synset]]
"""Senses around a sense, each with the steps to it."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """A word that may stand in, the WordNet name of its sense, and how many steps away that is."""

    word: str
    sense: str
    distance: int
    frequency: int
    """How frequent it is in this sense in WordNet's tagged texts, and in the dataset's own questions."""


class StandIns:
    """The stand-ins of words in one dataset; each list is made once in the lifetime of the object.

    >>> stand_ins = StandIns({"animal": 7}, floor=2)
    >>> [stand_in.word for stand_in in stand_ins.find("hypernym", "dog", "dog.n.01")][:2]
    ['canine', 'domestic animal']
    """

    def __init__(self, word_counts: Mapping[str, int], floor: int) -> None:
        self.word_counts = word_counts
        """How often the dataset's own questions have a word."""
        self.floor = floor
        """How often they must have a word that is in no table of familiar words."""
        self._lists: dict[tuple[str, str, str], list[StandIn]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return StandIns, (self.word_counts, self.floor)

    def find(self, relation: str, word: str, sense: str) -> list[StandIn]:
        """The stand-ins of a word, nearest first; then single words before phrases, by frequency, and by name."""
        key = relation, word, sense
        if key not in self._lists:
            stand_ins = list(self._find(relation, word, sense))
            if not stand_ins and relation in _NEXT_RELATIONS:
                stand_ins = list(self._find(_NEXT_RELATIONS[relation], word, sense))
            self._lists[key] = sorted(stand_ins, key=_preference)
        return self._lists[key]

    def _find(self, relation: str, word: str, sense: str) -> Iterator[StandIn]:
        """The related words that people know and that can stand where the word stands."""
        synset = wordnet().synset(sense)
        is_reviewed = _reviewed_words(relation, word, synset) is not None
        for distance, sense_word in related_words(relation, word, synset):
            own_count = self._own_count(sense_word)
            if not (is_reviewed or own_count >= self.floor or _is_familiar(sense_word, relation)):
                continue
            if is_reviewed or _fits(sense_word.text, word, sense_word.synset):
                yield StandIn(sense_word.text, sense_word.synset.name, distance, sense_word.count + own_count)

    def _own_count(self, sense_word: "SenseWord") -> int:
        """How often the dataset's own questions have a word, if it mostly is of this part of speech."""
        count = self.word_counts.get(sense_word.text, 0)
        # "have" is hardly ever a noun.
        return count if count and main_pos(sense_word.text) == _plain_pos(sense_word.synset) else 0


def _preference(stand_in: StandIn) -> tuple[int, bool, int, str]:
    return stand_in.distance, " " in stand_in.word, -stand_in.frequency, stand_in.word


@lru_cache(maxsize=65536)
def has_related_word(relation: str, word: str, sense: str) -> bool:
    """Whether WordNet has a word there at all, even one that nobody would say."""
    synset = wordnet().synset(sense)
    if relation == SYNONYM and len(synset.lemma_names) > 1:
        return True
    return any(True for _ in related_words(relation, word, synset))


@lru_cache(maxsize=65536)
def sense_family(sense: str) -> str:
    """The kind of a sense, as WordNet's lexicographer files name it.

    >>> sense_family("dog.n.01")
    'noun.animal'
    """
    return wordnet().synset(sense).lexname


# The senses around a sense.


def _neighbors(relation: str, word: str, synset: Synset) -> Neighbors:
    return _synonyms(synset, word) if relation == SYNONYM else _STEPS[relation](synset)


def _synonyms(synset: Synset, word: str) -> Neighbors:
    """The word's own sense; what lies around it only for words whose synonyms were reviewed.

    A satellite adjective means what its head means; the other way round it need not ("smooth", "fast").
    """
    yield 0, synset
    if reviewed_synonyms().of(word, synset) is None:
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
        level = [parent for parent in parents if parent.name not in familiar_words().too_general]
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


@dataclass(frozen=True, slots=True)
class SenseWord:
    """A word in one sense."""

    text: str
    synset: Synset
    count: int
    """How often WordNet's tagged texts have the word in this sense."""
    spelling_key: str
    """Equal for spellings of one word: grey and gray, colour and color, t-shirt and tee shirt."""


def related_words(relation: str, word: str, synset: Synset) -> Iterator[tuple[int, SenseWord]]:
    """Every word that a relation leads to and that could be said, with the steps to it.

    >>> dog = wordnet().synset("dog.n.01")
    >>> [sense_word.text for _, sense_word in related_words("hypernym", "dog", dog)][:2]
    ['canine', 'canid']
    """
    own_key, seen_texts = _spelling_key(word), {word}
    is_usable = _usability(relation, word, synset)
    for distance, neighbor in _neighbors(relation, word, synset):
        for sense_word in _sense_words(neighbor):
            if sense_word.text not in seen_texts and sense_word.spelling_key != own_key:
                seen_texts.add(sense_word.text)
                if is_usable(sense_word.text):
                    yield distance, sense_word


def _usability(relation: str, word: str, synset: Synset) -> Callable[[str], bool]:
    """Whether a text may stand in for a word: as the review decides, or else by the table of what to avoid."""
    reviewed_words = _reviewed_words(relation, word, synset)
    if reviewed_words is not None:
        return reviewed_words.__contains__
    tables = familiar_words().avoid
    avoided_words = tables.get(word, frozenset()) | tables.get("*", frozenset())
    if relation == SYNONYM and synset.pos == "v":
        return lambda text: text not in avoided_words and " " not in text
    return lambda text: text not in avoided_words


@lru_cache(maxsize=65536)
def _sense_words(synset: Synset) -> tuple[SenseWord, ...]:
    """The words of a sense that could be said: of one or two parts, in small letters, and not vulgar."""
    words = zip(synset.lemma_names, synset.lemma_counts, strict=True)
    texts = ((name.replace("_", " "), count) for name, count in words)
    return tuple(SenseWord(text, synset, count, _spelling_key(text)) for text, count in texts if _is_sayable(text))


def _is_sayable(text: str) -> bool:
    letters = text.replace(" ", "").replace("-", "")
    is_plain = len(letters) > 2 and letters.isalpha() and letters.islower() and text.count(" ") < 2
    return is_plain and text not in familiar_words().never


def _spelling_key(word: str) -> str:
    return word.replace(" ", "").replace("-", "").replace("ou", "o").replace("grey", "gray")


def _reviewed_words(relation: str, word: str, synset: Synset) -> frozenset[str] | None:
    """The reviewed synonyms of a word; None where nobody has looked at it."""
    return reviewed_synonyms().of(word, synset) if relation == SYNONYM else None


def _is_familiar(sense_word: SenseWord, relation: str) -> bool:
    """Whether people know a word in a sense, by WordNet's tagged texts and the table of familiar words."""
    text, known_words = sense_word.text, familiar_words().known
    if sense_word.synset.lexname == "noun.person":
        return text in known_words
    if " " in text and relation in {SIBLING, _COUSIN}:
        return sense_word.count > 0  # there are always plenty: only those that texts have
    if " " in text:
        return all(part in known_words or word_count(part) > 2 for part in text.split())
    return sense_word.count > 0 or text in known_words


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
