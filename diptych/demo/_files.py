"""The official files of the world, one class per family of files: each takes scene after scene and writes entries.

Files are written entry by entry, so that a world of any size needs little memory.
"""

import gzip
import zlib
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

import orjson

from diptych.demo._dialogs import DialogTables, common_sense_set, logical_sets
from diptych.demo._fact_questions import fact_questions
from diptych.demo._facts import FACTS, PLAIN_FACTS
from diptych.demo._questions import Question
from diptych.demo._records import (
    coco_name,
    gqa_id,
    scene_graph,
    split_of,
    vg_image,
    vg_questions,
    vg_records,
    vqa_annotation,
    vqa_question,
)
from diptych.demo._scenes import SceneIndex
from diptych.pairs import row_rng

SPLITS = ("val2014", "train2014")
_LICENSE = {
    "url": "http://creativecommons.org/licenses/by/4.0/",
    "name": "Creative Commons Attribution 4.0 International License",
}
_COCO_URL = "https://vqa_mscoco_images.s3.amazonaws.com"
_DIALOG_STEP, _SET_STEP = 4, 8
_BUFFER_SIZE = 1 << 18


class JsonFile:
    """A JSON list or object, open for adding entries between its `head` and its `tail`."""

    def __init__(self, path: Path, head: bytes = b"[", tail: bytes = b"]\n") -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("wb", buffering=_BUFFER_SIZE)
        self._file.write(head)
        self._separator = b"\n"
        self.tail = tail
        self.entries = 0

    @classmethod
    def around(cls, path: Path, record: dict[str, Any], field: str) -> "JsonFile":
        """A file that is one record with the list of entries in its last field."""
        return cls(path, orjson.dumps(record)[:-1] + b',"' + field.encode() + b'":[', b"]}\n")

    @classmethod
    def keyed(cls, path: Path) -> "JsonFile":
        """A file that is one JSON object."""
        return cls(path, b"{", b"}\n")

    def add(self, *entries: bytes) -> None:
        """Add entries that are JSON already."""
        if entries:
            self._file.write(self._separator + b",\n".join(entries))
            self._separator = b",\n"
            self.entries += len(entries)

    def add_keyed(self, key: str, value: object) -> None:
        """Add an entry of a JSON object."""
        self.add(b'"' + key.encode() + b'":' + orjson.dumps(value))

    def __enter__(self) -> "JsonFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.write(b"\n" + self.tail)
        self._file.close()


class VqaFiles:
    """VQA v2 in its two splits, and the same questions redistributed as VQA-CP."""

    def __init__(self, folder: Path, seed: int, stack: ExitStack) -> None:
        self.seed = seed
        self.files = {split: self._open_split(folder / "vqa", split, stack) for split in SPLITS}
        self.vqacp_files = {
            part: tuple(
                stack.enter_context(JsonFile(folder / "vqacp" / f"vqacp_v2_{part}_{kind}.json"))
                for kind in ("questions", "annotations")
            )
            for part in ("train", "test")
        }

    @staticmethod
    def _open_split(folder: Path, split: str, stack: ExitStack) -> tuple[JsonFile, JsonFile]:
        description = "Questions about Diptych's miniature world."
        info = {"description": description, "url": "", "version": "2.0", "year": 2017}
        header = {"info": {**info, "contributor": "", "date_created": ""}, "license": _LICENSE}
        header |= {"data_subtype": split, "data_type": "mscoco"}
        questions = folder / f"v2_OpenEnded_mscoco_{split}_questions.json"
        annotations = folder / f"v2_mscoco_{split}_annotations.json"
        return (
            stack.enter_context(JsonFile.around(questions, {**header, "task_type": "Open-Ended"}, "questions")),
            stack.enter_context(JsonFile.around(annotations, header, "annotations")),
        )

    def add(self, index: SceneIndex, questions: list[Question]) -> None:
        """Write the questions of one scene."""
        number = index.scene.number
        split = split_of(number)
        coco_split = b',"coco_split":"' + split.encode() + b'"}'
        records = [vqa_annotation(number, position, question, self.seed) for position, question in enumerate(questions)]
        question_lines = [
            orjson.dumps(vqa_question(number, position, question)) for position, question in enumerate(questions)
        ]
        annotation_lines = [orjson.dumps(record) for record in records]
        self.files[split][0].add(*question_lines)
        self.files[split][1].add(*annotation_lines)
        for record, question_line, annotation_line in zip(records, question_lines, annotation_lines, strict=True):
            part = vqacp_part(record["question_type"], record["multiple_choice_answer"])
            self.vqacp_files[part][0].add(question_line[:-1] + coco_split)
            self.vqacp_files[part][1].add(annotation_line[:-1] + coco_split)


