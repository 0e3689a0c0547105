"""ConVQA: sets of questions about one image whose answers must agree, by common sense or by logic.

The common-sense file maps an image's address to `[[question, answer], …]`; the logical files map a Visual Genome id
to a list of sets of `{"question": …, "answer": …}`. Texts are lower case and have no question mark.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diptych.errors import BadInputError
from diptych.sources._files import SourceFile, find_matching
from diptych.sources._json import members
from diptych.sources._records import check_text, describe

_COCO_NAME = re.compile(r"COCO_(\w+)_0*(\d+)\.jpg$")


@dataclass(frozen=True, slots=True)
class ConVqaSet:
    """Questions about one image whose answers must agree."""

    set_id: str  # the image's id and the number of the set, from 1
    image_id: str  # COCO's id for common-sense sets, Visual Genome's for logical ones
    questions: tuple[tuple[str, str], ...]  # each with its answer
    source: str  # `convqa_cs` or `convqa_l`
    coco_split: str = ""  # the COCO folder of the image; empty for logical sets


def convqa_files(data_dir: Path) -> dict[str, tuple[SourceFile, ...]]:
    """The files that exist, by source: `convqa_cs` and `convqa_l`."""
    return {
        "convqa_cs": find_matching(data_dir, "convqa", "CommonSense_ConVQA_consistent*.json"),
        "convqa_l": find_matching(data_dir, "convqa", "*Logical_ConVQA*.json"),
    }


def read_convqa(file: SourceFile, source: str) -> Iterator[ConVqaSet]:
    """Yield the sets of a file in order; `source` is `convqa_cs` or `convqa_l`."""
    for key, value in dict(members(file)).items():
        if not isinstance(value, list):
            raise BadInputError(f"{file.where}: image {key}: its sets are {describe(value)}, not a list")
        image_id, coco_split, sets = key, "", value
        if source == "convqa_cs":
            if not (match := _COCO_NAME.search(key)):
                raise BadInputError(f"{file.where}: image {key!r}: not the address of a COCO image")
            coco_split, image_id = match.groups()
            # An image has one set, given as pairs; later copies of the file wrap the sets in a list.
            is_nested = value and isinstance(value[0], list) and value[0] and not isinstance(value[0][0], str)
            sets = value if is_nested else [value]
        for number, entries in enumerate(sets, start=1):
            questions = _parse_set(file, image_id, number, entries)
            yield ConVqaSet(f"{image_id}-{number}", image_id, questions, source, coco_split)


def _parse_set(file: SourceFile, image_id: str, set_number: int, entries: Any) -> tuple[tuple[str, str], ...]:
    place = f"{file.where}: image {image_id}, set {set_number}"
    if not isinstance(entries, list):
        raise BadInputError(f"{place}: it is {describe(entries)}, not a list of questions")
    return tuple(_parse_question(entry, f"{place}, question {number}") for number, entry in enumerate(entries, start=1))


def _parse_question(entry: Any, location: str) -> tuple[str, str]:
    match entry:
        case [question, answer] | {"question": question, "answer": answer}:
            return check_text(question, f"{location}: the question"), check_text(answer, f"{location}: the answer")
    raise BadInputError(f"{location}: it is {describe(entry)}, not a question and its answer")
