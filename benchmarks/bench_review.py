"""Claim: a review of 5,000 items with pictures opens a page as fast as one of 500, in well under two seconds.

Pairs and pictures are made up: every item shows two pictures of 640 x 480 pixels with the detail of a photograph. A new
browser with an empty profile opens each page; the time is from the command until both pictures are decoded.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from PIL import Image
from results import Claim, not_run, record

from diptych.files import format_bytes
from diptych.images import open_images
from diptych.pairs import Expectation, Pair, Side, pairs_table
from diptych.report.review import PagePictures, choose_items, write_folder

sys.path.insert(0, str(Path(__file__).parent.parent))  # the browser of the tests
from tests.report.review.chromium import CHROMIUM, Browser

_SHOWN = "document.images.length > 1 && [...document.images].every(image => image.complete && image.naturalWidth > 0)"


def make_pictures(folder: Path, count: int) -> None:
    """Write noise that is as large as photographs are: about 100 kB a picture."""
    rng = np.random.default_rng(0)
    folder.mkdir()
    for number in range(count):
        coarse = Image.fromarray(rng.integers(0, 255, (60, 80, 3), np.uint8)).resize(
            (640, 480), Image.Resampling.BICUBIC
        )
        fine = Image.fromarray(rng.integers(0, 255, (480, 640, 3), np.uint8))
        Image.blend(coarse, fine, 0.12).save(folder / f"{number}.jpg", quality=90)


def make_pair(number: int, pictures: int) -> Pair:
    """A pair about two pictures, on one of forty facts."""
    names = [str((2 * number + side) % pictures) for side in (0, 1)]
    original, perturbed = (
        Side(name, f"Which thing can fly, {number}?", "kite", image_file=f"{name}.jpg") for name in names
    )
    origin = ("image", "CapableOf", "made up", str(number), f"template {number % 40}")
    return Pair(f"toy.{number % 4}", Expectation.SAME, original, perturbed, *origin)


def wait(browser: Browser, script: str) -> None:
    """Wait until an expression is true."""
    while not browser.run(f"Boolean({script})"):
        time.sleep(0.005)


def open_pages(index: Path, items: int, profile: Path) -> dict[str, float]:
    """Milliseconds until the index, a page of it and the next item are there, and until a template is rejected."""
    times: dict[str, float] = {}
    with Browser(profile) as browser:
        start = time.perf_counter()
        browser.open(index)
        times["index"] = time.perf_counter() - start
        for name, number in (("first page", 1), ("last page", items - 50)):
            start = time.perf_counter()
            browser.run(f"location.hash = '#{number}'")
            wait(browser, f"me.at === {number - 1} && {_SHOWN}")
            times[name] = time.perf_counter() - start
        moves = []
        for _ in range(20):
            start = time.perf_counter()
            browser.press("a")
            wait(browser, _SHOWN)
            moves.append(time.perf_counter() - start)
        times["next item"] = median(moves)
        start = time.perf_counter()
        browser.press("q")
        wait(browser, "document.querySelector('.covered')")
        times["reject a template"] = time.perf_counter() - start
    return {name: 1000 * seconds for name, seconds in times.items()}


def main() -> None:
    """Export and open two sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--pictures", type=int, default=2000, help="distinct pictures")
    items = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        make_pictures(root / "images", items.pictures)
        for count in (items.items // 10, items.items):
            rows = pairs_table(make_pair(number, items.pictures) for number in range(count)).to_pylist()
            start = time.perf_counter()
            pictures = PagePictures(open_images(root / "images"))
            pages = write_folder(
                root / str(count), "made up", choose_items(rows, {"template": ("template_id",)}), pictures
            )
            seconds = time.perf_counter() - start
            files = [file for file in (root / str(count)).rglob("*") if file.is_file()]
            size = format_bytes(sum(file.stat().st_size for file in files))
            print(f"{count:,} items: {pages} pages, {len(files):,} files, {size}, exported in {seconds:.1f} s")
            if CHROMIUM is None:
                print("no Chromium here: nothing is opened")
                record(not_run(f"review-{count}", f"a page of {count:,} items is opened", "no Chromium"))
                continue
            times = open_pages(root / str(count) / "index.html", count, root / f"profile-{count}")
            print("  " + ", ".join(f"{name} {milliseconds:.0f} ms" for name, milliseconds in times.items()))
            slowest, size = max(times["first page"], times["last page"]), f"{count:,} items"
            statement = "the slower of the first and the last page of a review, until its pictures are shown"
            record(Claim(f"review-{count}", statement, slowest, "ms", size=size, at_most=2000.0))


if __name__ == "__main__":
    main()
