"""Which questions are main questions and which are basic ones."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from diptych.builders.bqd.settings import Settings, basic_splits
from diptych.errors import MissingFileError
from diptych.sources import SourceFile, VqaFiles, VqaRow, read_questions, read_vqa, vqa_files, vqa_splits

PUBLISHED = {"train": "train", "val": "validation", "test": "test", "test-dev": "test_dev"}
"""VQA's splits under the names that are published."""

_ANSWERED = ("train", "val")
_NEITHER_LETTER_NOR_DIGIT = re.compile(r"[^\w\s]+")
_YES_NO = frozenset({"yes", "no"})

Stamp = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """The distinct basic questions, where they come from, and the files they were read from."""

    questions: tuple[str, ...]
    splits: tuple[str, ...]
    files: tuple[SourceFile, ...]


def splits_with_answers(source: str, data: Path) -> tuple[str, ...]:
    """The splits of a source that are there and have public answers."""
    return tuple(split for split in vqa_splits(data, source) if split in _ANSWERED)


def has_questions(settings: Settings, data: Path, answered: bool) -> bool:
    """Whether the main questions, with answers if need be, and some basic questions are there."""
    mains = splits_with_answers(settings.source, data) if answered else vqa_splits(data, settings.source)
    return settings.main in mains and bool(splits_with_answers(settings.source, data))


def read_main(settings: Settings, data: Path) -> tuple[list[VqaRow], tuple[SourceFile, ...]]:
    """The main questions and their files; those of a test split have no answers."""
    files = vqa_files(data, settings.source, settings.main)
    rows = _rows(files, _stamp(files))
    return list(rows[: settings.limit or None]), files.all


def read_pool(settings: Settings, data: Path, yes_no: bool) -> Pool:
    """The distinct questions of the basic splits; of the main split where there is no other.

    The paper takes the test set's questions as main ones, against those of training and validation.
    """
    present = splits_with_answers(settings.source, data)
    if not present:
        raise MissingFileError(f"{data}: no questions of {settings.source} there; see `diptych sources --data {data}`")
    splits = basic_splits(settings.basic, settings.main, present)
    files = tuple(vqa_files(data, settings.source, split) for split in splits)
    chosen = _chosen(files, tuple(map(_stamp, files)), yes_no)
    return Pool(chosen, splits, tuple(file for each in files for file in each.all))


@lru_cache(maxsize=2)
def _chosen(files: tuple[VqaFiles, ...], stamps: tuple[Stamp, ...], yes_no: bool) -> tuple[str, ...]:
    rows = [row for each, stamp in zip(files, stamps, strict=True) for row in _rows(each, stamp)]
    return yes_no_questions(rows) if yes_no else distinct_questions(row.question for row in rows)


def _stamp(files: VqaFiles) -> Stamp:
    """What tells whether files are still those that were read."""
    return tuple((file.path.stat().st_mtime_ns, file.path.stat().st_size) for file in files.all)


@lru_cache(maxsize=3)
def _rows(files: VqaFiles, stamp: Stamp) -> Sequence[VqaRow]:
    """The rows of a split, read once for all configs of a build."""
    if files.annotations is not None:
        return read_vqa(files)
    return [
        VqaRow(row.question_id, row.image_id, row.question, "", "", "", (), row.split, row.source, row.coco_split)
        for row in read_questions(files)
    ]


def distinct_questions(questions: Iterable[str]) -> tuple[str, ...]:
    """Every question once, in its first spelling; case, spacing and punctuation make no difference.

    >>> distinct_questions(["Is it a dog?", "is it  a dog", "Is it a cat?"])
    ('Is it a dog?', 'Is it a cat?')
    """
    first: dict[str, str] = {}
    for question in questions:
        first.setdefault(key_of(question), " ".join(question.split()))
    first.pop("", None)
    return tuple(first.values())


def yes_no_questions(rows: Iterable[VqaRow]) -> tuple[str, ...]:
    """The distinct questions that most annotators, over all images they are asked of, answer with yes or no."""
    lead: dict[str, int] = {}
    spelt: list[str] = []
    for row in rows:
        key = key_of(row.question)
        if key not in lead:
            spelt.append(row.question)
        said = sum(answer.strip().lower() in _YES_NO for answer in row.answers)
        lead[key] = lead.get(key, 0) + 2 * said - len(row.answers)
    return distinct_questions(question for question in spelt if lead[key_of(question)] > 0)


def key_of(question: str) -> str:
    """What two spellings of one question have in common.

    >>> key_of("What's  this?")
    'whats this'
    """
    return " ".join(_NEITHER_LETTER_NOR_DIGIT.sub("", question.casefold()).split())
