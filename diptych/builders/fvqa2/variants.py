"""FixQ and FixA: the same question of another image, and another question with the same answer."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from diptych.builders.fvqa2.entities import Key, is_kind_of, is_same_thing, key_of, split_words, stem
from diptych.builders.fvqa2.extraction import Reading
from diptych.builders.fvqa2.forms import fill
from diptych.builders.fvqa2.gallery import Gallery, Uses
from diptych.builders.fvqa2.knowledge import Knowledge, Triple
from diptych.pairs import Expectation, Pair, Side, Skip
from diptych.sources import FvqaQuestion
from diptych.templates import Template

FIX_Q, FIX_A, STANDARD = "fvqa2.fix_q", "fvqa2.fix_a", "fvqa2.standard"

NO_OTHER_ANSWER = Skip("no other thing in the side's images is known to fit the question")
NO_OTHER_FACT = Skip("no other fact of the answer can be asked with the template")
ENOUGH = Skip("the template has made its pairs")
MOST = 5
"""Pairs of each kind that a template makes (the paper, section 3)."""

_MOST_ANSWERS = 9  # ten answers would mean ten annotators
_SAYS_NOTHING = frozenset({("thing",), ("object",), ("item",), ("entity",), ("noun",), ("stuff",), ("word",), ("it",)})
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

    def answers(self, image: str, reading: Reading, entity: Key) -> tuple[str, ...]:
        """All things of an image that the graph supports as the answer and that are of the kind asked for."""
        known = self.knowledge.of(reading.relation, 1 - reading.answer_side, entity)
        things = (thing for thing in self.gallery.things[image] if thing in known)
        return tuple(sorted(self.gallery.names[thing] for thing in things if _fits_kind(self, thing, reading)))

    def bucket(self, answer: str) -> str:
        """How often an answer occurs in training, as a class of counts (the paper's Fig. 3)."""
        count = self.in_training.get(key_of(answer), 0)
        return next((name for limit, name in _BUCKETS if count <= limit), "50+")


def plain(question: str) -> str:
    """A question without case and marks, by which equal ones are found.

    >>> plain("Which  object can fly?") == plain("which object can fly")
    True
    """
    return " ".join(split_words(question.lower()))


def vary(readings: Iterable[Reading], template: Template, studio: Studio) -> Iterator[tuple[str, Pair | Skip]]:
    """All pairs of one template on one side: at most five of each kind, over all its questions."""
    made: Counter[str] = Counter()
    for reading in readings:
        for test, candidates, none in (
            (FIX_Q, _fix_q(reading, template, studio), NO_OTHER_ANSWER),
            (FIX_A, _fix_a(reading, template, studio), NO_OTHER_FACT),
        ):
            if made[test] >= MOST:
                yield test, ENOUGH
                continue
            before = made[test]
            for pair in candidates:
                made[test] += 1
                yield test, pair
                if made[test] >= MOST:
                    break
            if made[test] == before:
                yield test, none


def _fix_q(reading: Reading, template: Template, studio: Studio) -> Iterator[Pair]:
    """The same question, of another image where another thing is the answer."""
    others = studio.knowledge.of(reading.relation, 1 - reading.answer_side, reading.entity)
    for thing, triple in sorted(others.items(), key=lambda item: (-item[1].weight, item[0])):
        if is_same_thing(thing, reading.answer) or not _fits_kind(studio, thing, reading):
            continue
        # Where the first answer is also in the image, it would still be right.
        images = [
            image
            for image in studio.showing.get(thing, ())
            if image != reading.question.image
            and not any(is_same_thing(other, reading.answer) for other in studio.gallery.things[image])
        ]
        question = _asked(reading.question.question)
        images = [image for image in images if (image, plain(question)) not in studio.asked]
        if not images or plain(question) in studio.banned:
            continue
        image = studio.uses.take(images)
        studio.asked.add((image, plain(question)))
        answers = studio.answers(image, reading, reading.entity)
        side = Side(image, question, studio.gallery.names[thing], answers[:_MOST_ANSWERS])
        yield _pair(FIX_Q, Expectation.DIFFERENT, reading, side, template, triple, studio)


def _fix_a(reading: Reading, template: Template, studio: Studio) -> Iterator[Pair]:
    """Another question that the same thing answers, from another fact of it."""
    others = studio.knowledge.of(reading.relation, reading.answer_side, reading.answer)
    for entity, triple in sorted(others.items(), key=lambda item: (-item[1].weight, item[0])):
        question = _ask(reading, template, entity, triple)
        if question is None or plain(question) in studio.banned:
            continue
        images = [
            image for image in studio.showing.get(reading.answer, ()) if (image, plain(question)) not in studio.asked
        ]
        if not images:
            continue
        image = studio.uses.take(images)
        studio.asked.add((image, plain(question)))
        first = _answer(reading.question)
        more = studio.answers(image, reading, entity)
        answers = tuple(dict.fromkeys((first, *(name for name in more if key_of(name) != reading.answer))))
        side = Side(image, question, first, answers[:_MOST_ANSWERS])
        yield _pair(FIX_A, Expectation.SAME, reading, side, template, triple, studio)


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
    return template.render(entity=filled)


def _fits_kind(studio: Studio, thing: Key, reading: Reading) -> bool:
    name = studio.gallery.names.get(thing)
    return name is not None and (not reading.kind or is_kind_of(name, reading.kind))


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


def _pair(
    test: str,
    expectation: Expectation,
    reading: Reading,
    side: Side,
    template: Template,
    triple: Triple,
    studio: Studio,
) -> Pair:
    question = reading.question
    fact = question.fact
    return Pair(
        test,
        expectation,
        Side(question.image, _asked(question.question), _answer(question)),
        side,
        "image",
        reading.relation,
        "fvqa",
        f"{studio.fold}/{question.question_id}",
        template.id,
        template.hash,
        bindings={
            "fact": [triple.head, triple.relation, triple.tail],
            "base": triple.base,
            "weight": triple.weight,
            "original_fact": [fact.head_said, fact.relation, fact.tail_said],
            "original_fact_id": fact.fact_id,
        },
        extra={"fold": studio.fold, "answer_in_train": studio.bucket(side.answer)},
    )
