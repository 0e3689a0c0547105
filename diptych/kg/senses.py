"""The sense of a word in a question about an image: WordNet's first sense, corrected.

Four rules decide, in this order and without any randomness:

1. a *cue*: a nearby word that settles the sense (a mouse with a keyboard), from a small table;
2. the *visible* sense from the same table, where WordNet's first sense is not what images show (plate: home plate);
3. otherwise every sense gets a score from its frequency in WordNet's tagged texts, from whether its kind can be seen at
   all (an artifact, an animal, food…), and from its distance in the graph to the question's other nouns;
4. the earlier sense wins a tie, so that without any evidence the first sense is taken.
"""

from collections.abc import Iterable
from functools import lru_cache
from math import log

from diptych.files import read_package_toml
from diptych.kg._wordnet import Synset, wordnet

_SEEN_NOUNS = "Tops animal artifact body food object person phenomenon plant substance".split()
SEEN_KINDS = frozenset(f"noun.{kind}" for kind in _SEEN_NOUNS)  # the lexnames of things that an image can show
_POS = {"noun": "n", "verb": "v", "adjective": "a"}
_VISIBLE_BONUS, _NEAR_BONUS, _RANK_PENALTY = 1.5, 1.5, 0.35
_NEAR_STEPS = 5  # two meanings at most this far apart in the graph support each other


_TABLE = read_package_toml("diptych.kg", "visual_senses.toml")
VISIBLE_SENSES = {(word, pos): sense for kind, pos in _POS.items() for word, sense in _TABLE[kind].items()}
"""The visible sense by word and part of speech."""
_CUES: dict[tuple[str, str], list[tuple[frozenset[str], str]]] = {}
"""Words that settle the sense of a word near them, and that sense; `+` marks one that directly follows it."""
for _entry in _TABLE["cue"]:
    _key = _entry["word"], _entry["sense"].rsplit(".", 2)[1].replace("s", "a")
    _CUES.setdefault(_key, []).append((frozenset(_entry["near"]), _entry["sense"]))


def choose_sense(word: str, pos: str, context: Iterable[str] = ()) -> Synset | None:
    """The sense of a word (n, v or a) among other words; None if WordNet does not have the word.

    >>> choose_sense("mouse", "n"), choose_sense("mouse", "n", ["keyboard"])
    (Synset('mouse.n.01'), Synset('mouse.n.04'))
    """
    key, neighbors = (word, pos), frozenset(context)
    for near, sense in _CUES.get(key, ()):
        if near & neighbors:
            return wordnet().synset(sense)
    if key in VISIBLE_SENSES:
        return wordnet().synset(VISIBLE_SENSES[key])
    nouns = frozenset(neighbor for neighbor in neighbors if neighbor != word and not neighbor.startswith("+"))
    return _best_sense(word, pos, nouns if pos == "n" and len(_senses(word, pos)) > 1 else frozenset())


def sense_name(word: str, pos: str, context: Iterable[str] = ()) -> str:
    """The name of a base form's sense; empty for a form that is not taken to its base: "eaten", "lighter"."""
    sense = choose_sense(word, pos, context)
    is_base = sense is not None and (word in sense.lemma_names or (word, pos) in VISIBLE_SENSES)
    return sense.name if sense is not None and is_base else ""


@lru_cache(maxsize=65536)
def default_sense(word: str, pos: str) -> Synset | None:
    """The sense of a word without any context."""
    return choose_sense(word, pos)


@lru_cache(maxsize=65536)
def _senses(word: str, pos: str) -> tuple[Synset, ...]:
    return wordnet().synsets(word.replace(" ", "_"), pos)


@lru_cache(maxsize=16384)
def _best_sense(word: str, pos: str, nouns: frozenset[str]) -> Synset | None:
    senses = _senses(word, pos)
    scores = [_score(rank, sense, word, pos, nouns) for rank, sense in enumerate(senses)]
    return senses[scores.index(max(scores))] if senses else None


def _score(rank: int, sense: Synset, word: str, pos: str, nouns: frozenset[str]) -> float:
    lemma = word.replace(" ", "_")
    counts = zip(sense.lemma_names, sense.lemma_counts, strict=True)
    frequency = max((count for name, count in counts if name.lower() == lemma), default=0)
    score = log(1 + frequency) - _RANK_PENALTY * rank
    if pos == "n":
        score += _VISIBLE_BONUS * (sense.lexname in SEEN_KINDS)
        score += _NEAR_BONUS * any(_is_near(sense, noun) for noun in nouns)
    return score


@lru_cache(maxsize=65536)
def _is_near(sense: Synset, noun: str) -> bool:
    """Whether a sense is near the usual sense of another noun of the question."""
    usual_sense = VISIBLE_SENSES.get((noun, "n"))
    senses = (wordnet().synset(usual_sense),) if usual_sense else _senses(noun, "n")[:1]
    if not senses or senses[0] == sense:
        return False
    distance = sense.shortest_path_distance(senses[0])
    return distance is not None and distance <= _NEAR_STEPS
