"""CARETS: the time of an image does not grow with their number, and the visual test costs what OpenCV costs.

python benchmarks/bench_carets.py [IMAGES]
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from diptych.builders.carets.corpus import Corpus
from diptych.builders.carets.tests import NEGATION, VISUAL, CaretsMaker, ask
from diptych.builders.carets.visual import VisualMaker, looks
from diptych.demo import make_world
from diptych.scenegraphs import read_gqa
from diptych.scenegraphs.obfuscate import IMAGENET_MEANS, OPERATIONS, SIGMAS, foreground
from diptych.sources import require_file
from diptych.templates import load_templates


def seconds(job: Callable[[], object]) -> float:
    """How long a job takes."""
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def text_cost(images: int, folder: Path) -> float:
    """Seconds an image to read, ask and word the negation test, as many questions as images."""
    make_world(folder, 2 * images, pictures=False)
    file = require_file(folder, "gqa", "val_sceneGraphs.json")
    maker = CaretsMaker(load_templates("carets"), NEGATION, 0, "gqa")

    def build() -> None:
        corpus = Corpus(list(read_gqa(file)))
        list(maker.outcomes(ask(corpus, 0, NEGATION, {"pairs": images})[0]))

    return seconds(build) / images


def visual_cost(images: int, folder: Path) -> tuple[float, float]:
    """Seconds of the visual test, and of its decode, OpenCV calls and encode alone."""
    make_world(folder, 2 * images)
    corpus = Corpus(list(read_gqa(require_file(folder, "gqa", "val_sceneGraphs.json"))))
    sizes = {graph.image_id: (graph.width, graph.height) for graph in corpus.graphs}
    rows = looks(ask(corpus, 0, VISUAL, {"pairs": 2 * images})[0], sizes)
    maker = VisualMaker(CaretsMaker(load_templates("carets"), VISUAL, 0, "gqa"), folder / "images")

    def bare() -> None:
        for look in rows:
            content = (folder / "images" / f"{look.image_id}.jpg").read_bytes()
            image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
            for asked in look.asked:
                boxes = foreground(asked.boxes, look.width, look.height)
                for operation in OPERATIONS:
                    cv2.imencode(".jpg", changed(image, boxes, operation), [cv2.IMWRITE_JPEG_QUALITY, 95])

    list(maker.outcomes(rows[:5]))
    return seconds(lambda: list(maker.outcomes(rows))), seconds(bare)


def changed(image: np.ndarray, boxes: list[tuple[int, int, int, int]], operation: str) -> np.ndarray:
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


def main(images: int) -> None:
    """Print the two ratios."""
    with tempfile.TemporaryDirectory() as folder:
        text_cost(20, Path(folder) / "warm")  # loads the tables and the grammar
        few, many = (text_cost(n, Path(folder) / str(n)) for n in (images, 10 * images))
        print(f"text, {images:,} images: {1e3 * few:.2f} ms an image; {10 * images:,}: {1e3 * many:.2f} ms")
        print(f"  ratio {many / few:.2f} (constant cost: 1)")
        ours, bare = visual_cost(images // 4, Path(folder) / "visual")
        print(
            f"visual test {ours:.2f} s; decode, OpenCV and encode alone {bare:.2f} s; {bare / ours:.0%} of bare speed"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
