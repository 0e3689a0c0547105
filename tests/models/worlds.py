"""Small built folders with pictures, and runs of `diptych predict` on them."""

import colorsys
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
from PIL import Image

import diptych
from diptych.folder import BuiltFolder
from diptych.models import PredictionRun
from diptych.pairs import Pair
from tests.folders import make_folder, make_pair
from tests.models.endpoint import KEY, LoopbackEndpoint

PAIRS_OF_IMAGE = 4


def draw_picture(path: Path, number: int, size: tuple[int, int] = (48, 32)) -> None:
    """A picture that differs from that of any other number."""
    path.parent.mkdir(parents=True, exist_ok=True)
    color = tuple(int(255 * part) for part in colorsys.hsv_to_rgb(number % 97 / 97, 0.8, 0.9))
    image = Image.new("RGB", size, color)
    for bit in range(16):
        if number >> bit & 1:
            image.paste((0, 0, 0), (bit * 3, 8, bit * 3 + 3, 24))
    image.save(path)


def pictured_pair(number: int) -> Pair:
    """A pair about the picture that it shares with its neighbors."""
    image = number // PAIRS_OF_IMAGE
    pair = make_pair(number)
    sides = {
        side: replace(getattr(pair, side), image_id=str(image), image_file=f"COCO_val2014_{image:012d}.jpg")
        for side in ("original", "perturbed")
    }
    return replace(pair, **sides)


def make_world(path: Path, pairs: int = 16) -> BuiltFolder:
    """A folder `out` with pairs, and `images` with their pictures."""
    rows = [pictured_pair(number) for number in range(pairs)]
    for name in {row.original.image_file for row in rows}:
        draw_picture(path / "images" / name, int(name[-16:-4]))
    return make_folder(path / "out", rows)


def ask(path: Path, endpoint: LoopbackEndpoint, name: str = "p.jsonl", **options: Any) -> PredictionRun:
    """Predictions of a world by an endpoint; waits between tries are short."""
    settings = {"base_url": endpoint.url, "first_wait": 0.01, **options.pop("settings", {})}
    options = {"images": path / "images", **options}
    return diptych.predict(path / "out", "m", path / name, settings=settings, **options)


def command(
    path: Path, endpoint: LoopbackEndpoint, *arguments: object, key: str = KEY
) -> tuple[list[str], dict[str, str]]:
    """The arguments and the environment of `diptych predict` on a world, as a process."""
    line = [sys.executable, "-m", "diptych", "predict", path / "out", "--model", "m", "--base-url", endpoint.url]
    line += ["--images", path / "images", *arguments]
    return list(map(str, line)), {**os.environ, "DIPTYCH_API_KEY": key}


def run(path: Path, endpoint: LoopbackEndpoint, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run `diptych predict` on a world in a process of its own."""
    line, environment = command(path, endpoint, *arguments)
    return subprocess.run(line, env=environment, capture_output=True, text=True, check=False)


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The records of a file of predictions, the header first."""
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def without_timings(path: Path) -> list[bytes]:
    """The lines of a file of predictions as they would be if every request took no time."""
    return [orjson.dumps({**line, "seconds": None} if "seconds" in line else line) for line in lines_of(path)]
