"""CARETS: two workers against one, and the cost of an image as their number grows.

Takes the real scene graphs where DIPTYCH_DATA (or ../shared/data) has them, a miniature world otherwise.

python benchmarks/bench_carets.py [IMAGES]
"""

import sys
import tempfile
from pathlib import Path

import cv2
from results import Claim, Point, record
from workers import compare_workers, real_or_small, timed_build

from diptych.demo import make_world

DOCUMENT = "docs/carets.md"


def cost_per_image(images: int, scratch: Path) -> float:
    """Milliseconds of the processor per image for all text tests and the visual test's recipes."""
    make_world(scratch / str(images), images, pictures=False)
    return 1e3 * timed_build("carets", scratch / str(images), 1, "images=recipe")[1] / images


def main(images: int) -> None:
    """Print the ratios."""
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        data = real_or_small("gqa", 1_000, scratch)
        compare_workers("carets", data, "images=recipe", claim="carets-workers", size="scene graphs of GQA")
        few, many = (cost_per_image(count, scratch) for count in (images, 4 * images))
        print(f"{images:,} images: {few:.1f} ms per image; {4 * images:,}: {many:.1f} ms: ratio {many / few:.2f}")
    statement, size = (
        "carets: processor time of an image",
        f"{images:,} and {4 * images:,} images of the miniature world",
    )
    record(
        Claim("carets-linear", statement, many, "ms", few, "a fourth of the images", many / few, size, DOCUMENT),
        *(Point("carets-cost", "carets, images=recipe", n, value) for n, value in ((images, few), (4 * images, many))),
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
