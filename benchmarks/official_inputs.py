"""Official-format inputs of any size for the full-size runs.

Real records are the base wherever the data folder has them: questions with new ids, nouns exchanged so that the number
of distinct texts grows as it does in VQA v2; scene graphs united from six of the sample's partial ones, which gives
them as many objects as GQA's. Visual Genome's images, ConceptNet's lines and the pictures are generated.
"""

import gzip
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np
import orjson
from bench_conceptnet import generate_dump
from bench_vg import make_image

from diptych.builders.bqd._variants import plain_words
from diptych.demo import make_world
from diptych.language import tagger
from diptych.scenegraphs import ontology
from diptych.sources import VqaRow, find_file, iter_vqa, vqa_files

VQA_TRAIN, VQA_VAL = 443_757, 214_354
GQA_TRAIN, GQA_VAL = 74_942, 10_696
VG_IMAGES, VG_QUESTIONS = 108_077, 1_700_000
CONCEPTNET_LINES, VISUAL_IMAGES = 34_000_000, 10_000
MAIN_QUESTIONS, BASIC_QUESTIONS = 244_302, 186_027

VARIANTS = 15  # of a question: with 15,000 questions, VQA v2's about 215,000 distinct texts
QUESTIONS_PER_IMAGE = 5
GRAPHS_PER_IMAGE, SIDE_RELATIONS = 6, 40
SCENES, SCENE_NAMES = 50, 8
PICTURE = (640, 480)


def real_data() -> Path | None:
    """The folder of real samples, where there is one."""
    folder = Path(os.environ.get("DIPTYCH_DATA", Path(__file__).parents[2] / "shared" / "data"))
    return folder if (folder / "vqa").is_dir() else None


@dataclass(frozen=True)
class Questions:
    """VQA's questions to be repeated, and how their nouns are exchanged."""

    rows: list[VqaRow]
    kind: str

    @classmethod
    def load(cls, scratch: Path) -> "Questions":
        """The real sample, or the miniature world's questions."""
        if data := real_data():
            return cls(list(iter_vqa(vqa_files(data))), "real questions with exchanged nouns and new ids")
        make_world(scratch / "world", 4_000, pictures=False)
        return cls(list(iter_vqa(vqa_files(scratch / "world"))), "the miniature world's questions with new ids")

    @cached_property
    def _nouns(self) -> tuple[list[list[tuple[int, int, str]]], dict[str, list[str]]]:
        """The places of the nouns in every question, and all nouns as often as they occur, by tag."""
        places, pools = [], {"NN": [], "NNS": []}
        for doc in tagger().pipe((row.question for row in self.rows), batch_size=256):
            nouns = [token for token in doc if token.tag_ in pools]
            places.append([(token.idx, token.idx + len(token.text), token.tag_) for token in nouns])
            for token in nouns:
                pools[token.tag_].append(token.text.lower())
        return places, pools

    def text(self, number: int, variant: int) -> str:
        """A question as it is, or with other nouns of the sample."""
        text = self.rows[number].question
        if variant:
            places, pools = self._nouns
            rng = Random(number * 1009 + variant)
            for start, end, tag in reversed(places[number]):
                text = text[:start] + rng.choice(pools[tag]) + text[end:]
        return text

    def repeated(self, size: int, offset: int = 0) -> Iterator[VqaRow]:
        """So many rows; each text is used for about three images at the full size."""
        for position in range(offset, offset + size):
            number, round_ = position % len(self.rows), position // len(self.rows)
            text = self.text(number, round_ % VARIANTS)
            yield replace(self.rows[number], question_id=str(position + 1), question=text)

    def distinct(self) -> Iterator[str]:
        """Texts that differ in their words, without end."""
        seen: set[str] = set()
        for variant in count():
            for number in range(len(self.rows)):
                text = self.text(number, variant)
                words = plain_words(text)
                if words not in seen:
                    seen.add(words)
                    yield text


