"""What could be asked about which objects are there: one, one with a relation, two together, one of two (Q1 to Q3).

*Matched absences*: the words of a question are settled first, with an image where the answer is yes and one where it
is no, and only then does a coin decide which of the two is shown. So nothing in the words can tell the answer. The
image of the no is the one, of some where the words are surely false, in which the object is about as plausible as in
the image of the yes. So the gist of the image does not tell the answer either.

The stage `sample` divides the nouns of every image into *units*. All questions from one unit share one coin and one
image of the no, whichever tests and types ask them: they always stand together, on the image of the yes or on that of
the no. (Otherwise those that turn out yes would stay together and those that turn out no would not, and a model that
learned from the other images would learn the contrary of the truth.) A unit belongs to one type of one test, which
takes it first; others ask about it only where they lack units of their own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import blake2b
from random import Random
from typing import Any

import numpy as np
import orjson

from diptych.builders import EVERY_TEST, Item, Rows
from diptych.builders.carets import _questions as questions
from diptych.builders.carets._graphs import GraphFacts, Graphs, NameIndex, phrases_for
from diptych.builders.carets._plausibility import SIZE_WEIGHT
from diptych.builders.carets._questions import CONJUNCTION, DISJUNCTION, OBJECT, ONTOLOGICAL, RELATION
from diptych.pairs import row_rng
from diptych.scenegraphs import Phrase, SceneGraph, base_name, ontology, truth

ONTOLOGICAL_SHARE = 0.4
"""The share of the nouns with a kind above them that are set aside for the ontological test."""
_SEARCHED = 3  # units that are made per question of all quotas, where there are more
_LACKING = 2.0  # what it weighs, in units of plausibility, that an image lacks an object that it should have
_OTHER_TRIES, _NEAR_NAMES = 4, 3


@dataclass(frozen=True, slots=True)
class PresenceUnit(Item):
    """An object of an image, and all that can be asked about it; phrases are packed, empty where there are none."""

    image_id: str  # where the phrases are true
    noun: str
    rank: float
    absence: str  # the image where they are false; empty where none was found
    coin: float  # decides which of the two images is asked about
    owner: str  # the test and type that asks about it first
    object: str
    relation: str = ""
    conjunction: str = ""
    disjunction: str = ""
    ontological: str = ""  # a name and a kind above it, in the order of the question and its partner
    second: str = ""  # the second noun of the conjunction; nothing else is asked about it
    has_second_relation: bool = False


@dataclass(frozen=True, slots=True)
class SampleFacts:
    """What units depend on, for one split; the same for every test."""

    seed: int
    graphs: Graphs
    matched: bool = True  # whether absences are matched, or drawn as in the paper
    candidates: int = 40  # images of which the absence is chosen
    quotas: Mapping[str, int] = field(default_factory=dict)  # by test and type, separated by a slash
    rank_limit: float = 0.0  # beyond it no unit is made


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """What the questions of a test depend on, for one split."""

    test: str
    quotas: Mapping[str, int]
    sample: SampleFacts
    units: Rows | None = None
    largest_share: float = 1.0  # of one pair of opposites in the antonym test
    opposites: int = 0  # how many questions the antonym test asks
    reuse: bool = True  # whether a test asks about what belongs to another, where it lacks questions

    @property
    def seed(self) -> int:
        """The seed of the build."""
        return self.sample.seed

    @property
    def graphs(self) -> Graphs:
        """The scene graphs."""
        return self.sample.graphs


def hash_to_unit(*parts: object) -> float:
    """A number between 0 and 1 that depends on the arguments alone."""
    digest = blake2b(orjson.dumps(parts, default=str), digest_size=8).digest()
    return (int.from_bytes(digest, "big") + 0.5) / 2**64


def limit_ranks(facts: SampleFacts) -> SampleFacts:
    """The facts with the rank up to which a few units for every question of all quotas are expected."""
    names = facts.graphs.names
    nouns = {noun: numbers for noun, numbers in names.graphs.items() if ontology().is_foreground(noun)}
    sizes = np.array([len(numbers) for numbers in nouns.values()], float)
    exponents = np.array([rank_exponent(noun, names) for noun in nouns])
    limit = _expected_rank(sizes, exponents, 2 * _SEARCHED * sum(facts.quotas.values()))  # many units take two nouns
    return replace(facts, rank_limit=limit)


def _expected_rank(sizes: Any, exponents: Any, count: int) -> float:
    """The rank up to which so many nouns are expected: u ** e is above t with the probability 1 - t ** (1 / e)."""
    low, high = 0.0, 1.0
    while sizes.sum() > count and high - low > 1e-9:
        center = (low + high) / 2
        expected_count = (sizes * (1 - center ** (1 / exponents))).sum()
        low, high = (center, high) if expected_count >= count else (low, center)
    return -low


def rank_exponent(name: str, names: NameIndex) -> float:
    """The exponent of Efraimidis and Spirakis's keys: sorted by them, rarer names are likelier to come first."""
    return float(1 / max(names.counts.get(name, 1) ** -0.5, 1e-3))


