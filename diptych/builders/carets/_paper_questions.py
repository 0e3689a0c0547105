"""The questions of the paper (`absences=paper`), kept for comparison: true labels, and words that tell the answer."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Any

import orjson

from diptych.builders import Rows
from diptych.builders.carets import _questions as questions
from diptych.builders.carets._choice_questions import (
    Reference,
    ReferenceTable,
    add_choices,
    attributes_exclude,
    cap_opposites,
    kinds_exclude,
    load_references,
    reference_question,
    shuffle,
)
from diptych.builders.carets._presence_plan import presence_question
from diptych.builders.carets._presence_questions import PlanFacts, are_unrelated, hash_to_unit, rank_exponent
from diptych.builders.carets._questions import (
    ANTONYM,
    ATTRIBUTE,
    CONJUNCTION,
    DISJUNCTION,
    KIND,
    OBJECT,
    ONTOLOGICAL,
    RELATION,
    QuestionSpec,
)
from diptych.pairs import Skip, row_rng
from diptych.scenegraphs import Phrase, SceneGraph, antonyms, ontology, truth

_TRIES = 20
NO_PHRASE = "no false phrase or wrong choice is found for it"


@dataclass(frozen=True, slots=True)
class CooccurrenceCounts:
    """Which names occur together in images, and which attributes occur with a name; by name the words and their counts.

    The paper draws a false name by what goes together with the image's objects, a false attribute by what goes with the
    name, a wrong choice by what is frequent in its class (section 4.1). What is often annotated is then often true and,
    being common, drawn less often where it is false than it is asked where it is true; so the words predict the answer.
    """

    names: Mapping[str, tuple[Any, ...]]
    attributes: Mapping[str, tuple[Any, ...]]

    @classmethod
    def from_rows(cls, rows: Rows) -> "CooccurrenceCounts":
        """The counts in all graphs that `read` found."""
        names, attributes = defaultdict[str, Counter[str]](Counter), defaultdict[str, Counter[str]](Counter)
        for image_names, descriptions in rows.columns("names", "described"):
            nouns = {name for name in image_names if ontology().is_foreground(name)}
            for noun in nouns:
                names[noun].update(nouns - {noun})
            for name, attribute in orjson.loads(descriptions):
                attributes[name][attribute] += 1
        words_and_counts = (
            {name: tuple(zip(*sorted(counter.items()), strict=True)) for name, counter in counters.items() if counter}
            for counters in (names, attributes)
        )
        return cls(*words_and_counts)

    def absent_phrase(
        self, graph: SceneGraph, rng: Random, with_attribute: bool, like: Phrase | None = None
    ) -> Phrase | None:
        """A plausible phrase that is false of an image; with the relation of another, where it has one."""
        names = [thing.name for thing in graph.objects if thing.name in self.names]
        for _ in range(_TRIES if names else 0):
            name = rng.choices(*self.names[rng.choice(names)])[0]
            has_attribute = with_attribute and name in self.attributes
            attribute = rng.choices(*self.attributes[name])[0] if has_attribute else ""
            phrase = Phrase(name, attribute, like.relation, like.target) if like else Phrase(name, attribute)
            if truth(phrase, graph) is False:
                return phrase
        return None


def plan_paper_presence(company: CooccurrenceCounts, facts: PlanFacts) -> Iterator[QuestionSpec | Skip]:
    """The questions of each type with the paper's absences, yes and no in turn."""
    for type_ in (type_ for type_ in questions.PRESENCE_TYPES if facts.quotas.get(type_) and facts.units is not None):
        number, failures = 0, 0
        for image_id, phrase in _ranked_phrases(type_, facts):
            if number == facts.quotas[type_]:
                break
            answer = "no" if number % 2 else "yes"
            phrases = _draw_phrases(type_, phrase, facts.graphs[image_id], company, answer, facts)
            if phrases:
                kind = OBJECT if type_ == RELATION else type_
                yield presence_question(facts.test, kind, image_id, answer, phrases)
                number += 1
            failures += not phrases
        yield from questions.shortfall(type_, facts.quotas[type_], number, {NO_PHRASE: failures})


def _ranked_phrases(type_: str, facts: PlanFacts) -> list[tuple[str, Phrase]]:
    """A phrase for every noun of every image, in an order that favors rarer names."""
    assert facts.units is not None
    ranking = []
    for image_id, noun, packed in facts.units.columns("image_id", "noun", RELATION if type_ == RELATION else OBJECT):
        if packed:
            unit = hash_to_unit(facts.seed, facts.test, type_, image_id, noun)
            ranking.append((-(unit ** rank_exponent(noun, facts.graphs.names)), image_id, noun, packed))
    return [(image_id, questions.unpack_phrases(packed)[0]) for _, image_id, _, packed in sorted(ranking)]