def write_list(path: Path, records: Iterable[Any], head: bytes = b"[", tail: bytes = b"]") -> None:
    """A JSON list, record by record."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb", buffering=1 << 20) as file:
        file.write(head)
        for number, record in enumerate(records):
            file.write((b",\n" if number else b"\n") + orjson.dumps(record))
        file.write(b"\n" + tail)


def write_vqa_split(folder: Path, split: str, rows: Iterable[VqaRow], first_image: int = 1) -> None:
    """A split of VQA v2, questions and annotations written side by side."""
    vqa = folder / "vqa"
    vqa.mkdir(parents=True, exist_ok=True)
    with (
        (vqa / f"v2_OpenEnded_mscoco_{split}2014_questions.json").open("wb", buffering=1 << 20) as questions,
        (vqa / f"v2_mscoco_{split}2014_annotations.json").open("wb", buffering=1 << 20) as annotations,
    ):
        questions.write(b'{"questions":[')
        annotations.write(b'{"annotations":[')
        for number, row in enumerate(rows):
            ids = {"question_id": int(row.question_id), "image_id": first_image + number // QUESTIONS_PER_IMAGE}
            answers = [
                {"answer": answer, "answer_confidence": "yes", "answer_id": index}
                for index, answer in enumerate(row.answers, start=1)
            ]
            kind = {"question_type": row.question_type, "answer_type": row.answer_type}
            comma = b",\n" if number else b"\n"
            questions.write(comma + orjson.dumps({**ids, "question": row.question}))
            annotation = {**ids, **kind, "multiple_choice_answer": row.answer, "answers": answers}
            annotations.write(comma + orjson.dumps(annotation))
        questions.write(b"]}")
        annotations.write(b"]}")


def write_vqa(folder: Path, share: float) -> str:
    """VQA v2's training and validation questions."""
    questions = Questions.load(folder)
    train, val = (round(size * share) for size in (VQA_TRAIN, VQA_VAL))
    write_vqa_split(folder, "train", questions.repeated(train), 1)
    write_vqa_split(folder, "val", questions.repeated(val, train), 1_000_000)
    return questions.kind


def write_vg_questions(folder: Path, share: float) -> str:
    """Visual Genome's questions, 16 per image."""
    questions = Questions.load(folder)
    rows = questions.repeated(round(VG_QUESTIONS * share))

    def images() -> Iterator[dict[str, Any]]:
        image = 0
        while batch := list(islice(rows, 16)):
            image += 1
            qas = [
                {"qa_id": int(row.question_id), "image_id": image, "question": row.question, "answer": f"{row.answer}."}
                for row in batch
            ]
            yield {"id": image, "qas": qas}

    write_list(folder / "vg" / "question_answers.json", images())
    return questions.kind


