"""Yes/no questions about what is there: one thing, two together, one of two (Q1 to Q3).

*Matched absences*: the words of a question are settled first, and only if there is both an image where the answer is
yes and one where it is no does a coin decide which of the two is shown. So nothing in the words can tell the answer.
The coins are the rows' own draws, parted at their median: yes and no are equally many.

With `absences = "paper"` a false phrase is drawn by what goes together with the image's things, as in the paper; then
a noun that is often present is seldom asked about where it is absent, and the words tell.
"""

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from random import Random

from diptych.builders.carets.asking import CONJUNCTION, DISJUNCTION, OBJECT, Asked
from diptych.builders.carets.corpus import SHAPES, Corpus, keyed, phrases_of
from diptych.pairs import row_rng
from diptych.scenegraphs import Phrase, SceneGraph, SceneObject, base_name, fits, ontology, truth


@dataclass(frozen=True, slots=True)
class Candidate:
    """Phrases that are true of a graph and a draw that orders them."""

    rank: float
    graph: SceneGraph
    phrases: tuple[Phrase, ...]


Finder = Callable[[tuple[Phrase, ...], Random], SceneGraph | None]
Used = set[tuple[str, str]]
"""The nouns of images that questions of other types may be shown with already."""


def candidates(
    corpus: Corpus,
    seed: int,
    test: str,
    type_: str,
    shapes: Sequence[str] = SHAPES,
    used: Set[tuple[str, str]] = frozenset(),
) -> list[Candidate]:
    """Phrases true of the images, the rarer names first by a weighted draw (Efraimidis and Spirakis's keys).

    Nouns of an image that another type of question has used already come last, for the reason `_chosen` tells.
    """
    found: list[Candidate] = []
    for graph in corpus.graphs:
        for phrase in _chosen(graph, row_rng(seed, f"{test}/{type_}", graph.image_id), shapes):
            weight = corpus.counts[phrase.name] ** -0.5
            rank = -(keyed(seed, test, type_, graph.image_id, phrase.text) ** (1 / max(weight, 1e-3)))
            found.append(Candidate(rank, graph, (phrase,)))
    return sorted(found, key=lambda one: (bool(_uses(one) & used), one.rank, one.graph.image_id, one.phrases[0].text))


def _uses(one: Candidate) -> Used:
    return {(one.graph.image_id, base_name(phrase.name)) for phrase in one.phrases}


def _chosen(graph: SceneGraph, rng: Random, shapes: Sequence[str]) -> Iterator[Phrase]:
    """One phrase for every noun of an image, of a shape that is drawn.

    Never two of one noun: those that turn out yes would stay together on this image and those that turn out no would
    not, so that a model trained on other images would learn the contrary of the truth.
    """
    known = ontology()
    by_name: dict[str, list[SceneObject]] = {}
    for thing in graph.objects:
        if known.is_foreground(thing.name):
            by_name.setdefault(base_name(thing.name), []).append(thing)
    for name in sorted(by_name):
        things = by_name[name]
        possible = [shape for shape in shapes if any(True for _ in _of_shape(things, graph, shape))]
        shape = possible[int(rng.random() * len(possible))]
        phrases = sorted(set(_of_shape(things, graph, shape)), key=lambda phrase: phrase.text)
        yield phrases[int(rng.random() * len(phrases))]


def _of_shape(things: Sequence[SceneObject], graph: SceneGraph, shape: str) -> Iterator[Phrase]:
    return (phrase for thing in things for phrase in phrases_of(thing, graph, shapes=(shape,)))


def objects(corpus: Corpus, seed: int, test: str, wanted: int, used: Used) -> list[Asked]:
    """Questions whether there is a thing (Q1)."""
    found = candidates(corpus, seed, test, OBJECT, SHAPES, used)
    return decided(OBJECT, found, lambda phrases, rng: corpus.where_false(phrases[0], rng), seed, test, wanted, used)


def conjunctions(corpus: Corpus, seed: int, test: str, wanted: int, used: Used) -> list[Asked]:
    """Questions whether there are two things (Q2)."""
    singles = candidates(corpus, seed, test, CONJUNCTION, SHAPES[:2], used)
    by_image: dict[str, list[Candidate]] = {}
    for one in singles:
        by_image.setdefault(one.graph.image_id, []).append(one)
    pairs = [
        Candidate(one.rank, one.graph, _either_way(one.phrases[0], other.phrases[0], seed, test))
        for together in by_image.values()
        for one, other in zip(together[::2], together[1::2], strict=False)
        if apart(one.phrases[0], other.phrases[0])
    ]
    pairs.sort(key=lambda one: (one.rank, one.graph.image_id))

    def where_false(phrases: tuple[Phrase, ...], rng: Random) -> SceneGraph | None:
        near = [phrases[int(rng.random() * 2)].name]
        for graph in corpus.elsewhere(rng, near):
            if any(truth(phrase, graph) is False for phrase in phrases):
                return graph
        return None

    return decided(CONJUNCTION, pairs, where_false, seed, test, wanted, used)


