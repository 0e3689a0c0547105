"""Dialogs of VisDial v1.0, a row a round.

The files keep every question and answer once, in two global tables, and the dialogs point into them. The texts are
lower case and have no question mark.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diptych.errors import BadInputError, UnknownNameError
from diptych.sources.files import SourceFile, find_file, require_file
from diptych.sources.records import Complain, JsonRecords, complainer, described, get, get_id, get_list, get_text

FILE_NAMES: dict[str, str] = {"train": "visdial_1.0_train.json", "val": "visdial_1.0_val.json"}
"""The official file of each split with public answers."""


@dataclass(frozen=True, slots=True)
class VisDialRow:
    """One round of a dialog about one image: a question, its answer, and the caption that opened the dialog."""

    image_id: str
    dialog_round: int
    """From 1, as in VisDial's own files."""
    question: str
    answer: str
    caption: str
    split: str
    source: str = "visdial"

    @property
    def question_id(self) -> str:
        """The image and the round, which together name a question.

        >>> VisDialRow("42", 3, "is it sunny", "yes", "a dog", "val").question_id
        '42-3'
        """
        return f"{self.image_id}-{self.dialog_round}"


def visdial_splits(data_dir: Path) -> tuple[str, ...]:
    """The splits whose file is there."""
    return tuple(split for split, name in FILE_NAMES.items() if find_file(data_dir, "visdial", name))


def visdial_file(data_dir: Path, split: str = "val") -> SourceFile:
    """The file of one split; the test split has no public answers and is not read."""
    if split not in FILE_NAMES:
        raise UnknownNameError.among("split of visdial", split, FILE_NAMES)
    return require_file(data_dir, "visdial", FILE_NAMES[split])


@dataclass(frozen=True, slots=True)
class _Dialog:
    image_id: str
    caption: str
    rounds: tuple[tuple[int, int], ...]


def read_visdial(file: SourceFile, split: str) -> list[VisDialRow]:
    """Every round of every dialog, in file order."""
    complain = complainer(file, "dialog of image", "image_id")
    records = JsonRecords(file, "data", "dialogs")
    # The tables may stand behind the dialogs, so indices are kept until the whole file is read.
    dialogs = [_dialog(record, complain) for record in records]
    _refuse_twice(file, dialogs)
    questions = _table(file, records.frame, "questions")
    answers = _table(file, records.frame, "answers")
    rows: list[VisDialRow] = []
    for dialog in dialogs:
        for number, (question, answer) in enumerate(dialog.rounds, start=1):
            where = f"{file.where}: dialog of image {dialog.image_id}, round {number}"
            rows.append(
                VisDialRow(
                    dialog.image_id,
                    number,
                    _look_up(questions, question, "question", where),
                    _look_up(answers, answer, "answer", where),
                    dialog.caption,
                    split,
                )
            )
    return rows


def _dialog(record: Any, complain: Complain) -> _Dialog:
    image_id = get_id(record, "image_id", complain)
    caption = get_text(record, "caption", complain)
    rounds = enumerate(get_list(record, "dialog", complain), start=1)
    return _Dialog(image_id, caption, tuple(_round(record, each, number, complain) for number, each in rounds))


def _round(record: Any, each: Any, number: int, complain: Complain) -> tuple[int, int]:
    def in_round(_: object, what: str) -> BadInputError:
        return complain(record, f"round {number}: {what}")

    question, answer = get(each, "question", in_round), get(each, "answer", in_round)
    for name, index in (("question", question), ("answer", answer)):
        if type(index) is not int:
            raise in_round(each, f"{name} is {described(index)}, not a number")
    return question, answer


def _refuse_twice(file: SourceFile, dialogs: list[_Dialog]) -> None:
    seen: set[str] = set()
    for dialog in dialogs:
        if dialog.image_id in seen:
            raise BadInputError(f"{file.where}: dialog of image {dialog.image_id}: the image is there twice")
        seen.add(dialog.image_id)


def _table(file: SourceFile, frame: Any, name: str) -> list[Any]:
    table = frame["data"].get(name)
    if not isinstance(table, list):
        raise BadInputError(f"{file.where}: no list 'data.{name}'; is it a VisDial v1.0 file?")
    return table


def _look_up(table: list[Any], index: int, name: str, where: str) -> str:
    if not 0 <= index < len(table):
        raise BadInputError(f"{where}: {name} {index} is outside the table of {len(table):,} {name}s")
    text = table[index]
    if not isinstance(text, str) or not text.strip():
        raise BadInputError(f"{where}: {name} {index} is {described(text)}, not text")
    return text