def united_graph(parts: list[dict[str, Any]], image: int, rng: Random) -> dict[str, Any]:
    """One scene graph of the objects of some, in boxes of one picture, with left and right as GQA has them."""
    objects: dict[str, Any] = {}
    for part in parts:
        keys = {key: str(100 * image + len(objects) + place) for place, key in enumerate(part["objects"])}
        for key, thing in part["objects"].items():
            box = {
                "x": rng.randrange(500),
                "y": rng.randrange(380),
                "w": rng.randrange(20, 140),
                "h": rng.randrange(20, 100),
            }
            relations = [{**relation, "object": keys[relation["object"]]} for relation in thing["relations"]]
            objects[keys[key]] = {**thing, **box, "relations": relations}
    for _ in range(SIDE_RELATIONS // 2):
        left, right = sorted(rng.sample(list(objects), 2), key=lambda key: objects[key]["x"])
        objects[left]["relations"].append({"object": right, "name": "to the left of"})
        objects[right]["relations"].append({"object": left, "name": "to the right of"})
    return {"width": PICTURE[0], "height": PICTURE[1], "objects": objects}


def write_gqa(folder: Path, sizes: dict[str, int]) -> str:
    """Scene graphs of some splits, by their numbers of images."""
    data = real_data()
    if data is None:
        make_world(folder, 2 * max(sizes.values()), pictures=False)
        return "the miniature world's scene graphs"
    file = find_file(data, "gqa", "val_sceneGraphs.json")
    assert file is not None
    with file.open() as stream:
        sample = [graph for graph in orjson.loads(stream.read(1 << 30)).values() if graph["objects"]]
    image = 0
    (folder / "gqa").mkdir(parents=True)
    for split, size in sizes.items():
        with (folder / "gqa" / f"{split}_sceneGraphs.json").open("wb", buffering=1 << 20) as target:
            target.write(b"{")
            for number in range(size):
                image += 1
                rng = Random(image)
                graph = united_graph(rng.sample(sample, GRAPHS_PER_IMAGE), image, rng)
                target.write((b",\n" if number else b"\n") + b'"%d":' % image + orjson.dumps(graph))
            target.write(b"}")
    return f"{GRAPHS_PER_IMAGE} real partial scene graphs in each, 16 objects on average"


def write_vg(folder: Path, images: int) -> str:
    """Visual Genome's four files, with as much in an image as the real ones have on average."""
    rng, names = Random(0), sorted(filter(ontology().is_foreground, ontology().synsets))
    scenes = [rng.sample(names, SCENE_NAMES) for _ in range(SCENES)]
    vg = folder / "vg"
    vg.mkdir(parents=True)
    files = [(vg / f"{name}.json").open("wb") for name in ("image_data", "objects", "attributes", "relationships")]
    for number in range(images):
        for file, record in zip(files, make_image(number + 1, rng, scenes[number % SCENES]), strict=True):
            file.write((b",\n" if number else b"[\n") + orjson.dumps(record))
    for file in files:
        file.write(b"]")
        file.close()
    return "generated: 35 objects, 26 attributes and 21 relationships per image"


def write_fvqa(folder: Path, lines: int) -> str:
    """FVQA, and a dump of so many lines: the sample's real ones, then generated ones, a tenth of them English."""
    data = real_data()
    if data is None:
        make_world(folder, 4_000, pictures=False)
    else:
        shutil.copytree(data / "fvqa", folder / "fvqa", copy_function=shutil.copyfile)
    (folder / "conceptnet").mkdir(exist_ok=True)
    real = next(((data or folder) / "conceptnet").glob("conceptnet-assertions-*.csv.gz"))
    content = real.read_bytes()
    real_lines = gzip.decompress(content).count(b"\n")
    for old in (folder / "conceptnet").iterdir():
        old.unlink()
    dump = generate_dump(folder / "generated.csv.gz", lines - real_lines)
    with (folder / "conceptnet" / "conceptnet-assertions-5.7.0.csv.gz").open("wb") as target:
        target.write(content)  # members of a gzip file follow each other
        with dump.open("rb") as source:
            shutil.copyfileobj(source, target)
    dump.unlink()
    return f"FVQA's questions, {real_lines:,} real lines of ConceptNet, the others generated"


def write_bqd(folder: Path, main: int, basic: int) -> str:
    """Main questions as a validation split, basic ones as a training split, all distinct."""
    questions = Questions.load(folder)
    texts = questions.distinct()
    row = questions.rows[0]
    for split, size in (("val", main), ("train", basic)):
        rows = (replace(row, question_id=str(n), question=text) for n, text in enumerate(islice(texts, size), start=1))
        write_vqa_split(folder, split, rows)
    return f"{questions.kind}, all distinct; their answers are not read"


def write_pictures(folder: Path, images: int) -> str:
    """Scene graphs, and a picture of 640 by 480 pixels for each: smooth shapes with the grain of a photograph."""
    kind = write_gqa(folder, {"val": images})
    target = folder / "images"
    target.mkdir(exist_ok=True)
    cv2.setNumThreads(1)
    grain = np.random.default_rng(0).normal(0, 7, (PICTURE[1] + 64, PICTURE[0] + 64, 3)).astype(np.int16)
    for image in range(1, images + 1):
        rng = np.random.default_rng(image)
        shapes = rng.integers(0, 256, (12, 16, 3)).astype(np.uint8)
        x, y = rng.integers(0, 64, 2)
        smooth = cv2.resize(shapes, PICTURE, interpolation=cv2.INTER_CUBIC)
        pixels = smooth + grain[y : y + PICTURE[1], x : x + PICTURE[0]]
        cv2.imwrite(str(target / f"{image}.jpg"), pixels.clip(0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 90])
    return f"{kind}; generated pictures of {PICTURE[0]} x {PICTURE[1]} pixels with grain"
