"""VQA-Rephrasings: VQA v2 questions put in other words by people.

The release is a pair of files in VQA's format that holds the original questions and, with `rephrasing_of`, their
rephrasings. A rephrasing's id is the original's with a digit behind it, which can be the id of another original, so
annotations are matched by their place in the file. Some rephrasings are blank; they are kept, as "", for the ledger.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from diptych.errors import BadInputError, MissingFileError
from diptych.sources.catalogue import get_source
from diptych.sources.files import find_matching, require_file
from diptych.sources.records import Complain, JsonRecords, complainer, get_id
from diptych.sources.vqa import VqaFiles, VqaQuestion, VqaRow, question_of, row_of

SOURCE = "vqa_rephrasings"
_COCO_SPLIT = "val2014"


@dataclass(frozen=True, slots=True)
class Rephrasing:
    """A question and the same question in other words; `rephrasing.question` is "" where the release left it blank."""

    original: VqaRow
    rephrasing: VqaRow


def rephrasings_files(data_dir: Path) -> VqaFiles:
    """The two files of the release, by the name of the question file that is there."""
    folder = Path(data_dir) / "rephrasings"
    found = find_matching(data_dir, "rephrasings", "*_questions.json")
    if not found:
        homepage = get_source("rephrasings").homepage
        raise MissingFileError(f"{folder}: no *_questions.json is there; get it from {homepage}")
    if len(found) > 1:
        names = ", ".join(file.name for file in found)
        raise BadInputError(f"{folder}: several question files, keep one: {names}")
    annotations = found[0].name.replace("OpenEnded_", "").replace("_questions.json", "_annotations.json")
    return VqaFiles(SOURCE, "val", found[0], require_file(data_dir, "rephrasings", annotations))


def read_rephrasings(files: VqaFiles, originals: Mapping[str, VqaRow] | None = None) -> list[Rephrasing]:
    """Every rephrasing with its original, in file order; `originals` serves files that hold rephrasings alone."""
    complain = complainer(files.questions, "question", "question_id")
    known: dict[str, VqaRow] = dict(originals or {})
    rephrasings: list[tuple[Any, str, VqaRow]] = []
    for question, row in _rows(files, complain):
        if "rephrasing_of" in question:
            rephrasings.append((question, get_id(question, "rephrasing_of", complain), row))
        else:
            known[row.question_id] = row
    for question, original_id, row in rephrasings:
        if original_id not in known:
            raise complain(question, f"it rephrases question {original_id}, which is not there")
        if known[original_id].image_id != row.image_id:
            raise complain(question, f"it rephrases question {original_id}, which is about another image")
    return [Rephrasing(known[original_id], row) for _, original_id, row in rephrasings]


def _rows(files: VqaFiles, complain: Complain) -> Iterator[tuple[Any, VqaRow]]:
    assert files.annotations is not None
    annotation_complain = complainer(files.annotations, "annotation of question", "question_id")
    questions = iter(JsonRecords(files.questions, "questions"))
    annotations = iter(JsonRecords(files.annotations, "annotations"))
    for record, annotation in zip_longest(questions, annotations):
        if record is None:
            raise annotation_complain(annotation, "the question file has ended before it; take both from one release")
        question: VqaQuestion = question_of(record, files, _COCO_SPLIT, complain, blank="rephrasing_of" in record)
        if annotation is None:
            raise complain(record, "the annotation file has ended before it; take both from one release")
        for name in ("question_id", "image_id"):
            found = get_id(annotation, name, annotation_complain)
            if found != getattr(question, name):
                raise annotation_complain(
                    annotation, f"{name} is not {getattr(question, name)}, as in the question file"
                )
        yield record, row_of(question, annotation, annotation_complain)
