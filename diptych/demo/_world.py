"""A whole world: every official file of `--data DIR`, written beside the target and moved there when complete.

Files are written entry by entry, so that a world of any size needs little memory.
"""

import gzip
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TextIO

import orjson

from diptych.demo import _records as records
from diptych.demo._dialogs import DialogTables, common_sense_set, logical_sets
from diptych.demo._drawing import draw_scene
from diptych.demo._facts import FACTS, PLAIN_FACTS, fact_questions
from diptych.demo._questions import Question, ask_questions
from diptych.demo._scenes import Scene, SceneIndex
from diptych.demo._stage import make_scene
from diptych.errors import BadInputError
from diptych.pairs import row_rng

_DUMP = "conceptnet-assertions-demo.csv.gz"
"""The name of the facts in ConceptNet's form, which no real source has."""

_FOLDERS = frozenset("conceptnet convqa fvqa gqa images vg visdial vqa vqacp".split())
_SPLITS = ("val2014", "train2014")
_LICENSE = {
    "url": "http://creativecommons.org/licenses/by/4.0/",
    "name": "Creative Commons Attribution 4.0 International License",
}
_COCO_URL = "https://vqa_mscoco_images.s3.amazonaws.com"
_DIALOG_STEP, _SET_STEP = 4, 8
_BUFFER_SIZE = 1 << 18
_FACT_QUESTIONS = "fvqa/all_qs_dict_release.json"
_DIALOGS = "visdial/visdial_1.0_val.json"
_VG_NAMES = ("image_data", "objects", "attributes", "relationships", "question_answers")
_LISTS = [f"vg/{name}.json" for name in _VG_NAMES]
_LISTS += [
    f"vqacp/vqacp_v2_{part}_{field}.json" for part in ("train", "test") for field in ("questions", "annotations")
]
_OBJECTS = [
    *(_FACT_QUESTIONS, "gqa/val_sceneGraphs.json", "gqa/train_sceneGraphs.json"),
    *("convqa/CommonSense_ConVQA_consistent.json", "convqa/cleaned_Logical_ConVQA_test.json"),
]


class JsonFile:
    """A JSON list or object, open for adding entries between its `head` and its `tail`."""

    def __init__(self, path: Path, head: bytes, tail: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("wb", buffering=_BUFFER_SIZE)
        self._file.write(head)
        self.tail = tail
        self.entries = 0

    def add(self, entry: bytes) -> None:
        """Add an entry that is JSON already."""
        self._file.write(b",\n" + entry if self.entries else b"\n" + entry)
        self.entries += 1

    def add_keyed(self, key: str, value: object) -> None:
        """Add an entry of a JSON object."""
        self.add(b'"' + key.encode() + b'":' + orjson.dumps(value))

    def __enter__(self) -> "JsonFile":
        return self

    def __exit__(self, *error: object) -> None:
        self._file.write(b"\n" + self.tail)
        self._file.close()


Files = Mapping[str, JsonFile]


@dataclass(frozen=True, slots=True)
class WorldSummary:
    """The numbers of what was written."""

    folder: Path
    images: int
    pictures: int
    val_questions: int
    train_questions: int
    dialogs: int
    fact_questions: int


def make_world(
    folder: Path,
    images: int,
    seed: int = 0,
    pictures: bool = True,
    progress: Callable[[int], None] | None = None,
    force: bool = False,
) -> WorldSummary:
    """Write a world of `images` images into a folder; `progress` is called with the number of finished images.

    The folder must be new or empty, unless `force` lets it be replaced. It appears only when everything is written.
    """
    if images < 1:
        raise BadInputError(f"a world needs at least 1 image, not {images}")
    folder = Path(os.path.abspath(folder))
    if folder.exists() and not folder.is_dir():
        raise BadInputError(f"{folder} is not a folder; name another")
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if names and not force:
        raise BadInputError(f"{folder} is not empty; name another folder, or replace it with --force")
    if names and not (names <= _FOLDERS and (folder / "conceptnet" / _DUMP).is_file()):
        raise BadInputError(f"{folder} is not a miniature world, so --force does not replace it; name another folder")
    work_folder = _make_work_folder(folder)
    try:
        counts = _write_files(work_folder, images, seed, pictures, progress)
        _put_in_place(work_folder, folder)
    except OSError as error:
        shutil.rmtree(work_folder, ignore_errors=True)
        raise BadInputError(f"cannot write {folder}: {error.strerror or error}") from None
    except BaseException:
        shutil.rmtree(work_folder, ignore_errors=True)
        raise
    return WorldSummary(folder, images, images if pictures else 0, *counts)


def _make_work_folder(folder: Path) -> Path:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work_folder = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".partial", dir=folder.parent))
    except OSError as error:
        raise BadInputError(f"cannot write beside {folder}: {error.strerror}; name another folder") from None
    work_folder.chmod(0o755)
    return work_folder


