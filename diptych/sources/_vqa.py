"""Questions and answers of VQA v1, VQA v2 and VQA-CP."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from sys import intern
from typing import Any

from diptych.errors import BadInputError, UnknownNameError
from diptych.images import image_file_name
from diptych.sources._files import SourceFile, find_file, require_file
from diptych.sources._json import JsonRecords
from diptych.sources._records import LONGEST_TEXT, Fields, IdLog, RecordStore, describe

ANNOTATORS = 10


@dataclass(frozen=True, slots=True)
class VqaQuestion:
    """One question about one image, without its answers."""

    question_id: str
    image_id: str
    question: str
    split: str
    source: str
    coco_split: str
    """The COCO folder of the image, such as `val2014`."""


@dataclass(frozen=True, slots=True)
class VqaRow:
    """One question about one image with the ten annotators' answers."""

    question_id: str
    image_id: str
    question: str
    question_type: str
    answer_type: str
    answer: str
    """The answer of most annotators (`multiple_choice_answer` in the files)."""
    answers: tuple[str, ...]
    split: str
    source: str
    coco_split: str = ""

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
    splits: dict[str, str]
    """Split to its spelling in the file names."""


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
    "vqa_cp_v2": VqaLayout("vqacp", "vqacp_v2_{}_questions.json", "vqacp_v2_{}_annotations.json", _CP),
    "vqa_cp_v1": VqaLayout("vqacp", "vqacp_v1_{}_questions.json", "vqacp_v1_{}_annotations.json", _CP),
}
"""The folder and file names of the VQA-like sources, by key."""


def _layout(source: str) -> VqaLayout:
    try:
        return LAYOUTS[source]
    except KeyError:
        raise UnknownNameError.among("VQA source", source, LAYOUTS) from None


def vqa_splits(data_dir: Path, source: str = "vqa_v2") -> tuple[str, ...]:
    """The splits whose question file exists."""
    layout = _layout(source)
    spellings = layout.splits.items()
    return tuple(
        split for split, name in spellings if find_file(data_dir, layout.folder, layout.questions.format(name))
    )


def vqa_files(data_dir: Path, source: str = "vqa_v2", split: str = "val") -> VqaFiles:
    """The files of one split; VQA's test splits have questions only, all others need both files."""
    layout = _layout(source)
    if split not in layout.splits:
        raise UnknownNameError.among(f"split of {source}", split, layout.splits)
    name = layout.splits[split]
    questions = require_file(data_dir, layout.folder, layout.questions.format(name))
    is_public = layout.splits is _CP or not split.startswith("test")
    annotations = require_file(data_dir, layout.folder, layout.annotations.format(name)) if is_public else None
    return VqaFiles(source, split, questions, annotations)


def read_questions(files: VqaFiles) -> list[VqaQuestion]:
    """The questions of a split in file order, without answers."""
    return list(iter_questions(files))


def iter_questions(files: VqaFiles) -> Iterator[VqaQuestion]:
    """Stream the questions of a split; an id that occurs twice is an error once all are read."""
    fields = Fields(files.questions, "question", "question_id")
    coco_split = intern(_layout(files.source).splits[files.split])
    ids = IdLog()
    for record in JsonRecords(files.questions, "questions"):
        question = parse_question(record, files, coco_split, fields)
        ids.add(question.question_id)
        yield question
    if repeated := ids.find_repeated():
        raise fields.error({"question_id": repeated}, "this question_id is there twice")


def parse_question(
    record: Any, files: VqaFiles, coco_split: str, fields: Fields, allow_blank: bool = False
) -> VqaQuestion:
    """Parse one record of a question file; `coco_split` is for files whose records do not name one."""
    question_id = fields.get_id(record, "question_id")
    image_id = fields.get_number(record, "image_id")
    is_blank = allow_blank and isinstance(record.get("question"), str) and not record["question"].strip()
    text = "" if is_blank else fields.get_text(record, "question")
    coco_split = intern(fields.get_text(record, "coco_split")) if "coco_split" in record else coco_split
    return VqaQuestion(question_id, image_id, text, files.split, files.source, coco_split)


def read_vqa(files: VqaFiles, keep: Callable[[VqaQuestion], bool] | None = None) -> list[VqaRow]:
    """The rows of `iter_vqa` as a list."""
    return list(iter_vqa(files, keep))


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
            if fields.get_id(record, "image_id") != question.image_id:
                difference = f"image_id is {record['image_id']}, but {question.image_id} in the question file"
                raise fields.error(record, difference)
            if keep is None or keep(question):
                yield parse_row(question, record, fields)
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
    remaining_questions = chain([question], questions)
    question_count = match_count = 0
    for question in remaining_questions:
        question_count += 1
        if (record := store.get(question.question_id)) is not None:
            match_count += 1
            yield question, record
    if not question_count == match_count == len(store):
        raise _mismatch(files, fields)


def parse_row(question: VqaQuestion, record: Any, fields: Fields) -> VqaRow:
    """Join a question with its annotation; equal answers share one string, to save memory."""
    return VqaRow(
        question.question_id,
        question.image_id,
        question.question,
        intern(fields.get_text(record, "question_type")),
        intern(fields.get_text(record, "answer_type")),
        intern(fields.get_text(record, "multiple_choice_answer")),
        _parse_answers(record, fields),
        question.split,
        question.source,
        question.coco_split,
    )


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
    annotated: dict[str, None] = {}
    repeated, unknown = [], []
    for record in JsonRecords(fields.file, "annotations"):
        question_id = fields.get_id(record, "question_id")
        if question_id not in question_ids:
            unknown.append(question_id)
        elif question_id in annotated:
            repeated.append(question_id)
        annotated[question_id] = None
    bare = [question_id for question_id in question_ids if question_id not in annotated]
    faults = [
        f"{len(ids):,} {singular if len(ids) == 1 else plural} ({_list_some(ids)})"
        for ids, singular, plural in (
            (bare, "question without annotation", "questions without annotation"),
            (unknown, "annotation without question", "annotations without question"),
            (repeated, "question annotated twice", "questions annotated twice"),
        )
        if ids
    ]
    both = f"{files.questions.where} and {fields.file.where}"
    return BadInputError(f"{both} do not match: {', '.join(faults)}; take both from one release")


def _list_some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:3]) + (", …" if len(ids) > 3 else "")
