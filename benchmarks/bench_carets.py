"""CARETS: the cost of an image does not grow with their number, and the visual test costs what OpenCV costs.

Seconds are of the processor, one thread, unless a line says otherwise.

python benchmarks/bench_carets.py [IMAGES [IMAGES_OF_THE_WHOLE_BUILD]]
"""

import contextlib
import io
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from diptych.builders.carets.corpus import Corpus
from diptych.builders.carets.counts import TABLE_6
from diptych.builders.carets.tests import VISUAL, CaretsMaker, ask
from diptych.builders.carets.visual import Look, VisualMaker, looks
from PIL import Image, ImageDraw, ImageFilter

from diptych.cli import main as diptych
from diptych.demo import make_world
from diptych.scenegraphs import Box, read_gqa
from diptych.scenegraphs.image_operations import (
    IMAGENET_MEANS,
    OPERATIONS,
    SIGMAS,
    Blurs,
    decode,
    encode,
    foreground,
    obfuscate,
)
from diptych.sources import require_file
from diptych.templates import load_templates

TEXT_TESTS = tuple(test for test in TABLE_6 if test != VISUAL)
GQA_IMAGES = 10_696
"""Images of GQA's validation split."""
WHOLE_LIMIT = 180
PHOTO = (500, 375)
"""The usual size of GQA's images; the miniature world's are smaller."""


def seconds(job: Callable[[], object]) -> float:
    """How long a job keeps the processor."""
    start = time.process_time()
    job()
    return time.process_time() - start


def text_cost(images: int, folder: Path) -> float:
    """Seconds an image to read, ask and word the five text tests, with as many questions an image as the paper has."""
    make_world(folder, 2 * images, pictures=False)
    file = require_file(folder, "gqa", "val_sceneGraphs.json")
    templates = load_templates("carets")

    def build() -> None:
        corpus = Corpus(list(read_gqa(file)))
        for test in TEXT_TESTS:
            wanted = sum(TABLE_6[test].values()) * images // GQA_IMAGES
            list(CaretsMaker(templates, test, 0, "gqa").outcomes(ask(corpus, 0, test, {"pairs": wanted})[0]))

    return seconds(build) / images


def whole_build(images: int, folder: Path) -> tuple[float, float]:
    """Seconds by the clock, and of this process, to build the text tests of so many images with two workers."""
    make_world(folder, 2 * images, pictures=False)
    (next((folder / "gqa").glob("train_sceneGraphs*"))).unlink()
    configs = [part for test in TEXT_TESTS for part in ("--config", test.partition(".")[2])]
    args = ["build", "carets", "--data", str(folder), "--out", str(folder / "out"), "--num-proc", "2", *configs]
    start, used = time.perf_counter(), time.process_time()
    quiet = io.StringIO()
    with contextlib.redirect_stderr(quiet), contextlib.redirect_stdout(quiet), contextlib.suppress(SystemExit):
        diptych(args)
    assert (folder / "out" / "manifest.json").exists()
    return time.perf_counter() - start, time.process_time() - used


def visual_cost(images: int, folder: Path) -> tuple[float, ...]:
    """Seconds of the visual test; of its image work alone; of plain OpenCV calls; of a plain Pillow version."""
    make_world(folder, 2 * images)
    corpus = Corpus(list(read_gqa(require_file(folder, "gqa", "val_sceneGraphs.json"))))
    asked, _ = ask(corpus, 0, VISUAL, {"pairs": 3 * images})
    rows = looks(asked, {graph.image_id: PHOTO for graph in corpus.graphs})
    _make_photos(rows, folder)
    maker = VisualMaker(CaretsMaker(load_templates("carets"), VISUAL, 0, "gqa"), folder / "photos")
    list(maker.outcomes(rows[:5]))
    jobs = [lambda: list(maker.outcomes(rows))]
    jobs += [partial(job, rows, folder) for job in (image_work, plain_opencv, plain_pillow)]
    # They take turns, so that whatever else the machine does weighs on all alike.
    times = [[seconds(job) for job in jobs] for _ in range(3)]
    return tuple(min(column) for column in zip(*times, strict=True))


def _make_photos(rows: Sequence[Look], folder: Path) -> None:
    """The pictures at the size of photographs, with as much grain."""
    (folder / "photos").mkdir()
    for look in rows:
        name = f"{look.image_id}.jpg"
        pixels = np.asarray(Image.open(folder / "images" / name).convert("RGB").resize(PHOTO), np.int16)
        grain = np.random.default_rng(int(look.image_id)).normal(0, 12, pixels.shape).astype(np.int16)
        Image.fromarray((pixels + grain).clip(0, 255).astype(np.uint8)).save(folder / "photos" / name, quality=90)


