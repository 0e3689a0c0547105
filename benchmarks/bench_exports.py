"""Claim: the images of 1,216 questions cost a harness under a tenth of the memory that decoded ones do.

A harness builds all its requests before the first is sent, with their images. Both ways of giving it the images of
exported tasks are measured in a process of their own: decoded, and as they are exported, which are decoded when they
are used. Every image is used once, as a model does. The number is the growth of resident memory, as Linux counts it.
"""

import subprocess
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pyarrow as pa
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the folders of the tests

from diptych.publishing.export import export_folder  # noqa: E402
from tests.folders import make_folder, pairs_table, some_pairs, with_column  # noqa: E402

PAIRS, SIZE = 608, (640, 480)

HARNESS = """
import sys
from pathlib import Path
from datasets import load_dataset
from PIL import Image

tasks, kind = sys.argv[1:]
sys.path.insert(0, tasks)
import utils
from rad_cads_pairs.lazy import LazyImage

(files,) = utils.TASKS.files.values()
dataset = load_dataset("parquet", data_files={"validation": files}, split="validation")
questions = list(utils.ask_rad_cads_yn_from_color(dataset))
resident = lambda: int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6
start = resident()
images = [image for question in questions for image in utils.doc_to_image(question)]
if kind == "decoded":
    images = [image.copy() for image in images]
total = sum(image.resize((32, 32)).getpixel((5, 5))[0] for image in images)
print(len(images), total, round(resident() - start))
"""


def make_images(folder: Path) -> list[str]:
    """Photographs of a size that COCO's have, each of its own."""
    folder.mkdir()
    rng, names = Random(0), []
    for number in range(PAIRS):
        names.append(f"COCO_val2014_{number:012d}.jpg")
        small = Image.frombytes("RGB", (40, 30), rng.randbytes(3600))
        small.resize(SIZE, Image.Resampling.BICUBIC).save(folder / names[-1], quality=90)
    return names


def main() -> None:
    """Print both numbers."""
    with TemporaryDirectory() as scratch:
        names = make_images(Path(scratch, "images"))
        table = pairs_table(some_pairs(PAIRS))
        for side in ("original", "perturbed"):
            table = with_column(table, f"{side}_image_file", pa.array(names))
        export_folder(make_folder(Path(scratch, "built"), table), "lm-eval", Path(scratch, "tasks"))
        results = {}
        for kind in ("decoded", "exported"):
            command = [sys.executable, "-c", HARNESS, str(Path(scratch, "tasks")), kind]
            environment = {"DIPTYCH_IMAGES": str(Path(scratch, "images")), "HF_HOME": scratch, "PATH": "/usr/bin:/bin"}
            output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
            count, total, megabytes = map(int, output.split())
            results[kind] = (count, total, max(megabytes, 1))
            print(f"{kind}: {count:,} images of {SIZE[0]} x {SIZE[1]}, {megabytes:,} MB")
    assert results["decoded"][:2] == results["exported"][:2]
    print(f"ratio: {results['decoded'][2] / results['exported'][2]:.0f} x")


if __name__ == "__main__":
    main()