def _put_in_place(work_folder: Path, folder: Path) -> None:
    backup = work_folder.with_suffix(".old")
    if folder.exists():
        folder.rename(backup)
    try:
        work_folder.rename(folder)
    except OSError:
        if backup.exists():
            backup.rename(folder)
        raise
    shutil.rmtree(backup, ignore_errors=True)


def _write_files(
    folder: Path, images: int, seed: int, pictures: bool, progress: Callable[[int], None] | None
) -> list[int]:
    """Write a world; returns how many questions for validation and for training, dialogs and fact questions it has."""
    _write_facts(folder)
    tables = DialogTables()
    with ExitStack() as stack:
        files, folds = _open_files(folder, stack), _open_folds(folder, stack)
        for number in range(images):
            scene = make_scene(seed, number)
            index = SceneIndex(scene)
            questions = ask_questions(scene, seed, index)
            _write_vqa(files, number, questions, seed)
            _write_graph(files, scene, questions)
            _write_dialog(files, index, seed, tables)
            _write_fact_questions(files, index, seed, folds)
            if pictures:
                _save_picture(scene, folder / "images")
            if progress is not None:
                progress(number + 1)
        # The global tables of questions and answers are known only now.
        texts = {"questions": [*tables.questions], "answers": [*tables.answers]}
        files[_DIALOGS].tail = b"]," + orjson.dumps(texts)[1:] + b"}\n"
    names = (*(_vqa_name(split, "questions") for split in _SPLITS), _DIALOGS, _FACT_QUESTIONS)
    return [files[name].entries for name in names]


def _open_files(folder: Path, stack: ExitStack) -> dict[str, JsonFile]:
    """Every JSON file that scenes are written into, by its path under the folder, until the stack is closed."""
    frames = dict.fromkeys(_LISTS, (b"[", b"]\n")) | dict.fromkeys(_OBJECTS, (b"{", b"}\n"))
    frames[_DIALOGS] = (b'{"version":"1.0","split":"val2018","data":{"dialogs":[', b"]\n")
    for split in _SPLITS:
        frames |= _vqa_frames(split)
    return {name: stack.enter_context(JsonFile(folder / name, *frame)) for name, frame in frames.items()}


def _vqa_frames(split: str) -> dict[str, tuple[bytes, bytes]]:
    """VQA's files of a split: one record with the list of entries in its last field."""
    info = {"description": "Questions about Diptych's miniature world.", "url": "", "version": "2.0", "year": 2017}
    header = {"info": {**info, "contributor": "", "date_created": ""}, "license": _LICENSE}
    header |= {"data_subtype": split, "data_type": "mscoco"}
    frames = {"questions": {**header, "task_type": "Open-Ended"}, "annotations": header}
    return {
        _vqa_name(split, field): (orjson.dumps(record)[:-1] + b',"' + field.encode() + b'":[', b"]}\n")
        for field, record in frames.items()
    }


def _vqa_name(split: str, field: str) -> str:
    return f"vqa/v2_{'OpenEnded_' if field == 'questions' else ''}mscoco_{split}_{field}.json"


def _write_vqa(files: Files, number: int, questions: list[Question], seed: int) -> None:
    """Write the questions of one scene into VQA v2, and redistributed into VQA-CP."""
    split = records.split_of(number)
    coco_split = b',"coco_split":"' + split.encode() + b'"}'
    question_file, annotation_file = (files[_vqa_name(split, field)] for field in ("questions", "annotations"))
    for position, question in enumerate(questions):
        annotation = records.vqa_annotation(number, position, question, seed)
        part = _vqacp_part(annotation["question_type"], annotation["multiple_choice_answer"])
        question_line = orjson.dumps(records.vqa_question(number, position, question))
        annotation_line = orjson.dumps(annotation)
        question_file.add(question_line)
        annotation_file.add(annotation_line)
        files[f"vqacp/vqacp_v2_{part}_questions.json"].add(question_line[:-1] + coco_split)
        files[f"vqacp/vqacp_v2_{part}_annotations.json"].add(annotation_line[:-1] + coco_split)


