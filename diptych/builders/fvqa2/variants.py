"""FixQ and FixA: the same question of another image, and another question with the same answer."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from diptych.builders.fvqa2.balancing import Choice
from diptych.builders.fvqa2.entities import Key, is_place, is_same_thing, key_of, split_words, stem
from diptych.builders.fvqa2.extraction import Reading
from diptych.builders.fvqa2.filling import fill
from diptych.builders.fvqa2.gallery import Gallery, Uses
from diptych.builders.fvqa2.knowledge import Knowledge, Triple
from diptych.builders.fvqa2.support import Support, supported
from diptych.language import is_mass, is_plural
from diptych.pairs import Expectation, Pair, Side, Skip
from diptych.sources import FvqaQuestion
from diptych.templates import Template

FIX_Q, FIX_A, STANDARD = "fvqa2.fix_q", "fvqa2.fix_a", "fvqa2.standard"

NO_OTHER_ANSWER = Skip("no other thing in the side's images is known to fit the question")
NO_OTHER_FACT = Skip("no other fact of the answer can be asked with the template")
NOT_UNIQUE = Skip("another thing in every image that fits may be the answer")
ENOUGH = Skip("the template has made its pairs")
MOST = 5
"""Pairs of each kind that a template makes (the paper, section 3)."""

_MOST_ANSWERS = 9  # ten answers would mean ten annotators
_SAYS_NOTHING = frozenset({("thing",), ("object",), ("item",), ("entity",), ("noun",), ("stuff",), ("word",), ("it",)})
_HANGING = frozenset({"on", "in", "with", "at", "from", "to", "for", "up", "into", "out", "by", "off", "down", "under"})
_AT = re.compile(r"\bat (?:the )?\{\{")
_RELATED = re.compile(r"\brelated to \{\{")
_BUCKETS = ((0, "0"), (2, "1-2"), (9, "3-9"), (49, "10-49"))


@dataclass(slots=True)
class Studio:
    """One side of one fold at work: its images, what they show, and how often each was used."""

    fold: str
    gallery: Gallery
    knowledge: Knowledge
    showing: Mapping[Key, list[str]]
    in_training: Mapping[Key, int]
    """How often each answer occurs in the fold's train side."""
    banned: frozenset[str]
    """Questions that must not be asked on this side, in plain form."""
    uses: Uses = field(default_factory=Uses)
    asked: set[tuple[str, str]] = field(default_factory=set)

    def bucket(self, answer: str) -> str:
        """How often an answer occurs in training, as a class of counts (the paper's Fig. 3)."""
        count = self.in_training.get(key_of(answer), 0)
        return next((name for limit, name in _BUCKETS if count <= limit), "50+")


@dataclass(frozen=True, slots=True)
class Draft:
    """A pair to be: what it asks and why, and all images it can be asked of; one of them is kept for it."""

    test: str
    reading: Reading
    template: Template
    triple: Triple
    question: str
    answer: str
    support: Support
    choice: Choice


def plain(question: str) -> str:
    """A question without case and marks, by which equal ones are found.

    >>> plain("Which  object can fly?") == plain("which object can fly")
    True
    """
    return " ".join(split_words(question.lower()))


def vary(readings: Iterable[Reading], template: Template, studio: Studio) -> Iterator[tuple[str, Draft | Skip]]:
    """All pairs of one template on one side: at most five of each kind, over all its questions."""
    made: Counter[str] = Counter()
    for reading in readings:
        for test, candidates, none in (
            (FIX_Q, _fix_q(reading, template, studio), NO_OTHER_ANSWER),
            (FIX_A, _fix_a(reading, template, studio), NO_OTHER_FACT),
        ):
            room = MOST - made[test]
            outcomes = _first(candidates, room, none) if room else [ENOUGH]
            made[test] += sum(isinstance(outcome, Draft) for outcome in outcomes)
            yield from ((test, outcome) for outcome in outcomes)


def _first(candidates: Iterable[Draft | Skip], most: int, none: Skip) -> Sequence[Draft | Skip]:
    """The first drafts; where there are none, why."""
    drafts: list[Draft] = []
    for each in candidates:
        if isinstance(each, Skip):
            none = each
        else:
            drafts.append(each)
        if len(drafts) == most:
            break
    return drafts or [none]


def _fix_q(reading: Reading, template: Template, studio: Studio) -> Iterator[Draft | Skip]:
    """The same question, of another image where another thing is the answer."""
    support = supported(reading, reading.entity, studio.knowledge, studio.gallery)
    question = asked(reading)
    if plain(question) in studio.banned:
        return
    for thing, triple in sorted(support.known.items(), key=lambda item: (-item[1].weight, item[0])):
        if is_same_thing(thing, reading.answer) or not support.fits_kind(thing):
            continue
        # Where the first answer is also in the image, it would still be right.
        images = [
            image
            for image in studio.showing.get(thing, ())
            if image != reading.question.image
            and not any(is_same_thing(other, reading.answer) for other in studio.gallery.things[image])
        ]
        name = studio.gallery.names[thing]
        yield from _drafted(FIX_Q, reading, template, triple, question, name, support, images, studio)


