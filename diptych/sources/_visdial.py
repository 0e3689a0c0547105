"""Dialogs of VisDial v1.0, one row per round.

The files keep every question and answer once, in two global tables, and the dialogs point into them. The texts are
lower case and have no question mark.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diptych.errors import BadInputError, UnknownNameError
from diptych.sources._files import SourceFile, find_file, require_file
from diptych.sources._json import JsonRecords
from diptych.sources._records import Fields, IdLog, check_text, describe

FILE_NAMES: dict[str, str] = {"train": "visdial_1.0_train.json", "val": "visdial_1.0_val.json"}
"""The official file of each split with public answers."""
_TABLES = ("questions", "answers")


@dataclass(frozen=True, slots=True)
class VisDialRow:
    """One round of a dialog about one image: a question, its answer, and the caption that opened the dialog."""

    image_id: str
    dialog_round: int  # from 1, as in VisDial's own files
    question: str
    answer: str
    caption: str
    split: str
    source: str = "visdial"

    @property
    def question_id(self) -> str:
        """The image and the round, which together identify a question."""
        return f"{self.image_id}-{self.dialog_round}"


def visdial_splits(data_dir: Path) -> tuple[str, ...]:
    """The splits whose file exists."""
    return tuple(split for split, name in FILE_NAMES.items() if find_file(data_dir, "visdial", name))


def visdial_file(data_dir: Path, split: str = "val") -> SourceFile:
    """The file of one split; the test split has no public answers and is not read."""
    if split not in FILE_NAMES:
        raise UnknownNameError.among("split of visdial", split, FILE_NAMES)
    return require_file(data_dir, "visdial", FILE_NAMES[split])


def read_visdial(file: SourceFile, split: str) -> Iterator[VisDialRow]:
    """Stream every round of every dialog, in file order; only the tables of texts are held in memory.

    An image that occurs twice is an error once all rows are read.
    """
    tables = _read_tables(file)
    fields = Fields(file, "dialog of image", "image_id")
    ids = IdLog(fields)
    for record in JsonRecords(file, "data", "dialogs"):
        image_id = fields.get_id(record, "image_id")
        caption = fields.get_text(record, "caption")
        ids.add(image_id)
        for number, turn in enumerate(fields.get_list(record, "dialog"), start=1):
            location = f"{file.where}: dialog of image {image_id}, round {number}"
            question, answer = (_look_up(tables, name, turn, location) for name in ("question", "answer"))
            yield VisDialRow(image_id, number, question, answer, caption, split)
    ids.check()


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