def image_work(rows: Sequence[Look], folder: Path) -> None:
    """Decode, operations and encode as the test does them, and nothing else."""
    for look in rows:
        image = decode((folder / "photos" / f"{look.image_id}.jpg").read_bytes())
        blurs: Blurs = {}
        for asked in look.asked:
            boxes = foreground(asked.boxes, look.width, look.height)
            for operation in OPERATIONS:
                encode(obfuscate(image, boxes, operation, blurs=blurs))


def plain_opencv(rows: Sequence[Look], folder: Path) -> None:
    """Decode once an image; for every pair the OpenCV calls and encode."""
    for look in rows:
        content = (folder / "photos" / f"{look.image_id}.jpg").read_bytes()
        image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
        for asked in look.asked:
            boxes = foreground(asked.boxes, look.width, look.height)
            for operation in OPERATIONS:
                cv2.imencode(".jpg", changed(image, boxes, operation), [cv2.IMWRITE_JPEG_QUALITY, 95])


def changed(image: np.ndarray, boxes: Sequence[Box], operation: str) -> np.ndarray:
    """The operation, written out plainly."""
    if operation == "crop":
        x, y = min(b[0] for b in boxes), min(b[1] for b in boxes)
        return image[y : max(b[1] + b[3] for b in boxes), x : max(b[0] + b[2] for b in boxes)]
    hidden = np.ones(image.shape[:2], np.float32)
    for x, y, w, h in boxes:
        hidden[y : y + h, x : x + w] = 0
    if operation == "mask":
        result = image.copy()
        result[hidden > 0] = np.round(IMAGENET_MEANS[::-1])
        return result
    soft = cv2.GaussianBlur(hidden, (0, 0), SIGMAS[operation])
    return cv2.blendLinear(cv2.GaussianBlur(image, (0, 0), SIGMAS[operation]), image, soft, 1 - soft)


def plain_pillow(rows: Sequence[Look], folder: Path) -> None:
    """What one would write first: every pair opens its image, changes it with Pillow and saves it."""
    for look in rows:
        for asked in look.asked:
            boxes = foreground(asked.boxes, look.width, look.height)
            for operation in OPERATIONS:
                image = Image.open(folder / "photos" / f"{look.image_id}.jpg").convert("RGB")
                _with_pillow(image, boxes, operation).save(io.BytesIO(), "JPEG", quality=95)


def _with_pillow(image: Image.Image, boxes: Sequence[Box], operation: str) -> Image.Image:
    if operation == "crop":
        x, y = min(b[0] for b in boxes), min(b[1] for b in boxes)
        return image.crop((x, y, max(b[0] + b[2] for b in boxes), max(b[1] + b[3] for b in boxes)))
    hidden = Image.new("L", image.size, 255)
    for x, y, w, h in boxes:
        ImageDraw.Draw(hidden).rectangle((x, y, x + w - 1, y + h - 1), fill=0)
    if operation == "mask":
        return Image.composite(Image.new("RGB", image.size, tuple(map(round, IMAGENET_MEANS))), image, hidden)
    blur = ImageFilter.GaussianBlur(SIGMAS[operation])
    return Image.composite(image.filter(blur), image, hidden.filter(blur))


def main(images: int, whole: int) -> None:
    """Print the ratios."""
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        text_cost(20, Path(folder) / "warm")  # loads the tables and the grammar
        few, many = (text_cost(n, Path(folder) / str(n)) for n in (images, 10 * images))
        print(f"text tests, {images:,} images: {1e3 * few:.2f} ms an image; {10 * images:,}: {1e3 * many:.2f} ms")
        print(f"  ratio {many / few:.2f} (constant cost: 1)")
        clock, used = whole_build(whole, Path(folder) / "whole")
        print(f"text tests of {whole:,} images, built whole, two workers: {clock:.0f} s by the clock ({WHOLE_LIMIT} s")
        print(f"  wanted for {GQA_IMAGES:,}); {used:.0f} s of this process")
        ours, alone, opencv, pillow = visual_cost(max(images // 10, 20), Path(folder) / "visual")
        print(f"visual test {ours:.2f} s; its decode, operations and encode alone {alone:.2f} s: {alone / ours:.0%}")
        print(f"  plain OpenCV calls, decode and encode {opencv:.2f} s: {opencv / ours:.0%} (at least 80 % wanted)")
        print(f"  plain Pillow {pillow:.2f} s: {pillow / ours:.1f} × (at least 3 wanted)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, int(sys.argv[2]) if len(sys.argv) > 2 else GQA_IMAGES)
