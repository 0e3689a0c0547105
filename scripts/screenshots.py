"""Make the pictures of the documentation: a scene of the miniature world, and the report that `make demo` writes.

    python scripts/screenshots.py demo-out/report docs

Colors are reduced to a palette, so that a picture stays under 150 kB.
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the browser of the tests

from diptych.demo import draw_scene, make_scene  # noqa: E402
from tests.report.browser import NO_CHROMIUM, ReportBrowser  # noqa: E402

VIEWS = {
    "report-scores": "",
    "report-pair": "#pairs?dataset=carets&test=carets.negation&model=blind&outcome=right_to_wrong",
}
SCENES = {"cat": 10}  # numbers of scenes in the world of seed 0
WIDTH, HEIGHT, COLORS, LARGEST = 1200, 860, 256, 150_000


def main() -> None:
    """Write one picture for each of the views."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path, help="the folder of a report")
    parser.add_argument("out", type=Path, help="the folder for the pictures")
    arguments = parser.parse_args()
    for name, number in SCENES.items():
        save_small(draw_scene(make_scene(seed=0, number=number)), arguments.out / f"{name}.png")
    if NO_CHROMIUM:
        sys.exit(NO_CHROMIUM)
    with TemporaryDirectory(prefix="diptych-shots-") as scratch, ReportBrowser(Path(scratch) / "profile") as browser:
        browser.call("Emulation.setScrollbarsHidden", hidden=True)
        for name, link in VIEWS.items():
            browser.show(arguments.report.resolve() / "index.html", link, WIDTH, HEIGHT)
            browser.await_value("new Promise(done => setTimeout(done, 500))")  # pictures come when they are seen
            path = browser.screenshot(arguments.out / f"{name}.png")
            with Image.open(path) as image:
                save_small(image, path)


def save_small(image: Image.Image, path: Path) -> None:
    """Write a picture with few colors."""
    image.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path}: {size:,} bytes")
    if size > LARGEST:
        sys.exit(f"{path}: more than {LARGEST:,} bytes")


if __name__ == "__main__":
    main()
