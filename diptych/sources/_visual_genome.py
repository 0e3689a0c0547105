"""Visual Genome's questions with their free-form answers, and the names of its objects by COCO image."""

from collections.abc import Collection, Iterator
from pathlib import Path
from sys import intern
from typing import Any

from diptych.sources._files import SourceFile, find_file, require_file
from diptych.sources._json import JsonRecords
from diptych.sources._records import Fields, IdLog
from diptych.sources._vqa import VqaRow

_QUESTIONS = "question_answers.json"


def has_vg_questions(data_dir: Path) -> bool:
    """Whether the file of questions and answers exists."""
    return find_file(data_dir, "vg", _QUESTIONS) is not None


def vg_questions_file(data_dir: Path) -> SourceFile:
    """The file of questions and answers."""
    return require_file(data_dir, "vg", _QUESTIONS)


def read_vg_questions(file: SourceFile) -> Iterator[VqaRow]:
    """Stream the questions in file order, with their answers as VQA writes them: lower case, no final period.

    An id that occurs twice is an error once all rows are read.
    """
    image_fields, fields = Fields(file, "image", "id"), Fields(file, "question", "qa_id")
    ids = IdLog(fields)
    for image in JsonRecords(file):
        for record in image_fields.get_list(image, "qas"):
            question_id = fields.get_id(record, "qa_id")
            ids.add(question_id)
            image_id, question = fields.get_id(record, "image_id"), fields.get_text(record, "question")
            answer = intern(fields.get_text(record, "answer").strip().rstrip(".").strip().lower())
            question_type = intern(" ".join(question.lower().split()[:2]))
            yield VqaRow(question_id, image_id, question, question_type, "other", answer, (answer,), "train", "vg")
    ids.check()


def vg_object_files(data_dir: Path) -> tuple[SourceFile, ...]:
    """`image_data.json` and `objects.json`, if both exist."""
    files = tuple(filter(None, (find_file(data_dir, "vg", name) for name in ("image_data.json", "objects.json"))))
    return files if len(files) == 2 else ()


def read_vg_objects(data_dir: Path, coco_ids: Collection[int]) -> dict[int, tuple[str, ...]]:
    """The object names in those of the COCO images that Visual Genome annotates."""
    files = vg_object_files(data_dir)
    if not files:
        return {}
    coco_id_of = _read_coco_ids(files[0], coco_ids)
    fields = Fields(files[1], "image", "image_id")
    names_of: dict[int, tuple[str, ...]] = {}
    for record in JsonRecords(files[1]):
        coco_id = coco_id_of.get(fields.get_id(record, "image_id"))
        if coco_id is not None:
            names = (name for entry in fields.get_list(record, "objects") for name in _object_names(entry))
            names_of[coco_id] = tuple(dict.fromkeys(name.strip().lower() for name in names))
    return names_of


def _object_names(entry: Any) -> Iterator[str]:
    names = entry.get("names") if isinstance(entry, dict) else None
    return (name for name in names if isinstance(name, str)) if isinstance(names, list) else iter(())


def _read_coco_ids(file: SourceFile, coco_ids: Collection[int]) -> dict[str, int]:
    fields = Fields(file, "image", "image_id")
    return {
        fields.get_id(record, "image_id"): record["coco_id"]
        for record in JsonRecords(file)
        if isinstance(record, dict) and type(record.get("coco_id")) is int and record["coco_id"] in coco_ids
    }
