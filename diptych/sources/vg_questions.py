"""Questions and answers of Visual Genome: one free-form answer each, in sentences of their own."""

from collections.abc import Iterator
from pathlib import Path
from sys import intern

from diptych.sources.files import SourceFile, find_file, require_file
from diptych.sources.records import JsonRecords, complainer, get_id, get_list, get_text
from diptych.sources.vqa import VqaRow

FOLDER, FILE = "vg", "question_answers.json"


def has_vg_questions(data_dir: Path) -> bool:
    """Whether the file lies under the data folder."""
    return find_file(data_dir, FOLDER, FILE) is not None


def vg_questions_file(data_dir: Path) -> SourceFile:
    """The file of questions and answers."""
    return require_file(data_dir, FOLDER, FILE)


def read_vg_questions(file: SourceFile) -> Iterator[VqaRow]:
    """Every question with its answer, in file order; the answer is in lower case without its full stop."""
    of_image, of_question = complainer(file, "image", "id"), complainer(file, "question", "qa_id")
    seen: set[str] = set()
    for record in JsonRecords(file):
        for asked in get_list(record, "qas", of_image):
            question_id = get_id(asked, "qa_id", of_question)
            if question_id in seen:
                raise of_question(asked, "this qa_id is there twice")
            seen.add(question_id)
            image_id, question = get_id(asked, "image_id", of_question), get_text(asked, "question", of_question)
            answer = intern(plain_answer(get_text(asked, "answer", of_question)))
            kind = intern(" ".join(question.lower().split()[:2]))
            yield VqaRow(question_id, image_id, question, kind, "other", answer, (answer,), "train", "vg")


def plain_answer(answer: str) -> str:
    """An answer as VQA would write it.

    >>> plain_answer("In the background.")
    'in the background'
    """
    return answer.strip().rstrip(".").strip().lower()