# Units.


@dataclass(frozen=True, slots=True)
class _Noun:
    name: str
    rank: float
    phrase: Phrase  # bare or with an attribute
    relation: Phrase | None


def sample_units(row: GraphFacts, facts: SampleFacts) -> Iterator[PresenceUnit]:
    """The units of one image."""
    rng = row_rng(facts.seed, "carets/presence", row.key)
    nouns = [_draw_noun(row.key, entry, facts, rng) for entry in orjson.loads(row.phrases)]
    nouns = sorted((noun for noun in nouns if noun.rank <= facts.rank_limit), key=lambda noun: (noun.rank, noun.name))
    if not facts.matched:
        yield from (_paper_unit(row.key, noun) for noun in nouns)
        return
    for_ontology = [noun for noun in nouns if _is_for_ontology(row.key, noun.name, facts.seed)]
    for noun in for_ontology:
        if unit := _ontological_unit(row.key, noun, facts):
            yield unit
    for primary, secondary in _pair_nouns([noun for noun in nouns if noun not in for_ontology]):
        yield _object_unit(row.key, primary, secondary, facts)


def _draw_noun(image_id: str, entry: list[Any], facts: SampleFacts, rng: Random) -> _Noun:
    name, *shapes, relations = entry
    choices = [phrases for phrases in shapes if phrases]
    phrases = choices[int(rng.random() * len(choices))]
    phrase = Phrase(*phrases[int(rng.random() * len(phrases))])
    relation = Phrase(*relations[int(rng.random() * len(relations))]) if relations else None
    rank = -(hash_to_unit(facts.seed, image_id, name) ** rank_exponent(phrase.name, facts.graphs.names))
    return _Noun(name, rank, phrase, relation)


def _is_for_ontology(image_id: str, noun: str, seed: int) -> bool:
    return hash_to_unit(seed, "ontology", image_id, noun) < ONTOLOGICAL_SHARE and bool(questions.broader_names(noun))


def _pair_nouns(nouns: list[_Noun]) -> Iterator[tuple[_Noun, _Noun | None]]:
    """Two nouns of different things, the one that has a relation first; what finds no other comes alone."""
    rest = list(nouns)
    while rest:
        first = rest.pop(0)
        second = next((noun for noun in rest if are_unrelated(first.name, noun.name)), None)
        if second is not None:
            rest.remove(second)
            if second.relation and not first.relation:
                first, second = second, first
        yield first, second


@cache
def are_unrelated(name: str, next_name: str) -> bool:
    """Whether two names are of different things: not of a cat and an animal, nor of two parts of one."""
    return base_name(next_name) not in ontology().related_names(name)


def _paper_unit(image_id: str, noun: _Noun) -> PresenceUnit:
    packed = questions.pack_phrases(noun.phrase)
    relation = questions.pack_phrases(noun.relation) if noun.relation else ""
    key = f"{image_id}/{noun.name}"
    return PresenceUnit(EVERY_TEST, key, image_id, noun.name, noun.rank, "", 0.0, "", packed, relation)


def _object_unit(image_id: str, primary: _Noun, secondary: _Noun | None, facts: SampleFacts) -> PresenceUnit:
    """What can be asked about a noun: alone, with a relation, with another of the image, or with one of another image.

    The image of the no has the second noun of a conjunction and the object of a relation, where there is such an image:
    else to look for these would be enough. Where the noun has an attribute, the image has it without in half of cases.
    """
    rng = row_rng(facts.seed, "carets/absence", f"{image_id}/{primary.name}")
    relation, names = primary.relation, [primary.name]
    near = [secondary.name] if secondary else []
    near += [base_name(relation.target)] if relation else []
    near += [primary.name] if primary.phrase.attribute and rng.random() < 0.5 else []
    scored = [names, [*names, secondary.name]] if secondary else [names]
    graph = _find_absence(image_id, [primary.phrase], scored, near, facts, rng)
    if graph is None:
        other = None
    else:
        relation = relation if relation and truth(relation, graph) is False else None
        other = _draw_other(primary.phrase, graph, facts, rng)
    packed = {
        OBJECT: questions.pack_phrases(primary.phrase),
        RELATION: questions.pack_phrases(relation) if relation else "",
        CONJUNCTION: _pack_either_order(primary.phrase, secondary.phrase, facts) if secondary else "",
        DISJUNCTION: _pack_either_order(primary.phrase, other, facts) if other else "",
    }
    key, owner = (
        f"{image_id}/{primary.name}",
        _draw_owner(image_id, primary.name, [type_ for type_ in packed if packed[type_]], facts),
    )
    ids = (image_id, primary.name, primary.rank, graph.image_id if graph else "", rng.random(), owner)
    phrases = (packed[OBJECT], packed[RELATION], packed[CONJUNCTION], packed[DISJUNCTION])
    unit = PresenceUnit(EVERY_TEST, key, *ids, *phrases)
    return replace(unit, second=secondary.name, has_second_relation=bool(secondary.relation)) if secondary else unit


