"""Questions and answers of VQA v1 and v2 and of VQA-CP, from the official files into typed rows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import Any

from diptych.errors import BadInputError, UnknownNameError
from diptych.sources.files import SourceFile, find_file, require_file
from diptych.sources.records import Complain, JsonRecords, complainer, described, get_id, get_list, get_text

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
    """The answer most annotators gave (`multiple_choice_answer` in the files)."""
    answers: tuple[str, ...]
    split: str
    source: str
    coco_split: str = ""

    @property
    def image_file(self) -> str:
        """The official file name of the image."""
        return coco_file_name(self.coco_split, self.image_id)


@dataclass(frozen=True, slots=True)
class VqaLayout:
    """The official file names of a VQA-like source, by split."""

    folder: str
    questions: str
    annotations: str
    splits: dict[str, str]
    """Split → how it is spelt in the file names."""


@dataclass(frozen=True, slots=True)
class VqaFiles:
    """The files of one split; `annotations` is None where the answers are not public."""

    source: str
    split: str
    questions: SourceFile
    annotations: SourceFile | None

    @property
    def all(self) -> tuple[SourceFile, ...]:
        """The files that are there, for checksums."""
        return (self.questions,) if self.annotations is None else (self.questions, self.annotations)


_COCO = {"train": "train2014", "val": "val2014", "test": "test2015", "test-dev": "test-dev2015"}
_CP = {"train": "train", "test": "test"}
LAYOUTS: dict[str, VqaLayout] = {
    "vqa_v2": VqaLayout("vqa", "v2_OpenEnded_mscoco_{}_questions.json", "v2_mscoco_{}_annotations.json", _COCO),
    "vqa_v1": VqaLayout("vqa", "OpenEnded_mscoco_{}_questions.json", "mscoco_{}_annotations.json", _COCO),
    "vqa_cp_v2": VqaLayout("vqacp", "vqacp_v2_{}_questions.json", "vqacp_v2_{}_annotations.json", _CP),
    "vqa_cp_v1": VqaLayout("vqacp", "vqacp_v1_{}_questions.json", "vqacp_v1_{}_annotations.json", _CP),
}
"""The VQA-like sources by key: where their files lie and what they are called."""

Keep = Callable[[VqaQuestion], bool]


def coco_file_name(coco_split: str, image_id: str) -> str:
    """The file name COCO gave an image.

    >>> coco_file_name("val2014", "262148")
    'COCO_val2014_000000262148.jpg'
    """
    # test-dev asks about images of the whole test set.
    return f"COCO_{coco_split.replace('test-dev', 'test')}_{int(image_id):012d}.jpg"


def _layout(source: str) -> VqaLayout:
    try:
        return LAYOUTS[source]
    except KeyError:
        raise UnknownNameError.among("VQA source", source, LAYOUTS) from None


def vqa_splits(data_dir: Path, source: str = "vqa_v2") -> tuple[str, ...]:
    """The splits whose question file is there."""
    layout = _layout(source)
    spelt = layout.splits.items()
    return tuple(s for s, name in spelt if find_file(data_dir, layout.folder, layout.questions.format(name)))


def vqa_files(data_dir: Path, source: str = "vqa_v2", split: str = "val") -> VqaFiles:
    """The files of one split; VQA's test splits have questions only, all others need both files."""
    layout = _layout(source)
    if split not in layout.splits:
        raise UnknownNameError.among(f"split of {source}", split, layout.splits)
    name = layout.splits[split]
    questions = require_file(data_dir, layout.folder, layout.questions.format(name))
    public = layout.splits is _CP or not split.startswith("test")
    annotations = require_file(data_dir, layout.folder, layout.annotations.format(name)) if public else None
    return VqaFiles(source, split, questions, annotations)


def read_questions(files: VqaFiles) -> list[VqaQuestion]:
    """The questions of a split in file order, without answers."""
    complain = complainer(files.questions, "question", "question_id")
    default = intern(_layout(files.source).splits[files.split])
    rows: list[VqaQuestion] = []
    seen: set[str] = set()
    for record in JsonRecords(files.questions, "questions"):
        row = question_of(record, files, default, complain)
        if row.question_id in seen:
            raise complain(record, "this question_id is there twice")
        seen.add(row.question_id)
        rows.append(row)
    return rows


