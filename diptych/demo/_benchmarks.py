"""Couples of scenes as the records of benchmarks: POPE, MME, MMVP, NaturalBench and HallusionBench.

Each couple has a thing that only its first picture shows and a thing that only its second one shows.
"""

import csv
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import orjson

from diptych.demo._drawing import link_file
from diptych.demo._records import coco_name
from diptych.demo._scenes import Scene
from diptych.demo._things import THINGS, Thing
from diptych.pairs import row_rng

FOLDERS = ("hallusionbench", "mme", "mmvp", "naturalbench", "pope")  # under `--data`

_STEP = 8  # one couple for this many pictures
_SETTINGS = ("random", "popular", "adversarial")
_OBJECTS = 3  # as many as POPE asks about that are there, and as many that are not
_ANSWERS = ("no", "yes")


class BenchmarkWriter:
    """The files of the five benchmarks, open until the stack is closed."""

    def __init__(self, folder: Path, seed: int, stack: ExitStack) -> None:
        for name in FOLDERS:
            (folder / name).mkdir()
        (folder / "mme" / "existence").mkdir()
        self.folder, self.seed, self.couples, self.objects = folder, seed, 0, 0
        names = {setting: folder / "pope" / f"coco_pope_{setting}.json" for setting in _SETTINGS}
        self.pope = {setting: stack.enter_context(path.open("wb")) for setting, path in names.items()}
        table = (folder / "mmvp" / "Questions.csv").open("w", encoding="utf-8", newline="")
        self.mmvp = csv.writer(stack.enter_context(table))
        self.mmvp.writerow(["lndex", "Question", "Options", "Correct Answer"])
        self.hallusionbench: list[dict[str, Any]] = []
        self.naturalbench: list[dict[str, Any]] = []
        self.waiting: Scene | None = None

    def write(self, scene: Scene) -> None:
        """Write a scene; with the one before it, it makes a couple."""
        if scene.number % _STEP not in (0, 2):
            return
        rng = row_rng(self.seed, "demo.benchmarks", str(scene.number))
        present = [thing for thing in scene.kinds if "held" not in thing.zones]
        absent = [thing for thing in THINGS.values() if thing.name not in scene.groups]
        if present:
            self._write_objects(scene, present, absent, rng)
        if scene.number % _STEP == 0:
            self.waiting = scene
        elif self.waiting is not None:
            own, others = ({thing.name for thing in each.kinds} for each in (self.waiting, scene))
            if own - others and others - own:
                self._save_pictures(self.waiting, scene)
                self._write_couple(*(THINGS[min(names)] for names in (own - others, others - own)))

    def _write_objects(self, scene: Scene, present: list[Thing], absent: list[Thing], rng: Random) -> None:
        """Whether objects are in a picture, for POPE and MME."""
        image = coco_name(scene.number)
        for file in self.pope.values():
            objects = [rng.sample(things, min(_OBJECTS, len(present))) for things in (present, absent)]
            for things in zip(*objects, strict=True):
                for thing, label in zip(things, _ANSWERS[::-1], strict=True):
                    self.objects += 1
                    text = f"Is there {thing.a} in the image?"
                    record = {"question_id": self.objects, "image": image, "text": text, "label": label}
                    file.write(orjson.dumps(record) + b"\n")
        things = (rng.choice(present), rng.choice(absent))
        lines = [
            f"Is there {thing.a} in this image? Please answer yes or no.\t{answer}\n"
            for thing, answer in zip(things, ("Yes", "No"), strict=True)
        ]
        self._save_picture(scene, f"MME_Benchmark/existence/{image}")
        path = self.folder / "mme" / "existence" / f"{Path(image).stem}.txt"
        path.write_text("".join(lines), encoding="utf-8")

    def _save_pictures(self, *scenes: Scene) -> None:
        """The pictures of a couple, under the names of MMVP and HallusionBench."""
        for number, scene in enumerate(scenes):
            self._save_picture(scene, f"MMVP Images/{2 * self.couples + number + 1}.jpg")
            self._save_picture(scene, f"hallusion_bench/VD/figure/{self.couples}_{number}.png")

    def _save_picture(self, scene: Scene, name: str) -> None:
        """A picture of the world under another name, if the world has pictures."""
        path = self.folder / "images" / coco_name(scene.number)
        if path.is_file():
            link_file(path, self.folder / "images" / name)

    def _write_couple(self, first: Thing, second: Thing) -> None:
        """The things that tell two pictures apart, for MMVP, NaturalBench and HallusionBench."""
        questions = [f"Is there {thing.a} in the picture?" for thing in (first, second)]
        row = {"Index": self.couples, "Question_Type": "yes_no", "Source": "miniature world"}
        row |= {f"Question_{number}": text for number, text in enumerate(questions)}
        for image in (0, 1):
            options = f"(a) {first.name} (b) {second.name}"
            number = 2 * self.couples + image + 1
            self.mmvp.writerow([number, "Which of the two is in the picture?", options, f"({'ab'[image]})"])
            for question, text in enumerate(questions):
                is_there = image == question
                row[f"Image_{image}_Question_{question}"] = _ANSWERS[is_there].capitalize()
                self.hallusionbench.append(self._hallusionbench_record(image, question, text, is_there))
        self.naturalbench.append(row)
        self.couples += 1

    def _hallusionbench_record(self, figure: int, question: int, text: str, is_there: bool) -> dict[str, Any]:
        ids = {"set_id": str(self.couples), "figure_id": str(figure), "question_id": str(question)}
        answers = {"gt_answer_details": _ANSWERS[is_there], "gt_answer": str(int(is_there))}
        origin = {"category": "VD", "subcategory": "figure", "visual_input": str(figure + 1), "sample_note": "world"}
        return origin | ids | {"question": text} | answers | {"filename": f"./VD/figure/{self.couples}_{figure}.png"}

    def close(self) -> None:
        """Write the files that are written whole."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        content = orjson.dumps(self.hallusionbench, option=orjson.OPT_INDENT_2)
        (self.folder / "hallusionbench" / "HallusionBench.json").write_bytes(content)
        if self.naturalbench:
            path = self.folder / "naturalbench" / "train-00000-of-00001.parquet"
            pq.write_table(pa.Table.from_pylist(self.naturalbench), path)
