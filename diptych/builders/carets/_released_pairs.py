"""The pairs that CARETS's authors released, unchanged, so that published predictions can be scored here."""

from dataclasses import dataclass

from diptych.builders import Item
from diptych.builders.carets._quotas import ANTONYM, NEGATION, ONTOLOGICAL, ORDER, REPHRASE
from diptych.images import plain_file_name
from diptych.pairs import Expectation, Pair, Side, Skip
from diptych.sources import ReleasedPair, ReleasedQuestion

RELEASED_TESTS = (REPHRASE, ONTOLOGICAL, ORDER, NEGATION, ANTONYM)
_DIRECTIONAL_TESTS = (NEGATION, ANTONYM)

NO_PERTURBED = Skip("the release has no perturbed question for it")
NOT_TIED = Skip("the released answers do not have the relation of their test")


@dataclass(frozen=True, slots=True)
class ReleasedRow(Item):
    """A released pair that is published as it is."""

    file: str
    original: ReleasedQuestion
    perturbed: ReleasedQuestion

    def pair(self) -> Pair:
        """The published pair."""
        original, perturbed = self.original, self.perturbed
        changes = original.answers[0] != perturbed.answers[0]
        return Pair(
            test=self.test,
            expectation=Expectation.DIFFERENT if changes else Expectation.SAME,
            original=_side(original),
            perturbed=_side(perturbed),
            answer_type="yes/no" if original.answers[0] in {"yes", "no"} else "other",
            question_type=self.file,
            source="carets",
            source_id=self.key,
            bindings={
                "original_questions": [original.question_id, original.number],
                "perturbed_questions": [perturbed.question_id, perturbed.number],
            },
        )


def read_released_pair(record: ReleasedPair) -> ReleasedRow | Skip:
    """A pair of the release, or why it is left out."""
    test, file = f"carets.{record.test}", record.file.removesuffix(".json")
    if record.perturbed is None:
        return NO_PERTURBED.of(test)
    changes = record.original.answers[0] != record.perturbed.answers[0]
    if changes is not (test in _DIRECTIONAL_TESTS):
        return NOT_TIED.of(test)
    return ReleasedRow(test, f"{file}/{record.perturbed.question_id}", file, record.original, record.perturbed)


def _side(question: ReleasedQuestion) -> Side:
    image_file = plain_file_name(question.image_id)  # the images are GQA's
    return Side(question.image_id, question.question, question.answers[0], question.answers, image_file)
