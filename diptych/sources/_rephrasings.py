"""VQA-Rephrasings: VQA v2 questions put in other words by people.

The release is a pair of files in VQA's format with the original questions and, marked by `rephrasing_of`, their
rephrasings. A rephrasing's id is the original's with a digit appended, which can be the id of another original, so
annotations are matched by their place in the file. Some rephrasings are blank; they are kept, as "", for the ledger.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from diptych.errors import BadInputError, MissingFileError
from diptych.sources._catalog import get_source
from diptych.sources._files import find_matching, require_file
from diptych.sources._json import JsonRecords
from diptych.sources._records import Fields
from diptych.sources._vqa import VqaFiles, VqaRow, parse_question, parse_row

_COCO_SPLIT = "val2014"


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
        homepage = get_source("rephrasings").homepage
        raise MissingFileError(f"{folder}: no *_questions.json is there; get it from {homepage}")
    if len(files) > 1:
        names = ", ".join(file.name for file in files)
        raise BadInputError(f"{folder}: several question files, keep one: {names}")
    annotations = files[0].name.replace("OpenEnded_", "").replace("_questions.json", "_annotations.json")
    return VqaFiles("vqa_rephrasings", "val", files[0], require_file(data_dir, "rephrasings", annotations))


def read_rephrasings(files: VqaFiles, originals: Mapping[str, VqaRow] | None = None) -> Iterator[Rephrasing]:
    """Stream the rephrasings with their originals, in file order.

    The files are read twice, first for the originals, which alone are held in memory. `originals` serves files that
    have only rephrasings.
    """
    fields = Fields(files.questions, "question", "question_id")
    rows = dict(originals or {})
    rows |= {row.question_id: row for record, row in _iter_rows(files, fields) if "rephrasing_of" not in record}
    for record, row in _iter_rows(files, fields):
        if "rephrasing_of" not in record:
            continue
        original_id = fields.get_id(record, "rephrasing_of")
        if original_id not in rows:
            raise fields.error(record, f"it rephrases question {original_id}, which is not there")
        if rows[original_id].image_id != row.image_id:
            raise fields.error(record, f"it rephrases question {original_id}, which is about another image")
        yield Rephrasing(rows[original_id], row)


def _iter_rows(files: VqaFiles, fields: Fields) -> Iterator[tuple[Any, VqaRow]]:
    assert files.annotations is not None
    annotation_fields = Fields(files.annotations, "annotation of question", "question_id")
    records = iter(JsonRecords(files.questions, "questions"))
    annotations = iter(JsonRecords(files.annotations, "annotations"))
    for record, annotation in zip_longest(records, annotations):
        if record is None:
            raise annotation_fields.error(
                annotation, "the question file has ended before it; take both from one release"
            )
        question = parse_question(record, files, _COCO_SPLIT, fields, allow_blank="rephrasing_of" in record)
        if annotation is None:
            raise fields.error(record, "the annotation file has ended before it; take both from one release")
        for name in ("question_id", "image_id"):
            if annotation_fields.get_id(annotation, name) != getattr(question, name):
                difference = f"{name} is not {getattr(question, name)}, as in the question file"
                raise annotation_fields.error(annotation, difference)
        yield record, parse_row(question, annotation, annotation_fields)
