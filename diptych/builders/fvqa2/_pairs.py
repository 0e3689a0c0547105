"""Planned pairs in words: FVQA's questions as they are, and the drafts with all answers that their image supports."""

from collections.abc import Mapping
from dataclasses import dataclass

from diptych.builders.fvqa2._answers import possible_answers
from diptych.builders.fvqa2._drafts import FIX_Q, answer_text, as_question
from diptych.builders.fvqa2._folds import STANDARD, PlannedPair, Variant
from diptych.builders.fvqa2._images import ImageIndex
from diptych.builders.fvqa2._knowledge import Knowledge
from diptych.pairs import Expectation, Pair, Side

_MOST_ANSWERS = 9  # ten answers would mean ten annotators


@dataclass(frozen=True, slots=True)
class PairFacts:
    """What the pairs of a fold are worded with."""

    fold: str
    template_hashes: Mapping[str, str]
    """By id of the template."""
    images: ImageIndex
    knowledge: Knowledge


def make_pair(planned: PlannedPair, facts: PairFacts) -> Pair:
    """The pair that was planned."""
    if planned.variant is None:
        return _standard_pair(planned, facts.fold)
    return _varied_pair(planned, planned.variant, facts)


def _standard_pair(planned: PlannedPair, fold: str) -> Pair:
    """A question of FVQA as it is: both sides of the pair are the question itself."""
    question, answer = as_question(planned.question), answer_text(planned.answer)
    side = Side(planned.image, question, answer, image_file=planned.image)  # an image is known by its file
    return Pair(
        test=STANDARD,
        expectation=Expectation.SAME,
        original=side,
        perturbed=side,
        answer_type=planned.answer_source,
        question_type=planned.relation,
        source="fvqa",
        source_id=f"{fold}/{planned.question_id}",
        bindings={"fact": planned.fact_id},
        extra={"fold": fold, "answer_in_train": planned.answer_in_train},
    )


def _varied_pair(planned: PlannedPair, variant: Variant, facts: PairFacts) -> Pair:
    """A question and its variant: all answers are accepted that the image and the graph support."""
    triple, images = variant.triple, facts.images
    answers = possible_answers(variant.query, variant.kind, facts.knowledge, images)
    names = answers.names(variant.image, variant.answer)[:_MOST_ANSWERS]
    image, original_answer = images.images[variant.image], answer_text(planned.answer)
    return Pair(
        test=planned.test,
        expectation=Expectation.DIFFERENT if planned.test == FIX_Q else Expectation.SAME,
        original=Side(planned.image, variant.original_question, original_answer, image_file=planned.image),
        perturbed=Side(image, variant.question, variant.answer, names, image),
        answer_type="image",
        question_type=planned.relation,
        source="fvqa",
        source_id=f"{facts.fold}/{planned.question_id}",
        template_id=variant.template_id,
        template_hash=facts.template_hashes[variant.template_id],
        bindings={
            "fact": [triple.head, triple.relation, triple.tail],
            "base": triple.base,
            "weight": triple.weight,
            "original_fact": [variant.original_head, planned.relation, variant.original_tail],
            "original_fact_id": planned.fact_id,
            **({"asked": planned.question} if variant.is_corrected else {}),
        },
        extra={"fold": facts.fold, "answer_in_train": planned.answer_in_train},
    )