def _draw_phrases(
    type_: str, true_phrase: Phrase, graph: SceneGraph, company: CooccurrenceCounts, answer: str, facts: PlanFacts
) -> tuple[Phrase, ...]:
    """The phrases of a question that has an answer; none where none are found."""
    rng = row_rng(facts.seed, f"{facts.test}/{type_}/paper", f"{graph.image_id}/{true_phrase.text}")
    phrase: Phrase | None = true_phrase
    with_attribute = bool(true_phrase.attribute)
    if type_ in (OBJECT, RELATION):
        asked = phrase if answer == "yes" else company.absent_phrase(graph, rng, with_attribute, true_phrase)
        if asked is None or facts.test != ONTOLOGICAL:
            return (asked,) if asked else ()
        partner = _partner(asked, graph, answer, facts)
        return (asked, partner) if partner else ()
    false_phrase = next_phrase = company.absent_phrase(graph, rng, with_attribute)
    if type_ == CONJUNCTION and answer == "yes":
        nouns = (thing.name for thing in graph.objects if ontology().is_foreground(thing.name))
        candidates = [noun for noun in nouns if are_unrelated(true_phrase.name, noun)]
        next_phrase = Phrase(rng.choice(candidates)) if candidates else None
    if type_ == DISJUNCTION and answer == "no":
        phrase, next_phrase = false_phrase, company.absent_phrase(graph, rng, False)
    if phrase is None or next_phrase is None or not are_unrelated(phrase.name, next_phrase.name):
        return ()
    return (phrase, next_phrase) if rng.random() < 0.5 else (next_phrase, phrase)


def _partner(phrase: Phrase, graph: SceneGraph, answer: str, facts: PlanFacts) -> Phrase | None:
    """For a yes, the phrase with a kind above its name; for a no, with a name below it."""
    if answer == "no":
        return questions.narrower_phrase(phrase, graph, facts.seed, facts.test)
    broader = questions.broader_phrases(phrase, graph)
    rng = row_rng(facts.seed, f"{facts.test}/above", f"{graph.image_id}/{phrase.text}")
    return broader[int(rng.random() * len(broader))] if broader else None


def plan_paper_references(rows: Rows, company: CooccurrenceCounts, facts: PlanFacts) -> Iterator[QuestionSpec | Skip]:
    """The questions of each type with the paper's wrong attributes and choices."""
    for type_, table in load_references(rows, facts):
        if type_ != ATTRIBUTE:
            specs = _plan_paper_choices(table, type_, facts)
        elif facts.test == ANTONYM:
            specs = _plan_paper_opposites(table, facts)
        else:
            specs = _plan_paper_attributes(table, company, facts)
        asked = list(islice(specs, facts.quotas[type_]))
        yield from asked
        yield from questions.shortfall(type_, facts.quotas[type_], len(asked), {})


def _plan_paper_attributes(
    table: ReferenceTable, company: CooccurrenceCounts, facts: PlanFacts
) -> Iterator[QuestionSpec]:
    """Q4 about every object that can be referred to: its attribute, or another that goes with its name, in turn."""
    number = 0
    for reference in _one_per_object(table, facts.seed, facts.test):
        value, answer = reference.answer, "no" if number % 2 else "yes"
        if answer == "no":
            name = facts.graphs[reference.image_id][reference.object_id].name
            frequencies = zip(*company.attributes.get(name, ((), ())), strict=True)
            wrong_values = {word: n for word, n in frequencies if attributes_exclude(reference.group, value, word)}
            if not wrong_values:
                continue
            rng = row_rng(facts.seed, f"{facts.test}/{ATTRIBUTE}/paper", reference.key)
            value = rng.choices(list(wrong_values), list(wrong_values.values()))[0]
        yield reference_question(facts.test, ATTRIBUTE, reference, answer, value)
        number += 1


def _plan_paper_opposites(table: ReferenceTable, facts: PlanFacts) -> Iterator[QuestionSpec]:
    """Q4 about every object with an attribute that has an opposite; in turn the attribute or its opposite comes first.

    The paper always asks for the attribute first; then every original is a yes.
    """
    specs = [
        reference_question(facts.test, ATTRIBUTE, reference, "yes", reference.answer, opposite=opposites[0])
        for reference in _one_per_object(table, facts.seed, facts.test)
        if (opposites := antonyms().get((reference.group, reference.answer)))
    ]
    quota = facts.quotas[ATTRIBUTE]
    selection = cap_opposites(specs, lambda spec: (spec.group, *sorted((spec.value, spec.opposite))), quota, facts)
    for number, spec in enumerate(shuffle(selection, facts.seed, facts.test, "first")):
        key = spec.key.removesuffix(spec.value) + spec.opposite
        swapped = replace(spec, key=key, answer="no", value=spec.opposite, opposite=spec.value)
        yield swapped if number % 2 else spec


def _plan_paper_choices(table: ReferenceTable, type_: str, facts: PlanFacts) -> Iterator[QuestionSpec]:
    """Q5, Q6 or Q7: wrong choices by their frequency in the class; classes and answers that are rare come first."""
    are_exclusive = kinds_exclude if type_ == KIND else attributes_exclude
    references = _one_per_object(table, facts.seed, f"{facts.test}/{type_}")
    answers: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for reference in references:
        answers[reference.group][reference.answer] += 1

    def rank(reference: Reference) -> tuple[float, str]:
        weight = answers[reference.group].total() * answers[reference.group][reference.answer]
        return -(hash_to_unit(facts.seed, facts.test, type_, "pool", reference.key) ** weight), reference.key

    for reference in sorted(references, key=rank):
        rng = row_rng(facts.seed, f"{facts.test}/{type_}/paper", reference.key)
        size, weights = 2 if rng.random() < 0.5 else 3, dict(sorted(answers[reference.group].items()))
        choices = add_choices([reference.answer], weights, are_exclusive, reference.group, size, rng)
        if len(choices) > 1:
            yield reference_question(facts.test, type_, reference, reference.answer, choices=choices)


def _one_per_object(table: ReferenceTable, seed: int, test: str) -> list[Reference]:
    """Every object once per class, by one of its references, in random order."""
    references = shuffle((table[index] for index in range(len(table))), seed, test, "once")
    by_object = {(reference.image_id, reference.object_id, reference.group): reference for reference in references}
    return list(by_object.values())
