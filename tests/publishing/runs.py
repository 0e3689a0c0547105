"""Files of predictions as `diptych predict` writes them, of a small build that is on the Hub with its `eval.yaml`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

import diptych
from diptych.folder import BuiltFolder
from diptych.publishing.export import export_folder
from tests.folders import make_folder, some_pairs
from tests.publishing.conftest import Site

DATASET = "org/rad-cads"
TASK = "rad_cads_yn_from_color"
PAIRS = 64


def make_dataset(out: Path) -> BuiltFolder:
    """A build with a task for results."""
    folder = make_folder(out, some_pairs(PAIRS))
    export_folder(folder, "eval-yaml", folder.path)
    return folder


def publish_dataset(site: Site, folder: BuiltFolder) -> str:
    """Push the build; the commit that holds it."""
    site.run("push", folder.path, DATASET, "--tag", "v1.0.0")
    return site.hub.repo("dataset", DATASET).tags["v1.0.0"]


def predict(folder: BuiltFolder, out: Path, model: str = "majority", **options: Any) -> Path:
    """The predictions of a model that is built in."""
    diptych.predict(folder.path, model, out, **options)
    return out


def edit_header(path: Path, changes: Mapping[str, Any], out: Path | None = None) -> Path:
    """The same predictions with another header."""
    first, *lines = path.read_bytes().splitlines(keepends=True)
    header = {**orjson.loads(first), **changes}
    target = out or path
    target.write_bytes(b"".join([orjson.dumps(header), b"\n", *lines]))
    return target


def header_of(path: Path) -> dict[str, Any]:
    """The first line of a file of predictions."""
    header: dict[str, Any] = orjson.loads(path.read_bytes().splitlines()[0])
    return header
