"""Other formats of a built folder: the VQA layout that RAD's authors published their pairs in."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pyarrow.parquet as pq

from diptych.errors import UnknownNameError

# The names the paper's authors gave their files.
_AUTHORS_NAMES = {
    "rad.yn_from_color": "yes-no_from_colors",
    "rad.yn_from_how_many": "yes-no_from_how-many",
    "rad.yn_from_what_kind": "yes-no_from_what-kind",
}
_AUTHORS_SPLITS = {"validation": "val"}


def export_folder(folder: Path, manifest: Mapping[str, Any], form: str, out: Path | None = None) -> list[Path]:
    """Write a built folder's pairs in another format, under `export/<format>/` or into a folder of one's own."""
    if form != "vqa":
        raise UnknownNameError.among("export format", form, ["vqa"])
    written: list[Path] = []
    for config, entry in manifest["configs"].items():
        for split in entry["splits"]:
            files = sorted((folder / "data" / config).glob(f"{split}-*.parquet"))
            rows = [row for file in files for row in pq.read_table(file).to_pylist()]
            for test in entry["tests"]:
                mine = [row for row in rows if row["test"] == test]
                written += _write_vqa((out or folder / "export" / "vqa") / config, test, split, mine)
    return written


def _write_vqa(folder: Path, test: str, split: str, rows: list[dict[str, Any]]) -> list[Path]:
    """Questions and annotations of the perturbed sides, in VQA's layout, ten equal answers each."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{_AUTHORS_NAMES.get(test, test)}_{_AUTHORS_SPLITS.get(split, split)}"
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
        path.write_bytes(orjson.dumps(content))
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
