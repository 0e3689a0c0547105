"""A whole world: every official file of `--data DIR`, written beside the target and moved there when complete.

Files are written entry by entry, so that a world of any size needs little memory.
"""

import gzip
import os
import zlib
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import orjson

from diptych.demo import _benchmarks as benchmarks
from diptych.demo import _records as records
from diptych.demo._drawing import draw_scene, link_file
from diptych.demo._facts import FACTS, PLAIN_FACTS, fact_questions
from diptych.demo._questions import Question, ask_questions
from diptych.demo._scenes import Scene
from diptych.demo._stage import make_scene
from diptych.errors import BadInputError
from diptych.files import atomic_folder, read_package_toml, remove_leftovers
from diptych.images import image_file_name
from diptych.pairs import row_rng

_DUMP = "conceptnet-assertions-demo.csv.gz"  # the name of the facts in ConceptNet's form, which no real source has

_FRAMES: dict[str, dict[str, tuple[str, str]]] = read_package_toml("diptych.demo", "files.toml")
_FOLDERS = frozenset([*_FRAMES, *benchmarks.FOLDERS, "conceptnet", "images"])
_COCO_URL = "https://vqa_mscoco_images.s3.amazonaws.com"
_DIALOG_STEP, _SET_STEP = 4, 8
_BUFFER_SIZE = 1 << 18
_FACT_QUESTIONS = "fvqa/all_qs_dict_release.json"
_DIALOGS = "visdial/visdial_1.0_val.json"
Progress = Callable[[int], None] | None


