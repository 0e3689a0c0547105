"""The senses in which two words are synonyms, and the steps between them in WordNet."""

from functools import lru_cache

from diptych.builders.kb._stand_ins import StandIn
from diptych.kg import Synset, wordnet
from diptych.kg.vocabulary import sense_count
from diptych.language import base

ADJECTIVE, VERB = "adjective", "verb"
_POS = {ADJECTIVE: "a", VERB: "v"}
FARTHEST = 4  # steps; what is farther, or not tied at all, is a synonym by the table alone


@lru_cache(maxsize=65536)
def link_synonym(part: str, word: str, tail: str, stand_in: str) -> StandIn:
    """A stand-in with the sense that is nearest to a sense of the word, and the steps between them.

    >>> link_synonym("adjective", "small", "", "little")
    StandIn(word='little', sense='small.a.01', distance=0, frequency=163, path='wordnet')
    """
    steps, _, target = _nearest(part, word, tail, stand_in)
    first = stand_in.split()[0]
    frequency = max(sense_count(target, name) for name in (stand_in, first, base(first)))
    return StandIn(stand_in, target.name, steps, frequency, "wordnet" if steps <= FARTHEST else "table")


@lru_cache(maxsize=65536)
def synonym_sense(part: str, word: str, tail: str, stand_in: str) -> str:
    """The name of the sense of a word that is nearest to a sense of its stand-in."""
    return _nearest(part, word, tail, stand_in)[1].name


@lru_cache(maxsize=65536)
def _nearest(part: str, word: str, tail: str, stand_in: str) -> tuple[int, Synset, Synset]:
    """The steps between two senses and those senses; early senses, which are the usual ones, rather than late ones."""
    links = [
        (_steps(origin, target) + rank / 8 + target_rank / 16, rank, origin, target)
        for rank, origin in enumerate(senses_of(part, f"{word} {tail}".strip()))
        for target_rank, target in enumerate(senses_of(part, stand_in))
    ]
    *_, origin, target = min(links, key=lambda link: link[:2])
    return _steps(origin, target), origin, target


def senses_of(part: str, phrase: str) -> list[Synset]:
    """The senses of a word or phrase as an adjective or a verb; where it has none, those of its words."""
    pos = _POS[part]
    words = phrase.split()
    senses = [*_senses(phrase, pos), *_senses(words[0], pos), *_senses(base(words[0]), "v")]
    return senses or [sense for word in reversed(words) for sense in _senses(word, None)]


def _senses(word: str, pos: str | None) -> tuple[Synset, ...]:
    return wordnet().synsets(word.replace(" ", "_"), pos)


@lru_cache(maxsize=65536)
def _steps(origin: Synset, target: Synset) -> int:
    """The steps between two senses: over hypernyms for verbs, over similar senses for adjectives."""
    if origin == target:
        return 0
    if "v" == origin.pos == target.pos:
        distance = origin.shortest_path_distance(target)
        return FARTHEST + 1 if distance is None else min(distance, FARTHEST + 1)
    level = {origin}
    for steps in range(1, FARTHEST):
        level = {near for synset in level for near in synset.similar_tos()}
        if target in level:
            return steps
    return FARTHEST + 1