@lru_cache(maxsize=4096)
def vqacp_part(kind: str, answer: str) -> str:
    """The part of VQA-CP for all questions of one type and answer, so that answers differ between the parts."""
    return ("train", "test")[zlib.crc32(f"{kind}|{answer}".encode()) & 1]


class GraphFiles:
    """GQA's scene graphs and Visual Genome's five files."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.gqa_files = {
            split: stack.enter_context(JsonFile.keyed(folder / "gqa" / f"{split[:-4]}_sceneGraphs.json"))
            for split in SPLITS
        }
        names = ("image_data", "objects", "attributes", "relationships", "question_answers")
        self.vg_files = [stack.enter_context(JsonFile(folder / "vg" / f"{name}.json")) for name in names]

    def add(self, index: SceneIndex, questions: list[Question]) -> None:
        """Write one scene."""
        scene = index.scene
        self.gqa_files[split_of(scene.number)].add_keyed(str(gqa_id(scene.number)), scene_graph(scene))
        entries = (vg_image(scene.number), *vg_records(scene), vg_questions(scene.number, questions))
        for file, entry in zip(self.vg_files, entries, strict=True):
            file.add(orjson.dumps(entry))


class DialogFiles:
    """VisDial's validation dialogs, about every fourth scene, and ConVQA's sets, about every eighth."""

    def __init__(self, folder: Path, seed: int, stack: ExitStack) -> None:
        self.seed = seed
        self.tables = DialogTables()
        head = b'{"version":"1.0","split":"val2018","data":{"dialogs":['
        self.dialogs = stack.enter_context(JsonFile(folder / "visdial" / "visdial_1.0_val.json", head))
        common_sense, logical = "CommonSense_ConVQA_consistent.json", "cleaned_Logical_ConVQA_test.json"
        self.common_sense = stack.enter_context(JsonFile.keyed(folder / "convqa" / common_sense))
        self.logical = stack.enter_context(JsonFile.keyed(folder / "convqa" / logical))

    def add(self, index: SceneIndex) -> None:
        """Write the dialog and the sets of one scene, where it has any."""
        number = index.scene.number
        if number % _DIALOG_STEP:
            return
        rng = row_rng(self.seed, "demo.dialog", str(number))
        self.dialogs.add(orjson.dumps(self.tables.dialog(index, rng)))
        if number % _SET_STEP == 0:
            url = f"{_COCO_URL}/{split_of(number)}/{coco_name(number)}"
            self.common_sense.add_keyed(url, common_sense_set(index, rng))
            self.logical.add_keyed(str(gqa_id(number)), logical_sets(index, rng))

    def finish(self) -> None:
        """Write the global tables, which are known only at the end."""
        tables = {"questions": [*self.tables.questions], "answers": [*self.tables.answers]}
        self.dialogs.tail = b"]," + orjson.dumps(tables)[1:] + b"}\n"


class FactFiles:
    """FVQA's questions and folds about the validation scenes."""

    def __init__(self, folder: Path, seed: int, stack: ExitStack) -> None:
        self.seed = seed
        self.questions = stack.enter_context(JsonFile.keyed(folder / "fvqa" / "all_qs_dict_release.json"))
        lists = folder / "fvqa" / "Name_Lists"
        lists.mkdir(parents=True)
        self.folds = [
            tuple(
                stack.enter_context((lists / f"{part}_list_{fold}.txt").open("w", encoding="utf-8", newline="\n"))
                for part in ("train", "test")
            )
            for fold in range(5)
        ]

    def add(self, index: SceneIndex) -> None:
        """Write the questions of one scene, and its name into one part of each fold."""
        number = index.scene.number
        if split_of(number) != SPLITS[0]:
            return
        rng = row_rng(self.seed, "demo.facts", str(number))
        for parts in self.folds:
            parts[rng.random() < 0.5].write(f"{coco_name(number)}\n")
        for entry in fact_questions(index, rng):
            self.questions.add_keyed(entry["question_id"], entry)


def write_facts(folder: Path) -> None:
    """Write the files that do not depend on the scenes: FVQA's facts and ConceptNet's assertions."""
    with JsonFile.keyed(folder / "fvqa" / "all_fact_triples_release.json") as file:
        for fact in FACTS:
            file.add_keyed(fact.key, fact.record())
    edges = [fact.assertion() for fact in (*FACTS, *PLAIN_FACTS) if fact.base == "conceptnet"]
    lines = [b"\t".join([*(word.encode() for word in edge[:4]), orjson.dumps(edge[4])]) for edge in sorted(edges)]
    path = folder / "conceptnet" / "conceptnet-assertions-demo.csv.gz"
    path.parent.mkdir(parents=True)
    # No time stamp and no file name inside, so that the bytes are always the same.
    path.write_bytes(gzip.compress(b"\n".join(lines) + b"\n", mtime=0))
