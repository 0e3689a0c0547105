"""The official files of the world, one class a family: each takes scene after scene and writes its entries."""

import gzip
import zlib
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from diptych.demo.dialogs import DialogTables, common_sense_set, logical_sets
from diptych.demo.facts import FACTS, MORE_FACTS
from diptych.demo.files import JsonFile
from diptych.demo.knowledge import fact_questions
from diptych.demo.records import (
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
from diptych.demo.view import Question, View
from diptych.pairs import row_rng

SPLITS = ("val2014", "train2014")
_LICENSE = {
    "url": "http://creativecommons.org/licenses/by/4.0/",
    "name": "Creative Commons Attribution 4.0 International License",
}
_COCO_URL = "https://vqa_mscoco_images.s3.amazonaws.com"
_DIALOGS_EVERY, _SETS_EVERY = 4, 8


def _frame(split: str, task: bool) -> dict[str, Any]:
    about = "Questions about Diptych's miniature world."
    info = {"description": about, "url": "", "version": "2.0", "year": 2017, "contributor": "", "date_created": ""}
    frame = {"info": info, "license": _LICENSE, "data_subtype": split, "data_type": "mscoco"}
    return {**frame, "task_type": "Open-Ended"} if task else frame


class VqaFiles:
    """VQA v2 in its two splits, and the same questions redistributed as VQA-CP."""

    def __init__(self, folder: Path, seed: int, stack: ExitStack) -> None:
        self.seed = seed
        self.files = {split: self._split(folder / "vqa", split, stack) for split in SPLITS}
        self.changing = {
            part: tuple(
                stack.enter_context(JsonFile(folder / "vqacp" / f"vqacp_v2_{part}_{kind}.json"))
                for kind in ("questions", "annotations")
            )
            for part in ("train", "test")
        }

    @staticmethod
    def _split(folder: Path, split: str, stack: ExitStack) -> tuple[JsonFile, JsonFile]:
        questions = folder / f"v2_OpenEnded_mscoco_{split}_questions.json"
        annotations = folder / f"v2_mscoco_{split}_annotations.json"
        return (
            stack.enter_context(JsonFile.around(questions, _frame(split, True), "questions")),
            stack.enter_context(JsonFile.around(annotations, _frame(split, False), "annotations")),
        )

    def add(self, view: View, questions: list[Question]) -> None:
        """Write the questions of one scene."""
        number = view.scene.number
        split = split_of(number)
        of_split = b',"coco_split":"' + split.encode() + b'"}'
        records = [vqa_annotation(number, index, question, self.seed) for index, question in enumerate(questions)]
        asked = [orjson.dumps(vqa_question(number, index, question)) for index, question in enumerate(questions)]
        answered = [orjson.dumps(record) for record in records]
        self.files[split][0].add_all(asked)
        self.files[split][1].add_all(answered)
        for record, question, annotation in zip(records, asked, answered, strict=True):
            part = changing_part(record["question_type"], record["multiple_choice_answer"])
            self.changing[part][0].add(question[:-1] + of_split)
            self.changing[part][1].add(annotation[:-1] + of_split)


@lru_cache(maxsize=4096)
def changing_part(kind: str, answer: str) -> str:
    """The part of VQA-CP for all questions of one type and answer, so that answers differ between the parts."""
    return ("train", "test")[zlib.crc32(f"{kind}|{answer}".encode()) & 1]


class GraphFiles:
    """GQA's scene graphs and Visual Genome's five files."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.graphs = {
            split: stack.enter_context(JsonFile.keyed(folder / "gqa" / f"{split[:-4]}_sceneGraphs.json"))
            for split in SPLITS
        }
        names = ("image_data", "objects", "attributes", "relationships", "question_answers")
        self.genome = [stack.enter_context(JsonFile(folder / "vg" / f"{name}.json")) for name in names]

    def add(self, view: View, questions: list[Question]) -> None:
        """Write one scene."""
        scene = view.scene
        self.graphs[split_of(scene.number)].add_keyed(str(gqa_id(scene.number)), scene_graph(scene))
        entries = (vg_image(scene.number), *vg_records(scene), vg_questions(scene.number, questions))
        for file, entry in zip(self.genome, entries, strict=True):
            file.add(orjson.dumps(entry))


class DialogFiles:
    """VisDial's validation dialogs, about every fourth scene, and ConVQA's sets, about every eighth."""

    def __init__(self, folder: Path, seed: int, stack: ExitStack) -> None:
        self.seed = seed
        self.tables = DialogTables()
        self.dialogs = stack.enter_context(
            JsonFile(
                folder / "visdial" / "visdial_1.0_val.json",
                b'{"version":"1.0","split":"val2018","data":{"dialogs":[',
            )
        )
        sets = folder / "convqa"
        self.common = stack.enter_context(JsonFile.keyed(sets / "CommonSense_ConVQA_consistent.json"))
        self.logical = stack.enter_context(JsonFile.keyed(sets / "cleaned_Logical_ConVQA_test.json"))

    def add(self, view: View) -> None:
        """Write what there is to one scene."""
        number = view.scene.number
        if number % _DIALOGS_EVERY:
            return
        rng = row_rng(self.seed, "demo.dialog", str(number))
        self.dialogs.add(orjson.dumps(self.tables.dialog(view, rng)))
        if number % _SETS_EVERY == 0:
            address = f"{_COCO_URL}/{split_of(number)}/{coco_name(number)}"
            self.common.add_keyed(address, common_sense_set(view, rng))
            self.logical.add_keyed(str(gqa_id(number)), logical_sets(view, rng))

    def finish(self) -> None:
        """Write the global tables, which are known only at the end."""
        tables = {"questions": [*self.tables.questions], "answers": [*self.tables.answers]}
        self.dialogs.tail = b"]," + orjson.dumps(tables)[1:] + b"}\n"


class FactFiles:
    """FVQA's questions and folds about the validation scenes."""

    def __init__(self, folder: Path, seed: int, stack: ExitStack) -> None:
        self.seed = seed
        home = folder / "fvqa"
        self.questions = stack.enter_context(JsonFile.keyed(home / "all_qs_dict_release.json"))
        lists = home / "Name_Lists"
        lists.mkdir(parents=True)
        self.folds = [
            tuple(
                stack.enter_context((lists / f"{part}_list_{fold}.txt").open("w", encoding="utf-8", newline="\n"))
                for part in ("train", "test")
            )
            for fold in range(5)
        ]

    def add(self, view: View) -> None:
        """Write the questions of one scene, and on which side of each fold it lies."""
        number = view.scene.number
        if split_of(number) != SPLITS[0]:
            return
        rng = row_rng(self.seed, "demo.facts", str(number))
        for parts in self.folds:
            parts[rng.random() < 0.5].write(f"{coco_name(number)}\n")
        for entry in fact_questions(view, rng):
            self.questions.add_keyed(entry["question_id"], entry)


def write_facts(folder: Path) -> None:
    """Write what does not depend on the scenes: FVQA's facts and ConceptNet's assertions."""
    with JsonFile.keyed(folder / "fvqa" / "all_fact_triples_release.json") as file:
        for fact in FACTS:
            file.add_keyed(fact.key, fact.record())
    edges = [fact.assertion() for fact in (*FACTS, *MORE_FACTS) if fact.base == "conceptnet"]
    lines = [b"\t".join([*(word.encode() for word in edge[:4]), orjson.dumps(edge[4])]) for edge in sorted(edges)]
    path = folder / "conceptnet" / "conceptnet-assertions-demo.csv.gz"
    path.parent.mkdir(parents=True)
    # No time stamp and no file name inside, so that the bytes are always the same.
    path.write_bytes(gzip.compress(b"\n".join(lines) + b"\n", mtime=0))
