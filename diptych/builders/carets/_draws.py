"""The stage `draw`: for every image the phrases that presence questions could ask about, and where they are false.

Only the draws that the quotas can reach are worth a search for an image of which they are false; a draw that was not
searched here, and is needed after all, is searched when the questions are planned.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from random import Random
from typing import Any

import numpy as np
import orjson

from diptych.builders import Item
from diptych.builders.carets._graph_facts import SHAPES, GraphFacts, phrase_fields
from diptych.builders.carets._graphs import Graphs, NameIndex, random_graphs
from diptych.builders.carets._kind_phrases import broader_names, broader_phrases, narrower_names, narrower_phrase
from diptych.builders.carets._question_spec import CONJUNCTION, OBJECT, PRESENCE_TYPES
from diptych.builders.carets._quotas import ONTOLOGICAL
from diptych.pairs import row_rng
from diptych.scenegraphs import Phrase, SceneGraph, base_name, ontology, truth

_MARGIN = 2
# How many draws are searched for every question of a quota.


def hash_to_unit(*parts: object) -> float:
    """A number between 0 and 1 that depends on the arguments alone."""
    digest = blake2b(orjson.dumps(parts, default=str), digest_size=8).digest()
    return (int.from_bytes(digest, "big") + 0.5) / 2**64


@dataclass(frozen=True, slots=True)
class Draw(Item):
    """Phrases that are true of an image, drawn for one type of question."""

    type: str
    image_id: str
    noun: str
    """The base name of the first phrase."""
    rank: float
    phrases: str
    """Packed by `pack_phrases`."""
    absence: str | None = None
    """An image of which they are false; empty where none was found, None where none was searched for."""
    coin: float = 0.0
    """Decides which of the two images is asked about."""


def pack_phrases(phrases: Iterable[Phrase]) -> str:
    """Phrases as text that is equal where they are."""
    return orjson.dumps([phrase_fields(phrase) for phrase in phrases]).decode()


def unpack_phrases(text: str) -> tuple[Phrase, ...]:
    """The phrases that `pack_phrases` packed.

    >>> unpack_phrases(pack_phrases([Phrase("cup", "red")]))[0].text
    'red cup'
    """
    return tuple(Phrase(*fields) for fields in orjson.loads(text))


@dataclass(frozen=True, slots=True)
class DrawFacts:
    """What draws depend on besides the image."""

    test: str
    seed: int
    quotas: Mapping[str, int]
    graphs: Graphs
    names: NameIndex
    matched: bool = True
    """Whether absences are matched, or drawn as in the paper."""
    rank_limits: Mapping[str, float] = field(default_factory=dict)
    """By type of question, the rank up to which absences are searched for."""


def rank_limits(test: str, quotas: Mapping[str, int], names: NameIndex) -> dict[str, float]:
    """By type, the rank up to which a few draws for every question of the quota are expected."""
    nouns = [noun for noun in names.graphs if _is_drawn(noun, test)]
    sizes = np.array([len(names.graphs[noun]) for noun in nouns], float)
    exponents = np.array([_rank_exponent(noun, names) for noun in nouns])
    # A pair of phrases takes two draws. The second phrase of a disjunction depends on the conjunctions that are asked.
    draws = {OBJECT: 1, CONJUNCTION: 2}
    return {
        type_: _expected_rank(sizes, exponents, _MARGIN * number * quotas[type_])
        for type_, number in draws.items()
        if type_ in quotas
    }


def _expected_rank(sizes: Any, exponents: Any, count: int) -> float:
    """The rank up to which so many draws are expected: u ** e is above t with the probability 1 - t ** (1 / e)."""
    low, high = 0.0, 1.0
    while sizes.sum() > count and high - low > 1e-9:
        middle = (low + high) / 2
        enough = (sizes * (1 - middle ** (1 / exponents))).sum() >= count
        low, high = (middle, high) if enough else (low, middle)
    return -low


def _rank_exponent(name: str, names: NameIndex) -> float:
    return float(1 / max(names.counts.get(name, 1) ** -0.5, 1e-3))


def _is_drawn(name: str, test: str) -> bool:
    if test == ONTOLOGICAL:
        return bool(broader_names(name) and narrower_names(name))
    return ontology().is_foreground(name)


def draw_phrases(row: GraphFacts, facts: DrawFacts) -> Iterator[Draw]:
    """The draws from one image for every type of presence question, the best first."""
    nouns = orjson.loads(row.phrases)
    for type_ in PRESENCE_TYPES:
        if not facts.quotas.get(type_):
            continue
        ranked = sorted(_rank_phrases(row.key, nouns, type_, facts), key=lambda entry: (entry[0], entry[1][0].text))
        if type_ == CONJUNCTION and facts.matched:
            ranked = [
                (rank, either_order(first, second, facts))
                for (rank, (first,)), (_, (second,)) in zip(ranked[::2], ranked[1::2], strict=False)
                if are_unrelated(first, second)
            ]
        limit = facts.rank_limits.get(type_, -1)
        for rank, phrases in ranked:
            absence, coin = find_absence(type_, row.key, phrases, facts) if rank <= limit else (None, 0.0)
            noun = base_name(phrases[0].name)
            key = f"{type_}/{row.key}/{noun}"
            yield Draw(facts.test, key, type_, row.key, noun, rank, pack_phrases(phrases), absence, coin)


def _rank_phrases(
    image_id: str, nouns: list[Any], type_: str, facts: DrawFacts
) -> Iterator[tuple[float, tuple[Phrase, ...]]]:
    """One phrase for every noun of an image, of a shape that is drawn, with a rank that favors rarer names.

    Never two phrases of one noun: those that turn out yes would stay together on this image and those that turn out no
    would not, so that a model trained on other images would learn the contrary of the truth.
    """
    rng = row_rng(facts.seed, f"{facts.test}/{type_}", image_id)
    shapes = len(SHAPES) if type_ == OBJECT else len(SHAPES) - 1
    for _, *phrases_by_shape in nouns:
        fitting_shapes = [phrases for phrases in phrases_by_shape[:shapes] if phrases]
        phrases = fitting_shapes[int(rng.random() * len(fitting_shapes))]
        phrase = Phrase(*phrases[int(rng.random() * len(phrases))])
        if not facts.matched or facts.test != ONTOLOGICAL or _is_drawn(phrase.name, facts.test):
            # Efraimidis and Spirakis's keys: sorted by them, phrases come in the order of a weighted sample.
            unit = hash_to_unit(facts.seed, facts.test, type_, image_id, phrase.text)
            yield -(unit ** _rank_exponent(phrase.name, facts.names)), (phrase,)


def either_order(first: Phrase, second: Phrase, facts: DrawFacts) -> tuple[Phrase, Phrase]:
    """Two phrases in an order that a coin decides."""
    coin = hash_to_unit(facts.seed, facts.test, "order", first.text, second.text)
    return (first, second) if coin < 0.5 else (second, first)


def are_unrelated(first: Phrase, second: Phrase) -> bool:
    """Whether two phrases are about different things: not about a cat and an animal, nor about two parts of one."""
    return base_name(second.name) not in _related_names(first.name)


@cache
def _related_names(name: str) -> frozenset[str]:
    return ontology().related_names(name)


def find_absence(type_: str, image_id: str, phrases: tuple[Phrase, ...], facts: DrawFacts) -> tuple[str, float]:
    """An image of which phrases are false, empty where none is found, and a coin."""
    texts = "/".join(phrase.text for phrase in phrases)
    rng = row_rng(facts.seed, f"{facts.test}/{type_}/absence", f"{image_id}/{texts}")
    if type_ == OBJECT:
        graph = _find_absence_of_one(image_id, phrases[0], facts, rng)
    else:
        # For two objects, by choice a graph that has one of them.
        name = phrases[int(rng.random() * 2)].name if type_ == CONJUNCTION else ""
        is_false = any if type_ == CONJUNCTION else all
        graphs = random_graphs(facts.graphs, facts.names, rng, name)
        graph = next((graph for graph in graphs if is_false(truth(phrase, graph) is False for phrase in phrases)), None)
    return graph.image_id if graph else "", rng.random()


def _find_absence_of_one(image_id: str, phrase: Phrase, facts: DrawFacts, rng: Random) -> SceneGraph | None:
    if facts.test == ONTOLOGICAL and not broader_phrases(phrase, facts.graphs[image_id]):
        return None
    # Where the phrase has an attribute, by choice a graph that has the noun with another one.
    name = phrase.name if phrase.attribute and rng.random() < 0.5 else ""
    graphs = random_graphs(facts.graphs, facts.names, rng, name)
    found = next((graph for graph in graphs if truth(phrase, graph) is False), None)
    if facts.test == ONTOLOGICAL and found and not narrower_phrase(phrase, found, facts.seed, facts.test):
        return None
    return found
