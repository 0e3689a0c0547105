"""Lessons that models learn from: questions with their answers, from the training files of sources or from pairs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from zlib import crc32

import pyarrow as pa

from diptych.files import json_digest
from diptych.language import parse_count
from diptych.sources import iter_vqa, vqa_files, vqa_splits

MOST_LESSONS = 20_000  # questions of a training file that are read, from its beginning

MOST_OF_HALF = 5_000  # sides of a half of the pairs that are learned from, evenly drawn

_SOURCES = ("vqa_v2", "vqa_v1")  # the first whose training files are there
_SPLIT = "train"
_SIDES = ("original", "perturbed")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A question about a picture, with its answer."""

    picture: str  # the official file name of the picture
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Course:
    """The lessons that a model learns from, and their origin in words."""

    origin: str
    lessons: tuple[Lesson, ...]

    def header(self) -> dict[str, Any]:
        """What a file of predictions says about the training."""
        lessons = [[lesson.picture, lesson.question, lesson.answer] for lesson in self.lessons]
        return {"training": f"{self.origin}, {len(lessons):,} questions", "training_digest": json_digest(lessons)}


def clean_answer(text: str) -> str:
    """An answer as it is learned: in lower case, without a period at its end, a number in digits.

    >>> clean_answer("Two."), clean_answer("Hot  dog")
    ('2', 'hot dog')
    """
    answer = " ".join(text.lower().strip().rstrip(".").split())
    count = parse_count(answer)
    return answer if count is None else str(count)


def read_course(data: Path, without: Collection[str] = ()) -> Course | None:
    """The training questions of VQA under a folder of source files, without those about some pictures.

    None where there are no training files. VQA-CP asks in its test about pictures of VQA's training set: a model that
    is asked about a picture never learns from it.
    """
    source = next((source for source in _SOURCES if _SPLIT in vqa_splits(data, source)), None)
    if source is None:
        return None
    rows = islice(iter_vqa(vqa_files(data, source, _SPLIT)), MOST_LESSONS)
    lessons = (Lesson(row.image_file, row.question, clean_answer(row.answer)) for row in rows)
    return Course(f"{source} {_SPLIT}", tuple(lesson for lesson in lessons if lesson.picture not in without))


def half_of(row: Mapping[str, Any]) -> int:
    """The half of a dataset that a pair is in; all pairs about one original image are in one half.

    >>> half_of({"original_image_id": "1264"}) == half_of({"original_image_id": "1264", "perturbed_image_id": "7"})
    True
    """
    return crc32(str(row.get("original_image_id") or row.get("group_id") or row.get("pair_id")).encode()) & 1


def split_course(pairs: pa.Table) -> tuple[Course, Course]:
    """The two halves of the sides of pairs, each as lessons for a model that is asked about the other half."""
    names = [*(f"{side}_{part}" for side in _SIDES for part in ("question", "answer")), "original_image_id", "group_id"]
    rows = pairs.select([name for name in names if name in pairs.column_names]).to_pylist()
    halves: tuple[list[Lesson], list[Lesson]] = ([], [])
    for row in rows:
        for side in _SIDES:
            if answer := row.get(f"{side}_answer"):
                halves[half_of(row)].append(Lesson("", row[f"{side}_question"], clean_answer(answer)))
    first, second = (Course(f"half {number} of the pairs", _thin(half)) for number, half in enumerate(halves))
    return first, second


def _thin(lessons: Sequence[Lesson]) -> tuple[Lesson, ...]:
    return tuple(lessons[:: max(1, -(-len(lessons) // MOST_OF_HALF))])
