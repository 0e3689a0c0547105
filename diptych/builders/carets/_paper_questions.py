"""False phrases, attributes and choices as the paper draws them (`absences=paper`), kept for comparison.

A false name is drawn by what goes together with the image's objects, a false attribute by what goes with the name, a
wrong choice by what is frequent in its class (section 4.1). What is often annotated is then often true and, being
common, drawn less often where it is false than it is asked where it is true; so the words predict the answer.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

import orjson

from diptych.builders import Rows
from diptych.builders.carets._choice_questions import cap_opposites, reference_question
from diptych.builders.carets._draws import DrawFacts, are_unrelated, hash_to_unit, unpack_phrases
from diptych.builders.carets._kind_phrases import broader_names, broader_phrases, narrower_names, narrower_phrase
from diptych.builders.carets._presence_questions import RankedDraws
from diptych.builders.carets._question_spec import (
    ATTRIBUTE,
    CONJUNCTION,
    DISJUNCTION,
    KIND,
    OBJECT,
    QuestionSpec,
    question_spec,
)
from diptych.builders.carets._quotas import ONTOLOGICAL
from diptych.builders.carets._references import (
    Excludes,
    Indices,
    Reference,
    ReferenceTable,
    attributes_exclude,
    kinds_exclude,
)
from diptych.pairs import row_rng
from diptych.scenegraphs import Phrase, SceneGraph, antonyms, ontology, truth

_TRIES = 20

Weighted = tuple[list[str], list[int]]
"""Names and how often they occur."""


@dataclass(frozen=True, slots=True)
class CooccurrenceCounts:
    """Which names occur together in images, and which attributes occur with a name."""

    names: Mapping[str, Weighted]
    attributes: Mapping[str, Weighted]

    @classmethod
    def from_rows(cls, rows: Rows) -> "CooccurrenceCounts":
        """The counts in all graphs that `read` found."""
        names: defaultdict[str, Counter[str]] = defaultdict(Counter)
        attributes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for names_of_image, descriptions in rows.columns("names", "described"):
            present = {name for name in names_of_image if ontology().is_foreground(name)}
            for name in present:
                names[name].update(present - {name})
            for name, attribute in orjson.loads(descriptions):
                attributes[name][attribute] += 1
        return cls(_weigh(names), _weigh(attributes))

    def absent_phrase(self, graph: SceneGraph, rng: Random, with_attribute: bool) -> Phrase | None:
        """A plausible phrase that is false of an image."""
        present = [thing.name for thing in graph.objects if thing.name in self.names]
        for _ in range(_TRIES if present else 0):
            name = rng.choices(*self.names[rng.choice(present)])[0]
            described = with_attribute and name in self.attributes
            phrase = Phrase(name, rng.choices(*self.attributes[name])[0] if described else "")
            if truth(phrase, graph) is False:
                return phrase
        return None


def _weigh(counts: Mapping[str, Counter[str]]) -> dict[str, Weighted]:
    return {
        name: (sorted(company), [company[other_name] for other_name in sorted(company)])
        for name, company in counts.items()
        if company
    }


def plan_paper_presence(
    draws: RankedDraws, company: CooccurrenceCounts, type_: str, facts: DrawFacts
) -> list[QuestionSpec]:
    """Q1, Q2 or Q3 with the paper's absences, yes and no in turn."""
    questions: list[QuestionSpec] = []
    for draw in draws:
        if len(questions) >= facts.quotas[type_]:
            break
        answer = "no" if len(questions) % 2 else "yes"
        (phrase,) = unpack_phrases(draw.phrases)
        rng = row_rng(facts.seed, f"{facts.test}/{type_}/paper", f"{draw.image_id}/{phrase.text}")
        graph = facts.graphs[draw.image_id]
        draw_phrases = _draw_ontological_phrase if facts.test == ONTOLOGICAL else _draw_phrases
        phrases = draw_phrases(type_, phrase, graph, company, answer, rng, facts)
        if phrases:
            questions.append(question_spec(facts.test, type_, draw.image_id, answer, phrases))
    return questions


def _draw_phrases(
    type_: str,
    true_phrase: Phrase,
    graph: SceneGraph,
    company: CooccurrenceCounts,
    answer: str,
    rng: Random,
    facts: DrawFacts,
) -> tuple[Phrase, ...]:
    """The phrases that have an answer: a true one and a second one, or false ones; none where English has no such."""
    false_phrase = company.absent_phrase(graph, rng, bool(true_phrase.attribute))
    if type_ == OBJECT:
        return (true_phrase,) if answer == "yes" else (false_phrase,) if false_phrase else ()
    first: Phrase | None = true_phrase
    second = false_phrase
    if type_ == CONJUNCTION and answer == "yes":
        names = (thing.name for thing in graph.objects if ontology().is_foreground(thing.name))
        candidates = [phrase for name in names if are_unrelated(true_phrase, phrase := Phrase(name))]
        second = rng.choice(candidates) if candidates else None
    if type_ == DISJUNCTION and answer == "no":
        first, second = false_phrase, company.absent_phrase(graph, rng, False)
    if first is None or second is None or not are_unrelated(first, second):
        return ()
    return (first, second) if rng.random() < 0.5 else (second, first)


