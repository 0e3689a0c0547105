"""The augmentations that the paper compares with: ConVQA's consistent sets, VQA-Rephrasings and back-translations.

They are other people's texts and are taken over as they are, as pairs of their own tests.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from diptych.builders import Item
from diptych.images import image_file_name
from diptych.pairs import Expectation, Pair, Side, Skip
from diptych.sources import BackTranslation, ConVqaSet, Rephrasing, VqaRow

CONVQA_L = "rad.convqa_l"
CONVQA_CS = "rad.convqa_cs"
REPHRASING = "rad.rephrasing"
BACK_TRANSLATION = "rad.back_translation"

SINGLE_QUESTION = Skip("the set has a single question")
SAME_WORDS = Skip("the words are those of the original")
EMPTY_TEXT = Skip("the text is empty")
UNKNOWN_QUESTION = Skip("no question of that id")


@dataclass(frozen=True, slots=True)
class TranslatedQuestion:
    """A question of VQA and its back-translation; None where the table names an unknown question."""

    translation: BackTranslation
    original: VqaRow | None


ImportedRecord = ConVqaSet | Rephrasing | TranslatedQuestion


@dataclass(frozen=True, slots=True)
class ImportedPair(Item):
    """A pair that is published as it is."""

    expectation: str
    original: Side
    perturbed: Side
    answer_type: str
    question_type: str
    source: str
    agreement: int | None

    def pair(self) -> Pair:
        """The published pair."""
        return Pair(
            test=self.test,
            expectation=Expectation(self.expectation),
            original=self.original,
            perturbed=self.perturbed,
            answer_type=self.answer_type,
            question_type=self.question_type,
            source=self.source,
            source_id=self.key,
            extra={"agreement": self.agreement},
        )


def read_imported(record: ImportedRecord) -> Iterator[ImportedPair | Skip]:
    """The pairs of a record, or why there are none."""
    match record:
        case ConVqaSet():
            yield from _consistent_pairs(CONVQA_CS if record.source == "convqa_cs" else CONVQA_L, record)
        case Rephrasing():
            rephrasing = record.rephrasing
            yield _reworded_pair(REPHRASING, record.original, rephrasing.question, rephrasing.question_id)
        case TranslatedQuestion(_, None):
            yield UNKNOWN_QUESTION.of(BACK_TRANSLATION)
        case TranslatedQuestion(translation, original) if original is not None:
            yield _reworded_pair(BACK_TRANSLATION, original, translation.text, original.question_id)


def _consistent_pairs(test: str, record: ConVqaSet) -> Iterator[ImportedPair | Skip]:
    """The first question of a set is the original, every other one a perturbed side with its own answer."""
    if len(record.questions) < 2:
        yield SINGLE_QUESTION.of(test)
        return
    first, *rest = record.questions
    image_file = image_file_name(record.source, record.image_id, coco_split=record.coco_split)
    for number, question in enumerate(rest, start=2):
        yield ImportedPair(
            test=test,
            key=f"{record.set_id}-{number}",
            expectation=Expectation.GIVEN,
            original=Side(record.image_id, first.question, first.answer, image_file=image_file),
            perturbed=Side(record.image_id, question.question, question.answer, image_file=image_file),
            answer_type="yes/no" if first.answer in {"yes", "no"} else "other",
            question_type="",
            source=record.source,
            agreement=None,
        )


def _reworded_pair(test: str, original: VqaRow, text: str, source_id: str) -> ImportedPair | Skip:
    """The same question in different words, with the same answers."""
    if not text.strip():
        return EMPTY_TEXT.of(test)
    if _plain(text) == _plain(original.question):
        return SAME_WORDS.of(test)
    return ImportedPair(
        test=test,
        key=source_id,
        expectation=Expectation.SAME,
        original=Side(original.image_id, original.question, original.answer, original.answers, original.image_file),
        perturbed=Side(original.image_id, text, original.answer, original.answers, original.image_file),
        answer_type=original.answer_type,
        question_type=original.question_type,
        source=original.source,
        agreement=sum(answer == original.answer for answer in original.answers),
    )


def _plain(text: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in text.lower()).split())