@lru_cache(maxsize=4096)
def _vqacp_part(kind: str, answer: str) -> str:
    """One part for all questions of one type and answer, so that answers differ between the parts."""
    return ("train", "test")[zlib.crc32(f"{kind}|{answer}".encode()) & 1]


def _write_graph(files: Files, scene: Scene, questions: list[Question]) -> None:
    """Write one scene into GQA's scene graphs and Visual Genome's five files."""
    number = scene.number
    files[f"gqa/{records.split_of(number)[:-4]}_sceneGraphs.json"].add_keyed(
        str(records.gqa_id(number)), records.scene_graph(scene)
    )
    entries = (records.vg_image(number), *records.vg_records(scene), records.vg_questions(number, questions))
    for name, entry in zip(_VG_NAMES, entries, strict=True):
        files[f"vg/{name}.json"].add(orjson.dumps(entry))


def _write_dialog(files: Files, index: SceneIndex, seed: int, tables: DialogTables) -> None:
    """Write a VisDial dialog about every fourth scene, and ConVQA's sets about every eighth."""
    number = index.scene.number
    if number % _DIALOG_STEP:
        return
    rng = row_rng(seed, "demo.dialog", str(number))
    files[_DIALOGS].add(orjson.dumps(tables.dialog(index, rng)))
    if number % _SET_STEP == 0:
        url = f"{_COCO_URL}/{records.split_of(number)}/{records.coco_name(number)}"
        files["convqa/CommonSense_ConVQA_consistent.json"].add_keyed(url, common_sense_set(index, rng))
        files["convqa/cleaned_Logical_ConVQA_test.json"].add_keyed(
            str(records.gqa_id(number)), logical_sets(index, rng)
        )


def _open_folds(folder: Path, stack: ExitStack) -> list[tuple[TextIO, ...]]:
    """The files of names of FVQA's five folds, for training and for testing."""
    lists = folder / "fvqa" / "Name_Lists"
    lists.mkdir(parents=True)
    paths = [[lists / f"{part}_list_{fold}.txt" for part in ("train", "test")] for fold in range(5)]
    return [
        tuple(stack.enter_context(path.open("w", encoding="utf-8", newline="\n")) for path in fold) for fold in paths
    ]


def _write_fact_questions(files: Files, index: SceneIndex, seed: int, folds: list[tuple[TextIO, ...]]) -> None:
    """Write FVQA's questions about a validation scene, and its name into one part of each fold."""
    number = index.scene.number
    if records.split_of(number) != _SPLITS[0]:
        return
    rng = row_rng(seed, "demo.facts", str(number))
    for parts in folds:
        parts[rng.random() < 0.5].write(f"{records.coco_name(number)}\n")
    for entry in fact_questions(index, rng):
        files[_FACT_QUESTIONS].add_keyed(entry["question_id"], entry)


def _write_facts(folder: Path) -> None:
    """Write the files that do not depend on the scenes: FVQA's facts and ConceptNet's assertions."""
    with JsonFile(folder / "fvqa" / "all_fact_triples_release.json", b"{", b"}\n") as file:
        for fact in FACTS:
            file.add_keyed(fact.key, fact.record())
    edges = [fact.assertion() for fact in (*FACTS, *PLAIN_FACTS) if fact.base == "conceptnet"]
    lines = [b"\t".join([*(word.encode() for word in edge[:4]), orjson.dumps(edge[4])]) for edge in sorted(edges)]
    path = folder / "conceptnet" / _DUMP
    path.parent.mkdir(parents=True)
    # No time stamp and no file name inside, so that the bytes are always the same.
    path.write_bytes(gzip.compress(b"\n".join(lines) + b"\n", mtime=0))


def _save_picture(scene: Scene, folder: Path) -> None:
    """Draw a scene into a folder under its COCO name and its GQA name, as one file with two names where possible."""
    folder.mkdir(exist_ok=True)
    path, gqa_path = folder / records.coco_name(scene.number), folder / f"{records.gqa_id(scene.number)}.jpg"
    draw_scene(scene).save(path, quality=90)
    try:
        os.link(path, gqa_path)
    except OSError:
        shutil.copyfile(path, gqa_path)
