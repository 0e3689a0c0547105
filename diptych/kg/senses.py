"""Which sense a word has in a question about an image: the first-sense prior, corrected.

Four things are looked at, the surest first, and nothing is drawn by chance:

1. a *cue*: a word beside it that settles the sense (a mouse with a keyboard), from a small table;
2. the *visible* sense from the same table, where WordNet's first sense is none that images show (plate: home plate);
3. else every sense is scored: how often WordNet's tagged texts have it, whether its kind can be seen at all (an
   artifact, an animal, food…), and how near it is in the graph to the question's other nouns;
4. the earlier sense wins a tie, so that without any evidence the first sense is taken.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import log

from diptych.kg.synset import Synset
from diptych.kg.wordnet import wordnet

SEEN_KINDS = frozenset(
    f"noun.{kind}"
    for kind in ["Tops", "animal", "artifact", "body", "food", "object", "person", "phenomenon", "plant", "substance"]
)
"""WordNet's kinds of things that an image shows."""

_POS = {"noun": "n", "verb": "v", "adjective": "a"}
_VISIBLE, _NEAR, _RANK = 1.5, 1.5, 0.35
_STEPS = 5
"""Two meanings this near in the graph speak for each other."""


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that settle the sense of another; a `+` marks a word that follows at once."""

    near: frozenset[str]
    sense: str


@dataclass(frozen=True, slots=True)
class SenseTable:
    """The table of visible senses and cues."""

    visible: Mapping[tuple[str, str], str]
    cues: Mapping[tuple[str, str], tuple[Cue, ...]]


@cache
def sense_table() -> SenseTable:
    """The table that ships with the package."""
    table = tomllib.loads((files("diptych.kg") / "visual_senses.toml").read_text(encoding="utf-8"))
    visible = {(word, pos): sense for kind, pos in _POS.items() for word, sense in table[kind].items()}
    cues: dict[tuple[str, str], tuple[Cue, ...]] = {}
    for entry in table["cue"]:
        key = entry["word"], entry["sense"].rsplit(".", 2)[1].replace("s", "a")
        cues[key] = (*cues.get(key, ()), Cue(frozenset(entry["near"]), entry["sense"]))
    return SenseTable(visible, cues)


def choose_sense(word: str, pos: str, context: Iterable[str] = ()) -> Synset | None:
    """The sense of a word (n, v or a) beside other words, or None where WordNet does not have it.

    >>> choose_sense("plate", "n"), choose_sense("plate", "n", ["umpire"])
    (Synset('plate.n.04'), Synset('home_plate.n.01'))
    >>> choose_sense("mouse", "n"), choose_sense("mouse", "n", ["keyboard"])
    (Synset('mouse.n.01'), Synset('mouse.n.04'))
    """
    key, around = (word, pos), frozenset(context)
    for cue in sense_table().cues.get(key, ()):
        if cue.near & around:
            return wordnet().synset(cue.sense)
    if key in sense_table().visible:
        return wordnet().synset(sense_table().visible[key])
    nouns = frozenset(other for other in around if other != word and not other.startswith("+"))
    return _best(word, pos, nouns if pos == "n" and len(_senses(word, pos)) > 1 else frozenset())


@lru_cache(maxsize=65536)
def default_sense(word: str, pos: str) -> Synset | None:
    """The sense a word has where nothing is known of its surroundings."""
    return choose_sense(word, pos)


@lru_cache(maxsize=65536)
def _senses(word: str, pos: str) -> tuple[Synset, ...]:
    return wordnet().synsets(word.replace(" ", "_"), pos)


@lru_cache(maxsize=262144)
def _best(word: str, pos: str, around: frozenset[str]) -> Synset | None:
    senses = _senses(word, pos)
    if len(senses) < 2:
        return senses[0] if senses else None
    scores = [_score(rank, sense, word, pos, around) for rank, sense in enumerate(senses)]
    return senses[max(range(len(senses)), key=lambda at: (scores[at], -at))]


def _score(rank: int, sense: Synset, word: str, pos: str, around: frozenset[str]) -> float:
    lemma = word.replace(" ", "_")
    seen = max(
        (n for name, n in zip(sense.lemma_names, sense.lemma_counts, strict=True) if name.lower() == lemma), default=0
    )
    score = log(1 + seen) - _RANK * rank
    if pos == "n":
        score += _VISIBLE * (sense.lexname in SEEN_KINDS)
        score += _NEAR * any(_is_near(sense, other) for other in around)
    return score


@lru_cache(maxsize=262144)
def _is_near(sense: Synset, other: str) -> bool:
    """Whether a sense lies near the usual sense of another word of the question."""
    known = sense_table().visible.get((other, "n"))
    senses = (wordnet().synset(known),) if known else _senses(other, "n")[:1]
    if not senses or senses[0] == sense:
        return False
    mine, theirs = _above(sense), _above(senses[0])
    return min((steps + theirs[synset] for synset, steps in mine.items() if synset in theirs), default=99) <= _STEPS


@lru_cache(maxsize=65536)
def _above(sense: Synset) -> dict[Synset, int]:
    """What lies at most so many steps above a sense, itself among it, with the steps to each."""
    found, edge = {sense: 0}, [sense]
    for steps in range(1, _STEPS + 1):
        edge = [parent for each in edge for parent in each.parents() if parent not in found]
        found |= dict.fromkeys(edge, steps)
    return found
