"""The augmentations the paper compares with, as pairs of their own tests.

ConVQA's consistent sets, VQA-Rephrasings and back-translations are other people's texts; they come in as they are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from diptych.pairs import Expectation, Pair, Side, Skip
from diptych.sources import BackTranslation, ConVqaSet, Rephrasing, VqaRow

CONVQA_L = "rad.convqa_l"
CONVQA_CS = "rad.convqa_cs"
REPHRASING = "rad.rephrasing"
BACK_TRANSLATION = "rad.back_translation"

LONELY = Skip("the set has a single question")
SAME_WORDS = Skip("the words are those of the original")
EMPTY = Skip("the text is empty")
UNKNOWN_QUESTION = Skip("no question of that id")


@dataclass(frozen=True, slots=True)
class Translated:
    """A question of VQA and its back-translation; None where the table names an unknown question."""

    translation: BackTranslation
    original: VqaRow | None


@dataclass(frozen=True, slots=True)
class ImportMaker:
    """Turns rows of other people's augmentations into pairs."""

    test: str

    def outcomes(self, rows: Sequence[Any]) -> Iterator[tuple[str, Pair | Skip]]:
        """For every row, its pairs or the reason why there is none."""
        for row in rows:
            yield from ((self.test, outcome) for outcome in _imported(self.test, row))


def _imported(test: str, row: ConVqaSet | Rephrasing | Translated) -> Iterator[Pair | Skip]:
    match row:
        case ConVqaSet():
            yield from _consistent(test, row)
        case Rephrasing():
            yield _reworded(test, row.original, row.rephrasing.question, row.rephrasing.question_id)
        case Translated(translation, None):
            yield UNKNOWN_QUESTION
        case Translated(translation, original) if original is not None:
            yield _reworded(test, original, translation.text, original.question_id)


def _consistent(test: str, row: ConVqaSet) -> Iterator[Pair | Skip]:
    """The first question of a set is the original, each other one a perturbed side with its own answer."""
    if len(row.questions) < 2:
        yield LONELY
        return
    first, *others = row.questions
    for number, other in enumerate(others, start=2):
        yield Pair(
            test=test,
            expectation=Expectation.GIVEN,
            original=Side(row.image_id, first.question, first.answer),
            perturbed=Side(row.image_id, other.question, other.answer),
            answer_type="yes/no" if first.answer in {"yes", "no"} else "other",
            question_type="",
            source=row.source,
            source_id=f"{row.set_id}-{number}",
            extra={"agreement": None},
        )


def _reworded(test: str, original: VqaRow, text: str, source_id: str) -> Pair | Skip:
    """The same question in other words, with the same answers."""
    if not text.strip():
        return EMPTY
    if _plain(text) == _plain(original.question):
        return SAME_WORDS
    return Pair(
        test=test,
        expectation=Expectation.SAME,
        original=Side(original.image_id, original.question, original.answer, original.answers),
        perturbed=Side(original.image_id, text, original.answer, original.answers),
        answer_type=original.answer_type,
        question_type=original.question_type,
        source=original.source,
        source_id=source_id,
        extra={"agreement": sum(answer == original.answer for answer in original.answers)},
    )


def _plain(text: str) -> str:
    return " ".join("".join(ch if ch.isalnum() else " " for ch in text.lower()).split())