def _draw_ontological_phrase(
    type_: str,
    phrase: Phrase,
    graph: SceneGraph,
    company: CooccurrenceCounts,
    answer: str,
    rng: Random,
    facts: DrawFacts,
) -> tuple[Phrase, ...]:
    """For a yes a name with a kind above it, for a no a kind with names below it."""
    if answer == "yes":
        return (phrase,) if broader_names(phrase.name) and broader_phrases(phrase, graph) else ()
    false_phrase = company.absent_phrase(graph, rng, bool(phrase.attribute))
    if false_phrase is None or not narrower_names(false_phrase.name):
        return ()
    return (false_phrase,) if narrower_phrase(false_phrase, graph, facts.seed, facts.test) else ()


def plan_paper_attributes(
    table: ReferenceTable, indices: Indices, company: CooccurrenceCounts, facts: DrawFacts
) -> list[QuestionSpec]:
    """Q4 about every object that can be referred to: its attribute, or another that goes with its name, in turn."""
    seed, test = facts.seed, facts.test
    questions: list[QuestionSpec] = []
    for reference in _one_per_object(table, indices, seed, test):
        if len(questions) >= facts.quotas[ATTRIBUTE]:
            break
        if len(questions) % 2 == 0:
            questions.append(reference_question(test, ATTRIBUTE, reference, "yes", reference.answer))
            continue
        name = facts.graphs[reference.image_id][reference.object_id].name
        values, weights = company.attributes.get(name, ([], []))
        candidates = {
            value: weight
            for value, weight in zip(values, weights, strict=True)
            if attributes_exclude(reference.group, reference.answer, value)
        }
        if candidates:
            rng = row_rng(seed, f"{test}/{ATTRIBUTE}/paper", _reference_key(reference))
            value = rng.choices(list(candidates), list(candidates.values()))[0]
            questions.append(reference_question(test, ATTRIBUTE, reference, "no", value))
    return questions


def plan_paper_opposites(table: ReferenceTable, indices: Indices, facts: DrawFacts) -> list[QuestionSpec]:
    """Q4 about every object with an attribute that has an opposite; in turn the attribute or its opposite comes first.

    The paper always asks for the attribute first; then every original is a yes.
    """
    seed, test = facts.seed, facts.test
    questions = [
        reference_question(test, ATTRIBUTE, reference, "yes", reference.answer, opposite=opposites[0])
        for reference in _one_per_object(table, indices, seed, test)
        if (opposites := antonyms().get((reference.group, reference.answer)))
    ]
    quota = facts.quotas[ATTRIBUTE]
    selected = cap_opposites(
        questions, lambda spec: (spec.group, *sorted((spec.value, spec.opposite))), quota, seed, test
    )
    selected.sort(key=lambda spec: (hash_to_unit(seed, test, "first", spec.key), spec.key))
    return [spec if number % 2 == 0 else _swap_opposites(spec) for number, spec in enumerate(selected)]


def _swap_opposites(spec: QuestionSpec) -> QuestionSpec:
    """The question that asks for the opposite first."""
    value, opposite = spec.opposite, spec.value
    parts = (spec.test, spec.type, spec.image_id, "no", spec.phrases, spec.group, value, (), opposite, spec.object_id)
    return question_spec(*parts)


def plan_paper_choices(
    table: ReferenceTable, indices: Indices, type_: str, quota: int, facts: DrawFacts
) -> list[QuestionSpec]:
    """Q5, Q6 or Q7: wrong choices by their frequency in the class; classes and answers that are rare come first."""
    seed, test = facts.seed, facts.test
    excludes = kinds_exclude if type_ == KIND else attributes_exclude
    references = _one_per_object(table, indices, seed, f"{test}/{type_}")
    classes = Counter(reference.group for reference in references)
    answers = Counter((reference.group, reference.answer) for reference in references)
    answers_of_class: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (group, answer), count in answers.items():
        answers_of_class[group][answer] = count

    def rank(reference: Reference) -> tuple[float, str]:
        key = _reference_key(reference)
        weight = classes[reference.group] * answers[reference.group, reference.answer]
        return -(hash_to_unit(seed, test, type_, "pool", key) ** weight), key

    questions: list[QuestionSpec] = []
    for reference in sorted(references, key=rank):
        if len(questions) >= quota:
            break
        rng = row_rng(seed, f"{test}/{type_}/paper", _reference_key(reference))
        choices = _add_wrong_choices(reference, answers_of_class[reference.group], excludes, rng)
        if len(choices) > 1:
            questions.append(reference_question(test, type_, reference, reference.answer, choices=choices))
    return questions


def _add_wrong_choices(reference: Reference, answers: Counter[str], excludes: Excludes, rng: Random) -> tuple[str, ...]:
    """The right choice and one or two wrong ones, in random order."""
    choices = [reference.answer]
    size = 2 if rng.random() < 0.5 else 3
    while len(choices) < size:
        candidates = [
            answer for answer in sorted(answers) if all(excludes(reference.group, answer, choice) for choice in choices)
        ]
        if not candidates:
            break
        choices += rng.choices(candidates, [answers[answer] for answer in candidates])
    rng.shuffle(choices)
    return tuple(choices)


def _one_per_object(table: ReferenceTable, indices: Indices, seed: int, test: str) -> list[Reference]:
    """Every object once per class, by one of its references, in random order."""
    references = [table[index] for index in indices.tolist()]
    keys = [_reference_key(reference) for reference in references]
    order = sorted(range(len(keys)), key=lambda index: (hash_to_unit(seed, test, "once", keys[index]), keys[index]))
    by_object = {}
    for index in order:
        reference = references[index]
        by_object[reference.image_id, reference.object_id, reference.group] = reference
    return list(by_object.values())


def _reference_key(reference: Reference) -> str:
    return f"{reference.image_id}/{reference.object_id}/{reference.phrase.text}/{reference.group}"