def _fix_a(reading: Reading, template: Template, studio: Studio) -> Iterator[Draft | Skip]:
    """Another question that the same thing answers, from another fact of it."""
    others = studio.knowledge.of(reading.relation, reading.answer_side, reading.answer)
    for entity, triple in sorted(others.items(), key=lambda item: (-item[1].weight, item[0])):
        question = _ask(reading, template, entity, triple)
        if question is None or plain(question) in studio.banned:
            continue
        support = supported(reading, entity, studio.knowledge, studio.gallery)
        images = studio.showing.get(reading.answer, ())
        name = _answer(reading.question)
        yield from _drafted(FIX_A, reading, template, triple, question, name, support, images, studio)


def _drafted(
    test: str,
    reading: Reading,
    template: Template,
    triple: Triple,
    question: str,
    answer: str,
    support: Support,
    images: Sequence[str],
    studio: Studio,
) -> Iterator[Draft | Skip]:
    """The draft with the least-used image kept for it, if the question can be asked of any."""
    said = plain(question)
    suited = tuple(image for image in images if support.is_sure(image, key_of(answer)))
    free = [image for image in suited if (image, said) not in studio.asked]
    if free:
        image = studio.uses.take(free)
        studio.asked.add((image, said))
        yield Draft(test, reading, template, triple, question, answer, support, Choice(said, image, suited))
    elif images and not suited:
        yield NOT_UNIQUE


def _ask(reading: Reading, template: Template, entity: Key, triple: Triple) -> str | None:
    """The template with another fact in it, unless that gives the answer away or cannot be said."""
    if entity == reading.entity or entity in _SAYS_NOTHING or set(entity) & set(reading.answer):
        return None
    if set(entity) <= set(reading.entity) or set(entity) >= set(reading.entity):
        return None
    said = triple.end(1 - reading.answer_side)
    form = str(template.fields["form"])
    filled = fill(said, form, reading.relation, triple.base == "conceptnet" and triple.weight < 10)
    if filled is None or (reading.kind and stem(reading.kind) in entity):
        return None
    if not template.text.endswith("}}?") and filled.split()[-1] in _HANGING:
        return None  # "used for sitting on in this image"
    if reading.relation == "AtLocation" and _AT.search(template.text) and not is_place(entity):
        return None  # "found at the sky"
    if (
        reading.relation == "transnbhd"
        and _RELATED.search(template.text)
        and not (is_plural(filled) or is_mass(filled))
    ):
        return None  # "related to brass instrument"
    return template.render(entity=filled)


def asked(reading: Reading) -> str:
    """A question as its pairs ask it: as FVQA does, but for slips of grammar."""
    return _asked(reading.mended or reading.question.question)


def _asked(question: str) -> str:
    said = question.strip().rstrip("?. ") + "?"
    return said[:1].upper() + said[1:]


def _answer(question: FvqaQuestion) -> str:
    return question.answer.rstrip(" .") or question.answer


def standard_pair(question: FvqaQuestion, fold: str, bucket: str) -> Pair:
    """A question of FVQA as it is: both sides of the pair are the question itself."""
    side = Side(question.image, _asked(question.question), _answer(question))
    return Pair(
        STANDARD,
        Expectation.SAME,
        side,
        side,
        question.answer_source,
        question.fact.relation,
        "fvqa",
        f"{fold}/{question.question_id}",
        bindings={"fact": question.fact.fact_id},
        extra={"fold": fold, "answer_in_train": bucket},
    )


def as_pair(draft: Draft, image: str, studio: Studio) -> Pair:
    """The pair of a draft, asked of an image: all answers are accepted that the image and the graph support."""
    reading, question, fact, triple = draft.reading, draft.reading.question, draft.reading.question.fact, draft.triple
    side = Side(image, draft.question, draft.answer, draft.support.answers(image, draft.answer)[:_MOST_ANSWERS])
    return Pair(
        draft.test,
        Expectation.DIFFERENT if draft.test == FIX_Q else Expectation.SAME,
        Side(question.image, asked(reading), _answer(question)),
        side,
        "image",
        reading.relation,
        "fvqa",
        f"{studio.fold}/{question.question_id}",
        draft.template.id,
        draft.template.hash,
        bindings={
            "fact": [triple.head, triple.relation, triple.tail],
            "base": triple.base,
            "weight": triple.weight,
            "original_fact": [fact.head_text, fact.relation, fact.tail_text],
            "original_fact_id": fact.fact_id,
            **({"asked": question.question} if reading.mended else {}),
        },
        extra={"fold": studio.fold, "answer_in_train": studio.bucket(side.answer)},
    )