def _ontological_unit(image_id: str, noun: _Noun, facts: SampleFacts) -> PresenceUnit | None:
    """A name and a kind above it, both true of one image and both false of the other; a coin decides which is first.

    The paper asks a yes by the name and then by the kind, a no the other way round: there the nouns tell the answer.
    """
    rng = row_rng(facts.seed, "carets/absence", f"{image_id}/{noun.name}")
    phrase = noun.relation if noun.relation and rng.random() < 1 / 3 else noun.phrase
    broader = questions.broader_phrases(phrase, facts.graphs[image_id])
    if not broader:
        return None
    kind = broader[int(rng.random() * len(broader))]
    near = [base_name(phrase.target)] if phrase.relation else []
    near += [noun.name] if phrase.attribute and rng.random() < 0.5 else []
    scored = [[noun.name], [base_name(kind.name)]]
    graph = _find_absence(image_id, [phrase, kind], scored, near, facts, rng)
    phrases = (phrase, kind) if rng.random() < 0.5 else (kind, phrase)
    packed, absence = questions.pack_phrases(*phrases), graph.image_id if graph else ""
    key, owner = f"{image_id}/{noun.name}", f"{ONTOLOGICAL}/{OBJECT}"
    ids = (image_id, noun.name, noun.rank, absence, rng.random(), owner)
    phrase_pack = questions.pack_phrases(noun.phrase)
    relation_pack = questions.pack_phrases(noun.relation) if noun.relation else ""
    return PresenceUnit(EVERY_TEST, key, *ids, phrase_pack, relation_pack, ontological=packed)


def _find_absence(
    image_id: str,
    phrases: Sequence[Phrase],
    scored: Sequence[Sequence[str]],
    near: Sequence[str],
    facts: SampleFacts,
    rng: Random,
) -> SceneGraph | None:
    """Of some images, the one where all phrases are surely false and some sets of nouns most nearly as plausible.

    Half of the images are any; the others have an object that stands beside the noun, or one of the names `near`.
    """
    graphs, company = facts.graphs, facts.graphs.company
    related = frozenset[str]().union(*(ontology().related_names(phrase.name) for phrase in phrases))
    beside = sorted({base_name(thing.name) for thing in graphs[image_id].objects} - related)
    names = [*near, *rng.sample(beside, min(_NEAR_NAMES, len(beside)))]
    numbers = graphs.draw(rng, names, facts.candidates)
    distances = np.zeros(len(numbers))
    for nouns in scored:
        own = company.measure(nouns, [graphs.numbers[image_id]], is_own=True)
        distances += np.abs(company.measure(nouns, numbers) - own) @ (1.0, SIZE_WEIGHT)
    for name in near:
        distances += _LACKING * ~graphs.have(name, numbers)
    for position in np.argsort(distances, kind="stable"):
        graph = graphs[graphs.image_ids[numbers[position]]]
        if all(truth(phrase, graph) is False for phrase in phrases):
            return graph
    return None


def _draw_other(phrase: Phrase, absence: SceneGraph, facts: SampleFacts, rng: Random) -> Phrase | None:
    """A phrase from any image that is false of the absence too."""
    graphs = facts.graphs
    for _ in range(_OTHER_TRIES):
        graph = graphs[graphs.image_ids[int(rng.random() * len(graphs.image_ids))]]
        things = [thing for thing in graph.objects if ontology().is_foreground(thing.name)]
        if things:
            thing = things[int(rng.random() * len(things))]
            others = [other for other in phrases_for(thing, graph, thing.name) if other.shape != "relation"]
            other = others[int(rng.random() * len(others))]
            if are_unrelated(phrase.name, other.name) and truth(other, absence) is False:
                return other
    return None


def _pack_either_order(phrase: Phrase, next_phrase: Phrase, facts: SampleFacts) -> str:
    coin = hash_to_unit(facts.seed, "order", *sorted((phrase.text, next_phrase.text)))
    first, second = sorted((phrase, next_phrase), key=lambda entry: entry.text, reverse=coin < 0.5)
    return questions.pack_phrases(first, second)


def _draw_owner(image_id: str, noun: str, types: Iterable[str], facts: SampleFacts) -> str:
    """One of the quotas that the unit could serve, by their sizes."""
    quotas = {cell: quota for cell, quota in facts.quotas.items() if cell.partition("/")[2] in types}
    quotas.pop(f"{ONTOLOGICAL}/{OBJECT}", None)
    rest = hash_to_unit(facts.seed, "owner", image_id, noun) * sum(quotas.values())
    for cell, quota in quotas.items():
        rest -= quota
        if rest < 0:
            return cell
    return ""
