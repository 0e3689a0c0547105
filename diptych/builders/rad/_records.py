"""Which records of which files the configs of `rad-cads` read, and the augmentations that the paper compares with.

ConVQA's consistent sets, VQA-Rephrasings and back-translations are other people's texts; they are taken over as they
are, as pairs of their own tests.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from diptych import sources
from diptych.builders import Item
from diptych.images import image_file_name
from diptych.pairs import Expectation, Pair, Side, Skip
from diptych.sources import BackTranslation, ConVqaSet, Rephrasing, SourceFile, VqaRow

CONVQA_L, CONVQA_CS = "rad.convqa_l", "rad.convqa_cs"
REPHRASING, BACK_TRANSLATION = "rad.rephrasing", "rad.back_translation"

SINGLE_QUESTION = Skip("the set has a single question")
SAME_WORDS = Skip("the words are those of the original")
EMPTY_TEXT = Skip("the text is empty")
UNKNOWN_QUESTION = Skip("no question of that id")

PUBLISHED_SPLITS = {"train": "train", "val": "validation", "test": "test"}  # a split of a source to its name on the Hub
SECRET_TESTS = {"vqa_v1", "vqa_v2"}  # sources whose test answers are not public


def present_splits(source: str, data: Path) -> list[str]:
    """The splits of a source that lie under the data folder and have answers."""
    if source.startswith("vqa"):
        splits = sources.vqa_splits(data, source)
        return [split for split in splits if not (source in SECRET_TESTS and split.startswith("test"))]
    if source == "visdial":
        return list(sources.visdial_splits(data))
    if source.startswith("convqa"):
        is_present = bool(sources.convqa_files(data).get(source))
    elif source == "rephrasings":
        is_present = bool(sources.find_matching(data, "rephrasings", "*_questions.json"))
    else:
        is_present = bool(sources.backtranslation_files(data)) and "val" in sources.vqa_splits(data, "vqa_v2")
    return ["val"] if is_present else []


def find_split(source: str, split: str, data: Path) -> tuple[tuple[SourceFile, ...], Callable[[], Iterator[object]]]:
    """The files of a split, and a function that reads their records as they are asked for."""
    if source.startswith("vqa"):
        questions = sources.vqa_files(data, source, split)
        return questions.all, lambda: sources.iter_vqa(questions)
    if source == "visdial":
        file = sources.visdial_file(data, split)
        return (file,), lambda: sources.read_visdial(file, split)
    if source.startswith("convqa"):
        files = sources.convqa_files(data)[source]
        return files, lambda: (record for file in files for record in sources.read_convqa(file, source))
    if source == "rephrasings":
        questions = sources.rephrasings_files(data)
        return questions.all, lambda: sources.read_rephrasings(questions)
    files = (*sources.backtranslation_files(data), *sources.vqa_files(data, "vqa_v2", "val").all)
    return files, lambda: _translated_questions(data)


TranslatedQuestion = tuple[BackTranslation, VqaRow | None]  # None where the table names an unknown question of VQA


def _translated_questions(data: Path) -> Iterator[TranslatedQuestion]:
    tables = sources.backtranslation_files(data)
    translations = [row for table in tables for row in sources.read_backtranslations(table)]
    wanted = {row.question_id for row in translations}
    files = sources.vqa_files(data, "vqa_v2", "val")
    originals = {row.question_id: row for row in sources.iter_vqa(files, keep=lambda row: row.question_id in wanted)}
    yield from ((row, originals.get(row.question_id)) for row in translations)


# Other people's pairs.


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
        sides = (self.original, self.perturbed)
        origin = (self.answer_type, self.question_type, self.source, self.key)
        return Pair(self.test, Expectation(self.expectation), *sides, *origin, extra={"agreement": self.agreement})


def read_imported(record: ConVqaSet | Rephrasing | TranslatedQuestion) -> Iterator[ImportedPair | Skip]:
    """The pairs of a record, or why there are none."""
    match record:
        case ConVqaSet():
            yield from _consistent_pairs(CONVQA_CS if record.source == "convqa_cs" else CONVQA_L, record)
        case Rephrasing():
            rephrasing = record.rephrasing
            yield _reworded_pair(REPHRASING, record.original, rephrasing.question, rephrasing.question_id)
        case (_, None):
            yield UNKNOWN_QUESTION.of(BACK_TRANSLATION)
        case (translation, VqaRow() as original):
            yield _reworded_pair(BACK_TRANSLATION, original, translation.text, original.question_id)


def _consistent_pairs(test: str, record: ConVqaSet) -> Iterator[ImportedPair | Skip]:
    """The first question of a set is the original, every other one a perturbed side with its own answer."""
    if len(record.questions) < 2:
        yield SINGLE_QUESTION.of(test)
        return
    file = image_file_name(record.source, record.image_id, coco_split=record.coco_split)
    sides = [Side(record.image_id, question, answer, image_file=file) for question, answer in record.questions]
    answer_type = "yes/no" if sides[0].answer in {"yes", "no"} else "other"
    for number, side in enumerate(sides[1:], start=2):
        key = f"{record.set_id}-{number}"
        yield ImportedPair(test, key, Expectation.GIVEN, sides[0], side, answer_type, "", record.source, None)


def _reworded_pair(test: str, row: VqaRow, text: str, key: str) -> ImportedPair | Skip:
    """The same question in different words, with the same answers."""
    if not text.strip():
        return EMPTY_TEXT.of(test)
    if _plain(text) == _plain(row.question):
        return SAME_WORDS.of(test)
    original = Side(row.image_id, row.question, row.answer, row.answers, row.image_file)
    perturbed = Side(row.image_id, text, row.answer, row.answers, original.image_file)
    origin = (row.answer_type, row.question_type, row.source)
    return ImportedPair(test, key, Expectation.SAME, original, perturbed, *origin, row.answers.count(row.answer))


def _plain(text: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in text.lower()).split())
