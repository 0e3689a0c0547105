"""Drafts of pairs: FixQ asks the same question of another image, FixA another question with the same answer."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice

from diptych.builders import Item, Rows
from diptych.builders.fvqa2._entities import EntityKey, is_place, is_same_thing, split_words, stem
from diptych.builders.fvqa2._guards import (
    agrees_with_kind,
    is_general,
    is_new_answer,
    is_person,
    is_true_kind,
    is_used,
    with_preposition,
)
from diptych.builders.fvqa2._images import ImageIndex
from diptych.builders.fvqa2._knowledge import Knowledge, PossibleAnswers, Triple
from diptych.builders.fvqa2._phrases import PARSER
from diptych.builders.fvqa2._readings import Reading
from diptych.builders.fvqa2._records import QuestionCandidate
from diptych.builders.fvqa2._rewordings import Wordings
from diptych.builders.fvqa2._slots import fill, parse_fillers
from diptych.language import QuestionParser, is_mass, is_plural
from diptych.sources import FvqaQuestion
from diptych.templates import Template

FIX_Q, FIX_A = "fvqa2.fix_q", "fvqa2.fix_a"

MOST_DRAFTS = 8  # of each kind that a stage prepares for a question; few folds need more

_EMPTY_ENTITIES = frozenset((word,) for word in "thing object item entity noun stuff word it".split())
_DANGLING_WORDS = frozenset("on in with at from to for up into out by off down under".split())
_AT_SLOT = re.compile(r"\bat (?:the )?\{\{")
_RELATED_TO_SLOT = re.compile(r"\brelated to \{\{")
_CERTAIN_WEIGHT = 10
_FACTS_PER_BATCH = 32

Variant = tuple[str, str, EntityKey, Triple, PossibleAnswers, int]
"""Another question or answer, the entity in its slot, the fact behind it, all answers, and the images that show one."""


@dataclass(frozen=True, slots=True)
class DraftFacts:
    """What drafts rest on."""

    wordings: Wordings
    images: ImageIndex
    knowledge: Knowledge
    parser: QuestionParser = PARSER
    warnings: tuple[str, ...] = ()

    @property
    def templates(self) -> Mapping[str, Template]:
        """The templates in use, by id."""
        return self.wordings.templates


@dataclass(frozen=True, slots=True)
class Draft(Item):
    """A pair that could be made from a question: what it asks, the fact behind it, and the images that fit, as sets."""

    question_id: str
    question: str
    plain_question: str
    answer: str
    entity: EntityKey  # in the slot of the question
    triple: Triple
    showing: bytes  # the images that show the answer
    suitable: bytes  # those of them in which nothing else may be the answer


def plain(question: str) -> str:
    """A question without case and punctuation, by which equal ones are found."""
    return " ".join(split_words(question.lower()))


def draft_pairs(candidate: QuestionCandidate, facts: DraftFacts) -> Iterator[Draft]:
    """The first drafts of either kind for a question."""
    if candidate.template_id in facts.templates and candidate.reading is not None:
        for test in (FIX_Q, FIX_A):
            yield from islice(all_drafts(candidate, test, facts), MOST_DRAFTS)


def all_drafts(candidate: QuestionCandidate, test: str, facts: DraftFacts) -> Iterator[Draft]:
    """All drafts of one kind for a question, those with the heaviest facts first."""
    assert candidate.reading is not None
    variants = (_same_question if test == FIX_Q else _same_answer)(candidate, candidate.reading, facts)
    size = (len(facts.images.images) + 7) // 8
    with_images = (variant for variant in variants if variant[-1])
    for number, (question, answer, entity, triple, answers, showing) in enumerate(with_images):
        suitable = showing & ~answers.uncertain_images(answer)
        image_sets = (images.to_bytes(size, "little") for images in (showing, suitable))
        key, texts = f"{candidate.key}-{number}", (question, plain(question), answer)
        yield Draft(test, key, candidate.key, *texts, entity, triple, *image_sets)


def _same_question(candidate: QuestionCandidate, reading: Reading, facts: DraftFacts) -> Iterator[Variant]:
    """The same question, of images where another thing is the answer."""
    images = facts.images
    answers = PossibleAnswers(reading.query(reading.entity), reading.kind, facts.knowledge, images)
    if is_general(reading.relation, reading.entity, reading.kind) or reading.is_plural:
        return
    question = worded_question(candidate.question, reading.corrected)
    # Where the first answer is also in the image, it would still be right.
    excluded = images.showing_like(reading.answer) | images.image_set((candidate.question.image,))
    is_vague = reading.relation == "RelatedTo"
    for thing, triple in _by_weight(answers.facts):
        if is_vague and not facts.knowledge.confirms(thing, reading.entity):
            continue
        if answers.fits_kind(thing) and _is_other_answer(thing, triple, reading, images):
            showing = images.showing(thing) & ~excluded
            yield question, images.names[thing], reading.entity, triple, answers, showing


def _is_other_answer(thing: EntityKey, triple: Triple, reading: Reading, images: ImageIndex) -> bool:
    """Whether a thing that a fact names as an answer is one, and is not the first answer by another name."""
    if is_same_thing(thing, reading.answer):
        return False
    name, entity = images.names[thing], triple.end(1 - reading.answer_side)
    return is_new_answer(reading.relation, thing, name, reading.entity, reading.kind) and (
        bool(reading.answer_side) or is_true_kind(reading.relation, name, entity)
    )


def _same_answer(candidate: QuestionCandidate, reading: Reading, facts: DraftFacts) -> Iterator[Variant]:
    """Other questions that the same thing answers, from other facts of it."""
    template, answer = facts.templates[candidate.template_id], answer_text(candidate.question.answer)
    showing = facts.images.showing(reading.answer)
    other_facts = iter(_by_weight(facts.knowledge.facts(reading.relation, reading.answer_side, reading.answer)))
    while batch := list(islice(other_facts, _FACTS_PER_BATCH)):
        texts = (triple.end(1 - reading.answer_side) for _, triple in batch if _is_stemmed(triple))
        parse_fillers(texts, str(template.fields["form"]), facts.parser)
        for entity, triple in batch:
            if reading.relation == "RelatedTo" and not facts.knowledge.confirms(reading.answer, entity):
                continue
            question = _fill_template(reading, template, entity, triple, facts.parser)
            if question is not None:
                answers = PossibleAnswers(reading.query(entity), reading.kind, facts.knowledge, facts.images)
                yield question, answer, entity, triple, answers, showing


def _by_weight(facts: Mapping[EntityKey, Triple]) -> list[tuple[EntityKey, Triple]]:
    return sorted(facts.items(), key=lambda item: (-item[1].weight, item[0]))


def _is_stemmed(triple: Triple) -> bool:
    """Whether a fact lost its articles and plurals."""
    return triple.base == "conceptnet" and triple.weight < _CERTAIN_WEIGHT


def _fill_template(
    reading: Reading, template: Template, entity: EntityKey, triple: Triple, parser: QuestionParser
) -> str | None:
    """The template with another fact in it; None where that gives the answer away or is not good English."""
    words, own_words = set(entity), set(reading.entity)
    if entity in _EMPTY_ENTITIES or words & set(reading.answer) or words <= own_words or words >= own_words:
        return None
    text, form = triple.end(1 - reading.answer_side), str(template.fields["form"])
    if reading.kind and stem(reading.kind) in entity:
        return None
    if is_general(reading.relation, entity, reading.kind) or not is_used(reading.relation, reading.answer, entity):
        return None
    if not _is_true(reading, text):
        return None
    phrase = fill(text, form, reading.relation, _is_stemmed(triple), parser)
    if phrase is None:
        return None
    if not template.text.endswith("}}?") and phrase.split()[-1] in _DANGLING_WORDS:
        return None  # "used for sitting on in this image"
    if reading.relation == "AtLocation" and _AT_SLOT.search(template.text) and not is_place(entity):
        return None  # "found at the sky"
    is_related = reading.relation == "transnbhd" and _RELATED_TO_SLOT.search(template.text)
    if is_related and not (is_plural(phrase) or is_mass(phrase)):
        return None  # "related to brass instrument"
    if reading.relation == "AtLocation":
        template = replace(template, text=with_preposition(template.text, phrase))
    return template.render(entity=phrase)


def _is_true(reading: Reading, text: str) -> bool:
    """Whether the answer is of the kind that another fact names; facts about people and places are too many."""
    if reading.relation == "AtLocation" and is_person(reading.answer):
        return False
    if reading.answer_side:
        return True
    answer = " ".join(reading.answer)
    return is_true_kind(reading.relation, answer, text) and (
        reading.relation != "IsA" or agrees_with_kind(reading.kind, text)
    )


def worded_question(question: FvqaQuestion, corrected: str = "") -> str:
    """A question, or what it is in good English, with a capital letter and one question mark."""
    text = corrected or question.question
    sentence = text.strip().rstrip("?. ") + "?"
    return sentence[:1].upper() + sentence[1:]


def answer_text(answer: str) -> str:
    """An answer without its full stop and its article: some have "a airplane"."""
    text = answer.rstrip(" .") or answer
    first, _, rest = text.partition(" ")
    return rest if rest and first.lower() in {"a", "an", "the"} else text


@dataclass(frozen=True, slots=True)
class PreparedDrafts:
    """The drafts that a stage prepared, by id of the question and test, and what others are made from."""

    facts: DraftFacts
    by_question: Mapping[tuple[str, str], list[Draft]]

    def __call__(self, candidate: QuestionCandidate, test: str) -> Iterator[Draft]:
        """All drafts of one kind for a question: those that are prepared, then the rest."""
        prepared = self.by_question.get((candidate.key, test), [])
        rest = all_drafts(candidate, test, self.facts) if len(prepared) == MOST_DRAFTS else ()
        return chain(prepared, islice(rest, MOST_DRAFTS, None))


@lru_cache(maxsize=1)
def load_drafts(rows: Rows) -> dict[tuple[str, str], list[Draft]]:
    """The drafts of all questions, by question and test; five folds share them."""
    drafts: dict[tuple[str, str], list[Draft]] = {}
    for draft in rows:
        drafts.setdefault((draft.question_id, draft.test), []).append(draft)
    return drafts
