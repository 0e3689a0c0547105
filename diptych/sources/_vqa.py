"""Questions and answers of VQA v1, VQA v2 and VQA-CP, and VQA-Rephrasings: their questions in other words by people.

The rephrasings come as a pair of files in VQA's format with the original questions and, marked by `rephrasing_of`,
their rephrasings. A rephrasing's id is the original's with a digit appended, which can be the id of another original,
so annotations are matched by their place in the file. Some rephrasings are blank; they are kept, as "", for the ledger.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from sys import intern
from typing import Any

from diptych.errors import BadInputError, MissingFileError, look_up
from diptych.images import image_file_name
from diptych.sources._catalog import get_source
from diptych.sources._files import SourceFile, find_file, find_matching, require_file
from diptych.sources._json import JsonRecords
from diptych.sources._records import LONGEST_TEXT, Fields, IdLog, RecordStore, describe, find_fault

ANNOTATORS = 10


@dataclass(frozen=True, slots=True)
class VqaQuestion:
    """One question about one image, without its answers."""

    question_id: str
    image_id: str
    question: str
    split: str
    source: str
    coco_split: str  # the COCO folder of the image, such as `val2014`
    choices: tuple[str, ...] = ()  # what a multiple-choice question offers


@dataclass(frozen=True, slots=True)
class VqaRow:
    """One question about one image with the ten annotators' answers."""

    question_id: str
    image_id: str
    question: str
    question_type: str
    answer_type: str
    answer: str  # the answer of most annotators (`multiple_choice_answer` in the files)
    answers: tuple[str, ...]
    split: str
    source: str
    coco_split: str = ""
    choices: tuple[str, ...] = ()  # what a multiple-choice question offers

    @property
    def image_file(self) -> str:
        """The official file name of the image; empty where the source does not tell it."""
        return image_file_name(self.source, self.image_id, self.split, self.coco_split)


@dataclass(frozen=True, slots=True)
class VqaLayout:
    """The official file names of a VQA-like source, by split."""

    folder: str
    questions: str
    annotations: str
    splits: dict[str, str]  # split to its spelling in the file names


@dataclass(frozen=True, slots=True)
class VqaFiles:
    """The files of one split; `annotations` is None where the answers are not public."""

    source: str
    split: str
    questions: SourceFile
    annotations: SourceFile | None

    @property
    def all(self) -> tuple[SourceFile, ...]:
        """The files that exist, for checksums."""
        return (self.questions,) if self.annotations is None else (self.questions, self.annotations)


_COCO = {"train": "train2014", "val": "val2014", "test": "test2015", "test-dev": "test-dev2015"}
_CP = {"train": "train", "test": "test"}
LAYOUTS: dict[str, VqaLayout] = {
    "vqa_v2": VqaLayout("vqa", "v2_OpenEnded_mscoco_{}_questions.json", "v2_mscoco_{}_annotations.json", _COCO),
    "vqa_v1": VqaLayout("vqa", "OpenEnded_mscoco_{}_questions.json", "mscoco_{}_annotations.json", _COCO),
    "vqa_v1_mc": VqaLayout("vqa", "MultipleChoice_mscoco_{}_questions.json", "mscoco_{}_annotations.json", _COCO),
    "vqa_cp_v2": VqaLayout("vqacp", "vqacp_v2_{}_questions.json", "vqacp_v2_{}_annotations.json", _CP),
    "vqa_cp_v1": VqaLayout("vqacp", "vqacp_v1_{}_questions.json", "vqacp_v1_{}_annotations.json", _CP),
}
"""The folder and file names of the VQA-like sources, by key."""


def vqa_splits(data_dir: Path, source: str = "vqa_v2") -> tuple[str, ...]:
    """The splits whose question file exists."""
    layout = look_up("VQA source", source, LAYOUTS)
    names = ((split, layout.questions.format(spelling)) for split, spelling in layout.splits.items())
    return tuple(split for split, name in names if find_file(data_dir, layout.folder, name))


def vqa_files(data_dir: Path, source: str = "vqa_v2", split: str = "val") -> VqaFiles:
    """The files of one split; VQA's test splits have questions only, all others need both files."""
    layout = look_up("VQA source", source, LAYOUTS)
    name = look_up(f"split of {source}", split, layout.splits)
    questions = require_file(data_dir, layout.folder, layout.questions.format(name))
    is_public = layout.splits is _CP or not split.startswith("test")
    annotations = require_file(data_dir, layout.folder, layout.annotations.format(name)) if is_public else None
    return VqaFiles(source, split, questions, annotations)