def question_of(record: Any, files: VqaFiles, coco_split: str, complain: Complain, blank: bool = False) -> VqaQuestion:
    """One record of a question file; `coco_split` is for files whose records do not name one."""
    question_id = get_id(record, "question_id", complain)
    image_id = get_id(record, "image_id", complain)
    is_blank = blank and isinstance(record.get("question"), str) and not record["question"].strip()
    text = "" if is_blank else get_text(record, "question", complain)
    coco = intern(get_text(record, "coco_split", complain)) if "coco_split" in record else coco_split
    return VqaQuestion(question_id, image_id, text, files.split, files.source, coco)


def read_vqa(files: VqaFiles, keep: Keep | None = None) -> list[VqaRow]:
    """The questions of a split with their answers, in the order of the question file.

    `keep` says which questions are wanted: the answers of the others are checked to exist and then let go.
    """
    if files.annotations is None:
        raise BadInputError(f"{files.questions.where}: the answers of split {files.split!r} are not public")
    questions = read_questions(files)
    waiting = {question.question_id: question for question in questions}
    complain = complainer(files.annotations, "annotation of question", "question_id")
    rows: dict[str, VqaRow] = {}
    strays: list[str] = []
    for record in JsonRecords(files.annotations, "annotations"):
        question_id = get_id(record, "question_id", complain)
        question = waiting.pop(question_id, None)
        if question is None:
            strays.append(question_id)
        elif get_id(record, "image_id", complain) != question.image_id:
            raise complain(record, f"image_id is {record['image_id']}, but {question.image_id} in the question file")
        elif keep is None or keep(question):
            rows[question_id] = row_of(question, record, complain)
    if strays or waiting:
        raise _mismatch(files, questions, list(waiting), strays)
    return [rows[question.question_id] for question in questions if question.question_id in rows]


def row_of(question: VqaQuestion, record: Any, complain: Complain) -> VqaRow:
    """A question with the answers of its annotation; equal answers share one string, to save memory."""
    return VqaRow(
        question.question_id,
        question.image_id,
        question.question,
        intern(get_text(record, "question_type", complain)),
        intern(get_text(record, "answer_type", complain)),
        intern(get_text(record, "multiple_choice_answer", complain)),
        _answers(record, complain),
        question.split,
        question.source,
        question.coco_split,
    )


def _answers(record: Any, complain: Complain) -> tuple[str, ...]:
    given = get_list(record, "answers", complain)
    if len(given) != ANNOTATORS:
        raise complain(record, f"has {len(given)} answers, not {ANNOTATORS}")
    try:
        return tuple([intern(answer["answer"]) for answer in given])
    except (KeyError, TypeError):
        raise complain(record, _wrong_answer(given)) from None


def _wrong_answer(given: Iterable[Any]) -> str:
    for number, answer in enumerate(given, start=1):
        if not isinstance(answer, dict) or "answer" not in answer:
            return f"answer {number} is {described(answer)} without an answer"
        if not isinstance(answer["answer"], str):
            return f"answer {number} is {described(answer['answer'])}, not text"
    raise AssertionError("no wrong answer")


def _mismatch(
    files: VqaFiles, questions: Sequence[VqaQuestion], without: Sequence[str], strays: Sequence[str]
) -> BadInputError:
    assert files.annotations is not None
    known = {question.question_id for question in questions}
    twice = [stray for stray in strays if stray in known]
    unknown = [stray for stray in strays if stray not in known]
    faults = [
        f"{_count(ids, one, many)} ({_some(ids)})"
        for ids, one, many in (
            (without, "question without annotation", "questions without annotation"),
            (unknown, "annotation without question", "annotations without question"),
            (twice, "question annotated twice", "questions annotated twice"),
        )
        if ids
    ]
    both = f"{files.questions.where} and {files.annotations.where}"
    return BadInputError(f"{both} do not match: {', '.join(faults)}; take both from one release")


def _count(ids: Sequence[str], one: str, many: str) -> str:
    return f"{len(ids):,} {one if len(ids) == 1 else many}"


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:3]) + (", …" if len(ids) > 3 else "")
