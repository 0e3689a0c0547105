"""ConVQA: sets of questions about one image whose answers must agree, by common sense or by logic.

The common-sense file maps an image's address to `[[question, answer], …]`; the logical files map a Visual Genome id
to a list of sets of `{"question": …, "answer": …}`. Texts are lower case and have no question mark.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from diptych.errors import BadInputError
from diptych.sources.files import AGAIN, SourceFile, find_matching
from diptych.sources.records import described

COMMON_SENSE = "CommonSense_ConVQA_consistent*.json"
LOGICAL = "*Logical_ConVQA*.json"
_COCO_NAME = re.compile(r"COCO_(\w+)_0*(\d+)\.jpg$")


@dataclass(frozen=True, slots=True)
class ConVqaQuestion:
    """One question of a set, with its answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class ConVqaSet:
    """Questions about one image whose answers must agree."""

    set_id: str
    """The image's id and the number of the set, from 1."""
    image_id: str
    """COCO's id for common-sense sets, Visual Genome's for logical ones."""
    questions: tuple[ConVqaQuestion, ...]
    source: str
    """`convqa_cs` or `convqa_l`."""
    coco_split: str = ""
    """The COCO folder of the image; empty for logical sets."""


def convqa_files(data_dir: Path) -> dict[str, tuple[SourceFile, ...]]:
    """The files that are there, by source: `convqa_cs` and `convqa_l`."""
    return {
        "convqa_cs": find_matching(data_dir, "convqa", COMMON_SENSE),
        "convqa_l": find_matching(data_dir, "convqa", LOGICAL),
    }


def read_common_sense(file: SourceFile) -> list[ConVqaSet]:
    """The common-sense sets, in file order."""
    sets: list[ConVqaSet] = []
    for address, value in _entries(file):
        match = _COCO_NAME.search(address)
        if not match:
            raise BadInputError(f"{file.where}: image {address!r}: not the address of a COCO image")
        coco_split, image_id = match.groups()
        # One image has one set, given as pairs; later copies of the file wrap the sets in a list.
        nested = bool(value) and isinstance(value[0], list) and bool(value[0]) and not isinstance(value[0][0], str)
        for number, each in enumerate(value if nested else [value], start=1):
            questions = _questions(file, image_id, number, each)
            sets.append(ConVqaSet(f"{image_id}-{number}", image_id, questions, "convqa_cs", coco_split))
    return sets


def read_logical(file: SourceFile) -> list[ConVqaSet]:
    """The logical sets, in file order."""
    return [
        ConVqaSet(f"{image_id}-{number}", image_id, _questions(file, image_id, number, each), "convqa_l")
        for image_id, value in _entries(file)
        for number, each in enumerate(value, start=1)
    ]


def _entries(file: SourceFile) -> Iterator[tuple[str, list[Any]]]:
    content = file.read_bytes()
    try:
        entries = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        what = "is cut short" if error.pos >= len(content.rstrip()) else "is not valid JSON"
        raise BadInputError(f"{file.where}: the file {what} at byte {error.pos:,}; {AGAIN}") from None
    if not isinstance(entries, dict):
        raise BadInputError(f"{file.where}: the file is {described(entries)}, not an object of images")
    for key, value in entries.items():
        if not isinstance(value, list):
            raise BadInputError(f"{file.where}: image {key}: its sets are {described(value)}, not a list")
        yield key, value


def _questions(file: SourceFile, image_id: str, number: int, given: Any) -> tuple[ConVqaQuestion, ...]:
    where = f"{file.where}: image {image_id}, set {number}"
    if not isinstance(given, list):
        raise BadInputError(f"{where}: it is {described(given)}, not a list of questions")
    return tuple(_question(each, f"{where}, question {at}") for at, each in enumerate(given, start=1))


def _question(given: Any, where: str) -> ConVqaQuestion:
    match given:
        case [question, answer] | {"question": question, "answer": answer}:
            pass
        case _:
            raise BadInputError(f"{where}: it is {described(given)}, not a question and its answer")
    for name, text in (("question", question), ("answer", answer)):
        if not isinstance(text, str) or not text.strip():
            raise BadInputError(f"{where}: the {name} is {described(text)}, not text")
    return ConVqaQuestion(question, answer)
