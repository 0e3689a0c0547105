"""Image operations, one by one: OpenCV against Pillow, with the time of both and by how much their pixels differ.

An asterisk marks the library that the package uses: the faster one, but Pillow where few pictures are changed and any
format, orientation or transparency may come. Both run on one thread.

python benchmarks/bench_images.py
"""

import io
import time
from collections.abc import Callable, Sequence
from typing import Any

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from diptych.report._pictures import shrink
from diptych.scenegraphs import Box
from diptych.scenegraphs.image_operations import IMAGENET_MEANS, OPERATIONS, SIGMAS, Blurs, decode, encode, obfuscate

PHOTO, LARGE = (500, 375), (1600, 1200)
BOXES: Sequence[Box] = ((60, 40, 120, 90), (260, 150, 140, 160))
SMALL = 320  # the longer side of a picture in a report
REPEATS = 20


def noisy_photo(size: tuple[int, int], seed: int = 0) -> bytes:
    """A picture with shapes, gradients and as much grain as a photograph."""
    rng = np.random.default_rng(seed)
    width, height = size
    ramp = np.add.outer(np.linspace(40, 120, height), np.linspace(0, 90, width))[..., None] * (1.0, 0.8, 0.6)
    for _ in range(12):
        x, y = rng.integers(0, width), rng.integers(0, height)
        ramp[y : y + height // 4, x : x + width // 4] = rng.integers(0, 255, 3)
    pixels = (ramp + rng.normal(0, 8, ramp.shape)).clip(0, 255).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=90)
    return file.getvalue()


def timed(job: Callable[[], Any]) -> tuple[float, Any]:
    """The milliseconds of the processor for one call, the least of several, and the result."""
    times, result = [], None
    for _ in range(REPEATS):
        start = time.process_time_ns()
        result = job()
        times.append(time.process_time_ns() - start)
    return min(times) / 1e6, result


def pixels_of(result: Any) -> Any:
    """A result as rows of red, green and blue."""
    if isinstance(result, bytes):
        return np.asarray(Image.open(io.BytesIO(result)).convert("RGB"), np.int16)
    if isinstance(result, Image.Image):
        return np.asarray(result, np.int16)
    return np.asarray(result, np.int16)[..., ::-1]


def compare(name: str, opencv: Callable[[], Any], pillow: Callable[[], Any], ours: str) -> None:
    """Print the time of both sides, and how far their pixels are apart."""
    (first, first_result), (second, second_result) = timed(opencv), timed(pillow)
    gap = np.abs(pixels_of(first_result) - pixels_of(second_result))
    marks = ["*" if ours == library else " " for library in ("opencv", "pillow")]
    print(
        f"{name:22} OpenCV{marks[0]} {first:6.2f} ms  Pillow{marks[1]} {second:6.2f} ms  {second / first:5.1f}x"
        f"  pixels differ by {gap.mean():.2f} on average, {gap.max()} at most"
    )


def pillow_operation(image: Image.Image, operation: str) -> Image.Image:
    """An operation of the visual test as Pillow has it."""
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


def opencv_decode(content: bytes) -> Any:
    """A JPEG decoded by OpenCV."""
    return cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)


def pillow_decode(content: bytes) -> Image.Image:
    """A JPEG decoded by Pillow."""
    return Image.open(io.BytesIO(content)).convert("RGB")


def pillow_encode(image: Image.Image) -> bytes:
    """A JPEG made by Pillow, with the quality of the visual test."""
    file = io.BytesIO()
    image.save(file, "JPEG", quality=95)
    return file.getvalue()


def pillow_thumbnail(content: bytes) -> bytes:
    """A small picture for the report, made by Pillow, which also unpacks a large JPEG only in part."""
    with Image.open(io.BytesIO(content)) as image:
        image.draft("RGB", (2 * SMALL, 2 * SMALL))
        copy = image.convert("RGB")
    copy.thumbnail((SMALL, SMALL))
    file = io.BytesIO()
    copy.save(file, "JPEG", quality=80)
    return file.getvalue()


def main() -> None:
    """Compare the operations of the visual test, those of reports and predictions, and all of the visual test."""
    cv2.setNumThreads(1)
    photo, large = noisy_photo(PHOTO), noisy_photo(LARGE)
    image, picture = opencv_decode(photo), pillow_decode(photo)
    compare("decode a JPEG", lambda: opencv_decode(photo), lambda: pillow_decode(photo), "opencv")
    for operation in OPERATIONS:
        compare(
            operation,
            lambda operation=operation: obfuscate(image, BOXES, operation),
            lambda operation=operation: pillow_operation(picture, operation),
            "opencv",
        )
    compare("encode a JPEG", lambda: encode(image), lambda: pillow_encode(picture), "opencv")
    for name, content in (("thumbnail", photo), ("thumbnail of 1600", large)):
        compare(
            name,
            lambda content=content: shrink(content, SMALL)[1],
            lambda content=content: pillow_thumbnail(content),
            "opencv",
        )
    big, big_picture = opencv_decode(large), pillow_decode(large)
    compare(
        "resize to 1024",
        lambda: cv2.resize(big, (1024, 768), interpolation=cv2.INTER_AREA),
        lambda: big_picture.resize((1024, 768), Image.Resampling.LANCZOS),
        "pillow",
    )

    def visual_test() -> None:
        pixels, blurs = decode(photo), Blurs()
        assert pixels is not None
        for operation in OPERATIONS:
            encode(obfuscate(pixels, BOXES, operation, blurs=blurs))

    ours, _ = timed(visual_test)
    plain, _ = timed(lambda: [pillow_encode(pillow_operation(pillow_decode(photo), name)) for name in OPERATIONS])
    print(f"the visual test of one picture: {ours:.1f} ms, plain Pillow {plain:.1f} ms: {plain / ours:.1f}x")


if __name__ == "__main__":
    main()
