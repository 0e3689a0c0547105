"""Absences as the paper draws them: a false name by what goes together with the image's things, then an attribute.

Kept for comparison. What is often annotated is often true and, being common, drawn less often where it is false than it
is asked where it is true; so the noun alone predicts the answer.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from random import Random

from diptych.builders.carets.asking import CONJUNCTION, DISJUNCTION, OBJECT, Asked
from diptych.builders.carets.corpus import Corpus
from diptych.builders.carets.verifying import SHAPES, apart, asked_no, asked_yes, candidates
from diptych.pairs import row_rng
from diptych.scenegraphs import Phrase, SceneGraph, class_of, ontology, truth

_TRIES = 20


@dataclass(frozen=True, slots=True)
class Company:
    """Which names go together in images, and which attributes go with a name."""

    names: dict[str, tuple[list[str], list[int]]]
    attributes: dict[str, tuple[list[str], list[int]]]

    @classmethod
    def of(cls, corpus: Corpus) -> "Company":
        """The company that names keep in a corpus."""
        names: defaultdict[str, Counter[str]] = defaultdict(Counter)
        attributes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for graph in corpus.graphs:
            present = {thing.name for thing in graph.objects if ontology().is_asked(thing.name)}
            for name in present:
                names[name].update(present - {name})
            for thing in graph.objects:
                fitting = ((one, class_of(one, thing.name)) for one in thing.attributes)
                attributes[thing.name].update(one for one, kind in fitting if kind is not None and kind.before)
        return cls(*({key: _weighed(of) for key, of in table.items() if of} for table in (names, attributes)))

    def absent(self, graph: SceneGraph, rng: Random, with_attribute: bool) -> Phrase | None:
        """A plausible phrase that is false of an image."""
        present = [thing.name for thing in graph.objects if thing.name in self.names]
        for _ in range(_TRIES if present else 0):
            name = rng.choices(*self.names[rng.choice(present)])[0]
            attribute = with_attribute and name in self.attributes
            phrase = Phrase(name, rng.choices(*self.attributes[name])[0] if attribute else "")
            if truth(phrase, graph) is False:
                return phrase
        return None


def _weighed(counts: Counter[str]) -> tuple[list[str], list[int]]:
    names = sorted(counts)
    return names, [counts[name] for name in names]


def verified_as_in_the_paper(corpus: Corpus, seed: int, test: str, type_: str, wanted: int) -> list[Asked]:
    """Q1, Q2 or Q3 with the paper's absences, yes and no in turn."""
    company = Company.of(corpus)
    found: list[Asked] = []
    for one in candidates(corpus, seed, test, type_, SHAPES if type_ == OBJECT else SHAPES[:2]):
        if len(found) >= wanted:
            break
        rng = row_rng(seed, f"{test}/{type_}/paper", f"{one.graph.image_id}/{one.phrases[0].text}")
        wants_yes = len(found) % 2 == 0
        phrases = _phrases(one.phrases[0], one.graph, company, type_, wants_yes, rng)
        if phrases:
            make = (
                asked_yes(type_, one.graph, phrases) if wants_yes else asked_no(type_, one.graph, phrases, seed, test)
            )
            found.append(make)
    return found


def _phrases(
    true: Phrase, graph: SceneGraph, company: Company, type_: str, wants_yes: bool, rng: Random
) -> tuple[Phrase, ...]:
    false = company.absent(graph, rng, bool(true.attribute))
    if type_ == OBJECT:
        return (true,) if wants_yes else (false,) if false else ()
    second = false
    if (type_ == CONJUNCTION and wants_yes) or (type_ == DISJUNCTION and not wants_yes):
        others = [Phrase(thing.name) for thing in graph.objects if ontology().is_asked(thing.name)]
        fitting = [other for other in others if apart(true, other)]
        second = company.absent(graph, rng, False) if type_ == DISJUNCTION else rng.choice(fitting) if fitting else None
    first = false if type_ == DISJUNCTION and not wants_yes else true
    if first is None or second is None or not apart(first, second):
        return ()
    return (first, second) if rng.random() < 0.5 else (second, first)
