"""CARETS: two workers against one, the cost of an image as their number grows, and image operations against Pillow.

Takes the real scene graphs where DIPTYCH_DATA (or ../shared/data) has them, a miniature world otherwise.

python benchmarks/bench_carets.py [IMAGES]
"""

import io
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFilter
from results import Claim, Point, record
from workers import compare_workers, real_or_small, timed_build

from diptych.demo import make_world
from diptych.scenegraphs import Box
from diptych.scenegraphs.image_operations import IMAGENET_MEANS, OPERATIONS, SIGMAS, Blurs, decode, encode, obfuscate

PHOTO = (500, 375)
"""The usual size of GQA's images; the miniature world's are smaller."""
DOCUMENT = "docs/carets.md"
BOXES: Sequence[Box] = ((60, 40, 120, 90), (260, 150, 140, 160))


def cost_per_image(images: int, scratch: Path) -> float:
    """Milliseconds of the processor per image for all text tests and the visual test's recipes."""
    make_world(scratch / str(images), images, pictures=False)
    return 1e3 * timed_build("carets", scratch / str(images), 1, "images=recipe")[1] / images


def seconds(job: Callable[[bytes], object], photos: Sequence[bytes]) -> float:
    """How long a job keeps the processor for some photographs."""
    start = time.process_time()
    for content in photos:
        job(content)
    return time.process_time() - start


def with_opencv(content: bytes) -> None:
    """The operations of the visual test on one photograph."""
    image = decode(content)
    assert image is not None
    blurs: Blurs = {}
    for operation in OPERATIONS:
        encode(obfuscate(image, BOXES, operation, blurs=blurs))


def with_pillow(content: bytes) -> None:
    """What one would write first: every operation opens the image, changes it with Pillow and saves it."""
    for operation in OPERATIONS:
        image = Image.open(io.BytesIO(content)).convert("RGB")
        _change(image, operation).save(io.BytesIO(), "JPEG", quality=95)


def _change(image: Image.Image, operation: str) -> Image.Image:
    if operation == "crop":
        x, y = min(box[0] for box in BOXES), min(box[1] for box in BOXES)
        return image.crop((x, y, max(box[0] + box[2] for box in BOXES), max(box[1] + box[3] for box in BOXES)))
    hidden = Image.new("L", image.size, 255)
    for x, y, width, height in BOXES:
        ImageDraw.Draw(hidden).rectangle((x, y, x + width - 1, y + height - 1), fill=0)
    if operation == "mask":
        return Image.composite(Image.new("RGB", image.size, tuple(map(round, IMAGENET_MEANS))), image, hidden)
    blur = ImageFilter.GaussianBlur(SIGMAS[operation])
    return Image.composite(image.filter(blur), image, hidden.filter(blur))


def noisy_photo(seed: int) -> bytes:
    """A picture with as much grain as a photograph."""
    pixels = np.random.default_rng(seed).normal(120, 30, (PHOTO[1], PHOTO[0], 3)).clip(0, 255).astype(np.uint8)
    sink = io.BytesIO()
    Image.fromarray(pixels).save(sink, "JPEG", quality=90)
    return sink.getvalue()


def main(images: int) -> None:
    """Print the ratios."""
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        data = real_or_small("gqa", 1_000, scratch)
        compare_workers("carets", data, "images=recipe", claim="carets-workers", size="scene graphs of GQA")
        few, many = (cost_per_image(count, scratch) for count in (images, 4 * images))
        print(f"{images:,} images: {few:.1f} ms per image; {4 * images:,}: {many:.1f} ms: ratio {many / few:.2f}")
    photos = [noisy_photo(seed) for seed in range(20)]
    ours, pillow = seconds(with_opencv, photos), seconds(with_pillow, photos)
    statement, size = (
        "carets: processor time of an image",
        f"{images:,} and {4 * images:,} images of the miniature world",
    )
    record(
        Claim("carets-linear", statement, many, "ms", few, "a fourth of the images", many / few, size, DOCUMENT),
        *(Point("carets-cost", "carets, images=recipe", n, value) for n, value in ((images, few), (4 * images, many))),
    )
    statement, size = "carets: the image operations beside plain Pillow", f"{len(photos)} photographs of 500 × 375"
    record(Claim("carets-operations", statement, ours, "s", pillow, "Pillow", pillow / ours, size))
    print(f"image operations {ours:.2f} s, plain Pillow {pillow:.2f} s: {pillow / ours:.1f}x")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
