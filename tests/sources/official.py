"""Small files in the official layouts, written by the tests themselves."""

import gzip
import zipfile
from pathlib import Path
from typing import Any

import orjson

QUESTIONS = "v2_OpenEnded_mscoco_val2014_questions.json"
ANNOTATIONS = "v2_mscoco_val2014_annotations.json"


def question(number: int, **changed: Any) -> dict[str, Any]:
    record = {"image_id": number // 1000, "question": f"What is thing {number}?", "question_id": number}
    return record | changed


def annotation(number: int, **changed: Any) -> dict[str, Any]:
    answers = [
        {"answer": "cat" if key > 3 else "dog", "answer_confidence": "yes", "answer_id": key} for key in range(1, 11)
    ]
    record = {
        "question_type": "what is",
        "multiple_choice_answer": "cat",
        "answers": answers,
        "image_id": number // 1000,
        "answer_type": "other",
        "question_id": number,
    }
    return record | changed


def framed(key: str, records: list[Any]) -> bytes:
    info = {"description": "made by a test", "version": "2.0"}
    return orjson.dumps({"info": info, "data_subtype": "val2014", key: records, "license": {"name": "CC BY 4.0"}})


def write_plain(folder: Path, name: str, content: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(content)
    return path


def write_gz(folder: Path, name: str, content: bytes) -> Path:
    return write_plain(folder, f"{name}.gz", gzip.compress(content))


def write_zip(folder: Path, archive: str, members: dict[str, bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / archive, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in members.items():
            out.writestr(name, content)
    return folder / archive


def write_vqa(data: Path, questions: list[Any], annotations: list[Any]) -> None:
    write_plain(data / "vqa", QUESTIONS, framed("questions", questions))
    write_plain(data / "vqa", ANNOTATIONS, framed("annotations", annotations))
