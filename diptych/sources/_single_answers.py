"""Questions with a single free-form answer, as rows of VQA: VisDial's and Visual Genome's, and the latter's objects.

The files of VisDial v1.0 keep every question and answer once, in two global tables, and the dialogs point into them.
The texts are lower case and have no question mark.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import Any

from diptych.errors import BadInputError, look_up
from diptych.sources._files import SourceFile, find_file, require_file
from diptych.sources._json import JsonRecords
from diptych.sources._records import Fields, IdLog, check_text, describe
from diptych.sources._vqa import VqaRow

FILE_NAMES: dict[str, str] = {"train": "visdial_1.0_train.json", "val": "visdial_1.0_val.json"}
"""VisDial's file of each split with public answers."""
_TABLES = ("questions", "answers")
_SPACED_MARK = re.compile(r" +([?.,!;:])")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question of a dialog and its answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Dialog:
    """What a model of dialogs knows when a question is asked, and the answers it ranks."""

    caption: str
    history: tuple[Exchange, ...]  # the rounds before
    options: tuple[str, ...]  # a hundred in the official files; empty where the file has none
    answer_index: int | None  # the place of the right answer among the options


@dataclass(frozen=True, slots=True)
class DialogRound:
    """One round of a dialog: its question as a row of VQA, and the dialog so far."""

    row: VqaRow
    dialog: Dialog


def visdial_splits(data_dir: Path) -> tuple[str, ...]:
    """The splits whose file exists."""
    return tuple(split for split, name in FILE_NAMES.items() if find_file(data_dir, "visdial", name))


def visdial_file(data_dir: Path, split: str = "val") -> SourceFile:
    """The file of one split; the test split has no public answers and is not read."""
    return require_file(data_dir, "visdial", look_up("split of visdial", split, FILE_NAMES))


def read_visdial(file: SourceFile, split: str) -> Iterator[DialogRound]:
    """Stream every round of every dialog as a question of no type; only the tables of texts are held in memory.

    The id of a question is the image and the round, from 1 as in VisDial's own files. An image that occurs twice is an
    error once all rows are read.
    """
    tables = _read_tables(file)
    fields = Fields(file, "dialog of image", "image_id")
    ids = IdLog(fields)
    for record in JsonRecords(file, "data", "dialogs"):
        image_id = fields.get_id(record, "image_id")
        caption = fields.get_text(record, "caption")
        ids.add(image_id)
        history: list[Exchange] = []
        for number, turn in enumerate(fields.get_list(record, "dialog"), start=1):
            location = f"{file.where}: dialog of image {image_id}, round {number}"
            question, answer = (_look_up(tables, name, turn, location) for name in ("question", "answer"))
            texts = question, "", "dialog", answer, (answer,)
            row = VqaRow(f"{image_id}-{number}", image_id, *texts, split, "visdial")
            yield DialogRound(row, Dialog(caption, tuple(history), *_read_options(tables, turn, location)))
            history.append(Exchange(question, answer))
    ids.check()


def _read_options(tables: dict[str, list[Any]], turn: Any, location: str) -> tuple[tuple[str, ...], int | None]:
    """The answers that a round offers and the place of the right one among them."""
    if "answer_options" not in turn:
        return (), None
    numbers, place = turn["answer_options"], turn.get("gt_index")
    if not isinstance(numbers, list):
        raise BadInputError(f"{location}: answer_options is {describe(numbers)}, not a list")
    options = tuple(_look_up(tables, "answer", {"answer": number}, location) for number in numbers)
    if type(place) is not int or not 0 <= place < len(options) or numbers[place] != turn["answer"]:
        raise BadInputError(f"{location}: gt_index does not give the answer's place among the answer_options")
    return options, place


def _read_tables(file: SourceFile) -> dict[str, list[Any]]:
    records = JsonRecords(file, "data", "dialogs")
    stream = iter(records)
    next(stream, None)
    data = records.frame["data"]
    if not all(name in data for name in _TABLES):
        for _ in stream:
            pass  # a table stands behind the dialogs
    for name in _TABLES:
        if not isinstance(data.get(name), list):
            raise BadInputError(f"{file.where}: no list 'data.{name}'; is it a VisDial v1.0 file?")
    return {name: data[name] for name in _TABLES}


def _look_up(tables: dict[str, list[Any]], name: str, turn: Any, location: str) -> str:
    """The question or the answer of a round, which has its place in the table."""
    if not isinstance(turn, dict):
        raise BadInputError(f"{location}: it is {describe(turn)}, not an object")
    if name not in turn:
        raise BadInputError(f"{location}: {name} is missing")
    index, table = turn[name], tables[f"{name}s"]
    if type(index) is not int:
        raise BadInputError(f"{location}: {name} is {describe(index)}, not a number")
    if not 0 <= index < len(table):
        raise BadInputError(f"{location}: {name} {index} is outside the table of {len(table):,} {name}s")
    return check_text(table[index], f"{location}: {name} {index}")


def read_vg_questions(file: SourceFile) -> Iterator[VqaRow]:
    """Stream the questions of `question_answers.json`, with questions and answers as VQA writes them.

    Answers are in lower case without a final period. An id that occurs twice is an error once all rows are read.
    """
    image_fields, fields = Fields(file, "image", "id"), Fields(file, "question", "qa_id")
    ids = IdLog(fields)
    for image in JsonRecords(file):
        for record in image_fields.get_list(image, "qas"):
            question_id = fields.get_id(record, "qa_id")
            ids.add(question_id)
            # Excerpts and older releases name the image only once, beside its questions.
            has_image = isinstance(record, dict) and "image_id" in record
            image_id = fields.get_id(record, "image_id") if has_image else image_fields.get_id(image, "id")
            question = plain_question(fields.get_text(record, "question"))
            answer = intern(fields.get_text(record, "answer").strip().rstrip(".").strip().lower())
            question_type = intern(" ".join(question.lower().split()[:2]))
            yield VqaRow(question_id, image_id, question, question_type, "other", answer, (answer,), "train", "vg")
    ids.check()


def plain_question(text: str) -> str:
    """A question as VQA writes it: single spaces, one capital at its start, and a question mark at its end.

    >>> [plain_question(text) for text in ("what  color is the dog", "Where is it ?", "HOW MANY DOGS ARE THERE??")]
    ['What color is the dog?', 'Where is it?', 'How many dogs are there?']
    """
    words = _SPACED_MARK.sub(r"\1", " ".join(text.split()))
    stem = words.rstrip("?!,;: ") or words
    if "?" not in words:
        stem = stem.rstrip(".") or stem
    if stem.isupper() and " " in stem:
        stem = stem.lower()
    return f"{stem[:1].upper()}{stem[1:]}{'' if stem.endswith('?') else '?'}"


VG_OBJECTS = ("image_data.json", "objects.json")
"""The files that say what Visual Genome sees in which COCO image."""


def vg_object_files(data_dir: Path) -> tuple[SourceFile, ...]:
    """`image_data.json` and `objects.json`, if both exist."""
    files = tuple(filter(None, (find_file(data_dir, "vg", name) for name in VG_OBJECTS)))
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
