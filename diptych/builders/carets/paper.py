"""False things, attributes and choices as the paper draws them, kept for comparison.

A false name is drawn by what goes together with the image's things, a false attribute by what goes with the name, a
wrong choice by what is frequent in its class (section 4.1). What is often annotated is then often true and, being
common, drawn less often where it is false than it is asked where it is true; so the words predict the answer.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random

from diptych.builders.carets.asking import ATTRIBUTE, CONJUNCTION, DISJUNCTION, OBJECT, Asked
from diptych.builders.carets.choosing import Excludes, asked_of, capped, chosen_from
from diptych.builders.carets.corpus import SHAPES, Corpus, keyed
from diptych.builders.carets.knowing import Known, attributes_exclude, attributes_known
from diptych.builders.carets.ontological import known_above, narrowed, narrower, with_partner
from diptych.builders.carets.verifying import apart, asked_no, asked_yes, candidates
from diptych.pairs import row_rng
from diptych.scenegraphs import Phrase, SceneGraph, antonyms, class_of, ontology, truth

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
            present = {thing.name for thing in graph.objects if ontology().is_foreground(thing.name)}
            for name in present:
                names[name].update(present - {name})
            for thing in graph.objects:
                fitting = ((one, class_of(one, thing.name)) for one in thing.attributes)
                attributes[thing.name].update(one for one, kind in fitting if kind is not None and kind.precedes_noun)
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
        others = [Phrase(thing.name) for thing in graph.objects if ontology().is_foreground(thing.name)]
        fitting = [other for other in others if apart(true, other)]
        second = company.absent(graph, rng, False) if type_ == DISJUNCTION else rng.choice(fitting) if fitting else None
    first = false if type_ == DISJUNCTION and not wants_yes else true
    if first is None or second is None or not apart(first, second):
        return ()
    return (first, second) if rng.random() < 0.5 else (second, first)


def ontological_as_in_the_paper(corpus: Corpus, seed: int, test: str, wanted: int) -> list[Asked]:
    """Q1 where a yes is asked by names with a kind above them and a no by kinds with names below them, in turn."""
    company = Company.of(corpus)
    found: list[Asked] = []
    for one in candidates(corpus, seed, test, OBJECT):
        if len(found) >= wanted:
            break
        rng = row_rng(seed, f"{test}/{OBJECT}/paper", f"{one.graph.image_id}/{one.phrases[0].text}")
        asked = None
        if len(found) % 2 == 0 and known_above([one]):
            asked = with_partner(asked_yes(OBJECT, one.graph, one.phrases), one.graph, seed, test)
        elif len(found) % 2 == 1:
            false = company.absent(one.graph, rng, bool(one.phrases[0].attribute))
            if false and narrower(false.name) and narrowed(false, one.graph, seed, test):
                no = asked_no(OBJECT, one.graph, (false,), seed, test)
                asked = with_partner(no, one.graph, seed, test)
        found += [asked] if asked else []
    return found


def attributes_as_in_the_paper(corpus: Corpus, seed: int, test: str, wanted: int) -> list[Asked]:
    """Q4 of every thing that can be referred to: its attribute, or another that goes with its name, in turn."""
    company = Company.of(corpus)
    found: list[Asked] = []
    for one in _once(attributes_known(corpus), seed, test):
        if len(found) >= wanted:
            break
        if len(found) % 2 == 0:
            found.append(asked_of(ATTRIBUTE, one, "yes", value=one.answer))
            continue
        values, weights = company.attributes.get(one.thing.name, ([], []))
        fitting = [(v, n) for v, n in zip(values, weights, strict=True) if attributes_exclude(one.group, one.answer, v)]
        if fitting:
            rng = row_rng(seed, f"{test}/{ATTRIBUTE}/paper", _key(one))
            value = rng.choices([v for v, _ in fitting], [n for _, n in fitting])[0]
            found.append(asked_of(ATTRIBUTE, one, "no", value=value))
    return found


def opposites_as_in_the_paper(corpus: Corpus, seed: int, test: str, wanted: int) -> list[Asked]:
    """Q4 of every thing with an attribute that has an opposite; in turn the attribute or its opposite comes first.

    The paper asks for the attribute first always; then every original is a yes.
    """
    known = _once(attributes_known(corpus), seed, test)
    having = [
        replace(asked_of(ATTRIBUTE, one, "yes", value=one.answer), opposite=antonyms()[one.group, one.answer][0])
        for one in known
        if (one.group, one.answer) in antonyms()
    ]
    kept = capped(having, lambda one: (one.group, *sorted((one.value, one.opposite))), wanted, seed, test)
    kept.sort(key=lambda one: (keyed(seed, test, "first", one.key), one.key))
    return [
        one if number % 2 == 0 else replace(one, value=one.opposite, opposite=one.value, answer="no")
        for number, one in enumerate(kept)
    ]


def choices_as_in_the_paper(corpus: Corpus, seed: int, test: str, type_: str, wanted: int) -> list[Asked]:
    """Q5, Q6 or Q7: wrong choices by their frequency in the class; classes and answers that are rare come first."""
    known, excludes = chosen_from(corpus, type_)
    pool = _once(known, seed, f"{test}/{type_}")
    classes, answers = Counter(one.group for one in pool), Counter((one.group, one.answer) for one in pool)
    frequent: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for group, answer in answers:
        frequent[group][answer] = answers[group, answer]

    def rank(one: Known) -> float:
        return -(keyed(seed, test, type_, "pool", _key(one)) ** (classes[one.group] * answers[one.group, one.answer]))

    found: list[Asked] = []
    for one in sorted(pool, key=lambda one: (rank(one), _key(one))):
        rng = row_rng(seed, f"{test}/{type_}/paper", _key(one))
        of = _with_wrong(one, frequent[one.group], excludes, rng)
        if len(of) > 1 and len(found) < wanted:
            found.append(asked_of(type_, one, one.answer, of=of))
    return found


def _with_wrong(one: Known, frequent: Counter[str], excludes: Excludes, rng: Random) -> tuple[str, ...]:
    """The right choice and one or two wrong ones, in random order."""
    chosen = [one.answer]
    size = 2 if rng.random() < 0.5 else 3
    while len(chosen) < size:
        fitting = [name for name in sorted(frequent) if all(excludes(one.group, name, other) for other in chosen)]
        if not fitting:
            break
        chosen += rng.choices(fitting, [frequent[name] for name in fitting])
    rng.shuffle(chosen)
    return tuple(chosen)


def _once(known: Iterable[Known], seed: int, test: str) -> list[Known]:
    """Every thing once a class, by one of its references, in random order."""
    ordered = sorted(known, key=lambda one: (keyed(seed, test, "once", _key(one)), _key(one)))
    return list({(one.graph.image_id, one.thing.id, one.group): one for one in ordered}.values())


def _key(one: Known) -> str:
    return f"{one.graph.image_id}/{one.thing.id}/{one.phrase.text}/{one.group}"