def vqa_question_file(source: str, split: str) -> str:
    """The official name of the question file of a split.

    >>> vqa_question_file("vqa_v2", "test-dev")
    'v2_OpenEnded_mscoco_test-dev2015_questions.json'
    """
    layout = look_up("VQA source", source, LAYOUTS)
    return layout.questions.format(look_up(f"split of {source}", split, layout.splits))


def iter_questions(files: VqaFiles) -> Iterator[VqaQuestion]:
    """Stream the questions of a split; an id that occurs twice is an error once all are read."""
    fields = Fields(files.questions, "question", "question_id")
    coco_split = intern(LAYOUTS[files.source].splits[files.split])
    ids = IdLog(fields)
    for record in JsonRecords(files.questions, "questions"):
        question = _parse_question(record, files, coco_split, fields)
        ids.add(question.question_id)
        yield question
    ids.check()


def _parse_question(
    record: Any, files: VqaFiles, coco_split: str, fields: Fields, allow_blank: bool = False
) -> VqaQuestion:
    """Parse one record of a question file; `coco_split` is for files whose records do not name one."""
    question_id = fields.get_id(record, "question_id")
    image_id = fields.get_number(record, "image_id")
    is_blank = allow_blank and isinstance(record.get("question"), str) and not record["question"].strip()
    text = "" if is_blank else fields.get_text(record, "question")
    coco_split = intern(fields.get_text(record, "coco_split")) if "coco_split" in record else coco_split
    choices = _parse_choices(record, fields) if "multiple_choices" in record else ()
    return VqaQuestion(question_id, image_id, text, files.split, files.source, coco_split, choices)


def _parse_choices(record: Any, fields: Fields) -> tuple[str, ...]:
    choices = fields.get_list(record, "multiple_choices")
    for choice in choices:
        if fault := find_fault(choice):
            raise fields.error(record, f"a choice {fault}")
    return tuple(map(intern, choices))


def iter_vqa(files: VqaFiles, keep: Callable[[VqaQuestion], bool] | None = None) -> Iterator[VqaRow]:
    """Stream the questions of a split with their answers, in the order of the question file.

    `keep` selects questions; the annotations of the others must exist and are not read further. Memory does not grow
    with the files: they are read in step as long as their order agrees, as it does in the official ones. From the first
    disagreement on, the other annotations wait in a temporary file. Ids that are repeated, or that only one of the
    files has, are an error once all rows are read.
    """
    if files.annotations is None:
        raise BadInputError(f"{files.questions.where}: the answers of split {files.split!r} are not public")
    fields = Fields(files.annotations, "annotation of question", "question_id")
    questions = iter_questions(files)
    try:
        for question, record in _join(questions, files, fields):
            if (image_id := fields.get_id(record, "image_id")) != question.image_id:
                raise fields.error(record, f"image_id is {image_id}, but {question.image_id} in the question file")
            if keep is None or keep(question):
                yield _parse_row(question, record, fields)
    except BadInputError:
        for _ in questions:
            pass  # a fault of the question file comes first: it may be the cause of this one
        raise


def _join(questions: Iterator[VqaQuestion], files: VqaFiles, fields: Fields) -> Iterator[tuple[VqaQuestion, Any]]:
    """Yield the questions with their annotations; ids that only one of the files has are an error at the end."""
    records = ((fields.get_id(record, "question_id"), record) for record in JsonRecords(fields.file, "annotations"))
    for question in questions:
        first = next(records, None)
        if first is None or first[0] != question.question_id:
            break
        yield question, first[1]
    else:
        if next(records, None) is not None:
            raise _mismatch(files, fields)
        return
    store = RecordStore(chain([first] if first else [], records))
    question_count = match_count = 0
    remaining_questions = chain([question], questions)
    for question in remaining_questions:
        question_count += 1
        if (record := store.get(question.question_id)) is not None:
            match_count += 1
            yield question, record
    if not question_count == match_count == len(store):
        raise _mismatch(files, fields)


def _parse_row(question: VqaQuestion, record: Any, fields: Fields) -> VqaRow:
    """Join a question with its annotation; equal answers share one string, to save memory."""
    names = ("question_type", "answer_type", "multiple_choice_answer")
    question_type, answer_type, answer = (intern(fields.get_text(record, name)) for name in names)
    place = question.split, question.source, question.coco_split, question.choices
    texts = question.question, question_type, answer_type, answer
    return VqaRow(question.question_id, question.image_id, *texts, _parse_answers(record, fields), *place)


