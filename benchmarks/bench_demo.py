"""How fast the miniature world is made: scenes a second, with pictures and without, side by side in one run."""

import resource
import tempfile
import time
from pathlib import Path

from results import Claim, record

from diptych.demo import make_world

JSON_IMAGES, PICTURE_IMAGES = 10_000, 1_000


def rate(folder: Path, images: int, pictures: bool) -> tuple[float, float]:
    """Images a second by the clock, and by the processor's time."""
    clock, processor = time.perf_counter(), time.process_time()
    make_world(folder, images, pictures=pictures)
    return images / (time.perf_counter() - clock), images / (time.process_time() - processor)


def main() -> None:
    """Measure both and print the ratio."""
    with tempfile.TemporaryDirectory() as scratch:
        plain = rate(Path(scratch) / "plain", JSON_IMAGES, pictures=False)
        drawn = rate(Path(scratch) / "drawn", PICTURE_IMAGES, pictures=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"without pictures {plain[0]:8,.0f} images/s ({plain[1]:,.0f} per processor second), {JSON_IMAGES:,} images")
    print(
        f"with pictures    {drawn[0]:8,.0f} images/s ({drawn[1]:,.0f} per processor second), {PICTURE_IMAGES:,} images"
    )
    minute = "100,000 images of the miniature world without pictures"
    record(
        Claim(
            "demo-rate", "the miniature world without pictures", plain[0], "images/s", size=f"{JSON_IMAGES:,} images"
        ),
        Claim("demo-world", f"{minute}, at that rate", 1e5 / plain[0], "s", document="README.md", at_most=90.0),
        Claim(
            "demo-pictures",
            "the miniature world with pictures",
            drawn[0],
            "images/s",
            size=f"{PICTURE_IMAGES:,} images",
        ),
        Claim("demo-memory", "the miniature world: peak memory", peak, "MiB", size=f"{JSON_IMAGES:,} images"),
    )
    print(f"without : with   {plain[1] / drawn[1]:8.1f} : 1 by the processor; peak memory {peak:,.0f} MB")


if __name__ == "__main__":
    main()
