"""A small part of the real data in the official layout, so that many builds of it are affordable."""

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

QUESTIONS, DIALOGS, GRAPHS, FACT_QUESTIONS, LINES = 1_200, 10, 400, 400, 20_000


def write_real_sample(data: Path, folder: Path) -> Path:
    """Copy the first records of every source."""
    names = ("v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json")
    for name, key in zip(names, ("questions", "annotations"), strict=True):
        _copy_json(data, folder, f"vqa/{name}", lambda content, key=key: {**content, key: content[key][:QUESTIONS]})
    _copy_json(data, folder, "visdial/visdial_1.0_val.json", _first_dialogs)
    _copy_json(data, folder, "gqa/val_sceneGraphs.json", lambda graphs: dict(list(graphs.items())[:GRAPHS]))
    shutil.copytree(data / "fvqa", folder / "fvqa", copy_function=shutil.copyfile)
    (folder / "fvqa" / "all_qs_dict_release.json.gz").unlink()
    _copy_json(data, folder, "fvqa/all_qs_dict_release.json", lambda all_: dict(list(all_.items())[:FACT_QUESTIONS]))
    for name in ("convqa", "hallusionbench"):
        shutil.copytree(data / name, folder / name, copy_function=shutil.copyfile)
    (folder / "conceptnet").mkdir()
    (dump,) = (data / "conceptnet").glob("conceptnet-assertions-*.csv.gz")
    with gzip.open(dump) as lines, gzip.open(folder / "conceptnet" / dump.name, "wb") as target:
        target.writelines(line for number, line in enumerate(lines) if number < LINES)
    return folder


def _first_dialogs(content: dict[str, Any]) -> dict[str, Any]:
    return {**content, "data": {**content["data"], "dialogs": content["data"]["dialogs"][:DIALOGS]}}


def _copy_json(data: Path, folder: Path, name: str, choose: Callable[[Any], Any]) -> None:
    content = orjson.loads(gzip.decompress((data / f"{name}.gz").read_bytes()))
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(orjson.dumps(choose(content)))