def _parse_answers(record: Any, fields: Fields) -> tuple[str, ...]:
    answers = fields.get_list(record, "answers")
    if len(answers) != ANNOTATORS:
        raise fields.error(record, f"has {len(answers)} answers, not {ANNOTATORS}")
    try:
        texts = tuple([intern(answer["answer"]) for answer in answers])
    except (KeyError, TypeError):
        raise fields.error(record, _describe_wrong_answer(answers)) from None
    if max(map(len, texts)) > LONGEST_TEXT:
        raise fields.error(record, f"an answer has more than {LONGEST_TEXT:,} characters")
    return texts


def _describe_wrong_answer(answers: Iterable[Any]) -> str:
    for number, answer in enumerate(answers, start=1):
        if not isinstance(answer, dict) or "answer" not in answer:
            return f"answer {number} is {describe(answer)} without an answer"
        if not isinstance(answer["answer"], str):
            return f"answer {number} is {describe(answer['answer'])}, not text"
    raise AssertionError("no wrong answer")


def _mismatch(files: VqaFiles, fields: Fields) -> BadInputError:
    question_ids = dict.fromkeys(question.question_id for question in iter_questions(files))
    annotated = Counter(fields.get_id(record, "question_id") for record in JsonRecords(fields.file, "annotations"))
    bare = [question_id for question_id in question_ids if question_id not in annotated]
    unknown = [question_id for question_id in annotated.elements() if question_id not in question_ids]
    repeated = [question_id for question_id in question_ids if annotated[question_id] > 1]
    kinds = (bare, "question", "without annotation"), (unknown, "annotation", "without question")
    faults = [
        f"{len(ids):,} {noun}{'s' * (len(ids) > 1)} {fault} ({', '.join(ids[:3])}{', …' * (len(ids) > 3)})"
        for ids, noun, fault in (*kinds, (repeated, "question", "annotated twice"))
        if ids
    ]
    both = f"{files.questions.where} and {fields.file.where}"
    return BadInputError(f"{both} do not match: {', '.join(faults)}; use both from the same release")


@dataclass(frozen=True, slots=True)
class Rephrasing:
    """A question and the same question in other words; `rephrasing.question` is "" where the release left it blank."""

    original: VqaRow
    rephrasing: VqaRow


def rephrasings_files(data_dir: Path) -> VqaFiles:
    """The two files of the release, by the name of the question file that exists."""
    folder = Path(data_dir) / "rephrasings"
    files = find_matching(data_dir, "rephrasings", "*_questions.json")
    if not files:
        address = get_source("rephrasings").homepage
        raise MissingFileError(f"{folder}: no *_questions.json found; get it from {address}")
    if len(files) > 1:
        raise BadInputError(f"{folder}: several question files; keep one: {', '.join(file.name for file in files)}")
    annotations = files[0].name.replace("OpenEnded_", "").replace("_questions.json", "_annotations.json")
    return VqaFiles("vqa_rephrasings", "val", files[0], require_file(data_dir, "rephrasings", annotations))


def read_rephrasings(files: VqaFiles) -> Iterator[Rephrasing]:
    """Stream the rephrasings in file order; the files are read twice, first for the originals, which are kept."""
    fields = Fields(files.questions, "question", "question_id")
    rows = {row.question_id: row for record, row in _iter_rows(files, fields) if "rephrasing_of" not in record}
    for record, row in _iter_rows(files, fields):
        if "rephrasing_of" not in record:
            continue
        original = rows.get(original_id := fields.get_id(record, "rephrasing_of"))
        if original is None or original.image_id != row.image_id:
            fault = "about another image" if original else "not found"
            raise fields.error(record, f"it rephrases question {original_id}, which is {fault}")
        yield Rephrasing(original, row)


def _iter_rows(files: VqaFiles, fields: Fields) -> Iterator[tuple[Any, VqaRow]]:
    assert files.annotations is not None
    answer_fields = Fields(files.annotations, "annotation of question", "question_id")
    records = iter(JsonRecords(files.questions, "questions"))
    annotations = iter(JsonRecords(files.annotations, "annotations"))
    for record, annotation in zip_longest(records, annotations):
        if record is None:
            raise answer_fields.error(annotation, "the question file ends before it; use both from the same release")
        is_rephrasing = isinstance(record, dict) and "rephrasing_of" in record
        question = _parse_question(record, files, "val2014", fields, allow_blank=is_rephrasing)
        if annotation is None:
            raise fields.error(record, "the annotation file ends before it; use both from the same release")
        for name, expected in (("question_id", question.question_id), ("image_id", question.image_id)):
            if answer_fields.get_id(annotation, name) != expected:
                raise answer_fields.error(annotation, f"{name} is not {expected}, as in the question file")
        yield record, _parse_row(question, annotation, answer_fields)
