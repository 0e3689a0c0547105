"""Drafts of pairs: FixQ asks the same question of another image, FixA another question with the same answer."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from diptych.builders import Item
from diptych.builders.fvqa2._answers import PossibleAnswers, possible_answers
from diptych.builders.fvqa2._candidates import QuestionCandidate
from diptych.builders.fvqa2._entities import EntityKey, is_place, is_same_thing, split_words, stem
from diptych.builders.fvqa2._fillers import fill, parse_fillers
from diptych.builders.fvqa2._images import ImageIndex
from diptych.builders.fvqa2._knowledge import Knowledge, Triple
from diptych.builders.fvqa2._phrases import PARSER
from diptych.builders.fvqa2._readings import Reading
from diptych.language import QuestionParser, is_mass, is_plural
from diptych.templates import Template

FIX_Q, FIX_A = "fvqa2.fix_q", "fvqa2.fix_a"

MOST_DRAFTS = 8
"""Drafts of each kind that a stage prepares for a question; few folds need more."""

_EMPTY_ENTITIES = frozenset((word,) for word in "thing object item entity noun stuff word it".split())
_DANGLING_WORDS = frozenset("on in with at from to for up into out by off down under".split())
_AT_SLOT = re.compile(r"\bat (?:the )?\{\{")
_RELATED_TO_SLOT = re.compile(r"\brelated to \{\{")
_CERTAIN_WEIGHT = 10
_FACTS_PER_BATCH = 32


@dataclass(frozen=True, slots=True)
class DraftFacts:
    """What drafts rest on."""

    templates: Mapping[str, Template]
    images: ImageIndex
    knowledge: Knowledge
    parser: QuestionParser = PARSER


@dataclass(frozen=True, slots=True)
class Draft(Item):
    """A pair that could be made from a question: what it asks, the fact behind it, and the images that fit, as sets."""

    question_id: str
    question: str
    plain_question: str
    answer: str
    entity: EntityKey
    """The entity in the slot of the question."""
    head: str
    relation: str
    tail: str
    weight: float
    base: str
    showing: bytes
    """The images that show the answer."""
    suitable: bytes
    """Those of them in which nothing else may be the answer."""


def plain(question: str) -> str:
    """A question without case and punctuation, by which equal ones are found.

    >>> plain("Which  object can fly?") == plain("which object can fly")
    True
    """
    return " ".join(split_words(question.lower()))


def draft_pairs(candidate: QuestionCandidate, facts: DraftFacts) -> Iterator[Draft]:
    """The first drafts of either kind for a question."""
    if candidate.template_id in facts.templates:
        for test in (FIX_Q, FIX_A):
            yield from islice(all_drafts(candidate, test, facts), MOST_DRAFTS)


def all_drafts(candidate: QuestionCandidate, test: str, facts: DraftFacts) -> Iterator[Draft]:
    """All drafts of one kind for a question, those with the heaviest facts first."""
    assert candidate.reading is not None
    variants = (_same_question if test == FIX_Q else _same_answer)(candidate, candidate.reading, facts)
    size = (len(facts.images.images) + 7) // 8
    number = 0
    for variant in variants:
        if variant.showing:
            suitable = variant.showing & ~variant.answers.uncertain_images(variant.answer)
            triple = variant.triple
            yield Draft(
                test=test,
                key=f"{candidate.key}-{number}",
                question_id=candidate.key,
                question=variant.question,
                plain_question=plain(variant.question),
                answer=variant.answer,
                entity=variant.entity,
                head=triple.head,
                relation=triple.relation,
                tail=triple.tail,
                weight=triple.weight,
                base=triple.base,
                showing=variant.showing.to_bytes(size, "little"),
                suitable=suitable.to_bytes(size, "little"),
            )
            number += 1


class _Variant(NamedTuple):
    """Another question or another answer, from another fact."""

    question: str
    answer: str
    entity: EntityKey
    triple: Triple
    answers: PossibleAnswers
    showing: int


def _same_question(candidate: QuestionCandidate, reading: Reading, facts: DraftFacts) -> Iterator[_Variant]:
    """The same question, of images where another thing is the answer."""
    images = facts.images
    answers = possible_answers(reading.query(reading.entity), reading.kind, facts.knowledge, images)
    question = worded_question(candidate)
    # Where the first answer is also in the image, it would still be right.
    excluded = images.showing_like(reading.answer) | images.image_set((candidate.question.image,))
    for thing, triple in _by_weight(answers.facts):
        if answers.fits_kind(thing) and not is_same_thing(thing, reading.answer):
            showing = images.showing(thing) & ~excluded
            yield _Variant(question, images.names[thing], reading.entity, triple, answers, showing)


def _same_answer(candidate: QuestionCandidate, reading: Reading, facts: DraftFacts) -> Iterator[_Variant]:
    """Other questions that the same thing answers, from other facts of it."""
    template, answer = facts.templates[candidate.template_id], answer_text(candidate.question.answer)
    showing = facts.images.showing(reading.answer)
    other_facts = iter(_by_weight(facts.knowledge.facts(reading.relation, reading.answer_side, reading.answer)))
    while batch := list(islice(other_facts, _FACTS_PER_BATCH)):
        texts = (triple.end(1 - reading.answer_side) for _, triple in batch)
        parse_fillers(texts, str(template.fields["form"]), facts.parser)
        for entity, triple in batch:
            question = _fill_template(reading, template, entity, triple, facts.parser)
            if question is not None:
                answers = possible_answers(reading.query(entity), reading.kind, facts.knowledge, facts.images)
                yield _Variant(question, answer, entity, triple, answers, showing)


def _by_weight(facts: Mapping[EntityKey, Triple]) -> list[tuple[EntityKey, Triple]]:
    return sorted(facts.items(), key=lambda item: (-item[1].weight, item[0]))


def _fill_template(
    reading: Reading, template: Template, entity: EntityKey, triple: Triple, parser: QuestionParser
) -> str | None:
    """The template with another fact in it; None where that gives the answer away or is not good English."""
    words, own_words = set(entity), set(reading.entity)
    if entity in _EMPTY_ENTITIES or words & set(reading.answer) or words <= own_words or words >= own_words:
        return None
    if reading.kind and stem(reading.kind) in entity:
        return None
    is_stemmed = triple.base == "conceptnet" and triple.weight < _CERTAIN_WEIGHT
    form = str(template.fields["form"])
    phrase = fill(triple.end(1 - reading.answer_side), form, reading.relation, is_stemmed, parser)
    if phrase is None:
        return None
    if not template.text.endswith("}}?") and phrase.split()[-1] in _DANGLING_WORDS:
        return None  # "used for sitting on in this image"
    if reading.relation == "AtLocation" and _AT_SLOT.search(template.text) and not is_place(entity):
        return None  # "found at the sky"
    is_related = reading.relation == "transnbhd" and _RELATED_TO_SLOT.search(template.text)
    if is_related and not (is_plural(phrase) or is_mass(phrase)):
        return None  # "related to brass instrument"
    return template.render(entity=phrase)


def worded_question(candidate: QuestionCandidate) -> str:
    """A question as its pairs ask it: as FVQA does, without grammar mistakes."""
    corrected = candidate.reading.corrected if candidate.reading else ""
    return as_question(corrected or candidate.question.question)


def as_question(text: str) -> str:
    """A question with a capital letter and one question mark."""
    sentence = text.strip().rstrip("?. ") + "?"
    return sentence[:1].upper() + sentence[1:]


def answer_text(answer: str) -> str:
    """An answer without its full stop."""
    return answer.rstrip(" .") or answer
