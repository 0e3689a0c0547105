"""How the questions of a benchmark's group become pairs."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any
from zlib import crc32

from diptych.builders import Item
from diptych.pairs import Expectation, Pair, Side
from diptych.sources import BenchmarkGroup, BenchmarkQuestion

SAME_QUESTION = "benchmarks.same_question"  # one question about two images
SAME_IMAGE = "benchmarks.same_image"  # two questions about one image, answered yes and no
SINGLE = "benchmarks.single"  # a question without a partner

Couple = tuple[BenchmarkQuestion, BenchmarkQuestion | None]  # None for a question without a partner


@dataclass(frozen=True, slots=True)
class BenchmarkPair(Item):
    """Two questions of a group; the same one twice where it has no partner."""

    source: str
    group_id: str
    category: str
    original: BenchmarkQuestion
    perturbed: BenchmarkQuestion

    def pair(self) -> Pair:
        """The published pair; bindings name the questions, so that one answer per question is enough to score."""
        sides = (self.original, self.perturbed)
        is_yes_no = {side.answer for side in sides} <= {"yes", "no"}
        bindings: dict[str, Any] = {"choices": list(self.original.choices)} if self.original.choices else {}
        return Pair(
            test=self.test,
            expectation=Expectation.SAME if self.test == SINGLE else Expectation.GIVEN,
            original=_side(self.original),
            perturbed=_side(self.perturbed),
            answer_type="yes/no" if is_yes_no else "other",
            question_type=self.category,
            source=self.source,
            source_id=self.key,
            bindings=bindings | {"original_questions": [sides[0].key], "perturbed_questions": [sides[1].key]},
            extra={"original_question_id": sides[0].question_id, "perturbed_question_id": sides[1].question_id},
            group=self.group_id,
        )


def _side(question: BenchmarkQuestion) -> Side:
    return Side(question.image_id, question.question, question.answer, image_file=question.image_file)


def pair_questions(group: BenchmarkGroup, test: str) -> Iterator[BenchmarkPair]:
    """The pairs of a group for a test, and its questions that have no partner."""
    couples = _couple_answers(group) if test == SAME_IMAGE else _couple_images(group)
    for original, perturbed in couples:
        key = original.key if perturbed is None else f"{original.key}:{perturbed.key}"
        origin = (group.source, group.group_id, group.category)
        yield BenchmarkPair(SINGLE if perturbed is None else test, key, *origin, original, perturbed or original)


def _couple_images(group: BenchmarkGroup) -> Iterator[Couple]:
    """The first of the questions that ask the same, with each of the others that offers the same choices."""
    by_question: dict[tuple[str, tuple[str, ...]], list[BenchmarkQuestion]] = {}
    for question in group.questions:
        by_question.setdefault((question.question_id, question.choices), []).append(question)
    for original, *others in by_question.values():
        yield from ((original, perturbed) for perturbed in others)
        if not others:
            yield original, None


def _couple_answers(group: BenchmarkGroup) -> Iterator[Couple]:
    """The first question that is answered yes with the first that is answered no, and so on, in either order.

    Files name the one that is answered yes first; if pairs did too, their sides would tell the answers.
    """
    positive, negative = ([q for q in group.questions if q.answer == answer] for answer in ("yes", "no"))
    for first, second in zip_longest(positive, negative):
        if first is None or second is None:
            yield first or second, None
        else:
            yield (first, second) if crc32(first.key.encode()) & 1 else (second, first)