class JsonFile:
    """A JSON list or object, open for adding entries between its `head` and its `tail`."""

    def __init__(self, path: Path, head: str, tail: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("wb", buffering=_BUFFER_SIZE)
        self._file.write(head.encode())
        self.tail = tail.encode()
        self.entries = 0

    def add(self, entry: bytes) -> None:
        """Add an entry that is JSON already."""
        self._file.write(b",\n" + entry if self.entries else b"\n" + entry)
        self.entries += 1

    def add_keyed(self, key: str, value: object) -> None:
        """Add an entry of a JSON object."""
        self.add(b'"' + key.encode() + b'":' + orjson.dumps(value))

    def close(self) -> None:
        """Write the tail and close the file."""
        self._file.write(b"\n" + self.tail + b"\n")
        self._file.close()


@dataclass(frozen=True, slots=True)
class WorldSummary:
    """The numbers of what was written."""

    images: int
    val_questions: int
    train_questions: int
    dialogs: int
    fact_questions: int


def make_world(
    folder: Path, images: int, seed: int = 0, pictures: bool = True, progress: Progress = None, force: bool = False
) -> WorldSummary:
    """Write a world of `images` images into a folder; `progress` is called with the number of finished images.

    The folder must be new or empty, unless `force` lets it be replaced. It appears only when everything is written.
    """
    if images < 1:
        raise BadInputError(f"a world needs at least 1 image, not {images}")
    folder = Path(os.path.abspath(folder))
    remove_leftovers(folder)
    if folder.exists() and not folder.is_dir():
        raise BadInputError(f"{folder} is not a folder; choose another")
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if names and not force:
        raise BadInputError(f"{folder} is not empty; choose another folder, or replace it with --force")
    if names and not (names <= _FOLDERS and (folder / "conceptnet" / _DUMP).is_file()):
        raise BadInputError(f"{folder} is not a miniature world, so --force will not replace it; choose another folder")
    with atomic_folder(folder) as unfinished:
        return _write_world(unfinished, images, seed, pictures, progress)


def _write_world(folder: Path, images: int, seed: int, pictures: bool, progress: Progress) -> WorldSummary:
    with ExitStack() as stack:
        writer = _Writer(folder, seed, stack)
        couples = stack.enter_context(closing(benchmarks.BenchmarkWriter(folder, seed, stack)))
        writer.write_facts()
        for number in range(images):
            scene = make_scene(seed, number)
            questions = ask_questions(scene, seed)
            writer.write_vqa(scene, questions)
            writer.write_graph(scene, questions)
            if number % _DIALOG_STEP == 0:
                writer.write_dialog(scene)
            if pictures:
                writer.save_picture(scene)
            couples.write(scene)
            if records.split_of(number) == "val2014":
                writer.write_fact_questions(scene)
            if progress is not None:
                progress(number + 1)
        # The global tables of questions and answers are known only now.
        texts = {"questions": [*writer.tables.questions], "answers": [*writer.tables.answers]}
        writer.files[_DIALOGS].tail = b"]," + orjson.dumps(texts)[1:] + b"}"
    names = (*(f"vqa/v2_OpenEnded_mscoco_{split}_questions.json" for split in ("val2014", "train2014")), _DIALOGS)
    counts = [writer.files[name].entries for name in (*names, _FACT_QUESTIONS)]
    return WorldSummary(images, *counts)


class _Writer:
    """The files of a world, open until the stack is closed, and how a scene is written into them."""

    def __init__(self, folder: Path, seed: int, stack: ExitStack) -> None:
        self.folder, self.seed, self.tables = folder, seed, records.DialogTables()
        self.files = {
            f"{source}/{name}": stack.enter_context(closing(JsonFile(folder / source / name, *frame)))
            for source, frames in _FRAMES.items()
            for name, frame in frames.items()
        }
        lists = folder / "fvqa" / "Name_Lists"
        lists.mkdir()
        paths = [[lists / f"{part}_list_{fold}.txt" for part in ("train", "test")] for fold in range(5)]
        self.folds = [[stack.enter_context(path.open("w", newline="\n")) for path in fold] for fold in paths]

    def write_facts(self) -> None:
        """Write what does not depend on the scenes: FVQA's facts and ConceptNet's assertions."""
        for fact in FACTS:
            self.files["fvqa/all_fact_triples_release.json"].add_keyed(fact.key, fact.record())
        edges = [fact.assertion() for fact in (*FACTS, *PLAIN_FACTS) if fact.base == "conceptnet"]
        lines = [b"\t".join([*(word.encode() for word in edge[:4]), orjson.dumps(edge[4])]) for edge in sorted(edges)]
        path = self.folder / "conceptnet" / _DUMP
        path.parent.mkdir()
        # No time stamp and no file name inside, so that the bytes are always the same.
        path.write_bytes(gzip.compress(b"\n".join(lines) + b"\n", mtime=0))

    def write_vqa(self, scene: Scene, questions: list[Question]) -> None:
        """Write the questions of one scene into VQA v2, and redistributed into VQA-CP."""
        split = records.split_of(scene.number)
        coco_split = b',"coco_split":"' + split.encode() + b'"}'
        for position, question in enumerate(questions):
            question_record, annotation = records.vqa_records(scene.number, position, question, self.seed)
            part = _vqacp_part(annotation["question_type"], annotation["multiple_choice_answer"])
            question_line, annotation_line = orjson.dumps(question_record), orjson.dumps(annotation)
            self.files[f"vqa/v2_OpenEnded_mscoco_{split}_questions.json"].add(question_line)
            self.files[f"vqa/v2_mscoco_{split}_annotations.json"].add(annotation_line)
            self.files[f"vqacp/vqacp_v2_{part}_questions.json"].add(question_line[:-1] + coco_split)
            self.files[f"vqacp/vqacp_v2_{part}_annotations.json"].add(annotation_line[:-1] + coco_split)

    def write_graph(self, scene: Scene, questions: list[Question]) -> None:
        """Write one scene into GQA's scene graphs and Visual Genome's five files."""
        file = self.files[f"gqa/{records.split_of(scene.number)[:-4]}_sceneGraphs.json"]
        file.add_keyed(str(records.gqa_id(scene.number)), records.scene_graph(scene))
        for name, entry in records.vg_records(scene, questions).items():
            self.files[f"vg/{name}.json"].add(orjson.dumps(entry))

    def write_dialog(self, scene: Scene) -> None:
        """Write a VisDial dialog about a scene, and ConVQA's sets about every second such scene."""
        number = scene.number
        rng = row_rng(self.seed, "demo.dialog", str(number))
        self.files[_DIALOGS].add(orjson.dumps(self.tables.dialog(scene, rng)))
        if number % _SET_STEP == 0:
            url = f"{_COCO_URL}/{records.split_of(number)}/{records.coco_name(number)}"
            self.files["convqa/CommonSense_ConVQA_consistent.json"].add_keyed(url, records.common_sense_set(scene, rng))
            logical_file = self.files["convqa/cleaned_Logical_ConVQA_test.json"]
            logical_file.add_keyed(str(records.gqa_id(number)), records.logical_sets(scene, rng))

    def write_fact_questions(self, scene: Scene) -> None:
        """Write FVQA's questions about a validation scene, and its name into one part of each fold."""
        rng = row_rng(self.seed, "demo.facts", str(scene.number))
        for parts in self.folds:
            parts[rng.random() < 0.5].write(f"{records.coco_name(scene.number)}\n")
        for entry in fact_questions(scene, rng):
            self.files[_FACT_QUESTIONS].add_keyed(entry["question_id"], entry)

    def save_picture(self, scene: Scene) -> None:
        """Draw a scene under its COCO name, its GQA name and VisDial's, as one file where possible."""
        folder = self.folder / "images"
        folder.mkdir(exist_ok=True)
        path = folder / records.coco_name(scene.number)
        draw_scene(scene).save(path, quality=90)
        link_file(path, folder / f"{records.gqa_id(scene.number)}.jpg")
        if scene.number % _DIALOG_STEP == 0:
            name = image_file_name("visdial", str(records.coco_id(scene.number)), "val")
            link_file(path, folder / "VisualDialog_val2018" / name)


@lru_cache(maxsize=4096)
def _vqacp_part(kind: str, answer: str) -> str:
    """One part for all questions of one type and answer, so that answers differ between the parts."""
    return ("train", "test")[zlib.crc32(f"{kind}|{answer}".encode()) & 1]