def disjunctions(corpus: Corpus, seed: int, test: str, wanted: int, used: Used) -> list[Asked]:
    """Q3: is there either … or …? The second thing is one of another image."""
    singles = candidates(corpus, seed, test, DISJUNCTION, SHAPES[:2], used)
    pairs = []
    for one in singles:
        other = singles[int(keyed(seed, test, "other", one.graph.image_id, one.phrases[0].text) * len(singles))]
        if apart(one.phrases[0], other.phrases[0]):
            both = _either_way(one.phrases[0], other.phrases[0], seed, test)
            pairs.append(Candidate(one.rank, one.graph, both))

    def where_false(phrases: tuple[Phrase, ...], rng: Random) -> SceneGraph | None:
        for graph in corpus.elsewhere(rng):
            if all(truth(phrase, graph) is False for phrase in phrases):
                return graph
        return None

    return decided(DISJUNCTION, pairs, where_false, seed, test, wanted, used)


def _either_way(one: Phrase, other: Phrase, seed: int, test: str) -> tuple[Phrase, Phrase]:
    return (one, other) if keyed(seed, test, "order", one.text, other.text) < 0.5 else (other, one)


def apart(one: Phrase, other: Phrase) -> bool:
    """Whether two phrases speak of different things: not of a cat and an animal, nor of two parts of one."""
    return base_name(other.name) not in ontology().related_names(one.name)


def decided(
    type_: str,
    found: Sequence[Candidate],
    where_false: Finder,
    seed: int,
    test: str,
    wanted: int,
    used: Used | None = None,
) -> list[Asked]:
    """The first candidates that could be asked either way, each asked one way by its coin; notes what they use."""
    both: list[tuple[float, Candidate, SceneGraph]] = []
    seen: set[tuple[str, tuple[Phrase, ...]]] = set()
    for one in found:
        if len(both) >= wanted:
            break
        key = (one.graph.image_id, one.phrases)
        rng = row_rng(seed, f"{test}/{type_}/absence", f"{one.graph.image_id}/{'/'.join(p.text for p in one.phrases)}")
        other = where_false(one.phrases, rng) if key not in seen else None
        if other is not None and (other.image_id, one.phrases) not in seen:
            seen |= {key, (other.image_id, one.phrases)}
            both.append((rng.random(), one, other))
    if used is not None:
        used |= {use for _, one, _ in both for use in _uses(one)}
    middle = sorted(coin for coin, _, _ in both)[len(both) // 2] if both else 0.5
    return [
        asked_yes(type_, one.graph, one.phrases) if coin < middle else asked_no(type_, other, one.phrases, seed, test)
        for coin, one, other in both
    ]


def asked_yes(type_: str, graph: SceneGraph, phrases: tuple[Phrase, ...]) -> Asked:
    """A question whose things are there."""
    shown = _shown(graph, phrases)
    return Asked(
        type_, graph.image_id, "yes", phrases, objects=tuple(t.id for t in shown), boxes=tuple(t.box for t in shown)
    )


def _shown(graph: SceneGraph, phrases: Sequence[Phrase]) -> list[SceneObject]:
    found: dict[str, SceneObject] = {}
    for phrase in phrases:
        for thing in graph.objects:
            if fits(phrase, thing, graph):
                found[thing.id] = thing
                others = (graph[other] for name, other in thing.relations if name == phrase.relation)
                found |= {other.id: other for other in others if ontology().is_a(other.name, phrase.target)}
    return list(found.values())


def asked_no(type_: str, graph: SceneGraph, phrases: tuple[Phrase, ...], seed: int, test: str) -> Asked:
    """A question whose things are absent; its foreground is what is there of it, or one or two random boxes."""
    shown = _shown(graph, phrases)
    if not shown:
        rng = row_rng(seed, f"{test}/boxes", f"{graph.image_id}/{phrases[0].text}")
        shown = rng.sample(list(graph.objects), min(len(phrases), len(graph.objects)))
        return Asked(type_, graph.image_id, "no", phrases, boxes=tuple(thing.box for thing in shown))
    return Asked(
        type_, graph.image_id, "no", phrases, objects=tuple(t.id for t in shown), boxes=tuple(t.box for t in shown)
    )
