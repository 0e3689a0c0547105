"""The VQA layout, in which RAD's authors published their pairs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diptych.cards import dataset_spec
from diptych.files import write_json
from diptych.folder import BuiltFolder, Selection
from diptych.sources import vqa_question_file

_AUTHORS_SPLITS = {"validation": "val"}
_SERVER_COLUMNS = ("question_id", "image_id", "question", "source", "choices", "noisy_questions")


def write_vqa(folder: BuiltFolder, out: Path, repo: str | None) -> list[Path]:
    """Questions and annotations of every test, in the layout of VQA; and the questions of both sides to be answered.

    Questions for an evaluation server are written in a folder per partition, under the names of the official files.
    """
    manifest, spec = folder.manifest, dataset_spec(folder.manifest.dataset)
    names = spec.authors_names if spec else {}
    paths: list[Path] = []
    for config, split, _ in manifest.own_splits():
        entry, authors_split = manifest.configs[config], _AUTHORS_SPLITS.get(split, split)
        tests = entry.tests
        if not tests and set(_SERVER_COLUMNS) <= {feature["name"] for feature in entry.features}:
            rows = [row for table in folder.batches(config, split, _SERVER_COLUMNS) for row in table.to_pylist()]
            paths += _write_server_files(out / config, config, authors_split.replace("_", "-"), rows)
            continue
        rows = folder.pairs(Selection(config, split), complete=True).to_pylist() if tests else []
        for test in tests:
            of_test = [row for row in rows if row["test"] == test]
            name = f"{names.get(test, test)}_{authors_split}"
            paths += _write_test(out / config, name, test, split, of_test)
        if rows:
            paths.append(_write_sides(out / config / f"both_sides_{authors_split}_questions.json", split, rows))
    return paths


def _write_server_files(out: Path, config: str, split: str, rows: list[dict[str, Any]]) -> list[Path]:
    """The noisy questions of every partition as files that stand in for the official one; partition 0 has no noise."""
    name = vqa_question_file(rows[0]["source"], split)
    info = {"description": f"{config}, made by Diptych", "data_subtype": split}
    task = "Multiple-Choice" if rows[0]["choices"] else "Open-Ended"
    paths = []
    for partition in range(1 + max(len(row["noisy_questions"]) for row in rows)):
        questions = [
            {
                "question_id": _number(row["question_id"]),
                "image_id": _number(row["image_id"]),
                "question": (row["question"], *row["noisy_questions"])[partition],
                **({"multiple_choices": row["choices"]} if row["choices"] else {}),
            }
            for row in rows
        ]
        paths.append(out / f"partition_{partition}" / name)
        write_json(paths[-1], {"info": info, "task_type": task, "questions": questions})
    return paths


def _write_sides(path: Path, split: str, rows: list[dict[str, Any]]) -> Path:
    """Every question of both sides, under ids by which `diptych score` takes the results."""
    questions = [
        {
            "question_id": f"{row['pair_id']}-{side}",
            "image_id": _number(row[f"{side}_image_id"]),
            "question": row[f"{side}_question"],
        }
        for row in rows
        for side in ("original", "perturbed")
    ]
    info = {"description": "both sides of every pair, made by Diptych", "data_subtype": split}
    write_json(path, {"info": info, "task_type": "Open-Ended", "questions": questions})
    return path


def _write_test(folder: Path, name: str, test: str, split: str, rows: list[dict[str, Any]]) -> list[Path]:
    """Questions and annotations of the perturbed sides, with ten equal answers each."""
    info = {"description": f"{test}, made by Diptych", "data_type": "mscoco", "data_subtype": split}
    questions = [{**_ids(row), "question": row["perturbed_question"], "pair_id": row["pair_id"]} for row in rows]
    contents = {
        "questions": {"info": info, "task_type": "Open-Ended", "questions": questions},
        "annotations": {"info": info, "annotations": [_annotation(row) for row in rows]},
    }
    paths = [folder / f"{name}_{kind}.json" for kind in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        write_json(path, content)
    return paths


def _annotation(row: Mapping[str, Any]) -> dict[str, Any]:
    answer, answers = row["perturbed_answer"], row["perturbed_answers"]
    ten_answers = enumerate(answers if len(answers) == 10 else [answer] * 10, start=1)
    return {
        **_ids(row),
        "question_type": " ".join(row["perturbed_question"].lower().split()[:2]),
        "answer_type": "yes/no" if answer in {"yes", "no"} else row["answer_type"],
        "multiple_choice_answer": answer,
        "answers": [{"answer": text, "answer_confidence": "yes", "answer_id": number} for number, text in ten_answers],
    }


def _ids(row: Mapping[str, Any]) -> dict[str, int | str]:
    return {"question_id": _number(row["source_id"]), "image_id": _number(row["perturbed_image_id"])}


def _number(value: str) -> int | str:
    """Ids are numbers in VQA's files; those of other sources stay text."""
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 19 else value
