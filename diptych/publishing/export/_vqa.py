"""The VQA layout, in which RAD's authors published their pairs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diptych.builders import get_dataset
from diptych.errors import UnknownNameError
from diptych.files import write_json
from diptych.folder import Selection
from diptych.publishing.export._tasks import ExportedFolder

_AUTHORS_SPLITS = {"validation": "val"}


def write_vqa(exported: ExportedFolder, out: Path) -> list[Path]:
    """Questions and annotations of every test, in the layout of VQA."""
    folder, manifest = exported.folder, exported.manifest
    try:
        names = get_dataset(manifest.dataset).spec.authors_names
    except UnknownNameError:
        names = {}
    paths: list[Path] = []
    for config, split, _ in manifest.own_splits():
        tests = manifest.configs[config].tests
        rows = folder.pairs(Selection(config, split), complete=True).to_pylist() if tests else []
        for test in tests:
            of_test = [row for row in rows if row["test"] == test]
            name = f"{names.get(test, test)}_{_AUTHORS_SPLITS.get(split, split)}"
            paths += _write_test(out / config, name, test, split, of_test)
    return paths


def _write_test(folder: Path, name: str, test: str, split: str, rows: list[dict[str, Any]]) -> list[Path]:
    """Questions and annotations of the perturbed sides, with ten equal answers each."""
    info = {"description": f"{test}, made by Diptych", "data_type": "mscoco", "data_subtype": split}
    questions = [
        {"question_id": _number(row["source_id"]), "image_id": _number(row["perturbed_image_id"])}
        | {"question": row["perturbed_question"], "pair_id": row["pair_id"]}
        for row in rows
    ]
    contents = {
        "questions": {"info": info, "task_type": "Open-Ended", "questions": questions},
        "annotations": {"info": info, "annotations": [_annotation(row) for row in rows]},
    }
    paths = [folder / f"{name}_{kind}.json" for kind in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        write_json(path, content)
    return paths


def _annotation(row: Mapping[str, Any]) -> dict[str, Any]:
    answers = row["perturbed_answers"] if len(row["perturbed_answers"]) == 10 else [row["perturbed_answer"]] * 10
    return {
        "question_id": _number(row["source_id"]),
        "image_id": _number(row["perturbed_image_id"]),
        "question_type": " ".join(row["perturbed_question"].lower().split()[:2]),
        "answer_type": "yes/no" if row["perturbed_answer"] in {"yes", "no"} else row["answer_type"],
        "multiple_choice_answer": row["perturbed_answer"],
        "answers": [
            {"answer": answer, "answer_confidence": "yes", "answer_id": number}
            for number, answer in enumerate(answers, start=1)
        ],
    }


def _number(identifier: str) -> int | str:
    """Ids are numbers in VQA's files; those of other sources stay text."""
    return int(identifier) if identifier.isdecimal() else identifier
